//! Words of lanes: the numbers that SIMD lanes compute with.

/// Word of one lane: a signed number of 16 or 32 bits. Sums wrap, since cells outside of a pair's matrix may hold any
/// value.
pub(crate) trait LaneWord: Copy + Ord + Send + Sync {
    /// Stands for "no alignment": less than every value of a matrix.
    const NEVER: Self;
    /// The word of a number, of which it keeps the low bits.
    fn of(number: i32) -> Self;
    /// The number that the word holds.
    fn get(self) -> i32;
    /// Sum, which wraps on overflow.
    fn plus(self, other: Self) -> Self;
    /// Difference, which wraps on overflow.
    fn minus(self, other: Self) -> Self;
}

macro_rules! word {
    ($type:ty) => {
        impl LaneWord for $type {
            const NEVER: Self = <$type>::MIN;
            #[inline(always)]
            fn of(number: i32) -> Self {
                number as $type
            }
            #[inline(always)]
            fn get(self) -> i32 {
                self.into()
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}
word!(i16);
word!(i32);
