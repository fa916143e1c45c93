//! What tests of the streaming runtime share.
// Each test uses a part of it.
#![allow(dead_code)]

pub mod random;
pub mod tokens;
