//! Rows of the banded matrix of a run of pieces, each in one 32-bit word.
//!
//! A run compares the text that is added to one side of a word with the pieces that come next in that direction. Its
//! matrix has one row for each base of that text. Bit `i` of byte `e` of a row is set if the text up to that row can be
//! aligned with the first `j = row + i - 3` bases of the run with `e` differences, each of which the run allows where
//! it is. This is the automaton of S. Wu and U. Manber, "Fast text searching allowing errors" (1992), with four levels
//! and seven diagonals. Where a run allows more than [`MAX_DIFFERENCES`] differences, the search leaves the matrix and
//! verifies in the text.

/// Greatest number of differences in a run that its matrix can represent.
pub const MAX_DIFFERENCES: usize = 3;

/// Bit 0 of all levels: one diagonal.
const DIAGONAL: u32 = 0x0101_0101;

/// Adds the cells that are reached by skipping bases of the query (insertions).
fn skip(mut cells: u32, bounds: u32) -> u32 {
    for _ in 0..MAX_DIFFERENCES {
        cells |= cells << 9 & bounds;
    }
    cells
}

/// The first row, before any text.
pub fn first(bounds: u32) -> u32 {
    skip(1 << MAX_DIFFERENCES & bounds, bounds)
}

/// The row after one more base of text. Bit `i` of `equal` is set if the base equals the query's base before the cells
/// of the new row on diagonal `i`.
pub fn next(cells: u32, equal: u32, bounds: u32) -> u32 {
    let substituted = cells << 8;
    skip((cells & (equal * DIAGONAL) | substituted | substituted >> 1) & bounds, bounds)
}

/// Mask of the cells that a row may have: cells of at most `length` bases of the query and, with `e` differences, of at
/// least `allowed[e - 1]` bases.
pub fn bounds(row: usize, length: usize, allowed: [usize; MAX_DIFFERENCES]) -> u32 {
    let from = |j: usize| 0x7F_u32 << (j + MAX_DIFFERENCES).saturating_sub(row).min(7) & 0x7F;
    let levels = from(0) | from(allowed[0]) << 8 | from(allowed[1]) << 16 | from(allowed[2]) << 24;
    levels & !(from(length + 1) * DIAGONAL)
}

/// Mask of the cells of a row that are aligned with all `length` bases of the run.
pub fn complete(row: usize, length: usize) -> u32 {
    match (length + MAX_DIFFERENCES).checked_sub(row) {
        Some(diagonal @ 0..=6) => DIAGONAL << diagonal,
        _ => 0,
    }
}

/// The least number of differences of any of these cells, of which at least one must be set.
pub fn differences(cells: u32) -> u8 {
    (cells.trailing_zeros() / 8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number of differences between a whole text and a whole run, where the `e`-th difference is allowed
    /// only from `allowed[e - 1]` bases on; by a matrix of Boolean cells.
    fn by_full_cells(text: &[u8], run: &[u8], allowed: [usize; MAX_DIFFERENCES]) -> Option<usize> {
        let reached = |e: usize, j: usize| e == 0 || j >= allowed[e - 1];
        // cells[t][j][e]
        let mut cells = vec![vec![[false; MAX_DIFFERENCES + 1]; run.len() + 1]; text.len() + 1];
        cells[0][0][0] = true;
        for t in 0..=text.len() {
            for j in 0..=run.len() {
                for e in 0..=MAX_DIFFERENCES {
                    let from = |dt: usize, dj: usize, de: usize| {
                        t >= dt && j >= dj && e >= de && cells[t - dt][j - dj][e - de]
                    };
                    let equal = t > 0 && j > 0 && text[t - 1] == run[j - 1];
                    let there = (equal && from(1, 1, 0))
                        || (reached(e, j) && (from(1, 1, 1) || from(1, 0, 1) || from(0, 1, 1)));
                    cells[t][j][e] |= there;
                }
            }
        }
        cells[text.len()][run.len()].iter().position(|&reached| reached)
    }

    #[test]
    fn bits_equal_cells() {
        let mut state = 0x51_u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            ((state >> 33) % bound) as usize
        };
        let mut found = 0;
        for case in 0..50_000 {
            let letters = 1 + random(4) as u64;
            let run: Vec<u8> = (0..=random(12)).map(|_| random(letters) as u8).collect();
            let mut text = run.clone();
            for _ in 0..random(5) {
                let at = random(text.len() as u64 + 1);
                match random(3) {
                    0 if at < text.len() => text[at] = random(letters) as u8,
                    1 if at < text.len() => drop(text.remove(at)),
                    _ => text.insert(at, random(letters) as u8),
                }
            }
            let mut allowed = [(); MAX_DIFFERENCES].map(|()| random(run.len() as u64 + 3));
            allowed.sort_unstable();
            let mut cells = first(bounds(0, run.len(), allowed));
            for (t, base) in text.iter().enumerate() {
                let at = |i: usize| (t + i).checked_sub(MAX_DIFFERENCES).and_then(|j| run.get(j));
                let equal =
                    (0..7).filter(|&i| at(i) == Some(base)).fold(0, |bits, i| bits | 1 << i);
                cells = next(cells, equal, bounds(t + 1, run.len(), allowed));
            }
            let ends = cells & complete(text.len(), run.len());
            let least = (ends != 0).then(|| usize::from(differences(ends)));
            let expected = by_full_cells(&text, &run, allowed);
            assert_eq!(least, expected, "case {case}: {text:?} and {run:?}, allowed {allowed:?}");
            found += usize::from(least.is_some());
        }
        assert!(found > 10_000, "{found} texts are near their run");
    }
}
