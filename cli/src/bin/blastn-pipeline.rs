//! The program `blastn-pipeline`: `gpualign blastn`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() -> ExitCode {
    gpualign::blastn_pipeline()
}
