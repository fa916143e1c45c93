//! Reads in the text of their records: copies of single records, or whole records of a file of FASTQ as they are there.

use std::ops::Range;

use aligner_core::fastx::{RecordProblem, check_four_lines, without_return};
use fm_index::prefetch_all;
use rayon::prelude::*;

use super::lined_text::{LINES, LinedText, lines_of_record};
use super::reads::{KeptTags, Read, RecordRules};
use super::record::{self, without_number};
use crate::tag_text;

/// Records of a text that one task of the pool checks; even, so that a task has whole pairs.
const TASK_RECORDS: usize = 512;

/// Consecutive reads of a file, or of several, and the text that they lie in.
#[derive(Debug, Default)]
pub struct ReadText {
    text: LinedText,
    extents: Vec<ReadExtent>,
}

/// Where a record, or the read that was made of it, lies in the text.
#[derive(Debug, Default, Clone)]
pub struct ReadExtent {
    /// Offset of the header in the text. All other offsets are from there.
    begin: usize,
    /// The line in the file where the record begins, from 1; 1 if the file has no lines, 0 for a read that is absent.
    line: u64,
    /// Bytes of the header, and once it is checked of the name, with which it begins.
    name: u32,
    /// Where the comment lies, in the header; empty if none is kept.
    comment: Range<u32>,
    /// Offset of the sequence.
    sequence: u32,
    /// Bases of the sequence.
    bases: u32,
    /// Offset of the qualities; 0 if there are none.
    quality: u32,
    group: Option<u32>,
}

/// The number of the first record that is no read, from 0, and the reason.
pub type Problem = (usize, RecordProblem);

impl ReadText {
    /// Removes all reads, and keeps their memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.extents.clear();
    }

    /// The text, to fill it with whole records of FASTQ that [`parse`] finds.
    pub fn lined_text(&mut self) -> &mut LinedText {
        &mut self.text
    }

    /// All of the text.
    pub fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    /// The number of reads.
    pub fn len(&self) -> usize {
        self.extents.len()
    }

    /// Bytes of memory that the reads take.
    pub fn memory(&self) -> usize {
        self.text.len() + size_of_val(self.extents.as_slice())
    }

    /// Copies a record as it is in the file, where it begins in this line.
    pub fn push(&mut self, line: u64, [header, sequence, quality]: [&[u8]; 3], group: Option<u32>) {
        let begin = self.text.len();
        for part in [header, sequence, quality] {
            self.text.append(part);
        }
        // Lines of files are limited to far fewer bytes.
        let count = |part: &[u8]| part.len() as u32;
        let (name, bases) = (count(header), count(sequence));
        let quality = if quality.is_empty() { 0 } else { name + bases };
        let comment = 0..0;
        self.extents.push(ReadExtent {
            begin,
            line,
            name,
            comment,
            sequence: name,
            bases,
            quality,
            group,
        });
    }

    /// The read with this number, from 0.
    #[inline]
    pub fn get(&self, number: usize) -> Read<'_> {
        let extent = &self.extents[number];
        let record = &self.text.bytes()[extent.begin..];
        let of = |begin: u32, length: u32| &record[begin as usize..][..length as usize];
        let ReadExtent { name, ref comment, sequence, bases, quality, group, .. } = *extent;
        Read {
            name: of(0, name),
            sequence: of(sequence, bases),
            // A read of FASTQ without bases has as many qualities, none.
            quality: (quality != 0 || bases == 0).then(|| of(quality, bases)),
            comment: of(comment.start, comment.end - comment.start),
            group,
        }
    }

    /// The sequence of the read with this number, from 0.
    pub fn sequence(&self, number: usize) -> &[u8] {
        let &ReadExtent { begin, sequence, bases, .. } = &self.extents[number];
        &self.text.bytes()[begin + sequence as usize..][..bases as usize]
    }

    /// Starts to fetch the name of the read with this number, if there is one, into the cache.
    pub fn prefetch_name(&self, number: usize) {
        if number < self.len() {
            prefetch_all(self.header(number));
        }
    }

    /// Starts to fetch the bytes of the read with this number, if there is one, into the cache.
    pub fn prefetch(&self, number: usize) {
        let of_read = self.extents.get(number).and_then(
            |&ReadExtent { begin, sequence, quality, bases, .. }| {
                let last = sequence.max(quality);
                self.text.bytes().get(begin..begin + (last + bases) as usize)
            },
        );
        of_read.into_iter().for_each(prefetch_all);
    }

    /// The header of the record with this number, or the name of the read that was made of it.
    pub fn header(&self, number: usize) -> &[u8] {
        let extent = &self.extents[number];
        &self.text.bytes()[extent.begin..][..extent.name as usize]
    }

    /// Whether the last read stands in for a mate that the one before does not have.
    pub fn ends_absent(&self) -> bool {
        self.extents.last().is_some_and(ReadExtent::is_absent)
    }

    /// Turns the records that were copied into reads on the current rayon pool.
    ///
    /// # Errors
    /// The first record that is no read, or not the mate of the one before if they are paired.
    pub fn check(&mut self, rules: RecordRules) -> Result<(), Problem> {
        let begins = self.extents.iter().step_by(TASK_RECORDS).map(|first| first.begin);
        let begins: Vec<usize> = begins.collect();
        let check = |mut part: Part<'_>| {
            for number in 0..part.reads.len() {
                let problem = |problem| (number, problem);
                if part.reads[number].is_absent() {
                    continue;
                }
                part.check(number, rules).map_err(problem)?;
                if rules.is_paired && number % 2 == 1 {
                    part.pair_with_last(number).map_err(problem)?;
                }
            }
            Ok(())
        };
        first_problem(self.parts(&begins).into_par_iter().map(check), TASK_RECORDS)
    }

    /// The reads in parts of [`TASK_RECORDS`], which begin at these offsets of the text.
    fn parts(&mut self, begins: &[usize]) -> Vec<Part<'_>> {
        let (mut text, mut begin) = (self.text.bytes_mut(), 0);
        let ends = begins.iter().copied().skip(1).chain([text.len()]);
        let parts = self.extents.chunks_mut(TASK_RECORDS).zip(ends.collect::<Vec<_>>());
        parts
            .map(|(reads, end)| {
                let (here, rest) = std::mem::take(&mut text).split_at_mut(end - begin);
                text = rest;
                Part { begin: std::mem::replace(&mut begin, end), text: here, reads }
            })
            .collect()
    }

    /// As [`parts`](Self::parts), of the whole records of the text, which are to be found.
    fn unparsed_parts(&mut self) -> Vec<Part<'_>> {
        let (text, records) = (&self.text, self.text.records());
        let begins = (0..records.div_ceil(TASK_RECORDS)).into_par_iter();
        let begins: Vec<usize> = begins.map(|part| text.begin_of(part * TASK_RECORDS)).collect();
        // The places of other reads are replaced.
        self.extents.resize(records, ReadExtent::default());
        self.parts(&begins)
    }
}

