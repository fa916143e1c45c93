// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <seed_extend/extend.cuh>
#include <seed_extend/find.cuh>
#include <seed_extend/mates.cuh>
#include <seed_extend/regions.cuh>

static_assert(sizeof(seed_extend::PackedQueries) == 32, "size of seed_extend::PackedQueries");
static_assert(offsetof(seed_extend::PackedQueries, words) == 0 && sizeof(seed_extend::PackedQueries::words) == 8,
              "seed_extend::PackedQueries::words");
static_assert(offsetof(seed_extend::PackedQueries, unknown) == 8 && sizeof(seed_extend::PackedQueries::unknown) == 8,
              "seed_extend::PackedQueries::unknown");
static_assert(offsetof(seed_extend::PackedQueries, word_offsets) == 16 && sizeof(seed_extend::PackedQueries::word_offsets) == 8,
              "seed_extend::PackedQueries::word_offsets");
static_assert(offsetof(seed_extend::PackedQueries, offsets) == 24 && sizeof(seed_extend::PackedQueries::offsets) == 8,
              "seed_extend::PackedQueries::offsets");

static_assert(sizeof(seed_extend::Seed) == 16, "size of seed_extend::Seed");
static_assert(offsetof(seed_extend::Seed, query) == 0 && sizeof(seed_extend::Seed::query) == 4,
              "seed_extend::Seed::query");
static_assert(offsetof(seed_extend::Seed, begin) == 4 && sizeof(seed_extend::Seed::begin) == 2,
              "seed_extend::Seed::begin");
static_assert(offsetof(seed_extend::Seed, length) == 6 && sizeof(seed_extend::Seed::length) == 2,
              "seed_extend::Seed::length");
static_assert(offsetof(seed_extend::Seed, first) == 8 && sizeof(seed_extend::Seed::first) == 4,
              "seed_extend::Seed::first");
static_assert(offsetof(seed_extend::Seed, size) == 12 && sizeof(seed_extend::Seed::size) == 4,
              "seed_extend::Seed::size");

static_assert(sizeof(seed_extend::SeedOptions) == 16, "size of seed_extend::SeedOptions");
static_assert(offsetof(seed_extend::SeedOptions, min_length) == 0 && sizeof(seed_extend::SeedOptions::min_length) == 4,
              "seed_extend::SeedOptions::min_length");
static_assert(offsetof(seed_extend::SeedOptions, split_length) == 4 && sizeof(seed_extend::SeedOptions::split_length) == 4,
              "seed_extend::SeedOptions::split_length");
static_assert(offsetof(seed_extend::SeedOptions, max_split_occurrences) == 8 && sizeof(seed_extend::SeedOptions::max_split_occurrences) == 4,
              "seed_extend::SeedOptions::max_split_occurrences");
static_assert(offsetof(seed_extend::SeedOptions, rare_occurrences) == 12 && sizeof(seed_extend::SeedOptions::rare_occurrences) == 4,
              "seed_extend::SeedOptions::rare_occurrences");

static_assert(sizeof(seed_extend::SeedSearches) == 8, "size of seed_extend::SeedSearches");
static_assert(offsetof(seed_extend::SeedSearches, first) == 0 && sizeof(seed_extend::SeedSearches::first) == 4,
              "seed_extend::SeedSearches::first");
static_assert(offsetof(seed_extend::SeedSearches, count) == 4 && sizeof(seed_extend::SeedSearches::count) == 4,
              "seed_extend::SeedSearches::count");

static_assert(sizeof(seed_extend::GrowingWord) == 32, "size of seed_extend::GrowingWord");
static_assert(offsetof(seed_extend::GrowingWord, query) == 0 && sizeof(seed_extend::GrowingWord::query) == 4,
              "seed_extend::GrowingWord::query");
static_assert(offsetof(seed_extend::GrowingWord, min_occurrences) == 4 && sizeof(seed_extend::GrowingWord::min_occurrences) == 4,
              "seed_extend::GrowingWord::min_occurrences");
static_assert(offsetof(seed_extend::GrowingWord, rows) == 8 && sizeof(seed_extend::GrowingWord::rows) == 12,
              "seed_extend::GrowingWord::rows");
static_assert(offsetof(seed_extend::GrowingWord, steps) == 20 && sizeof(seed_extend::GrowingWord::steps) == 4,
              "seed_extend::GrowingWord::steps");
static_assert(offsetof(seed_extend::GrowingWord, begin) == 24 && sizeof(seed_extend::GrowingWord::begin) == 2,
              "seed_extend::GrowingWord::begin");
static_assert(offsetof(seed_extend::GrowingWord, end) == 26 && sizeof(seed_extend::GrowingWord::end) == 2,
              "seed_extend::GrowingWord::end");
static_assert(offsetof(seed_extend::GrowingWord, last_begin) == 28 && sizeof(seed_extend::GrowingWord::last_begin) == 2,
              "seed_extend::GrowingWord::last_begin");
static_assert(offsetof(seed_extend::GrowingWord, state) == 30 && sizeof(seed_extend::GrowingWord::state) == 2,
              "seed_extend::GrowingWord::state");

static_assert(sizeof(seed_extend::SeedParameters) == 128, "size of seed_extend::SeedParameters");
static_assert(offsetof(seed_extend::SeedParameters, index) == 0 && sizeof(seed_extend::SeedParameters::index) == 80,
              "seed_extend::SeedParameters::index");
static_assert(offsetof(seed_extend::SeedParameters, queries) == 80 && sizeof(seed_extend::SeedParameters::queries) == 32,
              "seed_extend::SeedParameters::queries");
static_assert(offsetof(seed_extend::SeedParameters, options) == 112 && sizeof(seed_extend::SeedParameters::options) == 16,
              "seed_extend::SeedParameters::options");

static_assert(sizeof(seed_extend::Chain) == 40, "size of seed_extend::Chain");
static_assert(offsetof(seed_extend::Chain, low) == 0 && sizeof(seed_extend::Chain::low) == 8,
              "seed_extend::Chain::low");
static_assert(offsetof(seed_extend::Chain, high) == 8 && sizeof(seed_extend::Chain::high) == 8,
              "seed_extend::Chain::high");
static_assert(offsetof(seed_extend::Chain, query) == 16 && sizeof(seed_extend::Chain::query) == 4,
              "seed_extend::Chain::query");
static_assert(offsetof(seed_extend::Chain, segment) == 20 && sizeof(seed_extend::Chain::segment) == 4,
              "seed_extend::Chain::segment");
static_assert(offsetof(seed_extend::Chain, begin) == 24 && sizeof(seed_extend::Chain::begin) == 4,
              "seed_extend::Chain::begin");
static_assert(offsetof(seed_extend::Chain, end) == 28 && sizeof(seed_extend::Chain::end) == 4,
              "seed_extend::Chain::end");
static_assert(offsetof(seed_extend::Chain, gap) == 32 && sizeof(seed_extend::Chain::gap) == 4,
              "seed_extend::Chain::gap");
static_assert(offsetof(seed_extend::Chain, weight) == 36 && sizeof(seed_extend::Chain::weight) == 4,
              "seed_extend::Chain::weight");

static_assert(sizeof(seed_extend::ChainThresholds) == 24, "size of seed_extend::ChainThresholds");
static_assert(offsetof(seed_extend::ChainThresholds, max_occurrences) == 0 && sizeof(seed_extend::ChainThresholds::max_occurrences) == 4,
              "seed_extend::ChainThresholds::max_occurrences");
