//! A GPU that joins a search which the CPU has begun (`-device auto`).
//!
//! A search that ends before the driver has opened the GPU does not wait for it. What the CPU does in a second, it does no later
//! than a GPU for which the tables of each batch are made and copied: so the GPU joins searches that take longer.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use aligner_core::{Device, DeviceError, DeviceRequest};
use blastn_pipeline::search::Searcher;

use crate::console::Console;
use crate::on_device;

/// How long the CPU searches alone.
const CPU_ALONE: Duration = Duration::from_secs(1);

/// A GPU that is being opened on a thread that the end of the program does not wait for.
#[derive(Debug)]
pub struct JoiningGpu {
    news: Receiver<News>,
    to_news: Sender<News>,
}

/// The messages to the thread that lets the GPU join.
#[derive(Debug)]
enum News {
    Opened(Result<Device, DeviceError>),
    /// The search has ended.
    End,
}

/// Ends the thread that lets the GPU join when it is dropped.
#[must_use]
pub struct EndOfSearch(Sender<News>);

impl Drop for EndOfSearch {
    fn drop(&mut self) {
        // Nobody listens any more if the GPU has joined.
        let _ = self.0.send(News::End);
    }
}

impl JoiningGpu {
    /// Begins to open the first GPU.
    pub fn begin() -> Self {
        let (to_news, news) = channel();
        let opened = to_news.clone();
        thread::spawn(move || {
            on_device::wait_before_opening();
            let device = on_device::open(DeviceRequest::Cuda(0)).map(|opened| opened.device);
            let _ = opened.send(News::Opened(device));
        });
        Self { news, to_news }
    }

    /// Lets the GPU join the searcher when it is open and the CPU has searched for [`CPU_ALONE`], on a thread of the scope that
    /// ends at the latest when the result is dropped. `memory` is that of [`Searcher::join`].
    pub fn work<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        searcher: &'s Searcher<'_>,
        memory: Option<u64>,
        console: &'s Console,
    ) -> EndOfSearch {
        let Self { news, to_news } = self;
        let joins_at = Instant::now() + CPU_ALONE;
        scope.spawn(move || {
            // Without a GPU, the CPU is what was asked for.
            let Ok(News::Opened(Ok(device))) = news.recv() else { return };
            let rest = joins_at.saturating_duration_since(Instant::now());
            if let Ok(News::End) = news.recv_timeout(rest) {
                return;
            }
            let name = device.describe();
            match searcher.join(device, memory) {
                Ok(()) => console.detail(&format!("{name} joins")),
                Err(error) => console.notice(&format!("{name}: {error}: searching on the CPU")),
            }
        });
        EndOfSearch(to_news)
    }
}
