//! Running an application: its settings, and the outputs, metrics and errors of a run.

pub(crate) mod error;
pub(crate) mod metrics;
pub(crate) mod on_device;
pub(crate) mod outputs;
pub(crate) mod settings;