static_assert(offsetof(seed_extend::ChainThresholds, band_width) == 4 && sizeof(seed_extend::ChainThresholds::band_width) == 4,
              "seed_extend::ChainThresholds::band_width");
static_assert(offsetof(seed_extend::ChainThresholds, min_overlap) == 8 && sizeof(seed_extend::ChainThresholds::min_overlap) == 4,
              "seed_extend::ChainThresholds::min_overlap");
static_assert(offsetof(seed_extend::ChainThresholds, drop_ratio) == 12 && sizeof(seed_extend::ChainThresholds::drop_ratio) == 4,
              "seed_extend::ChainThresholds::drop_ratio");
static_assert(offsetof(seed_extend::ChainThresholds, drop_weight) == 16 && sizeof(seed_extend::ChainThresholds::drop_weight) == 4,
              "seed_extend::ChainThresholds::drop_weight");
static_assert(offsetof(seed_extend::ChainThresholds, max_chains) == 20 && sizeof(seed_extend::ChainThresholds::max_chains) == 4,
              "seed_extend::ChainThresholds::max_chains");

static_assert(sizeof(seed_extend::ChainCounts) == 16, "size of seed_extend::ChainCounts");
static_assert(offsetof(seed_extend::ChainCounts, read) == 0 && sizeof(seed_extend::ChainCounts::read) == 4,
              "seed_extend::ChainCounts::read");
static_assert(offsetof(seed_extend::ChainCounts, forward) == 4 && sizeof(seed_extend::ChainCounts::forward) == 4,
              "seed_extend::ChainCounts::forward");
static_assert(offsetof(seed_extend::ChainCounts, reverse) == 8 && sizeof(seed_extend::ChainCounts::reverse) == 4,
              "seed_extend::ChainCounts::reverse");
static_assert(offsetof(seed_extend::ChainCounts, padding) == 12 && sizeof(seed_extend::ChainCounts::padding) == 4,
              "seed_extend::ChainCounts::padding");

static_assert(sizeof(seed_extend::SelectedChains) == 8, "size of seed_extend::SelectedChains");
static_assert(offsetof(seed_extend::SelectedChains, read) == 0 && sizeof(seed_extend::SelectedChains::read) == 4,
              "seed_extend::SelectedChains::read");
static_assert(offsetof(seed_extend::SelectedChains, count) == 4 && sizeof(seed_extend::SelectedChains::count) == 4,
              "seed_extend::SelectedChains::count");

static_assert(sizeof(seed_extend::RankedChain) == 48, "size of seed_extend::RankedChain");
static_assert(offsetof(seed_extend::RankedChain, chain) == 0 && sizeof(seed_extend::RankedChain::chain) == 40,
              "seed_extend::RankedChain::chain");
static_assert(offsetof(seed_extend::RankedChain, rank) == 40 && sizeof(seed_extend::RankedChain::rank) == 4,
              "seed_extend::RankedChain::rank");
static_assert(offsetof(seed_extend::RankedChain, padding) == 44 && sizeof(seed_extend::RankedChain::padding) == 4,
              "seed_extend::RankedChain::padding");

static_assert(sizeof(seed_extend::ChainParameters) == 192, "size of seed_extend::ChainParameters");
static_assert(offsetof(seed_extend::ChainParameters, index) == 0 && sizeof(seed_extend::ChainParameters::index) == 80,
              "seed_extend::ChainParameters::index");
static_assert(offsetof(seed_extend::ChainParameters, thresholds) == 80 && sizeof(seed_extend::ChainParameters::thresholds) == 24,
              "seed_extend::ChainParameters::thresholds");
static_assert(offsetof(seed_extend::ChainParameters, seeds) == 104 && sizeof(seed_extend::ChainParameters::seeds) == 8,
              "seed_extend::ChainParameters::seeds");
static_assert(offsetof(seed_extend::ChainParameters, seed_starts) == 112 && sizeof(seed_extend::ChainParameters::seed_starts) == 8,
              "seed_extend::ChainParameters::seed_starts");
static_assert(offsetof(seed_extend::ChainParameters, anchor_starts) == 120 && sizeof(seed_extend::ChainParameters::anchor_starts) == 8,
              "seed_extend::ChainParameters::anchor_starts");
static_assert(offsetof(seed_extend::ChainParameters, offsets) == 128 && sizeof(seed_extend::ChainParameters::offsets) == 8,
              "seed_extend::ChainParameters::offsets");
static_assert(offsetof(seed_extend::ChainParameters, segment_ends) == 136 && sizeof(seed_extend::ChainParameters::segment_ends) == 8,
              "seed_extend::ChainParameters::segment_ends");
static_assert(offsetof(seed_extend::ChainParameters, first_anchor) == 144 && sizeof(seed_extend::ChainParameters::first_anchor) == 8,
              "seed_extend::ChainParameters::first_anchor");
static_assert(offsetof(seed_extend::ChainParameters, keys) == 152 && sizeof(seed_extend::ChainParameters::keys) == 8,
              "seed_extend::ChainParameters::keys");
static_assert(offsetof(seed_extend::ChainParameters, chains) == 160 && sizeof(seed_extend::ChainParameters::chains) == 8,
              "seed_extend::ChainParameters::chains");
static_assert(offsetof(seed_extend::ChainParameters, kept) == 168 && sizeof(seed_extend::ChainParameters::kept) == 8,
              "seed_extend::ChainParameters::kept");
static_assert(offsetof(seed_extend::ChainParameters, counts) == 176 && sizeof(seed_extend::ChainParameters::counts) == 8,
              "seed_extend::ChainParameters::counts");
static_assert(offsetof(seed_extend::ChainParameters, segment_count) == 184 && sizeof(seed_extend::ChainParameters::segment_count) == 4,
              "seed_extend::ChainParameters::segment_count");
static_assert(offsetof(seed_extend::ChainParameters, first_read) == 188 && sizeof(seed_extend::ChainParameters::first_read) == 4,
              "seed_extend::ChainParameters::first_read");

static_assert(sizeof(seed_extend::FindCodesParameters) == 48, "size of seed_extend::FindCodesParameters");
static_assert(offsetof(seed_extend::FindCodesParameters, queries) == 0 && sizeof(seed_extend::FindCodesParameters::queries) == 32,
              "seed_extend::FindCodesParameters::queries");
static_assert(offsetof(seed_extend::FindCodesParameters, codes) == 32 && sizeof(seed_extend::FindCodesParameters::codes) == 8,
              "seed_extend::FindCodesParameters::codes");
static_assert(offsetof(seed_extend::FindCodesParameters, count) == 40 && sizeof(seed_extend::FindCodesParameters::count) == 8,
              "seed_extend::FindCodesParameters::count");

static_assert(sizeof(seed_extend::FindTallyParameters) == 24, "size of seed_extend::FindTallyParameters");
static_assert(offsetof(seed_extend::FindTallyParameters, found) == 0 && sizeof(seed_extend::FindTallyParameters::found) == 8,
              "seed_extend::FindTallyParameters::found");
static_assert(offsetof(seed_extend::FindTallyParameters, seed_counts) == 8 && sizeof(seed_extend::FindTallyParameters::seed_counts) == 8,
              "seed_extend::FindTallyParameters::seed_counts");
static_assert(offsetof(seed_extend::FindTallyParameters, count) == 16 && sizeof(seed_extend::FindTallyParameters::count) == 8,
              "seed_extend::FindTallyParameters::count");

