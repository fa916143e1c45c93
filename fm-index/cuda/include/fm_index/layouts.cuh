// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <fm_index/fm_index.cuh>
#include <fm_index/locate.cuh>

static_assert(sizeof(fm::RankBlock) == 64, "size of fm::RankBlock");
static_assert(offsetof(fm::RankBlock, counts) == 0 && sizeof(fm::RankBlock::counts) == 16,
              "fm::RankBlock::counts");
static_assert(offsetof(fm::RankBlock, planes) == 16 && sizeof(fm::RankBlock::planes) == 48,
              "fm::RankBlock::planes");

static_assert(sizeof(fm::Interval) == 12, "size of fm::Interval");
static_assert(offsetof(fm::Interval, lo) == 0 && sizeof(fm::Interval::lo) == 4,
              "fm::Interval::lo");
static_assert(offsetof(fm::Interval, lo_reverse) == 4 && sizeof(fm::Interval::lo_reverse) == 4,
              "fm::Interval::lo_reverse");
static_assert(offsetof(fm::Interval, size) == 8 && sizeof(fm::Interval::size) == 4,
              "fm::Interval::size");

static_assert(sizeof(fm::IndexView) == 80, "size of fm::IndexView");
static_assert(offsetof(fm::IndexView, forward) == 0 && sizeof(fm::IndexView::forward) == 8,
              "fm::IndexView::forward");
static_assert(offsetof(fm::IndexView, reverse) == 8 && sizeof(fm::IndexView::reverse) == 8,
              "fm::IndexView::reverse");
static_assert(offsetof(fm::IndexView, samples) == 16 && sizeof(fm::IndexView::samples) == 8,
              "fm::IndexView::samples");
static_assert(offsetof(fm::IndexView, text) == 24 && sizeof(fm::IndexView::text) == 8,
              "fm::IndexView::text");
static_assert(offsetof(fm::IndexView, table) == 32 && sizeof(fm::IndexView::table) == 8,
              "fm::IndexView::table");
static_assert(offsetof(fm::IndexView, bases) == 40 && sizeof(fm::IndexView::bases) == 4,
              "fm::IndexView::bases");
static_assert(offsetof(fm::IndexView, forward_primary) == 44 && sizeof(fm::IndexView::forward_primary) == 4,
              "fm::IndexView::forward_primary");
static_assert(offsetof(fm::IndexView, reverse_primary) == 48 && sizeof(fm::IndexView::reverse_primary) == 4,
              "fm::IndexView::reverse_primary");
static_assert(offsetof(fm::IndexView, sample_shift) == 52 && sizeof(fm::IndexView::sample_shift) == 4,
              "fm::IndexView::sample_shift");
static_assert(offsetof(fm::IndexView, first) == 56 && sizeof(fm::IndexView::first) == 16,
              "fm::IndexView::first");
static_assert(offsetof(fm::IndexView, table_length) == 72 && sizeof(fm::IndexView::table_length) == 4,
              "fm::IndexView::table_length");
static_assert(offsetof(fm::IndexView, padding) == 76 && sizeof(fm::IndexView::padding) == 4,
              "fm::IndexView::padding");

static_assert(sizeof(fm::LocateRowsParameters) == 120, "size of fm::LocateRowsParameters");
static_assert(offsetof(fm::LocateRowsParameters, index) == 0 && sizeof(fm::LocateRowsParameters::index) == 80,
              "fm::LocateRowsParameters::index");
static_assert(offsetof(fm::LocateRowsParameters, lo) == 80 && sizeof(fm::LocateRowsParameters::lo) == 8,
              "fm::LocateRowsParameters::lo");
static_assert(offsetof(fm::LocateRowsParameters, ends) == 88 && sizeof(fm::LocateRowsParameters::ends) == 8,
              "fm::LocateRowsParameters::ends");
static_assert(offsetof(fm::LocateRowsParameters, positions) == 96 && sizeof(fm::LocateRowsParameters::positions) == 8,
              "fm::LocateRowsParameters::positions");
static_assert(offsetof(fm::LocateRowsParameters, total) == 104 && sizeof(fm::LocateRowsParameters::total) == 8,
              "fm::LocateRowsParameters::total");
static_assert(offsetof(fm::LocateRowsParameters, ranges) == 112 && sizeof(fm::LocateRowsParameters::ranges) == 4,
              "fm::LocateRowsParameters::ranges");
static_assert(offsetof(fm::LocateRowsParameters, padding) == 116 && sizeof(fm::LocateRowsParameters::padding) == 4,
              "fm::LocateRowsParameters::padding");

static_assert(sizeof(fm::LocateAllRowsParameters) == 88, "size of fm::LocateAllRowsParameters");
static_assert(offsetof(fm::LocateAllRowsParameters, index) == 0 && sizeof(fm::LocateAllRowsParameters::index) == 80,
              "fm::LocateAllRowsParameters::index");
static_assert(offsetof(fm::LocateAllRowsParameters, positions) == 80 && sizeof(fm::LocateAllRowsParameters::positions) == 8,
              "fm::LocateAllRowsParameters::positions");
