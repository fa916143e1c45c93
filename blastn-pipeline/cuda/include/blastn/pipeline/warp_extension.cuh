// Long ungapped alignments, a warp each: its lanes look at 16 columns each, and prefix sums tell where the
// score is best, and whether it may drop by too much.
#pragma once

#include "stream/scan.cuh"

#include <blastn/pipeline/ungapped.cuh>

namespace blastn {

// The lanes of a warp extend together, all with the same arguments. All lanes, converged; the result is the
// same in all.
struct Together {
  template <bool LEFT, class Limit>
  static __device__ __forceinline__ bool extend(const Way<LEFT>& way, Side& side, uint32_t from, uint32_t end,
                                                const Limit& limit) {
    const uint32_t lane = threadIdx.x % stream::WARP;
    for (uint32_t i = from; i < end;) {
      const uint32_t own = i + 16 * lane;
      const Steps columns = own < end ? way.sixteen(own) : Steps{};
      const Span span = own < end ? Span(way.context, columns.different) : Span();
      // Sums are counted from the score so far.
      const int through = side.sum + stream::scan_warp(span.total), before = through - span.total;
      const int reached = before + span.best, best = max_through(max(reached, 0), lane);
      const int others = __shfl_up_sync(stream::ALL_LANES, best, 1), best_before = lane == 0 ? 0 : others;
      const bool may_drop = own < end && (columns.odd != 0 || own + 16 > end ||
                                          before - best_before + span.fall < limit(true));
      const uint32_t stops = __ballot_sync(stream::ALL_LANES, may_drop);
      // Lanes whose columns are added at once.
      const uint32_t lanes = stops == 0 ? stream::WARP : __ffs(static_cast<int>(stops)) - 1;
      const uint32_t last = max(lanes, 1u) - 1;
      const int gain = __shfl_sync(stream::ALL_LANES, best, last);
      const int sum = __shfl_sync(stream::ALL_LANES, through, last) - gain;
      const uint32_t at_best = __ballot_sync(stream::ALL_LANES, reached == gain);
      const int first_best = max(__ffs(static_cast<int>(at_best)), 1) - 1;
      const uint32_t reach = __shfl_sync(stream::ALL_LANES, own + span.place, first_best);
      if (lanes > 0) {
        side.sum = sum;
        side.score += gain;
        if (gain > 0) side.reach = reach;
      }
      i += 16 * lanes;
      if (lanes == stream::WARP) continue;
      const Steps next = {__shfl_sync(stream::ALL_LANES, columns.different, lanes),
                          __shfl_sync(stream::ALL_LANES, columns.odd, lanes)};
      for (uint32_t half = 0; half < 16 && i < end; half += 8, i += 8) {
        const Steps eight = {next.different >> half & 255, next.odd >> half & 255};
        if (!side.add_each(way.context, way, eight, i, min(end, i + 8), limit)) return false;
      }
    }
    return true;
  }

 private:
  // Sixteen columns as `Eight` has eight; `fall` may be further than it is.
  struct Span {
    int total = 0, best = -(1 << 20), fall = 0;
    uint32_t place = 0;

    Span() = default;
    __device__ __forceinline__ Span(const Context& context, uint32_t different) {
      const Eight first = context.eights[different & 255], second = context.eights[different >> 8];
      total = first.total + second.total;
      best = max(int{first.best}, first.total + second.best);
      place = best == first.best ? first.place : 8 + second.place;
      fall = min(int{first.fall}, first.total - max(int{first.best}, 0) + second.fall);
    }
  };

  // The greatest value of the lanes up to this one.
  static __device__ __forceinline__ int max_through(int value, uint32_t lane) {
    for (uint32_t step = 1; step < stream::WARP; step *= 2) {
      const int other = __shfl_up_sync(stream::ALL_LANES, value, step);
      if (lane >= step) value = max(value, other);
    }
    return value;
  }
};

}  // namespace blastn
