// Greedy gapped extension, a thread a side: src/gapped/greedy.rs.
#pragma once

#include <blastn/gapped/side.cuh>

namespace blastn {

// Mirrors `GreedyReached` of src/extensions/device.rs.
struct GreedyReached {
  int32_t differences;     // or `kNoFront`
  int32_t query, subject;  // letters
  int32_t run_query, run_subject, run;  // the longest run of equal letters: where it begins, its length
};
static_assert(sizeof(GreedyReached) == 24, "mirrored in Rust");

// As `differences`: the fronts did not fit into memory.
constexpr int kNoFront = -1;

// Mirrors `GreedyTask`. All scores are such that half a match is an integer.
struct Greedy {
  const Side* sides;        // their rows are letters of the subject, columns of the query
  const uint32_t* subject;  // as `Subject` reads them
  const uint32_t* query;    // 4 bits each
  GreedyReached* reached;   // of each side; nothing if columns are wanted
  uint32_t* cursor;         // sides taken
  uint32_t count;           // of sides
  uint32_t width;           // slots of a front: a power of two
  int32_t reward, cost;     // of a match, and of a difference beside half the letters' matches
  int32_t factor;           // what X-drops are multiplied by
  uint32_t padding;
};
static_assert(sizeof(Greedy) == 64, "mirrored in Rust");

// Mirrors `GreedyTraceTask`.
struct GreedyTraces {
  Greedy greedy;
  Reached* reached;   // of each side: its differences as score, rows are letters of the subject
  uint32_t* cursors;  // sides taken, runs written
  uint32_t* sources;  // `room` words a thread
  uint32_t* runs;
  uint64_t room;
  uint32_t run_room;  // of `runs`
  uint32_t padding;
};
static_assert(sizeof(GreedyTraces) == 112, "mirrored in Rust");

// How a diagonal was reached with the last difference: from the one before it (a letter of the query
// alone), from itself (a mismatch), or from the one behind it (a letter of the subject alone).
constexpr uint32_t kFromBefore = 0, kFromSame = 1, kFromBehind = 2;

// Sources of a word, 2 bits each.
constexpr int kSources = 16;

// Kinds of columns, as in runs: src/extensions/device.rs.
constexpr uint32_t kPairs = 0, kInsertion = 1, kDeletion = 2;

// The subject's place of a diagonal that no way has reached.
constexpr int kUnreached = -2;

// One side on its way. Called by single threads, in any control flow; no barriers.
//
// With TRACE, a front's sources are kept, in a row of `width` / 16 words: diagonal and difference tell all
// steps of a way back, and equal letters what is between them. So fronts themselves need not be kept.
template <class Subject, bool TRACE>
class GreedySide {
 public:
  // `slots` are the lane's slots, every 32nd from the first: two fronts and the best scores. `room` words
  // are at `sources`.
  __device__ GreedySide(const Greedy& task, uint32_t* slots, uint32_t* sources, uint64_t room)
      : task_(task), mask_(task.width - 1), before_(slots), now_(slots + task.width * 32),
        scores_(slots + task.width * 64), sources_(sources), room_(room) {}

  // Begins with the equal letters before any difference.
  __device__ void begin(const Side& side) {
    side_ = side;
    lengths_[0] = static_cast<int>(side.columns);
    lengths_[1] = static_cast<int>(side.rows);
    x_drop_ = task_.factor * side.x_drop;
    const int run = equal(0, 0);
    first_run_ = run;
    reached_ = {0, run, run, 0, 0, run};
    is_over_ = run == lengths_[0] || run == lengths_[1];
    if (is_over_) return;
    back_ = (x_drop_ + task_.reward / 2) / task_.cost + 1;
    if (back_ >= static_cast<int>(task_.width)) return give_up();
    for (int diagonal = -3; diagonal <= 3; diagonal++) set(before_, diagonal, kUnreached);
    set(before_, 0, run);
    for (int number = 0; number < back_; number++) set(scores_, number, 0);
    best_ = run * task_.reward;
    set(scores_, back_, best_);
    differences_ = 0;
    lower_ = -1;
    upper_ = 1;
    query_ended_ = subject_ended_ = false;
  }

