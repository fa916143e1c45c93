// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <woodstocc/filter/stages.cuh>
#include <woodstocc/scheme/stages.cuh>
#include <woodstocc/trie/separate_lists.cuh>
#include <woodstocc/trie/pods/structs.cuh>
#include <woodstocc/verify/window.cuh>

static_assert(sizeof(woodstocc::SuffixBound) == 16, "size of woodstocc::SuffixBound");
static_assert(offsetof(woodstocc::SuffixBound, from) == 0 && sizeof(woodstocc::SuffixBound::from) == 16,
              "woodstocc::SuffixBound::from");

static_assert(sizeof(woodstocc::TrieHit) == 16, "size of woodstocc::TrieHit");
static_assert(offsetof(woodstocc::TrieHit, query) == 0 && sizeof(woodstocc::TrieHit::query) == 4,
              "woodstocc::TrieHit::query");
static_assert(offsetof(woodstocc::TrieHit, lo) == 4 && sizeof(woodstocc::TrieHit::lo) == 4,
              "woodstocc::TrieHit::lo");
static_assert(offsetof(woodstocc::TrieHit, size) == 8 && sizeof(woodstocc::TrieHit::size) == 4,
              "woodstocc::TrieHit::size");
static_assert(offsetof(woodstocc::TrieHit, distance) == 12 && sizeof(woodstocc::TrieHit::distance) == 4,
              "woodstocc::TrieHit::distance");

static_assert(sizeof(woodstocc::SeparateListsParameters) == 160, "size of woodstocc::SeparateListsParameters");
static_assert(offsetof(woodstocc::SeparateListsParameters, index) == 0 && sizeof(woodstocc::SeparateListsParameters::index) == 80,
              "woodstocc::SeparateListsParameters::index");
static_assert(offsetof(woodstocc::SeparateListsParameters, codes) == 80 && sizeof(woodstocc::SeparateListsParameters::codes) == 8,
              "woodstocc::SeparateListsParameters::codes");
static_assert(offsetof(woodstocc::SeparateListsParameters, offsets) == 88 && sizeof(woodstocc::SeparateListsParameters::offsets) == 8,
              "woodstocc::SeparateListsParameters::offsets");
static_assert(offsetof(woodstocc::SeparateListsParameters, wanted) == 96 && sizeof(woodstocc::SeparateListsParameters::wanted) == 8,
              "woodstocc::SeparateListsParameters::wanted");
static_assert(offsetof(woodstocc::SeparateListsParameters, worklists) == 104 && sizeof(woodstocc::SeparateListsParameters::worklists) == 8,
              "woodstocc::SeparateListsParameters::worklists");
static_assert(offsetof(woodstocc::SeparateListsParameters, hits) == 112 && sizeof(woodstocc::SeparateListsParameters::hits) == 8,
              "woodstocc::SeparateListsParameters::hits");
static_assert(offsetof(woodstocc::SeparateListsParameters, totals) == 120 && sizeof(woodstocc::SeparateListsParameters::totals) == 8,
              "woodstocc::SeparateListsParameters::totals");
static_assert(offsetof(woodstocc::SeparateListsParameters, counts) == 128 && sizeof(woodstocc::SeparateListsParameters::counts) == 8,
              "woodstocc::SeparateListsParameters::counts");
static_assert(offsetof(woodstocc::SeparateListsParameters, lost) == 136 && sizeof(woodstocc::SeparateListsParameters::lost) == 8,
              "woodstocc::SeparateListsParameters::lost");
static_assert(offsetof(woodstocc::SeparateListsParameters, capacity) == 144 && sizeof(woodstocc::SeparateListsParameters::capacity) == 8,
              "woodstocc::SeparateListsParameters::capacity");
static_assert(offsetof(woodstocc::SeparateListsParameters, wanted_count) == 152 && sizeof(woodstocc::SeparateListsParameters::wanted_count) == 4,
              "woodstocc::SeparateListsParameters::wanted_count");
