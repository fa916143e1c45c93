//! Kernels of this crate, run on the CPU by the SIMT shim, do what plain code does. Each file is a module; all are one
//! program, since linking takes longest.

#[path = "../common/mod.rs"]
mod nw_common;

mod nw_others;
mod nw_warp;
