//! The search: descents from the best estimates, changes of two settings at a time, and a final among the fastest. It
//! knows neither devices nor clocks, which are behind [`Trials`].

use super::grid::{COORDINATES, Candidate, SettingsGrid, VARIANT};
use crate::stream::RunError;

/// The most runs of the sample: descents leave room for the final.
pub(super) const MOST_RUNS: usize = 120;

/// How many of the fastest candidates run again.
pub(super) const FINALISTS: usize = 4;

/// How often each of them runs again.
pub(super) const REPEATS: usize = 3;

/// A candidate that should take more than so many times as long as the best is not tried.
pub(super) const HOPELESS: f64 = 2.0;

/// A change of a setting is kept if it saves more than this share of the time.
const SAVES: f64 = 0.01;

/// Times that a search asks for.
pub(super) trait Trials {
    /// Runs the sample: its seconds, or `None` if the candidate is refused.
    fn seconds(&mut self, candidate: Candidate) -> Result<Option<f64>, RunError>;

    /// The estimated cost of a candidate, in any unit.
    fn estimate(&mut self, candidate: Candidate) -> Result<f64, RunError>;

    /// Seconds since the calibration began.
    fn elapsed(&self) -> f64;
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) candidate: Candidate,
    /// Number of runs that the search made.
    pub(super) runs: usize,
}

/// A search in progress.
struct Search<'s> {
    trials: &'s mut dyn Trials,
    /// Seconds after which no further run begins.
    most_seconds: f64,
    runs: usize,
    /// Every candidate that was run, with the seconds of its runs; none if it was refused.
    tried: Vec<(Candidate, Vec<f64>)>,
}

/// Searches the grid for the fastest candidate; `None` if all of them are refused. The first run is made in any case.
pub(super) fn search(
    grid: &SettingsGrid,
    variants: usize,
    most_seconds: f64,
    trials: &mut dyn Trials,
) -> Result<Option<Found>, RunError> {
    // The best estimate of each variant.
    let mut starts: Vec<(f64, Candidate)> = Vec::new();
    for variant in 0..variants {
        let mut best: Option<(f64, Candidate)> = None;
        for candidate in grid.candidates(variants).filter(|it| it.0[VARIANT] == variant) {
            let estimate = trials.estimate(candidate)?;
            if best.is_none_or(|(least, _)| estimate < least) {
                best = Some((estimate, candidate));
            }
        }
        starts.extend(best);
    }
    starts.sort_by(|one, other| one.0.total_cmp(&other.0));
    let least = starts.first().map_or(f64::INFINITY, |(estimate, _)| *estimate);
    let mut search = Search { trials, most_seconds, runs: 0, tried: Vec::new() };
    for (estimate, start) in starts {
        // Without any estimate every variant is tried.
        if estimate <= least * HOPELESS || least.is_infinite() {
            search.descend(grid, variants, start)?;
        }
    }
    search.change_two(grid, variants)?;
    search.decide()
}

