//! The description of this machine, and the date.

use std::fs;
use std::num::NonZero;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The hardware of a machine.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub host: String,
    pub processor: String,
    /// Hardware threads that this process may use.
    pub threads: usize,
    pub memory_bytes: u64,
    /// Names of GPUs with their drivers; empty if `nvidia-smi` is not there.
    pub gpus: Vec<String>,
}

impl Machine {
    /// Describes the machine that this program runs on.
    pub fn here() -> Result<Self> {
        let read = |path: &str| fs::read_to_string(path).with_context(|| path.to_owned());
        let processors = read("/proc/cpuinfo")?;
        let memory = read("/proc/meminfo")?;
        let gpus = ["--query-gpu=name,driver_version", "--format=csv,noheader"];
        Ok(Self {
            host: read("/proc/sys/kernel/hostname")?.trim().to_owned(),
            processor: field(&processors, "model name").unwrap_or("unknown").to_owned(),
            threads: thread::available_parallelism().map_or(1, NonZero::get),
            memory_bytes: field(&memory, "MemTotal").and_then(kilobytes).unwrap_or_default(),
            gpus: said("nvidia-smi", &gpus)
                .map_or_else(Vec::new, |text| text.lines().map(str::to_owned).collect()),
        })
    }
}

/// Today's date in UTC, as 2026-01-31.
pub fn date() -> Result<String> {
    said("date", &["-u", "+%F"]).context("date: cannot be run")
}

/// The commit of the repository in the working directory, if it is one.
pub fn commit() -> Option<String> {
    said("git", &["rev-parse", "--short", "HEAD"])
}

/// The value of the first line `name: value` of a text.
pub fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

/// The bytes of a value such as `12 kB`.
pub fn kilobytes(value: &str) -> Option<u64> {
    Some(value.strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

/// The output of a program; `None` if it cannot be run or fails.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}
