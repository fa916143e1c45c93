//! The `MD` tag: the reference under an alignment, without the reference (SAM optional fields
//! specification, section 1.1).

use aligner_core::cigar::{CigarOp, CigarRun};
use aligner_core::seq::decode;
use woodstocc::UngappedPath;

use crate::output::lines::{Lines, Room};

/// The most bytes that a count of bases takes.
const COUNT: usize = 10;

/// Appends the `MD` string of an alignment to `text`, and returns the edit distance. `letter` gives the reference's letter at a
/// distance, in bases, from the start of the alignment.
///
/// Runs of equal bases are counted. A reference base that differs is named, and deleted bases are named after `^`. A
/// count, which may be 0, stands between two named bases and at both ends.
pub fn append_runs(runs: &[CigarRun], mut letter: impl FnMut(u32) -> u8, text: &mut Lines) -> u32 {
    // Bytes of counts with a letter each, at most.
    let counts = |run: &CigarRun| match run.op() {
        CigarOp::Equal => 1,
        _ => 1 + run.length() as usize,
    };
    let mut distance = 0;
    text.append((COUNT + 1) * (1 + runs.iter().map(counts).sum::<usize>()), |line| {
        let (mut equal, mut place) = (0, 0);
        for run in runs {
            let (op, count) = (run.op(), run.length());
            let covered = place..place + count;
            // Most runs are of equal bases, or of those that differ, in turns.
            if op == CigarOp::Equal {
                equal += count;
                place = covered.end;
                continue;
            }
            distance += count;
            if op == CigarOp::Different {
                place = covered.end;
                for place in covered {
                    flush(line, &mut equal);
                    line.byte(letter(place));
                }
            } else if op == CigarOp::Deletion {
                flush(line, &mut equal);
                line.byte(b'^');
                place = covered.end;
                covered.for_each(|place| line.byte(letter(place)));
            }
        }
        flush(line, &mut equal);
    });
    distance
}

/// Replaces `text` by the `MD` string of an alignment without gaps that has `distance` mismatches.
pub fn of_ungapped(path: UngappedPath<'_>, distance: u8, text: &mut Lines) {
    text.clear();
    text.append(COUNT + (COUNT + 1) * usize::from(distance), |line| {
        let mut done = 0;
        for (place, code) in path.mismatches() {
            line.number(place - done);
            line.byte(decode(code));
            done = place + 1;
        }
        line.number(path.len() - done);
    });
}

/// Writes the count of equal bases, also if it is 0, and resets it.
fn flush(line: &mut Room<'_>, equal: &mut u32) {
    line.number(std::mem::take(equal));
}

#[cfg(test)]
mod tests {
    use super::*;
    use aligner_core::cigar::CigarOp::{Deletion, Different, Equal, Insertion};

    #[test]
    fn each_rule_of_the_specification() {
        type Case = (&'static [(CigarOp, u32)], &'static str, &'static str, u32);
        let cases: [Case; 10] = [
            (&[(Equal, 4)], "ACGT", "4", 0),
            (&[(Different, 1), (Equal, 3)], "ACGT", "0A3", 1),
            (&[(Equal, 3), (Different, 1)], "ACGT", "3T0", 1),
            (&[(Equal, 1), (Different, 2), (Equal, 1)], "ACGT", "1C0G1", 2),
            (&[(Equal, 1), (Deletion, 2), (Equal, 1)], "ACGT", "1^CG1", 2),
            (&[(Equal, 1), (Deletion, 1), (Different, 1), (Equal, 1)], "ACGT", "1^C0G1", 2),
            (&[(Different, 1), (Deletion, 1), (Equal, 2)], "ACGT", "0A0^C2", 2),
            // An insertion is not in the string.
            (&[(Equal, 2), (Insertion, 3), (Equal, 2)], "ACGT", "4", 3),
            (&[(Equal, 2), (Different, 1), (Equal, 1)], "ACNT", "2N1", 1),
            (&[(Insertion, 2)], "", "0", 2),
        ];
        for (cigar, reference, expected, distance) in cases {
            let cigar: Vec<CigarRun> =
                cigar.iter().map(|&(op, length)| CigarRun::new(op, length)).collect();
            let mut md = Lines::default();
            md.append(3, |line| line.bytes(b"old"));
            let letter = |place| reference.as_bytes()[place as usize];
            assert_eq!(append_runs(&cigar, letter, &mut md), distance, "{cigar:?}");
            assert_eq!(md.bytes(), format!("old{expected}").as_bytes(), "{cigar:?}");
        }
    }
}
