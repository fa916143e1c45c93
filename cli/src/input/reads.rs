//! Reads of a batch, which share their memory.

use std::ops::Range;
use std::sync::Arc;

use woodstocc::MAX_READ;
use xxhash_rust::xxh3::Xxh3Default;

use super::lined_text::LinedText;
use super::read_text::{self, Problem, ReadText};
use super::record::{self, without_number};
use super::shared::BatchUse;
use super::umi::Umis;
use crate::shard::Unit;

/// One sequencing read of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Read<'r> {
    /// The first word of the header; without `/1` and `/2` at its end if the reads are paired.
    pub name: &'r [u8],
    /// Upper-case IUPAC letters, with T for U and N for a dot. May be empty.
    pub sequence: &'r [u8],
    /// Phred qualities, 0 to 93, one for each base; `None` in FASTA.
    pub quality: Option<&'r [u8]>,
    /// The tags in the header behind the name, if they are kept; else empty.
    pub comment: &'r [u8],
    /// The number of its read group in the run, if it has one.
    pub group: Option<u32>,
}

impl<'r> Read<'r> {
    /// Whether it stands in for the mate that the read before does not have. Every other read has a name.
    pub fn is_absent(&self) -> bool {
        self.name.is_empty()
    }

    /// Whether it is longer than reads that can be aligned.
    pub fn is_too_long(&self) -> bool {
        is_too_long(self.sequence)
    }

    /// The bases to align: none if there are too many.
    pub fn alignable(&self) -> &'r [u8] {
        alignable(self.sequence)
    }
}

/// Whether a read with this sequence is longer than reads that can be aligned.
fn is_too_long(sequence: &[u8]) -> bool {
    sequence.len() > MAX_READ
}

/// The bases of a read to align: none if there are too many.
fn alignable(sequence: &[u8]) -> &[u8] {
    if is_too_long(sequence) { &[] } else { sequence }
}

/// What is made of records besides reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordRules {
    /// Whether records 2i and 2i + 1 are mates, whose names are then equal.
    pub is_paired: bool,
    /// Whether comments are kept, which then must consist of tags.
    pub keeps_comments: bool,
    /// Whether `/` and a digit at the end of a name are left out, also if reads are not paired.
    pub trims_names: bool,
    /// Where each read has a UMI, if it must have one. Its tag is kept also if other comments are not.
    pub umis: Option<Umis>,
}

/// The tags of comments that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptTags {
    None,
    One([u8; 2]),
    All,
}

impl RecordRules {
    /// The tags that are kept of the records of files.
    pub(super) fn kept_tags(self) -> KeptTags {
        match self.umis {
            _ if self.keeps_comments => KeptTags::All,
            Some(umis) if !umis.are_in_names => KeptTags::One(umis.tag),
            _ => KeptTags::None,
        }
    }
}

/// Consecutive reads, in the memory that their records were read or copied to.
#[derive(Debug, Default)]
pub struct Reads {
    /// The reads. Those of two files that were read as text alternate: the first is of the first text.
    texts: [ReadText; 2],
    /// How the records lie in the texts.
    form: Form,
    /// The read group of the reads that are added.
    group: Option<u32>,
    /// The unit of the input that they are of; the first one if the run is no shard.
    unit: Unit,
    /// The use of the batch.
    of_batch: BatchUse,
}

/// How the records of a batch lie in its texts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Copies of records follow each other in the first text.
    #[default]
    Copies,
    /// Each text has whole records of a file of FASTQ, of which the first begins in this line.
    Lines { files: usize, first_line: u64 },
}

/// Consecutive reads of a batch; slices of a batch share its memory.
#[derive(Debug)]
pub struct ReadSlice {
    batch: Arc<Reads>,
    range: Range<usize>,
}

impl ReadSlice {
    /// All reads of a batch.
    pub fn all(reads: Reads) -> Self {
        let range = 0..reads.len();
        Self { batch: Arc::new(reads), range }
    }

    /// The number of reads.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there are no reads.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// The read with this number in the slice, from 0.
    #[inline]
    pub fn get(&self, number: usize) -> Read<'_> {
        self.batch.get(self.range.start + number)
    }

    /// The name of the read with this number in the slice, for where [`get`](Self::get) would look up more than is needed.
    pub fn name(&self, number: usize) -> &[u8] {
        let (text, number) = self.place_of(number);
        text.header(number)
    }

    /// The bases to align of the read with this number in the slice, for where [`get`](Self::get) would look up more than is
    /// needed.
    pub fn alignable(&self, number: usize) -> &[u8] {
        let (text, number) = self.place_of(number);
        alignable(text.sequence(number))
    }

    /// Starts to fetch the read with this number, if there is one, into the cache.
    pub fn prefetch(&self, number: usize) {
        self.batch.prefetch(self.range.start + number);
    }

    /// Starts to fetch the name of the read with this number, if there is one, into the cache.
    pub fn prefetch_name(&self, number: usize) {
        let (text, number) = self.place_of(number);
        text.prefetch_name(number);
    }

    /// The text that has the read with this number in the slice, and the read's number there.
    #[inline]
    fn place_of(&self, number: usize) -> (&ReadText, usize) {
        self.batch.place_of(self.range.start + number)
    }

    /// All reads in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Read<'_>> {
        self.range.clone().map(|number| self.batch.get(number))
    }

    /// The first `count` reads, or all if there are fewer.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let Range { start, end } = self.range;
        Self { batch: Arc::clone(&self.batch), range: start..end.min(start.saturating_add(count)) }
    }

    /// Leaves out the first `count` reads, or all if there are fewer.
    pub fn skip(&mut self, count: usize) {
        self.range.start = self.range.end.min(self.range.start.saturating_add(count));
    }

    /// The unit of the input that the reads are of; the first one if the run is no shard.
    pub fn unit(&self) -> Unit {
        self.batch.unit
    }

    /// The use of the batch.
    pub fn batch_use(&self) -> BatchUse {
        self.batch.of_batch
    }

    /// The whole batch, if no other slice of it is left.
    pub fn into_last(self) -> Option<Reads> {
        Arc::into_inner(self.batch)
    }
}