static_assert(offsetof(woodstocc::SeparateListsParameters, is_pruned) == 156 && sizeof(woodstocc::SeparateListsParameters::is_pruned) == 4,
              "woodstocc::SeparateListsParameters::is_pruned");

static_assert(sizeof(woodstocc::SeparateListsTotals) == 24, "size of woodstocc::SeparateListsTotals");
static_assert(offsetof(woodstocc::SeparateListsTotals, hits) == 0 && sizeof(woodstocc::SeparateListsTotals::hits) == 8,
              "woodstocc::SeparateListsTotals::hits");
static_assert(offsetof(woodstocc::SeparateListsTotals, nodes) == 8 && sizeof(woodstocc::SeparateListsTotals::nodes) == 8,
              "woodstocc::SeparateListsTotals::nodes");
static_assert(offsetof(woodstocc::SeparateListsTotals, rows) == 16 && sizeof(woodstocc::SeparateListsTotals::rows) == 8,
              "woodstocc::SeparateListsTotals::rows");

static_assert(sizeof(woodstocc::TrieQuery) == 32, "size of woodstocc::TrieQuery");
static_assert(offsetof(woodstocc::TrieQuery, number) == 0 && sizeof(woodstocc::TrieQuery::number) == 4,
              "woodstocc::TrieQuery::number");
static_assert(offsetof(woodstocc::TrieQuery, length) == 4 && sizeof(woodstocc::TrieQuery::length) == 4,
              "woodstocc::TrieQuery::length");
static_assert(offsetof(woodstocc::TrieQuery, profile) == 8 && sizeof(woodstocc::TrieQuery::profile) == 4,
              "woodstocc::TrieQuery::profile");
static_assert(offsetof(woodstocc::TrieQuery, padding) == 12 && sizeof(woodstocc::TrieQuery::padding) == 4,
              "woodstocc::TrieQuery::padding");
static_assert(offsetof(woodstocc::TrieQuery, bound) == 16 && sizeof(woodstocc::TrieQuery::bound) == 16,
              "woodstocc::TrieQuery::bound");

static_assert(sizeof(woodstocc::TrieUnit) == 16, "size of woodstocc::TrieUnit");
static_assert(offsetof(woodstocc::TrieUnit, first) == 0 && sizeof(woodstocc::TrieUnit::first) == 4,
              "woodstocc::TrieUnit::first");
static_assert(offsetof(woodstocc::TrieUnit, queries) == 4 && sizeof(woodstocc::TrieUnit::queries) == 4,
              "woodstocc::TrieUnit::queries");
static_assert(offsetof(woodstocc::TrieUnit, word) == 8 && sizeof(woodstocc::TrieUnit::word) == 4,
              "woodstocc::TrieUnit::word");
static_assert(offsetof(woodstocc::TrieUnit, length) == 12 && sizeof(woodstocc::TrieUnit::length) == 4,
              "woodstocc::TrieUnit::length");

static_assert(sizeof(woodstocc::TrieNode) == 16, "size of woodstocc::TrieNode");
static_assert(offsetof(woodstocc::TrieNode, interval) == 0 && sizeof(woodstocc::TrieNode::interval) == 12,
              "woodstocc::TrieNode::interval");
static_assert(offsetof(woodstocc::TrieNode, depth_and_code) == 12 && sizeof(woodstocc::TrieNode::depth_and_code) == 4,
              "woodstocc::TrieNode::depth_and_code");

static_assert(sizeof(woodstocc::TrieDeviceContext) == 96, "size of woodstocc::TrieDeviceContext");
static_assert(offsetof(woodstocc::TrieDeviceContext, index) == 0 && sizeof(woodstocc::TrieDeviceContext::index) == 80,
              "woodstocc::TrieDeviceContext::index");
static_assert(offsetof(woodstocc::TrieDeviceContext, queries) == 80 && sizeof(woodstocc::TrieDeviceContext::queries) == 8,
              "woodstocc::TrieDeviceContext::queries");
