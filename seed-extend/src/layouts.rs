//! Test that the structs shared with the kernels have the same layout in Rust and CUDA.

use std::path::Path;

use aligner_core::gpu::{DeviceStruct, LayoutHeader};

use crate::chain::chains::Chain;
use crate::chain::context::{ChainParameters, ChainThresholds};
use crate::chain::gpu::parameters::{
    FindCodesParameters, FindCountsParameters, FindOrderParameters, FindOutscoredParameters,
    FindPlacesParameters, FindSumsParameters, FindTallyParameters, FindTotalsParameters,
    FindWholeMatchesParameters,
};
use crate::chain::items::{ChainCounts, RankedChain, SelectedChains};
use crate::chain::outscored::OutscoringRules;
use crate::extend::alignments::{AlignmentSpan, TaskAlignment};
use crate::extend::columns::Prediction;
use crate::extend::gpu::costs::AlignmentCosts;
use crate::extend::gpu::parameters::{
    AlignmentParameters, ExtendEndParameters, ExtendOrderParameters, ExtendPairParameters,
    ExtendScoreParameters, ExtendTallyParameters,
};
use crate::extend::gpu::plan::WidthPlace;
use crate::extend::task_group::TaskGroup;
use crate::extend::tasks::{AlignmentEnd, AlignmentTask};
use crate::pair::gpu::parameters::MatesParameters;
use crate::pair::mate_window::MateWindow;
use crate::read::queries::PackedQueries;
use crate::region::gpu::parameters::{
    FoundRegion, RankingRules, RegionsOfChainsParameters, RegionsRankParameters,
};
use crate::seed::context::SeedParameters;
use crate::seed::growing_word::GrowingWord;
use crate::seed::seeds::{Seed, SeedOptions};
use crate::seed::stages::SeedSearches;

#[test]
fn layouts_are_those_of_the_kernels() {
    let header = LayoutHeader {
        namespace: "seed_extend",
        includes: &[
            "seed_extend/extend.cuh",
            "seed_extend/find.cuh",
            "seed_extend/mates.cuh",
            "seed_extend/regions.cuh",
        ],
        structs: &[
            PackedQueries::LAYOUT,
            Seed::LAYOUT,
            SeedOptions::LAYOUT,
            SeedSearches::LAYOUT,
            GrowingWord::LAYOUT,
            SeedParameters::LAYOUT,
            Chain::LAYOUT,
            ChainThresholds::LAYOUT,
            ChainCounts::LAYOUT,
            SelectedChains::LAYOUT,
            RankedChain::LAYOUT,
            ChainParameters::LAYOUT,
            FindCodesParameters::LAYOUT,
            FindTallyParameters::LAYOUT,
            FindPlacesParameters::LAYOUT,
            FindCountsParameters::LAYOUT,
            FindTotalsParameters::LAYOUT,
            FindSumsParameters::LAYOUT,
            FindOrderParameters::LAYOUT,
            OutscoringRules::LAYOUT,
            FindOutscoredParameters::LAYOUT,
            FindWholeMatchesParameters::LAYOUT,
            MateWindow::LAYOUT,
            MatesParameters::LAYOUT,
            AlignmentCosts::LAYOUT,
            Prediction::LAYOUT,
            AlignmentTask::LAYOUT,
            AlignmentEnd::LAYOUT,
            AlignmentSpan::LAYOUT,
            TaskGroup::LAYOUT,
            TaskAlignment::LAYOUT,
            AlignmentParameters::LAYOUT,
            ExtendScoreParameters::LAYOUT,
            ExtendEndParameters::LAYOUT,
            ExtendOrderParameters::LAYOUT,
            WidthPlace::LAYOUT,
            ExtendTallyParameters::LAYOUT,
            ExtendPairParameters::LAYOUT,
            FoundRegion::LAYOUT,
            RegionsOfChainsParameters::LAYOUT,
            RankingRules::LAYOUT,
            RegionsRankParameters::LAYOUT,
        ],
    };
    let path = "cuda/include/seed_extend/layouts.cuh";
    header.check(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
}
