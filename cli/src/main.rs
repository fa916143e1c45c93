//! The program `gpualign`; see the library of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpualign::gpualign()
}
