// Gapped extension by dynamic programming, a thread a side: src/gapped/affine.rs.
//
// The live cells of a row are in a ring, a slot a column, and are scored in groups of eight columns.
// A slot that is not live is dead, always: so cells around the live ones need no tests, and a gap
// that goes on behind the last of them is scored as any other cell is.
#pragma once

#include <blastn/gapped/side.cuh>

namespace blastn {

// Mirrors `AffineTask` of src/extensions/device.rs.
struct Affine {
  const Side* sides;
  const uint32_t* rows;     // letters of the rows' sequences, as `Rows` reads them
  const uint32_t* columns;  // letters of the columns', 4 bits each
  const int32_t* matrix;    // 16 x 16 scores
  Reached* reached;         // of each side
  uint32_t* cursors;        // sides taken, runs written
  uint32_t* sources;        // `room` words a thread
  uint32_t* runs;
  uint64_t room;
  uint32_t count;     // of sides
  uint32_t width;     // slots of a ring: a power of two, at least 64
  uint32_t run_room;  // of `runs`
  int32_t open, more;  // cost of a gap of one column, and of each more
  uint32_t padding;
};
static_assert(sizeof(Affine) == 96, "mirrored in Rust");

// Where a cell's score comes from, and whether the gap through it is longer than it: src/gapped/affine.rs.
constexpr uint32_t kPair = 0, kSkipRow = 1, kSkipColumn = 2, kSource = 3;
constexpr uint32_t kRowGoesOn = 4, kColumnGoesOn = 8;

// Columns of a group, and slots between two of a lane's.
constexpr uint32_t kGroup = 8, kLanes = 32;

// A cell is two 16-bit scores, relative to a base that rises with the best one: of a way that ends
// there (lower half), and of one whose next step skips a row. Both are the least number if it is dead.
constexpr int kDead = -32768;
constexpr uint32_t kDeadCell = 0x80008000;
// Scores may rise so far before the base follows. With an X-drop of up to 8,000 and costs of up to
// 2,000 none leaves 16 bits.
constexpr int kHigh = 16000;
// Of a pair that must not be.
constexpr int kForbidden = -(1 << 20);

// One side on its way. Called by single threads, in any control flow; no barriers.
template <class Rows, bool TRACE>
class AffineSide {
 public:
  // `slots` are the lane's slots, every 32nd from the first; dead before and after each side.
  __device__ AffineSide(const Affine& task, uint32_t* slots, uint32_t* sources)
      : task_(task), slots_(slots), sources_(sources), mask_(task.width - 1) {}

  // Kills the slots, once.
  __device__ void clear() {
    for (uint32_t slot = 0; slot < task_.width; slot++) slots_[slot * kLanes] = kDeadCell;
  }

  // Begins with the row before all letters.
  __device__ void begin(const Side& side) {
    side_ = side;
    number_ = first_ = last_ = found_row_ = found_column_ = 0;
    best_ = base_ = 0;
    fits_ = !TRACE || (uint64_t{side.rows} + 2) * (task_.width / kGroup) <= task_.room;
    if (side.rows == 0 || side.columns == 0 || !fits_) {
      side_.rows = 0;
      return;
    }
    set(0, 0, -task_.open);
    for (int score = -task_.open; last_ < side.columns && score >= -side.x_drop; score -= task_.more) {
      if (last_ + 1 == task_.width) return give_up();
      last_++;
      set(last_, score, score - task_.open);
    }
  }

  // Scores the next row; false if there is none, or no cell of it is live. Then `reached` is known.
  __device__ bool go_on() {
    if (number_ == side_.rows) {
      kill(first_, last_);
      return false;
    }
    number_++;
    const uint32_t letter =
        Rows::letter(task_.rows, side_.reverse ? side_.row_at - number_ : side_.row_at + number_ - 1);
    // The last column that a pair may end in. The first row differs, as in NCBI's program.
    const uint32_t reach = number_ == 1 ? last_ : last_ + 1;
    const uint32_t begin = first_ & ~(kGroup - 1);
    const int before = best_;
    int diagonal = kDead, gap = kDead;
    uint32_t first = ~0u, last = 0;
    for (uint32_t start = begin;
         start <= side_.columns && (start <= reach || gap >= best_ - side_.x_drop); start += kGroup) {
      if (start - begin >= task_.width) {
        give_up();
        return false;
      }
      const uint32_t live = group(start, letter, reach, diagonal, gap);
      if (live != 0) {
        if (first == ~0u) first = start + __ffs(static_cast<int>(live)) - 1;
        last = start + 31 - __clz(static_cast<int>(live));
      }
    }
    if (best_ > before) found_row_ = number_;
    if (first == ~0u) return false;
    first_ = first;
    last_ = last;
    if (best_ > kHigh) rebase();
    return true;
  }

  // How far it came, without runs; they are `kNoRoom` if the ring or the room was too small.
  __device__ Reached reached() const {
    if (!fits_) return {0, 0, 0, 0, kNoRoom};
    return {base_ + best_, found_row_, found_column_, 0, 0};
  }

