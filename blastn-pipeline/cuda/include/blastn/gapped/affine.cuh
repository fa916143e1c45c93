// Gapped extension by dynamic programming with affine gap costs, a thread a side; on the CPU: src/gapped/affine.
//
// The live cells of a row are in a ring, a slot a column, and are scored in groups of eight columns. All other slots are dead
// at all times: cells around the live ones need no tests, and a gap that goes on behind the last live cell is scored as any
// other cell.
#pragma once

#include <blastn/gapped/side.cuh>

namespace blastn {

// Parameters of the kernels that extend sides with affine gap costs.
struct AffineParameters {
  const ExtensionSide* sides;
  const uint32_t* rows;     // text of the rows' sequences: 2 bits a letter for scores alone, 4 bits for columns
  const uint32_t* columns;  // text of the columns' sequences, 4 bits a letter
  const int32_t* matrix;    // 16 x 16 scores of pairs of letters
  SideReach* reaches;       // of each side
  uint32_t* cursors;        // counts of sides that were taken, and of runs that were written
  uint32_t* sources;        // `source_words` words for each thread: where the scores of cells come from
  uint32_t* runs;           // runs of columns
  uint64_t source_words;
  uint32_t side_count;
  uint32_t ring_slots;      // a power of two, at least 64
  uint32_t run_capacity;    // runs that `runs` has room for
  int32_t gap_first;        // cost of a gap of one column
  int32_t gap_more;         // cost of each further column
  uint32_t padding;
};

// Where a cell's score comes from, 4 bits a cell: the last column of the best alignment that ends there (two bits), and
// whether a gap that goes through the cell skips a further row or column before it.
constexpr uint32_t kPair = 0, kSkipRow = 1, kSkipColumn = 2, kSource = 3;
constexpr uint32_t kRowGoesOn = 4, kColumnGoesOn = 8;

// Columns of a group, and the distance of a lane's slots, which are interleaved with those of the others.
constexpr uint32_t kGroup = 8, kLanes = 32;

// A cell is two 16-bit scores, relative to a base that rises with the best one: of the best alignment that ends there (lower
// half), and of the best one whose next column skips a row (upper half). Both are kDead if the cell is dead.
constexpr int kDead = -32768;
constexpr uint32_t kDeadCell = 0x80008000;
// The greatest score before the base follows. With X-drops of up to 8,000 and costs of up to 2,000, scores fit into 16 bits.
constexpr int kHigh = 16000;
// Score of a pair that is not allowed.
constexpr int kForbidden = -(1 << 20);

// Extends sides, one after the other: `begin`, `go_on` until it returns false, `reached`. Called by single threads, in any
// control flow; no barriers. `Rows` (Bases or Letters) reads the rows' text; with TRACE, sources are kept for `walk`.
template <class Rows, bool TRACE>
class AffineSideExtender {
 public:
  // `slots` are the lane's slots of the ring, every 32nd word; they are dead before and after each side. `parameters` must
  // outlive the extender.
  __device__ AffineSideExtender(const AffineParameters& parameters, uint32_t* slots, uint32_t* sources)
      : parameters_(parameters), slots_(slots), sources_(sources), mask_(parameters.ring_slots - 1) {}

  // Kills all slots; called once, before the first side.
  __device__ void clear() {
    for (uint32_t slot = 0; slot < parameters_.ring_slots; slot++) slots_[slot * kLanes] = kDeadCell;
  }

  // Begins a side with the row before its letters.
  __device__ void begin(const ExtensionSide& side) {
    side_ = side;
    number_ = first_ = last_ = found_row_ = found_column_ = 0;
    best_ = base_ = 0;
    fits_ = !TRACE || (uint64_t{side.rows} + 2) * (parameters_.ring_slots / kGroup) <= parameters_.source_words;
    if (side.rows == 0 || side.columns == 0 || !fits_) {
      side_.rows = 0;
      return;
    }
    set(0, 0, -parameters_.gap_first);
    for (int score = -parameters_.gap_first; last_ < side.columns && score >= -side.x_drop; score -= parameters_.gap_more) {
      if (last_ + 1 == parameters_.ring_slots) return give_up();
      last_++;
      set(last_, score, score - parameters_.gap_first);
    }
  }

