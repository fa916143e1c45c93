//! Files that htslib opens by name although they are on no disk.
//!
//! htslib opens URLs by the handler of their scheme. The handler here serves `gpualign:N`, where N is the number of a
//! [`MemoryFile`]. Reading such a file cannot fail, and nothing is left of it however the program ends. The declarations are
//! those of htslib's `hfile_internal.h`, which its plug-ins use.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Debug;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use nix::errno::Errno;
use nix::libc::{SEEK_CUR, SEEK_END, SEEK_SET, off_t};
use rust_htslib::htslib::{self, hFILE};

/// The content of a file.
pub trait Content: Debug + Send + Sync {
    /// Bytes of the file.
    fn length(&self) -> u64;

    /// Fills a buffer with the bytes from `offset` on, of which there are as many.
    fn read_at(&self, offset: u64, buffer: &mut [u8]);
}

impl Content for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) {
        let begin = offset as usize;
        buffer.copy_from_slice(&self[begin..begin + buffer.len()]);
    }
}

/// The scheme of the names, with the colon that ends it.
const SCHEME: &CStr = c"gpualign:";

/// All files, by their numbers.
static FILES: OnceLock<Mutex<HashMap<u64, Arc<dyn Content>>>> = OnceLock::new();

fn files() -> MutexGuard<'static, HashMap<u64, Arc<dyn Content>>> {
    FILES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that htslib can open for reading, any number of times, until this value is dropped.
#[derive(Debug)]
pub struct MemoryFile {
    number: u64,
}

impl MemoryFile {
    /// A file with this content.
    ///
    /// # Errors
    /// If htslib does not take the handler.
    pub fn new(content: Arc<dyn Content>) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        register()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        files().insert(number, content);
        Ok(Self { number })
    }

    /// The name by which htslib opens the file.
    pub fn name(&self) -> String {
        format!("{}{}", SCHEME.to_string_lossy(), self.number)
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        files().remove(&self.number);
    }
}

/// htslib's `hFILE_scheme_handler`, without the fields of later revisions.
#[repr(C)]
struct SchemeHandler {
    open: unsafe extern "C" fn(*const c_char, *const c_char) -> *mut hFILE,
    is_remote: unsafe extern "C" fn(*const c_char) -> c_int,
    /// A string that ends in NUL.
    provider: &'static [u8; 9],
    priority: c_int,
}

/// htslib's `hFILE_backend`: functions of an open file.
#[repr(C)]
struct Backend {
    read: unsafe extern "C" fn(*mut hFILE, *mut c_void, usize) -> isize,
    /// Files are only read.
    write: Option<unsafe extern "C" fn(*mut hFILE, *const c_void, usize) -> isize>,
    seek: unsafe extern "C" fn(*mut hFILE, off_t, c_int) -> off_t,
    flush: Option<unsafe extern "C" fn(*mut hFILE) -> c_int>,
    close: unsafe extern "C" fn(*mut hFILE) -> c_int,
}

/// An open file: htslib's part, then that of this program.
#[repr(C)]
struct OpenFile {
    base: hFILE,
    /// A box that the file owns.
    reader: *mut Reader,
}

/// A content, and the place in it that is read next.
struct Reader {
    content: Arc<dyn Content>,
    place: u64,
}

#[allow(unsafe_code)]
unsafe extern "C" {
    fn hfile_init(size: usize, mode: *const c_char, capacity: usize) -> *mut hFILE;
    fn hfile_add_scheme_handler(scheme: *const c_char, handler: *const SchemeHandler);
}

static HANDLER: SchemeHandler =
    SchemeHandler { open, is_remote, provider: b"gpualign\0", priority: 50 };
static BACKEND: Backend = Backend { read, write: None, seek, flush: None, close };

/// Registers the handler, at the first call.
fn register() -> io::Result<()> {
    static IS_REGISTERED: OnceLock<bool> = OnceLock::new();
    let is_registered = IS_REGISTERED.get_or_init(|| {
        // Asking for a scheme makes htslib load its own handlers, without which it takes no other.
        // SAFETY: the string ends in NUL.
        #[allow(unsafe_code)]
        let ask = || unsafe { htslib::hisremote(SCHEME.as_ptr()) } != 0;
        ask();
        // SAFETY: scheme and handler are static, and the handler has the layout of htslib's.
        #[allow(unsafe_code)]
        unsafe {
            hfile_add_scheme_handler(c"gpualign".as_ptr(), &raw const HANDLER);
        }
        ask()
    });
    if *is_registered {
        Ok(())
    } else {
        Err(io::Error::other("htslib takes no handler of files in memory"))
    }
}

