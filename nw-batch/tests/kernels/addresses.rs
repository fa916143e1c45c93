//! Addresses of host memory, as kernels on the SIMT shim take them.

use aligner_core::gpu::DeviceAddress;
use nw_batch::PairBatch;
use nw_batch::gpu::structs::DeviceSequences;

/// Address of an array that a kernel reads.
pub fn input<T>(array: &[T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_ptr().expose_provenance() as u64)
}

/// Address of an array that a kernel writes.
pub fn output<T>(array: &mut [T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_mut_ptr().expose_provenance() as u64)
}

/// Addresses of the sequences of a batch.
pub fn device_sequences(batch: PairBatch<'_>) -> DeviceSequences {
    DeviceSequences {
        queries: input(batch.queries.all_codes()),
        query_offsets: input(batch.queries.offsets()),
        targets: input(batch.targets.all_codes()),
        target_offsets: input(batch.targets.offsets()),
    }
}
