//! Lines of text in memory that is there already.

/// The least that memory grows by.
const MORE: usize = 1 << 16;

/// The digits of all numbers below 100. Those below 10 have one, and something behind it.
static DIGITS: [[u8; 2]; 100] = {
    let mut digits = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        let (tens, ones) = (b'0' + number as u8 / 10, b'0' + number as u8 % 10);
        digits[number] = if number < 10 { [ones, b' '] } else { [tens, ones] };
        number += 1;
    }
    digits
};

/// Lines one after the other. Memory is asked for once a line, and set once for all lines.
#[derive(Debug, Default)]
pub struct Lines {
    memory: Vec<u8>,
    end: usize,
}

/// The line being written.
#[derive(Debug)]
pub struct Line<'l> {
    /// What is left.
    room: &'l mut [u8],
}

impl Lines {
    /// Removes all and keeps the memory.
    pub fn clear(&mut self) {
        self.end = 0;
    }

    /// All lines.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.end]
    }

    /// Appends what `write` writes, at most `most` bytes.
    ///
    /// # Panics
    /// If it writes more.
    #[inline]
    pub fn append(&mut self, most: usize, write: impl FnOnce(&mut Line<'_>)) {
        if self.memory.len() - self.end <= most {
            self.memory.resize(self.memory.len() + most.max(self.end).max(MORE) + 1, 0);
        }
        let mut line = Line { room: &mut self.memory[self.end..] };
        write(&mut line);
        let left = line.room.len();
        self.end = self.memory.len() - left;
    }
}

impl Line<'_> {
    #[inline]
    fn take(&mut self, count: usize) -> &mut [u8] {
        let (taken, left) = std::mem::take(&mut self.room).split_at_mut(count);
        self.room = left;
        taken
    }

    /// Appends a byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.take(1)[0] = byte;
    }

    /// Appends bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.take(bytes.len()).copy_from_slice(bytes);
    }

    /// Appends bytes with something added to each.
    pub fn added(&mut self, bytes: &[u8], add: u8) {
        let room = self.take(bytes.len());
        room.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte + add);
    }

    /// Appends a number.
    #[inline]
    pub fn number(&mut self, number: u32) {
        match DIGITS.get(number as usize) {
            // Most are small; whether one digit or two is anybody's guess, and so no branch. The room
            // has a byte more than may be written.
            Some(digits) => {
                self.room[..2].copy_from_slice(digits);
                self.take(1 + usize::from(number >= 10));
            }
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
        let numbers = (0..1000).chain((0..32).map(|bits| u32::MAX >> bits));
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
