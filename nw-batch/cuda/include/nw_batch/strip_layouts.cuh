// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <nw_batch/strip_structs.cuh>

static_assert(sizeof(nw::LongPair) == 40, "size of nw::LongPair");
static_assert(offsetof(nw::LongPair, rows_start) == 0 && sizeof(nw::LongPair::rows_start) == 8,
              "nw::LongPair::rows_start");
static_assert(offsetof(nw::LongPair, states_start) == 8 && sizeof(nw::LongPair::states_start) == 8,
              "nw::LongPair::states_start");
static_assert(offsetof(nw::LongPair, runs_end) == 16 && sizeof(nw::LongPair::runs_end) == 8,
              "nw::LongPair::runs_end");
static_assert(offsetof(nw::LongPair, pair) == 24 && sizeof(nw::LongPair::pair) == 4,
              "nw::LongPair::pair");
static_assert(offsetof(nw::LongPair, row_words) == 28 && sizeof(nw::LongPair::row_words) == 4,
              "nw::LongPair::row_words");
static_assert(offsetof(nw::LongPair, first_strip) == 32 && sizeof(nw::LongPair::first_strip) == 4,
              "nw::LongPair::first_strip");
static_assert(offsetof(nw::LongPair, padding) == 36 && sizeof(nw::LongPair::padding) == 4,
              "nw::LongPair::padding");

static_assert(sizeof(nw::StripTask) == 8, "size of nw::StripTask");
static_assert(offsetof(nw::StripTask, long_pair) == 0 && sizeof(nw::StripTask::long_pair) == 4,
              "nw::StripTask::long_pair");
static_assert(offsetof(nw::StripTask, strip) == 4 && sizeof(nw::StripTask::strip) == 4,
              "nw::StripTask::strip");

static_assert(sizeof(nw::StripParameters) == 112, "size of nw::StripParameters");
static_assert(offsetof(nw::StripParameters, sequences) == 0 && sizeof(nw::StripParameters::sequences) == 32,
              "nw::StripParameters::sequences");
static_assert(offsetof(nw::StripParameters, scoring) == 32 && sizeof(nw::StripParameters::scoring) == 28,
              "nw::StripParameters::scoring");
static_assert(offsetof(nw::StripParameters, letters) == 60 && sizeof(nw::StripParameters::letters) == 4,
              "nw::StripParameters::letters");
static_assert(offsetof(nw::StripParameters, table) == 64 && sizeof(nw::StripParameters::table) == 8,
              "nw::StripParameters::table");
static_assert(offsetof(nw::StripParameters, pairs) == 72 && sizeof(nw::StripParameters::pairs) == 8,
              "nw::StripParameters::pairs");
static_assert(offsetof(nw::StripParameters, long_pairs) == 80 && sizeof(nw::StripParameters::long_pairs) == 8,
              "nw::StripParameters::long_pairs");
static_assert(offsetof(nw::StripParameters, words) == 88 && sizeof(nw::StripParameters::words) == 8,
              "nw::StripParameters::words");
static_assert(offsetof(nw::StripParameters, ends) == 96 && sizeof(nw::StripParameters::ends) == 8,
              "nw::StripParameters::ends");
static_assert(offsetof(nw::StripParameters, one) == 104 && sizeof(nw::StripParameters::one) == 4,
              "nw::StripParameters::one");
static_assert(offsetof(nw::StripParameters, count) == 108 && sizeof(nw::StripParameters::count) == 4,
              "nw::StripParameters::count");

static_assert(sizeof(nw::FillStripsParameters) == 152, "size of nw::FillStripsParameters");
static_assert(offsetof(nw::FillStripsParameters, launch) == 0 && sizeof(nw::FillStripsParameters::launch) == 112,
              "nw::FillStripsParameters::launch");
static_assert(offsetof(nw::FillStripsParameters, tasks) == 112 && sizeof(nw::FillStripsParameters::tasks) == 8,
              "nw::FillStripsParameters::tasks");
static_assert(offsetof(nw::FillStripsParameters, next_task) == 120 && sizeof(nw::FillStripsParameters::next_task) == 8,
              "nw::FillStripsParameters::next_task");
static_assert(offsetof(nw::FillStripsParameters, columns_done) == 128 && sizeof(nw::FillStripsParameters::columns_done) == 8,
              "nw::FillStripsParameters::columns_done");
static_assert(offsetof(nw::FillStripsParameters, scores) == 136 && sizeof(nw::FillStripsParameters::scores) == 8,
              "nw::FillStripsParameters::scores");
static_assert(offsetof(nw::FillStripsParameters, task_count) == 144 && sizeof(nw::FillStripsParameters::task_count) == 4,
              "nw::FillStripsParameters::task_count");
static_assert(offsetof(nw::FillStripsParameters, saves_states) == 148 && sizeof(nw::FillStripsParameters::saves_states) == 4,
              "nw::FillStripsParameters::saves_states");

static_assert(sizeof(nw::TraceStripsParameters) == 168, "size of nw::TraceStripsParameters");
static_assert(offsetof(nw::TraceStripsParameters, launch) == 0 && sizeof(nw::TraceStripsParameters::launch) == 112,
              "nw::TraceStripsParameters::launch");
static_assert(offsetof(nw::TraceStripsParameters, directions_start) == 112 && sizeof(nw::TraceStripsParameters::directions_start) == 8,
              "nw::TraceStripsParameters::directions_start");
static_assert(offsetof(nw::TraceStripsParameters, next_pair) == 120 && sizeof(nw::TraceStripsParameters::next_pair) == 8,
              "nw::TraceStripsParameters::next_pair");
static_assert(offsetof(nw::TraceStripsParameters, run_room) == 128 && sizeof(nw::TraceStripsParameters::run_room) == 8,
              "nw::TraceStripsParameters::run_room");
static_assert(offsetof(nw::TraceStripsParameters, run_count) == 136 && sizeof(nw::TraceStripsParameters::run_count) == 8,
              "nw::TraceStripsParameters::run_count");
static_assert(offsetof(nw::TraceStripsParameters, runs) == 144 && sizeof(nw::TraceStripsParameters::runs) == 8,
              "nw::TraceStripsParameters::runs");
static_assert(offsetof(nw::TraceStripsParameters, alignments) == 152 && sizeof(nw::TraceStripsParameters::alignments) == 8,
              "nw::TraceStripsParameters::alignments");
static_assert(offsetof(nw::TraceStripsParameters, side) == 160 && sizeof(nw::TraceStripsParameters::side) == 4,
              "nw::TraceStripsParameters::side");
static_assert(offsetof(nw::TraceStripsParameters, padding) == 164 && sizeof(nw::TraceStripsParameters::padding) == 4,
              "nw::TraceStripsParameters::padding");
