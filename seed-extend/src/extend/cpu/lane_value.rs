//! The unsigned numbers that lanes of a vector hold.

/// An unsigned number of 8, 16 or 32 bits, in a lane of a vector.
pub(super) trait LaneValue: Copy + Ord + Send + Sync + 'static {
    /// The greatest number that a lane holds.
    const MAX: u32;
    /// A number, which must not be more than [`Self::MAX`].
    fn of(number: u32) -> Self;
    /// The number as 32 bits.
    fn get(self) -> u32;
    /// The sum, which must not be more than [`Self::MAX`].
    fn plus(self, other: Self) -> Self;
    /// The difference, or 0 if that is negative.
    fn minus(self, other: Self) -> Self;
}

macro_rules! word {
    ($type:ty) => {
        impl LaneValue for $type {
            const MAX: u32 = <$type>::MAX as u32;
            #[inline(always)]
            fn of(number: u32) -> Self {
                number as $type
            }
            #[inline(always)]
            fn get(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.saturating_sub(other)
            }
        }
    };
}
word!(u8);
word!(u16);
word!(u32);