  // Goes on with one more difference; false if that leads nowhere. Then `reached` is known.
  __device__ bool go_on() {
    if (is_over_) return false;
    const int half = task_.reward / 2, cost = task_.cost;
    differences_++;
    set(before_, lower_ - 1, kUnreached);
    set(before_, lower_, kUnreached);
    set(before_, upper_, kUnreached);
    set(before_, upper_ + 1, kUnreached);
    // Sources of the first and the last diagonals must not share a word.
    const int slots = static_cast<int>(task_.width) - (TRACE ? kSources : 0);
    if (upper_ - lower_ + 7 > slots || (TRACE && (differences_ + uint64_t{1}) * words() > room_)) {
      give_up();
      return false;
    }
    for (int diagonal = lower_ - 3; diagonal <= upper_ + 3; diagonal++) set(now_, diagonal, kUnreached);
    const int needed = get(scores_, differences_) + cost * differences_ - x_drop_;
    // Rounded up.
    const int least = needed > 0 ? (needed + half - 1) / half : needed / half;
    int extent = 0, far_end = 0, far_diagonal = 0;
    const int last = upper_;
    uint32_t sources = 0;
    for (int diagonal = lower_; diagonal <= last; diagonal++) {
      const int before = get(before_, diagonal - 1);
      const int same = get(before_, diagonal), behind = get(before_, diagonal + 1);
      const int by_pair = max(behind, same) + 1;
      int end = max(by_pair, before);
      if (TRACE) {
        uint32_t source = same > behind ? kFromSame : kFromBehind;
        if (before >= by_pair) source = kFromBefore;
        sources |= source << (2 * (diagonal & (kSources - 1)));
        if ((diagonal & (kSources - 1)) == kSources - 1 || diagonal == last) {
          sources_[differences_ * uint64_t{words()} + (diagonal & mask_) / kSources] = sources;
          sources = 0;
        }
      }
      if (end < 0 || end + end + diagonal < least) {
        if (diagonal == lower_) lower_++;
        continue;
      }
      upper_ = diagonal;
      const int run = equal(end + diagonal, end);
      if (run > reached_.run) {
        reached_.run_query = end + diagonal;
        reached_.run_subject = end;
        reached_.run = run;
      }
      end += run;
      set(now_, diagonal, end);
      if (end + end + diagonal > extent) {
        extent = end + end + diagonal;
        far_end = end;
        far_diagonal = diagonal;
      }
      if (end == lengths_[1]) {
        lower_ = diagonal + 1;
        subject_ended_ = true;
      }
      if (end + diagonal == lengths_[0]) {
        upper_ = diagonal - 1;
        query_ended_ = true;
      }
    }
    const int score = extent * half - differences_ * cost;
    // Of equally good ends the farthest counts.
    if (score >= best_) {
      best_ = score;
      reached_.differences = differences_;
      reached_.query = far_end + far_diagonal;
      reached_.subject = far_end;
    }
    set(scores_, back_ + differences_, best_);
    if (lower_ > upper_) return false;
    if (!subject_ended_) lower_--;
    if (!query_ended_) upper_++;
    uint32_t* const swapped = before_;
    before_ = now_;
    now_ = swapped;
    return true;
  }

  __device__ GreedyReached reached() const { return reached_; }

  // Writes the runs of columns from where the side began to its far end, each `columns << 2 | kind`, over
  // its sources; gives how many. Only for a side that fits.
  __device__ uint32_t walk() {
    // Back along the sources, to know the steps: each takes the place of its row's first word.
    int diagonal = reached_.query - reached_.subject;
    for (int row = reached_.differences; row > 0; row--) {
      uint32_t* const sources = sources_ + row * uint64_t{words()};
      const uint32_t source = sources[(diagonal & mask_) / kSources] >> (2 * (diagonal & (kSources - 1))) & 3;
      sources[0] = source;
      diagonal += source == kFromBefore ? -1 : source == kFromBehind ? 1 : 0;
    }
    // And on along the letters. Up to two runs a row take the places of rows that were read, as a row has
    // four words at least.
    uint32_t count = 0, kind = kPairs, length = first_run_;
    int query = first_run_, subject = first_run_;
    for (int row = 1; row <= reached_.differences; row++) {
      const uint32_t source = sources_[row * uint64_t{words()}];
      const uint32_t step = source == kFromBefore ? kInsertion : source == kFromSame ? kPairs : kDeletion;
      if (step != kDeletion) query++;
      if (step != kInsertion) subject++;
      const uint32_t run = equal(query, subject);
      add(step, 1, kind, length, count);
      add(kPairs, run, kind, length, count);
      query += run;
      subject += run;
    }
    if (length > 0) sources_[count++] = length << 2 | kind;
    return count;
  }

 private:
  // Adds columns to the last run, or ends it and begins another.
  __device__ void add(uint32_t kind, uint32_t columns, uint32_t& last, uint32_t& length, uint32_t& count) {
    if (columns == 0) return;
    if (kind != last) {
      if (length > 0) sources_[count++] = length << 2 | last;
      last = kind;
      length = 0;
    }
    length += columns;
  }

  // Words of a row of sources.
  __device__ __forceinline__ uint32_t words() const { return task_.width / kSources; }

  __device__ __forceinline__ int get(const uint32_t* slots, int place) const {
    return static_cast<int>(slots[(place & mask_) * 32]);
  }
  __device__ __forceinline__ void set(uint32_t* slots, int place, int value) const {
    slots[(place & mask_) * 32] = static_cast<uint32_t>(value);
  }

  __device__ void give_up() {
    reached_.differences = kNoFront;
    is_over_ = true;
  }

  // How many letters are equal from two places on. Only bases are equal.
  __device__ int equal(int query, int subject) const {
    const int most = min(lengths_[0] - query, lengths_[1] - subject);
    int count = 0;
    for (; count < most; count += 8) {
      const int64_t q = query + count, s = subject + count;
      uint32_t of_query, of_subject;
      if (side_.reverse) {
        of_query = turned(eight(task_.query, static_cast<int64_t>(side_.column_at) - q - 8));
        of_subject = turned(Subject::eight(task_.subject, static_cast<int64_t>(side_.row_at) - s - 8));
      } else {
        of_query = eight(task_.query, static_cast<int64_t>(side_.column_at) + q);
        of_subject = Subject::eight(task_.subject, static_cast<int64_t>(side_.row_at) + s);
      }
      const uint32_t different = (of_query ^ of_subject) | (of_query & 0xCCCCCCCC);
      if (different != 0) return min(most, count + __clz(static_cast<int>(different)) / 4);
    }
    return max(most, 0);
  }

  const Greedy& task_;
  const int mask_;
  uint32_t *before_, *now_, *const scores_, *const sources_;
  const uint64_t room_;
  Side side_;
  GreedyReached reached_;
  int lengths_[2];  // of query and subject
  int first_run_;   // equal letters before any difference
  int x_drop_, back_, best_, differences_, lower_, upper_;
  bool query_ended_, subject_ended_, is_over_;
};

}  // namespace blastn
