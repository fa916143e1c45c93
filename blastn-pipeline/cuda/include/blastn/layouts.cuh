// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <blastn/hits.cuh>
#include <blastn/pipeline/diagonals.cuh>
#include <blastn/pipeline/lookup.cuh>
#include <blastn/gapped/affine.cuh>
#include <blastn/gapped/greedy.cuh>
#include <blastn/pairs/pairs.cuh>
#include <blastn/pairs/upper_bounds.cuh>

static_assert(sizeof(blastn::UngappedHit) == 24, "size of blastn::UngappedHit");
static_assert(offsetof(blastn::UngappedHit, query) == 0 && sizeof(blastn::UngappedHit::query) == 4,
              "blastn::UngappedHit::query");
static_assert(offsetof(blastn::UngappedHit, subject) == 4 && sizeof(blastn::UngappedHit::subject) == 4,
              "blastn::UngappedHit::subject");
static_assert(offsetof(blastn::UngappedHit, length) == 8 && sizeof(blastn::UngappedHit::length) == 4,
              "blastn::UngappedHit::length");
static_assert(offsetof(blastn::UngappedHit, score) == 12 && sizeof(blastn::UngappedHit::score) == 4,
              "blastn::UngappedHit::score");
static_assert(offsetof(blastn::UngappedHit, seed_query) == 16 && sizeof(blastn::UngappedHit::seed_query) == 4,
              "blastn::UngappedHit::seed_query");
static_assert(offsetof(blastn::UngappedHit, seed_subject) == 20 && sizeof(blastn::UngappedHit::seed_subject) == 4,
              "blastn::UngappedHit::seed_subject");

static_assert(sizeof(blastn::ChunkHit) == 28, "size of blastn::ChunkHit");
static_assert(offsetof(blastn::ChunkHit, chunk) == 0 && sizeof(blastn::ChunkHit::chunk) == 4,
              "blastn::ChunkHit::chunk");
static_assert(offsetof(blastn::ChunkHit, hit) == 4 && sizeof(blastn::ChunkHit::hit) == 24,
              "blastn::ChunkHit::hit");

static_assert(sizeof(blastn::PairStrand) == 16, "size of blastn::PairStrand");
static_assert(offsetof(blastn::PairStrand, first) == 0 && sizeof(blastn::PairStrand::first) == 4,
              "blastn::PairStrand::first");
static_assert(offsetof(blastn::PairStrand, length) == 4 && sizeof(blastn::PairStrand::length) == 4,
              "blastn::PairStrand::length");
static_assert(offsetof(blastn::PairStrand, query) == 8 && sizeof(blastn::PairStrand::query) == 4,
              "blastn::PairStrand::query");
static_assert(offsetof(blastn::PairStrand, cutoff) == 12 && sizeof(blastn::PairStrand::cutoff) == 4,
              "blastn::PairStrand::cutoff");

static_assert(sizeof(blastn::DatabaseChunk) == 16, "size of blastn::DatabaseChunk");
static_assert(offsetof(blastn::DatabaseChunk, first) == 0 && sizeof(blastn::DatabaseChunk::first) == 8,
              "blastn::DatabaseChunk::first");
static_assert(offsetof(blastn::DatabaseChunk, length) == 8 && sizeof(blastn::DatabaseChunk::length) == 4,
              "blastn::DatabaseChunk::length");
static_assert(offsetof(blastn::DatabaseChunk, padding) == 12 && sizeof(blastn::DatabaseChunk::padding) == 4,
              "blastn::DatabaseChunk::padding");

static_assert(sizeof(blastn::QueryStrand) == 24, "size of blastn::QueryStrand");
static_assert(offsetof(blastn::QueryStrand, first) == 0 && sizeof(blastn::QueryStrand::first) == 4,
              "blastn::QueryStrand::first");
static_assert(offsetof(blastn::QueryStrand, end) == 4 && sizeof(blastn::QueryStrand::end) == 4,
              "blastn::QueryStrand::end");
static_assert(offsetof(blastn::QueryStrand, drop) == 8 && sizeof(blastn::QueryStrand::drop) == 4,
              "blastn::QueryStrand::drop");
static_assert(offsetof(blastn::QueryStrand, reduced_cutoff) == 12 && sizeof(blastn::QueryStrand::reduced_cutoff) == 4,
              "blastn::QueryStrand::reduced_cutoff");
static_assert(offsetof(blastn::QueryStrand, cutoff) == 16 && sizeof(blastn::QueryStrand::cutoff) == 4,
              "blastn::QueryStrand::cutoff");
static_assert(offsetof(blastn::QueryStrand, has_ambiguous) == 20 && sizeof(blastn::QueryStrand::has_ambiguous) == 4,
              "blastn::QueryStrand::has_ambiguous");

static_assert(sizeof(blastn::EightColumnScore) == 8, "size of blastn::EightColumnScore");
static_assert(offsetof(blastn::EightColumnScore, total) == 0 && sizeof(blastn::EightColumnScore::total) == 2,
              "blastn::EightColumnScore::total");
static_assert(offsetof(blastn::EightColumnScore, best) == 2 && sizeof(blastn::EightColumnScore::best) == 2,
              "blastn::EightColumnScore::best");
static_assert(offsetof(blastn::EightColumnScore, best_length) == 4 && sizeof(blastn::EightColumnScore::best_length) == 2,
              "blastn::EightColumnScore::best_length");
static_assert(offsetof(blastn::EightColumnScore, fall) == 6 && sizeof(blastn::EightColumnScore::fall) == 2,
              "blastn::EightColumnScore::fall");

static_assert(sizeof(blastn::PipelineTables) == 144, "size of blastn::PipelineTables");
static_assert(offsetof(blastn::PipelineTables, packed_bases) == 0 && sizeof(blastn::PipelineTables::packed_bases) == 8,
              "blastn::PipelineTables::packed_bases");
static_assert(offsetof(blastn::PipelineTables, chunks) == 8 && sizeof(blastn::PipelineTables::chunks) == 8,
              "blastn::PipelineTables::chunks");
static_assert(offsetof(blastn::PipelineTables, word_present) == 16 && sizeof(blastn::PipelineTables::word_present) == 8,
              "blastn::PipelineTables::word_present");
