//! A limit on what one record of a file of reads can take, since a record is held in memory whole.
//!
//! A read has at most 65,000 bases, so a line of FASTQ or a record of FASTA that is much longer is no read. Without a
//! limit, a small compressed file could fill all memory with one line.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memmem, memrchr};

/// The most bytes of a line of FASTQ, and of a record of FASTA: 4 MiB, room for a read and a long comment.
pub const MAX_RECORD_PART: usize = 1 << 22;

/// Text of FASTQ or FASTA that ends with an error where a line or a record is too long.
#[derive(Debug)]
pub struct LimitedText<R> {
    text: R,
    /// The first byte of the text, once it was read.
    first: Option<u8>,
    /// The last byte that was read.
    last: u8,
    /// Bytes of the line of FASTQ, or of the record of FASTA, so far.
    part: usize,
    /// The line that is being read, from 1.
    line: u64,
}

impl<R: Read> LimitedText<R> {
    /// Limits the lines or records of a text.
    pub fn new(text: R) -> Self {
        Self { text, first: None, last: b'\n', part: 0, line: 1 }
    }

    /// Limits the lines of the rest of a text of FASTQ, behind so many bytes of the line with this number, from 1.
    pub fn rest_of_fastq(text: R, line: u64, part: usize) -> Self {
        // Only a text of FASTA needs the last byte.
        Self { text, first: Some(b'@'), last: b'\n', part, line }
    }

    /// Where the first part ends in a block and where the last one begins; `None` if no part begins in it.
    fn borders(&self, block: &[u8]) -> Option<(usize, usize)> {
        if self.first != Some(b'>') {
            let end = memchr(b'\n', block)?;
            return Some((end, memrchr(b'\n', block).unwrap_or(end) + 1));
        }
        let begins_here = self.last == b'\n' && block.first() == Some(&b'>');
        let last = memmem::rfind(block, b"\n>").map(|end| end + 1);
        let first = if begins_here { Some(0) } else { memmem::find(block, b"\n>") };
        Some((first?, last.unwrap_or(0)))
    }

    /// The error that the part is too long, at the line that is being read.
    fn too_long(&self) -> io::Error {
        let part = if self.first == Some(b'>') { "the record of FASTA" } else { "the line" };
        let line = self.line;
        io::Error::other(format!(
            "line {line}: {part} has more than {MAX_RECORD_PART} bytes, the most that are allowed for a read"
        ))
    }
}

impl<R: Read> Read for LimitedText<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(to)?;
        let block = &to[..count];
        let Some(&last) = block.last() else { return Ok(0) };
        self.first = self.first.or(block.first().copied());
        let (end, begin) = self.borders(block).unwrap_or((count, 0));
        if self.part + end > MAX_RECORD_PART {
            return Err(self.too_long());
        }
        self.part = if begin == 0 && end == count { self.part + count } else { count - begin };
        self.line += memchr_iter(b'\n', block).count() as u64;
        self.last = last;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out at most so many bytes at a time.
    struct Blocks<'t>(&'t [u8], usize);

    impl Read for Blocks<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(to.len());
            self.0.read(&mut to[..most])
        }
    }

    /// Reads a text in blocks of several sizes; the number of its bytes, or the error.
    fn read(text: &[u8]) -> Result<usize, String> {
        let of_size = |size| {
            let read = LimitedText::new(Blocks(text, size)).read_to_end(&mut Vec::new());
            read.map_err(|error| error.to_string())
        };
        let all = [1 << 14, 65_537, 1 << 20].map(of_size);
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all[0].clone()
    }

    #[test]
    fn a_line_of_fastq_has_a_limit() {
        let with_comment = |length: usize| {
            let long = [b"@".as_slice(), &vec![b'x'; length - 1], b"\nAC\n+\nII\n"].concat();
            [b"@a\nAC\n+\nII\n".as_slice(), &long, &long].concat()
        };
        let longest = with_comment(MAX_RECORD_PART);
        assert_eq!(read(&longest), Ok(longest.len()));
        let error = read(&with_comment(MAX_RECORD_PART + 1)).expect_err("is too long");
        assert!(error.contains("the line has more than 4194304 bytes"), "{error}");
        assert!(error.starts_with("line "), "{error}");
    }

    #[test]
    fn a_record_of_fasta_has_a_limit_whatever_its_lines() {
        let lines = |count: usize| [b">a\n".as_slice(), &b"ACG\n".repeat(count)].concat();
        let many = lines(1000).repeat(3000);
        assert_eq!(read(&many), Ok(many.len()));
        let error = read(&lines(MAX_RECORD_PART / 4)).expect_err("is too long");
        assert!(error.contains("the record of FASTA has more than"), "{error}");
        let error = read(&vec![b'>'; MAX_RECORD_PART + 2]).expect_err("is too long");
        assert!(error.starts_with("line 1: "), "{error}");
    }
}
