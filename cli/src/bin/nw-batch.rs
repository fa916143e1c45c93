//! The program `nw-batch`: `gpualign nw`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() -> ExitCode {
    gpualign::nw_batch()
}
