//! Links the address sanitizer's runtime into the program.
//!
//! The runtime has to be there before any allocation, thus cannot come along with the kernels,
//! which are loaded later. From then on it also guards what Rust allocates, since it replaces
//! `malloc`.

#[link(name = "asan")]
unsafe extern "C" {
    fn __asan_init();
}

/// A reference that keeps the linker from dropping the library. The runtime calls the function by
/// itself.
#[used]
static RUNTIME: unsafe extern "C" fn() = __asan_init;
