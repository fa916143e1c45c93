// The device side of src/pipeline/stages.rs, for pipeline.cu and merged.cu.
#pragma once

#include "stream/stream.cuh"

#include <blastn/window.cuh>

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

// Columns of each part of a long extension, to each side.
constexpr uint32_t kMore = 256;

// Pushes the alignment of an extension that has ended to CHANNEL, or the word to the next.
template <uint32_t CHANNEL, class Push>
__device__ inline void finish(const Context& context, const blastn::Long& extension, Push& push) {
  blastn::Extended extended;
  if (extension.found(context, extended)) push(stream::to<CHANNEL>(), extended);
  else push(stream::to<CHANNEL + 1>(), blastn::Spent{extension.word, 1});
}

// What can be decided about a word within a window, pushed to CHANNEL or the next; false for the rest.
template <uint32_t CHANNEL, class Push>
__device__ inline bool decide(const Context& context, const Word& word, Push& push) {
  const blastn::Strand strand = blastn::strand_at(context, word.query);
  const blastn::Window window(context, context.chunks[word.chunk], word);
  const bool follows = window.follows(context, strand);
  const blastn::Verdict promising = window.is_promising(context, strand, word);
  if (follows || promising == blastn::Verdict::no) {
    push(stream::to<CHANNEL + 1>(), blastn::Spent{word, follows ? 0u : 1u});
    return true;
  }
  blastn::Long extension{word};
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
    if (!decide<0>(context, word, push)) push(stream::to<2>(), blastn::Long{word});
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
    if (extension.is_new() && !blastn::is_promising(context, item.word)) {
      push(stream::to<1>(), blastn::Spent{item.word, 1});
    } else if (extension.extend(context, kMore)) {
      finish<0>(context, extension, push);
    } else {
      push(stream::to<2>(), extension);
    }
  }
};

}  // namespace
