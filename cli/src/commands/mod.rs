//! The commands.

mod bench;
mod bench_extend;
mod bench_kernels;
mod bench_mapping;
mod bench_reads;
mod bench_seeds;
mod bench_woodstocc;
mod blastn;
mod devices;
mod evaluate;
mod generate;
mod index;
mod map;
mod nw;
mod on_device;
mod simulate;

pub use self::bench_extend::ExtendBenchArguments;
pub use self::bench_reads::ReadsBenchArguments;
pub use self::blastn::args::{BlastnArguments, MakeDbArguments, with_double_dashes};
pub use self::blastn::bench::BlastnBenchArguments;
pub use self::evaluate::EvaluateArguments;
pub use self::nw::args::Nw;
pub use self::nw::bench::NwBenchArguments;
pub use self::simulate::Simulate;
use anyhow::{Context, Result, bail};
use rayon::ThreadPoolBuilder;

use crate::args::{Arguments, Bench, Command};
use crate::output::staging;

/// Runs the command that is asked for.
pub fn run(arguments: &Arguments) -> Result<()> {
    clean_up_when_interrupted()?;
    match (&arguments.command, &arguments.operands) {
        (Some(Command::Index(index)), _) => index::run(index),
        (Some(Command::Bench(Bench::Runtime(runtime))), _) => bench::run(runtime),
        (Some(Command::Bench(Bench::Woodstocc(woodstocc))), _) => bench_woodstocc::run(woodstocc),
        (Some(Command::Bench(Bench::Blastn(arguments))), _) => blastn::bench::run(arguments),
        (Some(Command::Bench(Bench::Extend(arguments))), _) => bench_extend::run(arguments),
        (Some(Command::Bench(Bench::Seeds(arguments))), _) => bench_seeds::run(arguments),
        (Some(Command::Bench(Bench::Mapping(arguments))), _) => bench_mapping::run(arguments),
        (Some(Command::Bench(Bench::Nw(arguments))), _) => nw::bench::run(arguments),
        (Some(Command::Nw(nw)), _) => nw::run(nw),
        (Some(Command::Makedb(makedb)), _) => blastn::make_database(makedb),
        (Some(Command::Blastn(arguments)), _) => blastn::run(arguments),
        (Some(Command::Simulate(simulate)), _) => simulate::run(simulate),
        (Some(Command::Evaluate(arguments)), _) => evaluate::run(arguments),
        (Some(Command::Devices), _) => devices::run(),
        (Some(Command::Completions { shell }), _) => generate::completions(*shell),
        (Some(Command::Man), _) => generate::manual(),
        (None, Some(operands)) => map::run(operands, &arguments.options),
        (None, None) => bail!("neither reads and a reference nor a command"),
    }
}

/// Ends with code 130, and no unfinished file left, on SIGINT, SIGTERM and SIGHUP.
fn clean_up_when_interrupted() -> Result<()> {
    let handler = || {
        staging::abandon();
        std::process::exit(130);
    };
    match ctrlc::try_set_handler(handler) {
        // Whoever started us wants a signal ignored (as nohup does): let it be.
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(error).context("cannot handle interrupts"),
    }
}

/// The threads of all parallel work, for good.
fn start_threads(threads: usize) -> Result<()> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().context("cannot start threads")
}
