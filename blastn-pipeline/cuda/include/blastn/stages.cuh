// The device side of src/pipeline/stages.rs, for pipeline.cu and merged.cu.
#pragma once

#include "stream/stream.cuh"

#include <blastn/ungapped.cuh>
#include <blastn/words.cuh>

namespace {

using blastn::Context;
using blastn::Word;

struct Slice {
  uint32_t chunk, first, words;
};
struct Found {
  uint32_t chunk, subject, start, count;
};
struct Hit {
  uint32_t chunk, query, subject;
};

// Places whose words a thread looks up: LOOKS of stages.rs.
constexpr uint32_t kLooks = 4;

// A word of a slice; false if it is not in the queries.
__device__ inline bool find(const Context& context, const Slice& slice, uint32_t number, Found& found) {
  const uint32_t subject = slice.first + number * context.stride;
  const uint32_t code = blastn::word_at(context, __ldg(&context.chunks[slice.chunk].first) + subject);
  if ((__ldg(context.present + code / 32) >> (code % 32) & 1) == 0) return false;
  const uint32_t start = __ldg(context.starts + code);
  found = {slice.chunk, subject, start, __ldg(context.starts + code + 1) - start};
  return true;
}

// Pushes a word's alignment to CHANNEL, or the word to the next.
template <uint32_t CHANNEL, class Push>
__device__ inline void extend(const Context& context, const Word& word, Push& push) {
  const bool follows = blastn::follows(context, word);
  blastn::Extended extended;
  if (!follows && blastn::extend(context, word, extended)) push(stream::to<CHANNEL>(), extended);
  else push(stream::to<CHANNEL + 1>(), blastn::Spent{word, follows ? 0u : 1u});
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
    const uint32_t first = site.element * kLooks;
    const uint32_t end = min(slice.words, first + kLooks);
    for (uint32_t number = first; number < end; number++) {
      Found found;
      if (find(context, slice, number, found)) push(stream::to<0>(), found);
    }
  }
};

struct Enumerate : stream::Exploding {
  using In = Found;
  using Out = stream::Channels<stream::Channel<Hit, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Found& found, const stream::Site<Enumerate>&) const { return found.count; }

  template <class Push>
  __device__ void run(const Found& found, const stream::Site<Enumerate>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t query = __ldg(context.places + found.start + site.element);
    push(stream::to<0>(), Hit{found.chunk, query, found.subject});
  }
};

struct Widen : stream::Stage {
  using In = Hit;
  using Out = stream::Channels<stream::Channel<Word, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Hit& hit, const stream::Site<Widen>& site, Push& push) const {
    const Context context = site.global();
    Word word;
    if (blastn::widen(context, hit.chunk, hit.query, hit.subject, word)) push(stream::to<0>(), word);
  }
};

struct Extend : stream::Stage {
  using In = Word;
  using Out = stream::Channels<stream::Channel<blastn::Extended, 1>, stream::Channel<blastn::Spent, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Word& word, const stream::Site<Extend>& site, Push& push) const {
    const Context context = site.global();
    extend<0>(context, word, push);
  }
};

}  // namespace
