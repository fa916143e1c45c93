//! Items in partitions, in bounded memory.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bytemuck::Pod;

/// Items that belong to one of several partitions. They are held in memory until they fill it; then all go to a temporary file
/// without a name, each partition as a segment of its own.
#[derive(Debug)]
pub struct Partitions<T> {
    /// The most items in memory.
    most: usize,
    /// The number of items in memory.
    held: usize,
    all: Vec<Partition<T>>,
    file: File,
    /// Where the file ends.
    end: u64,
}

/// One of several partitions.
#[derive(Debug)]
pub struct Partition<T> {
    held: Vec<T>,
    segments: Vec<Segment>,
    item: PhantomData<T>,
}

/// Consecutive items of a partition in the file.
#[derive(Debug, Clone, Copy)]
struct Segment {
    offset: u64,
    items: usize,
}

impl<T: Pod> Partitions<T> {
    /// Makes `count` empty partitions, which hold up to `memory` bytes of items together and write the others to a file in
    /// `folder`.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(count: usize, memory: usize, folder: &Path) -> io::Result<Self> {
        let partition = || Partition { held: Vec::new(), segments: Vec::new(), item: PhantomData };
        Ok(Self {
            most: (memory / size_of::<T>()).max(1),
            held: 0,
            all: std::iter::repeat_with(partition).take(count).collect(),
            file: tempfile::tempfile_in(folder)?,
            end: 0,
        })
    }

    /// Adds an item to a partition.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, partition: usize, item: T) -> io::Result<()> {
        self.all[partition].held.push(item);
        self.held += 1;
        if self.held < self.most {
            return Ok(());
        }
        for partition in &mut self.all {
            let bytes = bytemuck::cast_slice(&partition.held);
            self.file.write_all_at(bytes, self.end)?;
            partition.segments.push(Segment { offset: self.end, items: partition.held.len() });
            self.end += bytes.len() as u64;
            partition.held.clear();
        }
        self.held = 0;
        Ok(())
    }

    /// The partitions, in order, and the file that has what memory does not hold of them.
    pub fn into_all(self) -> (Vec<Partition<T>>, File) {
        (self.all, self.file)
    }
}

impl<T: Pod> Partition<T> {
    /// The items, in the order in which they came.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn items(self, file: &File) -> io::Result<Vec<T>> {
        let Self { held, segments, .. } = self;
        if segments.is_empty() {
            return Ok(held);
        }
        let count = held.len() + segments.iter().map(|segment| segment.items).sum::<usize>();
        let mut items = vec![T::zeroed(); count];
        let mut rest = items.as_mut_slice();
        for segment in segments {
            let (of_segment, others) = rest.split_at_mut(segment.items);
            file.read_exact_at(bytemuck::cast_slice_mut(of_segment), segment.offset)?;
            rest = others;
        }
        rest.copy_from_slice(&held);
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_whatever_the_memory() {
        let mut random = fastrand::Rng::with_seed(9);
        let items: Vec<(usize, u64)> =
            (0..5000).map(|number| (random.usize(0..7), number)).collect();
        for memory in [1, 8, 800, 1 << 20] {
            let mut partitions = Partitions::new(8, memory, &std::env::temp_dir()).expect("a file");
            for &(partition, item) in &items {
                partitions.push(partition, item).expect("is held");
            }
            let (all, file) = partitions.into_all();
            assert_eq!(all.len(), 8);
            for (number, partition) in all.into_iter().enumerate() {
                let of_partition = items.iter().filter(|&&(of, _)| of == number);
                let expected: Vec<u64> = of_partition.map(|&(_, item)| item).collect();
                assert_eq!(partition.items(&file).expect("reads"), expected);
            }
        }
    }
}
