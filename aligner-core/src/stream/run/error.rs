//! Reasons why a run does not start, or ends early.

use thiserror::Error;

use crate::DeviceError;
use crate::stream::graph::error::TopologyError;
use crate::stream::stages::item::ItemType;

/// The reason why a run did not start, or ended early.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RunError {
    /// The topology is not legal.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The [`Settings`](crate::stream::Settings) are out of range, or do not suit the topology. Holds the message.
    #[error("{0}")]
    Settings(String),
    /// The run was given items of another type than the source was declared with.
    #[error("the source takes {expected} and the input is {found}")]
    WrongInput {
        /// Type that the source was declared with.
        expected: ItemType,
        /// Type of the input.
        found: ItemType,
    },
    /// A stage pushed more than its channel's gamma for one input.
    #[error("node {node} pushed more than {gamma} items on channel {channel} for one input")]
    TooMany {
        /// Node whose stage pushed the items.
        node: String,
        /// Channel that it pushed to.
        channel: String,
        /// Gamma of the channel.
        gamma: u32,
    },
    /// An input of a walk has more elements than the node's [`WalkLimits`](crate::stream::WalkLimits) say.
    #[error("node {node} was given an input of more than {most} elements")]
    TooManyElements {
        /// Node that walks.
        node: String,
        /// The most elements, as declared.
        most: u32,
    },
    /// The caller ended the run.
    #[error("cancelled")]
    Cancelled,
    /// The device failed, or has too little memory.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The kernel was built for another topology.
    #[error("kernel {kernel} does not match the topology: {reason}")]
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// Difference between the kernel and the topology.
        reason: String,
    },
    /// Items wait, and nothing can fire: items multiply on loops that touch (see
    /// [`Topology::check`](crate::stream::Topology::check)), the items of a depth-first node go round more often than
    /// declared ([`Topology::descent`](crate::stream::Topology::descent)), a walk goes deeper than declared
    /// ([`WalkLimits`](crate::stream::WalkLimits)), or an executor is at fault.
    #[error("the run is stuck: {waiting} items wait at node {node} and no node can fire")]
    Stuck {
        /// Node with waiting items.
        node: String,
        /// Number of items that wait there.
        waiting: u64,
    },
}

impl RunError {
    /// Turns the error into a [`DeviceError`], for callers that report failures of devices only: the device's own
    /// error, or else one that names `operation` and holds the message of this error.
    #[must_use]
    pub fn into_device_error(self, operation: &str) -> DeviceError {
        match self {
            Self::Device(error) => error,
            other => {
                DeviceError::Cuda { operation: operation.to_owned(), reason: other.to_string() }
            }
        }
    }
}
