// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <nw_batch/structs.cuh>

static_assert(sizeof(nw::SequencePair) == 8, "size of nw::SequencePair");
static_assert(offsetof(nw::SequencePair, query) == 0 && sizeof(nw::SequencePair::query) == 4,
              "nw::SequencePair::query");
static_assert(offsetof(nw::SequencePair, target) == 4 && sizeof(nw::SequencePair::target) == 4,
              "nw::SequencePair::target");

static_assert(sizeof(nw::AlignmentEnd) == 12, "size of nw::AlignmentEnd");
static_assert(offsetof(nw::AlignmentEnd, score) == 0 && sizeof(nw::AlignmentEnd::score) == 4,
              "nw::AlignmentEnd::score");
static_assert(offsetof(nw::AlignmentEnd, row) == 4 && sizeof(nw::AlignmentEnd::row) == 4,
              "nw::AlignmentEnd::row");
static_assert(offsetof(nw::AlignmentEnd, column) == 8 && sizeof(nw::AlignmentEnd::column) == 4,
              "nw::AlignmentEnd::column");

static_assert(sizeof(nw::TracedAlignment) == 16, "size of nw::TracedAlignment");
static_assert(offsetof(nw::TracedAlignment, score) == 0 && sizeof(nw::TracedAlignment::score) == 4,
              "nw::TracedAlignment::score");
static_assert(offsetof(nw::TracedAlignment, run_count) == 4 && sizeof(nw::TracedAlignment::run_count) == 4,
              "nw::TracedAlignment::run_count");
static_assert(offsetof(nw::TracedAlignment, first_run) == 8 && sizeof(nw::TracedAlignment::first_run) == 8,
              "nw::TracedAlignment::first_run");

static_assert(sizeof(nw::BiasedScoring) == 28, "size of nw::BiasedScoring");
static_assert(offsetof(nw::BiasedScoring, base) == 0 && sizeof(nw::BiasedScoring::base) == 4,
              "nw::BiasedScoring::base");
static_assert(offsetof(nw::BiasedScoring, opening) == 4 && sizeof(nw::BiasedScoring::opening) == 4,
              "nw::BiasedScoring::opening");
static_assert(offsetof(nw::BiasedScoring, extend) == 8 && sizeof(nw::BiasedScoring::extend) == 4,
              "nw::BiasedScoring::extend");
static_assert(offsetof(nw::BiasedScoring, match_score) == 12 && sizeof(nw::BiasedScoring::match_score) == 4,
              "nw::BiasedScoring::match_score");
static_assert(offsetof(nw::BiasedScoring, mismatch_score) == 16 && sizeof(nw::BiasedScoring::mismatch_score) == 4,
              "nw::BiasedScoring::mismatch_score");
static_assert(offsetof(nw::BiasedScoring, unknown) == 20 && sizeof(nw::BiasedScoring::unknown) == 4,
              "nw::BiasedScoring::unknown");
static_assert(offsetof(nw::BiasedScoring, free_ends) == 24 && sizeof(nw::BiasedScoring::free_ends) == 4,
              "nw::BiasedScoring::free_ends");

static_assert(sizeof(nw::DeviceSequences) == 32, "size of nw::DeviceSequences");
static_assert(offsetof(nw::DeviceSequences, queries) == 0 && sizeof(nw::DeviceSequences::queries) == 8,
              "nw::DeviceSequences::queries");
static_assert(offsetof(nw::DeviceSequences, query_offsets) == 8 && sizeof(nw::DeviceSequences::query_offsets) == 8,
              "nw::DeviceSequences::query_offsets");
static_assert(offsetof(nw::DeviceSequences, targets) == 16 && sizeof(nw::DeviceSequences::targets) == 8,
              "nw::DeviceSequences::targets");
static_assert(offsetof(nw::DeviceSequences, target_offsets) == 24 && sizeof(nw::DeviceSequences::target_offsets) == 8,
              "nw::DeviceSequences::target_offsets");

