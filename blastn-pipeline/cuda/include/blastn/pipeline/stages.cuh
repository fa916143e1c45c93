// The module types of the pipeline (Seed, Widen, Extend, Lengthen, Stretch), for pipeline.cu and merged.cu; on the CPU:
// src/gpu/pipeline/stages.rs.
#pragma once

#include "stream/stream.cuh"

#include <blastn/pipeline/warp_extension.cuh>
#include <blastn/pipeline/window.cuh>

namespace {

using blastn::ChunkSlice;
using blastn::FoundWord;
using blastn::PipelineTables;
using blastn::SeedHit;

// Words that a thread looks up: LOOKS of stages.rs.
constexpr uint32_t kLooks = 8;

// Looks up COUNT words of a slice, from the `first`-th on, and calls `push(found, i)` for each that the queries have. Each
// step is taken for all of them before the next, so that their loads overlap. Called by single threads.
template <uint32_t COUNT, class Push>
__device__ inline void find_words(const PipelineTables& tables, const ChunkSlice& slice, uint32_t first, Push&& push) {
  const uint64_t chunk = __ldg(&tables.chunks[slice.chunk].first);
  uint32_t subjects[COUNT], codes[COUNT], starts[COUNT], counts[COUNT];
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    subjects[i] = slice.first + min(first + i, slice.words - 1) * tables.stride;
  }
  blastn::words_at(tables, chunk + subjects[0], subjects, codes);
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    const bool is_present = (__ldg(tables.word_present + codes[i] / 32) >> (codes[i] % 32) & 1) != 0;
    counts[i] = is_present && first + i < slice.words ? 1 : 0;
  }
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    if (counts[i] == 0) continue;
    starts[i] = __ldg(tables.word_starts + codes[i]);
    counts[i] = __ldg(tables.word_starts + codes[i] + 1) - starts[i];
  }
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    if (counts[i] != 0) push(FoundWord{slice.chunk, subjects[i], starts[i], counts[i]}, i);
  }
}

// Columns to each side by which a thread extends on its own: MORE of stages.rs.
constexpr uint32_t kMore = 512;

// Pushes the alignment of a finished extension to CHANNEL, or its seed to the next channel.
template <uint32_t CHANNEL, class Push>
__device__ inline void finish(const PipelineTables& tables, const blastn::PartialExtension& extension, Push& push) {
  blastn::ExtendedSeed extended;
  if (extension.alignment(tables, extended)) push(stream::to<CHANNEL>(), extended);
  else push(stream::to<CHANNEL + 1>(), blastn::UnalignedSeed(extension.seed, true));
}

// Tries to decide about a seed by the window around it: by the quad test (four columns at a time, as in NCBI's
// s_NuclUngappedExtend; quads.cuh), then by extension. If the window suffices, pushes the alignment to CHANNEL, or the seed to
// the next channel, and returns true. Otherwise pushes nothing and returns false; `extension` then holds how far it got.
template <uint32_t CHANNEL, class Push>
__device__ inline bool decided_by_window(const PipelineTables& tables, blastn::PartialExtension& extension, Push& push) {
  const SeedHit& seed = extension.seed;
  const blastn::QueryStrand strand = blastn::strand_at(tables, seed.query);
  const blastn::DatabaseChunk chunk = tables.chunks[seed.chunk];
  const blastn::SeedWindow window(tables, strand, chunk, seed);
  const bool follows = window.follows_match(tables, strand);
  const blastn::WindowDecision passes = window.quad_test(tables, strand, chunk, seed);
  if (follows || passes == blastn::WindowDecision::no) {
    push(stream::to<CHANNEL + 1>(), blastn::UnalignedSeed(seed, !follows));
    return true;
  }
  if (passes == blastn::WindowDecision::unknown || !window.extend(tables, strand, extension)) return false;
  finish<CHANNEL>(tables, extension, push);
  return true;
}

// Looks up the words of a slice.
struct Seed : stream::Exploding {
  using In = ChunkSlice;
  using Out = stream::Channels<stream::Channel<FoundWord, kLooks>>;
  using Global = PipelineTables;

  __device__ uint32_t size(const ChunkSlice& slice, const stream::Site<Seed>&) const {
    return (slice.words + kLooks - 1) / kLooks;
  }

  template <class Push>
  __device__ void run(const ChunkSlice& slice, const stream::Site<Seed>& site, Push& push) const {
    const PipelineTables tables = site.global();
    find_words<kLooks>(tables, slice, site.element * kLooks,
                 [&](const FoundWord& found, uint32_t slot) { push(stream::to<0>(), found, slot); });
  }
};

// Places of a word in the queries that a thread of Widen takes: PLACES of stages.rs.
constexpr uint32_t kPlaces = 2;