static_assert(sizeof(seed_extend::FindPlacesParameters) == 40, "size of seed_extend::FindPlacesParameters");
static_assert(offsetof(seed_extend::FindPlacesParameters, found) == 0 && sizeof(seed_extend::FindPlacesParameters::found) == 8,
              "seed_extend::FindPlacesParameters::found");
static_assert(offsetof(seed_extend::FindPlacesParameters, seed_starts) == 8 && sizeof(seed_extend::FindPlacesParameters::seed_starts) == 8,
              "seed_extend::FindPlacesParameters::seed_starts");
static_assert(offsetof(seed_extend::FindPlacesParameters, seed_counts) == 16 && sizeof(seed_extend::FindPlacesParameters::seed_counts) == 8,
              "seed_extend::FindPlacesParameters::seed_counts");
static_assert(offsetof(seed_extend::FindPlacesParameters, seeds) == 24 && sizeof(seed_extend::FindPlacesParameters::seeds) == 8,
              "seed_extend::FindPlacesParameters::seeds");
static_assert(offsetof(seed_extend::FindPlacesParameters, count) == 32 && sizeof(seed_extend::FindPlacesParameters::count) == 8,
              "seed_extend::FindPlacesParameters::count");

static_assert(sizeof(seed_extend::FindCountsParameters) == 40, "size of seed_extend::FindCountsParameters");
static_assert(offsetof(seed_extend::FindCountsParameters, seeds) == 0 && sizeof(seed_extend::FindCountsParameters::seeds) == 8,
              "seed_extend::FindCountsParameters::seeds");
static_assert(offsetof(seed_extend::FindCountsParameters, seed_starts) == 8 && sizeof(seed_extend::FindCountsParameters::seed_starts) == 8,
              "seed_extend::FindCountsParameters::seed_starts");
static_assert(offsetof(seed_extend::FindCountsParameters, anchors) == 16 && sizeof(seed_extend::FindCountsParameters::anchors) == 8,
              "seed_extend::FindCountsParameters::anchors");
static_assert(offsetof(seed_extend::FindCountsParameters, repeat_bases) == 24 && sizeof(seed_extend::FindCountsParameters::repeat_bases) == 8,
              "seed_extend::FindCountsParameters::repeat_bases");
static_assert(offsetof(seed_extend::FindCountsParameters, reads) == 32 && sizeof(seed_extend::FindCountsParameters::reads) == 4,
              "seed_extend::FindCountsParameters::reads");
static_assert(offsetof(seed_extend::FindCountsParameters, max_occurrences) == 36 && sizeof(seed_extend::FindCountsParameters::max_occurrences) == 4,
              "seed_extend::FindCountsParameters::max_occurrences");

static_assert(sizeof(seed_extend::FindTotalsParameters) == 24, "size of seed_extend::FindTotalsParameters");
static_assert(offsetof(seed_extend::FindTotalsParameters, counts) == 0 && sizeof(seed_extend::FindTotalsParameters::counts) == 8,
              "seed_extend::FindTotalsParameters::counts");
static_assert(offsetof(seed_extend::FindTotalsParameters, totals) == 8 && sizeof(seed_extend::FindTotalsParameters::totals) == 8,
              "seed_extend::FindTotalsParameters::totals");
static_assert(offsetof(seed_extend::FindTotalsParameters, count) == 16 && sizeof(seed_extend::FindTotalsParameters::count) == 4,
              "seed_extend::FindTotalsParameters::count");
static_assert(offsetof(seed_extend::FindTotalsParameters, part) == 20 && sizeof(seed_extend::FindTotalsParameters::part) == 4,
              "seed_extend::FindTotalsParameters::part");

static_assert(sizeof(seed_extend::FindSumsParameters) == 40, "size of seed_extend::FindSumsParameters");
static_assert(offsetof(seed_extend::FindSumsParameters, counts) == 0 && sizeof(seed_extend::FindSumsParameters::counts) == 8,
              "seed_extend::FindSumsParameters::counts");
static_assert(offsetof(seed_extend::FindSumsParameters, totals) == 8 && sizeof(seed_extend::FindSumsParameters::totals) == 8,
              "seed_extend::FindSumsParameters::totals");
static_assert(offsetof(seed_extend::FindSumsParameters, sums) == 16 && sizeof(seed_extend::FindSumsParameters::sums) == 8,
              "seed_extend::FindSumsParameters::sums");
static_assert(offsetof(seed_extend::FindSumsParameters, total) == 24 && sizeof(seed_extend::FindSumsParameters::total) == 8,
              "seed_extend::FindSumsParameters::total");
static_assert(offsetof(seed_extend::FindSumsParameters, count) == 32 && sizeof(seed_extend::FindSumsParameters::count) == 4,
              "seed_extend::FindSumsParameters::count");
static_assert(offsetof(seed_extend::FindSumsParameters, part) == 36 && sizeof(seed_extend::FindSumsParameters::part) == 4,
              "seed_extend::FindSumsParameters::part");

static_assert(sizeof(seed_extend::FindOrderParameters) == 32, "size of seed_extend::FindOrderParameters");
static_assert(offsetof(seed_extend::FindOrderParameters, kept) == 0 && sizeof(seed_extend::FindOrderParameters::kept) == 8,
              "seed_extend::FindOrderParameters::kept");
static_assert(offsetof(seed_extend::FindOrderParameters, chain_starts) == 8 && sizeof(seed_extend::FindOrderParameters::chain_starts) == 8,
              "seed_extend::FindOrderParameters::chain_starts");
static_assert(offsetof(seed_extend::FindOrderParameters, chains) == 16 && sizeof(seed_extend::FindOrderParameters::chains) == 8,
              "seed_extend::FindOrderParameters::chains");
static_assert(offsetof(seed_extend::FindOrderParameters, count) == 24 && sizeof(seed_extend::FindOrderParameters::count) == 4,
              "seed_extend::FindOrderParameters::count");
static_assert(offsetof(seed_extend::FindOrderParameters, first_read) == 28 && sizeof(seed_extend::FindOrderParameters::first_read) == 4,
              "seed_extend::FindOrderParameters::first_read");

static_assert(sizeof(seed_extend::OutscoringRules) == 28, "size of seed_extend::OutscoringRules");
static_assert(offsetof(seed_extend::OutscoringRules, match_score) == 0 && sizeof(seed_extend::OutscoringRules::match_score) == 4,
              "seed_extend::OutscoringRules::match_score");
static_assert(offsetof(seed_extend::OutscoringRules, difference) == 4 && sizeof(seed_extend::OutscoringRules::difference) == 4,
              "seed_extend::OutscoringRules::difference");
static_assert(offsetof(seed_extend::OutscoringRules, gap) == 8 && sizeof(seed_extend::OutscoringRules::gap) == 4,
              "seed_extend::OutscoringRules::gap");
static_assert(offsetof(seed_extend::OutscoringRules, max_drop) == 12 && sizeof(seed_extend::OutscoringRules::max_drop) == 4,
              "seed_extend::OutscoringRules::max_drop");
static_assert(offsetof(seed_extend::OutscoringRules, min_ratio) == 16 && sizeof(seed_extend::OutscoringRules::min_ratio) == 4,
              "seed_extend::OutscoringRules::min_ratio");
static_assert(offsetof(seed_extend::OutscoringRules, band_margin) == 20 && sizeof(seed_extend::OutscoringRules::band_margin) == 4,
              "seed_extend::OutscoringRules::band_margin");
