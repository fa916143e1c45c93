//! The program `gpualign`; see the library of this package.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() -> ExitCode {
    gpualign::gpualign()
}
