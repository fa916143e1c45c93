//! The dataflow graph of an application: how it is declared, and which graphs are legal.
//!
//! MERCATOR generates the CUDA code of each application from its graph. Here the graph is data: stages are templates,
//! which the compiler sees whole, but nodes, edges and sizes of queues are tables that a kernel reads. So one kernel
//! serves any graph of its stages, tests run random graphs, and Rust checks a graph and names the node or edge that is
//! at fault.

pub(crate) mod check;
pub(crate) mod error;
pub(crate) mod outline;
pub(crate) mod shape;
pub(crate) mod topology;