static_assert(offsetof(blastn::PipelineTables, word_starts) == 24 && sizeof(blastn::PipelineTables::word_starts) == 8,
              "blastn::PipelineTables::word_starts");
static_assert(offsetof(blastn::PipelineTables, word_places) == 32 && sizeof(blastn::PipelineTables::word_places) == 8,
              "blastn::PipelineTables::word_places");
static_assert(offsetof(blastn::PipelineTables, word_begins) == 40 && sizeof(blastn::PipelineTables::word_begins) == 8,
              "blastn::PipelineTables::word_begins");
static_assert(offsetof(blastn::PipelineTables, letters) == 48 && sizeof(blastn::PipelineTables::letters) == 8,
              "blastn::PipelineTables::letters");
static_assert(offsetof(blastn::PipelineTables, letter_bases) == 56 && sizeof(blastn::PipelineTables::letter_bases) == 8,
              "blastn::PipelineTables::letter_bases");
static_assert(offsetof(blastn::PipelineTables, ambiguous) == 64 && sizeof(blastn::PipelineTables::ambiguous) == 8,
              "blastn::PipelineTables::ambiguous");
static_assert(offsetof(blastn::PipelineTables, strands) == 72 && sizeof(blastn::PipelineTables::strands) == 8,
              "blastn::PipelineTables::strands");
static_assert(offsetof(blastn::PipelineTables, matrix) == 80 && sizeof(blastn::PipelineTables::matrix) == 8,
              "blastn::PipelineTables::matrix");
static_assert(offsetof(blastn::PipelineTables, byte_scores) == 88 && sizeof(blastn::PipelineTables::byte_scores) == 8,
              "blastn::PipelineTables::byte_scores");
static_assert(offsetof(blastn::PipelineTables, eight_column_scores) == 96 && sizeof(blastn::PipelineTables::eight_column_scores) == 8,
              "blastn::PipelineTables::eight_column_scores");
static_assert(offsetof(blastn::PipelineTables, representative_offsets) == 104 && sizeof(blastn::PipelineTables::representative_offsets) == 8,
              "blastn::PipelineTables::representative_offsets");
static_assert(offsetof(blastn::PipelineTables, letter_count) == 112 && sizeof(blastn::PipelineTables::letter_count) == 4,
              "blastn::PipelineTables::letter_count");
static_assert(offsetof(blastn::PipelineTables, strand_count) == 116 && sizeof(blastn::PipelineTables::strand_count) == 4,
              "blastn::PipelineTables::strand_count");
static_assert(offsetof(blastn::PipelineTables, lookup_width) == 120 && sizeof(blastn::PipelineTables::lookup_width) == 4,
              "blastn::PipelineTables::lookup_width");
static_assert(offsetof(blastn::PipelineTables, word_length) == 124 && sizeof(blastn::PipelineTables::word_length) == 4,
              "blastn::PipelineTables::word_length");
static_assert(offsetof(blastn::PipelineTables, stride) == 128 && sizeof(blastn::PipelineTables::stride) == 4,
              "blastn::PipelineTables::stride");
static_assert(offsetof(blastn::PipelineTables, uses_quads) == 132 && sizeof(blastn::PipelineTables::uses_quads) == 4,
              "blastn::PipelineTables::uses_quads");
static_assert(offsetof(blastn::PipelineTables, reward) == 136 && sizeof(blastn::PipelineTables::reward) == 4,
              "blastn::PipelineTables::reward");
static_assert(offsetof(blastn::PipelineTables, penalty) == 140 && sizeof(blastn::PipelineTables::penalty) == 4,
              "blastn::PipelineTables::penalty");

static_assert(sizeof(blastn::ChunkSlice) == 12, "size of blastn::ChunkSlice");
static_assert(offsetof(blastn::ChunkSlice, chunk) == 0 && sizeof(blastn::ChunkSlice::chunk) == 4,
              "blastn::ChunkSlice::chunk");
static_assert(offsetof(blastn::ChunkSlice, first) == 4 && sizeof(blastn::ChunkSlice::first) == 4,
              "blastn::ChunkSlice::first");
static_assert(offsetof(blastn::ChunkSlice, words) == 8 && sizeof(blastn::ChunkSlice::words) == 4,
              "blastn::ChunkSlice::words");

static_assert(sizeof(blastn::FoundWord) == 16, "size of blastn::FoundWord");
static_assert(offsetof(blastn::FoundWord, chunk) == 0 && sizeof(blastn::FoundWord::chunk) == 4,
              "blastn::FoundWord::chunk");
static_assert(offsetof(blastn::FoundWord, subject) == 4 && sizeof(blastn::FoundWord::subject) == 4,
              "blastn::FoundWord::subject");
static_assert(offsetof(blastn::FoundWord, start) == 8 && sizeof(blastn::FoundWord::start) == 4,
              "blastn::FoundWord::start");
static_assert(offsetof(blastn::FoundWord, count) == 12 && sizeof(blastn::FoundWord::count) == 4,
              "blastn::FoundWord::count");

static_assert(sizeof(blastn::SeedHit) == 16, "size of blastn::SeedHit");
static_assert(offsetof(blastn::SeedHit, chunk) == 0 && sizeof(blastn::SeedHit::chunk) == 4,
              "blastn::SeedHit::chunk");
static_assert(offsetof(blastn::SeedHit, query) == 4 && sizeof(blastn::SeedHit::query) == 4,
              "blastn::SeedHit::query");
static_assert(offsetof(blastn::SeedHit, subject) == 8 && sizeof(blastn::SeedHit::subject) == 4,
              "blastn::SeedHit::subject");
static_assert(offsetof(blastn::SeedHit, probe) == 12 && sizeof(blastn::SeedHit::probe) == 4,
              "blastn::SeedHit::probe");

static_assert(sizeof(blastn::ExtendedSeed) == 32, "size of blastn::ExtendedSeed");
static_assert(offsetof(blastn::ExtendedSeed, seed) == 0 && sizeof(blastn::ExtendedSeed::seed) == 16,
              "blastn::ExtendedSeed::seed");
static_assert(offsetof(blastn::ExtendedSeed, query) == 16 && sizeof(blastn::ExtendedSeed::query) == 4,
              "blastn::ExtendedSeed::query");
static_assert(offsetof(blastn::ExtendedSeed, subject) == 20 && sizeof(blastn::ExtendedSeed::subject) == 4,
              "blastn::ExtendedSeed::subject");
