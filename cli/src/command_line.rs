//! The command lines of the programs: parsing, checking and running them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::sync::LazyLock;

use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::blastn::args::{BlastnArguments, with_double_dashes};
use crate::commands::blastn::makedb_args::MakeDbArguments;
use crate::commands::completions::ManArguments;
use crate::commands::evaluate::args::EvaluateArguments;
use crate::commands::index::IndexArguments;
use crate::commands::map::args::{MapArguments, MapOptions, Mode};
use crate::commands::map::preset::BEST_HEADING;
use crate::commands::mem::args::MemArguments;
use crate::commands::merge::args::MergeArguments;
use crate::commands::nw::args::Nw;
use crate::commands::simulate::args::Simulate;
use crate::commands::{
    blastn, completions, devices, evaluate, index, map, mem, merge, nw, simulate,
};
use crate::options::MappingFiles;

const USAGE: &str = "gpualign [OPTIONS] <READS>... <REF>\n       gpualign [OPTIONS] --lanes <FILE> <REF>\n       gpualign <COMMAND>";

const EXAMPLES: &str = "\
Examples:
  gpualign reads_1.fq.gz reads_2.fq.gz ref.fa -o out.bam
      The best locus of each pair of reads; one file of reads is single-end.
  gpualign --mode all -k 5 a.fq b.fq ref.fa -o out.bam
      Every locus with up to 5 differences, as BAM.
  gpualign --sort --mark-duplicates -R '@RG\\tID:x\\tSM:y' 1.fq.gz 2.fq.gz ref.fa -o out.bam
      Sorted, with duplicates marked and an index: as bwa mem, samtools sort and Picard's MarkDuplicates do.
  gpualign mem -t 16 ref.fa reads_1.fq.gz reads_2.fq.gz > out.sam
      With the options, the order of files and the output of bwa mem.

A file of reads with the name of a command is given with its folder: ./index";

/// What `blastn -version` prints: the version of NCBI's program whose results and output it has, as scripts read it.
const NCBI_VERSION: &str = concat!("2.12.0+\n Package: gpualign ", env!("CARGO_PKG_VERSION"));

/// Aligns reads to a reference: finds the best locus of each read, or every locus with up to K differences.
#[derive(Debug, Parser)]
#[command(
    name = "gpualign",
    version,
    long_version = long_version(),
    override_usage = USAGE,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    max_term_width = 100
)]
pub struct Gpualign {
    /// A command other than mapping.
    #[command(subcommand)]
    command: Option<Command>,
    /// The files to map; `None` if there is a command.
    #[command(flatten)]
    files: Option<MappingFiles>,
    /// How to map them.
    #[command(flatten)]
    options: MapOptions,
}

/// The command line of mapping alone.
///
/// Commands have their operands and mapping has its own, so that a file after an option could be either. Where no command is
/// named, this definition is used, which has none.
#[derive(Debug, Parser)]
#[command(
    name = "gpualign",
    version,
    long_version = long_version(),
    override_usage = USAGE,
    after_help = EXAMPLES,
    max_term_width = 100
)]
struct Mapping {
    #[command(flatten)]
    map: MapArguments,
}

/// Commands other than mapping.
#[derive(Debug, Subcommand)]
enum Command {
    /// Builds the index of a reference, which later runs use
    Index(IndexArguments),
    /// Maps pairs or single reads, with the options and the output of bwa mem
    Mem(Box<MemArguments>),
    /// Aligns many pairs of sequences from end to end (Needleman-Wunsch)
    #[command(subcommand)]
    Nw(Nw),
    /// Makes a database of sequences for blastn
    Makedb(MakeDbArguments),
    /// Searches a database for similar sequences, as NCBI's blastn does
    #[command(display_name = "blastn:", version = NCBI_VERSION)]
    Blastn(Box<BlastnArguments>),
    /// Makes the output of a run from the files of its shards, which --shard made
    Merge(MergeArguments),
    /// Lists the GPUs, or says why there are none
    Devices,
    /// Simulates genomes and reads
    #[command(subcommand)]
    Simulate(Simulate),
    /// Measures the accuracy of a mapper on simulated reads, or compares two mappers
    Evaluate(EvaluateArguments),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Prints the manual page of gpualign or of a command
    Man(ManArguments),
}

/// Finds every locus of each read with up to K differences, as gpualign --mode all does.
#[derive(Debug, Parser)]
#[command(
    name = "woodstocc",
    version,
    long_version = long_version(),
    override_usage = "woodstocc [OPTIONS] <READS>... <REF>",
    max_term_width = 100
)]
pub struct Woodstocc {
    #[command(flatten)]
    map: MapArguments,
}

/// Aligns many pairs of sequences from end to end, as gpualign nw does.
#[derive(Debug, Parser)]
#[command(name = "nw-batch", version, long_version = long_version(), max_term_width = 100)]
pub struct NwBatch {
    #[command(subcommand)]
    nw: Nw,
}

