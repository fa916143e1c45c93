//! Plain stretches: where the indexed text is the reference, base by base.

use std::ops::Range;

use aligner_core::seq::decode;

use crate::packed;
use crate::reference::Reference;

/// Indexed bases without an exception and inside one contig, as many as there are between two such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain {
    /// Where it lies in the indexed text; never empty.
    pub indexed: Range<u32>,
    /// Number of the contig.
    pub contig: u32,
    /// Where it begins within the contig, 0-based.
    pub start: u32,
}

impl Plain {
    /// The place within the contig of an indexed position of this stretch.
    #[inline]
    pub fn in_contig(&self, indexed: u32) -> u32 {
        self.start + (indexed - self.indexed.start)
    }

    /// The indexed position of a place within a contig, if it is in this stretch.
    #[inline]
    pub fn at(&self, contig: u32, start: u32) -> Option<u32> {
        let place = start.wrapping_sub(self.start);
        (contig == self.contig && place < self.indexed.end - self.indexed.start)
            .then(|| self.indexed.start + place)
    }
}

/// Finds the plain stretches of a reference. It remembers the last one: a genome has few, and those who
/// ask go from place to place in order.
#[derive(Debug, Clone)]
pub struct PlainStretches<'a> {
    reference: &'a Reference,
    last: Option<Plain>,
}

impl<'a> PlainStretches<'a> {
    /// Those of a reference.
    pub fn new(reference: &'a Reference) -> Self {
        Self { reference, last: None }
    }

    /// The reference.
    pub fn reference(&self) -> &'a Reference {
        self.reference
    }

    /// The stretch with this position of the indexed text; `None` if an exception is there.
    #[inline]
    pub fn at_indexed(&mut self, indexed: u32) -> Option<&Plain> {
        if !self.last.as_ref().is_some_and(|plain| plain.indexed.contains(&indexed)) {
            self.last = self.reference.plain_stretch(indexed);
        }
        self.last.as_ref()
    }

    /// The indexed position of a place within a contig, and the end of its stretch; `None` if an
    /// exception is there.
    #[inline]
    pub fn at_place(&mut self, contig: u32, start: u32) -> Option<Range<u32>> {
        if let Some(plain) = &self.last
            && let Some(indexed) = plain.at(contig, start)
        {
            return Some(indexed..plain.indexed.end);
        }
        let contig = &self.reference.contigs()[contig as usize];
        let indexed = self.reference.to_indexed(contig.offset + start)?;
        self.at_indexed(indexed).map(|plain| indexed..plain.indexed.end)
    }

    /// The upper-case letter at a place within a contig; T for U.
    #[inline]
    pub fn letter(&mut self, contig: u32, start: u32) -> u8 {
        if let Some(indexed) = self.at_place(contig, start) {
            return decode(packed::get(self.reference.words(), indexed.start as usize));
        }
        let position = self.reference.contigs()[contig as usize].offset + start;
        self.reference.letters(position..position + 1)[0]
    }
}
