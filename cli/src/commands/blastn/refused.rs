//! Options of NCBI's blastn that are not supported, each with the reason and the way out.

use clap::Args;

/// Options that are known and refused.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case")]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of NCBI's")]
pub struct RefusedArguments {
    #[arg(long, hide = true)]
    remote: bool,
    #[arg(long, hide = true)]
    parse_deflines: bool,
    #[arg(long, hide = true)]
    use_index: Option<String>,
    #[arg(long, hide = true)]
    index_name: Option<String>,
    #[arg(long, hide = true)]
    entrez_query: Option<String>,
    #[arg(long, hide = true)]
    db_soft_mask: Option<String>,
    #[arg(long, hide = true)]
    db_hard_mask: Option<String>,
    #[arg(long, hide = true)]
    filtering_db: Option<String>,
    #[arg(long, hide = true)]
    window_masker_taxid: Option<String>,
    #[arg(long, hide = true)]
    window_masker_db: Option<String>,
    #[arg(long, hide = true)]
    import_search_strategy: Option<String>,
    #[arg(long, hide = true)]
    export_search_strategy: Option<String>,
}

/// Values that mean no.
const NO: [&str; 5] = ["false", "f", "no", "n", "0"];

impl RefusedArguments {
    /// Refuses the first of these options that is given. A value that asks for nothing else than the default is accepted.
    ///
    /// # Errors
    /// The option, the reason and the way out.
    pub fn check(&self) -> Result<(), String> {
        let asks = |value: &Option<String>, defaults: &[&str]| {
            value.as_deref().is_some_and(|value| {
                !defaults.iter().any(|default| value.eq_ignore_ascii_case(default))
            })
        };
        let masks_by_database = asks(&self.filtering_db, &[])
            || asks(&self.window_masker_taxid, &[])
            || asks(&self.window_masker_db, &[]);
        let options: [(&str, bool, &str); 8] = [
            ("-remote", self.remote, "searches are made on this machine: leave it out"),
            (
                "-parse_deflines",
                self.parse_deflines,
                "identifiers in files are not parsed: leave it out, or use a database made with -parse_seqids",
            ),
            (
                "-use_index and -index_name",
                asks(&self.use_index, &NO) || asks(&self.index_name, &[]),
                "databases have no index: leave it out",
            ),
            (
                "-entrez_query",
                asks(&self.entrez_query, &[]),
                "it needs NCBI's servers: use -seqidlist or -taxids",
            ),
            (
                "-db_soft_mask and -db_hard_mask",
                asks(&self.db_soft_mask, &[]) || asks(&self.db_hard_mask, &[]),
                "masks of databases are not read: leave it out",
            ),
            (
                "-filtering_db and -window_masker",
                masks_by_database,
                "masks are made by -dust and -lcase_masking alone",
            ),
            (
                "-import_search_strategy",
                asks(&self.import_search_strategy, &[]),
                "give its options on the command line",
            ),
            (
                "-export_search_strategy",
                asks(&self.export_search_strategy, &[]),
                "keep the command line in its place",
            ),
        ];
        match options.into_iter().find(|&(_, is_asked, _)| is_asked) {
            Some((option, _, reason)) => Err(format!("{option} is not supported: {reason}")),
            None => Ok(()),
        }
    }
}
