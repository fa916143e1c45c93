//! Items that travel between the nodes of the pipeline, in the order of the nodes; shared with
//! `cuda/include/blastn/pipeline`.
//!
//! Items in queues behind the first stage, and in sinks, are multiples of 16 bytes: a thread reads and writes 16 bytes at
//! once, and these accesses are most of what gathering and scattering take.

use aligner_core::device_struct;

use crate::seed::word_hits::WordHit;
use crate::ungapped::hits::UngappedHit;

device_struct! {
    /// Input: words of a chunk of the database, a stride apart.
    #[derive(PartialEq, Eq)]
    pub struct ChunkSlice {
        /// Index of the chunk.
        pub chunk: u32,
        /// Place of the first word in the chunk.
        pub first: u32,
        /// Number of words, at least 1.
        pub words: u32,
    }
}

device_struct! {
    /// A word of the database that the queries have.
    pub struct FoundWord {
        /// Index of the chunk.
        pub chunk: u32,
        /// Place of the word in the chunk.
        pub subject: u32,
        /// Index of the first of its places in the lookup table.
        pub start: u32,
        /// Number of its places in the lookup table, at least 1.
        pub count: u32,
    }
}

device_struct! {
    /// A seed: as many equal bases in a row as the word size asks for, in a strand and a chunk. It is a [`WordHit`] of a
    /// chunk; its end follows from the word size.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub struct SeedHit {
        /// Index of the chunk.
        pub chunk: u32,
        /// Where it begins, as the index of a letter of the batch.
        pub query: u32,
        /// Where it begins in the chunk.
        pub subject: u32,
        /// [`WordHit::probe`]: the place in the chunk that earlier extensions of the diagonal must not have passed.
        pub probe: u32,
    }
}

device_struct! {
    /// A seed with its ungapped alignment, which scores enough.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub struct ExtendedSeed {
        /// Seed of the alignment.
        pub seed: SeedHit,
        /// Where the alignment begins, as the index of a letter of the batch.
        pub query: u32,
        /// Where the alignment begins in the chunk.
        pub subject: u32,
        /// Number of its columns.
        pub length: u32,
        /// Score of the alignment.
        pub score: i32,
    }
}

device_struct! {
    /// A seed without an alignment: it was extended and did not score enough, or it was left to an earlier seed of its
    /// diagonal, whose extension probably passes it.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub struct UnalignedSeed {
        /// The seed; [`TRIED`] is set in its `probe` if it was extended.
        marked: SeedHit,
    }
}

/// A bit above all places of a chunk.
const TRIED: u32 = 1 << 31;

device_struct! {
    /// An extension to one side of a seed so far. On the CPU all of it is 0.
    pub struct OneSidedExtension {
        /// Best score of its first columns.
        score: i32,
        /// Score of all its columns minus `score`.
        sum: i32,
        /// Columns up to the one with the best score.
        reach: u32,
    }
}

device_struct! {
    /// A seed whose extension is not finished. Only kernels extend a seed piece by piece: the CPU
    /// sets what was reached to zero, and extends the seed at once.
    pub struct PartialExtension {
        /// Seed that is extended.
        pub seed: SeedHit,
        /// Extension to the left.
        left: OneSidedExtension,
        /// Extension to the right.
        right: OneSidedExtension,
        /// Columns of the next side that were extended over.
        done: u32,
        /// How far the extension is: `Progress` of `ungapped.cuh`.
        progress: u32,
    }
}

impl SeedHit {
    /// The seed of a word hit with a chunk.
    pub(super) fn new(chunk: u32, hit: WordHit) -> Self {
        let WordHit { query, subject, probe, .. } = hit;
        Self { chunk, query, subject, probe }
    }

    /// The word hit, of `length` bases.
    pub fn hit(self, length: usize) -> WordHit {
        let Self { query, subject, probe, .. } = self;
        WordHit { query, subject, end: subject + length as u32, probe }
    }
}

impl UnalignedSeed {
    /// A seed that was `tried` and did not score enough, or was left to an earlier seed.
    pub fn new(seed: SeedHit, tried: bool) -> Self {
        let probe = if tried { seed.probe | TRIED } else { seed.probe };
        Self { marked: SeedHit { probe, ..seed } }
    }

    /// Whether it was extended.
    pub fn tried(self) -> bool {
        self.marked.probe & TRIED != 0
    }
}

impl ExtendedSeed {
    /// Its alignment as an ungapped hit.
    pub fn hit(&self) -> UngappedHit {
        let &Self { seed, query, subject, length, score } = self;
        let (seed_query, seed_subject) = (seed.query, seed.subject);
        UngappedHit { query, subject, length, score, seed_query, seed_subject }
    }
}

impl PartialExtension {
    /// A seed of which nothing was extended over.
    pub(super) fn new(seed: SeedHit) -> Self {
        let none = OneSidedExtension { score: 0, sum: 0, reach: 0 };
        Self { seed, left: none, right: none, done: 0, progress: 0 }
    }
}
