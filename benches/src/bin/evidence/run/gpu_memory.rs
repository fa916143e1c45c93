//! The peak memory of GPUs while a program runs, by `nvidia-smi`.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

/// Asks for the used memory of all GPUs, in MiB, a line for each GPU, again and again.
const QUESTION: [&str; 3] =
    ["--query-gpu=memory.used", "--format=csv,noheader,nounits", "--loop-ms=50"];

/// A running `nvidia-smi`, and the thread that reads what it says.
#[derive(Debug)]
pub struct GpuWatch {
    asking: Child,
    /// Gives the greatest memory; `None` before the first answer.
    reading: Option<JoinHandle<u64>>,
}

impl GpuWatch {
    /// Starts to watch the memory of so many GPUs; `None` if there are none, or `nvidia-smi` does not tell.
    pub fn start(gpus: usize) -> Option<Self> {
        if gpus == 0 {
            return None;
        }
        let mut command = Command::new("nvidia-smi");
        command.args(QUESTION).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut watch = Self { asking: command.spawn().ok()?, reading: None };
        let mut answers = BufReader::new(watch.asking.stdout.take()?);
        // The first answer is of idle GPUs.
        let idle = answer(&mut answers, gpus)?;
        watch.reading = Some(thread::spawn(move || {
            let mut peak = idle;
            while let Some(used) = answer(&mut answers, gpus) {
                peak = peak.max(used);
            }
            (peak - idle) << 20
        }));
        Some(watch)
    }

    /// Ends watching: the greatest memory of all GPUs together, in bytes, less what was used at the start; `None` if it is not
    /// known.
    pub fn end(mut self) -> Option<u64> {
        self.stop();
        self.reading.take()?.join().ok()
    }

    fn stop(&mut self) {
        // It has ended already if this fails.
        let _ = self.asking.kill();
        let _ = self.asking.wait();
    }
}

impl Drop for GpuWatch {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The memory that all GPUs use together, of one answer; `None` at the end.
fn answer(answers: &mut BufReader<ChildStdout>, gpus: usize) -> Option<u64> {
    let mut used = 0;
    for _ in 0..gpus {
        let mut line = String::new();
        answers.read_line(&mut line).ok()?;
        used += line.trim().parse::<u64>().ok()?;
    }
    Some(used)
}
