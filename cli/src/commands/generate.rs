//! `gpualign completions` and `gpualign man`: text made from the definition of the command line.

use std::io::{self, Write};

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Arguments;

/// Prints completions for a shell.
pub fn completions(shell: Shell) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "gpualign", &mut text);
    io::stdout().write_all(&text)?;
    Ok(())
}

/// Prints the manual page (`gpualign man | man -l -`).
pub fn manual() -> Result<()> {
    let mut text = Vec::new();
    Man::new(Arguments::command()).render(&mut text)?;
    io::stdout().write_all(&text)?;
    Ok(())
}
