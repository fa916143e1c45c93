//! The span of the reference that a read is aligned to.

use rust_htslib::bam::Record;
use rust_htslib::bam::record::Cigar;

/// The span of an aligned read on the forward strand of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignedSpan {
    /// The contig's number in the header, from 0.
    pub contig: u32,
    /// Whether the read's reverse complement is aligned.
    pub is_reverse: bool,
    /// The first aligned base, from 1.
    left: i64,
    /// The last aligned base, from 1.
    right: i64,
    /// Bases that are clipped at the left and at the right end.
    clipped: [i64; 2],
}

impl AlignedSpan {
    /// The span of a record; `None` if it is not aligned.
    pub fn of(record: &Record) -> Option<Self> {
        let contig = u32::try_from(record.tid()).ok().filter(|_| !record.is_unmapped())?;
        let left = record.pos() + 1;
        let mut right = left - 1;
        let mut clipped = [0; 2];
        for &run in &record.cigar() {
            match run {
                Cigar::SoftClip(count) | Cigar::HardClip(count) => {
                    clipped[usize::from(right >= left)] += i64::from(count);
                }
                Cigar::Match(count)
                | Cigar::Equal(count)
                | Cigar::Diff(count)
                | Cigar::Del(count)
                | Cigar::RefSkip(count) => right += i64::from(count),
                Cigar::Ins(_) | Cigar::Pad(_) => {}
            }
        }
        Some(Self { contig, is_reverse: record.is_reverse(), left, right, clipped })
    }

    /// Whether the read begins at `left`, up to `tolerance` bases. Bases clipped at the left end count as aligned. So do, if
    /// only that fits, those clipped at the right end: an indel in them moves the left end.
    pub fn begins_at(&self, left: i64, tolerance: i64) -> bool {
        self.clipped.iter().any(|clipped| (self.left - clipped - left).abs() <= tolerance)
    }

    /// Whether the read ends at `right`, up to `tolerance` bases; see [`begins_at`](Self::begins_at).
    pub fn ends_at(&self, right: i64, tolerance: i64) -> bool {
        self.clipped.iter().any(|clipped| (self.right + clipped - right).abs() <= tolerance)
    }

    /// Whether two alignments of a read are at the same locus: on one strand, and with their left or their right ends at
    /// most `tolerance` bases apart, where clipped bases count as aligned.
    pub fn agrees_with(&self, other: &Self, tolerance: i64) -> bool {
        let [left, right] = [other.left - other.clipped[0], other.right + other.clipped[1]];
        (self.contig, self.is_reverse) == (other.contig, other.is_reverse)
            && ((self.left - self.clipped[0] - left).abs() <= tolerance
                || (self.right + self.clipped[1] - right).abs() <= tolerance)
    }
}

#[cfg(test)]
mod tests {
    use rust_htslib::bam::record::CigarString;

    use super::*;

    fn span(position: i64, cigar: &str, flags: u16) -> Option<AlignedSpan> {
        let mut record = Record::new();
        let cigar = CigarString::try_from(cigar.as_bytes()).expect("a CIGAR");
        record.set(b"r", Some(&cigar), b"", b"");
        record.set_tid(0);
        record.set_pos(position - 1);
        record.set_flags(flags);
        AlignedSpan::of(&record)
    }

    #[test]
    fn ends_are_where_the_read_would_end() {
        let whole = span(101, "50M", 0).expect("is aligned");
        assert!(whole.begins_at(101, 0) && whole.ends_at(150, 0));
        assert!(whole.begins_at(106, 5) && !whole.begins_at(107, 5));
        let gapped = span(101, "20=5I5X10D20M100N3M", 0).expect("is aligned");
        assert!(gapped.begins_at(101, 0) && gapped.ends_at(101 + 157, 0));
        let clipped = span(101, "4H6S40M7S", 16).expect("is aligned");
        for left in [91, 94] {
            assert!(clipped.begins_at(left, 0), "{left}");
        }
        assert!(!clipped.begins_at(101, 5));
        assert!(clipped.ends_at(147, 0) && clipped.ends_at(150, 0) && !clipped.ends_at(140, 5));
        assert!(clipped.is_reverse);
        assert_eq!(span(101, "50M", 4), None);
    }

    #[test]
    fn one_end_is_enough_to_agree() {
        let span = |position, cigar, flags| span(position, cigar, flags).expect("is aligned");
        let whole = span(101, "50M", 0);
        assert!(whole.agrees_with(&span(111, "10S40M", 0), 0));
        assert!(whole.agrees_with(&span(101, "10M9D40M", 0), 5));
        assert!(whole.agrees_with(&span(106, "50M", 0), 5));
        assert!(!whole.agrees_with(&span(107, "50M", 0), 5));
        assert!(!whole.agrees_with(&span(101, "50M", 16), 5));
    }
}
