// Runs CUDA kernels on the CPU, for tests. Include `gpualign/cuda_or_cpu.cuh`, not this file.
//
// Design
//   A kernel file (.cu) is compiled by the C++ compiler into a shared object of its own, as nvcc
//   compiles it into a fatbin of its own; `SIMT_EXPORT(kernel)` gives it an entry point.
//
//     grid     worker OS threads take blocks in a random order            (grid.cpp)
//     block    one fiber a CUDA thread; the scheduler resumes a random    (block.cpp)
//              ready fiber, which runs until it has to wait
//     warp     a collective waits until all lanes of its mask are in it   (simt/warp.h)
//     fiber    a stack and a machine context                              (context.cpp)
//
//   The seed decides every random choice inside a block, so a failing seed fails again.
//
// What it finds
//   - a missing barrier: the random order makes a thread read what was not yet written, and shared
//     memory holds 0xCD bytes at the start of each block;
//   - barriers and collectives that some threads never reach (deadlock), `__syncthreads` reached
//     at different places, a lane that is not in its own mask: reported with block, threads, and
//     the source lines they wait at;
//   - under ASan and UBSan: accesses outside of global memory, of dynamic shared memory and of
//     local arrays; indices outside of a static shared array (where the array's type is in sight).
//
// What it does not model
//   - data races as such: fibers of a block are never preempted between two waits, apart from the
//     switches that atomics make at random. racecheck on a GPU is the tool for them;
//   - waiting for another block: a block may start only after another has ended;
//   - a weak memory model, the L1 cache, time (`clock64` counts nanoseconds);
//   - `__activemask`: which lanes have converged is a fact of the hardware, so code that depends
//     on it has no meaning here and does not compile.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __constant__ static
// Every kernel file is a shared object, whose thread-local memory holds nothing but these
// variables: that is how the grid finds and fills all of them at the start of a block.
// `__thread`, unlike `thread_local`, refuses constructors, as CUDA does.
#define __shared__ static __thread
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

#include "simt/types.h"
#include "simt/block.h"
#include "simt/atomic.h"
#include "simt/integer.h"
#include "simt/dpx.h"
#include "simt/warp.h"
#include "simt/launch.h"

#define threadIdx (simt::current->running->index)
#define blockIdx (simt::current->index)
#define blockDim (simt::current->extent)
#define gridDim (simt::current->grid)

constexpr int warpSize = simt::WARP;

// Device-wide fences order nothing more here than the host's strongest fence.
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Lets other threads of the block run, whatever the time asked for.
inline void __nanosleep(unsigned) { simt::current->pause(); }

// Ends the launch with an error.
[[noreturn]] inline void __trap(simt::Site site = simt::Site::here()) {
  simt::current->fault("__trap", site);
}

inline long long clock64() { return simt::nanoseconds(); }

#define DYN_SMEM(T, name) T* name = reinterpret_cast<T*>(simt::current->dynamic_shared)

// The entry point of a kernel, found by name; see simt::launch.
#define SIMT_EXPORT(kernel)                                                                     \
  extern "C" __attribute__((visibility("default"))) int simt_launch_##kernel(                   \
      const simt::Launch* launch, const void* const* arguments, const std::size_t* sizes,       \
      std::size_t count, char* message, std::size_t capacity) {                                 \
    return simt::launch(#kernel, kernel, *launch, arguments, sizes, count, message, capacity);  \
  }
