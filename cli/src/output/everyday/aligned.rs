//! An alignment as records have it.

use fm_index::Reference;
use seed_extend::read::queries::is_reverse;
use seed_extend::region::regions::Region;

use crate::output::hts;
use crate::output::record::Tags;

/// An alignment's place and columns.
#[derive(Debug, Clone)]
pub(super) struct Aligned<'r> {
    pub region: &'r Region,
    /// The best score of those that overlap it in the read.
    pub second: i32,
    pub contig: u32,
    pub start: u32,
    pub end: u32,
    pub mapq: u8,
    pub distance: u32,
    /// With soft clips.
    pub cigar: Vec<u32>,
    pub md: Vec<u8>,
}

impl Aligned<'_> {
    /// Whether it is of the read's reverse complement.
    pub fn is_reverse(&self) -> bool {
        is_reverse(self.region.query)
    }

    /// Its tags, as far as they follow from it alone.
    pub fn tags(&self) -> Tags<'_> {
        Tags {
            distance: self.distance,
            md: &self.md,
            score: self.region.score,
            second: None,
            count: None,
            parts: &[],
            alternatives: &[],
        }
    }

    /// The place of the read's first base, or of the first that is aligned.
    fn five_prime(&self) -> i64 {
        if self.is_reverse() { i64::from(self.end) - 1 } else { self.start.into() }
    }

    /// `TLEN` if another is its mate's; 0 on another contig.
    pub fn span(&self, other: &Self) -> i32 {
        if self.contig != other.contig {
            return 0;
        }
        let ahead = other.five_prime() - self.five_prime();
        (ahead + ahead.signum()) as i32
    }

    fn name<'r>(&self, reference: &'r Reference) -> &'r str {
        &reference.contigs()[self.contig as usize].name
    }

    /// As `SA` has it.
    pub fn as_part(&self, reference: &Reference) -> Vec<u8> {
        let strand = if self.is_reverse() { '-' } else { '+' };
        let (name, place) = (self.name(reference), self.start + 1);
        let Self { mapq, distance, .. } = self;
        let cigar = hts::cigar_text(&self.cigar);
        format!("{name},{place},{strand},{cigar},{mapq},{distance};").into_bytes()
    }

    /// As `XA` has it.
    pub fn as_alternative(&self, reference: &Reference) -> Vec<u8> {
        let strand = if self.is_reverse() { '-' } else { '+' };
        let (name, place) = (self.name(reference), self.start + 1);
        let cigar = hts::cigar_text(&self.cigar);
        format!("{name},{strand}{place},{cigar},{};", self.distance).into_bytes()
    }
}

/// Makes a CIGAR that of another, with hard clips for soft ones.
pub(super) fn harden(cigar: &[u32], hard: &mut Vec<u32>) {
    let harden = |&run: &u32| match run & hts::CIGAR_KIND {
        hts::CIGAR_SOFT_CLIP => run & !hts::CIGAR_KIND | hts::CIGAR_HARD_CLIP,
        _ => run,
    };
    hard.clear();
    hard.extend(cigar.iter().map(harden));
}
