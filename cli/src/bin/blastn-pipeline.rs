//! The program `blastn-pipeline`: `gpualign blastn`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpualign::blastn_pipeline()
}
