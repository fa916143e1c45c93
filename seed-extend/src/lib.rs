//! Best mapping of short reads: finds where each read, or each pair of reads, most likely comes from, with mapping
//! qualities like those of `bwa mem` (Li, arXiv:1303.3997), on the CPU or a GPU.
//!
//! ```
//! use aligner_core::Device;
//! use aligner_core::seq::{decode, encode_all, reverse_complement};
//! use fm_index::{BuildOptions, FmIndex, Reference};
//! use seed_extend::read::queries::{Queries, is_reverse};
//! use seed_extend::{Mapper, Options, tie_breaker};
//!
//! // A reference of random bases, and two reads of it: of the forward strand, and of the reverse strand.
//! let mut random = fastrand::Rng::with_seed(1);
//! let genome: Vec<u8> = (0..4_000).map(|_| b"ACGT"[random.usize(..4)]).collect();
//! let reverse = reverse_complement(&encode_all(&genome[2_500..2_600]));
//! let reads = [genome[700..800].to_vec(), reverse.into_iter().map(decode).collect()];
//!
//! let reference = Reference::from_records([("chr1", &genome)])?;
//! let index = FmIndex::build(reference, &BuildOptions::default())?;
//! let mapper = Mapper::new(&index, Options::default(), &Device::Cpu)?;
//! let tie_breakers = ["read 1", "read 2"].map(|name| tie_breaker(name.as_bytes(), 0));
//! let queries = Queries::new(reads.iter().map(Vec::as_slice));
//! let mapped = mapper.resolve_unpaired(mapper.find_regions(queries, tie_breakers.to_vec()));
//! for (read, primary) in mapped.primaries.iter().enumerate() {
//!     let Some(primary) = primary else { continue };
//!     let region = mapped.regions.of(read)[primary.region];
//!     let segment = mapper.segments().get(region.segment);
//!     let contig = &index.reference().contigs()[segment.contig as usize].name;
//!     let position = segment.in_contig(region.begin) + 1; // in the contig, from 1 as in SAM
//!     let strand = if is_reverse(region.query) { '-' } else { '+' };
//!     let runs = mapper.runs(&mapped.regions, &region, &reads[read]);
//!     let cigar: String = runs.iter().map(ToString::to_string).collect();
//!     println!("read {read}: {contig}:{position} ({strand}) {cigar}, quality {}", primary.mapq);
//! }
//! # let begins = [0, 1].map(|read| mapped.regions.of(read)[0].begin);
//! # assert_eq!(begins, [700, 2_500]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! Seeds say where a read may come from, extensions say how well it aligns there, and its mate says which of several
//! places is meant. Each step is a method of [`Mapper`] that turns a batch of reads into its next form. Nothing is kept
//! between batches except the insert sizes of the library, which are estimated once a run.
//!
//! ```text
//!   reads (FASTQ)
//!     |  encode_reads        base codes of both strands, one a byte and packed
//!     v
//!   Queries
//!     |  find_chains         seeds: super-maximal exact matches in the FM-index    GPU or CPU
//!     |                      anchors: their occurrences in the text
//!     |                      chains: anchors that may belong to one alignment,
//!     v                      without those that another one outscores
//!   ChainedReads
//!     |  plan_alignments     chains with at most one difference, and outscored ones, become regions;
//!     v                      the others become alignment tasks                     CPU; GPU, in align
//!   AlignmentTasks
//!     |  align               the best alignment of each task in a band:            GPU or CPU
//!     v                      a SIMD lane a task, or a thread of a GPU for two
//!   AlignedReads
//!     |  rank                alignments become regions; which compete              CPU; GPU, in align
//!     v
//!   RankedReads ----- sample_pairs ----> Library: insert sizes, from the first pairs of the run
//!     |  rescue_mates        alignments where a mate is expected but missing       CPU, extensions also GPU
//!     v
//!   RescuedReads
//!     |  resolve_pairs       which regions belong together; mapping qualities      CPU
//!     v                      (single reads: resolve_unpaired, from RankedReads)
//!   MappedReads: what is reported of each read
//! ```
//!
//! [`Mapper::find_regions`] takes the steps from `find_chains` to `rank` in one call.
//!
//! | module | concept | comes from | what was changed |
//! |---|---|---|---|
//! | [`options`] | all options, with bwa's names | bwa | |
//! | [`mapper`] | the steps, for batches of reads | | |
//! | [`read`] | queries: reads in both orientations; comparing packed bases | | |
//! | [`seed`] | seeds, found on the streaming runtime | bwa's SMEMs | found from their ends (Gagie 2024) |
//! | [`chain`] | anchors and chains, on the CPU or a GPU | bwa's chains | bounded look back, so that warps can chain; outscored ones are not aligned |
//! | [`extend`] | the best alignment in a band of diagonals | bwa's extension | whole reads, many side by side |
//! | [`region`] | regions, ranking, mapping quality, what is reported | bwa's `mem_alnreg_t` | |
//! | [`pair`] | insert sizes, mate rescue, pairing | bwa's `mem_pe` | estimated once; rescue by words |
//!
//! The kernels in `cuda/` have the names of stages: `seeds.cu` and `chains.cu` find these, and `find.cu` counts and groups
//! what they find. `regions.cu` makes regions and alignment tasks of chains, and ranks the regions of each read. `extend.cu`
//! puts tasks into pairs, `fill.cu` fills the matrices of alignments, `walk.cu` walks back through them, and `extend.cu` brings
//! the alignments into the order of tasks; it also computes scores alone. A *region* is an alignment with its score and rank.
//!
//! Positions are those of the indexed text, in which other letters than A, C, G and T have stand-ins and long runs of
//! them are shortened; [`fm_index::Segments`] converts them to positions of contigs. So all devices align with the same
//! two bits a base. An alignment lies within one segment, so it never crosses the end of a contig or a run that was
//! shortened. `MD` and `NM` of a record are made from the reference's own letters.

pub mod chain;
pub mod extend;
#[cfg(test)]
mod layouts;
pub mod mapper;
pub mod options;
pub mod pair;
pub mod read;
pub mod region;
pub mod seed;
mod shares;

pub use mapper::{AlignedReads, ChainedReads, Mapper, RankedReads, tie_breaker};
pub use options::{Options, Parameters};
pub use pair::insert_size::{Library, LibrarySample};
pub use pair::mate_mapping::RescuedReads;
pub use region::alignment_tasks::AlignmentTasks;
pub use region::alt_contigs::AltContigs;
pub use region::mapped_reads::{MappedReads, PrimaryAlignment, ReportedRegion};
