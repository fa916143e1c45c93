//! The options of sorting.

use clap::Args;

use crate::options::parse_memory;
use crate::output::Level;
use crate::output::header::Order;

/// Whether to sort records, and the memory for sorting.
#[derive(Debug, Args)]
pub struct Sorting {
    /// Sort records by coordinate; a file of BAM or CRAM also gets an index, FILE.bai, .csi or .crai
    #[arg(long, help_heading = "Output")]
    sort: bool,
    /// Memory for sorting, with k, M or G; further records go to temporary files in the folder of the output
    #[arg(long, value_name = "SIZE", default_value = "768M", value_parser = parse_memory,
        requires = "sort", help_heading = "Output")]
    sort_memory: usize,
}

impl Sorting {
    /// The order of the records.
    pub fn order(&self) -> Order {
        if self.sort { Order::Coordinate } else { Order::Unsorted }
    }

    /// The memory for sorting, in bytes; `None` if records are not sorted.
    pub fn memory(&self) -> Option<usize> {
        self.sort.then_some(self.sort_memory)
    }
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