static_assert(offsetof(seed_extend::OutscoringRules, min_weight) == 24 && sizeof(seed_extend::OutscoringRules::min_weight) == 4,
              "seed_extend::OutscoringRules::min_weight");

static_assert(sizeof(seed_extend::FindOutscoredParameters) == 208, "size of seed_extend::FindOutscoredParameters");
static_assert(offsetof(seed_extend::FindOutscoredParameters, index) == 0 && sizeof(seed_extend::FindOutscoredParameters::index) == 80,
              "seed_extend::FindOutscoredParameters::index");
static_assert(offsetof(seed_extend::FindOutscoredParameters, queries) == 80 && sizeof(seed_extend::FindOutscoredParameters::queries) == 32,
              "seed_extend::FindOutscoredParameters::queries");
static_assert(offsetof(seed_extend::FindOutscoredParameters, chain_starts) == 112 && sizeof(seed_extend::FindOutscoredParameters::chain_starts) == 8,
              "seed_extend::FindOutscoredParameters::chain_starts");
static_assert(offsetof(seed_extend::FindOutscoredParameters, chains) == 120 && sizeof(seed_extend::FindOutscoredParameters::chains) == 8,
              "seed_extend::FindOutscoredParameters::chains");
static_assert(offsetof(seed_extend::FindOutscoredParameters, at_least) == 128 && sizeof(seed_extend::FindOutscoredParameters::at_least) == 8,
              "seed_extend::FindOutscoredParameters::at_least");
static_assert(offsetof(seed_extend::FindOutscoredParameters, best) == 136 && sizeof(seed_extend::FindOutscoredParameters::best) == 8,
              "seed_extend::FindOutscoredParameters::best");
static_assert(offsetof(seed_extend::FindOutscoredParameters, best_outscored) == 144 && sizeof(seed_extend::FindOutscoredParameters::best_outscored) == 8,
              "seed_extend::FindOutscoredParameters::best_outscored");
static_assert(offsetof(seed_extend::FindOutscoredParameters, is_outscored) == 152 && sizeof(seed_extend::FindOutscoredParameters::is_outscored) == 8,
              "seed_extend::FindOutscoredParameters::is_outscored");
static_assert(offsetof(seed_extend::FindOutscoredParameters, counts) == 160 && sizeof(seed_extend::FindOutscoredParameters::counts) == 8,
              "seed_extend::FindOutscoredParameters::counts");
static_assert(offsetof(seed_extend::FindOutscoredParameters, rules) == 168 && sizeof(seed_extend::FindOutscoredParameters::rules) == 28,
              "seed_extend::FindOutscoredParameters::rules");
static_assert(offsetof(seed_extend::FindOutscoredParameters, count) == 196 && sizeof(seed_extend::FindOutscoredParameters::count) == 4,
              "seed_extend::FindOutscoredParameters::count");
static_assert(offsetof(seed_extend::FindOutscoredParameters, first_read) == 200 && sizeof(seed_extend::FindOutscoredParameters::first_read) == 4,
              "seed_extend::FindOutscoredParameters::first_read");
static_assert(offsetof(seed_extend::FindOutscoredParameters, padding) == 204 && sizeof(seed_extend::FindOutscoredParameters::padding) == 4,
              "seed_extend::FindOutscoredParameters::padding");

static_assert(sizeof(seed_extend::FindWholeMatchesParameters) == 200, "size of seed_extend::FindWholeMatchesParameters");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, index) == 0 && sizeof(seed_extend::FindWholeMatchesParameters::index) == 80,
              "seed_extend::FindWholeMatchesParameters::index");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, queries) == 80 && sizeof(seed_extend::FindWholeMatchesParameters::queries) == 32,
              "seed_extend::FindWholeMatchesParameters::queries");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, chain_starts) == 112 && sizeof(seed_extend::FindWholeMatchesParameters::chain_starts) == 8,
              "seed_extend::FindWholeMatchesParameters::chain_starts");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, kept_starts) == 120 && sizeof(seed_extend::FindWholeMatchesParameters::kept_starts) == 8,
              "seed_extend::FindWholeMatchesParameters::kept_starts");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, chains) == 128 && sizeof(seed_extend::FindWholeMatchesParameters::chains) == 8,
              "seed_extend::FindWholeMatchesParameters::chains");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, is_outscored) == 136 && sizeof(seed_extend::FindWholeMatchesParameters::is_outscored) == 8,
              "seed_extend::FindWholeMatchesParameters::is_outscored");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, best_outscored) == 144 && sizeof(seed_extend::FindWholeMatchesParameters::best_outscored) == 8,
              "seed_extend::FindWholeMatchesParameters::best_outscored");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, kept) == 152 && sizeof(seed_extend::FindWholeMatchesParameters::kept) == 8,
              "seed_extend::FindWholeMatchesParameters::kept");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, places) == 160 && sizeof(seed_extend::FindWholeMatchesParameters::places) == 8,
              "seed_extend::FindWholeMatchesParameters::places");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, rules) == 168 && sizeof(seed_extend::FindWholeMatchesParameters::rules) == 28,
              "seed_extend::FindWholeMatchesParameters::rules");
static_assert(offsetof(seed_extend::FindWholeMatchesParameters, reads) == 196 && sizeof(seed_extend::FindWholeMatchesParameters::reads) == 4,
              "seed_extend::FindWholeMatchesParameters::reads");

static_assert(sizeof(seed_extend::MateWindow) == 16, "size of seed_extend::MateWindow");
static_assert(offsetof(seed_extend::MateWindow, first) == 0 && sizeof(seed_extend::MateWindow::first) == 8,
              "seed_extend::MateWindow::first");
static_assert(offsetof(seed_extend::MateWindow, count) == 8 && sizeof(seed_extend::MateWindow::count) == 4,
              "seed_extend::MateWindow::count");
static_assert(offsetof(seed_extend::MateWindow, query) == 12 && sizeof(seed_extend::MateWindow::query) == 4,
              "seed_extend::MateWindow::query");

static_assert(sizeof(seed_extend::MatesParameters) == 152, "size of seed_extend::MatesParameters");
static_assert(offsetof(seed_extend::MatesParameters, index) == 0 && sizeof(seed_extend::MatesParameters::index) == 80,
              "seed_extend::MatesParameters::index");
static_assert(offsetof(seed_extend::MatesParameters, queries) == 80 && sizeof(seed_extend::MatesParameters::queries) == 32,
              "seed_extend::MatesParameters::queries");
static_assert(offsetof(seed_extend::MatesParameters, windows) == 112 && sizeof(seed_extend::MatesParameters::windows) == 8,
              "seed_extend::MatesParameters::windows");
static_assert(offsetof(seed_extend::MatesParameters, chosen) == 120 && sizeof(seed_extend::MatesParameters::chosen) == 8,
              "seed_extend::MatesParameters::chosen");
static_assert(offsetof(seed_extend::MatesParameters, count) == 128 && sizeof(seed_extend::MatesParameters::count) == 8,
              "seed_extend::MatesParameters::count");
static_assert(offsetof(seed_extend::MatesParameters, slots) == 136 && sizeof(seed_extend::MatesParameters::slots) == 4,
              "seed_extend::MatesParameters::slots");
static_assert(offsetof(seed_extend::MatesParameters, margin) == 140 && sizeof(seed_extend::MatesParameters::margin) == 4,
              "seed_extend::MatesParameters::margin");
static_assert(offsetof(seed_extend::MatesParameters, min_words) == 144 && sizeof(seed_extend::MatesParameters::min_words) == 4,
              "seed_extend::MatesParameters::min_words");
