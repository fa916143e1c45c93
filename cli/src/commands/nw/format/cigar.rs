//! CIGAR strings in the output of `gpualign nw`, which is mostly these.

use nw_batch::alignment::{CigarRef, CigarRun};

/// Lengths of runs below this are looked up: nearly all are.
const SHORT: usize = 100;

/// Bytes of an entry of [`TEXTS`].
const BYTES: usize = 4;

/// The most bytes of a run: the digits of a number of 32 bits, and a letter.
const MOST_BYTES: usize = 11;

/// The text of each short run, at four times its length and the number of its operation, and behind it the bytes of the text.
static TEXTS: [[u8; BYTES]; 4 * SHORT] = texts();

const fn texts() -> [[u8; BYTES]; 4 * SHORT] {
    let mut texts = [[0; BYTES]; 4 * SHORT];
    let mut place = 0;
    while place < texts.len() {
        let (length, letter) = ((place / 4) as u8, b"=XID"[place % 4]);
        let (tens, ones) = (b'0' + length / 10, b'0' + length % 10);
        texts[place] = if length < 10 { [ones, letter, 0, 2] } else { [tens, ones, letter, 3] };
        place += 1;
    }
    texts
}

/// Appends a CIGAR string as in SAM; `*` if there is no column.
pub fn push_cigar(cigar: CigarRef<'_>, out: &mut Vec<u8>) {
    if cigar.0.is_empty() {
        out.push(b'*');
    }
    // Pieces of runs whose room is made at once.
    for runs in cigar.0.chunks(64) {
        push_runs(runs, out);
    }
}

fn push_runs(runs: &[CigarRun], out: &mut Vec<u8>) {
    let mut end = out.len();
    out.resize(end + runs.len() * MOST_BYTES, 0);
    for run in runs {
        let place = run.length() as usize * 4 + run.op() as usize;
        if let Some(text) = TEXTS.get(place) {
            // What stands behind the text is overwritten, or cut off.
            out[end..end + BYTES].copy_from_slice(text);
            end += usize::from(text[BYTES - 1]);
        } else {
            let mut digits = itoa::Buffer::new();
            let digits = digits.format(run.length()).as_bytes();
            out[end..end + digits.len()].copy_from_slice(digits);
            end += digits.len();
            out[end] = run.op().letter() as u8;
            end += 1;
        }
    }
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use nw_batch::alignment::CigarOp;

    use super::*;

    #[test]
    fn runs_of_all_lengths_are_written() {
        let ops = [CigarOp::Equal, CigarOp::Different, CigarOp::Insertion, CigarOp::Deletion];
        let lengths = (1..=120).chain([999, 1_000, 65_536, (1 << 30) - 1]);
        let of_length = |length| ops.map(|op| CigarRun::new(op, length));
        let all: Vec<CigarRun> = lengths.flat_map(of_length).collect();
        for count in [0, 1, 63, 64, 65, 400, 450, all.len()] {
            // Short runs first, or long ones.
            for runs in [all[..count].to_vec(), all.iter().rev().take(count).copied().collect()] {
                let expected: String = runs.iter().map(CigarRun::to_string).collect();
                let expected = if runs.is_empty() { "*".to_owned() } else { expected };
                let mut out = b"before ".to_vec();
                push_cigar(CigarRef(&runs), &mut out);
                assert_eq!(String::from_utf8_lossy(&out), format!("before {expected}"));
            }
        }
    }
}
