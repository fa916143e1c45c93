//! Kernels of this crate, run on the CPU by the SIMT shim, do what plain code does. Each file is a module; all are one
//! program, since linking takes longest.

#[path = "../common/mod.rs"]
mod extend_common;
#[path = "../common/mates.rs"]
mod mates_common;
// Helpers of a test may panic as the test itself may.
#[allow(clippy::expect_used, clippy::unwrap_used)]
#[path = "../../../aligner-core/tests/common/mod.rs"]
mod stream_common;

mod extend;
mod find;
mod mates;
mod regions;
mod seeds;
mod sums;
