//! The program as its user meets it: files in, files and messages out. Needs no other program than a C compiler.

#![allow(clippy::expect_used, reason = "what a test cannot set up is a failed test")]

mod alignment_files;
mod alignment_input;
mod all_pairs;
mod alt_contigs;
mod bad_input;
mod bad_output;
mod best;
mod bgzf;
mod blastn;
mod commands;
mod devices;
mod evaluate;
mod formats;
mod index;
mod input;
mod lanes;
mod limits;
mod mem;
mod memory;
mod numbers;
mod nw;
mod outputs;
mod pipeline;
mod programs;
mod records;
mod report;
mod shards;
mod simulate;
mod sort;
mod support;
mod terminal;
mod umis;
mod unmapped;

#[allow(dead_code, reason = "shared with the judges, who use all of it")]
#[path = "../judges/sam.rs"]
mod sam;
