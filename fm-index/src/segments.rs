//! Segments: stretches of the indexed text that are inside one contig and have nothing left out.

use std::ops::Range;

use crate::reference::Reference;

/// A stretch of the indexed text that lies as it is in one contig, but for stand-ins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Where it lies in the indexed text; never empty.
    pub indexed: Range<u32>,
    /// Number of the contig.
    pub contig: u32,
    /// Where it begins within the contig, 0-based.
    pub start: u32,
}

/// All segments of a reference. Together they are the indexed text. What is aligned within one
/// of them has a place in the reference, column by column.
#[derive(Debug, Clone)]
pub struct Segments(Vec<Segment>);

impl Segments {
    /// Those of a reference.
    pub fn new(reference: &Reference) -> Self {
        let contigs = reference.contigs().iter().enumerate();
        let segments = contigs.flat_map(|(number, contig)| {
            let all = contig.offset..contig.offset + contig.length;
            reference.indexed_parts(all).map(move |(start, indexed)| Segment {
                indexed,
                contig: number as u32,
                start: start - contig.offset,
            })
        });
        Self(segments.collect())
    }

    /// The number of the segment with this position of the indexed text.
    ///
    /// # Panics
    /// If the position is behind the text.
    #[inline]
    pub fn number(&self, indexed: u32) -> u32 {
        let number = self.0.partition_point(|segment| segment.indexed.end <= indexed);
        assert!(number < self.0.len(), "position {indexed} is behind the indexed text");
        number as u32
    }

    /// A segment.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn get(&self, number: u32) -> &Segment {
        &self.0[number as usize]
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Segment] {
        &self.0
    }
}

impl Segment {
    /// The place within the contig of an indexed position of this segment, or of its end.
    #[inline]
    pub fn in_contig(&self, indexed: u32) -> u32 {
        self.start + (indexed - self.indexed.start)
    }
}
