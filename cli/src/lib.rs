//! The program `gpualign` as a library: it aligns sequencing reads to a reference on CPUs and NVIDIA GPUs.
//!
//! The programs of this package are a line each; [`gpualign`], [`woodstocc()`], [`nw_batch()`] and [`blastn_pipeline()`] are
//! their main functions. Other programs use the modules that are public here: reading files of sequencing reads,
//! finding or building the index of a reference, common options, messages and charts. With the crate `seed-extend`
//! (best mapping; `woodstocc` for all mapping) that is a mapper of reads, from file to file:
//!
//! ```
//! use std::fs::{self, File};
//! use std::io::{BufWriter, Write};
//! use std::path::{Path, PathBuf};
//!
//! use aligner_core::Device;
//! use gpualign::console::Console;
//! use gpualign::index;
//! use gpualign::input::{self, Lane};
//! use gpualign::options::Messages;
//! use seed_extend::read::queries::Queries;
//! use seed_extend::{Mapper, Options, tie_breaker};
//!
//! /// Writes a line for each read that maps: its name, contig, position from 1, and mapping quality.
//! fn map(reads: PathBuf, reference: &Path, output: &Path) -> anyhow::Result<()> {
//!     let console = Console::new(Messages { verbose: false, quiet: true });
//!     let index = index::open_or_build(reference, false, &console)?; // REF.gpx, if there is one
//!     let mapper = Mapper::new(&index, Options::default(), &Device::Cpu)?;
//!     let mut output = BufWriter::new(File::create(output)?);
//!     // A thread reads the file, 1,000 reads at a time; the records of each batch are then found and checked.
//!     for batch in input::batches(vec![Lane::of_file(reads)], 1000).batches {
//!         let reads = batch.checked()?;
//!         let queries = Queries::new(reads.iter().map(|read| read.sequence));
//!         let tie_breakers = reads.iter().map(|read| tie_breaker(read.name, 0)).collect();
//!         let mapped = mapper.resolve_unpaired(mapper.find_regions(queries, tie_breakers));
//!         for (number, read) in reads.iter().enumerate() {
//!             let Some(primary) = mapped.primaries[number] else { continue };
//!             let region = mapped.regions.of(number)[primary.region];
//!             let segment = mapper.segments().get(region.segment);
//!             let contig = &index.reference().contigs()[segment.contig as usize].name;
//!             let (name, position) = (String::from_utf8_lossy(read.name), segment.in_contig(region.begin) + 1);
//!             writeln!(output, "{name}\t{contig}\t{position}\t{}", primary.mapq)?;
//!         }
//!     }
//!     Ok(output.flush()?)
//! }
//!
//! # fn main() -> anyhow::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let [reads, reference, output] = ["reads.fq", "ref.fa", "out.tsv"].map(|name| folder.path().join(name));
//! # let mut random = fastrand::Rng::with_seed(1);
//! # let genome: String = (0..4_000).map(|_| ['A', 'C', 'G', 'T'][random.usize(..4)]).collect();
//! # fs::write(&reference, format!(">chr1\n{genome}\n"))?;
//! # let other = "AC".repeat(50);
//! # fs::write(&reads, format!(">one\n{}\n>two\n{other}\n", &genome[700..800]))?;
//! map(reads, &reference, &output)?;
//! assert_eq!(fs::read_to_string(&output)?, "one\tchr1\t701\t60\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//!
//! ```text
//!   READS --input--> batches of reads --commands::map--> records --output--> FILE, through staging
//!   REF or REF.gpx --index--> FmIndex ------^
//! ```
//!
//! The way of reads to BAM, in the modules of the program:
//!
//! ```text
//!   input::batches             text of whole records, in order; ReadBatch::checked makes it Reads
//!   commands::map::best        Reads to MappedReads, by seed-extend: threads of each device pull batches
//!   output::record::best       a MappedReads to records: flags, CIGAR, mates, MD, NM, XS, SA
//!   output::hts                the records in htslib's form, on all threads
//!   output::sort               with --sort: sorted runs in temporary files, merged by coordinate
//!   staging                    the complete file, and its index, get their names
//! ```
//!
//! | module | concept |
//! |---|---|
//! | `shard` | parts of a run, and their files |
//! | [`options`] | options that several commands have in common |
//! | [`console`] | notices and progress on standard error |
//! | `iupac` | letters of nucleotides, their complements and their codes |
//! | `tag_text` | tags of records as text |
//! | `staging` | which files may be written, and files that get their name only when they are complete |
//! | `hts` | files of htslib: opening, reading, statuses |
//! | `timeline` | when each step of each batch was done |
//! | [`chart`] | lines and bars as SVG |
//! | [`input`] | files of reads to checked batches of reads |
//! | [`index`] | finding or building the index of a reference |
//! | `on_device` | a GPU, or the CPU where it fails; how the driver begins |
//! | `output` | records to SAM, BAM and CRAM |
//! | `commands` | a folder or file for each command: its options, and what it does |
//! | [`library`] | alignments and rows of searches for other programs |
//! | `command_line` | the command line of each program, and which command it runs |
//! | `workers` | threads that share the inputs of a stage, with results in order |
//! | `bus_error` | faults in mapped files, as errors like all others |
//! | `program` | the frame of every program: interrupts, faults, the error line, the exit code |
//! | `allocation` | the allocator of the programs |
//!
//! Each module imports only modules above it in this table. Reading, searching, making records and writing overlap:
//! several threads have a batch each, and the results are put in the order of the input (`commands::map`). So the
//! output does not depend on the number of threads, on the batch size or on devices.
//!
//! The exit code is 0, 2 for a wrong command line or a database of blastn that cannot be opened, 130 if interrupted, 101 for a fault of the program, and 1 for every
//! other error, which is printed in one line on standard error. A reader of standard output that goes away (as `head` does) is no error.

mod allocation;
mod bus_error;
pub mod chart;
mod command_line;
mod commands;
pub mod console;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod hts;
pub mod index;
pub mod input;
mod iupac;
pub mod library;
mod on_device;
pub mod options;
mod output;
mod program;
mod shard;
mod staging;
mod tag_text;
mod timeline;
mod workers;

use std::env;

use self::command_line::{BlastnPipeline, CommandLine, Gpualign, NwBatch, Woodstocc};

pub use self::allocation::ProgramAllocator;
pub use self::commands::blastn::read_queries;
pub use self::library::open_database;
pub use self::program::run_program;

/// The program `gpualign`: maps reads, or runs one of its commands.
pub fn gpualign() -> ! {
    main_of::<Gpualign>("gpualign")
}

/// The program `woodstocc`: `gpualign --mode all`.
pub fn woodstocc() -> ! {
    main_of::<Woodstocc>("woodstocc")
}

/// The program `nw-batch`: `gpualign nw`.
pub fn nw_batch() -> ! {
    main_of::<NwBatch>("nw-batch")
}

/// The program `blastn-pipeline`: `gpualign blastn`.
pub fn blastn_pipeline() -> ! {
    main_of::<BlastnPipeline>("blastn-pipeline")
}

fn main_of<L: CommandLine>(name: &'static str) -> ! {
    match command_line::parse::<L>(env::args_os().collect()) {
        Ok(line) => {
            if line.shares_few_queues() {
                #[allow(unsafe_code)]
                // SAFETY: parsing a command line starts no thread, and uses no driver.
                unsafe {
                    on_device::share_few_queues();
                }
            }
            run_program(name, || line.run())
        }
        Err(asked) => run_program(name, || staging::print_with(|| asked.print())),
    }
}
