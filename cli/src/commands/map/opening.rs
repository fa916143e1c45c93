//! GPUs that are being opened, each on a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aligner_core::{Device, DeviceError, DeviceRequest, DeviceSelection};

use crate::on_device;
use crate::output::JoinedGpus;
use crate::timeline::{Step, Timeline};

/// GPUs that are being opened on threads that the end of the program does not wait for.
#[derive(Debug)]
pub struct OpeningGpus {
    pub(super) selection: DeviceSelection,
    pub(super) opened: Receiver<OpenedGpu>,
    pub(super) gpus: JoinedGpus,
}

/// A GPU that was opened, or the reason why it, or all of them, could not be.
#[derive(Debug)]
pub(super) struct OpenedGpu {
    /// The number of the GPU among those that were selected, from 0.
    pub(super) number: usize,
    /// The number of GPUs that were selected.
    pub(super) selected: usize,
    pub(super) device: Result<Device, DeviceError>,
}

impl OpeningGpus {
    /// GPUs of this selection that others open, and send.
    #[cfg(test)]
    pub(super) fn given(selection: DeviceSelection, opened: Receiver<OpenedGpu>) -> Self {
        Self { selection, opened, gpus: JoinedGpus::default() }
    }

    /// Begins to open all selected GPUs.
    pub fn begin(selection: &DeviceSelection, timeline: &Arc<Timeline>) -> Self {
        let (sender, opened) = channel();
        if *selection != DeviceSelection::Cpu {
            let (selection, timeline) = (selection.clone(), Arc::clone(timeline));
            thread::spawn(move || open(&selection, &sender, &timeline));
        }
        Self { selection: selection.clone(), opened, gpus: JoinedGpus::default() }
    }

    /// The GPUs that map, as soon as they do.
    pub fn joined(&self) -> JoinedGpus {
        self.gpus.clone()
    }
}

/// Opens all selected GPUs, each on its own thread. Sending fails if the run has ended, and needs no GPU any more.
fn open(selection: &DeviceSelection, to: &Sender<OpenedGpu>, timeline: &Arc<Timeline>) {
    if *selection == DeviceSelection::Auto {
        on_device::wait_before_opening(on_device::OPENING_DELAY);
    }
    match selection.gpus() {
        Ok(gpus) => {
            let selected = gpus.len();
            for (number, ordinal) in gpus.into_iter().enumerate() {
                let (to, timeline) = (to.clone(), Arc::clone(timeline));
                thread::spawn(move || {
                    let open = || on_device::open(DeviceRequest::Cuda(ordinal));
                    let device = timeline.time(Step::Device, "open", open).map(|it| it.device);
                    let _ = to.send(OpenedGpu { number, selected, device });
                });
            }
        }
        Err(reason) => {
            let _ = to.send(OpenedGpu { number: 0, selected: 0, device: Err(reason) });
        }
    }
}
