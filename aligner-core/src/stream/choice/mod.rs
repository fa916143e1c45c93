//! Choosing settings by calibration: the runtime tries settings on the first items of the input, and keeps the fastest.
//!
//! MERCATOR leaves the mapping of an application to a device to its author. Here the author lists *variants*,
//! topologies that compute the same items at the same sinks, for example with two stages fused or split, or with
//! another number of items for each thread; and the runtime chooses among them and among the settings of a
//! [`SettingsGrid`]. Items at the sinks do not depend on the choice, so a calibration can make a run slower but never
//! wrong.
//!
//! ```
//! use aligner_core::Device;
//! use aligner_core::stream::{Calibration, Channel, ChannelType, Fused, Kernels, Push};
//! use aligner_core::stream::{Settings, SettingsGrid, Site, Stage, Topology, Variant};
//! use bytemuck::{Pod, Zeroable};
//!
//! const OUT: Channel<u32> = Channel::new(0, "out", 1);
//!
//! #[derive(Clone, Copy, Pod, Zeroable)]
//! #[repr(C)]
//! struct Double;
//! impl Stage for Double {
//!     type In = u32;
//!     type Node = ();
//!     type Global = ();
//!     const NAME: &'static str = "Double";
//!
//!     fn channels() -> Vec<ChannelType> {
//!         vec![OUT.describe()]
//!     }
//!
//!     fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
//!         push.to(OUT, 2 * item);
//!     }
//! }
//!
//! let mut split = Topology::new("split", &());
//! let double = split.stage(Double);
//! let (first, second) = (split.node("first", double, ()), split.node("second", double, ()));
//! split.source::<u32>(first);
//! split.edge(first, "out", second);
//! let out = split.sink::<u32>("out", second, "out");
//!
//! let mut fused = Topology::new("fused", &());
//! let both = fused.stage(Fused::<Double, Double, 0>::zeroed());
//! let node = fused.node("both", both, Zeroable::zeroed());
//! fused.source::<u32>(node);
//! fused.sink::<u32>("out", node, "out");
//!
//! let kernels = |name| Kernels { name, fatbin: &[] }; // not used on a CPU
//! let variants = [
//!     Variant::new("split", &split, kernels("split")),
//!     Variant::new("fused", &fused, kernels("fused")),
//! ];
//! let grid = SettingsGrid::usual(&Settings::default(), &Device::Cpu);
//! let inputs: Vec<u32> = (0..50_000).collect();
//! let choice = Calibration::new(&variants, grid).choose(&Device::Cpu, &(), &inputs)?;
//! let mut outputs = choice.run(&Device::Cpu, &(), &inputs)?;
//! assert_eq!(outputs.take(out).len(), 50_000);
//! # Ok::<(), aligner_core::stream::RunError>(())
//! ```
//!
//! # How it chooses
//!
//! The settings of all grids multiply, so only a few of them run. The order is that of a *cost model*
//! ([`model`](mod@model)), which takes one run with metrics of each variant under each policy:
//!
//! ```text
//!   cost = (firings x overhead + ensembles x work) / blocks
//! ```
//!
//! `overhead` are the cycles that the scheduler takes for a firing, `work` those that gathering, running and scattering
//! take for an ensemble of a module type. Both are cycles of a block, so blocks that run side by side divide them.
//! Other settings change the counts in a way that is known: larger queues hold more ensembles for one firing, wider
//! ensembles are fewer.
//!
//! The model does not know caches, registers and memory, so what it estimates decides only where to begin, what to try
//! first, and what not to try at all: what should take more than [`HOPELESS`](search::HOPELESS) times as long as the
//! best. From the best estimate of each variant a descent changes one setting at a time and keeps what was measured to
//! be faster; then changes of two settings at a time are tried on the fastest. At last the
//! [`FINALISTS`](search::FINALISTS) fastest run [`REPEATS`](search::REPEATS) more times each, in turns, and the least
//! median wins ([`search`](mod@search)).
//!
//! *Bounds.* A calibration makes at most [`MOST_RUNS`](search::MOST_RUNS) runs of the sample, besides the counted ones
//! and a few to find its size, and begins no further run after [`Calibration::seconds`]. The sample are the first items
//! of the input: [`FILLS`] for each lane of the device, or more if a run of these takes less than
//! [`LEAST_SECONDS`](trials::LEAST_SECONDS). If all items take less, a run is the median of up to
//! [`MOST_REPEATS`](trials::MOST_REPEATS). An input of less than one item for each lane is not worth a calibration, and
//! gets the settings that the grid was made of.
//!
//! *Kept choices.* With [`Calibration::keep`] the choice goes to the user's cache ([`cache`](mod@cache)), and later
//! runs with the same device, variants, kernels, grid and workload find it there.

