//! `gpualign completions` and `gpualign man`: text made from the definition of the command line.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::{Args, Command, ValueHint};
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

/// The options of `gpualign man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The command whose page to print, such as nw pairs [default: the page of gpualign]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write the pages of gpualign and of all commands to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

/// Prints a manual page (`gpualign man nw pairs | man -l -`), or writes all of them.
///
/// # Errors
/// If there is no such command, or a page cannot be written.
pub fn manual(arguments: &ManArguments, mut definition: Command) -> Result<()> {
    if let Some(folder) = &arguments.folder {
        return clap_mangen::generate_to(definition, folder)
            .with_context(|| folder.display().to_string());
    }
    definition.build();
    let mut of_command = definition;
    for (place, name) in arguments.command.iter().enumerate() {
        let known = of_command.find_subcommand(name).cloned();
        let before =
            ["gpualign"].into_iter().chain(arguments.command[..place].iter().map(String::as_str));
        let before = before.collect::<Vec<_>>().join(" ");
        of_command = known
            .ok_or_else(|| anyhow!("{before} has no command '{name}': see {before} --help"))?;
    }
    let mut text = Vec::new();
    Man::new(of_command).render(&mut text)?;
    staging::print(&text)
}
