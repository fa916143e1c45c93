//! The definitions of match, locus and alignment by brute force, as the reference for tests.
//!
//! This module shares no code with the engines. For every start, it computes the full matrix of a read against the text
//! that begins there.

/// A match of a read, by definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OracleMatch {
    /// Number of the contig in the reference.
    pub contig: usize,
    /// Whether the reverse complement of the read matches, instead of the read.
    pub is_reverse: bool,
    /// First base of the match within the contig, 0-based.
    pub start: usize,
    /// Edit distance: the least over all strings that begin at `start`.
    pub distance: usize,
}

fn differs(a: u8, b: u8) -> usize {
    usize::from(a != b || a > 3)
}

fn on_strand(read: &[u8], is_reverse: bool) -> Vec<u8> {
    if is_reverse {
        read.iter().rev().map(|&code| if code < 4 { 3 - code } else { code }).collect()
    } else {
        read.to_vec()
    }
}

/// Turns the distances of all prefixes of the read to some string into their distances to that string followed by
/// `base`.
fn extend(row: &mut [usize], read: &[u8], base: u8) {
    let mut diagonal = row[0];
    row[0] += 1;
    for (i, &code) in read.iter().enumerate() {
        let value = (diagonal + differs(code, base)).min(row[i + 1] + 1).min(row[i] + 1);
        diagonal = row[i + 1];
        row[i + 1] = value;
    }
}

/// The least edit distance between `read` and any string of `contig` that begins at `start`, or
/// `None` if it is greater than `k`.
pub fn distance(contig: &[u8], start: usize, read: &[u8], k: usize) -> Option<usize> {
    let mut row: Vec<usize> = (0..=read.len()).collect();
    let mut least = read.len();
    // A longer string needs more than k deletions.
    for &base in contig[start..].iter().take(read.len() + k) {
        extend(&mut row, read, base);
        least = least.min(row[read.len()]);
    }
    (least <= k).then_some(least)
}

/// Every match of a read within `k`, in the order of contig, strand and start. Contigs and read are
/// codes; codes above 3 match nothing.
pub fn matches(contigs: &[Vec<u8>], read: &[u8], k: usize) -> Vec<OracleMatch> {
    let mut found = Vec::new();
    if read.is_empty() {
        return found;
    }
    for (contig, text) in contigs.iter().enumerate() {
        for is_reverse in [false, true] {
            let read = on_strand(read, is_reverse);
            for start in 0..text.len() {
                if let Some(distance) = distance(text, start, &read, k) {
                    found.push(OracleMatch { contig, is_reverse, start, distance });
                }
            }
        }
    }
    found
}

/// The matches that represent the loci of `matches`, in the same order.
pub fn loci(matches: &[OracleMatch], k: usize) -> Vec<OracleMatch> {
    let mut runs: Vec<Vec<OracleMatch>> = Vec::new();
    for &this in matches {
        match runs.last_mut() {
            Some(run)
                if run.last().is_some_and(|last| {
                    last.contig == this.contig
                        && last.is_reverse == this.is_reverse
                        && this.start - last.start <= k.max(1)
                }) =>
            {
                run.push(this);
            }
            _ => runs.push(vec![this]),
        }
    }
    runs.iter()
        .filter_map(|run| run.iter().min_by_key(|m| (m.distance, m.start)).copied())
        .collect()
}

/// The alignment of a match as a CIGAR string of `=XID`. Of the strings with the least distance, it takes the one whose
/// length is closest to the read's, the longer one of two. The path is traced back from the read's end and prefers the
/// diagonal, then a deletion, then an insertion.
pub fn cigar(contig: &[u8], read: &[u8], found: OracleMatch) -> String {
    let read = on_strand(read, found.is_reverse);
    let end = contig.len().min(found.start + read.len() + found.distance);
    let text = &contig[found.start..end];
    let mut rows = vec![(0..=read.len()).collect::<Vec<_>>()];
    for &base in text {
        let mut row = rows[rows.len() - 1].clone();
        extend(&mut row, &read, base);
        rows.push(row);
    }
    let mut ends: Vec<usize> =
        (0..rows.len()).filter(|&j| rows[j][read.len()] == found.distance).collect();
    ends.sort_by_key(|&j| (j.abs_diff(read.len()), usize::MAX - j));
    let (mut j, mut i) = (ends[0], read.len());
    let mut columns = Vec::new();
    while j > 0 || i > 0 {
        if j > 0 && i > 0 && rows[j][i] == rows[j - 1][i - 1] + differs(read[i - 1], text[j - 1]) {
            columns.push(if differs(read[i - 1], text[j - 1]) == 0 { '=' } else { 'X' });
            (j, i) = (j - 1, i - 1);
        } else if j > 0 && rows[j][i] == rows[j - 1][i] + 1 {
            columns.push('D');
            j -= 1;
        } else {
            columns.push('I');
            i -= 1;
        }
    }
    columns.reverse();
    columns.chunk_by(|a, b| a == b).map(|run| format!("{}{}", run.len(), run[0])).collect()
}
