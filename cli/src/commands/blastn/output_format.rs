//! Output formats of `gpualign blastn`, by NCBI's numbers (`-outfmt`).

use std::str::FromStr;

use crate::commands::blastn::column::{self, Column};

/// An output format of NCBI's blastn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputFormat {
    /// Pairwise alignments to look at (`-outfmt 0`).
    Pairwise,
    /// All alignments of a query under it, to look at (`-outfmt 1` to `-outfmt 4`).
    QueryAnchored(QueryAnchored),
    /// XML of NCBI's document type (`-outfmt 5`).
    Xml,
    /// Rows with tabs (`-outfmt 6`), these with comments (`-outfmt 7`), or rows with commas (`-outfmt 10`).
    Table(Table),
    /// The structure `Seq-annot` (`-outfmt 8` and `-outfmt 12`).
    SeqAlign(SeqAlign),
    /// The structure `BlastOutput2` as a file for each query (`-outfmt 13` and `-outfmt 14`).
    Files(FileFormat),
    /// The structure `BlastOutput2` as JSON (`-outfmt 15`).
    Json,
    /// The structure `BlastOutput2` as XML (`-outfmt 16`).
    Xml2,
    /// SAM (`-outfmt 17`).
    Sam(Sam),
    /// The subjects by organism (`-outfmt 18`).
    Organisms,
}

/// How a `Seq-annot` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeqAlign {
    /// As text of ASN.1.
    Text,
    Json,
}

/// The format of a file for each query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    Json,
    Xml,
}

impl FileFormat {
    /// The extension of the files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Xml => "xml",
        }
    }
}

/// How all alignments of a query are shown under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryAnchored {
    /// Whether letters that are equal to the query's are dots.
    pub shows_identities: bool,
    /// Whether insertions have columns, not lines under the row.
    pub is_flat: bool,
}

/// How alignments are written as SAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sam {
    /// Whether subjects are the reference sequences and queries the reads (`SR`), not the other way round.
    pub subjects_are_references: bool,
    /// Whether records have the letters of reads (`SQ`).
    pub shows_letters: bool,
}

/// A table of alignments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub columns: Vec<Column>,
    pub has_comments: bool,
    /// What stands between the cells of a row.
    pub separator: String,
}

/// The formats that are not written, each with the reason and the way out.
const REFUSED: [(&[&str], &str); 2] = [
    (&["9"], "binary ASN.1 is not written: use 8, which is the same as text, or 12, as JSON"),
    (&["11"], "an archive needs NCBI's blast_formatter: use 5, 15 or 16"),
];

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let number = words.next().unwrap_or_default();
        let mut names: Vec<&str> = words.collect();
        if let Some((_, reason)) = REFUSED.iter().find(|(numbers, _)| numbers.contains(&number)) {
            return Err((*reason).to_owned());
        }
        let separator = match names.first().and_then(|name| name.strip_prefix("delim=")) {
            Some(separator) => {
                names.remove(0);
                Some(separator.to_owned())
            }
            None => None,
        };
        match (number, names.is_empty() && separator.is_none()) {
            ("0", true) => Ok(Self::Pairwise),
            ("1" | "2" | "3" | "4", true) => Ok(Self::QueryAnchored(QueryAnchored {
                shows_identities: matches!(number, "1" | "3"),
                is_flat: matches!(number, "3" | "4"),
            })),
            ("5", true) => Ok(Self::Xml),
            ("8", true) => Ok(Self::SeqAlign(SeqAlign::Text)),
            ("12", true) => Ok(Self::SeqAlign(SeqAlign::Json)),
            ("13", true) => Ok(Self::Files(FileFormat::Json)),
            ("14", true) => Ok(Self::Files(FileFormat::Xml)),
            ("18", true) => Ok(Self::Organisms),
            ("15", true) => Ok(Self::Json),
            ("16", true) => Ok(Self::Xml2),
            ("17", _) if separator.is_none() => {
                if let Some(name) = names.iter().find(|name| !["SR", "SQ"].contains(name)) {
                    return Err(format!("SAM takes SR and SQ, not '{name}'"));
                }
                Ok(Self::Sam(Sam {
                    subjects_are_references: names.contains(&"SR"),
                    shows_letters: names.contains(&"SQ"),
                }))
            }
            ("6" | "7" | "10", _) => {
                let default = if number == "10" { "," } else { "\t" };
                let separator = separator.unwrap_or_else(|| default.to_owned());
                let columns = column::parse(&names)?;
                if let Some(column) =
                    columns.iter().find(|column| column.separator() == Some(&separator))
                {
                    return Err(format!(
                        "the separator {separator} is also within the column '{}': use another one",
                        column.heading()
                    ));
                }
                Ok(Self::Table(Table { columns, has_comments: number == "7", separator }))
            }
            _ => Err("use a number from 0 to 8, 10, or 12 to 18; only 6, 7 and 10 may be followed by columns, and 17 by SR and SQ"
                .to_owned()),
        }
    }
}

impl OutputFormat {
    /// Whether the output is a report for people to look at, with a list of subjects.
    pub fn is_pairwise(&self) -> bool {
        matches!(self, Self::Pairwise | Self::QueryAnchored(_))
    }

    /// Whether the output shows letters of the alignments.
    pub fn shows_letters(&self) -> bool {
        match self {
            Self::Organisms => false,
            Self::Table(table) => table.columns.iter().any(|column| column.shows_letters()),
            _ => true,
        }
    }

    /// Whether the output shows names of taxa, if there are any.
    pub fn shows_taxa(&self) -> bool {
        match self {
            Self::Json | Self::Xml2 | Self::Files(_) | Self::Organisms => true,
            Self::Table(table) => table.columns.iter().any(|column| column.shows_taxa()),
            _ => false,
        }
    }
}
