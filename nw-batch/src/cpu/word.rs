//! The numbers that lanes hold.

/// A number of 16 or 32 bits. Sums wrap: cells outside of a pair's matrix may hold anything.
pub(crate) trait Word: Copy + Ord + Send + Sync {
    /// Less than every value of a matrix.
    const NEVER: Self;
    fn of(number: i32) -> Self;
    fn get(self) -> i32;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
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