static_assert(offsetof(blastn::ExtendedSeed, length) == 24 && sizeof(blastn::ExtendedSeed::length) == 4,
              "blastn::ExtendedSeed::length");
static_assert(offsetof(blastn::ExtendedSeed, score) == 28 && sizeof(blastn::ExtendedSeed::score) == 4,
              "blastn::ExtendedSeed::score");

static_assert(sizeof(blastn::UnalignedSeed) == 16, "size of blastn::UnalignedSeed");
static_assert(offsetof(blastn::UnalignedSeed, marked) == 0 && sizeof(blastn::UnalignedSeed::marked) == 16,
              "blastn::UnalignedSeed::marked");

static_assert(sizeof(blastn::OneSidedExtension) == 12, "size of blastn::OneSidedExtension");
static_assert(offsetof(blastn::OneSidedExtension, score) == 0 && sizeof(blastn::OneSidedExtension::score) == 4,
              "blastn::OneSidedExtension::score");
static_assert(offsetof(blastn::OneSidedExtension, sum) == 4 && sizeof(blastn::OneSidedExtension::sum) == 4,
              "blastn::OneSidedExtension::sum");
static_assert(offsetof(blastn::OneSidedExtension, reach) == 8 && sizeof(blastn::OneSidedExtension::reach) == 4,
              "blastn::OneSidedExtension::reach");

static_assert(sizeof(blastn::PartialExtension) == 48, "size of blastn::PartialExtension");
static_assert(offsetof(blastn::PartialExtension, seed) == 0 && sizeof(blastn::PartialExtension::seed) == 16,
              "blastn::PartialExtension::seed");
static_assert(offsetof(blastn::PartialExtension, left) == 16 && sizeof(blastn::PartialExtension::left) == 12,
              "blastn::PartialExtension::left");
static_assert(offsetof(blastn::PartialExtension, right) == 28 && sizeof(blastn::PartialExtension::right) == 12,
              "blastn::PartialExtension::right");
static_assert(offsetof(blastn::PartialExtension, done) == 40 && sizeof(blastn::PartialExtension::done) == 4,
              "blastn::PartialExtension::done");
static_assert(offsetof(blastn::PartialExtension, progress) == 44 && sizeof(blastn::PartialExtension::progress) == 4,
              "blastn::PartialExtension::progress");

static_assert(sizeof(blastn::DiagonalKey) == 16, "size of blastn::DiagonalKey");
static_assert(offsetof(blastn::DiagonalKey, chunk) == 0 && sizeof(blastn::DiagonalKey::chunk) == 4,
              "blastn::DiagonalKey::chunk");
static_assert(offsetof(blastn::DiagonalKey, diagonal) == 4 && sizeof(blastn::DiagonalKey::diagonal) == 4,
              "blastn::DiagonalKey::diagonal");
static_assert(offsetof(blastn::DiagonalKey, probe) == 8 && sizeof(blastn::DiagonalKey::probe) == 4,
              "blastn::DiagonalKey::probe");
static_assert(offsetof(blastn::DiagonalKey, place) == 12 && sizeof(blastn::DiagonalKey::place) == 4,
              "blastn::DiagonalKey::place");

static_assert(sizeof(blastn::DiagonalParameters) == 224, "size of blastn::DiagonalParameters");
static_assert(offsetof(blastn::DiagonalParameters, tables) == 0 && sizeof(blastn::DiagonalParameters::tables) == 144,
              "blastn::DiagonalParameters::tables");
static_assert(offsetof(blastn::DiagonalParameters, extended) == 144 && sizeof(blastn::DiagonalParameters::extended) == 8,
              "blastn::DiagonalParameters::extended");
static_assert(offsetof(blastn::DiagonalParameters, unaligned) == 152 && sizeof(blastn::DiagonalParameters::unaligned) == 8,
              "blastn::DiagonalParameters::unaligned");
static_assert(offsetof(blastn::DiagonalParameters, marked_diagonals) == 160 && sizeof(blastn::DiagonalParameters::marked_diagonals) == 8,
              "blastn::DiagonalParameters::marked_diagonals");
static_assert(offsetof(blastn::DiagonalParameters, keys) == 168 && sizeof(blastn::DiagonalParameters::keys) == 8,
              "blastn::DiagonalParameters::keys");
static_assert(offsetof(blastn::DiagonalParameters, cursors) == 176 && sizeof(blastn::DiagonalParameters::cursors) == 8,
              "blastn::DiagonalParameters::cursors");
static_assert(offsetof(blastn::DiagonalParameters, hits) == 184 && sizeof(blastn::DiagonalParameters::hits) == 8,
              "blastn::DiagonalParameters::hits");
static_assert(offsetof(blastn::DiagonalParameters, carried) == 192 && sizeof(blastn::DiagonalParameters::carried) == 8,
              "blastn::DiagonalParameters::carried");
static_assert(offsetof(blastn::DiagonalParameters, extended_count) == 200 && sizeof(blastn::DiagonalParameters::extended_count) == 4,
              "blastn::DiagonalParameters::extended_count");
static_assert(offsetof(blastn::DiagonalParameters, unaligned_count) == 204 && sizeof(blastn::DiagonalParameters::unaligned_count) == 4,
              "blastn::DiagonalParameters::unaligned_count");
static_assert(offsetof(blastn::DiagonalParameters, marked_mask) == 208 && sizeof(blastn::DiagonalParameters::marked_mask) == 4,
              "blastn::DiagonalParameters::marked_mask");
static_assert(offsetof(blastn::DiagonalParameters, key_count) == 212 && sizeof(blastn::DiagonalParameters::key_count) == 4,
              "blastn::DiagonalParameters::key_count");
static_assert(offsetof(blastn::DiagonalParameters, piece_end) == 216 && sizeof(blastn::DiagonalParameters::piece_end) == 4,
              "blastn::DiagonalParameters::piece_end");
static_assert(offsetof(blastn::DiagonalParameters, padding) == 220 && sizeof(blastn::DiagonalParameters::padding) == 4,
              "blastn::DiagonalParameters::padding");

