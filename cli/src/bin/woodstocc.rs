//! The program `woodstocc`: `gpualign --mode all`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() -> ExitCode {
    gpualign::woodstocc()
}