// Widens a word at COUNT of its places in the queries, from the one at `entry` of `tables.word_places` on, to seeds, and calls
// `push(seed, i)` for each; only the first `own` places count. All loads come before the first decision. Called by single
// threads.
template <uint32_t COUNT, class Push>
__device__ inline void widen(const PipelineTables& tables, const FoundWord& found, uint32_t entry, uint32_t own,
                             Push&& push) {
  const blastn::DatabaseChunk chunk = tables.chunks[found.chunk];
  uint32_t queries[COUNT], lefts[COUNT];
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) queries[i] = __ldg(tables.word_places + entry + min(i, own - 1));
  const blastn::CodesNear bases(tables.packed_bases, static_cast<int64_t>(chunk.first + found.subject));
  blastn::EqualColumns around[COUNT];
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) around[i] = blastn::around(tables, queries[i], bases);
  const uint32_t missing = tables.word_length - tables.lookup_width;
  uint32_t masked = 0;
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    if (i >= own) continue;
    const uint32_t query = queries[i];
    lefts[i] = blastn::left_of_run(tables, chunk, query, found.subject, around[i]);
    if (lefts[i] == blastn::kNoRun) continue;
    const uint32_t first = query - lefts[i], begin = found.subject - lefts[i];
    if (blastn::all_begin_words(tables, first, first + missing)) {
      push(SeedHit{found.chunk, first, begin, begin}, i);
    } else {
      masked |= 1u << i;
    }
  }
  // Few matches have masks, so the code for them is not unrolled.
  while (masked != 0) {
    const uint32_t which = __ffs(static_cast<int>(masked)) - 1;
    masked &= masked - 1;
    uint32_t query = 0, left = 0;
#pragma unroll
    for (uint32_t i = 0; i < COUNT; i++) {
      if (i == which) query = queries[i], left = lefts[i];
    }
    SeedHit seed;
    if (!blastn::unmasked(tables, found.chunk, chunk, query - left, found.subject - left, seed)) continue;
#pragma unroll
    for (uint32_t i = 0; i < COUNT; i++) {
      if (i == which) push(seed, i);
    }
  }
}

// Finds the places of a word in the queries, and widens them to seeds.
struct Widen : stream::Exploding {
  using In = FoundWord;
  using Out = stream::Channels<stream::Channel<SeedHit, kPlaces>>;
  using Global = PipelineTables;

  __device__ uint32_t size(const FoundWord& found, const stream::Site<Widen>&) const {
    return (found.count + kPlaces - 1) / kPlaces;
  }

  template <class Push>
  __device__ void run(const FoundWord& found, const stream::Site<Widen>& site, Push& push) const {
    const PipelineTables tables = site.global();
    const uint32_t before = site.element * kPlaces;
    widen<kPlaces>(tables, found, found.start + before, min(found.count - before, kPlaces),
                   [&](const SeedHit& seed, uint32_t slot) { push(stream::to<0>(), seed, slot); });
  }
};

// Channels of the nodes that extend: alignments, seeds without one, extensions that go on.
using Extensions = stream::Channels<stream::Channel<blastn::ExtendedSeed, 1>, stream::Channel<blastn::UnalignedSeed, 1>,
                                    stream::Channel<blastn::PartialExtension, 1>>;

// Decides about a seed by the window around it.
struct Extend : stream::Stage {
  using In = SeedHit;
  using Out = Extensions;
  using Global = PipelineTables;

  template <class Push>
  __device__ void run(const SeedHit& seed, const stream::Site<Extend>& site, Push& push) const {
    const PipelineTables tables = site.global();
    blastn::PartialExtension extension{seed};
    if (!decided_by_window<0>(tables, extension, push)) push(stream::to<2>(), extension);
  }
};

// Goes on with an extension, by up to kMore columns.
struct Lengthen : stream::Stage {
  using In = blastn::PartialExtension;
  using Out = Extensions;
  using Global = PipelineTables;

  template <class Push>
  __device__ void run(const blastn::PartialExtension& item, const stream::Site<Lengthen>& site, Push& push) const {
    const PipelineTables tables = site.global();
    blastn::PartialExtension extension = item;
    if (item.progress == blastn::Progress::none && !blastn::passes_quad_test(tables, item.seed)) {
      push(stream::to<1>(), blastn::UnalignedSeed(item.seed, true));
    } else if (extension.extend<blastn::ThreadExtender>(tables, kMore)) {
      finish<0>(tables, extension, push);
    } else {
      push(stream::to<2>(), extension);
    }
  }
};

// Ends a long extension, by a warp.
struct Stretch : stream::Stage {
  using In = blastn::PartialExtension;
  using Out = stream::Channels<stream::Channel<blastn::ExtendedSeed, 1>, stream::Channel<blastn::UnalignedSeed, 1>>;
  using Global = PipelineTables;
  static constexpr stream::u32 THREADS = stream::WARP;

  template <class Push>
  __device__ void run(const blastn::PartialExtension& item, const stream::Site<Stretch>& site, Push& push) const {
    const PipelineTables tables = site.global();
    blastn::PartialExtension extension = item;
    extension.extend<blastn::WarpExtender>(tables, ~0u);
    if (site.lane == 0) finish<0>(tables, extension, push);
  }
};

}  // namespace
