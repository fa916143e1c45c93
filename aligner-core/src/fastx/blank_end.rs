//! Text without the blank lines at its end.

use std::io::{self, Read};

/// Text without the blank lines at its end. Blank lines elsewhere are passed on once text follows them, without their
/// carriage returns.
#[derive(Debug)]
pub(super) struct WithoutBlankEnd<R> {
    text: R,
    /// Whether the last byte that was passed on is a line end.
    at_line_start: bool,
    /// Blank lines that were read and not passed on yet.
    held: u64,
    /// Whether a carriage return was read after them, which may begin another blank line.
    held_return: bool,
    /// Line ends to pass on before `next`.
    due: u64,
    /// Text that follows blank lines.
    next: Vec<u8>,
    /// Bytes of `next` that were passed on.
    taken: usize,
}

impl<R: Read> WithoutBlankEnd<R> {
    pub(super) fn new(text: R) -> Self {
        Self {
            text,
            at_line_start: false,
            held: 0,
            held_return: false,
            due: 0,
            next: Vec::new(),
            taken: 0,
        }
    }

    /// Holds back the blank lines at the end of a block that is not empty. Returns the length of the block without them.
    fn hold(&mut self, block: &[u8]) -> usize {
        let is_blank = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let blank = block.iter().rev().take_while(|byte| is_blank(byte)).count();
        let (text, end) = block.split_at(block.len() - blank);
        let lines = end.split(|&byte| byte == b'\n').count() as u64 - 1;
        let ends_with_return = end.last() == Some(&b'\r');
        if text.is_empty() && self.at_line_start {
            self.held += lines;
            self.held_return = ends_with_return;
            return 0;
        }
        // The first line end belongs to the text before it.
        let first = end.iter().position(|&byte| byte == b'\n');
        self.at_line_start = first.is_some();
        self.held = lines.saturating_sub(1);
        self.held_return = first.is_some() && ends_with_return;
        first.map_or(block.len(), |line_end| text.len() + line_end + 1)
    }
}

impl<R: Read> Read for WithoutBlankEnd<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.due > 0 {
                let count = to.len().min(usize::try_from(self.due).unwrap_or(usize::MAX));
                to[..count].fill(b'\n');
                self.due -= count as u64;
                return Ok(count);
            }
            if self.taken < self.next.len() {
                let count = (&self.next[self.taken..]).read(to)?;
                self.taken += count;
                return Ok(count);
            }
            let count = self.text.read(to)?;
            if count == 0 {
                return Ok(0);
            }
            let before = (self.held, self.held_return);
            let kept = self.hold(&to[..count]);
            if kept > 0 && before == (0, false) {
                return Ok(kept);
            }
            if kept > 0 {
                self.due = before.0;
                (self.next, self.taken) = (b"\r"[..usize::from(before.1)].to_vec(), 0);
                self.next.extend_from_slice(&to[..kept]);
            }
        }
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

    #[test]
    fn only_blank_lines_at_the_end_are_left_out() {
        let cases = [
            ("", ""),
            ("@a", "@a"),
            ("@a\n", "@a\n"),
            ("@a\nAC\n+\nII\n\n", "@a\nAC\n+\nII\n"),
            ("@a\r\nAC\r\n+\r\nII\r\n\r\n\r\n\n\r\n", "@a\r\nAC\r\n+\r\nII\r\n"),
            ("@a\n\n+\n\n@b\n\n\nAC\n\n\n\n\n\n", "@a\n\n+\n\n@b\n\n\nAC\n"),
            ("@a\n\r\n+", "@a\n\n+"),
            ("@a\n\rAC", "@a\n\rAC"),
        ];
        for (text, expected) in cases {
            for size in [1, 2, 3, 5, 100] {
                let mut read = String::new();
                let mut text = WithoutBlankEnd::new(Blocks(text.as_bytes(), size));
                text.read_to_string(&mut read).expect("reads");
                assert_eq!(read, expected, "blocks of {size}");
            }
        }
    }
}
