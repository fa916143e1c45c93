//! Reads in the text of their records: copies of single records, or whole records of a file of FASTQ as they are there.

use std::ops::Range;

use aligner_core::fastx::{RecordProblem, check_four_lines, without_return};
use rayon::prelude::*;

use super::lined_text::{LINES, LinedText, TextPart, lines_of_record};
use super::reads::{KeptTags, Read, RecordRules};
use super::record::{self, without_number};
use crate::tag_text;

/// Records that one task of the pool checks.
const TASK_RECORDS: usize = 1024;

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

    /// The text, to fill it with whole records of FASTQ that [`parse`](Self::parse) finds.
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
            self.text.bytes_mut().extend_from_slice(part);
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
    /// The first record that is no read.
    pub fn check(&mut self, rules: RecordRules) -> Result<(), Problem> {
        let mut parts = Vec::with_capacity(self.extents.len().div_ceil(TASK_RECORDS));
        let (mut text, mut begin) = (self.text.bytes_mut().as_mut_slice(), 0);
        let mut left = self.extents.as_mut_slice();
        while !left.is_empty() {
            let (reads, after) = left.split_at_mut(left.len().min(TASK_RECORDS));
            let end = after.first().map_or(begin + text.len(), |next| next.begin);
            let (here, rest) = text.split_at_mut(end - begin);
            parts.push((begin, here, reads));
            (text, begin, left) = (rest, end, after);
        }
        let check = |(begin, text, reads): (usize, &mut [u8], &mut [ReadExtent])| {
            reads.iter_mut().enumerate().filter(|(_, read)| !read.is_absent()).try_for_each(
                |(number, read)| {
                    let checked = read.check(&mut text[read.begin - begin..], rules);
                    checked.map_err(|problem| (number, problem))
                },
            )
        };
        let checked: Vec<_> = parts.into_par_iter().map(check).collect();
        (0..).zip(checked).try_for_each(|(part, checked)| {
            checked.map_err(|(number, problem)| (part * TASK_RECORDS + number, problem))
        })
    }

    /// Turns the records of the text, the first of which begins in this line of the file, into reads of a group on the
    /// current rayon pool.
    ///
    /// # Errors
    /// The first record that is no read.
    pub fn parse(
        &mut self,
        first_line: u64,
        group: Option<u32>,
        rules: RecordRules,
    ) -> Result<(), Problem> {
        let parts = self.text.parts();
        self.extents.resize(self.text.records(), ReadExtent::default());
        let mut left = (self.text.bytes_mut().as_mut_slice(), self.extents.as_mut_slice());
        let mut tasks = Vec::with_capacity(parts.len());
        for part in parts {
            let (text, more_text) = left.0.split_at_mut(part.bytes.len());
            let (reads, more_reads) = left.1.split_at_mut(part.records.len());
            left = (more_text, more_reads);
            tasks.push((part, text, reads));
        }
        let parse = |(part, text, reads): (TextPart, &mut [u8], &mut [ReadExtent])| {
            let mut begin = 0;
            for (number, read) in part.records.zip(reads) {
                let line = first_line + (LINES * number) as u64;
                let lines = lines_of_record(text, begin);
                let end = lines[3].end;
                *read = ReadExtent::of_lines(lines, text, line).map_err(|it| (number, it))?;
                read.group = group;
                let record = &mut text[read.begin..end];
                read.begin += part.bytes.start;
                read.check(record, rules).map_err(|problem| (number, problem))?;
                begin = end + 1;
            }
            Ok(())
        };
        let parsed: Vec<Result<(), Problem>> = tasks.into_par_iter().map(parse).collect();
        parsed.into_iter().collect()
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

/// Checks on the current rayon pool that the reads of the first `count` pairs are mates, and removes `/1` and `/2` from their
/// names. Mates have the same number in two texts, or follow each other in the only one.
///
/// # Errors
/// The number of the first pair whose reads are no mates, from 0, and the reason.
pub fn pair_mates(
    first: &mut ReadText,
    second: Option<&mut ReadText>,
    count: usize,
) -> Result<(), Problem> {
    let ReadText { text, extents } = first;
    let text = text.bytes();
    let problem = match second {
        None => {
            let pairs = extents.par_chunks_exact_mut(2).with_min_len(TASK_RECORDS).take(count);
            pairs.enumerate().find_map_first(|(pair, mates)| match mates {
                [first, second] => Some((pair, trim_names((first, text), (second, text))?)),
                _ => None,
            })
        }
        Some(second) => {
            let (seconds, text_of_seconds) = (&mut second.extents, second.text.bytes());
            let pairs = extents.par_iter_mut().zip(seconds).with_min_len(TASK_RECORDS).take(count);
            pairs.enumerate().find_map_first(|(pair, (first, second))| {
                Some((pair, trim_names((first, text), (second, text_of_seconds))?))
            })
        }
    };
    problem.map_or(Ok(()), Err)
}

/// Removes `/1` and `/2` from the names of two mates, each with the text that it lies in. If they are no mates, returns why.
fn trim_names(
    (first, text_of_first): (&mut ReadExtent, &[u8]),
    (second, text_of_second): (&mut ReadExtent, &[u8]),
) -> Option<RecordProblem> {
    if second.is_absent() {
        return None;
    }
    let names = [
        &text_of_first[first.begin..][..first.name as usize],
        &text_of_second[second.begin..][..second.name as usize],
    ];
    let trimmed = [trimmed(names[0], b"/1"), trimmed(names[1], b"/2")];
    if trimmed[0] != trimmed[1] {
        let [expected, found] = names.map(String::from_utf8_lossy);
        let reason = format!("the name '{found}' is not that of its mate, '{expected}'");
        return Some(RecordProblem { line: Some(second.line), reason });
    }
    [first.name, second.name] = trimmed.map(|name| name.len() as u32);
    None
}

/// A name without this suffix, unless nothing else is left.
fn trimmed<'n>(name: &'n [u8], end: &[u8]) -> &'n [u8] {
    name.strip_suffix(end).filter(|left| !left.is_empty()).unwrap_or(name)
}
