//! Lanes of a sequencer: files of reads that were sequenced together.

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use super::layout::Layout;
use super::source::OpenReads;

/// The files of a lane: reads of one library, which were sequenced together. All batches of reads end where a lane ends.
#[derive(Clone)]
pub struct Lane {
    /// How mates lie in its files.
    layout: Layout,
    /// Files that are read one after the other, each part as many files as [`Layout::files`], which are read alternately.
    parts: Vec<Vec<PathBuf>>,
    /// The number of the read group of reads that do not have one of their own.
    group: Option<u32>,
    /// The files of the next parts, one for each, as far as they are open: those of SAM, BAM and CRAM, and pipes. Others are
    /// opened when they are read.
    open: Arc<Mutex<VecDeque<OpenReads>>>,
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { layout, parts, group, .. } = self;
        let mut lane = f.debug_struct("Lane");
        lane.field("layout", layout).field("parts", parts).field("group", group);
        lane.finish_non_exhaustive()
    }
}

impl Lane {
    /// A lane of parts that are read one after the other, each with as many files as the layout has.
    ///
    /// # Errors
    /// If a part has another number of files.
    pub fn new(layout: Layout, parts: Vec<Vec<PathBuf>>) -> Result<Self, String> {
        let open = Arc::default();
        match parts.iter().find(|part| part.len() != layout.files()) {
            Some(part) => {
                Err(format!("{} files are read together, not {}", layout.files(), part.len()))
            }
            None => Ok(Self { layout, parts, group: None, open }),
        }
    }

    /// The lane of a file of reads without mates.
    pub fn of_file(path: PathBuf) -> Self {
        Self::of_open(Layout::Single, vec![path], Vec::new())
    }

    /// A lane of files that are read one after the other, of which the first ones are open already.
    pub fn of_open(layout: Layout, files: Vec<PathBuf>, open: Vec<OpenReads>) -> Self {
        let parts = files.into_iter().map(|file| vec![file]).collect();
        Self { layout, parts, group: None, open: Arc::new(Mutex::new(open.into())) }
    }

    /// The lane with a read group, for reads that do not have one of their own.
    #[must_use]
    pub fn with_group(self, group: Option<u32>) -> Self {
        Self { group, ..self }
    }

    /// The number of the read group of reads that do not have one of their own.
    pub fn group(&self) -> Option<u32> {
        self.group
    }

    fn open_files(&self) -> MutexGuard<'_, VecDeque<OpenReads>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the open file of the next part, which then is to be read, if it is open.
    pub(super) fn take_open(&self) -> Option<OpenReads> {
        self.open_files().pop_front()
    }

    /// Whether a file may have aligned reads in CRAM, whose bases lie in the reference.
    pub fn may_need_reference(&self) -> bool {
        let needs =
            |file: &OpenReads| matches!(file, OpenReads::Alignments(it) if it.may_need_reference());
        self.open_files().iter().any(needs)
    }

    /// Whether the bytes of all files are counted as they are read; those of SAM, BAM and CRAM are not.
    pub(super) fn counts_bytes(&self) -> bool {
        !self.open_files().iter().any(|file| matches!(file, OpenReads::Alignments(_)))
    }

    /// Decodes aligned reads in CRAM by a reference, which htslib opens by this name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn decode_with(&self, reference: &str) -> Result<()> {
        for file in self.open_files().iter_mut() {
            if let OpenReads::Alignments(reads) = file
                && reads.may_need_reference()
            {
                reads.decode_with(reference)?;
            }
        }
        Ok(())
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
