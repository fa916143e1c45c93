// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <sort/sort.cuh>

static_assert(sizeof(sort::Digit) == 12, "size of sort::Digit");
static_assert(offsetof(sort::Digit, word) == 0 && sizeof(sort::Digit::word) == 4,
              "sort::Digit::word");
static_assert(offsetof(sort::Digit, shift) == 4 && sizeof(sort::Digit::shift) == 4,
              "sort::Digit::shift");
static_assert(offsetof(sort::Digit, bits) == 8 && sizeof(sort::Digit::bits) == 4,
              "sort::Digit::bits");

static_assert(sizeof(sort::SortCountParameters) == 32, "size of sort::SortCountParameters");
static_assert(offsetof(sort::SortCountParameters, items) == 0 && sizeof(sort::SortCountParameters::items) == 8,
              "sort::SortCountParameters::items");
static_assert(offsetof(sort::SortCountParameters, counts) == 8 && sizeof(sort::SortCountParameters::counts) == 8,
              "sort::SortCountParameters::counts");
static_assert(offsetof(sort::SortCountParameters, count) == 16 && sizeof(sort::SortCountParameters::count) == 4,
              "sort::SortCountParameters::count");
static_assert(offsetof(sort::SortCountParameters, digit) == 20 && sizeof(sort::SortCountParameters::digit) == 12,
              "sort::SortCountParameters::digit");

static_assert(sizeof(sort::SortSumParameters) == 24, "size of sort::SortSumParameters");
static_assert(offsetof(sort::SortSumParameters, counts) == 0 && sizeof(sort::SortSumParameters::counts) == 8,
              "sort::SortSumParameters::counts");
static_assert(offsetof(sort::SortSumParameters, totals) == 8 && sizeof(sort::SortSumParameters::totals) == 8,
              "sort::SortSumParameters::totals");
static_assert(offsetof(sort::SortSumParameters, count) == 16 && sizeof(sort::SortSumParameters::count) == 4,
              "sort::SortSumParameters::count");
static_assert(offsetof(sort::SortSumParameters, padding) == 20 && sizeof(sort::SortSumParameters::padding) == 4,
              "sort::SortSumParameters::padding");

static_assert(sizeof(sort::SortMoveParameters) == 48, "size of sort::SortMoveParameters");
static_assert(offsetof(sort::SortMoveParameters, items) == 0 && sizeof(sort::SortMoveParameters::items) == 8,
              "sort::SortMoveParameters::items");
static_assert(offsetof(sort::SortMoveParameters, sorted) == 8 && sizeof(sort::SortMoveParameters::sorted) == 8,
              "sort::SortMoveParameters::sorted");
static_assert(offsetof(sort::SortMoveParameters, firsts) == 16 && sizeof(sort::SortMoveParameters::firsts) == 8,
              "sort::SortMoveParameters::firsts");
static_assert(offsetof(sort::SortMoveParameters, totals) == 24 && sizeof(sort::SortMoveParameters::totals) == 8,
              "sort::SortMoveParameters::totals");
static_assert(offsetof(sort::SortMoveParameters, count) == 32 && sizeof(sort::SortMoveParameters::count) == 4,
              "sort::SortMoveParameters::count");
static_assert(offsetof(sort::SortMoveParameters, digit) == 36 && sizeof(sort::SortMoveParameters::digit) == 12,
              "sort::SortMoveParameters::digit");