static_assert(offsetof(seed_extend::MatesParameters, padding) == 148 && sizeof(seed_extend::MatesParameters::padding) == 4,
              "seed_extend::MatesParameters::padding");

static_assert(sizeof(seed_extend::AlignmentCosts) == 32, "size of seed_extend::AlignmentCosts");
static_assert(offsetof(seed_extend::AlignmentCosts, matched) == 0 && sizeof(seed_extend::AlignmentCosts::matched) == 4,
              "seed_extend::AlignmentCosts::matched");
static_assert(offsetof(seed_extend::AlignmentCosts, mismatch) == 4 && sizeof(seed_extend::AlignmentCosts::mismatch) == 4,
              "seed_extend::AlignmentCosts::mismatch");
static_assert(offsetof(seed_extend::AlignmentCosts, first_deleted) == 8 && sizeof(seed_extend::AlignmentCosts::first_deleted) == 4,
              "seed_extend::AlignmentCosts::first_deleted");
static_assert(offsetof(seed_extend::AlignmentCosts, further_deleted) == 12 && sizeof(seed_extend::AlignmentCosts::further_deleted) == 4,
              "seed_extend::AlignmentCosts::further_deleted");
static_assert(offsetof(seed_extend::AlignmentCosts, first_inserted) == 16 && sizeof(seed_extend::AlignmentCosts::first_inserted) == 4,
              "seed_extend::AlignmentCosts::first_inserted");
static_assert(offsetof(seed_extend::AlignmentCosts, further_inserted) == 20 && sizeof(seed_extend::AlignmentCosts::further_inserted) == 4,
              "seed_extend::AlignmentCosts::further_inserted");
static_assert(offsetof(seed_extend::AlignmentCosts, five_prime_clip) == 24 && sizeof(seed_extend::AlignmentCosts::five_prime_clip) == 4,
              "seed_extend::AlignmentCosts::five_prime_clip");
static_assert(offsetof(seed_extend::AlignmentCosts, three_prime_clip) == 28 && sizeof(seed_extend::AlignmentCosts::three_prime_clip) == 4,
              "seed_extend::AlignmentCosts::three_prime_clip");

static_assert(sizeof(seed_extend::Prediction) == 16, "size of seed_extend::Prediction");
static_assert(offsetof(seed_extend::Prediction, low) == 0 && sizeof(seed_extend::Prediction::low) == 4,
              "seed_extend::Prediction::low");
static_assert(offsetof(seed_extend::Prediction, high) == 4 && sizeof(seed_extend::Prediction::high) == 4,
              "seed_extend::Prediction::high");
static_assert(offsetof(seed_extend::Prediction, begin) == 8 && sizeof(seed_extend::Prediction::begin) == 4,
              "seed_extend::Prediction::begin");
static_assert(offsetof(seed_extend::Prediction, end) == 12 && sizeof(seed_extend::Prediction::end) == 4,
              "seed_extend::Prediction::end");

static_assert(sizeof(seed_extend::AlignmentTask) == 44, "size of seed_extend::AlignmentTask");
static_assert(offsetof(seed_extend::AlignmentTask, query_start) == 0 && sizeof(seed_extend::AlignmentTask::query_start) == 4,
              "seed_extend::AlignmentTask::query_start");
static_assert(offsetof(seed_extend::AlignmentTask, query_len) == 4 && sizeof(seed_extend::AlignmentTask::query_len) == 4,
              "seed_extend::AlignmentTask::query_len");
static_assert(offsetof(seed_extend::AlignmentTask, window_start) == 8 && sizeof(seed_extend::AlignmentTask::window_start) == 4,
              "seed_extend::AlignmentTask::window_start");
static_assert(offsetof(seed_extend::AlignmentTask, window_len) == 12 && sizeof(seed_extend::AlignmentTask::window_len) == 4,
              "seed_extend::AlignmentTask::window_len");
static_assert(offsetof(seed_extend::AlignmentTask, low) == 16 && sizeof(seed_extend::AlignmentTask::low) == 4,
              "seed_extend::AlignmentTask::low");
static_assert(offsetof(seed_extend::AlignmentTask, high) == 20 && sizeof(seed_extend::AlignmentTask::high) == 4,
              "seed_extend::AlignmentTask::high");
static_assert(offsetof(seed_extend::AlignmentTask, is_reverse) == 24 && sizeof(seed_extend::AlignmentTask::is_reverse) == 4,
              "seed_extend::AlignmentTask::is_reverse");
static_assert(offsetof(seed_extend::AlignmentTask, prediction) == 28 && sizeof(seed_extend::AlignmentTask::prediction) == 16,
              "seed_extend::AlignmentTask::prediction");

static_assert(sizeof(seed_extend::AlignmentEnd) == 12, "size of seed_extend::AlignmentEnd");
static_assert(offsetof(seed_extend::AlignmentEnd, score) == 0 && sizeof(seed_extend::AlignmentEnd::score) == 4,
              "seed_extend::AlignmentEnd::score");
static_assert(offsetof(seed_extend::AlignmentEnd, query_end) == 4 && sizeof(seed_extend::AlignmentEnd::query_end) == 4,
              "seed_extend::AlignmentEnd::query_end");
static_assert(offsetof(seed_extend::AlignmentEnd, window_end) == 8 && sizeof(seed_extend::AlignmentEnd::window_end) == 4,
              "seed_extend::AlignmentEnd::window_end");

static_assert(sizeof(seed_extend::AlignmentSpan) == 40, "size of seed_extend::AlignmentSpan");
static_assert(offsetof(seed_extend::AlignmentSpan, score) == 0 && sizeof(seed_extend::AlignmentSpan::score) == 4,
              "seed_extend::AlignmentSpan::score");
static_assert(offsetof(seed_extend::AlignmentSpan, query_begin) == 4 && sizeof(seed_extend::AlignmentSpan::query_begin) == 4,
              "seed_extend::AlignmentSpan::query_begin");
static_assert(offsetof(seed_extend::AlignmentSpan, query_end) == 8 && sizeof(seed_extend::AlignmentSpan::query_end) == 4,
              "seed_extend::AlignmentSpan::query_end");
static_assert(offsetof(seed_extend::AlignmentSpan, window_begin) == 12 && sizeof(seed_extend::AlignmentSpan::window_begin) == 4,
              "seed_extend::AlignmentSpan::window_begin");
static_assert(offsetof(seed_extend::AlignmentSpan, window_end) == 16 && sizeof(seed_extend::AlignmentSpan::window_end) == 4,
              "seed_extend::AlignmentSpan::window_end");
static_assert(offsetof(seed_extend::AlignmentSpan, best_stretch) == 20 && sizeof(seed_extend::AlignmentSpan::best_stretch) == 4,
              "seed_extend::AlignmentSpan::best_stretch");
static_assert(offsetof(seed_extend::AlignmentSpan, is_predicted) == 24 && sizeof(seed_extend::AlignmentSpan::is_predicted) == 4,
              "seed_extend::AlignmentSpan::is_predicted");
static_assert(offsetof(seed_extend::AlignmentSpan, run_count) == 28 && sizeof(seed_extend::AlignmentSpan::run_count) == 4,
              "seed_extend::AlignmentSpan::run_count");
static_assert(offsetof(seed_extend::AlignmentSpan, first_run) == 32 && sizeof(seed_extend::AlignmentSpan::first_run) == 8,
              "seed_extend::AlignmentSpan::first_run");

