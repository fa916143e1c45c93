//! The native part of the Python package `gpualign`.
//!
//! Python's side (`python/package`) turns its arguments into bytes and numbers, and the results back into NumPy arrays. Work is
//! done on threads without Python's lock; [`job`] waits for it and lets Ctrl-C end it.

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments from Python are owned by the function that takes them"
)]

mod blastn;
mod index;
mod job;
mod nw;

use mimalloc::MiMalloc;
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Threads get and free large arrays here, which the C library's allocator gives back to the system each time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

create_exception!(gpualign, Error, PyRuntimeError, "An error of gpualign, with its text.");

/// The native part of the package.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<index::Index>()?;
    module.add_class::<index::Alignment>()?;
    module.add_class::<index::FileBatches>()?;
    module.add_function(wrap_pyfunction!(nw::nw, module)?)?;
    module.add_function(wrap_pyfunction!(nw::cigar_texts, module)?)?;
    module.add_function(wrap_pyfunction!(blastn::blastn, module)?)
}
