//! Kernels of this crate, run on the CPU by the SIMT shim, do what plain code does. Each file is a module; all are one
//! program, since linking takes longest.

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod edit_and_full_matrix;
mod warp;
