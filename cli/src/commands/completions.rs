//! `gpualign completions` and `gpualign man`: text made from the definition of the command line.

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::staging;

/// Prints completions for a shell.
pub fn completions(shell: Shell, mut definition: Command) -> Result<()> {
    let mut text = Vec::new();
    let name = definition.get_name().to_owned();
    clap_complete::generate(shell, &mut definition, name, &mut text);
    staging::print(&text)
}

/// Prints the manual page (`gpualign man | man -l -`).
pub fn manual(definition: Command) -> Result<()> {
    let mut text = Vec::new();
    Man::new(definition).render(&mut text)?;
    staging::print(&text)
}
