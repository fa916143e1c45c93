//! The two strands of the reference.

/// The strand of the reference that a read matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strand {
    /// The read as given matches the reference.
    Forward,
    /// The reverse complement of the read matches the reference.
    Reverse,
}

impl Strand {
    /// The strand that a query is searched for on: forward for even numbers, reverse for odd ones.
    pub fn of_query(number: usize) -> Self {
        if number.is_multiple_of(2) { Self::Forward } else { Self::Reverse }
    }
}
