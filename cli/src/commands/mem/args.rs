//! The command line of `bwa mem` (0.7.17).

use std::path::{Path, PathBuf};

use aligner_core::DeviceSelection;
use clap::{ArgAction, Args, Parser, ValueHint};

use super::header_lines;
use crate::commands::map::args::{MapOptions, OptionsOfMem};
use crate::commands::map::numbers::{
    GivenInsertSizes, Numbers, NumbersOfMem, OneOrTwo, parse_seed_length,
};
use crate::options::{MappingFiles, Messages, ShardOptions, Threads};
use crate::output::record::best::Alternatives;
use crate::output::{Format, ReadGroup};

const ALGORITHM: &str = "Algorithm, as in bwa mem";
const SCORING: &str = "Scoring, as in bwa mem";
const IN_AND_OUT: &str = "Input and output, as in bwa mem";

const NOTES: &str = "\
REF is the FASTA file itself, not a prefix of files of bwa index. Its own index, REF.gpx, is made once by gpualign index REF; without it, each run builds one in memory.

Examples:
  gpualign mem -t 16 -R '@RG\\tID:x\\tSM:y' ref.fa 1.fq.gz 2.fq.gz | samtools sort -o out.bam
      In bwa's place. Without -t, all cores are used.
  gpualign --sort --mark-duplicates -R '@RG\\tID:x\\tSM:y' 1.fq.gz 2.fq.gz ref.fa -o out.bam
      The same in one step, with duplicates marked and an index: see gpualign --help.";

/// bwa's X-dropoff, and the least one that is accepted. bwa extends an alignment from a seed, row after row, and ends it
/// where the best score of a row is so much less than that of an earlier one. Here the matrix of a read and a band has
/// no seed to extend from: its rows also hold alignments that begin later, and the best one is known only from all of
/// them. So alignments are never ended early, as with a dropoff that is never reached.
const DROPOFF: i32 = 100;

/// The type of reads that is accepted: contigs of the same species.
const CONTIGS: &str = "intractg";

