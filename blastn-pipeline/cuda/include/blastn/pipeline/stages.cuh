// The device side of src/pipeline/stages.rs, for pipeline.cu and merged.cu.
#pragma once

#include "stream/stream.cuh"

#include <blastn/pipeline/warp_extension.cuh>
#include <blastn/pipeline/window.cuh>

namespace {

using blastn::Context;
using blastn::Word;

struct Slice {
  uint32_t chunk, first, words;
};
struct Found {
  uint32_t chunk, subject, start, count;
};

// Places whose words a thread looks up: LOOKS of stages.rs.
constexpr uint32_t kLooks = 8;

// COUNT words of a slice from the `first`-th on, which are pushed if they are in the queries. Each step is
// taken for all of them before the next, so that they wait for memory together.
template <uint32_t COUNT, class Push>
__device__ inline void find(const Context& context, const Slice& slice, uint32_t first, Push&& push) {
  const uint64_t chunk = __ldg(&context.chunks[slice.chunk].first);
  uint32_t subjects[COUNT], codes[COUNT], starts[COUNT], counts[COUNT];
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    subjects[i] = slice.first + min(first + i, slice.words - 1) * context.stride;
  }
  blastn::words_at(context, chunk + subjects[0], subjects, codes);
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    const bool is_present = (__ldg(context.present + codes[i] / 32) >> (codes[i] % 32) & 1) != 0;
    counts[i] = is_present && first + i < slice.words ? 1 : 0;
  }
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    if (counts[i] == 0) continue;
    starts[i] = __ldg(context.starts + codes[i]);
    counts[i] = __ldg(context.starts + codes[i] + 1) - starts[i];
  }
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    if (counts[i] != 0) push(Found{slice.chunk, subjects[i], starts[i], counts[i]}, i);
  }
}

// Columns to each side by which a thread extends on its own: MORE of stages.rs.
constexpr uint32_t kMore = 512;

// Pushes the alignment of an extension that has ended to CHANNEL, or the word to the next.
template <uint32_t CHANNEL, class Push>
__device__ inline void finish(const Context& context, const blastn::Long& extension, Push& push) {
  blastn::Extended extended;
  if (extension.found(context, extended)) push(stream::to<CHANNEL>(), extended);
  else push(stream::to<CHANNEL + 1>(), blastn::Spent(extension.word, true));
}

// What can be decided about a word within a window, pushed to CHANNEL or the next; false for the rest, of
// which `extension` then knows what the window tells.
template <uint32_t CHANNEL, class Push>
__device__ inline bool decide(const Context& context, blastn::Long& extension, Push& push) {
  const Word& word = extension.word;
  const blastn::Strand strand = blastn::strand_at(context, word.query);
  const blastn::Chunk chunk = context.chunks[word.chunk];
  const blastn::Window window(context, strand, chunk, word);
  const bool follows = window.follows(context, strand);
  const blastn::Verdict promising = window.is_promising(context, strand, chunk, word);
  if (follows || promising == blastn::Verdict::no) {
    push(stream::to<CHANNEL + 1>(), blastn::Spent(word, !follows));
    return true;
  }
  if (promising == blastn::Verdict::unknown || !window.extend(context, strand, extension)) return false;
  finish<CHANNEL>(context, extension, push);
  return true;
}

struct Seed : stream::Exploding {
  using In = Slice;
  using Out = stream::Channels<stream::Channel<Found, kLooks>>;
  using Global = Context;

  __device__ uint32_t size(const Slice& slice, const stream::Site<Seed>&) const {
    return (slice.words + kLooks - 1) / kLooks;
  }

  template <class Push>
  __device__ void run(const Slice& slice, const stream::Site<Seed>& site, Push& push) const {
    const Context context = site.global();
    find<kLooks>(context, slice, site.element * kLooks,
                 [&](const Found& found, uint32_t slot) { push(stream::to<0>(), found, slot); });
  }
};

// Places of a word in the queries that a thread takes: PLACES of stages.rs.
constexpr uint32_t kPlaces = 2;