static_assert(offsetof(woodstocc::TrieDeviceContext, profiles) == 88 && sizeof(woodstocc::TrieDeviceContext::profiles) == 8,
              "woodstocc::TrieDeviceContext::profiles");

static_assert(sizeof(woodstocc::PrepareParameters) == 120, "size of woodstocc::PrepareParameters");
static_assert(offsetof(woodstocc::PrepareParameters, index) == 0 && sizeof(woodstocc::PrepareParameters::index) == 80,
              "woodstocc::PrepareParameters::index");
static_assert(offsetof(woodstocc::PrepareParameters, codes) == 80 && sizeof(woodstocc::PrepareParameters::codes) == 8,
              "woodstocc::PrepareParameters::codes");
static_assert(offsetof(woodstocc::PrepareParameters, offsets) == 88 && sizeof(woodstocc::PrepareParameters::offsets) == 8,
              "woodstocc::PrepareParameters::offsets");
static_assert(offsetof(woodstocc::PrepareParameters, queries) == 96 && sizeof(woodstocc::PrepareParameters::queries) == 8,
              "woodstocc::PrepareParameters::queries");
static_assert(offsetof(woodstocc::PrepareParameters, profiles) == 104 && sizeof(woodstocc::PrepareParameters::profiles) == 8,
              "woodstocc::PrepareParameters::profiles");
static_assert(offsetof(woodstocc::PrepareParameters, query_count) == 112 && sizeof(woodstocc::PrepareParameters::query_count) == 4,
              "woodstocc::PrepareParameters::query_count");
static_assert(offsetof(woodstocc::PrepareParameters, is_pruned) == 116 && sizeof(woodstocc::PrepareParameters::is_pruned) == 4,
              "woodstocc::PrepareParameters::is_pruned");

static_assert(sizeof(woodstocc::Window) == 32, "size of woodstocc::Window");
static_assert(offsetof(woodstocc::Window, query) == 0 && sizeof(woodstocc::Window::query) == 4,
              "woodstocc::Window::query");
static_assert(offsetof(woodstocc::Window, first) == 4 && sizeof(woodstocc::Window::first) == 4,
              "woodstocc::Window::first");
static_assert(offsetof(woodstocc::Window, starts) == 8 && sizeof(woodstocc::Window::starts) == 4,
              "woodstocc::Window::starts");
static_assert(offsetof(woodstocc::Window, padding) == 12 && sizeof(woodstocc::Window::padding) == 4,
              "woodstocc::Window::padding");
static_assert(offsetof(woodstocc::Window, distances) == 16 && sizeof(woodstocc::Window::distances) == 16,
              "woodstocc::Window::distances");

static_assert(sizeof(woodstocc::CutParameters) == 120, "size of woodstocc::CutParameters");
static_assert(offsetof(woodstocc::CutParameters, index) == 0 && sizeof(woodstocc::CutParameters::index) == 80,
              "woodstocc::CutParameters::index");
static_assert(offsetof(woodstocc::CutParameters, codes) == 80 && sizeof(woodstocc::CutParameters::codes) == 8,
              "woodstocc::CutParameters::codes");
static_assert(offsetof(woodstocc::CutParameters, offsets) == 88 && sizeof(woodstocc::CutParameters::offsets) == 8,
              "woodstocc::CutParameters::offsets");
static_assert(offsetof(woodstocc::CutParameters, wanted) == 96 && sizeof(woodstocc::CutParameters::wanted) == 8,
              "woodstocc::CutParameters::wanted");
static_assert(offsetof(woodstocc::CutParameters, bounds) == 104 && sizeof(woodstocc::CutParameters::bounds) == 8,
              "woodstocc::CutParameters::bounds");
static_assert(offsetof(woodstocc::CutParameters, wanted_count) == 112 && sizeof(woodstocc::CutParameters::wanted_count) == 4,
              "woodstocc::CutParameters::wanted_count");
static_assert(offsetof(woodstocc::CutParameters, k) == 116 && sizeof(woodstocc::CutParameters::k) == 4,
              "woodstocc::CutParameters::k");