impl Search<'_> {
    /// Whether another run may begin, of which `kept` are kept for later.
    fn may_run(&self, kept: usize) -> bool {
        self.runs == 0
            || (self.runs + kept < MOST_RUNS && self.trials.elapsed() < self.most_seconds)
    }

    /// Runs a candidate that has not run yet; twice if its variant is new, as the first run loads code and grows
    /// memory. Gives the seconds of the last run; `None` if it is refused, or no further run may begin.
    fn first_seconds(&mut self, candidate: Candidate) -> Result<Option<f64>, RunError> {
        if let Some((_, seconds)) = self.tried.iter().find(|(other, _)| *other == candidate) {
            return Ok(seconds.first().copied());
        }
        let kept = FINALISTS * REPEATS;
        if !self.may_run(kept) {
            return Ok(None);
        }
        let has_run = |(other, seconds): &(Candidate, Vec<f64>)| {
            !seconds.is_empty() && other.0[VARIANT] == candidate.0[VARIANT]
        };
        let is_new = !self.tried.iter().any(has_run);
        self.runs += 1;
        let mut seconds = self.trials.seconds(candidate)?;
        if is_new && seconds.is_some() && self.may_run(kept) {
            self.runs += 1;
            seconds = self.trials.seconds(candidate)?;
        }
        self.tried.push((candidate, seconds.into_iter().collect()));
        Ok(seconds)
    }

    /// Changes one setting at a time as long as that is faster.
    fn descend(
        &mut self,
        grid: &SettingsGrid,
        variants: usize,
        start: Candidate,
    ) -> Result<(), RunError> {
        let lengths = grid.lengths(variants);
        let mut now = start;
        let mut least = self.first_seconds(now)?.unwrap_or(f64::INFINITY);
        // The last coordinate that was changed: without another change the next time round, the descent ends there.
        let mut since_change = 0;
        for coordinate in (VARIANT + 1..COORDINATES).cycle() {
            if since_change == COORDINATES - 1 {
                break;
            }
            since_change += 1;
            let mut others = Vec::new();
            for place in 0..lengths[coordinate] {
                let other = now.with(coordinate, place);
                if other != now && grid.is_distinct(other) {
                    others.push((self.trials.estimate(other)?, other));
                }
            }
            others.sort_by(|one, other| one.0.total_cmp(&other.0));
            let bound = HOPELESS * self.trials.estimate(now)?;
            for (_, other) in others.into_iter().filter(|(estimate, _)| *estimate <= bound) {
                let Some(seconds) = self.first_seconds(other)? else { continue };
                if seconds < least * (1.0 - SAVES) {
                    (now, least, since_change) = (other, seconds, 1);
                }
            }
        }
        Ok(())
    }

    /// The fastest candidate so far, and its seconds.
    fn fastest(&self) -> Option<(Candidate, f64)> {
        let timed = self
            .tried
            .iter()
            .filter_map(|(candidate, seconds)| Some((*candidate, *seconds.first()?)));
        timed.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// Changes two settings of the fastest candidate at a time, as settings may depend on each other.
    fn change_two(&mut self, grid: &SettingsGrid, variants: usize) -> Result<(), RunError> {
        let Some((start, before)) = self.fastest() else { return Ok(()) };
        let bound = HOPELESS * self.trials.estimate(start)?;
        let changes =
            |other: &Candidate| (0..COORDINATES).filter(|&at| other.0[at] != start.0[at]).count();
        let mut pairs = Vec::new();
        for other in grid.candidates(variants) {
            if other.0[VARIANT] == start.0[VARIANT] && changes(&other) == 2 {
                pairs.push((self.trials.estimate(other)?, other));
            }
        }
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (_, other) in pairs.into_iter().filter(|(estimate, _)| *estimate <= bound) {
            self.first_seconds(other)?;
        }
        match self.fastest() {
            Some((best, seconds)) if seconds < before * (1.0 - SAVES) => {
                self.descend(grid, variants, best)
            }
            _ => Ok(()),
        }
    }

    /// Runs the fastest candidates again, in turns, and gives the one with the least median.
    fn decide(mut self) -> Result<Option<Found>, RunError> {
        self.tried.retain(|(_, seconds)| !seconds.is_empty());
        self.tried.sort_by(|(_, one), (_, other)| one[0].total_cmp(&other[0]));
        self.tried.truncate(FINALISTS);
        if self.tried.len() > 1 {
            for _ in 0..REPEATS {
                for at in 0..self.tried.len() {
                    if !self.may_run(0) {
                        break;
                    }
                    self.runs += 1;
                    if let Some(seconds) = self.trials.seconds(self.tried[at].0)? {
                        self.tried[at].1.push(seconds);
                    }
                }
            }
        }
        let median = |seconds: &[f64]| {
            let mut sorted = seconds.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted[(sorted.len() - 1) / 2]
        };
        let runs = self.runs;
        let best =
            self.tried.iter().min_by(|(_, one), (_, other)| median(one).total_cmp(&median(other)));
        Ok(best.map(|&(candidate, _)| Found { candidate, runs }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Capacity, Policy, Settings};

    /// Times and estimates by formulas, and a clock that every run advances.
    struct Known<'k> {
        grid: &'k SettingsGrid,
        time: &'k dyn Fn(usize, &Settings) -> Option<f64>,
        estimate: &'k dyn Fn(usize, &Settings) -> f64,
        elapsed: f64,
        runs: usize,
    }

    impl Trials for Known<'_> {
        fn seconds(&mut self, candidate: Candidate) -> Result<Option<f64>, RunError> {
            self.runs += 1;
            let seconds = (self.time)(candidate.0[VARIANT], &self.grid.settings(candidate));
            self.elapsed += seconds.unwrap_or(0.0);
            Ok(seconds)
        }

        fn estimate(&mut self, candidate: Candidate) -> Result<f64, RunError> {
            Ok((self.estimate)(candidate.0[VARIANT], &self.grid.settings(candidate)))
        }

        fn elapsed(&self) -> f64 {
            self.elapsed
        }
    }

    fn grid() -> SettingsGrid {
        SettingsGrid {
            widths: vec![32, 64, 128, 256],
            policies: vec![Policy::Lazy, Policy::Naive],
            capacities: [1, 2, 4, 8].map(Capacity::Ensembles).to_vec(),
            shared_queues: vec![0, 1 << 14, 1 << 15],
            ..SettingsGrid::of(&Settings::default())
        }
    }

    fn found(
        grid: &SettingsGrid,
        most_seconds: f64,
        time: &dyn Fn(usize, &Settings) -> Option<f64>,
        estimate: &dyn Fn(usize, &Settings) -> f64,
    ) -> (Option<(usize, Settings)>, usize) {
        let mut known = Known { grid, time, estimate, elapsed: 0.0, runs: 0 };
        let found = search(grid, 3, most_seconds, &mut known).expect("no trial fails");
        if let Some(found) = found {
            assert_eq!(found.runs, known.runs);
        }
        assert!(known.runs <= MOST_RUNS, "{}", known.runs);
        let chosen = found.map(|it| (it.candidate.0[VARIANT], grid.settings(it.candidate)));
        (chosen, known.runs)
    }

    /// The seconds of 288 candidates that depend on each setting alone.
    fn separable(variant: usize, settings: &Settings) -> f64 {
        let width = f64::from(settings.width.abs_diff(64)) / 200.0;
        let slow = if settings.policy == Policy::Naive { 0.3 } else { 0.0 };
        let capacity = if settings.capacity == Capacity::Ensembles(2) { 0.0 } else { 0.2 };
        let shared = f64::from(settings.shared_queues) / 1e6;
        1e-3 * ([1.2, 1.0, 1.1][variant] + width + slow + capacity + shared)
    }

    #[test]
    fn separable_times_are_searched_to_the_end_in_few_runs_even_without_a_model() {
        let time = |variant: usize, settings: &Settings| Some(separable(variant, settings));
        for model in [&separable as &dyn Fn(usize, &Settings) -> f64, &|_, _| 1.0] {
            let (chosen, runs) = found(&grid(), 60.0, &time, model);
            let (variant, settings) = chosen.expect("something runs");
            assert_eq!((variant, settings.width, settings.policy), (1, 64, Policy::Lazy));
            assert_eq!((settings.capacity, settings.shared_queues), (Capacity::Ensembles(2), 0));
            assert!(runs < 110, "{runs} of {}", 3 * 96);
        }
    }

    #[test]
    fn settings_that_depend_on_each_other_are_found() {
        // Wide ensembles are fast with small queues only, so that each change alone makes it slower.
        let time = |variant: usize, settings: &Settings| {
            let (wide, small) =
                (settings.width == 256, settings.capacity == Capacity::Ensembles(1));
            let seconds = match (wide, small) {
                (true, true) => 1.0,
                (false, false) => 1.1,
                _ => 1.3,
            };
            Some(1e-3 * (seconds + variant as f64))
        };
        let (chosen, runs) = found(&grid(), 60.0, &time, &|variant, settings| {
            [1.0, 3.0, 3.0][variant] + f64::from(settings.width) / 1e4
        });
        let (_, settings) = chosen.expect("something runs");
        assert_eq!((settings.width, settings.capacity), (256, Capacity::Ensembles(1)), "{runs}");
    }

    #[test]
    fn what_is_refused_is_left_out() {
        let time = |variant: usize, settings: &Settings| {
            (settings.width >= 128 && variant == 2).then(|| separable(variant, settings))
        };
        let (chosen, _) = found(&grid(), 60.0, &time, &|variant, _| [1.0, 1.1, 1.2][variant]);
        let (variant, settings) = chosen.expect("something runs");
        assert_eq!((variant, settings.width), (2, 128));
        let (chosen, _) = found(&grid(), 60.0, &|_, _| None, &|_, _| f64::INFINITY);
        assert!(chosen.is_none());
    }

    #[test]
    fn a_hopeless_variant_does_not_run() {
        let time = |variant: usize, settings: &Settings| {
            assert_ne!(variant, 0, "its estimate is three times the best");
            Some(separable(variant, settings))
        };
        let estimate =
            |variant: usize, settings: &Settings| [3.0, 1.0, 1.0][variant] * separable(1, settings);
        let (chosen, _) = found(&grid(), 60.0, &time, &estimate);
        assert_eq!(chosen.expect("something runs").0, 1);
    }

    #[test]
    fn no_run_begins_after_the_last_second() {
        let time = |variant: usize, settings: &Settings| Some(1e3 * separable(variant, settings));
        let (chosen, runs) = found(&grid(), 5.0, &time, &|_, _| 1.0);
        // Runs take between 1 and 3 seconds.
        assert!(chosen.is_some() && (1..=6).contains(&runs), "{runs}");
        let (chosen, runs) = found(&grid(), 0.0, &time, &|_, _| 1.0);
        assert!(chosen.is_some());
        assert_eq!(runs, 1);
    }
}
