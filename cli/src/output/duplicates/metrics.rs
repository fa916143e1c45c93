//! The metrics of duplicates in the format of Picard's `MarkDuplicates`, which `MultiQC` reads.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::find::LibraryCounts;
use super::sets::{SetCounts, SetSizes};

/// The columns of a library, by Picard's names.
const COLUMNS: &str = "LIBRARY\tUNPAIRED_READS_EXAMINED\tREAD_PAIRS_EXAMINED\tSECONDARY_OR_SUPPLEMENTARY_RDS\t\
    UNMAPPED_READS\tUNPAIRED_READ_DUPLICATES\tREAD_PAIR_DUPLICATES\tREAD_PAIR_OPTICAL_DUPLICATES\t\
    PERCENT_DUPLICATION\tESTIMATED_LIBRARY_SIZE";

/// Steps of halving the interval that contains the estimate of a library's size; Picard takes as many.
const HALVINGS: u32 = 40;

/// The most times as much sequencing for which the gain is estimated.
const MOST_TIMES: u32 = 100;

/// The text of a file of metrics for libraries with these names, and for the sets of duplicate pairs of all of them, which
/// `command` made.
pub fn text(command: &str, libraries: &[(&str, LibraryCounts)], sets: &SetSizes) -> String {
    let mut text = format!(
        "## htsjdk.samtools.metrics.StringHeader\n# {command}\n\n\
         ## METRICS CLASS\tpicard.sam.DuplicationMetrics\n{COLUMNS}\n"
    );
    for (name, counts) in libraries {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}\t{}", row(counts));
    }
    text.push('\n');
    let multiples = match libraries {
        [(_, counts)] => coverage_multiples(counts),
        _ => None,
    };
    histogram(multiples.as_deref(), sets, &mut text);
    text
}

fn row(counts: &LibraryCounts) -> String {
    let pairs = counts.examined.paired / 2;
    let LibraryCounts { examined, unpaired_duplicates, pair_duplicates, optical_duplicates } =
        counts;
    let share = match counts.reads() {
        0 => 0.0,
        reads => counts.duplicates() as f64 / reads as f64,
    };
    let size = library_size(counts).map_or(String::new(), |size| size.to_string());
    format!(
        "{}\t{pairs}\t{}\t{}\t{unpaired_duplicates}\t{pair_duplicates}\t{optical_duplicates}\t{}\t{size}",
        examined.unpaired,
        examined.secondary_or_supplementary,
        examined.unmapped,
        six_digits(share),
    )
}

/// A number with up to six digits behind the point.
fn six_digits(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The estimate of the number of different pairs in the library, from pairs that are no optical duplicates, `n`, and those
/// of them that are unique, `c`: the size `x` with c / x = 1 - exp(-n / x) (Lander and Waterman 1988). `None` without
/// duplicates.
fn library_size(counts: &LibraryCounts) -> Option<u64> {
    let pairs = counts.examined.paired / 2;
    let (n, c) = (pairs - counts.optical_duplicates, pairs - counts.pair_duplicates);
    if c == 0 || n <= c {
        return None;
    }
    let (n, c) = (n as f64, c as f64);
    let excess = |x: f64| c / x - 1.0 + (-n / x).exp();
    let (mut least, mut most) = (1.0, 100.0);
    while excess(most * c) > 0.0 {
        most *= 10.0;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(least, most);
        let value = excess(middle * c);
        if value > 0.0 {
            least = middle;
        } else if value < 0.0 {
            most = middle;
        } else {
            break;
        }
    }
    Some((c * f64::midpoint(least, most)) as u64)
}

/// How many times as many unique pairs there would be with one to [`MOST_TIMES`] times as much sequencing; `None` without an
/// estimate of the library's size.
fn coverage_multiples(counts: &LibraryCounts) -> Option<Vec<f64>> {
    let size = library_size(counts)? as f64;
    let pairs = counts.examined.paired / 2;
    let (n, c) = (pairs as f64, (pairs - counts.pair_duplicates) as f64);
    let unique = |times: u32| size * (1.0 - (-f64::from(times) * n / size).exp());
    Some((1..=MOST_TIMES).map(|times| unique(times) / c).collect())
}

/// A column of sets: its name, and its number in a row.
type SetColumn = (&'static str, fn(SetCounts) -> u64);

/// Appends the columns that Picard has behind the libraries: multiples of coverage, where the first column is one of times,
/// and the numbers of sets of each size. Columns without a number above zero are left out.
fn histogram(multiples: Option<&[f64]>, sets: &SetSizes, text: &mut String) {
    let mut rows: BTreeMap<u64, SetCounts> = sets.iter().collect();
    let multiples = multiples.unwrap_or_default();
    for times in 1..=multiples.len() as u64 {
        rows.entry(times).or_default();
    }
    let columns: [SetColumn; 3] = [
        ("all_sets", |counts| counts.all),
        ("optical_sets", |counts| counts.optical),
        ("non_optical_sets", |counts| counts.non_optical),
    ];
    let is_used = |(_, count): &SetColumn| rows.values().any(|&counts| count(counts) > 0);
    let columns: Vec<SetColumn> = columns.into_iter().filter(is_used).collect();
    if rows.is_empty() {
        text.push('\n');
        return;
    }
    text.push_str("## HISTOGRAM\tjava.lang.Double\n");
    text.push_str(if multiples.is_empty() { "set_size" } else { "BIN\tCoverageMult" });
    for (name, _) in &columns {
        let _ = write!(text, "\t{name}");
    }
    text.push('\n');
    for (&row, &counts) in &rows {
        let _ = write!(text, "{row}.0");
        if !multiples.is_empty() {
            let multiple = multiples.get(row as usize - 1).copied().unwrap_or(0.0);
            let _ = write!(text, "\t{}", six_digits(multiple));
        }
        for (_, count) in &columns {
            let _ = write!(text, "\t{}", count(counts));
        }
        text.push('\n');
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a file of metrics behind the libraries.
    fn behind_libraries(libraries: usize, sets: &SetSizes, pair_duplicates: u64) -> String {
        let mut counts = LibraryCounts { pair_duplicates, ..LibraryCounts::default() };
        counts.examined.paired = 200;
        let text = text("x", &vec![("a", counts); libraries], sets);
        let (_, behind) = text.split_once("\n\n## METRICS").expect("has libraries");
        behind.split_once("\n\n").map_or(String::new(), |(_, behind)| behind.to_owned())
    }

    #[test]
    fn columns_are_those_that_have_numbers() {
        let mut sets = SetSizes::default();
        assert_eq!(behind_libraries(1, &sets, 0), "\n");
        sets.add(1, 0);
        sets.add(3, 0);
        let head = "## HISTOGRAM\tjava.lang.Double\n";
        let expected = "set_size\tall_sets\tnon_optical_sets\n1.0\t1\t1\n3.0\t1\t1\n\n";
        for (libraries, duplicates) in [(1, 0), (2, 0), (2, 40)] {
            assert_eq!(behind_libraries(libraries, &sets, duplicates), head.to_owned() + expected);
        }
        sets.add(150, 1);
        let text = behind_libraries(1, &sets, 40);
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows[0], "BIN\tCoverageMult\tall_sets\toptical_sets\tnon_optical_sets");
        assert!(rows[1].starts_with("1.0\t") && rows[1].ends_with("\t1\t0\t1"), "{}", rows[1]);
        assert!(rows[2].ends_with("\t0\t1\t0"), "{}", rows[2]);
        assert_eq!(&rows[101..], ["149.0\t0\t0\t0\t1", "150.0\t0\t1\t0\t0", ""]);
    }
}
