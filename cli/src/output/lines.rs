//! Lines of text, and other bytes, written to memory that was initialized before.

/// The least that memory grows by, in bytes.
const MORE: usize = 1 << 16;

/// The digits of the numbers below 1000, and blanks behind those of numbers with fewer than four digits.
static DIGITS: [[u8; SPARE_BYTES]; 1000] = {
    let mut digits = [[b' '; SPARE_BYTES]; 1000];
    let mut number = 0;
    while number < digits.len() {
        let (mut rest, mut place) = (number, digit_count(number));
        while place > 0 {
            place -= 1;
            digits[number][place] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        number += 1;
    }
    digits
};

/// Bytes that are written where fewer may be needed: four digits, or a number in BAM's encoding.
const SPARE_BYTES: usize = 4;

/// The digits of a number below 1000.
const fn digit_count(number: usize) -> usize {
    1 + (number >= 10) as usize + (number >= 100) as usize
}

/// Consecutive lines of text.
///
/// Room is checked once for each line, and memory is initialized once for all lines: [`clear`](Self::clear) keeps it.
#[derive(Debug, Default)]
pub struct Lines {
    /// Initialized memory, of which the lines are the beginning.
    memory: Vec<u8>,
    /// Where the lines end.
    end: usize,
}

/// Room in memory for what is being written.
#[derive(Debug)]
pub struct Room<'r> {
    /// The bytes that are left, [`SPARE_BYTES`] more than may be written.
    left: &'r mut [u8],
}

impl Lines {
    /// Removes all lines and keeps their memory.
    pub fn clear(&mut self) {
        self.end = 0;
    }

    /// Bytes of memory for lines.
    pub fn memory(&self) -> usize {
        self.memory.len()
    }

    /// Where the lines end: the number of their bytes.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The text of all lines.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.end]
    }

    /// Appends a line: the bytes that `write` writes, at most `most`.
    ///
    /// # Panics
    /// If it writes more.
    #[inline]
    pub fn append(&mut self, most: usize, write: impl FnOnce(&mut Room<'_>)) {
        if self.memory.len() - self.end < most + SPARE_BYTES {
            let more = (most + SPARE_BYTES).max(self.end).max(MORE);
            self.memory.resize(self.memory.len() + more, 0);
        }
        let left = bytes_left(&mut self.memory[self.end..], write);
        self.end = self.memory.len() - left;
    }
}

/// Appends what `write` writes to bytes, at most `most`.
///
/// # Panics
/// If it writes more.
#[inline]
pub fn append(bytes: &mut Vec<u8>, most: usize, write: impl FnOnce(&mut Room<'_>)) {
    let begin = bytes.len();
    bytes.resize(begin + most + SPARE_BYTES, 0);
    let left = bytes_left(&mut bytes[begin..], write);
    bytes.truncate(bytes.len() - left);
}

/// The number of bytes of memory that are left behind what `write` writes to it.
#[inline]
fn bytes_left(memory: &mut [u8], write: impl FnOnce(&mut Room<'_>)) -> usize {
    let mut room = Room { left: memory };
    write(&mut room);
    room.left.len()
}

impl Room<'_> {
    /// The next `count` bytes, to be written.
    #[inline]
    pub fn take(&mut self, count: usize) -> &mut [u8] {
        let (taken, left) = std::mem::take(&mut self.left).split_at_mut(count);
        self.left = left;
        taken
    }

    /// Appends one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.take(1)[0] = byte;
    }

    /// Appends bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.take(bytes.len()).copy_from_slice(bytes);
    }

    /// Appends the first `count` of four bytes. All are written, as a copy of one size takes less time than one of any size; what
    /// follows overwrites the others.
    #[inline]
    pub fn first_of(&mut self, bytes: [u8; SPARE_BYTES], count: usize) {
        self.left[..SPARE_BYTES].copy_from_slice(&bytes);
        self.take(count);
    }

    /// Appends bytes, each plus `add`.
    pub fn added(&mut self, bytes: &[u8], add: u8) {
        let room = self.take(bytes.len());
        room.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte + add);
    }

    /// Appends a number in decimal digits.
    #[inline]
    pub fn number(&mut self, number: u32) {
        match DIGITS.get(number as usize) {
            // Most numbers are small. A branch on the number of digits would often be mispredicted, so as many bytes
            // are always written; there is more room for that.
            Some(&digits) => self.first_of(digits, digit_count(number as usize)),
            None => self.bytes(itoa::Buffer::new().format(number).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_each_other_in_old_memory() {
        let mut lines = Lines::default();
        let mut expected = Vec::new();
        let numbers = (0..2000).chain((0..32).map(|bits| u32::MAX >> bits));
        for number in numbers.clone() {
            let text = format!("{number}\tab~~\n");
            expected.extend_from_slice(text.as_bytes());
            lines.append(text.len(), |line| {
                line.number(number);
                line.byte(b'\t');
                line.bytes(b"ab");
                line.added(&[93, 93], b'!');
                line.byte(b'\n');
            });
        }
        assert!(lines.bytes() == expected);
        lines.clear();
        assert!(lines.bytes().is_empty());
        lines.append(1, |line| line.byte(b'x'));
        assert_eq!(lines.bytes(), b"x");
    }
}