/// Searches a database for similar sequences, as gpualign blastn and NCBI's blastn do.
#[derive(Debug, Parser)]
#[command(name = "blastn-pipeline", version, long_version = long_version(), max_term_width = 100)]
pub struct BlastnPipeline {
    #[command(flatten)]
    blastn: BlastnArguments,
}

/// The version with the commit and the machine that it was built of and for, if the build was told the commit.
fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        let machine = format!("{} {}", env::consts::ARCH, env::consts::OS);
        match option_env!("GPUALIGN_COMMIT").filter(|commit| !commit.is_empty()) {
            Some(commit) => format!("{version} (commit {commit}, {machine})"),
            None => format!("{version} ({machine})"),
        }
    });
    &TEXT
}

/// A program's command line.
pub trait CommandLine: Parser {
    /// The definition of the command line.
    fn definition() -> clap::Command {
        Self::command()
    }

    /// The definition by which these words are parsed.
    fn definition_for(_words: &[OsString]) -> clap::Command {
        Self::definition()
    }

    /// The words of the command line as clap understands them.
    fn normalize(words: Vec<OsString>) -> Vec<OsString> {
        words
    }

    /// Checks combinations of options.
    ///
    /// # Errors
    /// Names the options that do not go together, and the way out.
    fn check(&self) -> Result<(), String>;

    /// Whether the streams of a GPU share few hardware queues; see [`share_few_queues`](crate::on_device::share_few_queues).
    fn shares_few_queues(&self) -> bool {
        false
    }

    /// Does what the command line asks for.
    ///
    /// # Errors
    /// If that fails.
    fn run(&self) -> Result<()>;
}

/// Parses and checks the words of a command line, of which the first is the program; ends the process with code 2 if
/// they are wrong.
///
/// # Errors
/// If they ask for help or for the version: its text, to be printed.
pub fn parse<L: CommandLine>(words: Vec<OsString>) -> Result<L, clap::Error> {
    match try_parse(&mut L::definition_for(&words), words) {
        Err(error) if error.use_stderr() => error.exit(),
        parsed => parsed,
    }
}

/// Parses and checks the words of a command line by the definition of its program.
///
/// # Errors
/// What is wrong with them; also if help or the version is asked for.
pub fn try_parse<L: CommandLine>(
    definition: &mut clap::Command,
    words: Vec<OsString>,
) -> Result<L, clap::Error> {
    let matches = definition.clone().try_get_matches_from(L::normalize(words))?;
    let line = L::from_arg_matches(&matches).map_err(|error| error.format(definition))?;
    line.check().map_err(|problem| {
        used_command(definition, &matches).error(ErrorKind::InvalidValue, problem)
    })?;
    Ok(line)
}

/// The command or subcommand that was used, whose usage line belongs to an error.
fn used_command<'c>(
    definition: &'c mut clap::Command,
    mut matches: &ArgMatches,
) -> &'c mut clap::Command {
    definition.build();
    let mut names = Vec::new();
    while let Some((name, of_subcommand)) = matches.subcommand() {
        names.push(name);
        matches = of_subcommand;
    }
    // The borrow checker does not see that a search without a result borrows nothing, so it is done twice.
    names.into_iter().fold(definition, |command, name| {
        if command.find_subcommand(name).is_none() {
            return command;
        }
        command.find_subcommand_mut(name).unwrap_or_else(|| unreachable!("it was just found"))
    })
}

impl Gpualign {
    /// Whether a word is the name of a command.
    fn is_command(word: &OsStr) -> bool {
        word == "help" || Self::command().find_subcommand(word).is_some()
    }
}

impl CommandLine for Gpualign {
    fn definition_for(words: &[OsString]) -> clap::Command {
        let asks = ["-h", "--help", "-V", "--version"];
        let is_mapping = words.get(1).is_some_and(|first| !Self::is_command(first))
            && !words.iter().any(|word| asks.iter().any(|&asked| word == asked));
        if is_mapping { Mapping::command() } else { Self::command() }
    }

    fn normalize(words: Vec<OsString>) -> Vec<OsString> {
        with_double_dashes(words)
    }

    fn check(&self) -> Result<(), String> {
        match (&self.command, &self.files) {
            (Some(Command::Nw(nw)), _) => nw.check(),
            (Some(Command::Mem(mem)), _) => mem.check(),
            (Some(Command::Blastn(blastn)), _) => blastn.check(),
            (Some(Command::Makedb(makedb)), _) => makedb.check(),
            (Some(_), _) | (None, None) => Ok(()),
            (None, Some(files)) => {
                if let Some(name) =
                    files.reads().first().filter(|name| Self::is_command(name.as_os_str()))
                {
                    let name = name.display();
                    return Err(format!(
                        "'{name}' is a command, whose name comes before its options: gpualign {name} ...; a file of this \
                         name is given as ./{name}"
                    ));
                }
                check_mapping(files, &self.options)
            }
        }
    }

    fn shares_few_queues(&self) -> bool {
        matches!(self.command, Some(Command::Nw(_) | Command::Blastn(_)))
    }