/// The options and files of `gpualign mem`.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    override_usage = "gpualign mem [OPTIONS] <REF> <READS> [MATES]",
    after_help = NOTES
)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct MemArguments {
    /// The reference (FASTA), then one file of reads, or two with the mates of pairs (- is standard input)
    #[arg(required = true, num_args = 1.., value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Bases of the shortest seed [default: 19]
    #[arg(short = 'k', value_name = "INT", help_heading = ALGORITHM, value_parser = parse_seed_length)]
    min_seed_length: Option<u32>,
    /// Band width, 2 to 1000 [default: 100]
    #[arg(short = 'w', value_name = "INT", help_heading = ALGORITHM,
        value_parser = clap::value_parser!(u32).range(2..=1000))]
    band_width: Option<u32>,
    /// X-dropoff, at least 100: it changes nothing, since alignments are not ended early [default: 100]
    #[arg(short = 'd', value_name = "INT", help_heading = ALGORITHM)]
    dropoff: Option<i32>,
    /// Look for seeds inside a seed longer than -k times FLOAT [default: 1.5]
    #[arg(short = 'r', value_name = "FLOAT", help_heading = ALGORITHM, value_parser = parse_factor)]
    split_factor: Option<f32>,
    /// In a third round, look for seeds with fewer than INT occurrences [default: 20]
    #[arg(short = 'y', value_name = "INT", help_heading = ALGORITHM,
        value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    rare_occurrences: Option<u32>,
    /// Locate at most INT occurrences of a seed [default: 500]
    #[arg(short = 'c', value_name = "INT", help_heading = ALGORITHM,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_occurrences: Option<u32>,
    /// Drop chains shorter than this fraction of the longest one that overlaps [default: 0.5]
    #[arg(short = 'D', value_name = "FLOAT", help_heading = ALGORITHM, value_parser = parse_fraction)]
    drop_ratio: Option<f32>,
    /// Discard chains of fewer seeded bases [default: 0]
    #[arg(short = 'W', value_name = "INT", help_heading = ALGORITHM,
        value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    min_chain_weight: Option<u32>,
    /// Search for the mate of a read around at most INT of its regions [default: 50]
    #[arg(short = 'm', value_name = "INT", help_heading = ALGORITHM,
        value_parser = clap::value_parser!(u32).range(0..=100_000))]
    max_rescues: Option<u32>,
    /// Skip mate rescue
    #[arg(short = 'S', help_heading = ALGORITHM)]
    skips_rescue: bool,
    /// Skip pairing
    #[arg(short = 'P', help_heading = ALGORITHM)]
    skips_pairing: bool,

    /// Score of a match, which scales -T, -B, -O, -E, -L and -U unless these are given [default: 1]
    #[arg(short = 'A', value_name = "INT", help_heading = SCORING)]
    match_score: Option<i32>,
    /// Penalty of a mismatch [default: 4]
    #[arg(short = 'B', value_name = "INT", help_heading = SCORING)]
    mismatch_penalty: Option<i32>,
    /// Penalty of opening a gap: of deletions and insertions, or one for both [default: 6]
    #[arg(short = 'O', value_name = "INT[,INT]", help_heading = SCORING)]
    gap_open: Option<OneOrTwo>,
    /// Penalty of each column of a gap: of deletions and insertions, or one for both [default: 1]
    #[arg(short = 'E', value_name = "INT[,INT]", help_heading = SCORING)]
    gap_extend: Option<OneOrTwo>,
    /// Penalty of clipping a read at its 5' and its 3' end, or one for both [default: 5]
    #[arg(short = 'L', value_name = "INT[,INT]", help_heading = SCORING)]
    clip_penalty: Option<OneOrTwo>,
    /// Penalty of a pair that is not proper [default: 17]
    #[arg(short = 'U', value_name = "INT", help_heading = SCORING,
        value_parser = clap::value_parser!(i32).range(0..=100_000))]
    unpaired_penalty: Option<i32>,
    /// Type of reads: intractg for contigs of the same species (-B9 -O16 -L5); minimap2 maps long reads
    #[arg(short = 'x', value_name = "STR", help_heading = SCORING)]
    read_type: Option<String>,

    /// Smart pairing: mates follow each other in one file, with reads without mates among them; MATES is ignored
    #[arg(short = 'p', help_heading = IN_AND_OUT)]
    is_interleaved: bool,
    /// Read group header line, such as '@RG\tID:x\tSM:y'
    #[arg(short = 'R', value_name = "STR", help_heading = IN_AND_OUT)]
    read_group: Option<ReadGroup>,
    /// Insert STR into the header if it begins with @, else the lines of a file
    #[arg(short = 'H', value_name = "STR/FILE", action = ArgAction::Append, help_heading = IN_AND_OUT)]
    header: Vec<String>,
    /// Write to FILE: BAM if its name ends in .bam, CRAM if in .cram, and SAM with any other name [default: SAM to standard output]
    #[arg(short = 'o', value_name = "FILE", help_heading = IN_AND_OUT, value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Treat ALT contigs, which the file REF.alt beside the reference names, as all others
    #[arg(short = 'j', help_heading = IN_AND_OUT)]
    ignores_alt: bool,
    /// The leftmost part of a split read is primary; implies -q
    #[arg(short = '5', help_heading = IN_AND_OUT)]
    is_leftmost_primary: bool,
    /// Do not lower the mapping quality of supplementary alignments
    #[arg(short = 'q', help_heading = IN_AND_OUT)]
    keeps_supplementary_mapq: bool,
    /// Bases of a batch: accepted, but the output never depends on batches
    #[arg(short = 'K', value_name = "INT", help_heading = IN_AND_OUT)]
    batch_bases: Option<u64>,
    /// Messages: 1 for errors, 2 for warnings, 3 for messages, 4 for what was done [default: 3]
    #[arg(short = 'v', value_name = "INT", help_heading = IN_AND_OUT)]
    verbosity: Option<u8>,
    /// Minimum score of an alignment that is reported [default: 30]
    #[arg(short = 'T', value_name = "INT", help_heading = IN_AND_OUT,
        value_parser = clap::value_parser!(i32).range(0..=100_000_000))]
    min_score: Option<i32>,
    /// The most alternatives in XA; the second number counts if one is on an ALT contig [default: 5,200]
    #[arg(short = 'h', value_name = "INT[,INT]", help_heading = IN_AND_OUT)]
    max_alternatives: Option<OneOrTwo>,
    /// Report all alignments of reads that are single or not properly paired
    #[arg(short = 'a', help_heading = IN_AND_OUT)]
    reports_all: bool,
    /// Append the comments of reads, which must be tags, to records
    #[arg(short = 'C', help_heading = IN_AND_OUT)]
    comments: bool,
    /// Write the description of the contig to the tag XR
    #[arg(short = 'V', help_heading = IN_AND_OUT)]
    has_descriptions: bool,
    /// Soft clips in supplementary alignments
    #[arg(short = 'Y', help_heading = IN_AND_OUT)]
    clips_softly: bool,
    /// Flag supplementary alignments as secondary
    #[arg(short = 'M', help_heading = IN_AND_OUT)]
    marks_parts_secondary: bool,
    /// Insert sizes: mean, standard deviation, longest and shortest [default: estimated]
    #[arg(short = 'I', value_name = "FLOAT[,FLOAT[,INT[,INT]]]", help_heading = IN_AND_OUT)]
    insert_size: Option<GivenInsertSizes>,

    /// Where to map: auto, cpu, cuda, cuda:N, several GPUs as in cuda:0,2 or cuda:all
    #[arg(long, default_value_t, help_heading = "Resources")]
    device: DeviceSelection,
    #[command(flatten)]
    threads: Threads,
    /// Use the index in FILE, which gpualign index made of this reference [default: REF.gpx if it exists]
    #[arg(long, value_name = "FILE", help_heading = "Resources", value_hint = ValueHint::FilePath)]
    index: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardOptions,
    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

