//! The program `nw-batch`: `gpualign nw`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpualign::nw_batch()
}
