//! Seeds and chains of a batch of reads on a GPU: `cuda/seeds.cu`, `cuda/chains.cu` and, between and after them,
//! `cuda/find.cu`.

mod batch;
mod device_chains;
mod engine;
pub mod parameters;
pub mod plan;
mod seeds_on_device;

pub use batch::{FoundChains, runtime_settings};
pub use device_chains::{ChainSlice, DeviceChains};
pub use engine::{ApplicationTiming, ChainApplications, ChainEngine, WIDTH};
