//! The program `gpualign-bench`: measures kernels and stages of gpualign on this machine.

mod args;
mod bgzf;
mod blastn;
mod common;
mod extend;
mod mapping;
mod nw;
mod reading;
mod reads;
mod runtime;
mod seeds;
mod woodstocc;

use clap::Parser;

use crate::args::{Arguments, Bench};

fn main() {
    let arguments = Arguments::parse();
    gpualign::run_program("gpualign-bench", || match &arguments.bench {
        Bench::Runtime(arguments) => runtime::run(arguments),
        Bench::Woodstocc(arguments) => woodstocc::run(arguments),
        Bench::Nw(arguments) => nw::run(arguments),
        Bench::Extend(arguments) => extend::run(arguments),
        Bench::Seeds(arguments) => seeds::run(arguments),
        Bench::Mapping(arguments) => mapping::run(arguments),
        Bench::Blastn(arguments) => blastn::run(arguments),
        Bench::Bgzf(arguments) => bgzf::run(arguments),
        Bench::Reading(arguments) => reading::run(arguments),
    })
}