impl Reads {
    /// Reads of these names and letters, without qualities.
    ///
    /// # Errors
    /// Names the first read that is none, and the reason.
    pub fn of_named<'n>(
        records: impl IntoIterator<Item = (&'n [u8], &'n [u8])>,
    ) -> anyhow::Result<Self> {
        let mut reads = Self::default();
        for (number, (name, letters)) in records.into_iter().enumerate() {
            if name.len() + letters.len() > u32::MAX as usize {
                let name = String::from_utf8_lossy(&name[..name.len().min(100)]);
                anyhow::bail!("read '{name}': name and sequence have more than 4 GiB");
            }
            reads.push(number as u64 + 1, name, letters, &[]);
        }
        reads.check(RecordRules::default()).map_err(|(number, problem)| {
            let name = String::from_utf8_lossy(reads.texts[0].header(number));
            anyhow::anyhow!("read '{name}': {}", problem.reason)
        })?;
        Ok(reads)
    }

    /// The number of reads, which is not known before whole records of files are [checked](Self::check).
    pub fn len(&self) -> usize {
        self.texts[0].len() + self.second().map_or(0, ReadText::len)
    }

    /// Whether there are no reads.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of the second of two files.
    fn second(&self) -> Option<&ReadText> {
        let has_two = matches!(self.form, Form::Lines { files: 2, .. });
        has_two.then_some(&self.texts[1])
    }

    /// Removes all reads, and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.texts.iter_mut().for_each(ReadText::clear);
        self.form = Form::Copies;
    }

    /// Says which unit of the input the reads are of, and what the batch is for.
    pub(super) fn set_unit(&mut self, (unit, of_batch): (Unit, BatchUse)) {
        (self.unit, self.of_batch) = (unit, of_batch);
    }

    /// Adds the copied records, as they are in the files, to a hash.
    pub(super) fn hash_into(&self, hash: &mut Xxh3Default) {
        hash.update(self.texts[0].bytes());
    }

    /// The read with this number, from 0.
    #[inline]
    pub fn get(&self, number: usize) -> Read<'_> {
        let (text, number) = self.place_of(number);
        text.get(number)
    }

    /// Starts to fetch the read with this number, if there is one, into the cache.
    pub fn prefetch(&self, number: usize) {
        let (text, number) = self.place_of(number);
        text.prefetch(number);
    }

    /// The text that has a read, and the read's number there.
    #[inline]
    fn place_of(&self, number: usize) -> (&ReadText, usize) {
        match self.second() {
            None => (&self.texts[0], number),
            Some(_) => (&self.texts[number % 2], number / 2),
        }
    }

    /// All reads in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Read<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Bytes of memory that the copied records take.
    pub(super) fn bytes(&self) -> usize {
        self.texts[0].memory()
    }

    /// Copies a record as it is in the file, where it begins in this line. A comment in the header is kept only if
    /// [`RecordRules`] say so.
    pub(super) fn push(&mut self, line: u64, header: &[u8], sequence: &[u8], quality: &[u8]) {
        self.texts[0].push(line, [header, sequence, quality], self.group);
    }

    /// The texts to replace by whole records of so many files of FASTQ, one or two, as many records in each. The first ones
    /// begin in this line.
    pub(super) fn fill(
        &mut self,
        files: usize,
        first_line: u64,
    ) -> impl Iterator<Item = &mut LinedText> {
        self.form = Form::Lines { files, first_line };
        self.texts.iter_mut().take(files).map(ReadText::lined_text)
    }

    /// Sets the read group of the reads that are added from now on.
    pub(super) fn set_group(&mut self, group: Option<u32>) {
        self.group = group;
    }

    /// Appends a read without name and bases, in place of the mate that the last read does not have.
    pub(super) fn push_absent(&mut self) {
        self.push(0, &[], &[], &[]);
    }

    /// Whether the last read is of [`push_absent`](Self::push_absent).
    pub(super) fn ends_absent(&self) -> bool {
        self.texts[0].ends_absent()
    }

    /// Whether the last record and the one with this header are mates by their names.
    pub(super) fn is_mate_of_last(&self, header: &[u8]) -> bool {
        let word = |header| without_number(record::without_comment(header));
        let last = self.len().checked_sub(1).map(|last| self.texts[0].header(last));
        last.is_some_and(|last| word(last) == word(header))
    }

    /// Turns the records into reads on the current rayon pool; if they are paired, checks that reads 2i and 2i + 1 are
    /// mates.
    ///
    /// # Errors
    /// The number, from 0, of the first record that is no read or not the mate of the one before, and the reason.
    pub fn check(&mut self, rules: RecordRules) -> Result<(), Problem> {
        let [first, second] = &mut self.texts;
        match self.form {
            Form::Copies => first.check(rules),
            Form::Lines { files, first_line } => {
                let second = (files == 2).then_some(second);
                read_text::parse((first, second), (first_line, self.group), rules)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use aligner_core::fastx::RecordProblem;

    use super::*;

    const PAIRED: RecordRules =
        RecordRules { is_paired: true, keeps_comments: false, trims_names: false, umis: None };

    #[test]
    fn reads_are_what_was_added() {
        let mut reads = Reads::default();
        reads.push(1, b"a", b"ac\r\ngu\n", b"");
        reads.push(4, b"bc", b"A.", b"\"#");
        reads.push(8, b"d", b"", b"");
        assert_eq!(reads.check(RecordRules::default()), Ok(()));
        let fields = |number| {
            let Read { name, sequence, quality, .. } = reads.get(number);
            (name, sequence, quality)
        };
        assert_eq!(fields(0), (&b"a"[..], &b"ACGT"[..], None));
        assert_eq!(fields(1), (&b"bc"[..], &b"AN"[..], Some(&b"\x01\x02"[..])));
        assert_eq!(fields(2), (&b"d"[..], &b""[..], Some(&b""[..])));
        assert_eq!(reads.iter().len(), 3);
        assert!(!reads.is_empty());
        reads.clear();
        assert!(reads.is_empty());
        reads.push(1, b"e", b"T", b"");
        assert_eq!(reads.check(RecordRules::default()), Ok(()));
        assert_eq!((reads.get(0).name, reads.get(0).sequence), (&b"e"[..], &b"T"[..]));
    }

    #[test]
    fn mates_have_one_name() {
        let check = |names: &[&str]| {
            let mut reads = Reads::default();
            names.iter().zip(1..).for_each(|(name, line)| {
                let header = record::without_comment(name.as_bytes());
                reads.push(line, header, b"A", b"I");
            });
            reads.check(PAIRED)?;
            Ok(reads.iter().map(|read| String::from_utf8_lossy(read.name).into_owned()).collect())
        };
        let good: Result<Vec<String>, (usize, RecordProblem)> =
            check(&["a/1", "a/2", "b 1:N", "b 2:N", "c/1\tx", "c", "/1/1", "/1/2", "d/3", "d/3"]);
        assert_eq!(
            good,
            Ok(["a", "a", "b", "b", "c", "c", "/1", "/1", "d/3", "d/3"]
                .map(str::to_owned)
                .to_vec())
        );
        for names in
            [["a/2", "a/1"], ["a/1", "a/1"], ["a", "b"], ["a/1", "b/2"], ["ab", "a"], ["/1", "/2"]]
        {
            let all = [&["x/1", "x/2"], &names[..]].concat();
            let (number, problem) = check(&all).expect_err("are no mates");
            let reason = format!("the name '{}' is not that of its mate, '{}'", names[1], names[0]);
            assert_eq!((number, problem), (3, RecordProblem { line: Some(4), reason }));
        }
    }

    #[test]
    fn the_first_problem_is_told_whichever_it_is() {
        let first = |other, bad| {
            let mut reads = Reads::default();
            for number in 0..4096 {
                let name =
                    if number == other { "other".to_owned() } else { format!("r{}", number / 2) };
                let letters: &[u8] = if number == bad { b"!" } else { b"A" };
                reads.push(number as u64 + 1, name.as_bytes(), letters, b"I");
            }
            reads.check(PAIRED).expect_err("is bad").0
        };
        assert_eq!(first(2501, 3000), 2501);
        assert_eq!(first(2500, 3000), 2501);
        assert_eq!(first(3001, 3000), 3000);
        assert_eq!(first(3000, 2999), 2999);
    }

    #[test]
    fn the_first_bad_record_is_told() {
        let mut reads = Reads::default();
        for number in 0..5 * 1024_u64 {
            let is_bad = number > 3000 && number % 7 == 0;
            let letters: &[u8] = if is_bad { b"A!" } else { b"AC" };
            reads.push(4 * number + 1, b"r", letters, b"II");
        }
        let (number, problem) = reads.check(RecordRules::default()).expect_err("is bad");
        assert_eq!((number, problem.line), (3003, Some(4 * 3003 + 2)));
        assert_eq!(problem.reason, "'!' at base 2 is not a nucleotide letter");
    }
}
