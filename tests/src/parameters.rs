//! Parameters of the kernels that test the SIMT shim. The kernels declare the same structs in
//! `cuda/include/tests/parameters.cuh`, where shapes are given.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

/// The address of an array that a kernel on the shim reads. The array must outlive the launch.
pub fn input<T>(array: &[T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_ptr().expose_provenance() as u64)
}

/// The address of an array that a kernel on the shim writes. The array must outlive the launch.
pub fn output<T>(array: &mut [T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_mut_ptr().expose_provenance() as u64)
}

device_struct! {
    /// Parameter of the kernels in `kernels/planted.cu`.
    pub struct PlantedParameters {
        /// Array for the results.
        pub out: DeviceAddress<u32>,
        /// How many values there are, or an index behind the end of an array.
        pub n: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel `block_sum` in `kernels/selftest.cu`.
    pub struct BlockSumParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// The sum, one element.
        pub total: DeviceAddress<u32>,
        /// How many values there are, or an index behind the end of an array.
        pub n: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel `compact` in `kernels/selftest.cu`.
    pub struct CompactParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// Array for the results.
        pub out: DeviceAddress<u32>,
        /// How many there are.
        pub count: DeviceAddress<u32>,
        /// How many values there are, or an index behind the end of an array.
        pub n: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel `reverse` in `kernels/selftest.cu`.
    pub struct ReverseParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// Array for the results.
        pub out: DeviceAddress<u32>,
    }
}

device_struct! {
    /// Parameter of the kernel `collectives` in `kernels/selftest.cu`.
    pub struct CollectivesParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// Array for the results.
        pub out: DeviceAddress<u64>,
        /// Lane or distance of the shuffles.
        pub argument: i32,
        /// Width of the shuffles.
        pub width: i32,
    }
}

device_struct! {
    /// Parameter of the kernel `half_warps` in `kernels/selftest.cu`.
    pub struct HalfWarpsParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// Array for the results.
        pub out: DeviceAddress<u32>,
    }
}

device_struct! {
    /// Parameter of the kernel `atomics` in `kernels/selftest.cu`.
    pub struct AtomicsParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// Ten cells of 32 bits.
        pub narrow: DeviceAddress<u32>,
        /// Ten cells of 64 bits.
        pub wide: DeviceAddress<u64>,
    }
}

device_struct! {
    /// Parameter of the kernel `spin_lock` in `kernels/selftest.cu`.
    pub struct SpinLockParameters {
        /// The lock, one element.
        pub lock: DeviceAddress<u32>,
        /// The sum, one element.
        pub total: DeviceAddress<u32>,
    }
}

device_struct! {
    /// Parameter of the kernel `block_votes` in `kernels/selftest.cu`.
    pub struct BlockVotesParameters {
        /// A value for each thread.
        pub values: DeviceAddress<u32>,
        /// Array for the results.
        pub out: DeviceAddress<u32>,
        /// How many bits of each value are voted on.
        pub rounds: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel `indices` in `kernels/selftest.cu`.
    pub struct IndicesParameters {
        /// Array for the results.
        pub out: DeviceAddress<u32>,
    }
}

device_struct! {
    /// Parameter of the kernel `early_exit` in `kernels/selftest.cu`.
    pub struct EarlyExitParameters {
        /// Array for the results.
        pub out: DeviceAddress<u32>,
    }
}

device_struct! {
    /// Parameter of the kernel `integers` in `kernels/selftest.cu`.
    pub struct IntegersParameters {
        /// A pair of words for each thread, the first in the low half.
        pub values: DeviceAddress<u64>,
        /// Array for the results.
        pub out: DeviceAddress<u64>,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aligner_core::gpu::{DeviceStruct, LayoutHeader};

    use super::*;

    #[test]
    fn layouts_are_those_of_the_kernels() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/tests/layouts.cuh");
        let structs = [
            PlantedParameters::LAYOUT,
            BlockSumParameters::LAYOUT,
            CompactParameters::LAYOUT,
            ReverseParameters::LAYOUT,
            CollectivesParameters::LAYOUT,
            HalfWarpsParameters::LAYOUT,
            AtomicsParameters::LAYOUT,
            SpinLockParameters::LAYOUT,
            BlockVotesParameters::LAYOUT,
            IndicesParameters::LAYOUT,
            EarlyExitParameters::LAYOUT,
            IntegersParameters::LAYOUT,
        ];
        LayoutHeader { namespace: "tests", includes: &["tests/parameters.cuh"], structs: &structs }
            .check(&path);
    }
}
