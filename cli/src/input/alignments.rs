//! Reads of files of SAM, BAM and CRAM, as sequencers, Picard and fgbio write them before alignment, and as they are taken out
//! of alignments again.
//!
//! A record is turned into what FASTQ would have for it, as `samtools fastq` does: secondary and supplementary records are left
//! out, and records of the reverse strand are turned back. Its flags say which read of a pair it is; mates follow each other.

use std::os::fd::OwnedFd;
use std::path::Path;

use aligner_core::input_location::InputLocation;
use anyhow::{Result, anyhow, bail};
use rust_htslib::bam::Record;
use rust_htslib::bam::record::Aux;

use super::limit::MAX_RECORD_PART;
use super::reads::{KeptTags, RecordRules};
use crate::hts::{self, Fields, Reader};
use crate::{iupac, tag_text};

/// The most threads that decode a file of SAM or BAM: more are faster than reads are mapped.
const MAX_THREADS: usize = 4;

/// The quality of a first base whose read has no qualities.
const NO_QUALITY: u8 = 0xff;

/// Tags of records that are not passed on as comments, besides those that the program itself writes: the program (`@PG`) that
/// made a record is not in the new header.
const PROGRAM: &[u8] = b"PG";

/// The reads of a file of SAM, BAM or CRAM.
#[derive(Debug)]
pub struct AlignmentReads {
    reader: Reader,
    /// The lines of the header.
    header: Vec<String>,
    groups: RecordGroups,
    /// Threads that may decode.
    threads: usize,
    record: Record,
    /// The read that was passed on last, or the first of two.
    first: RecordText,
    /// Its mate, or the read that follows.
    second: RecordText,
    /// Whether `second` follows and was not passed on.
    is_ahead: bool,
}

/// The read groups of the records of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordGroups {
    /// All reads are of the group with this number, or of none.
    One(Option<u32>),
    /// The tag RG of a record is one of these IDs, each with its number in the run.
    ById(Vec<(String, u32)>),
}

/// The place of a record's read in its template.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Segment {
    #[default]
    Single,
    First,
    Last,
}

/// A record as FASTQ would have it.
#[derive(Debug, Default)]
pub struct RecordText {
    /// The number of the record in its file, from 1.
    pub number: u64,
    /// The name, and its comment behind a tab, if it is kept and has tags.
    pub header: Vec<u8>,
    pub sequence: Vec<u8>,
    /// Quality letters; empty if there are none.
    pub quality: Vec<u8>,
    /// The number of the read group.
    pub group: Option<u32>,
    /// Bytes of the name.
    name: usize,
    segment: Segment,
}

impl RecordText {
    fn name(&self) -> &[u8] {
        &self.header[..self.name]
    }
}

