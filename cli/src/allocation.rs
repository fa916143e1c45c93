//! Memory that the system refuses: one line, and the end of the program.
//!
//! The standard library aborts the process if an allocation fails, and leaves temporary files behind. So this allocator
//! ends the program itself. Every failed allocation ends it, also one that code could do without (`try_reserve`).

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};

use crate::{console, program};

/// The longest message, in bytes. It is written without allocating.
const MESSAGE: usize = 300;

/// The system's allocator, which ends the program if memory is refused.
#[derive(Debug)]
struct CheckedSystem;

#[global_allocator]
static ALLOCATOR: CheckedSystem = CheckedSystem;

impl CheckedSystem {
    /// Passes a pointer to `size` bytes on, unless it is null.
    #[inline]
    fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() {
            refused(size);
        }
        pointer
    }
}

// SAFETY: all functions are those of the system's allocator, and keep its promises; none returns null or unwinds.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CheckedSystem {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        let pointer = unsafe { System.alloc(layout) };
        Self::checked(pointer, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        Self::checked(pointer, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let pointer = unsafe { System.realloc(pointer, layout, size) };
        Self::checked(pointer, size)
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(pointer, layout) }
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
