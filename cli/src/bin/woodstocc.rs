//! The program `woodstocc`: `gpualign --mode all`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpualign::woodstocc()
}
