//! The index in pages of 2 MiB, for runs that map on the CPU.
//!
//! Seeds are looked for all over the index. A file is mapped in pages of 4 KiB, so nearly every look-up has to find the page
//! first, which takes as long as the look-up itself. Large pages make mapping faster by an eighth. The index moves into them
//! while reads are mapped already.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use aligner_core::{DeviceSelection, gpu};
use fm_index::FmIndex;

use crate::options::available_memory;

/// How long a run maps before the index moves: short runs gain nothing.
const DELAY: Duration = Duration::from_millis(200);

/// Lets the index move into large pages if the CPU maps alone, and the system has memory to spare.
pub fn use_large_pages(index: &Arc<FmIndex>, selection: &DeviceSelection) {
    let is_cpu_alone = match selection {
        DeviceSelection::Cpu => true,
        DeviceSelection::Auto => !gpu::is_driver_installed(),
        DeviceSelection::Gpus(_) | DeviceSelection::AllGpus => false,
    };
    if !is_cpu_alone {
        return;
    }
    let index = Arc::clone(index);
    // Neither the run needs that thread, nor does the end of the program wait for it.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(DELAY);
        if available_memory().is_some_and(|bytes| index.bytes() <= bytes as u64 / 2) {
            // Where the system has no large pages, the mapped file does as well.
            let _ = index.move_to_large_pages();
        }
    });
}
