//! The allocator of the programs, and what happens when the system refuses memory: one line, and the end of the program.
//!
//! Memory is mimalloc's. Once a GPU is open, it asks for pages of 2 MiB: such a run touches gigabytes of new memory, and in
//! pages of 4 KiB the page faults take an eighth of its time. From then on it gives no memory back to the system either: batches
//! of one size follow each other, and new pages for each took a twentieth of the processor's time (peak memory is 4 to 6% higher).
//!
//! On the CPU alone little memory is touched again and again; there, pages of 2 MiB made it 620 MB instead of 470, and the
//! system took 1.0 s instead of 0.25 of 5.8 s to clear it (100,000 pairs of 150 bases, 64 Mbp, two threads).
//!
//! Programs that use this package as a library keep their own allocator.
//!
//! The standard library aborts the process if an allocation fails, and leaves temporary files behind. So this allocator
//! ends the program itself. Every failed allocation ends it, also one that code could do without (`try_reserve`).
//!
//! The C library's allocator stays that of htslib, and of what the standard library needs to start a thread. It takes 64 MiB of
//! address space for each thread, which a limited address space (`ulimit -v`) soon lacks: there all threads share its memory.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_long;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use libmimalloc_sys::mi_option_t;
use mimalloc::MiMalloc;
use nix::libc::{self, c_int};

use crate::options::address_space_limit;
use crate::{console, program};

/// The longest message, in bytes. It is written without allocating.
const MESSAGE: usize = 300;

/// mimalloc's option `arena_reserve`: how much memory it asks the system for at once, in KiB. Its crate has no name for it.
const ARENA_RESERVE: mi_option_t = 23;

/// mimalloc's option `purge_delay`: after how many milliseconds freed memory goes back to the system, or -1 for never. Its crate
/// has no name for it.
const PURGE_DELAY: mi_option_t = 15;

/// mimalloc's option `allow_thp`: 1 to ask for pages of 2 MiB for memory that is asked for from then on, else 0.
const ALLOW_LARGE_PAGES: mi_option_t = 43;

/// The three numbers are those of the version of mimalloc that has so many options.
const _: () = assert!(libmimalloc_sys::_mi_option_last == 47);

/// Memory that is asked for at once before a GPU is open, in KiB: little, as it keeps its small pages.
const SMALL_ARENA: c_long = 128 << 10;

/// The memory that is asked for at once in a limited address space, in KiB: threads' stacks need the rest.
const SMALLEST_ARENA: c_long = 16 << 10;

/// Memory that is asked for at once when a GPU is open, in KiB; mimalloc's default.
const LARGE_ARENA: c_long = 1 << 20;

/// Memory that the C library's allocator asks for at once in a limited address space, in bytes: so much that the stack of a thread is
/// refused before the few bytes that describe the thread, for whose lack the standard library aborts.
const MEMORY_OF_C_AT_ONCE: c_int = 1 << 20;

/// Whether [`set_options`] was called.
static ARE_OPTIONS_SET: AtomicBool = AtomicBool::new(false);

/// The allocator of each program, which ends it if memory is refused.
#[derive(Debug)]
pub struct ProgramAllocator;

impl ProgramAllocator {
    /// Sets options before the first allocation, which comes before `main`.
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
    set_option(ALLOW_LARGE_PAGES, 0);
    let is_limited = address_space_limit().is_some();
    if is_limited {
        share_memory_of_c();
    }
    set_option(ARENA_RESERVE, if is_limited { SMALLEST_ARENA } else { SMALL_ARENA });
}

/// Makes all threads share the memory of the C library's allocator.
fn share_memory_of_c() {
    for (parameter, value) in [(libc::M_ARENA_MAX, 1), (libc::M_TOP_PAD, MEMORY_OF_C_AT_ONCE)] {
        // SAFETY: the parameters are those of the C library, whose allocator takes them at any time.
        #[allow(unsafe_code)]
        unsafe {
            libc::mallopt(parameter, value);
        }
    }
}

/// For a run with a GPU: asks for pages of 2 MiB from now on, where the system has them, and keeps freed memory for the next
/// batch.
pub fn prepare_for_gpu() {
    set_option(PURGE_DELAY, -1);
    set_option(ALLOW_LARGE_PAGES, 1);
    set_option(libmimalloc_sys::mi_option_large_os_pages, 1);
    set_option(ARENA_RESERVE, LARGE_ARENA);
}

fn set_option(option: mi_option_t, value: c_long) {
    // SAFETY: options may be set at any time, by any thread.
    #[allow(unsafe_code)]
    unsafe {
        libmimalloc_sys::mi_option_set(option, value);
    }
}

/// Ends the program, as `size` bytes were refused.
#[cold]
fn refused(size: usize) -> ! {
    program::end_without_memory(|| {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests' allocator is not mimalloc, so its options are the defaults.
    #[test]
    fn options_have_their_numbers() {
        // SAFETY: options may be read at any time, by any thread.
        #[allow(unsafe_code)]
        let default = |option| unsafe { libmimalloc_sys::mi_option_get(option) };
        assert_eq!([ARENA_RESERVE, ALLOW_LARGE_PAGES].map(default), [LARGE_ARENA, 1]);
    }
}
