//! Where a read lies.

use rust_htslib::bam::Record;
use rust_htslib::bam::record::Cigar;

/// The place of an aligned read on the forward strand, 1-based, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The contig's number.
    pub contig: u32,
    pub is_reverse: bool,
    /// The ends of what is aligned.
    left: i64,
    right: i64,
    /// Bases clipped at either end.
    clipped: [i64; 2],
}

impl Place {
    /// Of a record; `None` if it is not aligned.
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

    /// Whether the left end is here, up to `tolerance` bases: as it would be if the read were not clipped,
    /// or, where an indel moved one end, if what is clipped at the other end were aligned.
    pub fn begins_at(&self, left: i64, tolerance: i64) -> bool {
        self.clipped.iter().any(|clipped| (self.left - clipped - left).abs() <= tolerance)
    }

    /// The same for the right end.
    pub fn ends_at(&self, right: i64, tolerance: i64) -> bool {
        self.clipped.iter().any(|clipped| (self.right + clipped - right).abs() <= tolerance)
    }

    /// Whether two alignments of a read are at the same place: on one strand, with one of both ends at
    /// most so many bases apart, clipped bases counted in.
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

    fn place(position: i64, cigar: &str, flags: u16) -> Option<Place> {
        let mut record = Record::new();
        let cigar = CigarString::try_from(cigar.as_bytes()).expect("a CIGAR");
        record.set(b"r", Some(&cigar), b"", b"");
        record.set_tid(0);
        record.set_pos(position - 1);
        record.set_flags(flags);
        Place::of(&record)
    }

    #[test]
    fn ends_are_where_the_read_would_end() {
        let whole = place(101, "50M", 0).expect("is aligned");
        assert!(whole.begins_at(101, 0) && whole.ends_at(150, 0));
        assert!(whole.begins_at(106, 5) && !whole.begins_at(107, 5));
        let gapped = place(101, "20=5I5X10D20M100N3M", 0).expect("is aligned");
        assert!(gapped.begins_at(101, 0) && gapped.ends_at(101 + 157, 0));
        let clipped = place(101, "4H6S40M7S", 16).expect("is aligned");
        for left in [91, 94] {
            assert!(clipped.begins_at(left, 0), "{left}");
        }
        assert!(!clipped.begins_at(101, 5));
        assert!(clipped.ends_at(147, 0) && clipped.ends_at(150, 0) && !clipped.ends_at(140, 5));
        assert!(clipped.is_reverse);
        assert_eq!(place(101, "50M", 4), None);
    }

    #[test]
    fn one_end_is_enough_to_agree() {
        let place = |position, cigar, flags| place(position, cigar, flags).expect("is aligned");
        let whole = place(101, "50M", 0);
        assert!(whole.agrees_with(&place(111, "10S40M", 0), 0));
        assert!(whole.agrees_with(&place(101, "10M9D40M", 0), 5));
        assert!(whole.agrees_with(&place(106, "50M", 0), 5));
        assert!(!whole.agrees_with(&place(107, "50M", 0), 5));
        assert!(!whole.agrees_with(&place(101, "50M", 16), 5));
    }
}
