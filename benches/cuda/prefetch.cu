// Pricing quotes one by one, by blocks with and without memory warps (Hagiescu et al., IV.B).
#include "gpualign/cuda_or_cpu.cuh"

#include "benches/layouts.cuh"
#include "benches/price.cuh"
#include "benches/quote.cuh"
#include "stream/prefetch.cuh"

namespace {

using benches::PriceParameters;
using benches::Quote;

constexpr unsigned COMPUTE = 4;  // compute warps of a block, as in src/runtime/prefetch.rs

// The work of a node for one quote. Called by one compute thread for each quote; no barriers.
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

// Prices all quotes. All threads of the grid call with the same arguments; `tiles` is the shared memory of Prefetched::run, which
// has barriers. The results are complete when the kernel ends.
template <unsigned MEMORY>
__device__ void price(const PriceParameters& parameters, stream::byte* tiles) {
  Pricing<MEMORY>::run(parameters.quotes, parameters.priced, parameters.count,
                       Price{{parameters.rounds, 1u << 16}}, tiles);
}

}  // namespace

// Kernels priced_M, with M memory warps: each writes the `count` quotes, with their values, to `priced`, in the same
// order. A block has 4 compute warps and M memory warps; any number of blocks.
extern "C" __global__ void __launch_bounds__(Pricing<0>::THREADS)
    priced_0(const __grid_constant__ PriceParameters parameters) {
  price<0>(parameters, nullptr);
}
SIMT_EXPORT(priced_0)

extern "C" __global__ void __launch_bounds__(Pricing<1>::THREADS)
    priced_1(const __grid_constant__ PriceParameters parameters) {
  __shared__ __align__(16) stream::byte tiles[Pricing<1>::shared_bytes()];
  price<1>(parameters, tiles);
}
SIMT_EXPORT(priced_1)

extern "C" __global__ void __launch_bounds__(Pricing<2>::THREADS)
    priced_2(const __grid_constant__ PriceParameters parameters) {
  __shared__ __align__(16) stream::byte tiles[Pricing<2>::shared_bytes()];
  price<2>(parameters, tiles);
}
SIMT_EXPORT(priced_2)

extern "C" __global__ void __launch_bounds__(Pricing<4>::THREADS)
    priced_4(const __grid_constant__ PriceParameters parameters) {
  __shared__ __align__(16) stream::byte tiles[Pricing<4>::shared_bytes()];
  price<4>(parameters, tiles);
}
SIMT_EXPORT(priced_4)
