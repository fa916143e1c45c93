//! What a run did, in a few lines for a person at a terminal.

use std::time::Duration;

use indicatif::HumanCount;

use super::stats::Summary;

/// The lines: a name and a value each, aligned.
pub fn lines(summary: &Summary) -> Vec<String> {
    let Summary { tally, seconds, .. } = summary;
    let of = |count: u64, all: u64| {
        let percent = 100.0 * count as f64 / all.max(1) as f64;
        (HumanCount(count).to_string(), format!(" ({percent:.2}%)"))
    };
    let count = |count: u64| (HumanCount(count).to_string(), String::new());
    let mut rows =
        vec![("reads", count(tally.primary)), ("mapped", of(tally.mapped, tally.primary))];
    if summary.has_proper_pairs() {
        rows.push(("properly paired", of(tally.properly_paired, tally.primary)));
    }
    if let Some(found) = summary.duplicates {
        let (count, percent) = of(found.duplicates, found.examined);
        rows.push(("duplicates", (count, percent.replace(')', " of mapped)"))));
    }
    if let Some(median) = tally.median_insert_size() {
        rows.push(("median insert size", (HumanCount(median.into()).to_string(), " bases".into())));
    }
    rows.push(("time", (duration(Duration::from_secs_f64(seconds.total)), String::new())));
    rows.push(("reads per second", count(summary.reads_per_second.round() as u64)));
    let name_width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = rows.iter().map(|(_, (value, _))| value.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, (value, unit))| format!("{name:name_width$}  {value:>width$}{unit}"))
        .collect()
}

/// A time, as exact as a person wants to know it.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_units_at_most() {
        let of = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!(
            [0.04, 59.96, 61.0, 3599.9, 7260.0].map(of),
            ["0.0 s", "60.0 s", "1 min 01 s", "59 min 59 s", "2 h 01 min"]
        );
    }
}
