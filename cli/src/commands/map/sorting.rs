//! The options of sorting.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueHint};

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
    /// Memory for sorting, with k, M or G; further records go to a temporary file [default: a quarter of the memory that is
    /// free at the start]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, requires = "sort",
        help_heading = "Output")]
    sort_memory: Option<usize>,
    /// Folder of the temporary file that sorting needs, like -T of samtools sort [default: the folder of the output]
    #[arg(long, value_name = "DIR", requires = "sort", help_heading = "Output",
        value_hint = ValueHint::DirPath)]
    temporary_folder: Option<PathBuf>,
}

impl Sorting {
    /// The order of the records.
    pub fn order(&self) -> Order {
        if self.sort { Order::Coordinate } else { Order::Unsorted }
    }

    /// Whether records are sorted.
    pub fn is_sorted(&self) -> bool {
        self.sort
    }

    /// The memory for sorting, in bytes; `None` if records are not sorted.
    pub fn memory(&self) -> Option<usize> {
        self.sort.then(|| self.sort_memory.unwrap_or_else(default_memory))
    }

    /// The folder of what memory does not hold; `None` for that of the output.
    pub fn temporary_folder(&self) -> Option<&Path> {
        self.temporary_folder.as_deref()
    }

    /// Checks that temporary files can be made in the folder that was given for them.
    ///
    /// # Errors
    /// Names the folder, if the system refuses.
    pub fn check_folder(&self) -> Result<()> {
        let Some(folder) = &self.temporary_folder else { return Ok(()) };
        // The file has no name, and is gone at once.
        tempfile::tempfile_in(folder).map(drop).with_context(|| {
            format!("--temporary-folder: cannot make a temporary file in {}", folder.display())
        })
    }
}

/// The memory for sorting by default.
pub fn default_memory() -> usize {
    available_memory().map_or(LEAST_MEMORY, |available| (available / 4).max(LEAST_MEMORY))
}

/// How BAM is compressed.
#[derive(Debug, Args)]
pub struct Compression {
    /// How well to compress BAM, from 0, not at all, to 9; 6 is the default of samtools, and makes files 0 to 10% smaller than
    /// 1 in two to four times the time. A GPU compresses in place of levels 1 to 6, about as well as 6
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
