//! Kernels of this crate, run on the CPU by the SIMT shim, compared with the CPU engine. Each file is a
//! module of one program, since linking takes longest.

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod edit_and_full_matrix;
mod strips;
mod warp;
