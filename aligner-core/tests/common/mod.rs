//! Applications and settings that several tests of the streaming runtime use.
// Each test program uses some of them.
#![allow(dead_code)]

pub mod pods;
pub mod random;
pub mod settings;
pub mod tickets;
pub mod tokens;
pub mod walks;
