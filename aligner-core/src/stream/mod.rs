//! The irregular-streaming runtime.

mod check;
mod code;
mod cpu;
mod cuda;
mod error;
mod fuse;
mod item;
mod metrics;
pub mod oracle;
mod outputs;
mod plan;
mod pod;
mod run;
mod settings;
mod shape;
mod sizes;
mod stage;
mod topology;

pub use cpu::CpuExecutor;
pub use cuda::{Backend, CudaBackend, CudaExecutor, Kernels, Launch, Word};
pub use error::{RunError, TopologyError};
pub use fuse::{Both, Fused};
pub use item::{Item, ItemType};
pub use metrics::{Metrics, ModuleMetrics};
pub use outputs::{Outputs, Progress};
pub use pod::{AnyPod, Collect, Keep, Pod, Reduce};
pub use settings::{Capacity, OutputScheme, Policy, Settings};
pub use stage::{Channel, ChannelType, Mapping, Push, Site, Stage};
pub use topology::{ModuleId, NodeId, SinkId, Topology};
