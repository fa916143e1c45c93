// What the applications work on: the device side of `src/quote.rs`, function by function.
#pragma once

#include "stream/stream.cuh"

#include <math.h>

namespace benches {

constexpr unsigned STAGES = 5;

struct Quote {
  float price, strike, years, rate, volatility, value;
  unsigned id, passes;
  unsigned spare[4];
};
static_assert(sizeof(Quote) == 48, "the size of the papers' items");

// The finalizer of MurmurHash3.
__device__ inline unsigned mix(unsigned h) {
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

// The distribution function of the standard normal distribution (Abramowitz and Stegun, 26.2.17).
__device__ inline float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float series =
      0.31938153f +
      k * (-0.35656378f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302744f)));
  const float tail = 0.3989423f * expf(-0.5f * x * x) * k * series;
  return x > 0.0f ? 1.0f - tail : tail;
}

// The value of a call option.
__device__ inline float call(float price, float strike, float years, float rate,
                             float volatility) {
  const float spread = volatility * sqrtf(years);
  const float drift = (rate + 0.5f * volatility * volatility) * years;
  const float d = (logf(price / strike) + drift) / spread;
  return price * normal(d) - strike * expf(-rate * years) * normal(d - spread);
}

struct Model {
  unsigned rounds;
  unsigned pass;

  __device__ bool keeps(unsigned id, unsigned passes) const {
    return (mix(id ^ mix(passes + 1)) >> 16) < pass;
  }

  // A working node: whether the quote passes; if so, it is updated. Any threads; those that share a
  // quote each have a lane of their own.
  __device__ bool work(Quote& quote, unsigned lane, unsigned lanes) const {
    float value = 0.0f;
    for (unsigned round = lane; round < rounds; round += lanes) {
      const float years =
          quote.years * static_cast<float>(round + 1) / static_cast<float>(rounds);
      value += call(quote.price, quote.strike, years, quote.rate, quote.volatility);
    }
    // The bound always holds; it keeps the compiler from leaving out the work (src/quote.rs).
    const bool plausible = value <= quote.price * static_cast<float>(rounds + 1);
    const bool kept = plausible && keeps(quote.id, quote.passes);
    quote.value = value;
    quote.passes += 1;
    return kept;
  }
};
static_assert(sizeof(Model) == 8, "as in Rust");

}  // namespace benches
