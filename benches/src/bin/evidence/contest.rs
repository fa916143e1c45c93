//! Command lines that are run in turn and measured.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::machine::{field, kilobytes};
use crate::outcome::{Outcome, Row};
use crate::tool::Tool;

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What is compared.
pub struct Section {
    pub title: &'static str,
    pub workload: String,
    /// What contestants are counted by.
    pub unit: &'static str,
    /// What has to be there before, in this order; not measured.
    pub before: Vec<Contestant>,
    pub contestants: Vec<Contestant>,
    pub missing: Vec<String>,
    pub note: Option<String>,
}

/// A command line.
pub struct Contestant {
    pub name: String,
    pub tool: Tool,
    pub arguments: Vec<String>,
    /// Files of the folder that it reads from and writes to, instead of a terminal.
    pub stdin: Option<&'static str>,
    pub stdout: Option<&'static str>,
    /// How many units a run has.
    pub amount: f64,
    /// What is known when it is done.
    pub facts: Option<Facts>,
}

/// Looks at what a contestant made, in this folder.
pub type Facts = Box<dyn Fn(&Path) -> Result<BTreeMap<String, f64>>>;

/// Where contests are held.
#[derive(Debug)]
pub struct Arena<'a> {
    /// Command lines are run here.
    pub folder: &'a Path,
    /// How often.
    pub runs: usize,
}

impl Arena<'_> {
    /// Runs all contestants.
    pub fn hold(&self, name: &str, section: Section) -> Result<Outcome> {
        let Section { title, workload, unit, before, contestants, missing, note } = section;
        before.iter().try_for_each(|contestant| self.run(contestant).map(|_| ()))?;
        let mut measured: Vec<(Vec<f64>, u64)> = vec![(Vec::new(), 0); contestants.len()];
        for _ in 0..self.runs {
            for (contestant, (seconds, peak)) in contestants.iter().zip(&mut measured) {
                let (took, bytes) = self.run(contestant)?;
                seconds.push(took.as_secs_f64());
                *peak = bytes.max(*peak);
            }
        }
        let row = |(contestant, (seconds, peak_bytes)): (Contestant, (Vec<f64>, u64))| {
            let facts = contestant.facts.as_ref().map(|facts| facts(self.folder)).transpose()?;
            let median = median(&seconds);
            Ok(Row {
                command: contestant.command_line(),
                name: contestant.name,
                version: contestant.tool.version,
                median,
                rate: contestant.amount / median,
                seconds,
                peak_bytes,
                facts: facts.unwrap_or_default(),
            })
        };
        let rows = contestants.into_iter().zip(measured).map(row).collect::<Result<_>>()?;
        let (name, title, unit) = (name.to_owned(), title.to_owned(), unit.to_owned());
        Ok(Outcome { name, title, workload, unit, rows, missing, note })
    }

    /// One run: how long it took, and its peak of memory.
    fn run(&self, contestant: &Contestant) -> Result<(Duration, u64)> {
        let file = |name: &str| self.folder.join(name);
        let errors = self.folder.join("errors.txt");
        let mut command = Command::new(&contestant.tool.path);
        command.args(&contestant.arguments).current_dir(self.folder);
        command.stdin(match contestant.stdin {
            Some(name) => File::open(file(name))?.into(),
            None => Stdio::null(),
        });
        command.stdout(match contestant.stdout {
            Some(name) => File::create(file(name))?.into(),
            None => Stdio::null(),
        });
        command.stderr(File::create(&errors)?);
        let begin = Instant::now();
        let mut child = command.spawn().with_context(|| contestant.command_line())?;
        let (process, is_done) = (child.id(), AtomicBool::new(false));
        let (status, took, peak) = thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let mut peak = 0;
                while !is_done.load(Ordering::Relaxed) {
                    peak = peak_bytes(process).unwrap_or(peak);
                    thread::sleep(LOOK);
                }
                peak
            });
            let status = child.wait();
            let took = begin.elapsed();
            is_done.store(true, Ordering::Relaxed);
            (status, took, watch.join().unwrap_or_default())
        });
        let status = status?;
        if !status.success() {
            let said = fs::read_to_string(&errors).unwrap_or_default();
            let last = said.trim_end().lines().last().unwrap_or_default().to_owned();
            bail!("{}: {status}: {last}", contestant.command_line());
        }
        Ok((took, peak))
    }
}

impl Contestant {
    /// As one would type it, without the program's folder.
    fn command_line(&self) -> String {
        let program = self.tool.path.file_name().unwrap_or_default().to_string_lossy();
        let mut line = [program.as_ref()]
            .into_iter()
            .chain(self.arguments.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" ");
        for (sign, file) in [(" < ", self.stdin), (" > ", self.stdout)] {
            line.extend(file.into_iter().flat_map(|file| [sign, file]));
        }
        line
    }
}

/// The high-water mark of a process that runs.
fn peak_bytes(process: u32) -> Option<u64> {
    let status = PathBuf::from(format!("/proc/{process}/status"));
    kilobytes(field(&fs::read_to_string(status).ok()?, "VmHWM")?)
}

/// The middle one, or the mean of both.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let twice = |values: &[f64]| (2.0 * median(values)) as u32;
        assert_eq!([twice(&[3.0]), twice(&[9.0, 1.0, 2.0]), twice(&[4.0, 1.0])], [6, 4, 5]);
    }
}
