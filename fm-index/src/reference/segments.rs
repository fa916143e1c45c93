//! Segments: parts of the indexed text that lie in one contig and have nothing cut out. Unlike plain stretches they
//! may hold exceptions.

use std::ops::Range;

use super::Reference;

/// A part of the indexed text whose bases follow one another in one contig; bases may stand in it for exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its range in indexed coordinates; never empty.
    pub indexed: Range<u32>,
    /// Number of the contig, from 0.
    pub contig: u32,
    /// Position of its first base in the contig, 0-based.
    pub start: u32,
}

/// All segments of a reference, in order; together they are the indexed text. An alignment inside one segment is an
/// alignment to the reference, column by column.
#[derive(Debug, Clone)]
pub struct Segments(Vec<Segment>);

impl Segments {
    /// Finds the segments of `reference`.
    pub fn new(reference: &Reference) -> Self {
        let contigs = reference.contigs().iter().enumerate();
        let segments = contigs.flat_map(|(number, contig)| {
            let whole = contig.offset..contig.end();
            reference.coordinates().indexed_parts(whole).map(move |(start, indexed)| Segment {
                indexed,
                contig: number as u32,
                start: start - contig.offset,
            })
        });
        Self(segments.collect())
    }

    /// Number of the segment, from 0, that holds an indexed coordinate.
    ///
    /// # Panics
    /// If the coordinate is behind the text.
    #[inline]
    pub fn number(&self, indexed: u32) -> u32 {
        let number = self.0.partition_point(|segment| segment.indexed.end <= indexed);
        assert!(number < self.0.len(), "position {indexed} is behind the indexed text");
        number as u32
    }

    /// The segment of a number, from 0.
    ///
    /// # Panics
    /// If there are no more than `number` segments.
    #[inline]
    pub fn get(&self, number: u32) -> &Segment {
        &self.0[number as usize]
    }

    /// All segments, in order.
    pub fn all(&self) -> &[Segment] {
        &self.0
    }
}

impl Segment {
    /// Position in the contig, 0-based, of an indexed coordinate of this segment, or of its end.
    #[inline]
    pub fn in_contig(&self, indexed: u32) -> u32 {
        self.start + (indexed - self.indexed.start)
    }
}