static_assert(sizeof(woodstocc::FilterDeviceContext) == 112, "size of woodstocc::FilterDeviceContext");
static_assert(offsetof(woodstocc::FilterDeviceContext, index) == 0 && sizeof(woodstocc::FilterDeviceContext::index) == 80,
              "woodstocc::FilterDeviceContext::index");
static_assert(offsetof(woodstocc::FilterDeviceContext, codes) == 80 && sizeof(woodstocc::FilterDeviceContext::codes) == 8,
              "woodstocc::FilterDeviceContext::codes");
static_assert(offsetof(woodstocc::FilterDeviceContext, offsets) == 88 && sizeof(woodstocc::FilterDeviceContext::offsets) == 8,
              "woodstocc::FilterDeviceContext::offsets");
static_assert(offsetof(woodstocc::FilterDeviceContext, bounds) == 96 && sizeof(woodstocc::FilterDeviceContext::bounds) == 8,
              "woodstocc::FilterDeviceContext::bounds");
static_assert(offsetof(woodstocc::FilterDeviceContext, k) == 104 && sizeof(woodstocc::FilterDeviceContext::k) == 4,
              "woodstocc::FilterDeviceContext::k");
static_assert(offsetof(woodstocc::FilterDeviceContext, padding) == 108 && sizeof(woodstocc::FilterDeviceContext::padding) == 4,
              "woodstocc::FilterDeviceContext::padding");

static_assert(sizeof(woodstocc::QueryPiece) == 12, "size of woodstocc::QueryPiece");
static_assert(offsetof(woodstocc::QueryPiece, query) == 0 && sizeof(woodstocc::QueryPiece::query) == 4,
              "woodstocc::QueryPiece::query");
static_assert(offsetof(woodstocc::QueryPiece, number) == 4 && sizeof(woodstocc::QueryPiece::number) == 4,
              "woodstocc::QueryPiece::number");
static_assert(offsetof(woodstocc::QueryPiece, first) == 8 && sizeof(woodstocc::QueryPiece::first) == 4,
              "woodstocc::QueryPiece::first");

static_assert(sizeof(woodstocc::PieceSeed) == 16, "size of woodstocc::PieceSeed");
static_assert(offsetof(woodstocc::PieceSeed, query) == 0 && sizeof(woodstocc::PieceSeed::query) == 4,
              "woodstocc::PieceSeed::query");
static_assert(offsetof(woodstocc::PieceSeed, number) == 4 && sizeof(woodstocc::PieceSeed::number) == 4,
              "woodstocc::PieceSeed::number");
static_assert(offsetof(woodstocc::PieceSeed, lo) == 8 && sizeof(woodstocc::PieceSeed::lo) == 4,
              "woodstocc::PieceSeed::lo");
static_assert(offsetof(woodstocc::PieceSeed, size) == 12 && sizeof(woodstocc::PieceSeed::size) == 4,
              "woodstocc::PieceSeed::size");

static_assert(sizeof(woodstocc::PieceCandidate) == 12, "size of woodstocc::PieceCandidate");
static_assert(offsetof(woodstocc::PieceCandidate, query) == 0 && sizeof(woodstocc::PieceCandidate::query) == 4,
              "woodstocc::PieceCandidate::query");
static_assert(offsetof(woodstocc::PieceCandidate, number) == 4 && sizeof(woodstocc::PieceCandidate::number) == 4,
              "woodstocc::PieceCandidate::number");
static_assert(offsetof(woodstocc::PieceCandidate, diagonal) == 8 && sizeof(woodstocc::PieceCandidate::diagonal) == 4,
              "woodstocc::PieceCandidate::diagonal");

static_assert(sizeof(woodstocc::PieceRun) == 20, "size of woodstocc::PieceRun");
static_assert(offsetof(woodstocc::PieceRun, from) == 0 && sizeof(woodstocc::PieceRun::from) == 1,
              "woodstocc::PieceRun::from");