/// Turns the whole records of a text, or as many of two texts, into reads of a group on the current rayon pool. The first ones
/// begin in this line of their files. Reads are numbered as those of one text, or of two alternately.
///
/// # Errors
/// The first record that is no read, or not the mate of the one before if they are paired.
pub fn parse(
    texts: (&mut ReadText, Option<&mut ReadText>),
    (first_line, group): (u64, Option<u32>),
    rules: RecordRules,
) -> Result<(), Problem> {
    let line = |record: usize| first_line + (LINES * record) as u64;
    let (firsts, seconds) = (texts.0.unparsed_parts(), texts.1.map(ReadText::unparsed_parts));
    match seconds {
        None => {
            let parse = |(task, mut part): (usize, Part<'_>)| {
                let mut place = 0;
                for number in 0..part.reads.len() {
                    let problem = |problem| (number, problem);
                    let line = line(task * TASK_RECORDS + number);
                    place = part.parse(number, place, (line, group), rules).map_err(problem)?;
                    if rules.is_paired && number % 2 == 1 {
                        part.pair_with_last(number).map_err(problem)?;
                    }
                }
                Ok(())
            };
            first_problem(firsts.into_par_iter().enumerate().map(parse), TASK_RECORDS)
        }
        Some(seconds) => {
            let parse = |(task, (mut first, mut second)): (usize, (Part<'_>, Part<'_>))| {
                let mut places = [0; 2];
                for number in 0..first.reads.len() {
                    let problem_of = |mate: usize| move |problem| (2 * number + mate, problem);
                    let of_record = (line(task * TASK_RECORDS + number), group);
                    for (mate, part) in [&mut first, &mut second].into_iter().enumerate() {
                        places[mate] = part
                            .parse(number, places[mate], of_record, rules)
                            .map_err(problem_of(mate))?;
                    }
                    let names = [first.name(number), second.name(number)];
                    let names = mate_names(names, of_record.0).map_err(problem_of(1))?;
                    [first.reads[number].name, second.reads[number].name] = names;
                }
                Ok(())
            };
            let parts = firsts.into_par_iter().zip(seconds).enumerate();
            first_problem(parts.map(parse), 2 * TASK_RECORDS)
        }
    }
}

/// The first problem of tasks that have so many records each, of which each tells the number of a record.
fn first_problem(
    tasks: impl IndexedParallelIterator<Item = Result<(), Problem>>,
    records: usize,
) -> Result<(), Problem> {
    let checked: Vec<_> = tasks.collect();
    (0..).zip(checked).try_for_each(|(task, checked)| {
        checked.map_err(|(number, problem)| (task * records + number, problem))
    })
}

/// Consecutive reads and their text, for one task of the pool.
struct Part<'t> {
    /// Offset of the text.
    begin: usize,
    text: &'t mut [u8],
    reads: &'t mut [ReadExtent],
}

