// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <benches/price.cuh>
#include <benches/quote.cuh>
#include <benches/trees.cuh>

static_assert(sizeof(benches::Quote) == 48, "size of benches::Quote");
static_assert(offsetof(benches::Quote, price) == 0 && sizeof(benches::Quote::price) == 4,
              "benches::Quote::price");
static_assert(offsetof(benches::Quote, strike) == 4 && sizeof(benches::Quote::strike) == 4,
              "benches::Quote::strike");
static_assert(offsetof(benches::Quote, years) == 8 && sizeof(benches::Quote::years) == 4,
              "benches::Quote::years");
static_assert(offsetof(benches::Quote, rate) == 12 && sizeof(benches::Quote::rate) == 4,
              "benches::Quote::rate");
static_assert(offsetof(benches::Quote, volatility) == 16 && sizeof(benches::Quote::volatility) == 4,
              "benches::Quote::volatility");
static_assert(offsetof(benches::Quote, value) == 20 && sizeof(benches::Quote::value) == 4,
              "benches::Quote::value");
static_assert(offsetof(benches::Quote, id) == 24 && sizeof(benches::Quote::id) == 4,
              "benches::Quote::id");
static_assert(offsetof(benches::Quote, passes) == 28 && sizeof(benches::Quote::passes) == 4,
              "benches::Quote::passes");
static_assert(offsetof(benches::Quote, spare) == 32 && sizeof(benches::Quote::spare) == 16,
              "benches::Quote::spare");

static_assert(sizeof(benches::Model) == 8, "size of benches::Model");
static_assert(offsetof(benches::Model, rounds) == 0 && sizeof(benches::Model::rounds) == 4,
              "benches::Model::rounds");
static_assert(offsetof(benches::Model, pass) == 4 && sizeof(benches::Model::pass) == 4,
              "benches::Model::pass");

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

static_assert(sizeof(benches::TreeNode) == 12, "size of benches::TreeNode");
static_assert(offsetof(benches::TreeNode, tree) == 0 && sizeof(benches::TreeNode::tree) == 4,
              "benches::TreeNode::tree");
static_assert(offsetof(benches::TreeNode, depth) == 4 && sizeof(benches::TreeNode::depth) == 4,
              "benches::TreeNode::depth");
static_assert(offsetof(benches::TreeNode, hash) == 8 && sizeof(benches::TreeNode::hash) == 4,
              "benches::TreeNode::hash");

static_assert(sizeof(benches::Forest) == 8, "size of benches::Forest");
static_assert(offsetof(benches::Forest, depth) == 0 && sizeof(benches::Forest::depth) == 4,
              "benches::Forest::depth");
static_assert(offsetof(benches::Forest, rarity) == 4 && sizeof(benches::Forest::rarity) == 4,
              "benches::Forest::rarity");