static_assert(offsetof(woodstocc::PieceRun, to) == 1 && sizeof(woodstocc::PieceRun::to) == 1,
              "woodstocc::PieceRun::to");
static_assert(offsetof(woodstocc::PieceRun, right) == 2 && sizeof(woodstocc::PieceRun::right) == 1,
              "woodstocc::PieceRun::right");
static_assert(offsetof(woodstocc::PieceRun, last) == 3 && sizeof(woodstocc::PieceRun::last) == 1,
              "woodstocc::PieceRun::last");
static_assert(offsetof(woodstocc::PieceRun, allowed) == 4 && sizeof(woodstocc::PieceRun::allowed) == 16,
              "woodstocc::PieceRun::allowed");

static_assert(sizeof(woodstocc::SearchPlan) == 132, "size of woodstocc::SearchPlan");
static_assert(offsetof(woodstocc::SearchPlan, order) == 0 && sizeof(woodstocc::SearchPlan::order) == 16,
              "woodstocc::SearchPlan::order");
static_assert(offsetof(woodstocc::SearchPlan, most) == 16 && sizeof(woodstocc::SearchPlan::most) == 16,
              "woodstocc::SearchPlan::most");
static_assert(offsetof(woodstocc::SearchPlan, runs) == 32 && sizeof(woodstocc::SearchPlan::runs) == 100,
              "woodstocc::SearchPlan::runs");

static_assert(sizeof(woodstocc::Branch) == 24, "size of woodstocc::Branch");
static_assert(offsetof(woodstocc::Branch, rows) == 0 && sizeof(woodstocc::Branch::rows) == 12,
              "woodstocc::Branch::rows");
static_assert(offsetof(woodstocc::Branch, cells) == 12 && sizeof(woodstocc::Branch::cells) == 4,
              "woodstocc::Branch::cells");
static_assert(offsetof(woodstocc::Branch, text) == 16 && sizeof(woodstocc::Branch::text) == 2,
              "woodstocc::Branch::text");
static_assert(offsetof(woodstocc::Branch, left) == 18 && sizeof(woodstocc::Branch::left) == 2,
              "woodstocc::Branch::left");
static_assert(offsetof(woodstocc::Branch, run) == 20 && sizeof(woodstocc::Branch::run) == 1,
              "woodstocc::Branch::run");
static_assert(offsetof(woodstocc::Branch, spent) == 21 && sizeof(woodstocc::Branch::spent) == 1,
              "woodstocc::Branch::spent");
static_assert(offsetof(woodstocc::Branch, padding) == 22 && sizeof(woodstocc::Branch::padding) == 2,
              "woodstocc::Branch::padding");

static_assert(sizeof(woodstocc::BranchStack) == 400, "size of woodstocc::BranchStack");
static_assert(offsetof(woodstocc::BranchStack, id) == 0 && sizeof(woodstocc::BranchStack::id) == 8,
              "woodstocc::BranchStack::id");
static_assert(offsetof(woodstocc::BranchStack, count) == 8 && sizeof(woodstocc::BranchStack::count) == 4,
              "woodstocc::BranchStack::count");
static_assert(offsetof(woodstocc::BranchStack, padding) == 12 && sizeof(woodstocc::BranchStack::padding) == 4,
              "woodstocc::BranchStack::padding");
static_assert(offsetof(woodstocc::BranchStack, branches) == 16 && sizeof(woodstocc::BranchStack::branches) == 384,
              "woodstocc::BranchStack::branches");

static_assert(sizeof(woodstocc::SearchId) == 8, "size of woodstocc::SearchId");
static_assert(offsetof(woodstocc::SearchId, query) == 0 && sizeof(woodstocc::SearchId::query) == 4,
              "woodstocc::SearchId::query");
static_assert(offsetof(woodstocc::SearchId, search) == 4 && sizeof(woodstocc::SearchId::search) == 4,
              "woodstocc::SearchId::search");

