//! The settings among which a calibration chooses.

use crate::Device;
use crate::stream::{Capacity, Policy, Settings};

/// Values of settings; a calibration chooses one of each list.
#[derive(Debug, Clone)]
pub struct SettingsGrid {
    /// The other settings of every candidate, and all settings where there is too little input for a calibration.
    pub base: Settings,
    /// Values of [`Settings::width`] to choose from.
    pub widths: Vec<u32>,
    /// Values of [`Settings::blocks`] to choose from.
    pub blocks: Vec<u32>,
    /// Values of [`Settings::policy`] to choose from.
    pub policies: Vec<Policy>,
    /// Values of [`Settings::capacity`] to choose from.
    pub capacities: Vec<Capacity>,
    /// Values of [`Settings::shared_queues`] to choose from.
    pub shared_queues: Vec<u32>,
    /// Values of [`Settings::share_rest`] to choose from. Only the lazy policy shares rests.
    pub share_rest: Vec<bool>,
    /// Values of [`Settings::move_work`], which excludes sharing rests.
    pub move_work: Vec<bool>,
}

/// Number of settings that vary, and one for the variant.
pub(super) const COORDINATES: usize = 8;

/// The coordinate of a candidate that is its variant. The others are the settings, in the order of [`SettingsGrid`].
pub(super) const VARIANT: usize = 0;

/// The place of a variant in the list of variants, and that of a value in each list of the grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Candidate(pub(super) [usize; COORDINATES]);

impl Candidate {
    /// The candidate with another place in one of the lists.
    pub(super) fn with(mut self, coordinate: usize, place: usize) -> Self {
        self.0[coordinate] = place;
        self
    }
}

impl SettingsGrid {
    /// The grid of one point: these settings. Lists replace the values that are to be chosen.
    pub fn of(base: &Settings) -> Self {
        Self {
            widths: vec![base.width],
            blocks: vec![base.blocks],
            policies: vec![base.policy],
            capacities: vec![base.capacity],
            shared_queues: vec![base.shared_queues],
            share_rest: vec![base.share_rest],
            move_work: vec![base.move_work],
            base: base.clone(),
        }
    }

    /// The values that are worth trying on a device for most applications, around these settings.
    pub fn usual(base: &Settings, device: &Device) -> Self {
        let capacities = [1, 2, 4, 8].map(Capacity::Ensembles).to_vec();
        let policies = vec![Policy::Lazy, Policy::Naive];
        let grid = Self { policies, capacities, ..Self::of(base) };
        match device {
            Device::Cpu => {
                let threads = rayon::current_num_threads() as u32;
                let blocks = vec![threads, 4 * threads];
                Self { widths: vec![32, 128, 512], blocks, ..grid }
            }
            Device::Cuda(_) => Self {
                widths: vec![64, 128, 256],
                shared_queues: vec![0, 16 << 10, 32 << 10],
                ..grid
            },
        }
    }

    /// Number of values of each coordinate, when there are so many variants.
    pub(super) fn lengths(&self, variants: usize) -> [usize; COORDINATES] {
        [
            variants,
            self.widths.len(),
            self.blocks.len(),
            self.policies.len(),
            self.capacities.len(),
            self.shared_queues.len(),
            self.share_rest.len(),
            self.move_work.len(),
        ]
    }

    /// The settings of a candidate.
    pub(super) fn settings(&self, Candidate(places): Candidate) -> Settings {
        let [_, width, blocks, policy, capacity, shared_queues, share_rest, move_work] = places;
        Settings {
            width: self.widths[width],
            blocks: self.blocks[blocks],
            policy: self.policies[policy],
            capacity: self.capacities[capacity],
            shared_queues: self.shared_queues[shared_queues],
            share_rest: self.share_rest[share_rest],
            move_work: self.move_work[move_work],
            ..self.base.clone()
        }
    }

    /// The settings of all candidates of one variant, those that differ in effect.
    pub fn all_settings(&self) -> impl Iterator<Item = Settings> {
        self.candidates(1).map(|candidate| self.settings(candidate))
    }

    /// The settings in the middle of each list, which are least far from all others.
    pub(super) fn middle(&self) -> Settings {
        self.settings(Candidate(self.lengths(1).map(|length| (length - 1) / 2)))
    }

    /// Whether a candidate is legal and differs in effect from those before it: rests are not shared under the naive
    /// policy, nor where work moves.
    pub(super) fn is_distinct(&self, candidate: Candidate) -> bool {
        let settings = self.settings(candidate);
        let shares = settings.share_rest && self.share_rest.contains(&false);
        !shares || (settings.policy == Policy::Lazy && !settings.move_work)
    }

    /// All candidates that differ in effect.
    pub(super) fn candidates(&self, variants: usize) -> impl Iterator<Item = Candidate> {
        let lengths = self.lengths(variants);
        let count: usize = lengths.iter().product();
        let candidate = move |mut number: usize| {
            Candidate(lengths.map(|length| {
                let place = number % length;
                number /= length;
                place
            }))
        };
        (0..count).map(candidate).filter(|candidate| self.is_distinct(*candidate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_all_that_differ() {
        let grid = SettingsGrid {
            widths: vec![32, 64],
            policies: vec![Policy::Lazy, Policy::Naive],
            share_rest: vec![false, true],
            move_work: vec![false, true],
            ..SettingsGrid::of(&Settings::default())
        };
        let candidates: Vec<Candidate> = grid.candidates(2).collect();
        // Two variants, two widths; lazy with shared rests, or either policy with and without moving work.
        assert_eq!(candidates.len(), 2 * 2 * 5);
        for (at, one) in candidates.iter().enumerate() {
            assert!(!candidates[..at].contains(one));
        }
        let settings = grid.settings(Candidate::default().with(1, 1).with(6, 1));
        assert_eq!((settings.width, settings.share_rest), (64, true));
        assert_eq!(settings.capacity, Settings::default().capacity);
        assert_eq!(grid.all_settings().count(), 10);
    }
}
