//! Running programs in turn on this machine, and measuring them.

pub mod contest;
pub mod gpu_memory;
pub mod machine;
pub mod micro;
pub mod tool;
