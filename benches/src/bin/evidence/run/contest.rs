//! Command lines that are run in turn and measured.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::outcome::{ContestantResult, Findings, SectionResult};
use crate::run::gpu_memory::GpuWatch;
use crate::run::machine::{field, kilobytes};
use crate::run::tool::Tool;

/// Time between two looks at the memory of a process.
const LOOK: Duration = Duration::from_millis(2);

/// The finding of the greatest memory of all GPUs together, in the first run.
const GPU_MEMORY: &str = "GPU memory, MB";

/// The contestants of one section of the report.
pub struct Section {
    pub title: String,
    pub workload: String,
    /// The unit of rates, for example `reads/s`.
    pub unit: &'static str,
    /// Preparations, in this order: not measured, and not run if their files are there.
    pub before: Vec<Contestant>,
    pub contestants: Vec<Contestant>,
    pub missing: Vec<String>,
    pub note: Option<String>,
    /// The finding that the chart of the section shows instead of rates.
    pub drawn: Option<&'static str>,
    /// The number of runs, if it is not the contest's, since time does not matter.
    pub runs: Option<usize>,
}

/// A program with its command line, or with several that run at once.
pub struct Contestant {
    pub name: String,
    /// The size of the run in sections on scaling; the program in sections whose rows are named after data.
    pub at: Option<String>,
    pub tool: Tool,
    /// The arguments of each process; processes run at once, and most contestants have one.
    pub arguments: Vec<Vec<String>>,
    /// The file that a preparation makes for other contestants.
    pub makes: Option<String>,
    /// The files of the folder that standard input and output are connected to.
    pub stdin: Option<&'static str>,
    pub stdout: Option<String>,
    /// The commands of a shell that the output of the program, which then has one process, is piped into.
    pub pipe: Option<String>,
    /// The work of a run in units, for example reads.
    pub amount: f64,
    /// Examines the output after the first run.
    pub facts: Option<Facts>,
}

/// A function that examines the output of a contestant in the folder.
pub type Facts = Box<dyn Fn(&Path) -> Result<Findings>>;

/// The folder and the limits of a contest.
#[derive(Debug)]
pub struct Contest<'a> {
    /// The working directory of all command lines.
    pub folder: &'a Path,
    /// The search path of the programs in pipes.
    pub path: OsString,
    /// Most runs of each contestant.
    pub runs: usize,
    /// A program whose runs took longer than this together is not run again.
    pub patience: Duration,
    /// GPUs of this machine.
    pub gpus: usize,
}

/// The time and the memory of one run of a contestant, with the processes that it started.
#[derive(Debug)]
struct Usage {
    /// From the start of the processes to their end.
    elapsed: Duration,
    /// Seconds of processors, in user and system mode.
    cpu_seconds: f64,
    /// The peak memory of all processes together.
    peak_bytes: u64,
}

