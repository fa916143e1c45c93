//! Output formats of `gpualign blastn`, by NCBI's numbers (`-outfmt`).

use std::str::FromStr;

use crate::commands::blastn::column::{self, Column};

/// An output format of NCBI's blastn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputFormat {
    /// Pairwise alignments to look at (`-outfmt 0`).
    Pairwise,
    /// XML of NCBI's document type (`-outfmt 5`).
    Xml,
    /// Tab-separated rows (`-outfmt 6`), or these with comments (`-outfmt 7`).
    Table { columns: Vec<Column>, has_comments: bool },
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let number = words.next().unwrap_or_default();
        let columns: Vec<&str> = words.collect();
        match (number, columns.is_empty()) {
            ("0", true) => Ok(Self::Pairwise),
            ("5", true) => Ok(Self::Xml),
            ("6" | "7", _) => {
                let has_comments = number == "7";
                Ok(Self::Table { columns: column::parse(&columns)?, has_comments })
            }
            _ => Err("use 0, 5, 6 or 7; only 6 and 7 may be followed by columns".to_owned()),
        }
    }
}

impl OutputFormat {
    /// Whether the output shows letters of the alignments.
    pub fn shows_letters(&self) -> bool {
        match self {
            Self::Pairwise | Self::Xml => true,
            Self::Table { columns, .. } => columns.iter().any(|column| column.shows_letters()),
        }
    }
}