  // Writes the runs of columns from the far end to where the side began, each `columns << 2 | op`, to
  // the room behind those rows of the sources that are still to be read. Gives where the first is; the
  // next are before it.
  __device__ const uint32_t* walk(uint32_t& count) {
    const uint32_t words = task_.width / kGroup;
    uint32_t* const top = sources_ + (uint64_t{found_row_} + 2) * words - 1;
    uint32_t row = found_row_, column = found_column_, step = kPair, length = 0;
    count = 0;
    while (row > 0 || column > 0) {
      uint32_t source = kSkipColumn;
      if (row > 0) {
        const uint32_t group = (column & mask_) / kGroup;
        source = sources_[uint64_t{row} * words + group] >> (4 * (column % kGroup)) & 15;
      }
      const uint32_t previous = step;
      if (!(step == kSkipColumn && (source & kColumnGoesOn) != 0) &&
          !(step == kSkipRow && (source & kRowGoesOn) != 0)) {
        step = source & kSource;
      }
      if (step != previous && length > 0) {
        *(top - count++) = length << 2 | previous;
        length = 0;
      }
      length++;
      if (step != kSkipColumn) row--;
      if (step != kSkipRow) column--;
    }
    if (length > 0) *(top - count++) = length << 2 | step;
    return top;
  }

 private:
  __device__ void set(uint32_t column, int best, int gap) {
    slots_[(column & mask_) * kLanes] = pack(best, gap);
  }

  static __device__ __forceinline__ uint32_t pack(int best, int gap) {
    return static_cast<uint32_t>(gap) << 16 | (static_cast<uint32_t>(best) & 0xFFFF);
  }

  // Kills the slots of the groups from one column to another.
  __device__ void kill(uint32_t first, uint32_t last) {
    for (uint32_t column = first & ~(kGroup - 1); column <= last; column++) {
      slots_[(column & mask_) * kLanes] = kDeadCell;
    }
  }

  __device__ void give_up() {
    clear();
    fits_ = false;
    side_.rows = number_ = 0;
    first_ = last_ = 0;
  }

  // What pairs of a row's letter score in the columns of a group.
  __device__ __forceinline__ void pairs(uint32_t start, uint32_t letter, uint32_t reach,
                                        int (&scores)[kGroup]) const {
    // The first column is before all letters.
    uint32_t letters;
    if (side_.reverse) letters = turned(eight(task_.columns, side_.column_at - start - 7));
    else letters = eight(task_.columns, side_.column_at + start - 1);
    if (number_ > 1 && ((letters | letter) & 0xCCCCCCCC) == 0) {
      uint32_t different = letters ^ letter * 0x11111111;
      different |= different >> 1;
      const int equal = __ldg(task_.matrix), unequal = __ldg(task_.matrix + 1);
#pragma unroll
      for (uint32_t k = 0; k < kGroup; k++) {
        scores[k] = (different >> (28 - 4 * k) & 1) != 0 ? unequal : equal;
      }
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kGroup; k++) {
        const uint32_t other = letters >> (28 - 4 * k) & 15;
        scores[k] = start + k <= reach ? __ldg(task_.matrix + letter * 16 + other) : kForbidden;
      }
    }
  }

  // Scores eight cells; a bit for each that is live.
  __device__ __forceinline__ uint32_t group(uint32_t start, uint32_t letter, uint32_t reach,
                                            int& diagonal, int& gap) {
    int scores[kGroup];
    pairs(start, letter, reach, scores);
    uint32_t* const slots = slots_ + (start & mask_) * kLanes;
    uint32_t live = 0, sources = 0;
#pragma unroll
    for (uint32_t k = 0; k < kGroup; k++) {
      const uint32_t cell = slots[k * kLanes];
      const int row_gap = static_cast<int32_t>(cell) >> 16;
      const int pair = diagonal + scores[k];
      diagonal = static_cast<int16_t>(cell);
      const int straight = max(pair, row_gap);
      const int score = max(straight, gap);
      const bool is_live = best_ - score <= side_.x_drop && start + k <= side_.columns;
      if (is_live && score > best_) {
        best_ = score;
        found_column_ = start + k;
      }
      const int opened = score - task_.open;
      const int row_goes_on = row_gap - task_.more, column_goes_on = gap - task_.more;
      if (TRACE) {
        uint32_t source = pair < row_gap ? kSkipRow : kPair;
        if (straight < gap) source = kSkipColumn;
        if (row_goes_on >= opened) source |= kRowGoesOn;
        if (column_goes_on >= opened) source |= kColumnGoesOn;
        sources |= source << (4 * k);
      }
      // What is dead now is never live again, so its exact score does not matter.
      gap = max(column_goes_on, opened);
      if (is_live) live |= 1u << k;
      slots[k * kLanes] = is_live ? pack(score, max(row_goes_on, opened)) : kDeadCell;
    }
    if (TRACE) {
      sources_[uint64_t{number_} * (task_.width / kGroup) + (start & mask_) / kGroup] = sources;
    }
    return live;
  }

  // Makes scores relative to the best one.
  __device__ void rebase() {
    for (uint32_t column = first_; column <= last_; column++) {
      uint32_t& cell = slots_[(column & mask_) * kLanes];
      if (cell != kDeadCell) {
        cell = pack(static_cast<int16_t>(cell) - best_, (static_cast<int32_t>(cell) >> 16) - best_);
      }
    }
    base_ += best_;
    best_ = 0;
  }

  const Affine& task_;
  uint32_t* const slots_;
  uint32_t* const sources_;
  const uint32_t mask_;
  Side side_;
  uint32_t number_, first_, last_;  // the row, and its first and last live column
  int best_, base_;
  uint32_t found_row_, found_column_;
  bool fits_;
};

}  // namespace blastn
