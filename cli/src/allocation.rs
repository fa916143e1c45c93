//! The allocator of the programs, and what happens when the system refuses memory: one line, and the end of the program.
//!
//! Memory is mimalloc's, in pages of 2 MiB where the system has them: touching 4 GB of new memory in pages of 4 KiB takes a
//! million page faults, an eighth of the time of a run. Programs that use this package as a library keep their own allocator.
//!
//! The standard library aborts the process if an allocation fails, and leaves temporary files behind. So this allocator
//! ends the program itself. Every failed allocation ends it, also one that code could do without (`try_reserve`).

use std::alloc::{GlobalAlloc, Layout};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use mimalloc::MiMalloc;

use crate::{console, program};

/// The longest message, in bytes. It is written without allocating.
const MESSAGE: usize = 300;

/// Whether [`set_options`] was called.
static ARE_OPTIONS_SET: AtomicBool = AtomicBool::new(false);

/// The allocator of each program, which ends it if memory is refused.
#[derive(Debug)]
pub struct ProgramAllocator;

impl ProgramAllocator {
    /// Asks for pages of 2 MiB before the first allocation, which comes before `main`.
    #[inline]
    fn prepare() {
        if !ARE_OPTIONS_SET.load(Ordering::Relaxed) {
            set_options();
        }
    }

    /// Passes a pointer to `size` bytes on, unless it is null.
    #[inline]
    fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() {
            refused(size);
        }
        pointer
    }
}

// SAFETY: all functions are those of mimalloc, and keep its promises; none returns null or unwinds.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for ProgramAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::prepare();
        // SAFETY: the caller's promises are those that mimalloc asks for.
        let pointer = unsafe { MiMalloc.alloc(layout) };
        Self::checked(pointer, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::prepare();
        // SAFETY: as in `alloc`.
        let pointer = unsafe { MiMalloc.alloc_zeroed(layout) };
        Self::checked(pointer, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let pointer = unsafe { MiMalloc.realloc(pointer, layout, size) };
        Self::checked(pointer, size)
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }
}

#[cold]
fn set_options() {
    ARE_OPTIONS_SET.store(true, Ordering::Relaxed);
    // SAFETY: options may be set at any time, by any thread.
    #[allow(unsafe_code)]
    unsafe {
        libmimalloc_sys::mi_option_set(libmimalloc_sys::mi_option_large_os_pages, 1);
    }
}

/// Ends the program, as `size` bytes were refused.
#[cold]
fn refused(size: usize) -> ! {
    program::end(1, || {
        let (mut text, name) = ([0; MESSAGE], console::program());
        let mut rest = &mut text[..];
        let _ = writeln!(
            rest,
            "{name}: error: out of memory: the system refuses {size} bytes more: use fewer threads or smaller batches, or \
             raise the limit (ulimit -v)"
        );
        let length = MESSAGE - rest.len();
        let _ = io::stderr().write_all(&text[..length]);
    })
}
