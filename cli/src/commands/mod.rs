//! The commands: a folder or file each, with the options of the command and what it does.

pub mod blastn;
pub mod completions;
pub mod devices;
pub mod evaluate;
pub mod index;
pub mod map;
pub mod mem;
pub mod merge;
pub mod nw;
pub mod simulate;
