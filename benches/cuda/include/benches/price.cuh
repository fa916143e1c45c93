// The parameter of the kernels in prefetch.cu. The host declares the same struct in src/runtime/prefetch.rs, and layouts.cuh
// asserts that both have the same layout.
#pragma once

#include "benches/quote.cuh"

namespace benches {

struct PriceParameters {
  const Quote* quotes;       // [count], aligned to 16 bytes
  Quote* priced;             // [count], aligned to 16 bytes
  unsigned long long count;
  unsigned rounds;           // dates for which a quote is priced
  unsigned padding;
};

}  // namespace benches
