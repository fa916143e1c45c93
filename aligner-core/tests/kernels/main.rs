//! Kernels of this crate, run on the CPU by the SIMT shim, do what plain code does. Each file is a module; all are one
//! program, since linking takes longest.

// Helpers of a test may panic as the test itself may.
#[allow(clippy::expect_used, clippy::unwrap_used)]
#[path = "../common/mod.rs"]
mod stream_common;

mod bgzf;
mod sort;
mod streaming;
mod streaming_errors;
mod streaming_fused;
mod streaming_mismatches;
mod streaming_moving;
mod streaming_outputs;
mod streaming_pods;
mod streaming_sizes;
mod streaming_walks;