static_assert(sizeof(seed_extend::TaskGroup) == 16, "size of seed_extend::TaskGroup");
static_assert(offsetof(seed_extend::TaskGroup, start) == 0 && sizeof(seed_extend::TaskGroup::start) == 8,
              "seed_extend::TaskGroup::start");
static_assert(offsetof(seed_extend::TaskGroup, first) == 8 && sizeof(seed_extend::TaskGroup::first) == 4,
              "seed_extend::TaskGroup::first");
static_assert(offsetof(seed_extend::TaskGroup, columns) == 12 && sizeof(seed_extend::TaskGroup::columns) == 2,
              "seed_extend::TaskGroup::columns");
static_assert(offsetof(seed_extend::TaskGroup, tasks) == 14 && sizeof(seed_extend::TaskGroup::tasks) == 1,
              "seed_extend::TaskGroup::tasks");
static_assert(offsetof(seed_extend::TaskGroup, bytes) == 15 && sizeof(seed_extend::TaskGroup::bytes) == 1,
              "seed_extend::TaskGroup::bytes");

static_assert(sizeof(seed_extend::TaskAlignment) == 48, "size of seed_extend::TaskAlignment");
static_assert(offsetof(seed_extend::TaskAlignment, span) == 0 && sizeof(seed_extend::TaskAlignment::span) == 40,
              "seed_extend::TaskAlignment::span");
static_assert(offsetof(seed_extend::TaskAlignment, task) == 40 && sizeof(seed_extend::TaskAlignment::task) == 4,
              "seed_extend::TaskAlignment::task");
static_assert(offsetof(seed_extend::TaskAlignment, padding) == 44 && sizeof(seed_extend::TaskAlignment::padding) == 4,
              "seed_extend::TaskAlignment::padding");

static_assert(sizeof(seed_extend::AlignmentParameters) == 104, "size of seed_extend::AlignmentParameters");
static_assert(offsetof(seed_extend::AlignmentParameters, text) == 0 && sizeof(seed_extend::AlignmentParameters::text) == 8,
              "seed_extend::AlignmentParameters::text");
static_assert(offsetof(seed_extend::AlignmentParameters, queries) == 8 && sizeof(seed_extend::AlignmentParameters::queries) == 8,
              "seed_extend::AlignmentParameters::queries");
static_assert(offsetof(seed_extend::AlignmentParameters, tasks) == 16 && sizeof(seed_extend::AlignmentParameters::tasks) == 8,
              "seed_extend::AlignmentParameters::tasks");
static_assert(offsetof(seed_extend::AlignmentParameters, pairs) == 24 && sizeof(seed_extend::AlignmentParameters::pairs) == 8,
              "seed_extend::AlignmentParameters::pairs");
static_assert(offsetof(seed_extend::AlignmentParameters, ends) == 32 && sizeof(seed_extend::AlignmentParameters::ends) == 8,
              "seed_extend::AlignmentParameters::ends");
static_assert(offsetof(seed_extend::AlignmentParameters, cells) == 40 && sizeof(seed_extend::AlignmentParameters::cells) == 8,
              "seed_extend::AlignmentParameters::cells");
static_assert(offsetof(seed_extend::AlignmentParameters, run_count) == 48 && sizeof(seed_extend::AlignmentParameters::run_count) == 8,
              "seed_extend::AlignmentParameters::run_count");
static_assert(offsetof(seed_extend::AlignmentParameters, runs) == 56 && sizeof(seed_extend::AlignmentParameters::runs) == 8,
              "seed_extend::AlignmentParameters::runs");
static_assert(offsetof(seed_extend::AlignmentParameters, run_capacity) == 64 && sizeof(seed_extend::AlignmentParameters::run_capacity) == 8,
              "seed_extend::AlignmentParameters::run_capacity");
static_assert(offsetof(seed_extend::AlignmentParameters, costs) == 72 && sizeof(seed_extend::AlignmentParameters::costs) == 32,
              "seed_extend::AlignmentParameters::costs");

static_assert(sizeof(seed_extend::ExtendScoreParameters) == 96, "size of seed_extend::ExtendScoreParameters");
static_assert(offsetof(seed_extend::ExtendScoreParameters, text) == 0 && sizeof(seed_extend::ExtendScoreParameters::text) == 8,
              "seed_extend::ExtendScoreParameters::text");
static_assert(offsetof(seed_extend::ExtendScoreParameters, queries) == 8 && sizeof(seed_extend::ExtendScoreParameters::queries) == 8,
              "seed_extend::ExtendScoreParameters::queries");
static_assert(offsetof(seed_extend::ExtendScoreParameters, tasks) == 16 && sizeof(seed_extend::ExtendScoreParameters::tasks) == 8,
              "seed_extend::ExtendScoreParameters::tasks");
static_assert(offsetof(seed_extend::ExtendScoreParameters, pairs) == 24 && sizeof(seed_extend::ExtendScoreParameters::pairs) == 8,
              "seed_extend::ExtendScoreParameters::pairs");
static_assert(offsetof(seed_extend::ExtendScoreParameters, ends) == 32 && sizeof(seed_extend::ExtendScoreParameters::ends) == 8,
              "seed_extend::ExtendScoreParameters::ends");
static_assert(offsetof(seed_extend::ExtendScoreParameters, unfinished) == 40 && sizeof(seed_extend::ExtendScoreParameters::unfinished) == 8,
              "seed_extend::ExtendScoreParameters::unfinished");
static_assert(offsetof(seed_extend::ExtendScoreParameters, unfinished_count) == 48 && sizeof(seed_extend::ExtendScoreParameters::unfinished_count) == 8,
              "seed_extend::ExtendScoreParameters::unfinished_count");
static_assert(offsetof(seed_extend::ExtendScoreParameters, count) == 56 && sizeof(seed_extend::ExtendScoreParameters::count) == 8,
              "seed_extend::ExtendScoreParameters::count");
static_assert(offsetof(seed_extend::ExtendScoreParameters, costs) == 64 && sizeof(seed_extend::ExtendScoreParameters::costs) == 32,
              "seed_extend::ExtendScoreParameters::costs");

static_assert(sizeof(seed_extend::ExtendEndParameters) == 80, "size of seed_extend::ExtendEndParameters");
static_assert(offsetof(seed_extend::ExtendEndParameters, text) == 0 && sizeof(seed_extend::ExtendEndParameters::text) == 8,
              "seed_extend::ExtendEndParameters::text");
static_assert(offsetof(seed_extend::ExtendEndParameters, queries) == 8 && sizeof(seed_extend::ExtendEndParameters::queries) == 8,
              "seed_extend::ExtendEndParameters::queries");
static_assert(offsetof(seed_extend::ExtendEndParameters, tasks) == 16 && sizeof(seed_extend::ExtendEndParameters::tasks) == 8,
              "seed_extend::ExtendEndParameters::tasks");
static_assert(offsetof(seed_extend::ExtendEndParameters, ends) == 24 && sizeof(seed_extend::ExtendEndParameters::ends) == 8,
              "seed_extend::ExtendEndParameters::ends");
static_assert(offsetof(seed_extend::ExtendEndParameters, unfinished) == 32 && sizeof(seed_extend::ExtendEndParameters::unfinished) == 8,
              "seed_extend::ExtendEndParameters::unfinished");
static_assert(offsetof(seed_extend::ExtendEndParameters, unfinished_count) == 40 && sizeof(seed_extend::ExtendEndParameters::unfinished_count) == 8,
              "seed_extend::ExtendEndParameters::unfinished_count");