mod cache;
mod grid;
mod model;
mod search;
mod trials;

use std::fmt::Write;
use std::time::Instant;

pub use self::cache::ChoiceCache;
use self::cache::KeptChoice;
pub use self::grid::SettingsGrid;
use self::grid::{Candidate, VARIANT};
use self::search::{Found, search};
use self::trials::SampleTrials;
use crate::Device;
use crate::stream::cuda::{CudaExecutor, Kernels};
use crate::stream::{Item, Outputs, RunError, Settings, Topology};

/// Items of the sample for each lane of the device, so that every block fills its ensembles several times.
pub(super) const FILLS: usize = 4;

/// Seconds after which a calibration begins no further run, unless [`Calibration::seconds`] says otherwise.
const SECONDS: f64 = 2.0;

/// One way to build an application: a topology and its kernels. All variants of an application have the same source and
/// sinks.
pub struct Variant<'v, 'g, G: Sync + ?Sized = ()> {
    /// Name in reports and in the cache.
    pub name: &'static str,
    /// The topology of the variant.
    pub topology: &'v Topology<'g, G>,
    /// The kernels for GPUs.
    pub kernels: Kernels,
}

impl<'v, 'g, G: Sync + ?Sized> Variant<'v, 'g, G> {
    /// A variant of an application.
    pub fn new(name: &'static str, topology: &'v Topology<'g, G>, kernels: Kernels) -> Self {
        Self { name, topology, kernels }
    }
}

/// Replaces measured seconds of a run with these settings, of the variant with this name: tests choose by times that
/// they know, without estimates, which depend on measured times as well.
type KnownTimes<'c> = &'c dyn Fn(&str, &Settings, f64) -> f64;

/// A choice among variants of an application and settings, to be made on a device.
pub struct Calibration<'c, 'v, 'g, G: Sync + ?Sized = ()> {
    variants: &'c [Variant<'v, 'g, G>],
    grid: SettingsGrid,
    seconds: f64,
    kept: Option<(&'c ChoiceCache, &'c str)>,
    times: Option<KnownTimes<'c>>,
}

/// The result of a calibration.
pub struct Choice<'c, 'v, 'g, G: Sync + ?Sized = ()> {
    /// The chosen variant.
    pub variant: &'c Variant<'v, 'g, G>,
    /// The chosen settings.
    pub settings: Settings,
    /// Runs of the sample that the calibration made: 0 if the choice was in the cache, or the device has more lanes than
    /// the input has items.
    pub runs: usize,
    /// Seconds that the calibration took.
    pub seconds: f64,
    /// Whether the choice was in the cache.
    pub was_kept: bool,
}

impl<'c, 'v, 'g, G: Sync + ?Sized> Calibration<'c, 'v, 'g, G> {
    /// A choice among variants, of which there must be one at least, and the settings of a grid.
    pub fn new(variants: &'c [Variant<'v, 'g, G>], grid: SettingsGrid) -> Self {
        Self { variants, grid, seconds: SECONDS, kept: None, times: None }
    }

    /// Begins no further run after so many seconds.
    #[must_use]
    pub fn seconds(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }

    /// Keeps the choice in a cache, and takes it from there. `workload` tells apart inputs and parameters for which
    /// different settings may be best.
    #[must_use]
    pub fn keep(self, cache: &'c ChoiceCache, workload: &'c str) -> Self {
        Self { kept: Some((cache, workload)), ..self }
    }

    /// Chooses by known times instead of measured ones.
    #[cfg(test)]
    fn with_times(self, times: KnownTimes<'c>) -> Self {
        Self { times: Some(times), ..self }
    }

