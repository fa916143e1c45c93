//! Matches of a query on contigs, with their exact distances.
//!
//! The index holds a text without ambiguous bases and knows no contig ends, so a match that it finds near either is a
//! candidate, whose distance is a lower bound. [`MatchVerifier`] computes such distances from the reference itself.

use fm_index::{PlainStretches, Reference};

/// A start on a contig where a query matches within `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Number of the contig in the reference.
    pub contig: u32,
    /// First base of the match within the contig, 0-based.
    pub start: u32,
    /// Least edit distance of the query to any string that begins at `start`.
    pub distance: u8,
}

/// Turns match starts in the indexed text into matches on contigs. Reuses its memory from match to match.
#[derive(Debug)]
pub struct MatchVerifier<'a> {
    reference: &'a Reference,
    stretches: PlainStretches<'a>,
    text: Vec<u8>,
    row: Vec<usize>,
}

impl<'a> MatchVerifier<'a> {
    /// Makes a verifier for matches on this reference.
    pub fn new(reference: &'a Reference) -> Self {
        let stretches = PlainStretches::new(reference);
        Self { reference, stretches, text: Vec::new(), row: Vec::new() }
    }

    /// The match at a position of the indexed text where `query` was found at this distance. Near ambiguous bases and
    /// contig ends, the distance is computed from the reference; `None` if it exceeds `k`.
    pub fn verify(&mut self, position: u32, distance: u8, query: &[u8], k: usize) -> Option<Match> {
        if let Some(plain) = self.stretches.at_indexed(position)
            && (plain.indexed.end - position) as usize >= query.len() + k
        {
            return Some(Match {
                contig: plain.contig,
                start: plain.in_contig(position),
                distance,
            });
        }
        let start = self.reference.to_reference(position);
        let number = self.reference.contig_at(start);
        let start = start - self.reference.contigs()[number].offset;
        let mut found = Match { contig: number as u32, start, distance };
        found.distance = self.distance(found, query, k)?;
        Some(found)
    }

    /// The distance of a query at a match start by the full matrix, or `None` if it exceeds `k`.
    fn distance(&mut self, found: Match, query: &[u8], k: usize) -> Option<u8> {
        reference_window(self.reference, found, query.len() + k, &mut self.text);
        let row = &mut self.row;
        row.clear();
        row.extend(0..=query.len());
        let mut best = row[query.len()];
        for &base in &self.text {
            let mut diagonal = row[0];
            row[0] += 1;
            for (i, &code) in query.iter().enumerate() {
                let differs = usize::from(code != base || base > 3);
                let value = (diagonal + differs).min(row[i + 1] + 1).min(row[i] + 1);
                diagonal = row[i + 1];
                row[i + 1] = value;
            }
            best = best.min(row[query.len()]);
        }
        (best <= k).then_some(best as u8)
    }
}

/// Fills `codes` with up to `length` codes of the contig, from the start of a match on.
pub fn reference_window(reference: &Reference, found: Match, length: usize, codes: &mut Vec<u8>) {
    let contig = &reference.contigs()[found.contig as usize];
    let end = contig.length.min(found.start + length as u32);
    codes.clear();
    reference.codes_into(contig.offset + found.start..contig.offset + end, codes);
}