static_assert(offsetof(seed_extend::ExtendEndParameters, costs) == 48 && sizeof(seed_extend::ExtendEndParameters::costs) == 32,
              "seed_extend::ExtendEndParameters::costs");

static_assert(sizeof(seed_extend::ExtendOrderParameters) == 32, "size of seed_extend::ExtendOrderParameters");
static_assert(offsetof(seed_extend::ExtendOrderParameters, aligned) == 0 && sizeof(seed_extend::ExtendOrderParameters::aligned) == 8,
              "seed_extend::ExtendOrderParameters::aligned");
static_assert(offsetof(seed_extend::ExtendOrderParameters, spans) == 8 && sizeof(seed_extend::ExtendOrderParameters::spans) == 8,
              "seed_extend::ExtendOrderParameters::spans");
static_assert(offsetof(seed_extend::ExtendOrderParameters, first_run) == 16 && sizeof(seed_extend::ExtendOrderParameters::first_run) == 8,
              "seed_extend::ExtendOrderParameters::first_run");
static_assert(offsetof(seed_extend::ExtendOrderParameters, count) == 24 && sizeof(seed_extend::ExtendOrderParameters::count) == 8,
              "seed_extend::ExtendOrderParameters::count");

static_assert(sizeof(seed_extend::WidthPlace) == 16, "size of seed_extend::WidthPlace");
static_assert(offsetof(seed_extend::WidthPlace, count) == 0 && sizeof(seed_extend::WidthPlace::count) == 4,
              "seed_extend::WidthPlace::count");
static_assert(offsetof(seed_extend::WidthPlace, first_pair) == 4 && sizeof(seed_extend::WidthPlace::first_pair) == 4,
              "seed_extend::WidthPlace::first_pair");
static_assert(offsetof(seed_extend::WidthPlace, launch_pair) == 8 && sizeof(seed_extend::WidthPlace::launch_pair) == 4,
              "seed_extend::WidthPlace::launch_pair");
static_assert(offsetof(seed_extend::WidthPlace, first_group) == 12 && sizeof(seed_extend::WidthPlace::first_group) == 4,
              "seed_extend::WidthPlace::first_group");

static_assert(sizeof(seed_extend::ExtendTallyParameters) == 24, "size of seed_extend::ExtendTallyParameters");
static_assert(offsetof(seed_extend::ExtendTallyParameters, tasks) == 0 && sizeof(seed_extend::ExtendTallyParameters::tasks) == 8,
              "seed_extend::ExtendTallyParameters::tasks");
static_assert(offsetof(seed_extend::ExtendTallyParameters, counts) == 8 && sizeof(seed_extend::ExtendTallyParameters::counts) == 8,
              "seed_extend::ExtendTallyParameters::counts");
static_assert(offsetof(seed_extend::ExtendTallyParameters, count) == 16 && sizeof(seed_extend::ExtendTallyParameters::count) == 4,
              "seed_extend::ExtendTallyParameters::count");
static_assert(offsetof(seed_extend::ExtendTallyParameters, most_rows) == 20 && sizeof(seed_extend::ExtendTallyParameters::most_rows) == 4,
              "seed_extend::ExtendTallyParameters::most_rows");

static_assert(sizeof(seed_extend::ExtendPairParameters) == 56, "size of seed_extend::ExtendPairParameters");
static_assert(offsetof(seed_extend::ExtendPairParameters, tasks) == 0 && sizeof(seed_extend::ExtendPairParameters::tasks) == 8,
              "seed_extend::ExtendPairParameters::tasks");
static_assert(offsetof(seed_extend::ExtendPairParameters, next) == 8 && sizeof(seed_extend::ExtendPairParameters::next) == 8,
              "seed_extend::ExtendPairParameters::next");
static_assert(offsetof(seed_extend::ExtendPairParameters, widths) == 16 && sizeof(seed_extend::ExtendPairParameters::widths) == 8,
              "seed_extend::ExtendPairParameters::widths");
static_assert(offsetof(seed_extend::ExtendPairParameters, pairs) == 24 && sizeof(seed_extend::ExtendPairParameters::pairs) == 8,
              "seed_extend::ExtendPairParameters::pairs");
static_assert(offsetof(seed_extend::ExtendPairParameters, rows) == 32 && sizeof(seed_extend::ExtendPairParameters::rows) == 8,
              "seed_extend::ExtendPairParameters::rows");
static_assert(offsetof(seed_extend::ExtendPairParameters, left) == 40 && sizeof(seed_extend::ExtendPairParameters::left) == 8,
              "seed_extend::ExtendPairParameters::left");
static_assert(offsetof(seed_extend::ExtendPairParameters, count) == 48 && sizeof(seed_extend::ExtendPairParameters::count) == 4,
              "seed_extend::ExtendPairParameters::count");
static_assert(offsetof(seed_extend::ExtendPairParameters, most_rows) == 52 && sizeof(seed_extend::ExtendPairParameters::most_rows) == 4,
              "seed_extend::ExtendPairParameters::most_rows");

static_assert(sizeof(seed_extend::FoundRegion) == 56, "size of seed_extend::FoundRegion");
static_assert(offsetof(seed_extend::FoundRegion, first_run) == 0 && sizeof(seed_extend::FoundRegion::first_run) == 8,
              "seed_extend::FoundRegion::first_run");
static_assert(offsetof(seed_extend::FoundRegion, query) == 8 && sizeof(seed_extend::FoundRegion::query) == 4,
              "seed_extend::FoundRegion::query");
static_assert(offsetof(seed_extend::FoundRegion, segment) == 12 && sizeof(seed_extend::FoundRegion::segment) == 4,
              "seed_extend::FoundRegion::segment");
static_assert(offsetof(seed_extend::FoundRegion, score) == 16 && sizeof(seed_extend::FoundRegion::score) == 4,
              "seed_extend::FoundRegion::score");
static_assert(offsetof(seed_extend::FoundRegion, query_begin) == 20 && sizeof(seed_extend::FoundRegion::query_begin) == 4,
              "seed_extend::FoundRegion::query_begin");
static_assert(offsetof(seed_extend::FoundRegion, query_end) == 24 && sizeof(seed_extend::FoundRegion::query_end) == 4,
              "seed_extend::FoundRegion::query_end");
static_assert(offsetof(seed_extend::FoundRegion, begin) == 28 && sizeof(seed_extend::FoundRegion::begin) == 4,
              "seed_extend::FoundRegion::begin");
static_assert(offsetof(seed_extend::FoundRegion, end) == 32 && sizeof(seed_extend::FoundRegion::end) == 4,
              "seed_extend::FoundRegion::end");
static_assert(offsetof(seed_extend::FoundRegion, run_count) == 36 && sizeof(seed_extend::FoundRegion::run_count) == 4,
              "seed_extend::FoundRegion::run_count");
static_assert(offsetof(seed_extend::FoundRegion, is_supported) == 40 && sizeof(seed_extend::FoundRegion::is_supported) == 4,
              "seed_extend::FoundRegion::is_supported");
static_assert(offsetof(seed_extend::FoundRegion, second_best_score) == 44 && sizeof(seed_extend::FoundRegion::second_best_score) == 4,
              "seed_extend::FoundRegion::second_best_score");
static_assert(offsetof(seed_extend::FoundRegion, second_best_count) == 48 && sizeof(seed_extend::FoundRegion::second_best_count) == 4,
              "seed_extend::FoundRegion::second_best_count");