impl AlignmentReads {
    /// Reads the header of an open file, which has this path in messages and whose records up to `threads` threads decode.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path, descriptor: OwnedFd, threads: usize) -> Result<Self> {
        let reader = Reader::of_descriptor(path, descriptor, Fields::All)?;
        Ok(Self {
            header: reader.header()?.lines().map(str::to_owned).collect(),
            reader,
            groups: RecordGroups::One(None),
            threads,
            record: Record::new(),
            first: RecordText::default(),
            second: RecordText::default(),
            is_ahead: false,
        })
    }

    /// The path in messages.
    pub fn path(&self) -> &Path {
        self.reader.path()
    }

    /// The lines of the header about read groups.
    pub fn group_lines(&self) -> impl Iterator<Item = &String> {
        self.header.iter().filter(|line| line.starts_with("@RG\t"))
    }

    /// Sets the read groups of the records.
    pub fn set_groups(&mut self, groups: RecordGroups) {
        self.groups = groups;
    }

    /// Whether records may be aligned reads of CRAM, whose bases lie in the reference.
    pub fn may_need_reference(&self) -> bool {
        self.reader.is_cram() && !self.reader.contigs().is_empty()
    }

    /// Decodes aligned reads by a reference, which htslib opens by this name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn decode_with(&mut self, reference: &str) -> Result<()> {
        self.reader.decode_with(reference)
    }

    /// Starts the threads that decode. To be called before the first read.
    ///
    /// # Errors
    /// If there are no more threads.
    pub fn start(&mut self) -> Result<()> {
        // With threads, htslib does not tell whether the end of a file of CRAM is marked.
        if self.threads > 1 && !self.reader.is_cram() {
            self.reader.decode_by(self.threads.min(MAX_THREADS))
        } else {
            Ok(())
        }
    }

    /// The next read, and its mate if it follows; of two mates, the first comes first. `None` at the end.
    ///
    /// # Errors
    /// If a record cannot be read or is no read, or if the mate of a read does not follow it.
    pub fn next(
        &mut self,
        rules: RecordRules,
    ) -> Result<Option<(&RecordText, Option<&RecordText>)>> {
        if std::mem::take(&mut self.is_ahead) {
            std::mem::swap(&mut self.first, &mut self.second);
        } else if !read(&mut self.reader, &mut self.record, &mut self.first, &self.groups, rules)? {
            return Ok(None);
        }
        if !rules.is_paired || self.first.segment == Segment::Single {
            return Ok(Some((&self.first, None)));
        }
        self.is_ahead =
            read(&mut self.reader, &mut self.record, &mut self.second, &self.groups, rules)?;
        if !(self.is_ahead && self.second.name() == self.first.name()) {
            self.check_without_mate()?;
            return Ok(Some((&self.first, None)));
        }
        match (self.first.segment, self.second.segment) {
            (Segment::First, Segment::Last) => {}
            (Segment::Last, Segment::First) => std::mem::swap(&mut self.first, &mut self.second),
            _ => bail!(
                "{}the read has the name of the one before, record {}, but the flags do not make them a pair: each read must \
                 have one primary record",
                self.location(self.second.number),
                self.first.number
            ),
        }
        self.is_ahead = false;
        Ok(Some((&self.first, Some(&self.second))))
    }

    /// Checks that the first read, whose mate does not follow, has none anywhere: reads of one name are together if the header
    /// says so.
    fn check_without_mate(&self) -> Result<()> {
        let order = self.header.first().filter(|line| line.starts_with("@HD\t"));
        let is_grouped = order.is_some_and(|line| {
            line.split('\t').any(|field| matches!(field, "SO:queryname" | "GO:query"))
        });
        if is_grouped {
            return Ok(());
        }
        bail!(
            "{}the mate of the read '{}' does not follow it: bring mates together by samtools collate -o collated.bam {}, and map \
             collated.bam",
            self.location(self.first.number),
            self.first.name().escape_ascii(),
            self.reader.path().display()
        )
    }

    /// The record with this number, as the begin of a message.
    fn location(&self, number: u64) -> InputLocation {
        InputLocation::in_file(self.reader.path()).at_record(number, None)
    }
}

/// Reads the next primary record as text. Returns whether there was one.
fn read(
    reader: &mut Reader,
    record: &mut Record,
    text: &mut RecordText,
    groups: &RecordGroups,
    rules: RecordRules,
) -> Result<bool> {
    loop {
        if !reader.read(record)? {
            return Ok(false);
        }
        if !record.is_secondary() && !record.is_supplementary() {
            break;
        }
    }
    text.number = reader.number();
    let filled = text.fill(record, groups, rules);
    filled.map_err(|problem| anyhow!("{}{problem}", reader.location()))?;
    Ok(true)
}

impl RecordText {
    /// Takes over a record.
    fn fill(
        &mut self,
        record: &Record,
        groups: &RecordGroups,
        rules: RecordRules,
    ) -> Result<(), String> {
        if usize::try_from(record.inner().l_data).is_ok_and(|bytes| bytes > MAX_RECORD_PART) {
            return Err(format!(
                "the record has more than {MAX_RECORD_PART} bytes, the most that are allowed for a read"
            ));
        }
        self.segment = match (record.is_paired(), record.is_first_in_template()) {
            (true, true) if !record.is_last_in_template() => Segment::First,
            (true, false) if record.is_last_in_template() => Segment::Last,
            _ => Segment::Single,
        };
        let name = record.qname();
        if name.iter().any(u8::is_ascii_whitespace) {
            return Err("the read name has white space".to_owned());
        }
        self.header.clear();
        self.header.extend_from_slice(name);
        self.name = name.len();
        let kept = rules.kept_tags();
        if kept != KeptTags::None {
            let is_wanted = |name: &[u8]| match kept {
                KeptTags::One(tag) => name == tag,
                _ => !tag_text::is_own(name) && name != PROGRAM,
            };
            tag_text::append_decoded(hts::tags(record), is_wanted, &mut self.header)
                .ok_or("a tag is damaged")?;
        }
        if let Some(umis) = rules.umis.filter(|umis| umis.are_in_names) {
            umis.append_tag_of_name(record.qname(), &mut self.header);
        }
        self.fill_bases(record);
        self.group = groups.of(record)?;
        Ok(())
    }

