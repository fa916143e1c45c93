//! Container files (`aligner_core::container`) with changed contents and right checksums, as no program writes them.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the header before the parameters.
const PREFIX: usize = 24;

/// Place of the file's length in the header.
const FILE_LENGTH: usize = 16;

/// Bytes of an extent: offset, length, checksum.
const EXTENT: usize = 24;

/// Sections are whole numbers of lines of this many bytes.
const LINE: usize = 64;

/// Seconds that the use of one file may take.
const PATIENCE: u64 = 30;

/// The bytes of a container file.
#[derive(Debug, Clone)]
pub struct ContainerFile {
    bytes: Vec<u8>,
    /// Bytes of the format's own numbers.
    parameters: usize,
    sections: usize,
}

/// Counts of mutated files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MutationCounts {
    /// Files that could not be opened.
    pub refused: u64,
    /// Files that were opened and used to the end.
    pub used: u64,
}

impl ContainerFile {
    /// The file of a format with this many bytes of parameters and this many sections.
    pub fn new(bytes: Vec<u8>, parameters: usize, sections: usize) -> Self {
        Self { bytes, parameters, sections }
    }

    /// Where the extent of a section is in the header.
    fn extent(&self, section: usize) -> usize {
        PREFIX + self.parameters + section * EXTENT
    }

    fn header_length(&self) -> usize {
        (self.extent(self.sections) + 8).next_multiple_of(LINE)
    }

    fn word(&self, at: usize) -> u64 {
        self.bytes[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word))
    }

    fn set_word(&mut self, at: usize, value: u64) {
        self.bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes());
    }

    /// The bytes of a section, without its padding; none if its extent, which may be changed, is outside the file.
    fn section(&self, section: usize) -> Range<usize> {
        let extent = self.extent(section);
        let (start, length) = (self.word(extent), self.word(extent + 8));
        let is_inside = start
            .checked_add(length)
            .and_then(|end| end.checked_next_multiple_of(LINE as u64))
            .is_some_and(|end| end <= self.bytes.len() as u64);
        if is_inside { start as usize..(start + length) as usize } else { 0..0 }
    }

    /// Changes something: a number in the header or in a section, the order of two numbers, two bits of a line, or the
    /// length of a section.
    fn mutate(&mut self, random: &mut Rng) {
        match random.u8(..10) {
            0 => {
                let at = PREFIX + 4 * random.usize(..self.parameters / 4);
                self.change_number(at, random);
            }
            1 => {
                let at = self.extent(0) + 4 * random.usize(..self.sections * EXTENT / 4);
                self.change_number(at, random);
            }
            2 => self.resize(random),
            3 => self.change_number(FILE_LENGTH, random),
            kind => {
                let section = self.section(random.usize(..self.sections));
                if section.len() < 8 || !section.start.is_multiple_of(4) {
                    return;
                }
                let [one, other] =
                    [(); 2].map(|()| section.start + random.usize(..section.len() / 4) * 4);
                match kind {
                    4 | 5 => {
                        for byte in 0..4 {
                            self.bytes.swap(one + byte, other + byte);
                        }
                    }
                    6 => self.bytes.copy_within(one..one + 4, other),
                    // Two bits at one place of two words of one line: of a transform, two symbols.
                    7 => {
                        let line = one / LINE * LINE + 16;
                        let (from, to) = (random.usize(..64), random.usize(..64));
                        for plane in [0, 8] {
                            self.swap_bits(line + plane, from, to);
                        }
                    }
                    _ => self.change_number(one, random),
                }
            }
        }
    }

    fn swap_bits(&mut self, at: usize, from: usize, to: usize) {
        if at + 8 > self.bytes.len() {
            return;
        }
        let word = self.word(at);
        if (word >> from ^ word >> to) & 1 == 1 {
            self.set_word(at, word ^ (1 << from | 1 << to));
        }
    }

    /// Changes four bytes: to an extreme number, a near one, or a random one.
    fn change_number(&mut self, at: usize, random: &mut Rng) {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.bytes[at..at + 4]);
        let old = u32::from_ne_bytes(bytes);
        let new = match random.u8(..8) {
            0 => 0,
            1 => u32::MAX,
            2 => old.wrapping_add(1),
            3 => old.wrapping_sub(1),
            4 => old ^ 1 << random.u8(..32),
            5 => random.u32(..16),
            6 => random.u32(..1 << 16),
            _ => random.u32(..),
        };
        self.bytes[at..at + 4].copy_from_slice(&new.to_ne_bytes());
    }

    /// Makes a section longer by zeros or shorter, and moves those behind it.
    fn resize(&mut self, random: &mut Rng) {
        let number = random.usize(..self.sections);
        let section = self.section(number);
        if section.start == 0 || !section.start.is_multiple_of(LINE) {
            return;
        }
        let length = match random.u8(..4) {
            0 => 0,
            1 => section.len() + [1, 4, 8, 12, 24, 40, LINE][random.usize(..7)],
            2 => section.len().saturating_sub([1, 4, 8, 12, 24, 40, LINE][random.usize(..7)]),
            _ => section.len() + LINE * random.usize(..8),
        };
        let end = section.start + section.len().next_multiple_of(LINE);
        let padded = length.next_multiple_of(LINE);
        let mut content = self.bytes[section.start..end].to_vec();
        content.resize(length, 0);
        content.resize(padded, 0);
        self.bytes.splice(section.start..end, content);
        let extent = self.extent(number);
        self.set_word(extent + 8, length as u64);
        for later in number + 1..self.sections {
            let extent = self.extent(later);
            let moved = self.word(extent).wrapping_add((section.start + padded) as u64);
            self.set_word(extent, moved.wrapping_sub(end as u64));
        }
        self.set_word(FILE_LENGTH, self.bytes.len() as u64);
    }

    /// Makes all checksums right, where sections are inside the file.
    fn repair(&mut self) {
        for section in 0..self.sections {
            let extent = self.extent(section);
            let (start, length) = (self.word(extent), self.word(extent + 8));
            let end = start.checked_add(length).and_then(|end| end.checked_next_multiple_of(64));
            let bytes = end.and_then(|end| self.bytes.get(start as usize..end as usize));
            if let Some(checksum) = bytes.map(xxh3_64) {
                self.set_word(extent + 16, checksum);
            }
        }
        let end = self.header_length() - 8;
        self.set_word(end, xxh3_64(&self.bytes[..end]));
    }
}