    /// Chooses for a device and inputs like these, of which the first are the sample. `global` are the application's
    /// parameters as in [`Topology::run`].
    ///
    /// # Errors
    /// [`RunError::Settings`] if the variants have different sources or sinks or the grid lacks a value; or if a run of
    /// the sample fails. Settings that a variant or the device refuses are left out, unless all are.
    pub fn choose<T: Item>(
        &self,
        device: &Device,
        global: &impl Item,
        inputs: &[T],
    ) -> Result<Choice<'c, 'v, 'g, G>, RunError> {
        let start = Instant::now();
        self.check()?;
        let chosen = |candidate: Candidate, runs, was_kept| Choice {
            variant: &self.variants[candidate.0[VARIANT]],
            settings: self.grid.settings(candidate),
            runs,
            seconds: start.elapsed().as_secs_f64(),
            was_kept,
        };
        let lanes = self.lanes(device, global)?;
        if inputs.len() < lanes {
            return Ok(Choice {
                settings: self.grid.base.clone(),
                ..chosen(Candidate::default(), 0, false)
            });
        }
        let kept = self.kept.map(|(cache, workload)| (cache, self.key(device, workload)));
        if let Some((cache, key)) = &kept
            && let Some(candidate) = cache.read(key).and_then(|kept| self.candidate(&kept))
        {
            return Ok(chosen(candidate, 0, true));
        }
        let sample = inputs.len().min(FILLS * lanes);
        let mut trials = SampleTrials::new(self, (device, global), inputs, sample, start);
        trials.enlarge_sample()?;
        let Found { candidate, runs } =
            search(&self.grid, self.variants.len(), self.seconds, &mut trials)?.ok_or_else(
                || {
                    RunError::Settings(
                        "no settings of the grid suit the application and the device".to_owned(),
                    )
                },
            )?;
        let runs = runs + trials.other_runs();
        if let Some((cache, key)) = &kept {
            let variant = self.variants[candidate.0[VARIANT]].name;
            // A choice that cannot be kept is made again by the next run.
            cache.write(key, &KeptChoice::new(variant, &self.grid.settings(candidate)));
        }
        Ok(chosen(candidate, runs, false))
    }

    /// Checks that there is a choice, and that all variants have the same source and sinks.
    fn check(&self) -> Result<(), RunError> {
        let wrong = |text: String| Err(RunError::Settings(text));
        let [first, others @ ..] = self.variants else {
            return wrong("a calibration needs a variant of the application".to_owned());
        };
        if self.grid.lengths(1).contains(&0) {
            return wrong("a calibration needs at least one value of each setting".to_owned());
        }
        for variant in others {
            if let Some(difference) = first.topology.difference_of_ends(variant.topology) {
                let (one, other) = (first.name, variant.name);
                return wrong(format!(
                    "variants {one} and {other} of an application differ: {difference}"
                ));
            }
        }
        Ok(())
    }

    /// Lanes of the device, with the settings that the grid was made of and the first variant that takes them.
    fn lanes(&self, device: &Device, global: &impl Item) -> Result<usize, RunError> {
        let base = &self.grid.base;
        let mut refused = None;
        for variant in self.variants {
            let blocks = match device {
                Device::Cpu if base.blocks == 0 => Ok(rayon::current_num_threads() as u32),
                Device::Cpu => Ok(base.blocks),
                Device::Cuda(gpu) => {
                    CudaExecutor::new(gpu, variant.topology, base, &variant.kernels, global)
                        .and_then(|executor| executor.blocks(usize::MAX))
                }
            };
            match blocks {
                Ok(blocks) => return Ok((blocks * base.width) as usize),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.unwrap_or_else(|| RunError::Settings("there are no variants".to_owned())))
    }

    /// The candidate of a choice from the cache, if it is in the grid.
    fn candidate(&self, kept: &KeptChoice) -> Option<Candidate> {
        let is_kept = |candidate: &Candidate| {
            let variant = self.variants[candidate.0[VARIANT]].name;
            KeptChoice::new(variant, &self.grid.settings(*candidate)) == *kept
        };
        self.grid.candidates(self.variants.len()).find(is_kept)
    }

    /// The key of a choice, which names all that it depends on: the device, the variants with their kernels, the grid
    /// and the workload.
    fn key(&self, device: &Device, workload: &str) -> String {
        let mut key = format!("{workload}\n{}\n{:?}\n", cache::device_key(device), self.grid);
        for Variant { name, topology, kernels } in self.variants {
            let kernel = xxhash_rust::xxh3::xxh3_64(kernels.fatbin);
            let outline = topology.outline();
            // Writing to a string cannot fail.
            let _ = write!(key, "{name} {} {kernel:016x}\n{outline}", kernels.name);
        }
        key
    }
}

impl<G: Sync + ?Sized> Choice<'_, '_, '_, G> {
    /// Processes all inputs with the chosen variant and settings, as [`Topology::run`]. The ids of sinks of every
    /// variant are valid for the outputs.
    ///
    /// # Errors
    /// As [`Topology::run`].
    pub fn run<T: Item>(
        &self,
        device: &Device,
        global: &impl Item,
        inputs: &[T],
    ) -> Result<Outputs, RunError> {
        let Variant { topology, kernels, .. } = self.variant;
        topology.run(device, &self.settings, kernels, global, inputs)
    }
}

#[cfg(test)]
mod tests;
