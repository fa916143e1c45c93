//! Differences between a query and a text, diagonal by diagonal.
//!
//! On diagonal `g`, base `i` of the query is compared with base `i + g` of the text. There is one bit for each base and
//! diagonal, so the next difference in either direction is found 32 bases at a time.
//!
//! Tracebacks use this in place of a matrix. With few differences, how far each number of differences reaches on each
//! diagonal determines the distance of every cell, and these bits tell how far that is.

use super::ungapped::{BASES, PackedQuery};

/// The differences of a query and a text on the diagonals `-d` to `d`.
#[derive(Debug, Default)]
pub struct DiagonalDifferences {
    d: isize,
    length: usize,
    /// Words of each diagonal.
    each: usize,
    /// For each diagonal, two bits for each base of the query, of which the lower one is set if the base differs.
    words: Vec<u64>,
}

impl DiagonalDifferences {
    /// Compares a query of `length` bases with the packed text around position `start`, where its main diagonal begins.
    /// The text must have `d` bases before `start` and `length + d` bases from there on.
    pub fn set_packed(
        &mut self,
        query: &PackedQuery,
        length: usize,
        d: u8,
        text: &[u64],
        start: u32,
    ) {
        self.begin(length, d);
        for begin in start - u32::from(d)..=start + u32::from(d) {
            self.words.extend(query.on(text, begin).map(|word| word.differences));
        }
    }

    /// Compares a query with a text, both as codes 0 to 4; the main diagonal begins at the first base of each. Query
    /// bases beyond the ends of the text differ.
    pub fn set_codes(&mut self, query: &[u8], d: u8, text: &[u8]) {
        self.begin(query.len(), d);
        self.words.resize((2 * usize::from(d) + 1) * self.each, 0);
        for gap in -self.d..=self.d {
            for (i, &code) in query.iter().enumerate() {
                let base = usize::try_from(i as isize + gap).ok().and_then(|j| text.get(j));
                let differs = code > 3 || base != Some(&code);
                let word = self.row(gap) + i / BASES;
                self.words[word] |= u64::from(differs) << (2 * (i % BASES));
            }
        }
    }

    fn begin(&mut self, length: usize, d: u8) {
        (self.d, self.length, self.each) = (isize::from(d), length, length.div_ceil(BASES));
        self.words.clear();
    }

    fn row(&self, gap: isize) -> usize {
        (gap + self.d) as usize * self.each
    }

    /// The first query base from `i` on that differs on diagonal `gap`, or the query's length.
    pub fn next(&self, gap: isize, i: usize) -> usize {
        let row = &self.words[self.row(gap)..][..self.each];
        let mut number = i / BASES;
        let Some(first) = row.get(number) else { return self.length };
        let mut word = first & u64::MAX << (2 * (i % BASES));
        while word == 0 {
            number += 1;
            match row.get(number) {
                Some(&next) => word = next,
                None => return self.length,
            }
        }
        number * BASES + word.trailing_zeros() as usize / 2
    }

    /// Number of equal bases right before query base `i` on diagonal `gap`.
    pub fn equal_before(&self, gap: isize, i: usize) -> usize {
        let row = &self.words[self.row(gap)..][..self.each];
        let mut number = i / BASES;
        let mut word = row.get(number).map_or(0, |word| word & ((1 << (2 * (i % BASES))) - 1));
        while word == 0 {
            if number == 0 {
                return i;
            }
            number -= 1;
            word = row[number];
        }
        i - 1 - (number * BASES + (63 - word.leading_zeros() as usize) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bases_and_codes_give_the_same_as_looking() {
        let mut state = 3_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            ((state >> 33) % below) as usize
        };
        let letters: Vec<u8> = (0..300).map(|_| random(2) as u8).collect();
        let pack = |chunk: &[u8]| {
            chunk.iter().enumerate().map(|(i, &c)| u64::from(c) << (2 * i)).sum::<u64>()
        };
        let words: Vec<u64> = letters.chunks(BASES).map(pack).collect();
        let (mut packed, mut of_codes) =
            (DiagonalDifferences::default(), DiagonalDifferences::default());
        let mut query_packed = PackedQuery::default();
        for length in 1..=100 {
            let d = random(8) as u8;
            let start = usize::from(d) + random(150);
            let mut query = letters[start..start + length].to_vec();
            query[random(length as u64)] = random(5) as u8;
            query_packed.set(&query);
            let text = &letters[start..start + length + usize::from(d)];
            packed.set_packed(&query_packed, length, d, &words, start as u32);
            of_codes.set_codes(&query, d, text);
            for gap in -isize::from(d)..=isize::from(d) {
                // Query bases before this one are beyond the begin of the text.
                let least = (-gap).max(0) as usize;
                let differs = |i: usize| text[(i as isize + gap) as usize] != query[i];
                for i in least..=length {
                    let next = (i..length).find(|&i| differs(i)).unwrap_or(length);
                    let equal = (least..i).rev().take_while(|&i| !differs(i)).count();
                    for found in [&packed, &of_codes] {
                        let case = format!("length {length}, d {d}, diagonal {gap}, base {i}");
                        assert_eq!(found.next(gap, i), next, "{case}");
                        assert_eq!(found.equal_before(gap, i).min(i - least), equal, "{case}");
                    }
                }
            }
        }
    }
}
