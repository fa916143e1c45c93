//! The dataflow graph of an application: how it is declared, and which graphs are legal.

pub(crate) mod check;
pub(crate) mod error;
pub(crate) mod shape;
pub(crate) mod topology;
