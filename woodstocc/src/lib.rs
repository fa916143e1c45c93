//! All mapping: finds *every* place of a reference that matches a read with up to `k` differences.
//!
//! Mappers such as razers3, yara and mrFAST do the same. It is what studies of repeats, copy numbers or off-target
//! sites need, where the best place of a read (crate `seed-extend`) is not enough. The crate began as WOODSTOCC (S. V.
//! Cole, dissertation, 2017, chapter 2), dynamic programming over the virtual suffix trie of the reference, and has
//! faster searches that find the same.
//!
//! ```
//! use std::sync::Arc;
//!
//! use aligner_core::Device;
//! use fm_index::{BuildOptions, FmIndex, Reference};
//! use woodstocc::{Mapper, Params, Read, Report};
//!
//! let contigs = [("chr1", "GATTACATTGACCGTAGGCATCAGATTACATCGACC"), ("chr2", "TTTGGTCAATGTAAACC")];
//! let reference = Reference::from_records(contigs)?;
//! let index = Arc::new(FmIndex::build(reference, &BuildOptions::default())?);
//!
//! let params = Params { k: 1, report: Report::All, ..Params::default() };
//! let mapper = Mapper::new(Arc::clone(&index), params, Device::Cpu)?;
//! let mappings = mapper.map(&[Read { name: b"read1", sequence: b"TTACATTGACC" }])?;
//!
//! for locus in mappings[0].alignments() {
//!     let contig = &index.reference().contigs()[locus.contig as usize];
//!     println!("{}:{} {:?}, {} differences", contig.name, locus.start + 1, locus.strand, locus.distance);
//! }
//! assert_eq!(mappings[0].total, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a match is
//!
//! For a read `r`, a contig `T`, a threshold `k` and a strand, `d(p)` is the least edit distance between `r` (its
//! reverse complement on the reverse strand) and any string `T[p..e)`. A base other than A, C, G or T matches nothing,
//! in read or reference. Start `p` is a *match* if `d(p) <= k`. A *locus* is a maximal run of matches whose neighbours
//! are at most `max(k, 1)` apart, represented by its match of least distance. All matches are found, on both strands,
//! whatever the read and however often it occurs. A read of no more than `k` bases matches everywhere; an empty read is
//! unaligned.
//!
//! # Design
//!
//! ```text
//!  reads --> queries --> search for each query, by the strategy of least cost:
//!  (both strands)
//!                  filter   k + 1 pieces -> exact occurrences  -> banded matrices -> windows of match starts
//!                  scheme   words with few differences, until rare -> banded matrices -> windows
//!                  trie     walk down the suffix trie -> hits -> suffix-array rows -> located match starts
//!                  scan     the whole reference, for the shortest reads
//!                       |
//!                       v
//!            match starts --> matches --> loci --> primary locus, mapping quality --> alignments
//!                        verified near N       representatives                       traceback
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`read`] | reads, and the two queries of each |
//! | [`trie`] | search of the virtual suffix trie, on the CPU and on a GPU (as *pods*, or *separate lists* for comparison) |
//! | [`filter`] | a whole search, not a filter of results: exact occurrences of pieces (the pigeonhole principle), verified |
//! | [`scheme`] | search by search schemes on the bidirectional index, on the streaming runtime |
//! | [`verify`] | banded matrices near candidates of filter and schemes |
//! | [`scan`] | search of the whole reference, for reads that nearly everything matches |
//! | [`cost`] | the strategy of least cost for reads of a length |
//! | [`locus`] | match starts, matches, loci and mapping quality |
//! | [`alignment`] | alignments at loci |
//! | [`gpu`] | the index and all kernels on a GPU |
//! | [`mapper`], [`resolver`] | the steps from reads to mappings |
//! | [`params`], [`error`], [`stats`] | parameters, errors and counters of a mapper |
//! | [`oracle`] | the definitions by brute force, for tests |

pub mod alignment;
pub mod cost;
pub mod error;
pub mod filter;
pub mod gpu;
pub mod locus;
pub mod mapper;
pub mod oracle;
pub mod params;
pub mod read;
pub mod resolver;
pub mod scan;
pub mod scheme;
pub mod stats;
pub mod trie;
pub mod verify;

pub use alignment::mapping::{Alignment, AlignmentPath, Mapping};
pub use alignment::ungapped::UngappedPath;
pub use cost::StrategyChoice;
pub use error::MapError;
pub use locus::match_starts::{MatchStarts, SearchResults};
pub use mapper::{Mapper, ReadBatch};
pub use params::{MAX_BATCH_BASES, MAX_K, MAX_READ, MAX_TRIE_K, Params, Report, Strategy};
pub use read::{Read, Strand};
pub use resolver::{ReadLoci, Resolver};
pub use stats::{FilterStats, SchemeStats, Stats};

#[cfg(test)]
mod layouts {
    use std::path::Path;

    use aligner_core::gpu::{DeviceStruct, LayoutHeader};

    use crate::filter::gpu::CutParameters;
    use crate::filter::stages::{FilterDeviceContext, PieceCandidate, PieceSeed, QueryPiece};
    use crate::scheme::branch::Branch;
    use crate::scheme::plan::{PieceRun, SearchPlan};
    use crate::scheme::stages::{
        BranchStack, SchemeCandidate, SchemeCounts, SchemeDeviceContext, SchemeSeed, SearchId,
    };
    use crate::trie::bound::SuffixBound;
    use crate::trie::hit::TrieHit;
    use crate::trie::pods::run::PrepareParameters;
    use crate::trie::pods::stage::{TrieDeviceContext, TrieNode, TrieQuery, TrieUnit};
    use crate::trie::separate_lists::{SeparateListsParameters, SeparateListsTotals};
    use crate::verify::Window;

    #[test]
    fn structs_shared_with_kernels_have_the_same_layout() {
        let header = LayoutHeader {
            namespace: "woodstocc",
            includes: &[
                "woodstocc/filter/stages.cuh",
                "woodstocc/scheme/stages.cuh",
                "woodstocc/trie/separate_lists.cuh",
                "woodstocc/trie/pods/structs.cuh",
                "woodstocc/verify/window.cuh",
            ],
            structs: &[
                SuffixBound::LAYOUT,
                TrieHit::LAYOUT,
                SeparateListsParameters::LAYOUT,
                SeparateListsTotals::LAYOUT,
                TrieQuery::LAYOUT,
                TrieUnit::LAYOUT,
                TrieNode::LAYOUT,
                TrieDeviceContext::LAYOUT,
                PrepareParameters::LAYOUT,
                Window::LAYOUT,
                CutParameters::LAYOUT,
                FilterDeviceContext::LAYOUT,
                QueryPiece::LAYOUT,
                PieceSeed::LAYOUT,
                PieceCandidate::LAYOUT,
                PieceRun::LAYOUT,
                SearchPlan::LAYOUT,
                Branch::LAYOUT,
                BranchStack::LAYOUT,
                SearchId::LAYOUT,
                SchemeSeed::LAYOUT,
                SchemeCandidate::LAYOUT,
                SchemeCounts::LAYOUT,
                SchemeDeviceContext::LAYOUT,
            ],
        };
        header.check(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/woodstocc/layouts.cuh"),
        );
    }
}
