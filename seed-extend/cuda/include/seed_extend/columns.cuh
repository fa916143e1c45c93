// What the columns of an alignment tell of it: the device side of src/extend/columns.rs, which defines it.
#pragma once

#include <gpualign/cigar.cuh>
#include <seed_extend/task.cuh>

namespace seed_extend {

// Sets `best_stretch` and `is_predicted` of the alignment of a task, which has these CIGAR runs, from the first to the last.
// Any thread may call it at any time.
static __device__ void judge(AlignmentSpan& span, const uint32_t* runs, const AlignmentTask& task,
                             const AlignmentCosts& costs) {
  const Prediction& predicted = task.prediction;
  const bool is_reverse = task.is_reverse != 0;
  // What the score of all columns without clips is more than that of the columns as the runs show them: a base may be unknown.
  int difference = span.score + (span.query_begin > 0 ? costs.begin_clip(is_reverse) : 0) +
                   (span.query_end < task.query_len ? costs.end_clip(is_reverse) : 0);
  int here = 0, best = 0, matches = 0;
  uint32_t place = span.query_begin;
  int32_t diagonal = static_cast<int32_t>(span.window_begin) - static_cast<int32_t>(span.query_begin);
  span.is_predicted = 0;
  for (uint32_t number = 0; number < span.run_count; number++) {
    const uint32_t op = runs[number] & 3, length = runs[number] >> 2;
    const int further = static_cast<int>(length) - 1;
    int score = 0;
    if (op == gpualign::EQUAL) {
      score = static_cast<int>(length) * costs.matched;
      matches += score;
      const bool is_there = predicted.low <= diagonal && diagonal <= predicted.high &&
                            max(place, predicted.begin) < min(place + length, predicted.end);
      if (is_there) span.is_predicted = 1;
      place += length;
    } else if (op == gpualign::DIFFERENT) {
      score = -static_cast<int>(length) * costs.mismatch;
      place += length;
    } else if (op == gpualign::INSERTION) {
      score = -costs.first_inserted - further * costs.further_inserted;
      place += length;
      diagonal -= static_cast<int32_t>(length);
    } else {
      score = -costs.first_deleted - further * costs.further_deleted;
      diagonal += static_cast<int32_t>(length);
    }
    difference -= score;
    here = max(here + score, 0);
    best = max(best, here);
  }
  span.best_stretch = min(best + difference, matches);
}

}  // namespace seed_extend
