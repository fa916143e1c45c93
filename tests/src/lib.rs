//! Code that the tests of all crates share, above all the kernels of the workspace compiled for the CPU.
//!
//! A test opens the kernels of a file, launches one as on a GPU, and compares the results with plain code:
//!
//! ```
//! use gpualign_tests::{BlockSumParameters, input, kernels, output};
//! use simt::{Argument, Launch};
//!
//! let values: Vec<u32> = (0..64).collect();
//! let mut total = [0];
//! let parameters =
//!     BlockSumParameters { values: input(&values), total: output(&mut total), n: 64, padding: 0 };
//! // One block of 64 threads, which run in a random order that the seed decides.
//! let launch = Launch::new(1, 64).seed(7);
//! let module = kernels("tests", "selftest")?;
//! // SAFETY: the parameter is that of the kernel, which reads 64 values and writes one.
//! unsafe { module.kernel("block_sum")?.launch(&launch, &[Argument::value(parameters)])? };
//! assert_eq!(total[0], values.iter().sum::<u32>());
//! # Ok::<(), simt::SimtError>(())
//! ```
//!
//! # Design
//!
//! ```text
//!   CRATE/cuda/NAME.cu       \                g++ (simt-build, in build.rs)
//!   CRATE/examples/NAME.cu    >  ------------------------------------->  $KERNELS/CRATE/NAME.so
//!   tests/kernels/NAME.cu    /   simt.h in the place of CUDA's headers           |
//!                                                                    kernels(CRATE, NAME)
//!                                                                                |
//!   a test of CRATE:  Kernel::launch, or an executor on ShimBackend  <-----------'
//! ```
//!
//! The crates under test depend on this one as a dev-dependency, so for tests alone the arrows of the workspace point up.
//! A kernel that only tests use stands in `tests/cuda` if it also runs on a GPU, so it is compiled into a fatbin, and in
//! `tests/kernels` if it runs on the CPU alone, as those with planted faults; the latter are listed in `tests/build.rs`.
//! With the feature `sanitize`, all are compiled with `ASan` and `UBSan`.
//!
//! | module | concept |
//! |---|---|
//! | crate `simt` (`tests/simt`) | the shim: a fiber for each thread, barriers, warps, atomics, and the faults that it finds; [`ShimBackend`]: the shim in the place of a GPU, for code that launches kernels itself |
//! | crate `simt-build` | compiling the kernels in a build script |
//! | [`kernels`] | the kernels of a file |
//! | `parameters` | addresses of host arrays ([`input`], [`output`]); parameters of the kernels of `tests/kernels` |
//! | `reads` | simulated [`reads()`] |
//! | program `simt-fault` | runs one faulty kernel, which a sanitizer must stop |

// Launching a kernel is unsafe; the caller of each launch vouches for its arguments.
#![allow(unsafe_code)]

mod container_mutation;
mod parameters;
mod reads;

use std::path::Path;

use simt::{Module, SimtError};

pub use container_mutation::{ContainerFile, MutationCounts, mutate_and_use};
pub use parameters::*;
pub use reads::reads;
pub use simt::{HostBuffer, ShimBackend};

/// The kernels of `krate/cuda/name.cu` or `krate/examples/name.cu`, compiled for the CPU;
/// `kernels("tests", name)` are those of `tests/kernels/`.
///
/// # Errors
/// If there is no such kernel file.
pub fn kernels(krate: &str, name: &str) -> Result<Module, SimtError> {
    Module::open(&Path::new(env!("KERNELS")).join(krate).join(name).with_extension("so"))
}
