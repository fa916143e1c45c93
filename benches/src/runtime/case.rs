//! One case of an experiment: an application with its policy, filter rate, work, width and way to write outputs.

use aligner_core::stream::{OutputScheme, Policy};
use serde::Serialize;

use super::apps::App;

/// One case of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Case {
    pub(crate) app: App,
    pub(crate) policy: Firing,
    /// Share of its inputs that each working node drops.
    pub(crate) filter_rate: f64,
    pub(crate) level: WorkLevel,
    pub(crate) width: u32,
    pub(crate) scheme: OutputScheme,
}

/// The work of a node.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WorkLevel {
    /// The requested work, in microseconds an ensemble.
    pub microseconds: f64,
    /// Rounds of pricing that take nearly as long.
    pub rounds: u32,
}

/// When a module fires: the runtime's local policies, of which lazy has two kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Firing {
    /// Fires with any input.
    Naive,
    /// Fires full ensembles only, until the input is exhausted.
    Lazy,
    /// Fires full ensembles only; at the end of the input, blocks share their remaining items.
    Shared,
}

impl Firing {
    /// The name in tables and figures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Lazy => "lazy",
            Self::Shared => "shared",
        }
    }

    /// The policy of [`aligner_core::stream::Settings`].
    pub(crate) fn policy(self) -> Policy {
        match self {
            Self::Naive => Policy::Naive,
            Self::Lazy | Self::Shared => Policy::Lazy,
        }
    }

    /// Whether blocks share their remaining items at the end of the input.
    pub(crate) fn shares_rest(self) -> bool {
        self == Self::Shared
    }
}
