// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <tests/parameters.cuh>

static_assert(sizeof(tests::PlantedParameters) == 16, "size of tests::PlantedParameters");
static_assert(offsetof(tests::PlantedParameters, out) == 0 && sizeof(tests::PlantedParameters::out) == 8,
              "tests::PlantedParameters::out");
static_assert(offsetof(tests::PlantedParameters, n) == 8 && sizeof(tests::PlantedParameters::n) == 4,
              "tests::PlantedParameters::n");
static_assert(offsetof(tests::PlantedParameters, padding) == 12 && sizeof(tests::PlantedParameters::padding) == 4,
              "tests::PlantedParameters::padding");

static_assert(sizeof(tests::BlockSumParameters) == 24, "size of tests::BlockSumParameters");
static_assert(offsetof(tests::BlockSumParameters, values) == 0 && sizeof(tests::BlockSumParameters::values) == 8,
              "tests::BlockSumParameters::values");
static_assert(offsetof(tests::BlockSumParameters, total) == 8 && sizeof(tests::BlockSumParameters::total) == 8,
              "tests::BlockSumParameters::total");
static_assert(offsetof(tests::BlockSumParameters, n) == 16 && sizeof(tests::BlockSumParameters::n) == 4,
              "tests::BlockSumParameters::n");
static_assert(offsetof(tests::BlockSumParameters, padding) == 20 && sizeof(tests::BlockSumParameters::padding) == 4,
              "tests::BlockSumParameters::padding");

static_assert(sizeof(tests::CompactParameters) == 32, "size of tests::CompactParameters");
static_assert(offsetof(tests::CompactParameters, values) == 0 && sizeof(tests::CompactParameters::values) == 8,
              "tests::CompactParameters::values");
static_assert(offsetof(tests::CompactParameters, out) == 8 && sizeof(tests::CompactParameters::out) == 8,
              "tests::CompactParameters::out");
static_assert(offsetof(tests::CompactParameters, count) == 16 && sizeof(tests::CompactParameters::count) == 8,
              "tests::CompactParameters::count");
static_assert(offsetof(tests::CompactParameters, n) == 24 && sizeof(tests::CompactParameters::n) == 4,
              "tests::CompactParameters::n");
static_assert(offsetof(tests::CompactParameters, padding) == 28 && sizeof(tests::CompactParameters::padding) == 4,
              "tests::CompactParameters::padding");

static_assert(sizeof(tests::ReverseParameters) == 16, "size of tests::ReverseParameters");
static_assert(offsetof(tests::ReverseParameters, values) == 0 && sizeof(tests::ReverseParameters::values) == 8,
              "tests::ReverseParameters::values");
static_assert(offsetof(tests::ReverseParameters, out) == 8 && sizeof(tests::ReverseParameters::out) == 8,
              "tests::ReverseParameters::out");

static_assert(sizeof(tests::CollectivesParameters) == 24, "size of tests::CollectivesParameters");
static_assert(offsetof(tests::CollectivesParameters, values) == 0 && sizeof(tests::CollectivesParameters::values) == 8,
              "tests::CollectivesParameters::values");
static_assert(offsetof(tests::CollectivesParameters, out) == 8 && sizeof(tests::CollectivesParameters::out) == 8,
              "tests::CollectivesParameters::out");
static_assert(offsetof(tests::CollectivesParameters, argument) == 16 && sizeof(tests::CollectivesParameters::argument) == 4,
              "tests::CollectivesParameters::argument");
static_assert(offsetof(tests::CollectivesParameters, width) == 20 && sizeof(tests::CollectivesParameters::width) == 4,
              "tests::CollectivesParameters::width");

static_assert(sizeof(tests::HalfWarpsParameters) == 16, "size of tests::HalfWarpsParameters");
static_assert(offsetof(tests::HalfWarpsParameters, values) == 0 && sizeof(tests::HalfWarpsParameters::values) == 8,
              "tests::HalfWarpsParameters::values");
static_assert(offsetof(tests::HalfWarpsParameters, out) == 8 && sizeof(tests::HalfWarpsParameters::out) == 8,
              "tests::HalfWarpsParameters::out");

static_assert(sizeof(tests::AtomicsParameters) == 24, "size of tests::AtomicsParameters");
static_assert(offsetof(tests::AtomicsParameters, values) == 0 && sizeof(tests::AtomicsParameters::values) == 8,
              "tests::AtomicsParameters::values");
static_assert(offsetof(tests::AtomicsParameters, narrow) == 8 && sizeof(tests::AtomicsParameters::narrow) == 8,
              "tests::AtomicsParameters::narrow");
static_assert(offsetof(tests::AtomicsParameters, wide) == 16 && sizeof(tests::AtomicsParameters::wide) == 8,
              "tests::AtomicsParameters::wide");

static_assert(sizeof(tests::SpinLockParameters) == 16, "size of tests::SpinLockParameters");
static_assert(offsetof(tests::SpinLockParameters, lock) == 0 && sizeof(tests::SpinLockParameters::lock) == 8,
              "tests::SpinLockParameters::lock");
static_assert(offsetof(tests::SpinLockParameters, total) == 8 && sizeof(tests::SpinLockParameters::total) == 8,
              "tests::SpinLockParameters::total");

static_assert(sizeof(tests::BlockVotesParameters) == 24, "size of tests::BlockVotesParameters");
static_assert(offsetof(tests::BlockVotesParameters, values) == 0 && sizeof(tests::BlockVotesParameters::values) == 8,
              "tests::BlockVotesParameters::values");
static_assert(offsetof(tests::BlockVotesParameters, out) == 8 && sizeof(tests::BlockVotesParameters::out) == 8,
              "tests::BlockVotesParameters::out");
static_assert(offsetof(tests::BlockVotesParameters, rounds) == 16 && sizeof(tests::BlockVotesParameters::rounds) == 4,
              "tests::BlockVotesParameters::rounds");
static_assert(offsetof(tests::BlockVotesParameters, padding) == 20 && sizeof(tests::BlockVotesParameters::padding) == 4,
              "tests::BlockVotesParameters::padding");

static_assert(sizeof(tests::IndicesParameters) == 8, "size of tests::IndicesParameters");
static_assert(offsetof(tests::IndicesParameters, out) == 0 && sizeof(tests::IndicesParameters::out) == 8,
              "tests::IndicesParameters::out");

static_assert(sizeof(tests::EarlyExitParameters) == 8, "size of tests::EarlyExitParameters");
static_assert(offsetof(tests::EarlyExitParameters, out) == 0 && sizeof(tests::EarlyExitParameters::out) == 8,
              "tests::EarlyExitParameters::out");

static_assert(sizeof(tests::IntegersParameters) == 16, "size of tests::IntegersParameters");
static_assert(offsetof(tests::IntegersParameters, values) == 0 && sizeof(tests::IntegersParameters::values) == 8,
              "tests::IntegersParameters::values");
static_assert(offsetof(tests::IntegersParameters, out) == 8 && sizeof(tests::IntegersParameters::out) == 8,
              "tests::IntegersParameters::out");
