// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <bgzf/bgzf.cuh>

static_assert(sizeof(bgzf::BlockExtent) == 8, "size of bgzf::BlockExtent");
static_assert(offsetof(bgzf::BlockExtent, offset) == 0 && sizeof(bgzf::BlockExtent::offset) == 4,
              "bgzf::BlockExtent::offset");
static_assert(offsetof(bgzf::BlockExtent, size) == 4 && sizeof(bgzf::BlockExtent::size) == 4,
              "bgzf::BlockExtent::size");

static_assert(sizeof(bgzf::CompressParameters) == 56, "size of bgzf::CompressParameters");
static_assert(offsetof(bgzf::CompressParameters, contents) == 0 && sizeof(bgzf::CompressParameters::contents) == 8,
              "bgzf::CompressParameters::contents");
static_assert(offsetof(bgzf::CompressParameters, lengths) == 8 && sizeof(bgzf::CompressParameters::lengths) == 8,
              "bgzf::CompressParameters::lengths");
static_assert(offsetof(bgzf::CompressParameters, scratch) == 16 && sizeof(bgzf::CompressParameters::scratch) == 8,
              "bgzf::CompressParameters::scratch");
static_assert(offsetof(bgzf::CompressParameters, blocks) == 24 && sizeof(bgzf::CompressParameters::blocks) == 8,
              "bgzf::CompressParameters::blocks");
static_assert(offsetof(bgzf::CompressParameters, extents) == 32 && sizeof(bgzf::CompressParameters::extents) == 8,
              "bgzf::CompressParameters::extents");
static_assert(offsetof(bgzf::CompressParameters, cursor) == 40 && sizeof(bgzf::CompressParameters::cursor) == 8,
              "bgzf::CompressParameters::cursor");
static_assert(offsetof(bgzf::CompressParameters, count) == 48 && sizeof(bgzf::CompressParameters::count) == 4,
              "bgzf::CompressParameters::count");
static_assert(offsetof(bgzf::CompressParameters, padding) == 52 && sizeof(bgzf::CompressParameters::padding) == 4,
              "bgzf::CompressParameters::padding");

static_assert(sizeof(bgzf::ContentSource) == 16, "size of bgzf::ContentSource");
static_assert(offsetof(bgzf::ContentSource, bytes) == 0 && sizeof(bgzf::ContentSource::bytes) == 8,
              "bgzf::ContentSource::bytes");
static_assert(offsetof(bgzf::ContentSource, target) == 8 && sizeof(bgzf::ContentSource::target) == 4,
              "bgzf::ContentSource::target");
static_assert(offsetof(bgzf::ContentSource, size) == 12 && sizeof(bgzf::ContentSource::size) == 2,
              "bgzf::ContentSource::size");
static_assert(offsetof(bgzf::ContentSource, bits) == 14 && sizeof(bgzf::ContentSource::bits) == 2,
              "bgzf::ContentSource::bits");

static_assert(sizeof(bgzf::GatherParameters) == 24, "size of bgzf::GatherParameters");
static_assert(offsetof(bgzf::GatherParameters, sources) == 0 && sizeof(bgzf::GatherParameters::sources) == 8,
              "bgzf::GatherParameters::sources");
static_assert(offsetof(bgzf::GatherParameters, contents) == 8 && sizeof(bgzf::GatherParameters::contents) == 8,
              "bgzf::GatherParameters::contents");
static_assert(offsetof(bgzf::GatherParameters, count) == 16 && sizeof(bgzf::GatherParameters::count) == 4,
              "bgzf::GatherParameters::count");
static_assert(offsetof(bgzf::GatherParameters, bits_offset) == 20 && sizeof(bgzf::GatherParameters::bits_offset) == 4,
              "bgzf::GatherParameters::bits_offset");