static_assert(sizeof(nw::PairSpan) == 24, "size of nw::PairSpan");
static_assert(offsetof(nw::PairSpan, query) == 0 && sizeof(nw::PairSpan::query) == 8,
              "nw::PairSpan::query");
static_assert(offsetof(nw::PairSpan, target) == 8 && sizeof(nw::PairSpan::target) == 8,
              "nw::PairSpan::target");
static_assert(offsetof(nw::PairSpan, rows) == 16 && sizeof(nw::PairSpan::rows) == 4,
              "nw::PairSpan::rows");
static_assert(offsetof(nw::PairSpan, columns) == 20 && sizeof(nw::PairSpan::columns) == 4,
              "nw::PairSpan::columns");

static_assert(sizeof(nw::TracebackTask) == 32, "size of nw::TracebackTask");
static_assert(offsetof(nw::TracebackTask, directions_start) == 0 && sizeof(nw::TracebackTask::directions_start) == 8,
              "nw::TracebackTask::directions_start");
static_assert(offsetof(nw::TracebackTask, runs_end) == 8 && sizeof(nw::TracebackTask::runs_end) == 8,
              "nw::TracebackTask::runs_end");
static_assert(offsetof(nw::TracebackTask, pair) == 16 && sizeof(nw::TracebackTask::pair) == 4,
              "nw::TracebackTask::pair");
static_assert(offsetof(nw::TracebackTask, steps) == 20 && sizeof(nw::TracebackTask::steps) == 4,
              "nw::TracebackTask::steps");
static_assert(offsetof(nw::TracebackTask, rows_per_lane) == 24 && sizeof(nw::TracebackTask::rows_per_lane) == 2,
              "nw::TracebackTask::rows_per_lane");
static_assert(offsetof(nw::TracebackTask, half) == 26 && sizeof(nw::TracebackTask::half) == 1,
              "nw::TracebackTask::half");
static_assert(offsetof(nw::TracebackTask, is_affine) == 27 && sizeof(nw::TracebackTask::is_affine) == 1,
              "nw::TracebackTask::is_affine");
static_assert(offsetof(nw::TracebackTask, padding) == 28 && sizeof(nw::TracebackTask::padding) == 4,
              "nw::TracebackTask::padding");

static_assert(sizeof(nw::WarpParameters) == 144, "size of nw::WarpParameters");
static_assert(offsetof(nw::WarpParameters, sequences) == 0 && sizeof(nw::WarpParameters::sequences) == 32,
              "nw::WarpParameters::sequences");
static_assert(offsetof(nw::WarpParameters, scoring) == 32 && sizeof(nw::WarpParameters::scoring) == 28,
              "nw::WarpParameters::scoring");
static_assert(offsetof(nw::WarpParameters, tasks) == 60 && sizeof(nw::WarpParameters::tasks) == 4,
              "nw::WarpParameters::tasks");
static_assert(offsetof(nw::WarpParameters, table) == 64 && sizeof(nw::WarpParameters::table) == 8,
              "nw::WarpParameters::table");
static_assert(offsetof(nw::WarpParameters, pairs) == 72 && sizeof(nw::WarpParameters::pairs) == 8,
              "nw::WarpParameters::pairs");
static_assert(offsetof(nw::WarpParameters, order) == 80 && sizeof(nw::WarpParameters::order) == 8,
              "nw::WarpParameters::order");
static_assert(offsetof(nw::WarpParameters, next_task) == 88 && sizeof(nw::WarpParameters::next_task) == 8,
              "nw::WarpParameters::next_task");
static_assert(offsetof(nw::WarpParameters, strip_rows) == 96 && sizeof(nw::WarpParameters::strip_rows) == 8,
              "nw::WarpParameters::strip_rows");
static_assert(offsetof(nw::WarpParameters, ends) == 104 && sizeof(nw::WarpParameters::ends) == 8,
              "nw::WarpParameters::ends");