static_assert(sizeof(blastn::ExtensionSide) == 32, "size of blastn::ExtensionSide");
static_assert(offsetof(blastn::ExtensionSide, row_at) == 0 && sizeof(blastn::ExtensionSide::row_at) == 8,
              "blastn::ExtensionSide::row_at");
static_assert(offsetof(blastn::ExtensionSide, column_at) == 8 && sizeof(blastn::ExtensionSide::column_at) == 8,
              "blastn::ExtensionSide::column_at");
static_assert(offsetof(blastn::ExtensionSide, rows) == 16 && sizeof(blastn::ExtensionSide::rows) == 4,
              "blastn::ExtensionSide::rows");
static_assert(offsetof(blastn::ExtensionSide, columns) == 20 && sizeof(blastn::ExtensionSide::columns) == 4,
              "blastn::ExtensionSide::columns");
static_assert(offsetof(blastn::ExtensionSide, x_drop) == 24 && sizeof(blastn::ExtensionSide::x_drop) == 4,
              "blastn::ExtensionSide::x_drop");
static_assert(offsetof(blastn::ExtensionSide, reverse) == 28 && sizeof(blastn::ExtensionSide::reverse) == 4,
              "blastn::ExtensionSide::reverse");

static_assert(sizeof(blastn::SideReach) == 20, "size of blastn::SideReach");
static_assert(offsetof(blastn::SideReach, score) == 0 && sizeof(blastn::SideReach::score) == 4,
              "blastn::SideReach::score");
static_assert(offsetof(blastn::SideReach, rows) == 4 && sizeof(blastn::SideReach::rows) == 4,
              "blastn::SideReach::rows");
static_assert(offsetof(blastn::SideReach, columns) == 8 && sizeof(blastn::SideReach::columns) == 4,
              "blastn::SideReach::columns");
static_assert(offsetof(blastn::SideReach, first_run) == 12 && sizeof(blastn::SideReach::first_run) == 4,
              "blastn::SideReach::first_run");
static_assert(offsetof(blastn::SideReach, runs) == 16 && sizeof(blastn::SideReach::runs) == 4,
              "blastn::SideReach::runs");

static_assert(sizeof(blastn::AffineParameters) == 96, "size of blastn::AffineParameters");
static_assert(offsetof(blastn::AffineParameters, sides) == 0 && sizeof(blastn::AffineParameters::sides) == 8,
              "blastn::AffineParameters::sides");
static_assert(offsetof(blastn::AffineParameters, rows) == 8 && sizeof(blastn::AffineParameters::rows) == 8,
              "blastn::AffineParameters::rows");
static_assert(offsetof(blastn::AffineParameters, columns) == 16 && sizeof(blastn::AffineParameters::columns) == 8,
              "blastn::AffineParameters::columns");
static_assert(offsetof(blastn::AffineParameters, matrix) == 24 && sizeof(blastn::AffineParameters::matrix) == 8,
              "blastn::AffineParameters::matrix");
static_assert(offsetof(blastn::AffineParameters, reaches) == 32 && sizeof(blastn::AffineParameters::reaches) == 8,
              "blastn::AffineParameters::reaches");
static_assert(offsetof(blastn::AffineParameters, cursors) == 40 && sizeof(blastn::AffineParameters::cursors) == 8,
              "blastn::AffineParameters::cursors");
static_assert(offsetof(blastn::AffineParameters, sources) == 48 && sizeof(blastn::AffineParameters::sources) == 8,
              "blastn::AffineParameters::sources");
static_assert(offsetof(blastn::AffineParameters, runs) == 56 && sizeof(blastn::AffineParameters::runs) == 8,
              "blastn::AffineParameters::runs");
static_assert(offsetof(blastn::AffineParameters, source_words) == 64 && sizeof(blastn::AffineParameters::source_words) == 8,
              "blastn::AffineParameters::source_words");
static_assert(offsetof(blastn::AffineParameters, side_count) == 72 && sizeof(blastn::AffineParameters::side_count) == 4,
              "blastn::AffineParameters::side_count");
static_assert(offsetof(blastn::AffineParameters, ring_slots) == 76 && sizeof(blastn::AffineParameters::ring_slots) == 4,
              "blastn::AffineParameters::ring_slots");
static_assert(offsetof(blastn::AffineParameters, run_capacity) == 80 && sizeof(blastn::AffineParameters::run_capacity) == 4,
              "blastn::AffineParameters::run_capacity");
static_assert(offsetof(blastn::AffineParameters, gap_first) == 84 && sizeof(blastn::AffineParameters::gap_first) == 4,
              "blastn::AffineParameters::gap_first");
static_assert(offsetof(blastn::AffineParameters, gap_more) == 88 && sizeof(blastn::AffineParameters::gap_more) == 4,
              "blastn::AffineParameters::gap_more");
static_assert(offsetof(blastn::AffineParameters, padding) == 92 && sizeof(blastn::AffineParameters::padding) == 4,
              "blastn::AffineParameters::padding");

static_assert(sizeof(blastn::GreedySideReach) == 24, "size of blastn::GreedySideReach");
static_assert(offsetof(blastn::GreedySideReach, differences) == 0 && sizeof(blastn::GreedySideReach::differences) == 4,
              "blastn::GreedySideReach::differences");
static_assert(offsetof(blastn::GreedySideReach, query) == 4 && sizeof(blastn::GreedySideReach::query) == 4,
              "blastn::GreedySideReach::query");
static_assert(offsetof(blastn::GreedySideReach, subject) == 8 && sizeof(blastn::GreedySideReach::subject) == 4,
              "blastn::GreedySideReach::subject");
static_assert(offsetof(blastn::GreedySideReach, run_query) == 12 && sizeof(blastn::GreedySideReach::run_query) == 4,
              "blastn::GreedySideReach::run_query");
static_assert(offsetof(blastn::GreedySideReach, run_subject) == 16 && sizeof(blastn::GreedySideReach::run_subject) == 4,
              "blastn::GreedySideReach::run_subject");
static_assert(offsetof(blastn::GreedySideReach, run_length) == 20 && sizeof(blastn::GreedySideReach::run_length) == 4,
              "blastn::GreedySideReach::run_length");

static_assert(sizeof(blastn::GreedyScores) == 12, "size of blastn::GreedyScores");
static_assert(offsetof(blastn::GreedyScores, reward) == 0 && sizeof(blastn::GreedyScores::reward) == 4,
              "blastn::GreedyScores::reward");
