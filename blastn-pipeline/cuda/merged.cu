// The four stages of src/pipeline in one node, for comparison.
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 2
#include <blastn/pipeline/stages.cuh>

namespace {

// Places of a word that a thread takes through all stages: MERGED of stages.rs.
constexpr uint32_t kMerged = 16;

struct Merged : stream::Exploding {
  using In = Slice;
  using Out = stream::Channels<stream::Channel<Found, 1>, stream::Channel<blastn::Extended, kMerged>,
                               stream::Channel<blastn::Spent, kMerged>>;
  using Global = Context;

  __device__ uint32_t size(const Slice& slice, const stream::Site<Merged>&) const { return slice.words; }

  template <class Push>
  __device__ void run(const Slice& slice, const stream::Site<Merged>& site, Push& push) const {
    const Context context = site.global();
    Found found{};
    find<1>(context, slice, site.element, [&](const Found& only, uint32_t) { found = only; });
    if (found.count == 0) return;
    const uint32_t own = min(found.count, kMerged);
    for (uint32_t entry = found.start; entry < found.start + own; entry++) {
      widen<1>(context, found, entry, 1, [&](const Word& word, uint32_t) {
        blastn::Long extension{word};
        if (decide<1>(context, extension, push)) return;
        if (extension.progress != blastn::Progress::none || blastn::is_promising(context, word)) {
          while (!extension.extend<blastn::Alone>(context, kMore)) continue;
          finish<1>(context, extension, push);
        } else {
          push(stream::to<2>(), blastn::Spent(word, true));
        }
      });
    }
    if (found.count > own) {
      push(stream::to<0>(), Found{found.chunk, found.subject, found.start + own, found.count - own});
    }
  }
};

}  // namespace

STREAM_APP(merged, Merged, Widen, Extend, Lengthen, Stretch)
