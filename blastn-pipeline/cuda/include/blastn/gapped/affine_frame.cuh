// Gapped extension with affine gap costs for the score alone, with all cells in registers; on the CPU: src/gapped/affine.
//
// Most sides stay near one diagonal. Their cells are in a frame of 40 columns that moves on by one column with each row:
//
//   row 1   |a b c d ...|           The cell before a pair (one row and one column back) is at the same place of the frame,
//   row 2     |a b c d ...|         the cell above at the next place. So each place is a register, and no cell is addressed.
//   row 3       |a b c d ...|
//
// All lanes of a warp do the same work for a row, however many of their cells live. After each block of rows, the frame is
// moved towards the diagonal of the best cell. A side whose cells live beyond the frame is left to `AffineSideExtender`.
#pragma once

#include <blastn/gapped/affine.cuh>

namespace blastn {

// Extends sides, one after the other, like AffineSideExtender. Called by single threads, in any control flow; no barriers.
class AffineFrameExtender {
 public:
  __device__ explicit AffineFrameExtender(const AffineParameters& parameters) : parameters_(parameters) {
    equal_ = parameters.matrix[0] * kScore;
    difference_ = parameters.matrix[1] * kScore - equal_;
    open_ = parameters.gap_first * kScore;
    more_ = parameters.gap_more * kScore;
  }

  // Begins a side with the row before its letters.
  __device__ void begin(const ExtensionSide& side) {
    side_ = side;
    drop_ = side.x_drop * kScore;
    number_ = found_row_ = found_column_ = 0;
    first_ = -kMain;
    best_ = 0;
    fits_ = int64_t{side.rows} * equal_ < kMostScore;
    if (side.rows == 0 || side.columns == 0 || !fits_) {
      side_.rows = 0;
      return;
    }
    const int last = static_cast<int>(side.columns);
#pragma unroll
    for (int place = 0; place < kPlaces; place++) {
      const int column = place - kMain;
      const int score = column == 0 ? kZero : kZero - open_ - (column - 1) * more_;
      const bool is_live = column >= 0 && column <= last && score >= -drop_;
      // No pair of the first row is behind the last of these cells, as in NCBI's program.
      const bool has_pair = column == 0 || (column < last && score - more_ >= -drop_);
      cells_[place] = is_live && has_pair ? score + equal_ : kDead;
      gaps_[place] = is_live ? score - open_ : kDead;
      if (place == kPlaces - 1) fits_ &= !is_live;
    }
    look();
  }

  // Scores up to eight rows; false if these were the last, or no cell of the last lives, or the side does not fit. `reached`
  // is valid then.
  __device__ bool go_on() {
    if (number_ >= side_.rows) return false;
    uint32_t letters = side_.reverse ? reversed_letters(Bases::eight_letters(parameters_.rows, static_cast<int64_t>(side_.row_at) - number_ - 8))
                                     : Bases::eight_letters(parameters_.rows, static_cast<int64_t>(side_.row_at) + number_);
    letters_ = letters_.with(letters_of(first_ + 1 + kPlaces));
    const uint32_t before = number_, count = min(side_.rows - number_, kRows);
    for (uint32_t row = 0; row < count; row++) {
      score(letters_.from(row), letters);
      letters <<= 4;
    }
    first_ += static_cast<int>(count);
    letters_ = letters_.from(kRows);
    if (found_row_ > before) {
      const int place = kPlaces - 1 - best_ % kScore;
      found_column_ = static_cast<uint32_t>(first_ - static_cast<int>(number_ - found_row_) + place);
      follow(place);
    }
    return fits_ && number_ < side_.rows && lives();
  }

  // How far the side reaches; without runs, which are `kNoRoom` if cells lived beyond the frame.
  __device__ SideReach reached() const {
    if (!fits_) return {0, 0, 0, 0, kNoRoom};
    return {best_ / kScore, found_row_, found_column_, 0, 0};
  }

 private:
  // Columns of a frame, the place in it of the diagonal that a side begins on, and rows of a block.
  static constexpr int kPlaces = 40, kMain = 18;
  static constexpr uint32_t kRows = 8;
  // By how many columns a frame is moved, once the best cell is more than half as far from kMain.
  static constexpr int kMove = 4;
  // Scores are multiples of kScore, with all bits below set. The low bits of the best score are the place of its cell, counted
  // from the last, so that the first of equally good cells of a row is the greatest.
  static constexpr int kScore = 256, kZero = kScore - 1;
  static constexpr int kDead = -(1 << 30);
  // Sides that may score more are left to AffineSideExtender.
  static constexpr int64_t kMostScore = 1 << 28;

  // One bit of each letter of a frame, and behind them of up to eight more, in two words from the lowest bit on.
  struct Bits {
    uint32_t first, second;

    // The same with eight more behind the frame, where none are yet.
    __device__ __forceinline__ Bits with(uint32_t next) const { return {first, second | next << (kPlaces - 32)}; }

    // The same from a later column on.
    __device__ __forceinline__ Bits from(uint32_t column) const {
      return {__funnelshift_r(first, second, column), second >> column};
    }
  };

  // Letters of columns: their lower and upper bits, and whether the columns are behind the last letter.
  struct Letters {
    Bits low, high, beyond;

    __device__ __forceinline__ Letters with(const Letters& next) const {
      return {low.with(next.low.first), high.with(next.high.first), beyond.with(next.beyond.first)};
    }

    __device__ __forceinline__ Letters from(uint32_t column) const {
      return {low.from(column), high.from(column), beyond.from(column)};
    }
  };