static_assert(offsetof(blastn::GreedyScores, cost) == 4 && sizeof(blastn::GreedyScores::cost) == 4,
              "blastn::GreedyScores::cost");
static_assert(offsetof(blastn::GreedyScores, factor) == 8 && sizeof(blastn::GreedyScores::factor) == 4,
              "blastn::GreedyScores::factor");

static_assert(sizeof(blastn::GreedyParameters) == 64, "size of blastn::GreedyParameters");
static_assert(offsetof(blastn::GreedyParameters, sides) == 0 && sizeof(blastn::GreedyParameters::sides) == 8,
              "blastn::GreedyParameters::sides");
static_assert(offsetof(blastn::GreedyParameters, subject) == 8 && sizeof(blastn::GreedyParameters::subject) == 8,
              "blastn::GreedyParameters::subject");
static_assert(offsetof(blastn::GreedyParameters, query) == 16 && sizeof(blastn::GreedyParameters::query) == 8,
              "blastn::GreedyParameters::query");
static_assert(offsetof(blastn::GreedyParameters, reaches) == 24 && sizeof(blastn::GreedyParameters::reaches) == 8,
              "blastn::GreedyParameters::reaches");
static_assert(offsetof(blastn::GreedyParameters, cursor) == 32 && sizeof(blastn::GreedyParameters::cursor) == 8,
              "blastn::GreedyParameters::cursor");
static_assert(offsetof(blastn::GreedyParameters, side_count) == 40 && sizeof(blastn::GreedyParameters::side_count) == 4,
              "blastn::GreedyParameters::side_count");
static_assert(offsetof(blastn::GreedyParameters, front_slots) == 44 && sizeof(blastn::GreedyParameters::front_slots) == 4,
              "blastn::GreedyParameters::front_slots");
static_assert(offsetof(blastn::GreedyParameters, scores) == 48 && sizeof(blastn::GreedyParameters::scores) == 12,
              "blastn::GreedyParameters::scores");
static_assert(offsetof(blastn::GreedyParameters, padding) == 60 && sizeof(blastn::GreedyParameters::padding) == 4,
              "blastn::GreedyParameters::padding");

static_assert(sizeof(blastn::GreedyTraceParameters) == 112, "size of blastn::GreedyTraceParameters");
static_assert(offsetof(blastn::GreedyTraceParameters, greedy) == 0 && sizeof(blastn::GreedyTraceParameters::greedy) == 64,
              "blastn::GreedyTraceParameters::greedy");
static_assert(offsetof(blastn::GreedyTraceParameters, reaches) == 64 && sizeof(blastn::GreedyTraceParameters::reaches) == 8,
              "blastn::GreedyTraceParameters::reaches");
static_assert(offsetof(blastn::GreedyTraceParameters, cursors) == 72 && sizeof(blastn::GreedyTraceParameters::cursors) == 8,
              "blastn::GreedyTraceParameters::cursors");
static_assert(offsetof(blastn::GreedyTraceParameters, sources) == 80 && sizeof(blastn::GreedyTraceParameters::sources) == 8,
              "blastn::GreedyTraceParameters::sources");
static_assert(offsetof(blastn::GreedyTraceParameters, runs) == 88 && sizeof(blastn::GreedyTraceParameters::runs) == 8,
              "blastn::GreedyTraceParameters::runs");
static_assert(offsetof(blastn::GreedyTraceParameters, source_words) == 96 && sizeof(blastn::GreedyTraceParameters::source_words) == 8,
              "blastn::GreedyTraceParameters::source_words");
static_assert(offsetof(blastn::GreedyTraceParameters, run_capacity) == 104 && sizeof(blastn::GreedyTraceParameters::run_capacity) == 4,
              "blastn::GreedyTraceParameters::run_capacity");
static_assert(offsetof(blastn::GreedyTraceParameters, padding) == 108 && sizeof(blastn::GreedyTraceParameters::padding) == 4,
              "blastn::GreedyTraceParameters::padding");

static_assert(sizeof(blastn::SortKey) == 16, "size of blastn::SortKey");
static_assert(offsetof(blastn::SortKey, numbers) == 0 && sizeof(blastn::SortKey::numbers) == 12,
              "blastn::SortKey::numbers");
static_assert(offsetof(blastn::SortKey, place) == 12 && sizeof(blastn::SortKey::place) == 4,
              "blastn::SortKey::place");

static_assert(sizeof(blastn::PairVerdict) == 32, "size of blastn::PairVerdict");
static_assert(offsetof(blastn::PairVerdict, chunk) == 0 && sizeof(blastn::PairVerdict::chunk) == 4,
              "blastn::PairVerdict::chunk");
static_assert(offsetof(blastn::PairVerdict, strand) == 4 && sizeof(blastn::PairVerdict::strand) == 4,
              "blastn::PairVerdict::strand");
static_assert(offsetof(blastn::PairVerdict, first) == 8 && sizeof(blastn::PairVerdict::first) == 4,
              "blastn::PairVerdict::first");
static_assert(offsetof(blastn::PairVerdict, count) == 12 && sizeof(blastn::PairVerdict::count) == 4,
              "blastn::PairVerdict::count");
static_assert(offsetof(blastn::PairVerdict, score) == 16 && sizeof(blastn::PairVerdict::score) == 4,
              "blastn::PairVerdict::score");
static_assert(offsetof(blastn::PairVerdict, others) == 20 && sizeof(blastn::PairVerdict::others) == 4,
              "blastn::PairVerdict::others");
static_assert(offsetof(blastn::PairVerdict, others_opposite) == 24 && sizeof(blastn::PairVerdict::others_opposite) == 4,
              "blastn::PairVerdict::others_opposite");
static_assert(offsetof(blastn::PairVerdict, state) == 28 && sizeof(blastn::PairVerdict::state) == 4,
              "blastn::PairVerdict::state");

static_assert(sizeof(blastn::ChosenPair) == 12, "size of blastn::ChosenPair");
static_assert(offsetof(blastn::ChosenPair, first) == 0 && sizeof(blastn::ChosenPair::first) == 4,
              "blastn::ChosenPair::first");
static_assert(offsetof(blastn::ChosenPair, count) == 4 && sizeof(blastn::ChosenPair::count) == 4,
              "blastn::ChosenPair::count");
