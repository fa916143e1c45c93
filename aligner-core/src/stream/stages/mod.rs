//! Stages: the code that an application's author writes, and how the CPU's executor calls it.
//!
//! | file | concept |
//! |---|---|
//! | `item` | values that flow along edges |
//! | `channel` | typed outputs of a module type |
//! | `stage` | module types that take items one by one, or explode them |
//! | `pod` | groups of items, and module types that collect or reduce them |
//! | `walk` | module types that walk down trees |
//! | `fused` | two stages as one |
//! | `staged_outputs` | outputs of an ensemble on the CPU |
//! | `erased`, `walking` | stages without their types, as the CPU's executor runs them |

pub(crate) mod channel;
pub(crate) mod erased;
pub(crate) mod fused;
pub(crate) mod item;
pub(crate) mod pod;
pub(crate) mod stage;
pub(crate) mod staged_outputs;
pub(crate) mod walk;
pub(crate) mod walking;