    fn run(&self) -> Result<()> {
        match (&self.command, &self.files) {
            (Some(Command::Index(arguments)), _) => index::run(arguments),
            (Some(Command::Nw(nw)), _) => nw::run(nw),
            (Some(Command::Mem(arguments)), _) => mem::run(arguments),
            (Some(Command::Makedb(arguments)), _) => blastn::make_database(arguments),
            (Some(Command::Blastn(arguments)), _) => blastn::run(arguments),
            (Some(Command::Simulate(simulate)), _) => simulate::run(simulate),
            (Some(Command::Evaluate(arguments)), _) => evaluate::run(arguments),
            (Some(Command::Merge(arguments)), _) => merge::run(arguments),
            (Some(Command::Devices), _) => devices::run(),
            (Some(Command::Completions { shell }), _) => {
                completions::completions(*shell, Self::command())
            }
            (Some(Command::Man(arguments)), _) => completions::manual(arguments, Self::command()),
            (None, Some(files)) => map::run(files, &self.options),
            (None, None) => bail!("neither a command nor reads and a reference are given"),
        }
    }
}

fn check_mapping(files: &MappingFiles, options: &MapOptions) -> Result<(), String> {
    match options.lanes {
        Some(_) => files.check_reference()?,
        None => files.check()?,
    }
    options.check_with(files.reads())
}

impl CommandLine for Woodstocc {
    /// The options of mapping, without the mode and the options of best mapping.
    fn definition() -> clap::Command {
        Self::command().mut_args(|arg| {
            if arg.get_id() == "mode" {
                arg.default_value("all").hide(true)
            } else if arg.get_help_heading() == Some(BEST_HEADING) {
                arg.hide(true)
            } else {
                arg
            }
        })
    }

    fn check(&self) -> Result<(), String> {
        let MapArguments { files, options } = &self.map;
        if options.mode == Mode::Best {
            return Err("woodstocc has no --mode best: use gpualign".to_owned());
        }
        check_mapping(files, options)
    }

    fn run(&self) -> Result<()> {
        map::run(&self.map.files, &self.map.options)
    }
}

impl CommandLine for NwBatch {
    fn check(&self) -> Result<(), String> {
        self.nw.check()
    }

    fn shares_few_queues(&self) -> bool {
        true
    }

    fn run(&self) -> Result<()> {
        nw::run(&self.nw)
    }
}

impl CommandLine for BlastnPipeline {
    fn normalize(mut words: Vec<OsString>) -> Vec<OsString> {
        words.insert(1.min(words.len()), "blastn".into());
        let mut words = with_double_dashes(words);
        words.remove(1.min(words.len() - 1));
        words
    }

    fn check(&self) -> Result<(), String> {
        self.blastn.check()
    }

    fn shares_few_queues(&self) -> bool {
        true
    }

    fn run(&self) -> Result<()> {
        blastn::run(&self.blastn)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn the_command_lines_are_consistent() {
        Gpualign::definition().debug_assert();
        Mapping::command().debug_assert();
        Woodstocc::definition().debug_assert();
        NwBatch::definition().debug_assert();
        BlastnPipeline::definition().debug_assert();
    }

    #[test]
    fn the_last_operand_is_the_reference() {
        for words in [
            ["gpualign", "a.fq", "-", "b.fq", "ref.fa", "-k", "0"],
            ["gpualign", "a.fq", "-k", "0", "-", "b.fq", "ref.fa"],
            ["gpualign", "-k", "0", "a.fq", "-", "b.fq", "ref.fa"],
            ["gpualign", "a.fq", "-", "b.fq", "-k", "0", "ref.fa"],
        ] {
            let line = Gpualign::parse_from(words);
            let files = line.files.expect("mapping is meant");
            assert_eq!(files.reads(), ["a.fq", "-", "b.fq"].map(PathBuf::from));
            assert_eq!(files.reference(), Path::new("ref.fa"));
            assert!(line.command.is_none());
        }
    }

    #[test]
    fn a_reference_alone_is_refused() {
        let line = Gpualign::parse_from(["gpualign", "ref.fa"]);
        let problem = line.check().expect_err("has no reads");
        assert!(problem.contains("'ref.fa' is the only one"), "{problem}");
    }

    #[test]
    fn commands_need_no_reads() {
        let line = Gpualign::parse_from(["gpualign", "index", "ref.fa", "-t", "2"]);
        assert!(line.files.is_none());
        assert!(matches!(line.command, Some(Command::Index(index)) if index.threads.count() == 2));
    }

    #[test]
    fn an_error_shows_the_usage_of_its_subcommand() {
        let mut definition = Gpualign::definition();
        let words = ["gpualign", "nw", "pairs", "a.fa", "b.fa"];
        let matches = definition.clone().get_matches_from(words);
        let used = used_command(&mut definition, &matches);
        let usage = used.render_usage().to_string();
        assert!(usage.starts_with("Usage: gpualign nw pairs "), "{usage}");
    }
}
