// The stages of the applications: the device side of `src/runtime/stages.rs`. The runtime calls `run` with full or partial
// ensembles; stages have no barriers of their own, and push from divergent threads.
#pragma once

#include "benches/quote.cuh"

namespace benches {

constexpr unsigned MANY = 4;
constexpr unsigned PIPELINES = 4;

// The types that all stages share.
struct Pricing : stream::Stage {
  using In = Quote;
  using Global = Model;
};

// A working node. All values of TYPE do the same, but nodes of different types cannot be fired together.
template <int TYPE>
struct Work : Pricing {
  using Out = stream::Channels<stream::Channel<Quote, 1>>;

  template <class Push>
  __device__ void run(const Quote& item, const stream::Site<Work>& site, Push& push) const {
    Quote quote = item;
    if (site.global().work(quote, 0, 1)) push(stream::to<0>(), quote);
  }
};

// A working node that sends a quote back to itself until it has passed STAGES times.
struct Again : Pricing {
  using Out = stream::Channels<stream::Channel<Quote, 1>, stream::Channel<Quote, 1>>;

  template <class Push>
  __device__ void run(const Quote& item, const stream::Site<Again>& site, Push& push) const {
    Quote quote = item;
    if (!site.global().work(quote, 0, 1)) return;
    if (quote.passes < STAGES) {
      push(stream::to<0>(), quote);
    } else {
      push(stream::to<1>(), quote);
    }
  }
};

// Distributes the quotes to the pipelines by their numbers.
struct Split : Pricing {
  using Branch = stream::Channel<Quote, 1>;
  using Out = stream::Channels<Branch, Branch, Branch, Branch>;

  template <class Push>
  __device__ void run(const Quote& quote, const stream::Site<Split>&, Push& push) const {
    switch (quote.id % PIPELINES) {
      case 0: push(stream::to<0>(), quote); break;
      case 1: push(stream::to<1>(), quote); break;
      case 2: push(stream::to<2>(), quote); break;
      default: push(stream::to<3>(), quote);
    }
  }
};

// A working node with MANY threads for each quote.
struct Shared : Pricing {
  using Out = stream::Channels<stream::Channel<Quote, 1>>;
  static constexpr stream::u32 THREADS = MANY;

  template <class Push>
  __device__ void run(const Quote& item, const stream::Site<Shared>& site, Push& push) const {
    Quote quote = item;
    const bool passes = site.global().work(quote, site.lane, site.lanes);
    // A different thread for each quote, or the compiler would remove the work of the threads whose value is not used.
    if (passes && quote.id % site.lanes == site.lane) push(stream::to<0>(), quote);
  }
};

// A working node with MANY quotes for each thread.
struct Batched : Pricing {
  using Out = stream::Channels<stream::Channel<Quote, 1>>;
  static constexpr stream::u32 ITEMS = MANY;

  template <class Push>
  __device__ void run(const Quote& item, const stream::Site<Batched>& site, Push& push) const {
    Quote quote = item;
    if (site.global().work(quote, 0, 1)) push(stream::to<0>(), quote);
  }
};

}  // namespace benches