static_assert(offsetof(nw::WarpParameters, directions_starts) == 112 && sizeof(nw::WarpParameters::directions_starts) == 8,
              "nw::WarpParameters::directions_starts");
static_assert(offsetof(nw::WarpParameters, directions) == 120 && sizeof(nw::WarpParameters::directions) == 8,
              "nw::WarpParameters::directions");
static_assert(offsetof(nw::WarpParameters, row_words) == 128 && sizeof(nw::WarpParameters::row_words) == 4,
              "nw::WarpParameters::row_words");
static_assert(offsetof(nw::WarpParameters, letters) == 132 && sizeof(nw::WarpParameters::letters) == 4,
              "nw::WarpParameters::letters");
static_assert(offsetof(nw::WarpParameters, one) == 136 && sizeof(nw::WarpParameters::one) == 4,
              "nw::WarpParameters::one");
static_assert(offsetof(nw::WarpParameters, padding) == 140 && sizeof(nw::WarpParameters::padding) == 4,
              "nw::WarpParameters::padding");

static_assert(sizeof(nw::TracebackParameters) == 104, "size of nw::TracebackParameters");
static_assert(offsetof(nw::TracebackParameters, sequences) == 0 && sizeof(nw::TracebackParameters::sequences) == 32,
              "nw::TracebackParameters::sequences");
static_assert(offsetof(nw::TracebackParameters, pairs) == 32 && sizeof(nw::TracebackParameters::pairs) == 8,
              "nw::TracebackParameters::pairs");
static_assert(offsetof(nw::TracebackParameters, tasks) == 40 && sizeof(nw::TracebackParameters::tasks) == 8,
              "nw::TracebackParameters::tasks");
static_assert(offsetof(nw::TracebackParameters, ends) == 48 && sizeof(nw::TracebackParameters::ends) == 8,
              "nw::TracebackParameters::ends");
static_assert(offsetof(nw::TracebackParameters, directions) == 56 && sizeof(nw::TracebackParameters::directions) == 8,
              "nw::TracebackParameters::directions");
static_assert(offsetof(nw::TracebackParameters, run_room) == 64 && sizeof(nw::TracebackParameters::run_room) == 8,
              "nw::TracebackParameters::run_room");
static_assert(offsetof(nw::TracebackParameters, run_count) == 72 && sizeof(nw::TracebackParameters::run_count) == 8,
              "nw::TracebackParameters::run_count");
static_assert(offsetof(nw::TracebackParameters, runs) == 80 && sizeof(nw::TracebackParameters::runs) == 8,
              "nw::TracebackParameters::runs");
static_assert(offsetof(nw::TracebackParameters, alignments) == 88 && sizeof(nw::TracebackParameters::alignments) == 8,
              "nw::TracebackParameters::alignments");
static_assert(offsetof(nw::TracebackParameters, count) == 96 && sizeof(nw::TracebackParameters::count) == 4,
              "nw::TracebackParameters::count");
static_assert(offsetof(nw::TracebackParameters, unknown) == 100 && sizeof(nw::TracebackParameters::unknown) == 4,
              "nw::TracebackParameters::unknown");

static_assert(sizeof(nw::EditParameters) == 80, "size of nw::EditParameters");
static_assert(offsetof(nw::EditParameters, sequences) == 0 && sizeof(nw::EditParameters::sequences) == 32,
              "nw::EditParameters::sequences");
static_assert(offsetof(nw::EditParameters, pairs) == 32 && sizeof(nw::EditParameters::pairs) == 8,
              "nw::EditParameters::pairs");
static_assert(offsetof(nw::EditParameters, order) == 40 && sizeof(nw::EditParameters::order) == 8,
              "nw::EditParameters::order");
static_assert(offsetof(nw::EditParameters, next_task) == 48 && sizeof(nw::EditParameters::next_task) == 8,
              "nw::EditParameters::next_task");
static_assert(offsetof(nw::EditParameters, strip_rows) == 56 && sizeof(nw::EditParameters::strip_rows) == 8,
              "nw::EditParameters::strip_rows");