impl Contest<'_> {
    /// Prepares a section, runs its contestants in turns, and examines their output.
    pub fn hold(&self, name: &str, section: Section) -> Result<SectionResult> {
        let Section { title, workload, unit, before, contestants, missing, note, drawn, runs } =
            section;
        self.prepare(&before)?;
        let mut measured: Vec<Vec<Usage>> = contestants.iter().map(|_| Vec::new()).collect();
        // Output is examined at once, since the next contestant may overwrite it.
        let mut known: Vec<Option<Findings>> = contestants.iter().map(|_| None).collect();
        for _ in 0..runs.unwrap_or(self.runs) {
            for (index, contestant) in contestants.iter().enumerate() {
                let usages = &mut measured[index];
                if usages.iter().map(|usage| usage.elapsed).sum::<Duration>() > self.patience {
                    continue;
                }
                let is_first = known[index].is_none();
                let is_watched = is_first && contestant.uses_gpus();
                let watch = if is_watched { GpuWatch::start(self.gpus) } else { None };
                usages.push(self.run(contestant)?);
                let gpu_bytes = watch.and_then(GpuWatch::end);
                if !is_first {
                    continue;
                }
                let facts = contestant.facts.as_ref().map(|facts| facts(self.folder));
                let mut findings = facts.transpose()?.unwrap_or_default();
                if let Some(bytes) = gpu_bytes {
                    findings.facts.insert(GPU_MEMORY.to_owned(), bytes as f64 / 1e6);
                }
                known[index] = Some(findings);
            }
        }
        let mut rows = Vec::with_capacity(contestants.len());
        for ((contestant, usages), known) in contestants.into_iter().zip(measured).zip(known) {
            let seconds: Vec<f64> =
                usages.iter().map(|usage| usage.elapsed.as_secs_f64()).collect();
            let cpu_seconds: Vec<f64> = usages.iter().map(|usage| usage.cpu_seconds).collect();
            let median_seconds = median(&seconds);
            rows.push(ContestantResult {
                command: contestant.command_line(),
                name: contestant.name,
                at: contestant.at,
                version: contestant.tool.version,
                commit: contestant.tool.commit,
                median: median_seconds,
                rate: contestant.amount / median_seconds,
                seconds,
                cpu_seconds: median(&cpu_seconds),
                peak_bytes: usages.iter().map(|usage| usage.peak_bytes).max().unwrap_or_default(),
                known: known.unwrap_or_default(),
            });
        }
        let (name, unit, drawn) = (name.to_owned(), unit.to_owned(), drawn.map(str::to_owned));
        Ok(SectionResult { name, title, workload, unit, rows, missing, note, drawn })
    }

    /// Runs the preparations whose files are missing, one after the other.
    pub fn prepare(&self, before: &[Contestant]) -> Result<()> {
        for contestant in before.iter().filter(|contestant| !self.has(contestant)) {
            self.run(contestant)?;
        }
        Ok(())
    }

    /// Whether the file of a preparation is there and not older than the genome.
    fn has(&self, contestant: &Contestant) -> bool {
        let changed =
            |file: &str| fs::metadata(self.folder.join(file)).and_then(|f| f.modified()).ok();
        let made = contestant.makes.as_deref().and_then(changed);
        made.is_some_and(|made| changed("genome.fa").is_some_and(|genome| made >= genome))
    }

    /// Runs a contestant once.
    fn run(&self, contestant: &Contestant) -> Result<Usage> {
        let file = |name: &str| self.folder.join(name);
        let errors = self.folder.join("errors.txt");
        let stderr = File::create(&errors)?;
        let mut commands = Vec::new();
        for arguments in &contestant.arguments {
            let mut command = match &contestant.pipe {
                None => Command::new(&contestant.tool.path),
                Some(pipe) => {
                    let mut shell = Command::new("bash");
                    shell.args(["-c", &format!("set -o pipefail; \"$0\" \"$@\" | {pipe}")]);
                    shell.arg(&contestant.tool.path);
                    shell
                }
            };
            command.args(arguments).env("PATH", &self.path);
            command.current_dir(self.folder).stderr(stderr.try_clone()?);
            command.stdin(match contestant.stdin {
                Some(name) => File::open(file(name))?.into(),
                None => Stdio::null(),
            });
            command.stdout(match &contestant.stdout {
                Some(name) => File::create(file(name))?.into(),
                None => Stdio::null(),
            });
            commands.push(command);
        }
        let cpu_before = cpu_seconds_of_children()?;
        let begin = Instant::now();
        let children: io::Result<Vec<Child>> = commands.iter_mut().map(Command::spawn).collect();
        let mut children = children.with_context(|| contestant.command_line())?;
        let processes: Vec<u32> = children.iter().map(Child::id).collect();
        let is_done = AtomicBool::new(false);
        let (statuses, elapsed, peak_bytes) = thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let mut peaks = vec![0; processes.len()];
                while !is_done.load(Ordering::Relaxed) {
                    for (peak, &process) in peaks.iter_mut().zip(&processes) {
                        *peak = peak_bytes(process).unwrap_or_default().max(*peak);
                    }
                    thread::sleep(LOOK);
                }
                peaks.into_iter().sum()
            });
            let statuses: Vec<io::Result<ExitStatus>> =
                children.iter_mut().map(Child::wait).collect();
            let elapsed = begin.elapsed();
            is_done.store(true, Ordering::Relaxed);
            (statuses, elapsed, watch.join().unwrap_or_default())
        });
        for status in statuses {
            let status = status?;
            if !status.success() {
                let said = fs::read_to_string(&errors).unwrap_or_default();
                let last = said.trim_end().lines().last().unwrap_or_default().to_owned();
                bail!("{}: {status}: {last}", contestant.command_line());
            }
        }
        let cpu_seconds = cpu_seconds_of_children()? - cpu_before;
        Ok(Usage { elapsed, cpu_seconds, peak_bytes })
    }
}

