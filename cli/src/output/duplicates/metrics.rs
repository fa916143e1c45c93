//! The metrics of duplicates in the format of Picard's `MarkDuplicates`, which `MultiQC` reads.

use std::fmt::Write;

use super::find::LibraryCounts;

/// The columns of a library, by Picard's names.
const COLUMNS: &str = "LIBRARY\tUNPAIRED_READS_EXAMINED\tREAD_PAIRS_EXAMINED\tSECONDARY_OR_SUPPLEMENTARY_RDS\t\
    UNMAPPED_READS\tUNPAIRED_READ_DUPLICATES\tREAD_PAIR_DUPLICATES\tREAD_PAIR_OPTICAL_DUPLICATES\t\
    PERCENT_DUPLICATION\tESTIMATED_LIBRARY_SIZE";

/// Steps of halving the interval that contains the estimate of a library's size; Picard takes as many.
const HALVINGS: u32 = 40;

/// The most times as much sequencing for which the gain is estimated.
const MOST_TIMES: u32 = 100;

/// The text of a file of metrics for libraries with these names, which `command` made.
pub fn text(command: &str, libraries: &[(&str, LibraryCounts)]) -> String {
    let mut text = format!(
        "## htsjdk.samtools.metrics.StringHeader\n# {command}\n\n\
         ## METRICS CLASS\tpicard.sam.DuplicationMetrics\n{COLUMNS}\n"
    );
    for (name, counts) in libraries {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}\t{}", row(counts));
    }
    text.push('\n');
    if let [(_, counts)] = libraries {
        histogram(counts, &mut text);
    }
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

/// Appends how many times as many unique pairs there would be with more sequencing.
fn histogram(counts: &LibraryCounts, text: &mut String) {
    let Some(size) = library_size(counts) else { return };
    let size = size as f64;
    let pairs = counts.examined.paired / 2;
    let (n, c) = (pairs as f64, (pairs - counts.pair_duplicates) as f64);
    text.push_str("## HISTOGRAM\tjava.lang.Double\nBIN\tVALUE\n");
    for times in 1..=MOST_TIMES {
        let unique = size * (1.0 - (-f64::from(times) * n / size).exp());
        let _ = writeln!(text, "{times}.0\t{}", six_digits(unique / c));
    }
    text.push('\n');
}