  // Scores the next row; false if there is none, or no cell of it is live, or the ring is too small. `reached` is valid then.
  __device__ bool go_on() {
    if (number_ == side_.rows) {
      kill(first_, last_);
      return false;
    }
    number_++;
    const uint32_t letter =
        Rows::letter(parameters_.rows, side_.reverse ? side_.row_at - number_ : side_.row_at + number_ - 1);
    // The last column in which a pair may end. It differs in the first row, as in NCBI's program.
    const uint32_t reach = number_ == 1 ? last_ : last_ + 1;
    const uint32_t begin = first_ & ~(kGroup - 1);
    const int before = best_;
    int diagonal = kDead, gap = kDead;
    uint32_t first = ~0u, last = 0;
    for (uint32_t start = begin;
         start <= side_.columns && (start <= reach || gap >= best_ - side_.x_drop); start += kGroup) {
      if (start - begin >= parameters_.ring_slots) {
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

  // How far the side reaches; without runs, which are `kNoRoom` if the ring or the sources did not suffice.
  __device__ SideReach reached() const {
    if (!fits_) return {0, 0, 0, 0, kNoRoom};
    return {base_ + best_, found_row_, found_column_, 0, 0};
  }

  // Writes the runs of columns, from the far end to the begin of the side, into the sources behind the rows that are still to
  // be read, and sets `count`. Returns the address of the first run; the others are at descending addresses. Only for a side
  // that fits.
  __device__ const uint32_t* walk(uint32_t& count) {
    const uint32_t words = parameters_.ring_slots / kGroup;
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
  // Sets the cell of a column.
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

  // Notes that the side does not fit.
  __device__ void give_up() {
    clear();
    fits_ = false;
    side_.rows = number_ = 0;
    first_ = last_ = 0;
  }

  // Scores of the pairs of a row's letter with the columns of a group; pairs behind `reach` are not allowed.
  __device__ __forceinline__ void pairs(uint32_t start, uint32_t letter, uint32_t reach,
                                        int (&scores)[kGroup]) const {
    // Column 0 is before all letters.
    uint32_t letters;
    if (side_.reverse) letters = reversed_letters(eight_letters(parameters_.columns, side_.column_at - start - 7));
    else letters = eight_letters(parameters_.columns, side_.column_at + start - 1);
    if (number_ > 1 && ((letters | letter) & 0xCCCCCCCC) == 0) {
      uint32_t different = letters ^ letter * 0x11111111;
      different |= different >> 1;
      const int equal = __ldg(parameters_.matrix), unequal = __ldg(parameters_.matrix + 1);
#pragma unroll
      for (uint32_t k = 0; k < kGroup; k++) {
        scores[k] = (different >> (28 - 4 * k) & 1) != 0 ? unequal : equal;
      }
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kGroup; k++) {
        const uint32_t other = letters >> (28 - 4 * k) & 15;
        scores[k] = start + k <= reach ? __ldg(parameters_.matrix + letter * 16 + other) : kForbidden;
      }
    }
  }

  // Scores the cells of a group; returns a bit for each that is live.
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
      const int opened = score - parameters_.gap_first;
      const int row_goes_on = row_gap - parameters_.gap_more, column_goes_on = gap - parameters_.gap_more;
      if (TRACE) {
        uint32_t source = pair < row_gap ? kSkipRow : kPair;
        if (straight < gap) source = kSkipColumn;
        if (row_goes_on >= opened) source |= kRowGoesOn;
        if (column_goes_on >= opened) source |= kColumnGoesOn;
        sources |= source << (4 * k);
      }
      // A gap from a dead cell is never live again, so its exact score does not matter.
      gap = max(column_goes_on, opened);
      if (is_live) live |= 1u << k;
      slots[k * kLanes] = is_live ? pack(score, max(row_goes_on, opened)) : kDeadCell;
    }
    if (TRACE) {
      sources_[uint64_t{number_} * (parameters_.ring_slots / kGroup) + (start & mask_) / kGroup] = sources;
    }
    return live;
  }

  // Makes all scores relative to the best one.
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

  const AffineParameters& parameters_;
  uint32_t* const slots_;
  uint32_t* const sources_;
  const uint32_t mask_;
  ExtensionSide side_;
  uint32_t number_, first_, last_;  // the row, and its first and last live column
  int best_, base_;
  uint32_t found_row_, found_column_;
  bool fits_;
};

}  // namespace blastn
