//! Repeating a measurement, and the median of its times.

use std::time::Instant;

use crate::error::BenchError;

/// Runs `work` once without timing it, since a first run loads code and grows memory, and then `runs` times: the last result, and the
/// median seconds.
///
/// # Errors
/// The first error of `work`.
pub(crate) fn repeat<T>(
    runs: usize,
    mut work: impl FnMut() -> Result<T, BenchError>,
) -> Result<(T, f64), BenchError> {
    let mut found = work()?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        found = work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok((found, median(&times)))
}

/// The middle of `values`, or 0 without values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
    }
}
