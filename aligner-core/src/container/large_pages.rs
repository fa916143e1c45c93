//! Copies of a mapped file's bytes in pages of 2 MiB, in the place of the file's own pages of 4 KiB.
//!
//! With pages of 4 KiB, random access to gigabytes has to find the page first nearly every time, since processors keep the
//! addresses of few pages. The system has large pages for memory, but hardly for files.

use std::ffi::c_void;
use std::mem;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::slice;

use nix::Result;
use nix::sys::mman::{
    MRemapFlags, MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, mprotect, mremap, munmap,
};

/// Bytes of a large page.
const LARGE_PAGE: usize = 2 << 20;

/// Memory of the length of a large page, at an address that is a multiple of it.
struct LargePage(NonNull<c_void>);

impl LargePage {
    /// New memory, for which the system takes one large page if it has one.
    fn new() -> Result<Self> {
        const TWICE: NonZeroUsize = NonZeroUsize::new(2 * LARGE_PAGE).unwrap();
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        #[allow(unsafe_code)]
        // SAFETY: the system chooses an address where nothing is.
        let begin = unsafe { mmap_anonymous(None, TWICE, protection, MapFlags::MAP_PRIVATE)? };
        let page = begin.map_addr(multiple_from);
        let before = page.addr().get() - begin.addr().get();
        for (unused, bytes) in [
            (begin, before),
            (page.map_addr(|address| address.saturating_add(LARGE_PAGE)), LARGE_PAGE - before),
        ] {
            if bytes > 0 {
                #[allow(unsafe_code)]
                // SAFETY: this is a part of the new memory, of which nobody knows.
                unsafe {
                    munmap(unused, bytes)?;
                }
            }
        }
        let page = Self(page);
        #[allow(unsafe_code)]
        // SAFETY: the advice changes nothing but the sizes of pages.
        unsafe {
            madvise(page.0, LARGE_PAGE, MmapAdvise::MADV_HUGEPAGE)?;
        }
        Ok(page)
    }

    /// Copies bytes, which fill the page, to the page, and puts it where they are.
    ///
    /// # Safety
    /// The bytes begin at a multiple of the page's length, and are those of a read-only map of memory or a file, which nobody
    /// changes.
    #[allow(unsafe_code)]
    unsafe fn replace(self, bytes: &[u8]) -> Result<()> {
        assert_eq!(bytes.len(), LARGE_PAGE);
        // SAFETY: the page has so many bytes, all of them 0, and nobody else knows of it.
        let page = unsafe { slice::from_raw_parts_mut(self.0.as_ptr().cast(), LARGE_PAGE) };
        page.copy_from_slice(bytes);
        // SAFETY: nobody writes to the page any more.
        unsafe { mprotect(self.0, LARGE_PAGE, ProtFlags::PROT_READ)? };
        let flags = MRemapFlags::MREMAP_MAYMOVE | MRemapFlags::MREMAP_FIXED;
        let target = NonNull::from(bytes).cast();
        // SAFETY: the page takes the place of a part of the map in one step, under a lock of the system that readers wait for
        // if they have no page meanwhile; they get the same bytes before and after.
        unsafe { mremap(self.0, LARGE_PAGE, LARGE_PAGE, flags, Some(target))? };
        mem::forget(self);
        Ok(())
    }
}

/// The next address from this one on that is a multiple of a large page.
fn multiple_from(address: NonZeroUsize) -> NonZeroUsize {
    address.saturating_add(address.get().next_multiple_of(LARGE_PAGE) - address.get())
}

impl Drop for LargePage {
    fn drop(&mut self) {
        #[allow(unsafe_code)]
        // SAFETY: the page is this value's alone.
        unsafe {
            let _ = munmap(self.0, LARGE_PAGE);
        }
    }
}

/// Replaces the pages of a map by large ones with the same bytes, one after the other, while others read; the first and the
/// last bytes may stay where they are. After an error, the rest does.
///
/// # Errors
/// If the system refuses memory, or has no large pages.
///
/// # Safety
/// The bytes are those of a read-only map of memory or a file, which nobody changes.
#[allow(unsafe_code)]
pub(super) unsafe fn replace_pages(map: &[u8]) -> Result<()> {
    let address = map.as_ptr().addr();
    let before = address.next_multiple_of(LARGE_PAGE) - address;
    for bytes in map.get(before..).unwrap_or_default().chunks_exact(LARGE_PAGE) {
        let page = LargePage::new()?;
        // SAFETY: the chunks begin at multiples of their length, and the caller says the rest.
        unsafe { page.replace(bytes)? };
    }
    Ok(())
}