impl Contestant {
    /// Whether gpualign is told to use GPUs.
    fn uses_gpus(&self) -> bool {
        let mut words = self.arguments.iter().flat_map(|line| line.windows(2));
        words.any(|words| words[0].trim_start_matches('-') == "device" && words[1] != "cpu")
    }

    /// The command line as a user would type it, without the program's folder.
    fn command_line(&self) -> String {
        let program = self.tool.path.file_name().unwrap_or_default().to_string_lossy();
        let lines = self.arguments.iter().map(|line| format!("{program} {}", line.join(" ")));
        let mut line = lines.collect::<Vec<_>>().join(" & ").trim_end().to_owned();
        for (sign, file) in [(" < ", self.stdin), (" > ", self.stdout.as_deref())] {
            line.extend(file.into_iter().flat_map(|file| [sign, file]));
        }
        line.extend(self.pipe.iter().flat_map(|pipe| [" | ", pipe]));
        line
    }
}

/// Seconds of processors of all processes that this one has started and waited for, and of theirs.
fn cpu_seconds_of_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let times = [usage.user_time(), usage.system_time()];
    Ok(times.map(|time| time.num_microseconds() as f64 / 1e6).iter().sum())
}

/// The peak memory of a running process in bytes, including the processes that it started, since some programs are
/// scripts around others.
fn peak_bytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let own = kilobytes(field(&status, "VmHWM")?)?;
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let started = children.split_whitespace().filter_map(|child| child.parse().ok());
    Some(own + started.filter_map(peak_bytes).sum::<u64>())
}

/// The median: the middle value, or the mean of the two in the middle.
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

    /// A contestant that runs a shell script.
    fn shell(script: &str) -> Contestant {
        let tool = Tool { path: "/bin/sh".into(), version: String::new(), commit: None };
        Contestant {
            name: String::new(),
            at: None,
            tool,
            arguments: vec![vec!["-c".to_owned(), script.to_owned()]],
            makes: None,
            stdin: None,
            stdout: None,
            pipe: None,
            amount: 1.0,
            facts: None,
        }
    }

    fn contest(folder: &Path) -> Contest<'_> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Contest { folder, path, runs: 1, patience: Duration::ZERO, gpus: 0 }
    }

    #[test]
    fn a_pipe_counts_all_its_programs_and_fails_with_any_of_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let arena = contest(folder.path());
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done";
        let mut piped = shell(&format!("{busy}; echo one two"));
        piped.pipe = Some(format!("tr ' ' '-' | ( {busy}; cat ) > out.txt"));
        let usage = arena.run(&piped).expect("ends well");
        assert_eq!(
            fs::read_to_string(folder.path().join("out.txt")).expect("is there"),
            "one-two\n"
        );
        assert!(usage.cpu_seconds > 0.01 && usage.peak_bytes > 0, "{usage:?}");
        assert!(piped.command_line().contains("; echo one two | tr ' ' '-' | ("));

        let mut failing = shell("echo bad luck >&2; exit 3");
        failing.pipe = Some("cat > out.txt".to_owned());
        let error = arena.run(&failing).expect_err("its first program fails").to_string();
        assert!(error.contains("bad luck"), "{error}");
    }

    #[test]
    fn processes_of_a_contestant_run_at_once_and_may_all_fail_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let arena = contest(folder.path());
        // Each process waits for the file that the other one makes.
        let wait = |own: &str, other: &str| {
            format!(
                "touch {own}; for i in $(seq 500); do [ -e {other} ] && exit; sleep 0.02; done; exit 1"
            )
        };
        let mut both = shell(&wait("a", "b"));
        both.arguments.extend(shell(&wait("b", "a")).arguments);
        arena.run(&both).expect("both end well");

        let mut second = shell("exit 0");
        second.arguments.extend(shell("echo no such luck >&2; exit 3").arguments);
        let error = arena.run(&second).expect_err("the second fails").to_string();
        assert!(
            error.starts_with("sh -c exit 0 & sh -c echo no") && error.ends_with("luck"),
            "{error}"
        );
    }
}