static_assert(offsetof(blastn::ChosenPair, offset) == 8 && sizeof(blastn::ChosenPair::offset) == 4,
              "blastn::ChosenPair::offset");

static_assert(sizeof(blastn::GatheredHit) == 80, "size of blastn::GatheredHit");
static_assert(offsetof(blastn::GatheredHit, found) == 0 && sizeof(blastn::GatheredHit::found) == 28,
              "blastn::GatheredHit::found");
static_assert(offsetof(blastn::GatheredHit, is_extended) == 28 && sizeof(blastn::GatheredHit::is_extended) == 4,
              "blastn::GatheredHit::is_extended");
static_assert(offsetof(blastn::GatheredHit, reaches) == 32 && sizeof(blastn::GatheredHit::reaches) == 48,
              "blastn::GatheredHit::reaches");

static_assert(sizeof(blastn::QueryCountParameters) == 32, "size of blastn::QueryCountParameters");
static_assert(offsetof(blastn::QueryCountParameters, hits) == 0 && sizeof(blastn::QueryCountParameters::hits) == 8,
              "blastn::QueryCountParameters::hits");
static_assert(offsetof(blastn::QueryCountParameters, strands) == 8 && sizeof(blastn::QueryCountParameters::strands) == 8,
              "blastn::QueryCountParameters::strands");
static_assert(offsetof(blastn::QueryCountParameters, counts) == 16 && sizeof(blastn::QueryCountParameters::counts) == 8,
              "blastn::QueryCountParameters::counts");
static_assert(offsetof(blastn::QueryCountParameters, hit_count) == 24 && sizeof(blastn::QueryCountParameters::hit_count) == 4,
              "blastn::QueryCountParameters::hit_count");
static_assert(offsetof(blastn::QueryCountParameters, strand_count) == 28 && sizeof(blastn::QueryCountParameters::strand_count) == 4,
              "blastn::QueryCountParameters::strand_count");

static_assert(sizeof(blastn::PairParameters) == 160, "size of blastn::PairParameters");
static_assert(offsetof(blastn::PairParameters, chunks) == 0 && sizeof(blastn::PairParameters::chunks) == 8,
              "blastn::PairParameters::chunks");
static_assert(offsetof(blastn::PairParameters, strands) == 8 && sizeof(blastn::PairParameters::strands) == 8,
              "blastn::PairParameters::strands");
static_assert(offsetof(blastn::PairParameters, found) == 16 && sizeof(blastn::PairParameters::found) == 8,
              "blastn::PairParameters::found");
static_assert(offsetof(blastn::PairParameters, hits) == 24 && sizeof(blastn::PairParameters::hits) == 8,
              "blastn::PairParameters::hits");
static_assert(offsetof(blastn::PairParameters, keys) == 32 && sizeof(blastn::PairParameters::keys) == 8,
              "blastn::PairParameters::keys");
static_assert(offsetof(blastn::PairParameters, firsts) == 40 && sizeof(blastn::PairParameters::firsts) == 8,
              "blastn::PairParameters::firsts");
static_assert(offsetof(blastn::PairParameters, others) == 48 && sizeof(blastn::PairParameters::others) == 8,
              "blastn::PairParameters::others");
static_assert(offsetof(blastn::PairParameters, inner) == 56 && sizeof(blastn::PairParameters::inner) == 8,
              "blastn::PairParameters::inner");
static_assert(offsetof(blastn::PairParameters, extended) == 64 && sizeof(blastn::PairParameters::extended) == 8,
              "blastn::PairParameters::extended");
static_assert(offsetof(blastn::PairParameters, first_reaches) == 72 && sizeof(blastn::PairParameters::first_reaches) == 8,
              "blastn::PairParameters::first_reaches");
static_assert(offsetof(blastn::PairParameters, other_reaches) == 80 && sizeof(blastn::PairParameters::other_reaches) == 8,
              "blastn::PairParameters::other_reaches");
static_assert(offsetof(blastn::PairParameters, inner_reaches) == 88 && sizeof(blastn::PairParameters::inner_reaches) == 8,
              "blastn::PairParameters::inner_reaches");
static_assert(offsetof(blastn::PairParameters, verdicts) == 96 && sizeof(blastn::PairParameters::verdicts) == 8,
              "blastn::PairParameters::verdicts");
static_assert(offsetof(blastn::PairParameters, cursor) == 104 && sizeof(blastn::PairParameters::cursor) == 8,
              "blastn::PairParameters::cursor");
static_assert(offsetof(blastn::PairParameters, strand_count) == 112 && sizeof(blastn::PairParameters::strand_count) == 4,
              "blastn::PairParameters::strand_count");
static_assert(offsetof(blastn::PairParameters, hit_count) == 116 && sizeof(blastn::PairParameters::hit_count) == 4,
              "blastn::PairParameters::hit_count");
static_assert(offsetof(blastn::PairParameters, pair_count) == 120 && sizeof(blastn::PairParameters::pair_count) == 4,
              "blastn::PairParameters::pair_count");
static_assert(offsetof(blastn::PairParameters, other_count) == 124 && sizeof(blastn::PairParameters::other_count) == 4,
              "blastn::PairParameters::other_count");
static_assert(offsetof(blastn::PairParameters, longest) == 128 && sizeof(blastn::PairParameters::longest) == 4,
              "blastn::PairParameters::longest");
static_assert(offsetof(blastn::PairParameters, greatest_score) == 132 && sizeof(blastn::PairParameters::greatest_score) == 4,
              "blastn::PairParameters::greatest_score");
static_assert(offsetof(blastn::PairParameters, is_greedy) == 136 && sizeof(blastn::PairParameters::is_greedy) == 4,
              "blastn::PairParameters::is_greedy");
static_assert(offsetof(blastn::PairParameters, reward) == 140 && sizeof(blastn::PairParameters::reward) == 4,
              "blastn::PairParameters::reward");
static_assert(offsetof(blastn::PairParameters, penalty) == 144 && sizeof(blastn::PairParameters::penalty) == 4,
              "blastn::PairParameters::penalty");
static_assert(offsetof(blastn::PairParameters, x_drop) == 148 && sizeof(blastn::PairParameters::x_drop) == 4,
              "blastn::PairParameters::x_drop");