/// Writes mutated files to `path`, `count` of them or as many as the environment variable `MUTATIONS` says, each from a
/// seed of its own, and passes each to `open_and_use`, which returns whether it could be opened.
///
/// # Panics
/// If `open_and_use` panics. If it takes too long, the process ends. Both print the seed.
pub fn mutate_and_use(
    file: &ContainerFile,
    path: &Path,
    seeds: Range<u64>,
    open_and_use: impl Fn(&Path) -> bool,
) -> MutationCounts {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("MUTATION_SEED").unwrap_or(seeds.start);
    let count = number("MUTATIONS").unwrap_or(seeds.end - seeds.start);
    let current = Arc::new(AtomicU64::new(first));
    watch(Arc::clone(&current));
    let mut counts = MutationCounts { refused: 0, used: 0 };
    for seed in first..first + count {
        current.store(seed, Ordering::Relaxed);
        let mut random = Rng::with_seed(seed);
        let mut mutated = file.clone();
        for _ in 0..random.u8(1..4) {
            mutated.mutate(&mut random);
        }
        mutated.repair();
        let written = std::fs::write(path, &mutated.bytes);
        assert!(written.is_ok(), "{}: {written:?}", path.display());
        match catch_unwind(AssertUnwindSafe(|| open_and_use(path))) {
            Ok(true) => counts.used += 1,
            Ok(false) => counts.refused += 1,
            Err(panic) => {
                eprintln!("MUTATION_SEED={seed} MUTATIONS=1");
                std::panic::resume_unwind(panic);
            }
        }
    }
    current.store(u64::MAX, Ordering::Relaxed);
    counts
}

/// Ends the process when one seed is current for too long.
fn watch(current: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let (mut last, mut seconds) = (u64::MAX, 0);
        while Arc::strong_count(&current) > 1 {
            std::thread::sleep(Duration::from_secs(1));
            let seed = current.load(Ordering::Relaxed);
            seconds = if seed == last { seconds + 1 } else { 0 };
            last = seed;
            if seconds > PATIENCE && seed != u64::MAX {
                eprintln!("MUTATION_SEED={seed} MUTATIONS=1 takes more than {PATIENCE} s");
                std::process::abort();
            }
        }
    });
}
