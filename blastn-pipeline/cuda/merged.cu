// The pipeline with its five nodes in one, to compare with pipeline.cu (Cole 2017, 3.4.1).
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 2
#include <blastn/pipeline/stages.cuh>

namespace {

// Places of a word in the queries that a thread takes through all stages: MERGED of stages.rs.
constexpr uint32_t kMerged = 16;

// All nodes in one, for the first kMerged places of a word; the others leave by channel 0, to the nodes of pipeline.cu.
struct Merged : stream::Exploding {
  using In = ChunkSlice;
  using Out = stream::Channels<stream::Channel<FoundWord, 1>, stream::Channel<blastn::ExtendedSeed, kMerged>,
                               stream::Channel<blastn::UnalignedSeed, kMerged>>;
  using Global = PipelineTables;

  __device__ uint32_t size(const ChunkSlice& slice, const stream::Site<Merged>&) const { return slice.words; }

  template <class Push>
  __device__ void run(const ChunkSlice& slice, const stream::Site<Merged>& site, Push& push) const {
    const PipelineTables tables = site.global();
    FoundWord found{};
    find_words<1>(tables, slice, site.element, [&](const FoundWord& only, uint32_t) { found = only; });
    if (found.count == 0) return;
    const uint32_t own = min(found.count, kMerged);
    for (uint32_t entry = found.start; entry < found.start + own; entry++) {
      widen<1>(tables, found, entry, 1, [&](const SeedHit& seed, uint32_t) {
        blastn::PartialExtension extension{seed};
        if (decided_by_window<1>(tables, extension, push)) return;
        if (extension.progress != blastn::Progress::none || blastn::passes_quad_test(tables, seed)) {
          while (!extension.extend<blastn::ThreadExtender>(tables, kMore)) continue;
          finish<1>(tables, extension, push);
        } else {
          push(stream::to<2>(), blastn::UnalignedSeed(seed, true));
        }
      });
    }
    if (found.count > own) {
      push(stream::to<0>(), FoundWord{found.chunk, found.subject, found.start + own, found.count - own});
    }
  }
};

}  // namespace

STREAM_APP(merged, Merged, Widen, Extend, Lengthen, Stretch)