/// Opens a file by its name; null, and `errno` set, if there is none.
#[allow(unsafe_code)]
unsafe extern "C" fn open(name: *const c_char, mode: *const c_char) -> *mut hFILE {
    // SAFETY: htslib passes a name that ends in NUL.
    let name = unsafe { CStr::from_ptr(name) };
    let number = name.to_bytes().strip_prefix(SCHEME.to_bytes());
    let number = number.and_then(|number| str::from_utf8(number).ok()?.parse().ok());
    let Some(content) = number.and_then(|number: u64| files().get(&number).map(Arc::clone)) else {
        Errno::ENOENT.set();
        return ptr::null_mut();
    };
    // SAFETY: the mode is htslib's own; the memory that is returned has the size of an open file and the alignment of `malloc`.
    let file = unsafe { hfile_init(size_of::<OpenFile>(), mode, 0) }.cast::<OpenFile>();
    if file.is_null() {
        return ptr::null_mut();
    }
    let reader = Box::into_raw(Box::new(Reader { content, place: 0 }));
    // SAFETY: the memory is that of an open file, whose base is initialised; the other field is written without being read.
    unsafe {
        (*file).base.backend = (&raw const BACKEND).cast();
        (&raw mut (*file).reader).write(reader);
    }
    file.cast()
}

/// Names of files in memory count as remote, since htslib would build an index beside a local file.
#[allow(unsafe_code)]
unsafe extern "C" fn is_remote(_: *const c_char) -> c_int {
    1
}

/// The reader of an open file.
///
/// # Safety
/// The file was made by [`open`] and is not closed, and no other reference to its reader is in use.
#[allow(unsafe_code)]
unsafe fn reader<'f>(file: *mut hFILE) -> &'f mut Reader {
    // SAFETY: an open file begins with its base, and its reader lives until it is closed.
    unsafe { &mut *(*file.cast::<OpenFile>()).reader }
}

/// Reads up to `size` bytes into a buffer; returns how many, 0 at the end.
#[allow(unsafe_code)]
unsafe extern "C" fn read(file: *mut hFILE, buffer: *mut c_void, size: usize) -> isize {
    // SAFETY: htslib calls it for an open file of this backend, by one thread at a time.
    let Reader { content, place } = unsafe { reader(file) };
    let left = content.length().saturating_sub(*place);
    let count = size.min(usize::try_from(left).unwrap_or(usize::MAX));
    if count > 0 {
        // SAFETY: the buffer has room for `size` bytes, is used by nobody else during the call, and is initialised first.
        let buffer = unsafe {
            ptr::write_bytes(buffer.cast::<u8>(), 0, count);
            std::slice::from_raw_parts_mut(buffer.cast::<u8>(), count)
        };
        content.read_at(*place, buffer);
        *place += count as u64;
    }
    count as isize
}

/// Moves to another place, which is returned; -1, and `errno` set, if there is none.
#[allow(unsafe_code)]
unsafe extern "C" fn seek(file: *mut hFILE, offset: off_t, whence: c_int) -> off_t {
    // SAFETY: htslib calls it for an open file of this backend, by one thread at a time.
    let Reader { content, place } = unsafe { reader(file) };
    let base = match whence {
        SEEK_SET => Some(0),
        SEEK_CUR => Some(*place),
        SEEK_END => Some(content.length()),
        _ => None,
    };
    let to = base.and_then(|base| base.checked_add_signed(offset));
    match to.and_then(|to| off_t::try_from(to).ok().map(|result| (to, result))) {
        Some((to, result)) => {
            *place = to;
            result
        }
        None => {
            Errno::EINVAL.set();
            -1
        }
    }
}

/// Closes a file; htslib frees its memory afterwards.
#[allow(unsafe_code)]
unsafe extern "C" fn close(file: *mut hFILE) -> c_int {
    // SAFETY: the box was made by `open`, and htslib closes a file once.
    drop(unsafe { Box::from_raw((*file.cast::<OpenFile>()).reader) });
    0
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;
    use crate::hts::silence;

    /// Opens a file by htslib, reads `size` bytes from `offset` on, and closes it.
    #[allow(unsafe_code)]
    fn read_by_htslib(name: &str, offset: off_t, size: usize) -> Option<Vec<u8>> {
        let name = CString::new(name).expect("has no NUL");
        let mut buffer = vec![0; size];
        // SAFETY: strings end in NUL, the file is open until it is closed, and the buffer has so many bytes.
        unsafe {
            let file = htslib::bgzf_open(name.as_ptr(), c"r".as_ptr());
            if file.is_null() {
                return None;
            }
            assert_eq!(htslib::bgzf_useek(file, offset, SEEK_SET), 0);
            let count = htslib::bgzf_read(file, buffer.as_mut_ptr().cast(), size);
            assert_eq!(htslib::bgzf_close(file), 0);
            buffer.truncate(usize::try_from(count).expect("is read"));
        }
        Some(buffer)
    }

    #[test]
    fn htslib_reads_any_part() {
        silence().expect("is silent");
        let content: Vec<u8> = (0..200_000_u32).map(|number| (number % 251) as u8).collect();
        let shared: Arc<dyn Content> = Arc::new(content.clone());
        let file = MemoryFile::new(Arc::clone(&shared)).expect("is there");
        for (offset, size) in [(0, 10), (5, 100_000), (199_990, 100), (200_000, 5), (0, 300_000)] {
            let found = read_by_htslib(&file.name(), offset, size).expect("opens");
            let begin = offset as usize;
            assert_eq!(found, content[begin..content.len().min(begin + size)]);
        }
        let name = file.name();
        drop(file);
        assert!(read_by_htslib(&name, 0, 1).is_none());
        assert!(read_by_htslib("gpualign:x", 0, 1).is_none());
        assert_eq!(Arc::strong_count(&shared), 1, "closed files keep nothing");
    }
}
