//! The files that are mapped into memory, by their addresses.
//!
//! A mapped file that is cut short or whose disk fails cannot be read any more, and the system tells so by the signal SIGBUS.
//! A program's handler asks here whether the address of the fault is in a mapped file ([`mapped_file_at`]), which is all
//! that may be done in a handler, and a thread of it which file that is ([`mapped_path`]).

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use memmap2::Mmap;

use super::large_pages::replace_pages;

/// The most mapped files that are listed; a program has one or two.
const MAX_FILES: usize = 16;

/// The addresses of a mapped file; the end is 0 where there is none.
struct Addresses {
    start: AtomicUsize,
    end: AtomicUsize,
}

/// The addresses of all mapped files, and as many empty places as are left.
static ADDRESSES: [Addresses; MAX_FILES] =
    [const { Addresses { start: AtomicUsize::new(0), end: AtomicUsize::new(0) } }; MAX_FILES];

/// The path of each file in [`ADDRESSES`].
static PATHS: Mutex<[Option<PathBuf>; MAX_FILES]> = Mutex::new([const { None }; MAX_FILES]);

fn paths() -> MutexGuard<'static, [Option<PathBuf>; MAX_FILES]> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the mapped file that holds an address, if one does. May be called by a signal handler.
pub fn mapped_file_at(address: usize) -> Option<u8> {
    let holds = |addresses: &Addresses| {
        address < addresses.end.load(Ordering::Acquire)
            && addresses.start.load(Ordering::Relaxed) <= address
    };
    ADDRESSES.iter().position(holds).map(|number| number as u8)
}

/// The path of a mapped file with a number, as it was opened. Not for signal handlers.
pub fn mapped_path(number: u8) -> Option<PathBuf> {
    paths().get(usize::from(number))?.clone()
}

/// A file that is mapped into memory and listed as such; if too many are, it is not listed.
pub(super) struct MappedFile {
    map: Mmap,
    number: Option<usize>,
}

impl MappedFile {
    /// Lists the map of the file `path`.
    pub(super) fn new(map: Mmap, path: &Path) -> Self {
        let mut paths = paths();
        let number = paths.iter().position(Option::is_none);
        if let Some(number) = number {
            paths[number] = Some(path.to_owned());
            let start = map.as_ptr().addr();
            ADDRESSES[number].start.store(start, Ordering::Relaxed);
            ADDRESSES[number].end.store(start + map.len(), Ordering::Release);
        }
        drop(paths);
        Self { map, number }
    }

    /// Replaces the pages of the file by large ones with the same bytes, while others read.
    ///
    /// # Errors
    /// As [`replace_pages`].
    pub(super) fn move_to_large_pages(&self) -> io::Result<()> {
        #[allow(unsafe_code)]
        // SAFETY: the map is read-only, and its file is not changed (see `map` in the module above).
        unsafe {
            Ok(replace_pages(&self.map)?)
        }
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            let mut paths = paths();
            ADDRESSES[number].end.store(0, Ordering::Release);
            paths[number] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use memmap2::MmapMut;

    use super::*;

    #[test]
    fn a_file_is_listed_while_it_is_mapped() {
        let map = || MmapMut::map_anon(64).and_then(MmapMut::make_read_only).expect("maps");
        let files: Vec<MappedFile> = (0..MAX_FILES + 2)
            .map(|number| MappedFile::new(map(), Path::new(&number.to_string())))
            .collect();
        let listed = files.iter().filter(|file| file.number.is_some()).count();
        assert!((1..=MAX_FILES).contains(&listed), "{listed}");
        for (number, file) in files.iter().enumerate() {
            let found = [0, 63].map(|offset| mapped_file_at(file.as_ptr().addr() + offset));
            assert_eq!(found, [file.number.map(|number| number as u8); 2]);
            let path = found[0].and_then(mapped_path);
            assert_eq!(path, file.number.map(|_| PathBuf::from(number.to_string())));
        }
        let address = files[0].as_ptr().addr();
        drop(files);
        assert_eq!(mapped_file_at(address), None);
    }
}