static_assert(sizeof(woodstocc::SchemeSeed) == 20, "size of woodstocc::SchemeSeed");
static_assert(offsetof(woodstocc::SchemeSeed, id) == 0 && sizeof(woodstocc::SchemeSeed::id) == 8,
              "woodstocc::SchemeSeed::id");
static_assert(offsetof(woodstocc::SchemeSeed, lo) == 8 && sizeof(woodstocc::SchemeSeed::lo) == 4,
              "woodstocc::SchemeSeed::lo");
static_assert(offsetof(woodstocc::SchemeSeed, size) == 12 && sizeof(woodstocc::SchemeSeed::size) == 4,
              "woodstocc::SchemeSeed::size");
static_assert(offsetof(woodstocc::SchemeSeed, offset) == 16 && sizeof(woodstocc::SchemeSeed::offset) == 4,
              "woodstocc::SchemeSeed::offset");

static_assert(sizeof(woodstocc::SchemeCandidate) == 8, "size of woodstocc::SchemeCandidate");
static_assert(offsetof(woodstocc::SchemeCandidate, query) == 0 && sizeof(woodstocc::SchemeCandidate::query) == 4,
              "woodstocc::SchemeCandidate::query");
static_assert(offsetof(woodstocc::SchemeCandidate, diagonal) == 4 && sizeof(woodstocc::SchemeCandidate::diagonal) == 4,
              "woodstocc::SchemeCandidate::diagonal");

static_assert(sizeof(woodstocc::SchemeCounts) == 16, "size of woodstocc::SchemeCounts");
static_assert(offsetof(woodstocc::SchemeCounts, nodes) == 0 && sizeof(woodstocc::SchemeCounts::nodes) == 8,
              "woodstocc::SchemeCounts::nodes");
static_assert(offsetof(woodstocc::SchemeCounts, lines) == 8 && sizeof(woodstocc::SchemeCounts::lines) == 8,
              "woodstocc::SchemeCounts::lines");

static_assert(sizeof(woodstocc::SchemeDeviceContext) == 128, "size of woodstocc::SchemeDeviceContext");
static_assert(offsetof(woodstocc::SchemeDeviceContext, index) == 0 && sizeof(woodstocc::SchemeDeviceContext::index) == 80,
              "woodstocc::SchemeDeviceContext::index");
static_assert(offsetof(woodstocc::SchemeDeviceContext, codes) == 80 && sizeof(woodstocc::SchemeDeviceContext::codes) == 8,
              "woodstocc::SchemeDeviceContext::codes");
static_assert(offsetof(woodstocc::SchemeDeviceContext, offsets) == 88 && sizeof(woodstocc::SchemeDeviceContext::offsets) == 8,
              "woodstocc::SchemeDeviceContext::offsets");
static_assert(offsetof(woodstocc::SchemeDeviceContext, plans) == 96 && sizeof(woodstocc::SchemeDeviceContext::plans) == 8,
              "woodstocc::SchemeDeviceContext::plans");
static_assert(offsetof(woodstocc::SchemeDeviceContext, counts) == 104 && sizeof(woodstocc::SchemeDeviceContext::counts) == 8,
              "woodstocc::SchemeDeviceContext::counts");
static_assert(offsetof(woodstocc::SchemeDeviceContext, k) == 112 && sizeof(woodstocc::SchemeDeviceContext::k) == 4,
              "woodstocc::SchemeDeviceContext::k");
static_assert(offsetof(woodstocc::SchemeDeviceContext, pieces) == 116 && sizeof(woodstocc::SchemeDeviceContext::pieces) == 4,
              "woodstocc::SchemeDeviceContext::pieces");
static_assert(offsetof(woodstocc::SchemeDeviceContext, inverse) == 120 && sizeof(woodstocc::SchemeDeviceContext::inverse) == 4,
              "woodstocc::SchemeDeviceContext::inverse");
static_assert(offsetof(woodstocc::SchemeDeviceContext, rare_limit) == 124 && sizeof(woodstocc::SchemeDeviceContext::rare_limit) == 4,
              "woodstocc::SchemeDeviceContext::rare_limit");