  // Scores a row whose letter is in the highest four bits of `letters`.
  __device__ __forceinline__ void score(const Letters& columns, uint32_t letters) {
    const uint32_t low = static_cast<uint32_t>(static_cast<int32_t>(letters << 3) >> 31);
    const uint32_t high = static_cast<uint32_t>(static_cast<int32_t>(letters << 2) >> 31);
    const uint32_t different[2] = {
        (columns.low.first ^ low) | (columns.high.first ^ high) | columns.beyond.first,
        (columns.low.second ^ low) | (columns.high.second ^ high) | columns.beyond.second,
    };
    int gap = kDead, best = best_;
#pragma unroll
    for (int place = 0; place < kPlaces; place++) {
      // The bit of a difference stands somewhere in a byte; the cost is shifted right by as much, and multiplied by the bit.
      const uint32_t bit = different[place / 32] >> (place & 24) & 1u << (place & 7);
      const int pair = cells_[place] + static_cast<int>(bit) * (difference_ >> (place & 7));
      const int above = place + 1 < kPlaces ? gaps_[place + 1] : kDead;
      const int score = greatest(pair, above, gap);
      best = max(best, score + (kPlaces - kScore - place));
      // A gap from a dead cell is never live again, so its exact score does not matter.
      cells_[place] = score < best - drop_ ? kDead : score + equal_;
      const int opened = score - open_;
      gap = max(gap - more_, opened);
      gaps_[place] = max(above - more_, opened);
    }
    number_++;
    if (best > (best_ | (kScore - 1))) {
      best_ = best;
      found_row_ = number_;
    }
    // Cells before the frame are reached from its first place, cells behind it from its last.
    const int behind = (columns.beyond.second >> (kPlaces - 33) & 1) != 0 ? kDead : gap;
    fits_ &= max(gaps_[0], behind) < best_ - drop_;
  }

  // The greatest of three numbers, by one instruction where the device has it.
  static __device__ __forceinline__ int greatest(int one, int other, int third) {
#ifdef __CUDA_ARCH__
    return __vimax3_s32(one, other, third);
#else
    return max(max(one, other), third);
#endif
  }

  // Whether some cell is live.
  __device__ bool lives() const {
    int greatest = kDead;
#pragma unroll
    for (int place = 0; place < kPlaces; place++) greatest = max(greatest, cells_[place]);
    return greatest > kDead;
  }

  // Moves the frame if the best cell, at `place`, is far from kMain.
  __device__ void follow(int place) {
    if (2 * (kMain - place) > kMove) move<-kMove>();
    else if (2 * (place - kMain) > kMove) move<kMove>();
  }

  // Moves the frame by BY columns; the side does not fit if that leaves a live cell outside.
  template <int BY>
  __device__ __forceinline__ void move() {
    first_ += BY;
#pragma unroll
    for (int n = 0; n < kPlaces; n++) {
      const int to = BY > 0 ? n : kPlaces - 1 - n, from = to + BY, left = to - BY;
      if (left < 0 || left >= kPlaces) fits_ &= cells_[to] == kDead;
      const bool is_new = from < 0 || from >= kPlaces;
      cells_[to] = is_new ? kDead : cells_[from];
      gaps_[to] = is_new ? kDead : gaps_[from];
    }
    look();
  }

  // Loads the letters of the next row's frame.
  __device__ void look() {
    letters_ = {};
#pragma unroll 1
    for (int place = 0; place < kPlaces; place += 8) {
      letters_ = letters_.from(8).with(letters_of(first_ + 1 + place));
    }
    letters_ = letters_.from(8);
  }

  // The letters of eight columns from `first` on; columns count from 1, and those below may have any letter. The side does
  // not fit if a letter is ambiguous.
  __device__ __forceinline__ Letters letters_of(int first) {
    const int last = static_cast<int>(side_.columns);
    const uint32_t begin = static_cast<uint32_t>(min(max(1 - first, 0), 8));
    const uint32_t end = static_cast<uint32_t>(min(max(last + 1 - first, 0), 8));
    uint32_t letters = 0;
    if (begin < end) {
      letters = side_.reverse ? reversed_letters(eight_letters(parameters_.columns, static_cast<int64_t>(side_.column_at) - first - 7))
                              : eight_letters(parameters_.columns, static_cast<int64_t>(side_.column_at) + first - 1);
      letters &= (~0u >> (4 * begin)) & (~0u << (32 - 4 * end));
    }
    fits_ &= (letters & 0xCCCCCCCC) == 0;
    const uint32_t reversed = __brev(letters);
    return {{bits(reversed, 0), 0}, {bits(reversed, 1), 0}, {~0u << end & 0xFF, 0}};
  }

  // One bit of each of eight letters, given with all their bits reversed.
  static __device__ __forceinline__ uint32_t bits(uint32_t reversed, uint32_t bit) {
    uint32_t bits = reversed >> (3 - bit) & 0x11111111;
    bits = (bits | bits >> 3) & 0x03030303;
    bits = (bits | bits >> 6) & 0x000F000F;
    return (bits | bits >> 12) & 0xFF;
  }

  const AffineParameters& parameters_;
  int equal_, difference_, open_, more_, drop_;
  ExtensionSide side_;
  // The current row: its number, the column of the frame's first place, and of each place the score of its cell with a pair of
  // equal letters behind it, and of the best gap through it that skips rows.
  uint32_t number_;
  int first_;
  int cells_[kPlaces], gaps_[kPlaces];
  // Letters of the next row's frame.
  Letters letters_;
  int best_;
  uint32_t found_row_, found_column_;
  bool fits_;
};

}  // namespace blastn