static_assert(offsetof(blastn::PairParameters, least_drop) == 152 && sizeof(blastn::PairParameters::least_drop) == 4,
              "blastn::PairParameters::least_drop");
static_assert(offsetof(blastn::PairParameters, separation) == 156 && sizeof(blastn::PairParameters::separation) == 4,
              "blastn::PairParameters::separation");

static_assert(sizeof(blastn::SideParameters) == 240, "size of blastn::SideParameters");
static_assert(offsetof(blastn::SideParameters, pairs) == 0 && sizeof(blastn::SideParameters::pairs) == 160,
              "blastn::SideParameters::pairs");
static_assert(offsetof(blastn::SideParameters, listed) == 160 && sizeof(blastn::SideParameters::listed) == 8,
              "blastn::SideParameters::listed");
static_assert(offsetof(blastn::SideParameters, wanted) == 168 && sizeof(blastn::SideParameters::wanted) == 8,
              "blastn::SideParameters::wanted");
static_assert(offsetof(blastn::SideParameters, keys) == 176 && sizeof(blastn::SideParameters::keys) == 8,
              "blastn::SideParameters::keys");
static_assert(offsetof(blastn::SideParameters, sides) == 184 && sizeof(blastn::SideParameters::sides) == 8,
              "blastn::SideParameters::sides");
static_assert(offsetof(blastn::SideParameters, reached) == 192 && sizeof(blastn::SideParameters::reached) == 8,
              "blastn::SideParameters::reached");
static_assert(offsetof(blastn::SideParameters, reaches) == 200 && sizeof(blastn::SideParameters::reaches) == 8,
              "blastn::SideParameters::reaches");
static_assert(offsetof(blastn::SideParameters, unfinished) == 208 && sizeof(blastn::SideParameters::unfinished) == 8,
              "blastn::SideParameters::unfinished");
static_assert(offsetof(blastn::SideParameters, cursor) == 216 && sizeof(blastn::SideParameters::cursor) == 8,
              "blastn::SideParameters::cursor");
static_assert(offsetof(blastn::SideParameters, side_count) == 224 && sizeof(blastn::SideParameters::side_count) == 4,
              "blastn::SideParameters::side_count");
static_assert(offsetof(blastn::SideParameters, first_side) == 228 && sizeof(blastn::SideParameters::first_side) == 4,
              "blastn::SideParameters::first_side");
static_assert(offsetof(blastn::SideParameters, reached_words) == 232 && sizeof(blastn::SideParameters::reached_words) == 4,
              "blastn::SideParameters::reached_words");
static_assert(offsetof(blastn::SideParameters, padding) == 236 && sizeof(blastn::SideParameters::padding) == 4,
              "blastn::SideParameters::padding");

static_assert(sizeof(blastn::JudgeParameters) == 184, "size of blastn::JudgeParameters");
static_assert(offsetof(blastn::JudgeParameters, pairs) == 0 && sizeof(blastn::JudgeParameters::pairs) == 160,
              "blastn::JudgeParameters::pairs");
static_assert(offsetof(blastn::JudgeParameters, listed) == 160 && sizeof(blastn::JudgeParameters::listed) == 8,
              "blastn::JudgeParameters::listed");
static_assert(offsetof(blastn::JudgeParameters, reaches) == 168 && sizeof(blastn::JudgeParameters::reaches) == 8,
              "blastn::JudgeParameters::reaches");
static_assert(offsetof(blastn::JudgeParameters, listed_count) == 176 && sizeof(blastn::JudgeParameters::listed_count) == 4,
              "blastn::JudgeParameters::listed_count");
static_assert(offsetof(blastn::JudgeParameters, padding) == 180 && sizeof(blastn::JudgeParameters::padding) == 4,
              "blastn::JudgeParameters::padding");

static_assert(sizeof(blastn::GatherParameters) == 192, "size of blastn::GatherParameters");
static_assert(offsetof(blastn::GatherParameters, pairs) == 0 && sizeof(blastn::GatherParameters::pairs) == 160,
              "blastn::GatherParameters::pairs");
static_assert(offsetof(blastn::GatherParameters, chosen) == 160 && sizeof(blastn::GatherParameters::chosen) == 8,
              "blastn::GatherParameters::chosen");
static_assert(offsetof(blastn::GatherParameters, gathered) == 168 && sizeof(blastn::GatherParameters::gathered) == 8,
              "blastn::GatherParameters::gathered");
static_assert(offsetof(blastn::GatherParameters, chosen_count) == 176 && sizeof(blastn::GatherParameters::chosen_count) == 4,
              "blastn::GatherParameters::chosen_count");
static_assert(offsetof(blastn::GatherParameters, first) == 180 && sizeof(blastn::GatherParameters::first) == 4,
              "blastn::GatherParameters::first");
static_assert(offsetof(blastn::GatherParameters, count) == 184 && sizeof(blastn::GatherParameters::count) == 4,
              "blastn::GatherParameters::count");
static_assert(offsetof(blastn::GatherParameters, padding) == 188 && sizeof(blastn::GatherParameters::padding) == 4,
              "blastn::GatherParameters::padding");

static_assert(sizeof(blastn::UpperBoundParameters) == 120, "size of blastn::UpperBoundParameters");
static_assert(offsetof(blastn::UpperBoundParameters, packed_bases) == 0 && sizeof(blastn::UpperBoundParameters::packed_bases) == 8,
              "blastn::UpperBoundParameters::packed_bases");
static_assert(offsetof(blastn::UpperBoundParameters, chunks) == 8 && sizeof(blastn::UpperBoundParameters::chunks) == 8,
              "blastn::UpperBoundParameters::chunks");
static_assert(offsetof(blastn::UpperBoundParameters, is_bounded) == 16 && sizeof(blastn::UpperBoundParameters::is_bounded) == 8,
              "blastn::UpperBoundParameters::is_bounded");
static_assert(offsetof(blastn::UpperBoundParameters, strands) == 24 && sizeof(blastn::UpperBoundParameters::strands) == 8,
              "blastn::UpperBoundParameters::strands");
static_assert(offsetof(blastn::UpperBoundParameters, words) == 32 && sizeof(blastn::UpperBoundParameters::words) == 8,
              "blastn::UpperBoundParameters::words");
