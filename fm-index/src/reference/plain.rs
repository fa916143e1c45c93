//! Plain stretches: parts of the indexed text that equal the reference, base by base.

use std::ops::Range;

use aligner_core::seq::decode;

use super::{Reference, packed};

/// A maximal part of the indexed text that lies in one contig and has no exception in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainStretch {
    /// Its range in indexed coordinates; never empty.
    pub indexed: Range<u32>,
    /// Number of the contig, from 0.
    pub contig: u32,
    /// Position of its first base in the contig, 0-based.
    pub start: u32,
}

impl PlainStretch {
    /// Position in the contig, 0-based, of an indexed coordinate of this stretch.
    #[inline]
    pub fn in_contig(&self, indexed: u32) -> u32 {
        self.start + (indexed - self.indexed.start)
    }

    /// Indexed coordinate of a position in a contig, if it is in this stretch.
    #[inline]
    pub fn to_indexed(&self, contig: u32, position: u32) -> Option<u32> {
        let offset = position.wrapping_sub(self.start);
        (contig == self.contig && offset < self.indexed.end - self.indexed.start)
            .then(|| self.indexed.start + offset)
    }
}

impl Reference {
    /// The plain stretch that holds an indexed coordinate; `None` if an exception is there. [`PlainStretches`]
    /// answers many such questions.
    pub fn plain_stretch(&self, indexed: u32) -> Option<PlainStretch> {
        let stretch = self.coordinates().plain_stretch(indexed)?;
        let start = self.to_reference(stretch.start);
        let contig = self.contig_at(start);
        let start = start - self.contigs()[contig].offset;
        Some(PlainStretch { indexed: stretch, contig: contig as u32, start })
    }
}

/// Contigs of which a [`PlainStretches`] remembers a stretch at a time.
const REMEMBERED: usize = 32;

/// Finds plain stretches of a reference. It remembers the last one of a few contigs each, because a contig has few.
#[derive(Debug, Clone)]
pub struct PlainStretches<'a> {
    reference: &'a Reference,
    /// The last stretch of the contigs with this number, modulo [`REMEMBERED`].
    last: [Option<PlainStretch>; REMEMBERED],
    /// Where the last one of all is.
    latest: usize,
}

impl<'a> PlainStretches<'a> {
    /// Begins to answer questions about `reference`.
    pub fn new(reference: &'a Reference) -> Self {
        Self { reference, last: [const { None }; REMEMBERED], latest: 0 }
    }

    /// The reference whose stretches these are.
    pub fn reference(&self) -> &'a Reference {
        self.reference
    }

    /// The stretch that holds an indexed coordinate; `None` if an exception is there.
    #[inline]
    pub fn at_indexed(&mut self, indexed: u32) -> Option<&PlainStretch> {
        let has = |plain: &PlainStretch| plain.indexed.contains(&indexed);
        if !self.last[self.latest].as_ref().is_some_and(has) {
            let plain = self.reference.plain_stretch(indexed)?;
            self.latest = plain.contig as usize % REMEMBERED;
            self.last[self.latest] = Some(plain);
        }
        self.last[self.latest].as_ref()
    }

    /// Indexed range from a position in a contig, 0-based, to the end of its stretch; `None` if an exception is there.
    #[inline]
    pub fn at_contig_position(&mut self, contig: u32, position: u32) -> Option<Range<u32>> {
        if let Some(plain) = &self.last[contig as usize % REMEMBERED]
            && let Some(indexed) = plain.to_indexed(contig, position)
        {
            return Some(indexed..plain.indexed.end);
        }
        let contig = &self.reference.contigs()[contig as usize];
        let indexed = self.reference.to_indexed(contig.offset + position)?;
        self.at_indexed(indexed).map(|plain| indexed..plain.indexed.end)
    }

    /// Upper-case letter at a position in a contig, 0-based; T for U.
    #[inline]
    pub fn letter(&mut self, contig: u32, position: u32) -> u8 {
        if let Some(indexed) = self.at_contig_position(contig, position) {
            return decode(packed::get(self.reference.packed_text(), indexed.start as usize));
        }
        let start = self.reference.contigs()[contig as usize].offset + position;
        self.reference.letters(start..start + 1)[0]
    }
}