// COUNT places of a word in the queries, from the one at `entry` of `context.places` on, but only the first `own` of
// them: pushes what they are widened to. What is loaded is loaded for all of them before the first is decided.
template <uint32_t COUNT, class Push>
__device__ inline void widen(const Context& context, const Found& found, uint32_t entry, uint32_t own,
                             Push&& push) {
  const blastn::Chunk chunk = context.chunks[found.chunk];
  uint32_t queries[COUNT], lefts[COUNT];
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) queries[i] = __ldg(context.places + entry + min(i, own - 1));
  const blastn::Near bases(context.packed, static_cast<int64_t>(chunk.first + found.subject));
  blastn::Around around[COUNT];
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) around[i] = blastn::around(context, queries[i], bases);
  const uint32_t missing = context.word - context.width;
  uint32_t masked = 0;
#pragma unroll
  for (uint32_t i = 0; i < COUNT; i++) {
    if (i >= own) continue;
    const uint32_t query = queries[i];
    lefts[i] = blastn::left_of_run(context, chunk, query, found.subject, around[i]);
    if (lefts[i] == blastn::kNoRun) continue;
    const uint32_t first = query - lefts[i], begin = found.subject - lefts[i];
    if (blastn::are_indexed(context, first, first + missing)) {
      push(Word{found.chunk, first, begin, begin}, i);
    } else {
      masked |= 1u << i;
    }
  }
  // These are few, so that their code stands here once.
  while (masked != 0) {
    const uint32_t which = __ffs(static_cast<int>(masked)) - 1;
    masked &= masked - 1;
    uint32_t query = 0, left = 0;
#pragma unroll
    for (uint32_t i = 0; i < COUNT; i++) {
      if (i == which) query = queries[i], left = lefts[i];
    }
    Word word;
    if (!blastn::unmasked(context, found.chunk, chunk, query - left, found.subject - left, word)) continue;
#pragma unroll
    for (uint32_t i = 0; i < COUNT; i++) {
      if (i == which) push(word, i);
    }
  }
}

struct Widen : stream::Exploding {
  using In = Found;
  using Out = stream::Channels<stream::Channel<Word, kPlaces>>;
  using Global = Context;

  __device__ uint32_t size(const Found& found, const stream::Site<Widen>&) const {
    return (found.count + kPlaces - 1) / kPlaces;
  }

  template <class Push>
  __device__ void run(const Found& found, const stream::Site<Widen>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t before = site.element * kPlaces;
    widen<kPlaces>(context, found, found.start + before, min(found.count - before, kPlaces),
                   [&](const Word& word, uint32_t slot) { push(stream::to<0>(), word, slot); });
  }
};

// The channels of what is extended.
using Extensions = stream::Channels<stream::Channel<blastn::Extended, 1>, stream::Channel<blastn::Spent, 1>,
                                    stream::Channel<blastn::Long, 1>>;

struct Extend : stream::Stage {
  using In = Word;
  using Out = Extensions;
  using Global = Context;

  template <class Push>
  __device__ void run(const Word& word, const stream::Site<Extend>& site, Push& push) const {
    const Context context = site.global();
    blastn::Long extension{word};
    if (!decide<0>(context, extension, push)) push(stream::to<2>(), extension);
  }
};

struct Lengthen : stream::Stage {
  using In = blastn::Long;
  using Out = Extensions;
  using Global = Context;

  template <class Push>
  __device__ void run(const blastn::Long& item, const stream::Site<Lengthen>& site, Push& push) const {
    const Context context = site.global();
    blastn::Long extension = item;
    if (item.progress == blastn::Progress::none && !blastn::is_promising(context, item.word)) {
      push(stream::to<1>(), blastn::Spent(item.word, true));
    } else if (extension.extend<blastn::Alone>(context, kMore)) {
      finish<0>(context, extension, push);
    } else {
      push(stream::to<2>(), extension);
    }
  }
};

struct Stretch : stream::Stage {
  using In = blastn::Long;
  using Out = stream::Channels<stream::Channel<blastn::Extended, 1>, stream::Channel<blastn::Spent, 1>>;
  using Global = Context;
  static constexpr stream::u32 THREADS = stream::WARP;

  template <class Push>
  __device__ void run(const blastn::Long& item, const stream::Site<Stretch>& site, Push& push) const {
    const Context context = site.global();
    blastn::Long extension = item;
    extension.extend<blastn::Together>(context, ~0u);
    if (site.lane == 0) finish<0>(context, extension, push);
  }
};

}  // namespace
