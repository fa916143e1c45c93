//! Text of whole records of FASTQ, in which threads find records without reading what is before them.
//!
//! Every record of FASTQ has four lines. So once the line feeds of a text are counted, the number of those before a place
//! tells which record comes next and how many lines before it begins:
//!
//! ```text
//!   @a  ACGT  +  IIII  @b  AC  +  II  @c  ...
//!                |                    |
//!                mark: 2 lines        record 2, behind 2 more
//! ```

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr_iter};

/// Lines of a record.
pub const LINES: usize = 4;

/// Bytes in which line feeds are counted before one of them is looked for.
const PIECE: usize = 1 << 12;

/// Text from the begin of a record on.
///
/// Its memory is initialized once, since that takes a part of the time of reading: [`clear`](Self::clear) keeps it.
#[derive(Debug, Default)]
pub struct LinedText {
    /// Initialized memory, of which the text is the beginning.
    memory: Vec<u8>,
    /// Where the text ends.
    end: usize,
    /// Places in the text, in order.
    marks: Vec<LineMark>,
    /// Line feeds in the text.
    lines: usize,
}

/// A place in a text.
#[derive(Debug, Clone, Copy)]
struct LineMark {
    offset: usize,
    /// Line feeds before it.
    lines: usize,
}

impl LinedText {
    /// Removes the text, and keeps its memory.
    pub fn clear(&mut self) {
        self.end = 0;
        self.marks.clear();
        self.lines = 0;
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.end
    }

    /// The number of line feeds that were counted.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// The number of whole records.
    pub fn records(&self) -> usize {
        self.lines / LINES
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.end]
    }

    /// The text, to turn records into reads.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.end]
    }

    /// Makes room for this many bytes behind the text.
    pub fn reserve(&mut self, bytes: usize) {
        let needed = self.end + bytes;
        if self.memory.len() < needed {
            // New memory is zero already, so that most systems give it only when it is written to.
            let mut memory = vec![0; needed.max(2 * self.memory.len())];
            memory[..self.end].copy_from_slice(self.bytes());
            self.memory = memory;
        }
    }

    /// Appends text whose lines are not counted.
    pub fn append(&mut self, text: &[u8]) {
        self.room(text.len()).copy_from_slice(text);
        self.end += text.len();
    }

    /// Appends text.
    pub fn push(&mut self, text: &[u8]) {
        self.append(text);
        self.count_lines(self.end - text.len());
    }

    /// The room of this many bytes behind the text, to be filled and then [appended](Self::append_room).
    pub fn room(&mut self, bytes: usize) -> &mut [u8] {
        self.reserve(bytes);
        &mut self.memory[self.end..][..bytes]
    }

    /// Appends the next bytes of the [room](Self::room), in which there are this many line feeds.
    pub fn append_room(&mut self, bytes: usize, lines: usize) {
        self.marks.push(LineMark { offset: self.end, lines: self.lines });
        self.end += bytes;
        self.lines += lines;
    }

    /// Reads and appends the next block of a text, of so many bytes or up to its end. Returns whether the text may go on behind
    /// it. What is read before an error is appended, too.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read_block(&mut self, text: &mut impl Read, size: usize) -> io::Result<bool> {
        let begin = self.end;
        let (filled, error) = fill(text, self.room(size));
        self.end += filled;
        self.count_lines(begin);
        error.map_or(Ok(filled == size), Err)
    }

    /// Counts the lines of the text from this offset on, where nothing was counted yet.
    fn count_lines(&mut self, begin: usize) {
        self.marks.push(LineMark { offset: begin, lines: self.lines });
        self.lines += count_line_feeds(&self.memory[begin..self.end]);
    }

    /// Takes the text behind this offset away.
    pub fn truncate(&mut self, end: usize) {
        self.lines -= count_line_feeds(&self.memory[end..self.end]);
        self.end = end;
        self.marks.retain(|mark| mark.offset < end);
    }

    /// Cuts the text behind its first `records` records, at most as many as there are, and moves what follows to `rest`.
    pub fn cut(&mut self, records: usize, rest: &mut Vec<u8>) {
        let lines = LINES * records;
        let behind = self.lines.saturating_sub(lines);
        let last = memrchr_iter(b'\n', self.bytes()).nth(behind);
        let end = if records == 0 { 0 } else { last.map_or(0, |line_feed| line_feed + 1) };
        rest.clear();
        rest.extend_from_slice(&self.bytes()[end..]);
        self.end = end;
        self.lines = lines;
        self.marks.retain(|mark| mark.offset < end);
    }

    /// Where the record with this number begins, from 0; the end of the text for the number of records.
    pub fn begin_of(&self, record: usize) -> usize {
        let lines = LINES * record;
        // The line feed before the record is behind the last mark with fewer before it.
        let marks = self.marks.partition_point(|mark| mark.lines < lines);
        let Some(mark) = marks.checked_sub(1).map(|last| self.marks[last]) else { return 0 };
        let last = nth_line_feed(&self.bytes()[mark.offset..], lines - mark.lines - 1);
        last.map_or(self.end, |line_feed| mark.offset + line_feed + 1)
    }
}

