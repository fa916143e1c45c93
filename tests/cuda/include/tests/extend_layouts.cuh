// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <tests/extend.cuh>

static_assert(sizeof(tests::ExtendParameters) == 112, "size of tests::ExtendParameters");
static_assert(offsetof(tests::ExtendParameters, index) == 0 && sizeof(tests::ExtendParameters::index) == 80,
              "tests::ExtendParameters::index");
static_assert(offsetof(tests::ExtendParameters, intervals) == 80 && sizeof(tests::ExtendParameters::intervals) == 8,
              "tests::ExtendParameters::intervals");
static_assert(offsetof(tests::ExtendParameters, left) == 88 && sizeof(tests::ExtendParameters::left) == 8,
              "tests::ExtendParameters::left");
static_assert(offsetof(tests::ExtendParameters, right) == 96 && sizeof(tests::ExtendParameters::right) == 8,
              "tests::ExtendParameters::right");
static_assert(offsetof(tests::ExtendParameters, count) == 104 && sizeof(tests::ExtendParameters::count) == 4,
              "tests::ExtendParameters::count");
static_assert(offsetof(tests::ExtendParameters, padding) == 108 && sizeof(tests::ExtendParameters::padding) == 4,
              "tests::ExtendParameters::padding");
