//! The options of sorting.

use clap::Args;

use crate::options::parse_memory;
use crate::output::header::Order;

/// Whether, and in what memory, to sort records.
#[derive(Debug, Args)]
pub struct Sorting {
    /// Sort records by coordinate; a BAM or CRAM file gets its index beside it
    #[arg(long, help_heading = "Output")]
    sort: bool,
    /// Memory for all records that are being sorted, with k, M or G; what is more goes to temporary
    /// files beside the output
    #[arg(long, value_name = "SIZE", default_value = "768M", value_parser = parse_memory,
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