/// The place of the line feed in a text that so many others are before.
fn nth_line_feed(text: &[u8], mut before: usize) -> Option<usize> {
    // Counting all line feeds of a piece takes a sixth of the time of finding each.
    for (piece, begin) in text.chunks(PIECE).zip((0..).step_by(PIECE)) {
        let lines = count_line_feeds(piece);
        if before < lines {
            return memchr_iter(b'\n', piece).nth(before).map(|line_feed| begin + line_feed);
        }
        before -= lines;
    }
    None
}

/// Fills a block with text up to its end or an error, and returns how many bytes there are, and the error.
pub fn fill(text: &mut impl Read, block: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut length = 0;
    while length < block.len() {
        match text.read(&mut block[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (length, Some(error)),
        }
    }
    (length, None)
}

/// The number of line feeds in a text.
pub fn count_line_feeds(text: &[u8]) -> usize {
    memchr_iter(b'\n', text).count()
}

/// The lines of the record that begins at `begin` in a text, without their line feeds.
pub fn lines_of_record(text: &[u8], begin: usize) -> [Range<usize>; LINES] {
    let mut next = begin;
    [(); LINES].map(|()| {
        let begin = next.min(text.len());
        let end = memchr(b'\n', &text[begin..]).map_or(text.len(), |length| begin + length);
        next = end + 1;
        begin..end
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::broken::Broken;

    const BLOCK: usize = 50_000;

    /// A text of records with up to `longest` bases.
    fn text(random: &mut fastrand::Rng, records: usize, longest: usize) -> Vec<u8> {
        let mut text = Vec::new();
        for number in 0..records {
            let length = random.usize(..=longest);
            text.extend(format!("@r{number}\n").as_bytes());
            for (begin, letter) in [("", b'A'), ("+\n", b'@')] {
                text.extend(begin.as_bytes());
                text.extend(std::iter::repeat_n(letter, length));
                text.push(b'\n');
            }
        }
        text
    }

    /// Gives out at most so many bytes at a time.
    struct Pieces<'t>(&'t [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(to.len());
            self.0.read(&mut to[..most])
        }
    }

    #[test]
    fn records_are_found_in_the_middle_of_a_text() {
        let mut random = fastrand::Rng::with_seed(1);
        for (records, longest) in [(1, 0), (3, 10), (2000, 100), (30, 2 * BLOCK), (9000, 0)] {
            let whole = text(&mut random, records, longest);
            let (mut found, mut rest) = (0, Vec::new());
            let mut unread = Pieces(&whole, 10_007);
            let (mut text, mut goes_on) = (LinedText::default(), true);
            while found < records {
                text.clear();
                text.push(&rest);
                let wanted = random.usize(1..=records - found);
                while text.records() < wanted {
                    assert!(goes_on);
                    goes_on = text.read_block(&mut unread, BLOCK).expect("reads");
                }
                text.cut(wanted, &mut rest);
                assert_eq!(text.records(), wanted);
                let mut place = 0;
                for number in 0..wanted {
                    assert_eq!(text.begin_of(number), place);
                    let lines = lines_of_record(text.bytes(), place);
                    let name = format!("@r{}", found + number);
                    assert_eq!(text.bytes()[lines[0].clone()], *name.as_bytes());
                    assert_eq!(lines[1].len(), lines[3].len());
                    place = lines[3].end + 1;
                }
                assert_eq!((text.begin_of(wanted), place), (text.len(), text.len()));
                found += wanted;
            }
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn text_before_an_error_is_kept() {
        let mut text = LinedText::default();
        let read = text.read_block(&mut b"@a\nAC\n+\nII\n@b\nA".as_slice().chain(Broken), BLOCK);
        assert_eq!(read.expect_err("is broken").kind(), io::ErrorKind::InvalidData);
        let mut rest = Vec::new();
        assert_eq!(text.records(), 1);
        text.cut(1, &mut rest);
        assert_eq!((text.bytes(), rest.as_slice()), (&b"@a\nAC\n+\nII\n"[..], &b"@b\nA"[..]));
        text.cut(0, &mut rest);
        assert_eq!((text.len(), text.records(), rest.len()), (0, 0, 11));
        assert_eq!(text.begin_of(0), 0);
    }
}
