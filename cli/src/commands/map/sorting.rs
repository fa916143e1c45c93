//! The options of sorting.

use clap::Args;

use crate::options::{available_memory, parse_memory};
use crate::output::Level;
use crate::output::header::Order;

/// The least memory for sorting by default, in bytes.
const LEAST_MEMORY: usize = 256 << 20;

/// Whether to sort records, and the memory for sorting.
#[derive(Debug, Args)]
pub struct Sorting {
    /// Sort records by coordinate; a file of BAM or CRAM also gets an index, FILE.bai, .csi or .crai
    #[arg(long, help_heading = "Output")]
    sort: bool,
    /// Memory for sorting, with k, M or G; further records go to a temporary file in the folder of the output [default: a
    /// quarter of the memory that is free at the start]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, requires = "sort",
        help_heading = "Output")]
    sort_memory: Option<usize>,
}

impl Sorting {
    /// The order of the records.
    pub fn order(&self) -> Order {
        if self.sort { Order::Coordinate } else { Order::Unsorted }
    }

    /// The memory for sorting, in bytes; `None` if records are not sorted.
    pub fn memory(&self) -> Option<usize> {
        self.sort.then(|| self.sort_memory.unwrap_or_else(default_memory))
    }
}

/// The memory for sorting by default.
fn default_memory() -> usize {
    available_memory().map_or(LEAST_MEMORY, |available| (available / 4).max(LEAST_MEMORY))
}

/// How BAM is compressed.
#[derive(Debug, Args)]
pub struct Compression {
    /// How well to compress BAM, from 0, not at all, to 9; 6 is the default of samtools, and makes files 0 to 10% smaller than
    /// 1 in two to four times the time
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(0..=9), help_heading = "Output")]
    compression_level: u8,
}

impl Compression {
    /// The level.
    pub fn level(&self) -> Level {
        // The parser lets no other numbers through.
        Level::new(self.compression_level).unwrap_or_default()
    }
}
