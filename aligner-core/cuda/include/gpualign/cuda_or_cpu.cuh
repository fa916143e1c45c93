// The first include of every .cu and .cuh file: makes one source serve two compilers.
//
// nvcc compiles it for the GPU. Any other C++ compiler gets the test-only SIMT shim (tests/simt),
// which supplies the CUDA keywords, built-in variables and intrinsics and runs the kernels on the
// CPU. To stay inside what both accept, a kernel file
//   - declares static shared memory with plain `__shared__`, and dynamic shared memory by DYN_SMEM;
//   - names each of its kernels once in SIMT_EXPORT, at namespace scope, after its definition;
//   - uses no CUB, no cooperative groups, no inline PTX and no `__activemask`.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

// `DYN_SMEM(T, name)` in a kernel: `name` is a `T*` to the launch's dynamic shared memory, aligned
// to 16 bytes. Two of them in one kernel address the same memory.
#define DYN_SMEM(T, name)                                                \
  extern __shared__ __align__(16) unsigned char gpualign_dynamic_shared[]; \
  T* name = reinterpret_cast<T*>(gpualign_dynamic_shared)

// Lets the shim find a kernel; nvcc exports kernels without it.
#define SIMT_EXPORT(kernel)

#else

#include "simt.h"

#endif
