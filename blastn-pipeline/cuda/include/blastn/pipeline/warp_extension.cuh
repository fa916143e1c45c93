// Ungapped extension by a warp, for long alignments: each lane scores 16 columns, and prefix sums and maxima tell where the
// score is best, and whether it may fall by more than the X-drop.
#pragma once

#include "stream/scan.cuh"

#include <blastn/pipeline/ungapped.cuh>

namespace blastn {

// Extension to one side by a warp. Called by all lanes, converged, with the same arguments; the result is valid in all.
struct WarpExtender {
  template <bool LEFT, class Limit>
  static __device__ __forceinline__ bool extend(const SideColumns<LEFT>& way, OneSidedExtension& side, uint32_t from, uint32_t end,
                                                const Limit& limit) {
    const uint32_t lane = threadIdx.x % stream::WARP;
    for (uint32_t i = from; i < end;) {
      const uint32_t own = i + 16 * lane;
      const ColumnBits columns = own < end ? way.sixteen_codes(own) : ColumnBits{};
      const SixteenColumnScore span = own < end ? SixteenColumnScore(way.tables, columns.different) : SixteenColumnScore();
      // Sums are relative to the best score so far.
      const int through = side.sum + stream::scan_warp(span.total), before = through - span.total;
      const int reached = before + span.best, best = max_through(max(reached, 0), lane);
      const int others = __shfl_up_sync(stream::ALL_LANES, best, 1), best_before = lane == 0 ? 0 : others;
      const bool may_drop = own < end && (columns.ambiguous != 0 || own + 16 > end ||
                                          before - best_before + span.fall < limit(true));
      const uint32_t stops = __ballot_sync(stream::ALL_LANES, may_drop);
      // The first lanes, whose columns cannot end the extension, are added at once.
      const uint32_t lanes = stops == 0 ? stream::WARP : __ffs(static_cast<int>(stops)) - 1;
      const uint32_t last = max(lanes, 1u) - 1;
      const int gain = __shfl_sync(stream::ALL_LANES, best, last);
      const int sum = __shfl_sync(stream::ALL_LANES, through, last) - gain;
      const uint32_t at_best = __ballot_sync(stream::ALL_LANES, reached == gain);
      const int first_best = max(__ffs(static_cast<int>(at_best)), 1) - 1;
      const uint32_t reach = __shfl_sync(stream::ALL_LANES, own + span.length, first_best);
      if (lanes > 0) {
        side.sum = sum;
        side.score += gain;
        if (gain > 0) side.reach = reach;
      }
      i += 16 * lanes;
      if (lanes == stream::WARP) continue;
      const ColumnBits next = {__shfl_sync(stream::ALL_LANES, columns.different, lanes),
                          __shfl_sync(stream::ALL_LANES, columns.ambiguous, lanes)};
      for (uint32_t half = 0; half < 16 && i < end; half += 8, i += 8) {
        const ColumnBits eight = {next.different >> half & 255, next.ambiguous >> half & 255};
        if (!side.add_each(way.tables, way, eight, i, min(end, i + 8), limit)) return false;
      }
    }
    return true;
  }

 private:
  // How sixteen columns change a score, as EightColumnScore; `fall` is a lower bound.
  struct SixteenColumnScore {
    int total = 0, best = -(1 << 20), fall = 0;
    uint32_t length = 0;  // columns with the best sum

    SixteenColumnScore() = default;
    __device__ __forceinline__ SixteenColumnScore(const PipelineTables& tables, uint32_t different) {
      const EightColumnScore first = tables.eight_column_scores[different & 255], second = tables.eight_column_scores[different >> 8];
      total = first.total + second.total;
      best = max(int{first.best}, first.total + second.best);
      length = best == first.best ? first.best_length : 8 + second.best_length;
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
