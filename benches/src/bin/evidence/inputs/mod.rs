//! The data that programs are run on: simulated, and real.

pub mod data;
pub mod pairs;
pub mod real;
pub mod sample;
pub mod similar;
