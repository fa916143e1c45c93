//! An alignment of mode best, in the terms of a record.

use std::ops::Range;

use fm_index::Reference;
use seed_extend::read::queries::is_reverse;
use seed_extend::region::regions::Region;

use crate::output::lines::Lines;
use crate::output::record::cigar;
use crate::output::record::fields::Tags;
use crate::output::record::mate::{Placement, PrimaryAlignment};

/// The CIGARs and `MD` strings of the alignments of a read or of a pair, one behind the other.
#[derive(Debug, Default)]
pub(super) struct AlignmentTexts {
    pub cigars: Vec<u32>,
    pub md: Lines,
}

impl AlignmentTexts {
    /// Removes all, and keeps the memory.
    pub fn clear(&mut self) {
        self.cigars.clear();
        self.md.clear();
    }
}

/// One alignment of a read.
#[derive(Debug, Clone)]
pub(super) struct RecordAlignment<'r> {
    pub region: &'r Region,
    /// The best score of other alignments that overlap this one in the read.
    pub second: i32,
    /// The contig's number, from 0.
    pub contig: u32,
    /// The first aligned base on the contig, from 0.
    pub start: u32,
    /// The end of the aligned bases on the contig, exclusive.
    pub end: u32,
    pub mapq: u8,
    /// Edit distance of the aligned bases.
    pub distance: u32,
    /// Where the CIGAR, with soft clips, is among those of [`AlignmentTexts`].
    pub cigar: Range<usize>,
    /// Where the `MD` string is there.
    pub md: Range<usize>,
    /// The items of the tag `XA`.
    pub alternatives: Vec<u8>,
}

impl RecordAlignment<'_> {
    /// Whether the read's reverse complement is aligned.
    pub fn is_reverse(&self) -> bool {
        is_reverse(self.region.query)
    }

    /// Where it lies on the reference.
    pub fn placement(&self) -> Placement {
        let &Self { contig, start, end, .. } = self;
        Placement { contig, start, end, is_reverse: self.is_reverse() }
    }

    /// The CIGAR, with soft clips.
    pub fn cigar<'t>(&self, texts: &'t AlignmentTexts) -> &'t [u32] {
        &texts.cigars[self.cigar.clone()]
    }

    /// The alignment as records of the mate tell of it.
    pub fn as_primary<'t>(&self, texts: &'t AlignmentTexts) -> PrimaryAlignment<'t> {
        PrimaryAlignment { placement: self.placement(), cigar: self.cigar(texts), mapq: self.mapq }
    }

    /// The tags of this alignment, without those about other alignments of the read.
    pub fn tags<'t>(&self, texts: &'t AlignmentTexts) -> Tags<'t> {
        Tags {
            distance: self.distance,
            md: &texts.md.bytes()[self.md.clone()],
            score: self.region.score,
            second: None,
            count: None,
            parts: &[],
            alt_ratio: None,
            alternatives: &[],
        }
    }

    /// The name of its contig.
    fn contig_name<'r>(&self, reference: &'r Reference) -> &'r str {
        &reference.contigs()[self.contig as usize].name
    }

    /// An item of the `SA` tag: contig, 1-based position, strand, CIGAR, MAPQ and edit distance.
    pub fn supplementary_item(&self, reference: &Reference, texts: &AlignmentTexts) -> Vec<u8> {
        let strand = if self.is_reverse() { '-' } else { '+' };
        let (name, position) = (self.contig_name(reference), self.start + 1);
        let Self { mapq, distance, .. } = self;
        let cigar = cigar::text(self.cigar(texts));
        format!("{name},{position},{strand},{cigar},{mapq},{distance};").into_bytes()
    }

    /// The score as a fraction of that of a better alignment on an ALT contig, if there is one, in thousandths as bwa has it.
    pub fn alt_ratio(&self) -> Option<f32> {
        let Region { score, alt_score, .. } = *self.region;
        (alt_score > 0).then(|| (score as f32 / alt_score as f32 * 1e3).round() / 1e3)
    }

    /// An item of the `XA` tag, as bwa writes it: contig, strand with the 1-based position, CIGAR and edit distance.
    pub fn alternative_item(&self, reference: &Reference, texts: &AlignmentTexts) -> Vec<u8> {
        let strand = if self.is_reverse() { '-' } else { '+' };
        let (name, position) = (self.contig_name(reference), self.start + 1);
        let cigar = cigar::text(self.cigar(texts));
        format!("{name},{strand}{position},{cigar},{};", self.distance).into_bytes()
    }
}
