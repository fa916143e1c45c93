//! The overview of a run: a few lines for a person at a terminal.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use indicatif::HumanCount;

use super::args::StatsFormat;
use super::stats::{DuplicateTotals, Summary, percent};
use crate::console::Console;

/// Says how a run went, as far as that is asked for.
///
/// # Errors
/// If standard error cannot be written.
pub fn tell(summary: &Summary, stats: Option<StatsFormat>, console: &Console) -> Result<()> {
    summary.lines().iter().for_each(|line| console.detail(line));
    console.overview(&lines(summary));
    if let Some(StatsFormat::Json) = stats {
        writeln!(io::stderr(), "{}", serde_json::to_string(summary)?)?;
    }
    Ok(())
}

/// A number that says what a run did.
pub struct Fact {
    pub name: &'static str,
    pub number: String,
    /// The text behind the number: its unit, or its share of another number.
    pub note: String,
}

impl Fact {
    fn count(name: &'static str, count: u64) -> Self {
        Self { name, number: HumanCount(count).to_string(), note: String::new() }
    }

    /// A part of `all`, which are `of` something.
    fn share(name: &'static str, part: u64, all: u64, of: &str) -> Self {
        let percent = percent(part, all);
        Self { note: format!(" ({percent:.2}%{of})"), ..Self::count(name, part) }
    }
}

/// The results of mapping: how many reads are mapped, paired and so on.
pub fn results(summary: &Summary) -> Vec<Fact> {
    let tally = &summary.tally;
    let mut results = vec![
        Fact::count("reads", tally.primary),
        Fact::share("mapped", tally.mapped, tally.primary, ""),
    ];
    if summary.has_proper_pairs() {
        let proper = tally.properly_paired;
        results.push(Fact::share("properly paired", proper, tally.primary, ""));
    }
    if let Some(DuplicateTotals { duplicates, examined }) = summary.duplicates {
        results.push(Fact::share("duplicates", duplicates, examined, " of mapped"));
    }
    if let Some(median) = tally.median_insert_size() {
        let note = " bases".to_owned();
        results.push(Fact { note, ..Fact::count("median insert size", median.into()) });
    }
    results
}

/// The lines: a name and a number each, aligned.
pub fn lines(summary: &Summary) -> Vec<String> {
    let mut facts = results(summary);
    let time = Duration::from_secs_f64(summary.seconds.total);
    facts.push(Fact { name: "time", number: duration(time), note: String::new() });
    facts.push(Fact::count("reads per second", summary.reads_per_second.round() as u64));
    let name_width = facts.iter().map(|fact| fact.name.len()).max().unwrap_or(0);
    let width = facts.iter().map(|fact| fact.number.len()).max().unwrap_or(0);
    let line =
        |Fact { name, number, note }: &Fact| format!("{name:name_width$}  {number:>width$}{note}");
    facts.iter().map(line).collect()
}

/// A time, as exact as a person wants to know it.
pub fn duration(time: Duration) -> String {
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
