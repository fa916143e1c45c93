//! Compiled kernels and their launches.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::{Library, Symbol};

use crate::{Argument, Launch, SimtError};

/// The function that `SIMT_EXPORT` of `cpp/simt.h` defines for each kernel.
type Entry = unsafe extern "C" fn(
    launch: *const Launch,
    arguments: *const *const c_void,
    sizes: *const usize,
    count: usize,
    message: *mut c_char,
    capacity: usize,
) -> c_int;

/// The kernels of one `.cu` file, compiled for the CPU.
#[derive(Debug)]
pub struct Module {
    library: Library,
    path: PathBuf,
}

/// One kernel of a [`Module`].
#[derive(Debug)]
pub struct Kernel<'m> {
    entry: Symbol<'m, Entry>,
}

impl Module {
    /// Loads a shared object made by `simt-build`.
    ///
    /// # Errors
    /// If the file is missing or not one.
    pub fn open(path: &Path) -> Result<Self, SimtError> {
        // SAFETY: the shim has no constructors with effects beyond its own memory.
        let library = unsafe { Library::new(path) }
            .map_err(|source| SimtError::Load { path: path.to_owned(), source })?;
        Ok(Self { library, path: path.to_owned() })
    }

    /// A kernel by its name in the source.
    ///
    /// # Errors
    /// If the file has no kernel of this name, or does not export it.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'_>, SimtError> {
        let symbol = format!("simt_launch_{name}");
        // SAFETY: every symbol of this prefix is defined by `SIMT_EXPORT` with this signature.
        let entry = unsafe { self.library.get::<Entry>(symbol.as_bytes()) }.map_err(|_| {
            SimtError::NoKernel { kernel: name.to_owned(), path: self.path.clone() }
        })?;
        Ok(Kernel { entry })
    }
}

impl Kernel<'_> {
    /// Runs the kernel to its end. Number and sizes of the arguments are checked.
    ///
    /// # Errors
    /// If the launch is malformed, or the kernel deadlocks or faults.
    ///
    /// # Safety
    /// The arguments must be those of the kernel in order and type, arrays that it writes must be
    /// given by [`Argument::output`], and every array be as long as the kernel's contract says.
    pub unsafe fn launch(
        &self,
        launch: &Launch,
        arguments: &[Argument<'_>],
    ) -> Result<(), SimtError> {
        let addresses: Vec<*const c_void> =
            arguments.iter().map(|argument| argument.bytes.as_ptr().cast()).collect();
        let sizes: Vec<usize> = arguments.iter().map(|argument| argument.bytes.len()).collect();
        let mut message = [0u8; 4096];
        // SAFETY: both arrays have one element per argument, `message` has the capacity given, and
        // the caller vouches for what the arguments point to.
        let status = unsafe {
            (self.entry)(
                launch,
                addresses.as_ptr(),
                sizes.as_ptr(),
                arguments.len(),
                message.as_mut_ptr().cast(),
                message.len(),
            )
        };
        if status == 0 {
            return Ok(());
        }
        let text = CStr::from_bytes_until_nul(&message).unwrap_or_default();
        let message = text.to_string_lossy().into_owned();
        Err(SimtError::Launch { message, seed: launch.seed })
    }
}
