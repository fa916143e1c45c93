//! Kernels of this crate, run on the CPU by the SIMT shim, do what plain code does. Each file is a module; all are one
//! program, since linking takes longest.

mod batches_ahead;
mod blast;
mod blast_common;
mod blast_parts;
mod bounds;
mod diagonals;
mod gapped;
mod gapped_common;
mod greedy;
mod lookup;
mod several_devices;
mod shim_worker;
