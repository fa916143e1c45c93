// Dynamic-programming and packed 16-bit instructions. Sums wrap in each half by itself.
#pragma once

#include <algorithm>
#include <cstdint>

namespace simt {

template <class Half, class Combine>
unsigned halves(unsigned a, unsigned b, Combine combine) {
  const auto low = static_cast<std::uint16_t>(combine(static_cast<Half>(a), static_cast<Half>(b)));
  const auto high =
      static_cast<std::uint16_t>(combine(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
  return static_cast<unsigned>(high) << 16 | low;
}

// Not by std::max: it takes references, so ASan would guard both numbers on the stack, which takes most of the time.
template <class Half>
unsigned max_of_halves(unsigned a, unsigned b) {
  return halves<Half>(a, b, [](int x, int y) { return x < y ? y : x; });
}

// Also tells of which halves the first number is the maximum.
template <class Half>
unsigned max_of_halves(unsigned a, unsigned b, bool* high, bool* low) {
  *high = static_cast<Half>(a >> 16) >= static_cast<Half>(b >> 16);
  *low = static_cast<Half>(a) >= static_cast<Half>(b);
  return max_of_halves<Half>(a, b);
}

}  // namespace simt

inline unsigned __vadd2(unsigned a, unsigned b) {
  return simt::halves<std::uint16_t>(a, b, [](int x, int y) { return x + y; });
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  return simt::halves<std::uint16_t>(a, b, [](int x, int y) { return std::min(x, y); });
}
inline unsigned __vmaxs2(unsigned a, unsigned b) { return simt::max_of_halves<std::int16_t>(a, b); }
inline unsigned __vmaxu2(unsigned a, unsigned b) { return simt::max_of_halves<std::uint16_t>(a, b); }
inline unsigned __vibmax_s16x2(unsigned a, unsigned b, bool* high, bool* low) {
  return simt::max_of_halves<std::int16_t>(a, b, high, low);
}
inline unsigned __vibmax_u16x2(unsigned a, unsigned b, bool* high, bool* low) {
  return simt::max_of_halves<std::uint16_t>(a, b, high, low);
}
inline unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
inline unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vmaxu2(a, b), c); }
inline unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vadd2(a, b), c); }
inline unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vadd2(a, b), c); }
inline int __viaddmax_s32(int a, int b, int c) {
  const auto sum = static_cast<unsigned>(a) + static_cast<unsigned>(b);
  return std::max(static_cast<int>(sum), c);
}
