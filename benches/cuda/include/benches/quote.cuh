// The items of the applications, quotes of call options: the device side of `src/runtime/quote.rs`, function by function.
// All functions are called by single threads, with any arguments and without barriers.
#pragma once

#include "stream/stream.cuh"

#include <math.h>

namespace benches {

constexpr unsigned STAGES = 5;

// A call option and its value, an item of 48 bytes (Cole 2017, section 3.4.1). The fields are those of the host.
struct Quote {
  float price, strike, years, rate, volatility, value;
  unsigned id, passes;
  unsigned spare[4];
};

// The finalizer of MurmurHash3.
__device__ inline unsigned mix(unsigned h) {
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

// The distribution function of the standard normal distribution at `x` (Abramowitz and Stegun, 26.2.17).
__device__ inline float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float series =
      0.31938153f +
      k * (-0.35656378f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302744f)));
  const float tail = 0.3989423f * expf(-0.5f * x * x) * k * series;
  return x > 0.0f ? 1.0f - tail : tail;
}

// The value of a call option by the formula of Black and Scholes.
__device__ inline float call(float price, float strike, float years, float rate,
                             float volatility) {
  const float spread = volatility * sqrtf(years);
  const float drift = (rate + 0.5f * volatility * volatility) * years;
  const float d = (logf(price / strike) + drift) / spread;
  return price * normal(d) - strike * expf(-rate * years) * normal(d - spread);
}

// The global parameters of the applications: the work and the filter of every node.
struct Model {
  unsigned rounds;  // dates for which a node prices a quote
  unsigned pass;    // quotes of 65,536 that pass a node on average

  // Whether quote `id` passes the working node that it meets after `passes` others.
  __device__ bool keeps(unsigned id, unsigned passes) const {
    return (mix(id ^ mix(passes + 1)) >> 16) < pass;
  }

  // The work of a node: prices `quote`, counts the pass, and returns whether the quote passes. `lanes` threads may share a quote, each
  // with a copy of it and a `lane` of its own; each gets the sum of its own rounds.
  __device__ bool work(Quote& quote, unsigned lane, unsigned lanes) const {
    float value = 0.0f;
    for (unsigned round = lane; round < rounds; round += lanes) {
      const float years =
          quote.years * static_cast<float>(round + 1) / static_cast<float>(rounds);
      value += call(quote.price, quote.strike, years, quote.rate, quote.volatility);
    }
    // The bound always holds; it keeps the compiler from removing the work (src/runtime/quote.rs).
    const bool plausible = value <= quote.price * static_cast<float>(rounds + 1);
    const bool kept = plausible && keeps(quote.id, quote.passes);
    quote.value = value;
    quote.passes += 1;
    return kept;
  }
};

}  // namespace benches