/// A number from 0 to 1.
fn parse_fraction(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "the number must be from 0 to 1".to_owned())
}

/// A factor of the length of seeds.
fn parse_factor(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (1.0..=1000.0).contains(number));
    number.ok_or_else(|| "the number must be from 1 to 1000".to_owned())
}

/// The options of mapping with their defaults.
#[derive(Debug, Parser)]
struct Defaults {
    #[command(flatten)]
    options: MapOptions,
}

impl MemArguments {
    /// The files of reads that are mapped.
    fn reads(&self) -> &[PathBuf] {
        let reads = self.files.get(1..).unwrap_or_default();
        // As in bwa, smart pairing is of one file.
        if self.is_interleaved { reads.get(..1).unwrap_or_default() } else { reads }
    }

    fn reference(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The files as mapping takes them.
    pub fn mapping_files(&self) -> MappingFiles {
        MappingFiles::new(self.reads().to_vec(), self.reference().to_owned())
    }

    /// Checks combinations of options.
    ///
    /// # Errors
    /// Names the option that cannot be honoured, and the way out.
    pub fn check(&self) -> Result<(), String> {
        let only = |is_given: bool, reason: &str| {
            if is_given { Err(reason.to_owned()) } else { Ok(()) }
        };
        match self.read_type.as_deref() {
            None | Some(CONTIGS) => {}
            Some(name @ ("pacbio" | "pbref" | "ont2d")) => {
                return Err(format!(
                    "-x {name} is not available, since long reads with many errors are not mapped here: use minimap2 \
                     (-ax map-pb, map-hifi or map-ont)"
                ));
            }
            Some(name) => {
                return Err(format!(
                    "-x {name} is not a type of reads: give {CONTIGS}, or leave it out"
                ));
            }
        }
        only(
            self.dropoff.is_some_and(|dropoff| dropoff < DROPOFF),
            "-d cannot be less than 100: reads are aligned as a whole, not extended from a seed, so that alignments are \
             not ended early; leave it out",
        )?;
        let files = self.files.len();
        if !(2..=3).contains(&files) {
            let given = if files == 1 { "is 1 file" } else { &format!("are {files} files") };
            return Err(format!(
                "a reference and one or two files of reads are needed, in this order, but there {given}: \
                 gpualign mem REF READS [MATES]"
            ));
        }
        self.mapping_files().check()?;
        self.options()?.check_with(self.reads())
    }

    /// The lines of the header; their files are read once, since they may be pipes.
    ///
    /// # Errors
    /// If lines are wrong, or cannot be read.
    pub fn header(&self) -> Result<Vec<String>, String> {
        let lines: Vec<Vec<String>> =
            self.header.iter().map(|value| header_lines::lines(value)).collect::<Result<_, _>>()?;
        let lines = lines.concat();
        header_lines::check_together(&lines, self.read_group.as_ref())?;
        Ok(lines)
    }

    /// What a user should know about the options.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.batch_bases.is_some() && self.verbosity.is_some_and(|verbosity| verbosity >= 3) {
            notes.push("-K changes nothing: the output never depends on batches".to_owned());
        }
        if let (true, [_, _, second]) = (self.is_interleaved, self.files.as_slice()) {
            notes.push(format!("-p: the second file of reads, {}, is ignored", second.display()));
        }
        notes
    }

    /// The options of mapping, without the lines of the header.
    ///
    /// # Errors
    /// If a number of alternatives is negative.
    pub fn options(&self) -> Result<MapOptions, String> {
        let Defaults { mut options } =
            Defaults::try_parse_from(["gpualign"]).map_err(|error| error.to_string())?;
        let max_rescues = self.max_rescues.map(|most| most as usize);
        // The numbers of a type of reads are not scaled by the score of a match, as in bwa.
        let of_type = |given: Option<i32>, of_contigs: i32| {
            given.or_else(|| self.read_type.is_some().then_some(of_contigs))
        };
        let both_of_type = |given: Option<OneOrTwo>, of_contigs: i32| {
            given.or_else(|| self.read_type.is_some().then_some(OneOrTwo::one(of_contigs)))
        };
        options.best.numbers = Numbers {
            match_score: self.match_score,
            mismatch_penalty: of_type(self.mismatch_penalty, 9),
            gap_open: both_of_type(self.gap_open, 16),
            gap_extend: both_of_type(self.gap_extend, 1),
            clip_penalty: both_of_type(self.clip_penalty, 5),
            unpaired_penalty: of_type(self.unpaired_penalty, 17),
            min_score: of_type(self.min_score, 30),
            min_seed_length: self.min_seed_length,
            insert_size: self.insert_size,
            of_mem: NumbersOfMem {
                split_factor: self.split_factor,
                rare_occurrences: self.rare_occurrences,
                max_occurrences: self.max_occurrences,
                band_width: self.band_width,
                drop_ratio: self.drop_ratio,
                min_chain_weight: self.min_chain_weight,
                max_rescues: if self.skips_rescue { Some(0) } else { max_rescues },
                skips_pairing: self.skips_pairing,
                reports_all: self.reports_all,
                is_leftmost_primary: self.is_leftmost_primary,
                keeps_supplementary_mapq: self.keeps_supplementary_mapq,
            },
        };
        let alternatives = if self.reports_all { Alternatives::Records } else { Alternatives::Tag };
        options.best.alternatives = Some(alternatives);
        options.best.ignore_alt = self.ignores_alt;
        let most = |most: i32| usize::try_from(most).map_err(|_| "-h must not be negative");
        // One number is for both, as in bwa.
        let first = self.max_alternatives.map(|given| given.first);
        let second = self.max_alternatives.map(OneOrTwo::second_or_first);
        options.of_mem = OptionsOfMem {
            has_mixed_pairs: self.is_interleaved,
            trims_names: true,
            header: Vec::new(),
            max_alternatives: first.map(most).transpose()?,
            max_alternatives_with_alt: second.map(most).transpose()?,
            marks_parts_secondary: self.marks_parts_secondary,
            clips_softly: self.clips_softly,
            has_descriptions: self.has_descriptions,
        };
        // As in bwa, any other name is that of a file of SAM.
        let of_name = self.output.as_deref().and_then(Format::of);
        options.shard = self.shard;
        if options.shard.shard.is_none() {
            options.output_format = Some(of_name.unwrap_or(Format::Sam));
        }
        options.output.clone_from(&self.output);
        options.read_group = self.read_group.iter().cloned().collect();
        options.comments = self.comments;
        options.device = self.device.clone();
        options.index.clone_from(&self.index);
        options.threads = self.threads;
        let verbosity = self.verbosity.unwrap_or(3);
        options.messages = Messages { verbose: verbosity >= 4, quiet: verbosity <= 1 };
        Ok(options)
    }
}
