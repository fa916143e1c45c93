//! Options of reports to look at (`-outfmt 0` to `-outfmt 4`), by NCBI's names.

use clap::Args;

use crate::commands::blastn::report::order::{AlignmentOrder, Numbered, SubjectOrder};

/// Number of subjects in the list of a report, if no option tells.
const DESCRIPTIONS: u32 = 500;
/// Number of subjects whose alignments a report shows, if no option tells.
const ALIGNMENTS: u32 = 250;

/// How pairwise reports are written.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Reports of formats 0 to 4")]
pub struct PairwiseArguments {
    /// Number of subjects in the list of subjects [default: 500, or `max_target_seqs`]
    #[arg(long, value_name = "N", conflicts_with = "max_target_seqs")]
    num_descriptions: Option<u32>,
    /// Number of subjects whose alignments are shown; in formats above 4, as `max_target_seqs` [default: 250, or
    /// `max_target_seqs`]
    #[arg(long, value_name = "N", conflicts_with = "max_target_seqs")]
    num_alignments: Option<u32>,
    /// Number of columns of an alignment in a line
    #[arg(long, value_name = "N", default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub line_length: u32,
    /// Write HTML; formats 0 to 4 alone
    #[arg(long)]
    pub html: bool,
    /// Show NCBI's numbers (GI) of sequences that have them
    #[arg(long)]
    pub show_gis: bool,
    /// Order of subjects, whose list then has more columns: 0 E-value, 1 bit score, 2 total score, 3 identity, 4 coverage of the query
    #[arg(long, value_name = "N", value_parser = numbered::<SubjectOrder>)]
    pub sorthits: Option<SubjectOrder>,
    /// Order of the alignments of a subject in format 0: 0 E-value, 1 score, 2 start in the query, 3 identity, 4 start in the subject
    #[arg(long, value_name = "N", value_parser = numbered::<AlignmentOrder>)]
    pub sorthsps: Option<AlignmentOrder>,
}

/// Parses the number of an order.
fn numbered<T: Numbered>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|&number: &usize| number < 5);
    let order = number.and_then(|number| T::ALL.into_iter().nth(number));
    order.ok_or_else(|| "use a number from 0 to 4".to_owned())
}

impl PairwiseArguments {
    /// The number of subjects in the list; `targets` is the limit of subjects, if it is given.
    pub fn descriptions(&self, targets: Option<u32>) -> usize {
        self.num_descriptions.or(targets).unwrap_or(DESCRIPTIONS) as usize
    }

    /// The number of subjects whose alignments are shown; `targets` is the limit of subjects, if it is given.
    pub fn alignments(&self, targets: Option<u32>) -> usize {
        self.num_alignments.or(targets).unwrap_or(ALIGNMENTS) as usize
    }

    /// Whether these options leave any subjects in a report.
    pub fn reports_subjects(&self, is_pairwise: bool) -> bool {
        let has_descriptions = is_pairwise && self.num_descriptions != Some(0);
        has_descriptions || self.num_alignments != Some(0)
    }

    /// The limit of subjects that follows from these options, if any is given. In formats other than pairwise reports, only the
    /// number of alignments counts.
    pub fn targets(&self, is_pairwise: bool) -> Option<usize> {
        if !is_pairwise {
            return self.num_alignments.map(|alignments| alignments.max(1) as usize);
        }
        let is_given = self.num_descriptions.is_some() || self.num_alignments.is_some();
        let most = self.descriptions(None).max(self.alignments(None)).max(1);
        is_given.then_some(most)
    }
}
