//! Kernels, run on the CPU, do what plain code does. Each file is a module; all are one program, since linking is
//! what takes longest: `cargo test -p gpualign-tests sort::` runs one file's tests.

#[path = "../../../seed-extend/tests/common/mod.rs"]
mod extend_common;
#[path = "../../../nw-batch/tests/common/mod.rs"]
mod nw_common;
// A test's helpers may panic as the test itself may.
#[allow(clippy::expect_used, clippy::unwrap_used)]
#[path = "../../../aligner-core/tests/common/mod.rs"]
mod stream_common;

mod balance;
mod blast;
mod blast_common;
mod blast_parts;
mod bounds;
mod diagonals;
mod extend;
mod filter;
mod find;
mod gapped;
mod greedy;
mod index_kernels;
mod nw_others;
mod nw_warp;
mod pods;
mod prefetch;
mod scheme;
mod seeds;
mod separate_lists;
mod simt;
mod simt_faults;
mod sort;
mod streaming;
mod streaming_errors;
mod streaming_fused;
mod streaming_mismatches;
mod streaming_outputs;
mod streaming_pods;
mod streaming_sizes;
mod sums;
