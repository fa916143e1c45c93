//! The options of sorting.

use clap::Args;

use crate::output::header::Order;

/// Whether, and in what memory, to sort records.
#[derive(Debug, Args)]
pub struct Sorting {
    /// Sort records by coordinate; a BAM or CRAM file gets its index beside it
    #[arg(long, help_heading = "Output")]
    sort: bool,
    /// Memory for all records that are being sorted, with k, M or G; what is more goes to temporary
    /// files beside the output
    #[arg(long, value_name = "SIZE", default_value = "768M", value_parser = memory,
        requires = "sort", help_heading = "Output")]
    sort_memory: usize,
}

impl Sorting {
    /// The order of the records.
    pub fn order(&self) -> Order {
        if self.sort { Order::Coordinate } else { Order::Unsorted }
    }

    /// The memory to sort in, in bytes, if records are to be sorted.
    pub fn memory(&self) -> Option<usize> {
        self.sort.then_some(self.sort_memory)
    }
}

/// A size in bytes, with k, M or G for 2^10, 2^20 or 2^30 of them; at least one M.
pub fn memory(value: &str) -> Result<usize, String> {
    let (number, shift) = match value.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&value[..at], 10),
        Some((at, 'M')) => (&value[..at], 20),
        Some((at, 'G')) => (&value[..at], 30),
        _ => (value, 0),
    };
    let size = number.parse().ok().and_then(|number: usize| number.checked_mul(1 << shift));
    match size {
        None => Err("not a size, as 768M or 4G".to_owned()),
        Some(size) if size < 1 << 20 => Err("less than 1M".to_owned()),
        Some(size) => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::memory;

    #[test]
    fn memory_has_units() {
        assert_eq!(
            ["1M", "2048k", "3G", "1048577"].map(memory).map(Result::unwrap_or_default),
            [1 << 20, 2 << 20, 3 << 30, (1 << 20) + 1]
        );
        let bad = ["", "M", "1.5G", "-1M", "1023k", "99999999999999999999", "20000000000000G"];
        assert!(bad.iter().all(|value| memory(value).is_err()));
    }
}