static_assert(offsetof(nw::EditParameters, scores) == 64 && sizeof(nw::EditParameters::scores) == 8,
              "nw::EditParameters::scores");
static_assert(offsetof(nw::EditParameters, tasks) == 72 && sizeof(nw::EditParameters::tasks) == 4,
              "nw::EditParameters::tasks");
static_assert(offsetof(nw::EditParameters, row_bytes) == 76 && sizeof(nw::EditParameters::row_bytes) == 4,
              "nw::EditParameters::row_bytes");

static_assert(sizeof(nw::MatrixGroupParameters) == 64, "size of nw::MatrixGroupParameters");
static_assert(offsetof(nw::MatrixGroupParameters, queries) == 0 && sizeof(nw::MatrixGroupParameters::queries) == 8,
              "nw::MatrixGroupParameters::queries");
static_assert(offsetof(nw::MatrixGroupParameters, targets) == 8 && sizeof(nw::MatrixGroupParameters::targets) == 8,
              "nw::MatrixGroupParameters::targets");
static_assert(offsetof(nw::MatrixGroupParameters, table) == 16 && sizeof(nw::MatrixGroupParameters::table) == 8,
              "nw::MatrixGroupParameters::table");
static_assert(offsetof(nw::MatrixGroupParameters, spans) == 24 && sizeof(nw::MatrixGroupParameters::spans) == 8,
              "nw::MatrixGroupParameters::spans");
static_assert(offsetof(nw::MatrixGroupParameters, starts) == 32 && sizeof(nw::MatrixGroupParameters::starts) == 8,
              "nw::MatrixGroupParameters::starts");
static_assert(offsetof(nw::MatrixGroupParameters, matrices) == 40 && sizeof(nw::MatrixGroupParameters::matrices) == 8,
              "nw::MatrixGroupParameters::matrices");
static_assert(offsetof(nw::MatrixGroupParameters, scores) == 48 && sizeof(nw::MatrixGroupParameters::scores) == 8,
              "nw::MatrixGroupParameters::scores");
static_assert(offsetof(nw::MatrixGroupParameters, count) == 56 && sizeof(nw::MatrixGroupParameters::count) == 4,
              "nw::MatrixGroupParameters::count");
static_assert(offsetof(nw::MatrixGroupParameters, gap) == 60 && sizeof(nw::MatrixGroupParameters::gap) == 4,
              "nw::MatrixGroupParameters::gap");

static_assert(sizeof(nw::TilesParameters) == 80, "size of nw::TilesParameters");
static_assert(offsetof(nw::TilesParameters, group) == 0 && sizeof(nw::TilesParameters::group) == 64,
              "nw::TilesParameters::group");
static_assert(offsetof(nw::TilesParameters, first) == 64 && sizeof(nw::TilesParameters::first) == 4,
              "nw::TilesParameters::first");
static_assert(offsetof(nw::TilesParameters, count) == 68 && sizeof(nw::TilesParameters::count) == 4,
              "nw::TilesParameters::count");
static_assert(offsetof(nw::TilesParameters, tiles) == 72 && sizeof(nw::TilesParameters::tiles) == 4,
              "nw::TilesParameters::tiles");
static_assert(offsetof(nw::TilesParameters, diagonal) == 76 && sizeof(nw::TilesParameters::diagonal) == 4,
              "nw::TilesParameters::diagonal");

static_assert(sizeof(nw::DscanParameters) == 72, "size of nw::DscanParameters");
static_assert(offsetof(nw::DscanParameters, group) == 0 && sizeof(nw::DscanParameters::group) == 64,
              "nw::DscanParameters::group");
static_assert(offsetof(nw::DscanParameters, strip) == 64 && sizeof(nw::DscanParameters::strip) == 4,
              "nw::DscanParameters::strip");
static_assert(offsetof(nw::DscanParameters, padding) == 68 && sizeof(nw::DscanParameters::padding) == 4,
              "nw::DscanParameters::padding");
