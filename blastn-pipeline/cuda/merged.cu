// The pipeline with its five nodes in one, to compare with pipeline.cu (Cole 2017, 3.4.1). A thread does what a thread of each stage
// does there: it looks up kLooks words, widens kPlaces places of a word at a time, and extends each seed to its end.
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 2
#include <blastn/pipeline/stages.cuh>

namespace {

// Places of a word in the queries that a thread takes through all stages: MERGED of stages.rs.
constexpr uint32_t kMerged = 4;
static_assert(kMerged % kPlaces == 0, "places are widened kPlaces at a time");

// All nodes in one, for the first kMerged places of each word; the others leave by channel 0, to the nodes of pipeline.cu.
struct Merged : stream::Exploding {
  using In = ChunkSlice;
  using Out = stream::Channels<stream::Channel<FoundWord, kLooks>,
                               stream::Channel<blastn::ExtendedSeed, kLooks * kMerged>,
                               stream::Channel<blastn::UnalignedSeed, kLooks * kMerged>>;
  using Global = PipelineTables;

  __device__ uint32_t size(const ChunkSlice& slice, const stream::Site<Merged>&) const {
    return (slice.words + kLooks - 1) / kLooks;
  }

  template <class Push>
  __device__ void run(const ChunkSlice& slice, const stream::Site<Merged>& site, Push& push) const {
    const PipelineTables tables = site.global();
    // The words are kept until all are looked up, so that threads extend seeds at the same time.
    FoundWord words[kLooks];
    uint32_t count = 0;
    find_words<kLooks>(tables, slice, site.element * kLooks,
                       [&](const FoundWord& found, uint32_t) { words[count++] = found; });
    for (uint32_t i = 0; i < count; i++) {
      const FoundWord found = words[i];
      const uint32_t own = min(found.count, kMerged);
      for (uint32_t place = 0; place < own; place += kPlaces) {
        widen<kPlaces>(tables, found, found.start + place, own - place,
                       [&](const SeedHit& seed, uint32_t) { extend(tables, seed, push); });
      }
      if (found.count > own) {
        push(stream::to<0>(), FoundWord{found.chunk, found.subject, found.start + own, found.count - own});
      }
    }
  }

  // Extends a seed to its end, and pushes its alignment, or the seed if it has none.
  template <class Push>
  __device__ void extend(const PipelineTables& tables, const SeedHit& seed, Push& push) const {
    blastn::PartialExtension extension{seed};
    if (decided_by_window<1>(tables, extension, push)) return;
    if (extension.progress != blastn::Progress::none || blastn::passes_quad_test(tables, seed)) {
      while (!extension.extend<blastn::ThreadExtender>(tables, kMore)) continue;
      finish<1>(tables, extension, push);
    } else {
      push(stream::to<2>(), blastn::UnalignedSeed(seed, true));
    }
  }
};

}  // namespace

STREAM_APP(merged, Merged, Widen, Extend, Lengthen, Stretch)
