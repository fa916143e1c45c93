// Pricing quotes one by one, by blocks with and without memory warps (002, section IV.B).
#include "gpualign/cuda_or_cpu.cuh"

#include "benches/quote.cuh"
#include "stream/prefetch.cuh"

namespace {

using benches::Quote;

constexpr unsigned COMPUTE = 4;  // warps; the number of src/prefetch.rs

// A working node that drops nothing.
struct Price {
  benches::Model model;

  __device__ Quote operator()(const Quote& quote) const {
    Quote priced = quote;
    model.work(priced, 0, 1);
    return priced;
  }
};

template <unsigned MEMORY>
using Pricing = stream::Prefetched<Quote, Quote, COMPUTE, MEMORY>;

template <unsigned MEMORY>
__device__ void price(const Quote* quotes, Quote* priced, unsigned long long count,
                      unsigned rounds, stream::byte* tiles) {
  Pricing<MEMORY>::run(quotes, priced, count, Price{{rounds, 1u << 16}}, tiles);
}

}  // namespace

// Each writes the `count` quotes, with their values, to the same places of `priced`. Both arrays are
// aligned to 16 bytes. A block has 4 warps and the memory warps; any number of blocks.
extern "C" __global__ void __launch_bounds__(Pricing<0>::THREADS)
    priced_0(const Quote* quotes, Quote* priced, unsigned long long count, unsigned rounds) {
  price<0>(quotes, priced, count, rounds, nullptr);
}
SIMT_EXPORT(priced_0)

extern "C" __global__ void __launch_bounds__(Pricing<1>::THREADS)
    priced_1(const Quote* quotes, Quote* priced, unsigned long long count, unsigned rounds) {
  __shared__ __align__(16) stream::byte tiles[Pricing<1>::shared_bytes()];
  price<1>(quotes, priced, count, rounds, tiles);
}
SIMT_EXPORT(priced_1)

extern "C" __global__ void __launch_bounds__(Pricing<2>::THREADS)
    priced_2(const Quote* quotes, Quote* priced, unsigned long long count, unsigned rounds) {
  __shared__ __align__(16) stream::byte tiles[Pricing<2>::shared_bytes()];
  price<2>(quotes, priced, count, rounds, tiles);
}
SIMT_EXPORT(priced_2)