static_assert(offsetof(seed_extend::FoundRegion, secondary_to) == 52 && sizeof(seed_extend::FoundRegion::secondary_to) == 4,
              "seed_extend::FoundRegion::secondary_to");

static_assert(sizeof(seed_extend::RegionsOfChainsParameters) == 120, "size of seed_extend::RegionsOfChainsParameters");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, chains) == 0 && sizeof(seed_extend::RegionsOfChainsParameters::chains) == 8,
              "seed_extend::RegionsOfChainsParameters::chains");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, places) == 8 && sizeof(seed_extend::RegionsOfChainsParameters::places) == 8,
              "seed_extend::RegionsOfChainsParameters::places");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, offsets) == 16 && sizeof(seed_extend::RegionsOfChainsParameters::offsets) == 8,
              "seed_extend::RegionsOfChainsParameters::offsets");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, segments) == 24 && sizeof(seed_extend::RegionsOfChainsParameters::segments) == 8,
              "seed_extend::RegionsOfChainsParameters::segments");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, outcomes) == 32 && sizeof(seed_extend::RegionsOfChainsParameters::outcomes) == 8,
              "seed_extend::RegionsOfChainsParameters::outcomes");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, regions) == 40 && sizeof(seed_extend::RegionsOfChainsParameters::regions) == 8,
              "seed_extend::RegionsOfChainsParameters::regions");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, tasks) == 48 && sizeof(seed_extend::RegionsOfChainsParameters::tasks) == 8,
              "seed_extend::RegionsOfChainsParameters::tasks");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, runs) == 56 && sizeof(seed_extend::RegionsOfChainsParameters::runs) == 8,
              "seed_extend::RegionsOfChainsParameters::runs");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, run_count) == 64 && sizeof(seed_extend::RegionsOfChainsParameters::run_count) == 8,
              "seed_extend::RegionsOfChainsParameters::run_count");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, costs) == 72 && sizeof(seed_extend::RegionsOfChainsParameters::costs) == 32,
              "seed_extend::RegionsOfChainsParameters::costs");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, prefers_a_mismatch) == 104 && sizeof(seed_extend::RegionsOfChainsParameters::prefers_a_mismatch) == 4,
              "seed_extend::RegionsOfChainsParameters::prefers_a_mismatch");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, band_margin) == 108 && sizeof(seed_extend::RegionsOfChainsParameters::band_margin) == 4,
              "seed_extend::RegionsOfChainsParameters::band_margin");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, min_chain_weight) == 112 && sizeof(seed_extend::RegionsOfChainsParameters::min_chain_weight) == 4,
              "seed_extend::RegionsOfChainsParameters::min_chain_weight");
static_assert(offsetof(seed_extend::RegionsOfChainsParameters, count) == 116 && sizeof(seed_extend::RegionsOfChainsParameters::count) == 4,
              "seed_extend::RegionsOfChainsParameters::count");

static_assert(sizeof(seed_extend::RankingRules) == 12, "size of seed_extend::RankingRules");
static_assert(offsetof(seed_extend::RankingRules, min_overlap) == 0 && sizeof(seed_extend::RankingRules::min_overlap) == 4,
              "seed_extend::RankingRules::min_overlap");
static_assert(offsetof(seed_extend::RankingRules, score_margin) == 4 && sizeof(seed_extend::RankingRules::score_margin) == 4,
              "seed_extend::RankingRules::score_margin");
static_assert(offsetof(seed_extend::RankingRules, min_score) == 8 && sizeof(seed_extend::RankingRules::min_score) == 4,
              "seed_extend::RankingRules::min_score");

static_assert(sizeof(seed_extend::RegionsRankParameters) == 128, "size of seed_extend::RegionsRankParameters");
static_assert(offsetof(seed_extend::RegionsRankParameters, chains) == 0 && sizeof(seed_extend::RegionsRankParameters::chains) == 8,
              "seed_extend::RegionsRankParameters::chains");
static_assert(offsetof(seed_extend::RegionsRankParameters, chain_starts) == 8 && sizeof(seed_extend::RegionsRankParameters::chain_starts) == 8,
              "seed_extend::RegionsRankParameters::chain_starts");
static_assert(offsetof(seed_extend::RegionsRankParameters, outcomes) == 16 && sizeof(seed_extend::RegionsRankParameters::outcomes) == 8,
              "seed_extend::RegionsRankParameters::outcomes");
static_assert(offsetof(seed_extend::RegionsRankParameters, regions) == 24 && sizeof(seed_extend::RegionsRankParameters::regions) == 8,
              "seed_extend::RegionsRankParameters::regions");
static_assert(offsetof(seed_extend::RegionsRankParameters, tasks) == 32 && sizeof(seed_extend::RegionsRankParameters::tasks) == 8,
              "seed_extend::RegionsRankParameters::tasks");
static_assert(offsetof(seed_extend::RegionsRankParameters, spans) == 40 && sizeof(seed_extend::RegionsRankParameters::spans) == 8,
              "seed_extend::RegionsRankParameters::spans");
static_assert(offsetof(seed_extend::RegionsRankParameters, offsets) == 48 && sizeof(seed_extend::RegionsRankParameters::offsets) == 8,
              "seed_extend::RegionsRankParameters::offsets");
static_assert(offsetof(seed_extend::RegionsRankParameters, tie_breakers) == 56 && sizeof(seed_extend::RegionsRankParameters::tie_breakers) == 8,
              "seed_extend::RegionsRankParameters::tie_breakers");
static_assert(offsetof(seed_extend::RegionsRankParameters, ranked) == 64 && sizeof(seed_extend::RegionsRankParameters::ranked) == 8,
              "seed_extend::RegionsRankParameters::ranked");
static_assert(offsetof(seed_extend::RegionsRankParameters, ranked_count) == 72 && sizeof(seed_extend::RegionsRankParameters::ranked_count) == 8,
              "seed_extend::RegionsRankParameters::ranked_count");
static_assert(offsetof(seed_extend::RegionsRankParameters, firsts) == 80 && sizeof(seed_extend::RegionsRankParameters::firsts) == 8,
              "seed_extend::RegionsRankParameters::firsts");
static_assert(offsetof(seed_extend::RegionsRankParameters, counts) == 88 && sizeof(seed_extend::RegionsRankParameters::counts) == 8,
              "seed_extend::RegionsRankParameters::counts");
static_assert(offsetof(seed_extend::RegionsRankParameters, task_runs) == 96 && sizeof(seed_extend::RegionsRankParameters::task_runs) == 8,
              "seed_extend::RegionsRankParameters::task_runs");
static_assert(offsetof(seed_extend::RegionsRankParameters, rules) == 104 && sizeof(seed_extend::RegionsRankParameters::rules) == 12,
              "seed_extend::RegionsRankParameters::rules");
static_assert(offsetof(seed_extend::RegionsRankParameters, first_read) == 116 && sizeof(seed_extend::RegionsRankParameters::first_read) == 4,
              "seed_extend::RegionsRankParameters::first_read");
static_assert(offsetof(seed_extend::RegionsRankParameters, reads) == 120 && sizeof(seed_extend::RegionsRankParameters::reads) == 4,
              "seed_extend::RegionsRankParameters::reads");
static_assert(offsetof(seed_extend::RegionsRankParameters, padding) == 124 && sizeof(seed_extend::RegionsRankParameters::padding) == 4,
              "seed_extend::RegionsRankParameters::padding");
