//! Lanes of a sequencer: files of reads that were sequenced together.

use std::path::PathBuf;

use super::layout::Layout;

/// The files of a lane: reads of one library, which were sequenced together. All batches of reads end where a lane ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// How mates lie in its files.
    layout: Layout,
    /// Files that are read one after the other, each part as many files as [`Layout::files`], which are read alternately.
    parts: Vec<Vec<PathBuf>>,
}

impl Lane {
    /// A lane of parts that are read one after the other, each with as many files as the layout has.
    ///
    /// # Errors
    /// If a part has another number of files.
    pub fn new(layout: Layout, parts: Vec<Vec<PathBuf>>) -> Result<Self, String> {
        match parts.iter().find(|part| part.len() != layout.files()) {
            Some(part) => {
                Err(format!("{} files are read together, not {}", layout.files(), part.len()))
            }
            None => Ok(Self { layout, parts }),
        }
    }

    /// The lane of a file of reads without mates.
    pub fn of_file(path: PathBuf) -> Self {
        Self { layout: Layout::Single, parts: vec![vec![path]] }
    }

    /// How mates lie in its files.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Files that are read alternately, one after the other.
    pub fn parts(&self) -> &[Vec<PathBuf>] {
        &self.parts
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.parts.iter().flatten()
    }
}