    /// Takes over letters and qualities, in the orientation of the sequencer.
    fn fill_bases(&mut self, record: &Record) {
        let count = record.seq_len();
        let encoded = record.seq().encoded;
        self.sequence.clear();
        self.sequence.extend(encoded.iter().flat_map(|&pair| LETTER_PAIRS[usize::from(pair)]));
        self.sequence.truncate(count);
        self.quality.clear();
        let quality = record.qual();
        if quality.first().is_some_and(|&first| first != NO_QUALITY) {
            // What is no quality stays none.
            self.quality.extend(quality.iter().map(|quality| quality.saturating_add(b'!')));
        }
        if record.is_reverse() {
            let forward = self.sequence.clone();
            iupac::reverse_complement(&forward, &mut self.sequence);
            self.quality.reverse();
        }
    }
}

impl RecordGroups {
    /// The number of the read group of a record.
    fn of(&self, record: &Record) -> Result<Option<u32>, String> {
        let groups = match self {
            Self::One(group) => return Ok(*group),
            Self::ById(groups) => groups,
        };
        match (record.aux(b"RG"), groups.as_slice()) {
            (Ok(Aux::String(id)), groups) => match groups.iter().find(|(other, _)| other == id) {
                Some(&(_, number)) => Ok(Some(number)),
                None => Err(format!(
                    "the header has no read group '{}', which is that of the read",
                    id.escape_debug()
                )),
            },
            (_, &[(_, number)]) => Ok(Some(number)),
            (_, groups) => Err(format!(
                "the read has no read group (RG), but the header has {}: give one for all reads with -R",
                groups.len()
            )),
        }
    }
}

/// The letters of both codes of a byte.
static LETTER_PAIRS: [[u8; 2]; 256] = {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [iupac::OF_CODES[byte >> 4], iupac::OF_CODES[byte & 15]];
        byte += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_the_reverse_strand_are_turned_back() {
        let mut record = Record::new();
        record.set(
            b"r",
            None,
            b"ACMGRSVTWYHKDBNA",
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 93],
        );
        let rules = RecordRules { keeps_comments: true, ..RecordRules::default() };
        let mut text = RecordText::default();
        let mut fill = |record: &Record| {
            text.fill(record, &RecordGroups::One(Some(3)), rules).expect("is a read");
            let as_text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (as_text(&text.header), as_text(&text.sequence), as_text(&text.quality), text.group)
        };
        let is = |letters: &str, qualities: &str| {
            ("r".to_owned(), letters.to_owned(), qualities.to_owned(), Some(3))
        };
        assert_eq!(fill(&record), is("ACMGRSVTWYHKDBNA", "!\"#$%&'()*+,-./~"));
        record.set_flags(0x10);
        assert_eq!(fill(&record), is("TNVHMDRWABSYCKGT", "~/.-,+*)('&%$#\"!"));
        record.set(b"r", None, b"ACG", &[0xff; 3]);
        assert_eq!(fill(&record), is("CGT", ""));
        record.set(b"r", None, b"", &[]);
        assert_eq!(fill(&record), is("", ""));
    }

    #[test]
    fn the_group_of_a_record_is_one_of_the_header() {
        let with = |id: Option<&str>| {
            let mut record = Record::new();
            record.set(b"r", None, b"A", &[30]);
            if let Some(id) = id {
                record.push_aux(b"RG", Aux::String(id)).expect("is added");
            }
            record
        };
        let groups = |ids: &[&str]| {
            RecordGroups::ById(ids.iter().map(|&id| id.to_owned()).zip(5..).collect())
        };
        let of = |groups: &RecordGroups, id| groups.of(&with(id)).map_err(|_| "refused");
        assert_eq!(of(&groups(&["a", "b"]), Some("b")), Ok(Some(6)));
        assert_eq!(of(&groups(&["a", "b"]), Some("c")), Err("refused"));
        assert_eq!(of(&groups(&["a", "b"]), None), Err("refused"));
        assert_eq!(of(&groups(&["a"]), None), Ok(Some(5)));
        assert_eq!(of(&RecordGroups::One(None), Some("a")), Ok(None));
    }
}
