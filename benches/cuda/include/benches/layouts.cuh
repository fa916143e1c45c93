// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <benches/price.cuh>

static_assert(sizeof(benches::PriceParameters) == 32, "size of benches::PriceParameters");
static_assert(offsetof(benches::PriceParameters, quotes) == 0 && sizeof(benches::PriceParameters::quotes) == 8,
              "benches::PriceParameters::quotes");
static_assert(offsetof(benches::PriceParameters, priced) == 8 && sizeof(benches::PriceParameters::priced) == 8,
              "benches::PriceParameters::priced");
static_assert(offsetof(benches::PriceParameters, count) == 16 && sizeof(benches::PriceParameters::count) == 8,
              "benches::PriceParameters::count");
static_assert(offsetof(benches::PriceParameters, rounds) == 24 && sizeof(benches::PriceParameters::rounds) == 4,
              "benches::PriceParameters::rounds");
static_assert(offsetof(benches::PriceParameters, padding) == 28 && sizeof(benches::PriceParameters::padding) == 4,
              "benches::PriceParameters::padding");
