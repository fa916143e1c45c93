//! A file of text that several threads write.
//!
//! In a regular file, the places of the pieces of a batch follow from a prefix sum over their lengths, and threads write
//! them there. Pipes, devices and standard output take one piece after the other.
//!
//! Blocks of the disk are reserved before a regular file is written to, as many again as it has: then ext4 writes two to
//! four times as fast (6 GB/s in place of 1.6 to 3.9 GB/s into the page cache, on one thread). Most file systems let one
//! thread at a time write to a file, so that a second one gains little. Blocks that were reserved and not used are given back
//! when the file is closed.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use nix::unistd;

/// The least and the most bytes that are reserved at a time.
const RESERVED: [u64; 2] = [1 << 24, 1 << 28];

/// A file that is being written.
#[derive(Debug)]
pub struct ParallelFile {
    file: File,
    /// The extent of a regular file; `None` of others.
    extent: Option<Extent>,
}

/// How far a regular file is written.
#[derive(Debug)]
struct Extent {
    threads: usize,
    /// Bytes that are written.
    written: u64,
    /// Bytes for which there are blocks of the disk.
    reserved: u64,
}

impl ParallelFile {
    /// A file that pieces are written to one after the other.
    pub fn in_order(descriptor: OwnedFd) -> Self {
        Self { file: descriptor.into(), extent: None }
    }

    /// A new regular file that up to `threads` threads write to.
    pub fn parallel(descriptor: OwnedFd, threads: usize) -> Self {
        let extent = Extent { threads, written: 0, reserved: 0 };
        Self { file: descriptor.into(), extent: Some(extent) }
    }

    /// Appends pieces in this order.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, pieces: &[&[u8]]) -> io::Result<()> {
        match &mut self.extent {
            None => pieces.iter().try_for_each(|piece| self.file.write_all(piece)),
            Some(extent) => {
                let offsets = extent.append(pieces, &self.file);
                write_at(&self.file, pieces, &offsets, extent.threads)
            }
        }
    }

    /// Gives back reserved blocks and closes the file.
    ///
    /// # Errors
    /// If something could not be written, which some file systems report only now.
    pub fn close(self) -> io::Result<()> {
        if let Some(extent) = self.extent {
            // Gives back blocks that were reserved and not used.
            self.file.set_len(extent.written)?;
        }
        Ok(unistd::close(self.file)?)
    }
}

impl Extent {
    /// The offsets in the file of further pieces.
    fn append(&mut self, pieces: &[&[u8]], file: &File) -> Vec<u64> {
        let offset = |piece: &&[u8]| {
            let begin = self.written;
            self.written += piece.len() as u64;
            begin
        };
        let offsets = pieces.iter().map(offset).collect();
        let [least, most] = RESERVED;
        if self.written > self.reserved && self.written >= least {
            let more = (self.written - self.reserved).max(self.written.min(most));
            reserve(file, self.reserved, more);
            self.reserved += more;
        }
        offsets
    }
}

/// Reserves blocks of the disk. A failure is ignored: if there is no room, writing fails, too.
#[cfg(target_os = "linux")]
fn reserve(file: &File, begin: u64, length: u64) {
    use nix::fcntl::{FallocateFlags, fallocate};
    let keep_size = FallocateFlags::FALLOC_FL_KEEP_SIZE;
    let _ = fallocate(file, keep_size, begin as i64, length as i64);
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64, _: u64) {}

/// Writes every piece at its offset. Of several errors, one is returned.
fn write_at(file: &File, pieces: &[&[u8]], offsets: &[u64], threads: usize) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let work = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(piece) = pieces.get(number)
        {
            file.write_all_at(piece, offsets[number])?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(pieces.len())).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().fold(own, |done, other| {
            let panicked = || Err(io::Error::other("a writing thread panicked"));
            done.and(other.join().unwrap_or_else(|_| panicked()))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use super::*;

    /// Batches of pieces of all sizes, empty ones too.
    fn batches() -> Vec<Vec<Vec<u8>>> {
        let mut random = fastrand::Rng::with_seed(8);
        let mut batch = || {
            let piece = |random: &mut fastrand::Rng| {
                let bits = random.u32(0..14);
                (0..random.usize(..1 << bits)).map(|_| random.u8(..)).collect()
            };
            (0..random.usize(..400)).map(|_| piece(&mut random)).collect()
        };
        (0..20).map(|_| batch()).collect()
    }

    #[test]
    fn pieces_follow_each_other_whatever_the_threads() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let batches = batches();
        let expected = batches.concat().concat();
        let open = || File::create(&path).expect("a file").into();
        let writers: [&dyn Fn() -> ParallelFile; 4] = [
            &|| ParallelFile::in_order(open()),
            &|| ParallelFile::parallel(open(), 1),
            &|| ParallelFile::parallel(open(), 3),
            &|| ParallelFile::parallel(open(), 16),
        ];
        for writer in writers {
            let mut writer = writer();
            for batch in &batches {
                let pieces: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
                writer.write(&pieces).expect("writes");
            }
            writer.close().expect("closes");
            assert!(fs::read(&path).expect("reads") == expected);
        }
    }

    #[test]
    fn what_is_reserved_is_given_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let piece = vec![b'x'; 1 << 20];
        let mut writer = ParallelFile::parallel(File::create(&path).expect("a file").into(), 2);
        for _ in 0..17 {
            writer.write(&[&piece, b"yz"]).expect("writes");
        }
        writer.close().expect("closes");
        let found = fs::metadata(&path).expect("is there");
        let length = 17 * (piece.len() as u64 + 2);
        assert_eq!(found.len(), length);
        // Blocks are units of 512 bytes; some belong to the file system.
        assert!(found.blocks() * 512 < length + (1 << 20), "{} blocks", found.blocks());
    }

    #[test]
    fn errors_of_any_thread_are_told() {
        let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("opens");
        for threads in [1, 4] {
            let file = full();
            let pieces = [b"abc".as_slice(); 9];
            let error = write_at(&file, &pieces, &[0; 9], threads).expect_err("is full");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