impl Part<'_> {
    /// The name of a read.
    fn name(&self, number: usize) -> &[u8] {
        let read = &self.reads[number];
        &self.text[read.begin - self.begin..][..read.name as usize]
    }

    /// Turns a record into a read.
    fn check(&mut self, number: usize, rules: RecordRules) -> Result<(), RecordProblem> {
        let read = &mut self.reads[number];
        read.check(&mut self.text[read.begin - self.begin..], rules)
    }

    /// Turns the lines from this place on into the read with this number, and returns where the next record begins.
    fn parse(
        &mut self,
        number: usize,
        place: usize,
        (line, group): (u64, Option<u32>),
        rules: RecordRules,
    ) -> Result<usize, RecordProblem> {
        let lines = lines_of_record(self.text, place);
        let next = lines[3].end + 1;
        let read = ReadExtent::of_lines(lines, self.text, line)?;
        self.reads[number] = ReadExtent { begin: self.begin + read.begin, group, ..read };
        self.check(number, rules)?;
        Ok(next)
    }

    /// Removes `/1` and `/2` from the names of a read and the one before it, its mate.
    fn pair_with_last(&mut self, number: usize) -> Result<(), RecordProblem> {
        let names = [self.name(number - 1), self.name(number)];
        let names = mate_names(names, self.reads[number].line)?;
        [self.reads[number - 1].name, self.reads[number].name] = names;
        Ok(())
    }
}

impl ReadExtent {
    /// Whether it stands in for a mate that a read does not have.
    pub fn is_absent(&self) -> bool {
        self.line == 0
    }

    /// The record with these lines in a text, of which the first is this line of the file.
    fn of_lines(
        lines: [Range<usize>; LINES],
        text: &[u8],
        line: u64,
    ) -> Result<Self, RecordProblem> {
        let texts = lines.each_ref().map(|line| &text[line.clone()]);
        check_four_lines(texts, line)?;
        let [header, sequence, _, quality] = lines.map(|line| line.start);
        // The header follows its mark.
        let begin = header + 1;
        let from_header = |place: usize| (place - begin) as u32;
        Ok(Self {
            begin,
            line,
            name: without_return(&texts[0][1..]).len() as u32,
            comment: 0..0,
            sequence: from_header(sequence),
            bases: without_return(texts[1]).len() as u32,
            quality: from_header(quality),
            group: None,
        })
    }

    /// Turns a record, with which `text` begins, into a read.
    fn check(&mut self, text: &mut [u8], rules: RecordRules) -> Result<(), RecordProblem> {
        let (header, letters) = text.split_at_mut(self.sequence as usize);
        let header = &header[..self.name as usize];
        let (sequence, quality) = letters.split_at_mut(self.bases as usize);
        let has_quality = self.quality != 0;
        let name = record::name(header, self.line)?;
        let comment = comment(header, rules);
        let problem = |reason| RecordProblem { line: Some(self.line), reason };
        self.comment = comment.map_err(problem)?;
        let name = if rules.trims_names { without_number(name) } else { name };
        self.name = name.len() as u32;
        if has_quality {
            let before = self.quality - self.sequence - self.bases;
            let quality = &mut quality[before as usize..][..self.bases as usize];
            record::sequence(sequence, has_quality, self.line)?;
            record::phred(quality, self.line)?;
        } else {
            self.bases = record::sequence(sequence, has_quality, self.line)? as u32;
        }
        Ok(())
    }
}

/// Where the tags that are kept lie in a header.
fn comment(header: &[u8], rules: RecordRules) -> Result<Range<u32>, String> {
    if rules.kept_tags() == KeptTags::None && rules.umis.is_none() {
        return Ok(0..0);
    }
    let comment = record::comment(header);
    let first = header.len() - comment.len();
    let kept = match rules.kept_tags() {
        KeptTags::One(tag) => tag_text::find(comment, tag).unwrap_or(0..0),
        // The tag of the UMI, which was appended, is the only one if none of the file are kept.
        KeptTags::All | KeptTags::None => 0..comment.len(),
    };
    tag_text::check(&comment[kept.clone()])?;
    if let Some(umis) = rules.umis
        && tag_text::find(&comment[kept.clone()], umis.tag).is_none()
    {
        return Err(umis.absence());
    }
    Ok((first + kept.start) as u32..(first + kept.end) as u32)
}

/// The lengths of the names of two mates without `/1` and `/2`. The record of the second one begins in this line.
///
/// # Errors
/// If these are no mates.
fn mate_names(names: [&[u8]; 2], line: u64) -> Result<[u32; 2], RecordProblem> {
    let trimmed = [trimmed(names[0], b"/1"), trimmed(names[1], b"/2")];
    if trimmed[0] != trimmed[1] {
        let [expected, found] = names.map(String::from_utf8_lossy);
        let reason = format!("the name '{found}' is not that of its mate, '{expected}'");
        return Err(RecordProblem { line: Some(line), reason });
    }
    Ok(trimmed.map(|name| name.len() as u32))
}

/// A name without this suffix, unless nothing else is left.
fn trimmed<'n>(name: &'n [u8], end: &[u8]) -> &'n [u8] {
    name.strip_suffix(end).filter(|left| !left.is_empty()).unwrap_or(name)
}
