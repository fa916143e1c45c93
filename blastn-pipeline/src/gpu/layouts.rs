//! Checks that the kernels' headers declare the shared structs as Rust does.

use std::path::Path;

use aligner_core::gpu::{DeviceStruct, LayoutHeader};

use crate::gpu::gapped::parameters::{
    AffineParameters, ExtensionSide, GreedyParameters, GreedyScores, GreedySideReach,
    GreedyTraceParameters, SideReach,
};
use crate::gpu::pairs::parameters::{
    ChosenPair, GatherParameters, GatheredHit, JudgeParameters, PairParameters, PairStrand,
    PairVerdict, QueryCountParameters, SideParameters, SortKey,
};
use crate::gpu::pairs::upper_bounds::UpperBoundParameters;
use crate::gpu::pipeline::diagonals::{DiagonalKey, DiagonalParameters};
use crate::gpu::pipeline::items::{
    ChunkSlice, ExtendedSeed, FoundWord, OneSidedExtension, PartialExtension, SeedHit,
    UnalignedSeed,
};
use crate::gpu::pipeline::lookup_tables::{FillLookupParameters, ListWordsParameters, ListedWord};
use crate::gpu::pipeline::tables::{DatabaseChunk, EightColumnScore, PipelineTables, QueryStrand};
use crate::ungapped::hits::{ChunkHit, UngappedHit};

#[test]
fn layouts() {
    let header = LayoutHeader {
        namespace: "blastn",
        includes: &[
            "blastn/hits.cuh",
            "blastn/pipeline/diagonals.cuh",
            "blastn/pipeline/lookup.cuh",
            "blastn/gapped/affine.cuh",
            "blastn/gapped/greedy.cuh",
            "blastn/pairs/pairs.cuh",
            "blastn/pairs/upper_bounds.cuh",
        ],
        structs: &[
            UngappedHit::LAYOUT,
            ChunkHit::LAYOUT,
            PairStrand::LAYOUT,
            DatabaseChunk::LAYOUT,
            QueryStrand::LAYOUT,
            EightColumnScore::LAYOUT,
            PipelineTables::LAYOUT,
            ChunkSlice::LAYOUT,
            FoundWord::LAYOUT,
            SeedHit::LAYOUT,
            ExtendedSeed::LAYOUT,
            UnalignedSeed::LAYOUT,
            OneSidedExtension::LAYOUT,
            PartialExtension::LAYOUT,
            DiagonalKey::LAYOUT,
            DiagonalParameters::LAYOUT,
            ExtensionSide::LAYOUT,
            SideReach::LAYOUT,
            AffineParameters::LAYOUT,
            GreedySideReach::LAYOUT,
            GreedyScores::LAYOUT,
            GreedyParameters::LAYOUT,
            GreedyTraceParameters::LAYOUT,
            SortKey::LAYOUT,
            PairVerdict::LAYOUT,
            ChosenPair::LAYOUT,
            GatheredHit::LAYOUT,
            QueryCountParameters::LAYOUT,
            PairParameters::LAYOUT,
            SideParameters::LAYOUT,
            JudgeParameters::LAYOUT,
            GatherParameters::LAYOUT,
            UpperBoundParameters::LAYOUT,
            ListedWord::LAYOUT,
            ListWordsParameters::LAYOUT,
            FillLookupParameters::LAYOUT,
        ],
    };
    header.check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/blastn/layouts.cuh"));
}