static_assert(offsetof(blastn::UpperBoundParameters, bounds) == 40 && sizeof(blastn::UpperBoundParameters::bounds) == 8,
              "blastn::UpperBoundParameters::bounds");
static_assert(offsetof(blastn::UpperBoundParameters, histograms) == 48 && sizeof(blastn::UpperBoundParameters::histograms) == 8,
              "blastn::UpperBoundParameters::histograms");
static_assert(offsetof(blastn::UpperBoundParameters, found) == 56 && sizeof(blastn::UpperBoundParameters::found) == 8,
              "blastn::UpperBoundParameters::found");
static_assert(offsetof(blastn::UpperBoundParameters, floors) == 64 && sizeof(blastn::UpperBoundParameters::floors) == 8,
              "blastn::UpperBoundParameters::floors");
static_assert(offsetof(blastn::UpperBoundParameters, chosen) == 72 && sizeof(blastn::UpperBoundParameters::chosen) == 8,
              "blastn::UpperBoundParameters::chosen");
static_assert(offsetof(blastn::UpperBoundParameters, cursor) == 80 && sizeof(blastn::UpperBoundParameters::cursor) == 8,
              "blastn::UpperBoundParameters::cursor");
static_assert(offsetof(blastn::UpperBoundParameters, chunk_count) == 88 && sizeof(blastn::UpperBoundParameters::chunk_count) == 4,
              "blastn::UpperBoundParameters::chunk_count");
static_assert(offsetof(blastn::UpperBoundParameters, strand_count) == 92 && sizeof(blastn::UpperBoundParameters::strand_count) == 4,
              "blastn::UpperBoundParameters::strand_count");
static_assert(offsetof(blastn::UpperBoundParameters, query_count) == 96 && sizeof(blastn::UpperBoundParameters::query_count) == 4,
              "blastn::UpperBoundParameters::query_count");
static_assert(offsetof(blastn::UpperBoundParameters, hit_count) == 100 && sizeof(blastn::UpperBoundParameters::hit_count) == 4,
              "blastn::UpperBoundParameters::hit_count");
static_assert(offsetof(blastn::UpperBoundParameters, reward) == 104 && sizeof(blastn::UpperBoundParameters::reward) == 4,
              "blastn::UpperBoundParameters::reward");
static_assert(offsetof(blastn::UpperBoundParameters, difference) == 108 && sizeof(blastn::UpperBoundParameters::difference) == 4,
              "blastn::UpperBoundParameters::difference");
static_assert(offsetof(blastn::UpperBoundParameters, with_unbounded) == 112 && sizeof(blastn::UpperBoundParameters::with_unbounded) == 4,
              "blastn::UpperBoundParameters::with_unbounded");
static_assert(offsetof(blastn::UpperBoundParameters, bin_shift) == 116 && sizeof(blastn::UpperBoundParameters::bin_shift) == 4,
              "blastn::UpperBoundParameters::bin_shift");

static_assert(sizeof(blastn::ListedWord) == 16, "size of blastn::ListedWord");
static_assert(offsetof(blastn::ListedWord, code) == 0 && sizeof(blastn::ListedWord::code) == 4,
              "blastn::ListedWord::code");
static_assert(offsetof(blastn::ListedWord, place) == 4 && sizeof(blastn::ListedWord::place) == 4,
              "blastn::ListedWord::place");
static_assert(offsetof(blastn::ListedWord, padding) == 8 && sizeof(blastn::ListedWord::padding) == 8,
              "blastn::ListedWord::padding");

static_assert(sizeof(blastn::ListWordsParameters) == 48, "size of blastn::ListWordsParameters");
static_assert(offsetof(blastn::ListWordsParameters, letters) == 0 && sizeof(blastn::ListWordsParameters::letters) == 8,
              "blastn::ListWordsParameters::letters");
static_assert(offsetof(blastn::ListWordsParameters, begins) == 8 && sizeof(blastn::ListWordsParameters::begins) == 8,
              "blastn::ListWordsParameters::begins");
static_assert(offsetof(blastn::ListWordsParameters, before) == 16 && sizeof(blastn::ListWordsParameters::before) == 8,
              "blastn::ListWordsParameters::before");
static_assert(offsetof(blastn::ListWordsParameters, words) == 24 && sizeof(blastn::ListWordsParameters::words) == 8,
              "blastn::ListWordsParameters::words");
static_assert(offsetof(blastn::ListWordsParameters, begin_count) == 32 && sizeof(blastn::ListWordsParameters::begin_count) == 4,
              "blastn::ListWordsParameters::begin_count");
static_assert(offsetof(blastn::ListWordsParameters, letter_count) == 36 && sizeof(blastn::ListWordsParameters::letter_count) == 4,
              "blastn::ListWordsParameters::letter_count");
static_assert(offsetof(blastn::ListWordsParameters, width) == 40 && sizeof(blastn::ListWordsParameters::width) == 4,
              "blastn::ListWordsParameters::width");
static_assert(offsetof(blastn::ListWordsParameters, padding) == 44 && sizeof(blastn::ListWordsParameters::padding) == 4,
              "blastn::ListWordsParameters::padding");

static_assert(sizeof(blastn::FillLookupParameters) == 40, "size of blastn::FillLookupParameters");
static_assert(offsetof(blastn::FillLookupParameters, words) == 0 && sizeof(blastn::FillLookupParameters::words) == 8,
              "blastn::FillLookupParameters::words");
static_assert(offsetof(blastn::FillLookupParameters, present) == 8 && sizeof(blastn::FillLookupParameters::present) == 8,
              "blastn::FillLookupParameters::present");
static_assert(offsetof(blastn::FillLookupParameters, starts) == 16 && sizeof(blastn::FillLookupParameters::starts) == 8,
              "blastn::FillLookupParameters::starts");
static_assert(offsetof(blastn::FillLookupParameters, places) == 24 && sizeof(blastn::FillLookupParameters::places) == 8,
              "blastn::FillLookupParameters::places");
static_assert(offsetof(blastn::FillLookupParameters, word_count) == 32 && sizeof(blastn::FillLookupParameters::word_count) == 4,
              "blastn::FillLookupParameters::word_count");
static_assert(offsetof(blastn::FillLookupParameters, code_count) == 36 && sizeof(blastn::FillLookupParameters::code_count) == 4,
              "blastn::FillLookupParameters::code_count");
