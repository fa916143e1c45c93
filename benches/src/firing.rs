//! What a module fires, as the experiments compare it.

use aligner_core::stream::Policy;

/// The runtime's local policies, the second in two kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Firing {
    /// Everything.
    Naive,
    /// Full ensembles, until the input is exhausted.
    Lazy,
    /// Full ensembles; in the end, blocks share what is left over.
    Shared,
}

impl Firing {
    /// Its name in tables and figures.
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

    /// Whether blocks share the rest.
    pub(crate) fn shares_rest(self) -> bool {
        self == Self::Shared
    }
}
