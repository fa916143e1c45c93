//! The `MD` tag: the reference under an alignment, without the reference (SAM optional fields
//! specification, section 1.1).

use aligner_core::cigar::{CigarOp, CigarRun};
use aligner_core::seq::decode;
use woodstocc::UngappedPath;

use crate::output::lines::{Lines, Room};

/// The most bytes that a count of bases takes.
const COUNT: usize = 10;

/// Replaces `text` by the `MD` string of an alignment. `letter` gives the reference's letter at a distance, in bases,
/// from the start of the alignment.
///
/// Runs of equal bases are counted. A reference base that differs is named, and deleted bases are named after `^`. A
/// count, which may be 0, stands between two named bases and at both ends.
pub fn of_runs(runs: &[CigarRun], mut letter: impl FnMut(u32) -> u8, text: &mut Lines) {
    let of_run = |run: &CigarRun| match run.op() {
        CigarOp::Equal | CigarOp::Insertion => 0,
        CigarOp::Different => (COUNT + 1) * run.length() as usize,
        CigarOp::Deletion => COUNT + 1 + run.length() as usize,
    };
    text.clear();
    text.append(COUNT + runs.iter().map(of_run).sum::<usize>(), |line| {
        let (mut equal, mut place) = (0, 0);
        for run in runs {
            let (op, count) = (run.op(), run.length());
            let covered = place..place + count;
            match op {
                CigarOp::Equal => equal += count,
                CigarOp::Insertion => continue,
                CigarOp::Different => {
                    for place in covered {
                        flush(line, &mut equal);
                        line.byte(letter(place));
                    }
                }
                CigarOp::Deletion => {
                    flush(line, &mut equal);
                    line.byte(b'^');
                    covered.for_each(|place| line.byte(letter(place)));
                }
            }
            place += count;
        }
        flush(line, &mut equal);
    });
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
        type Case = (&'static [(CigarOp, u32)], &'static str, &'static str);
        let cases: [Case; 10] = [
            (&[(Equal, 4)], "ACGT", "4"),
            (&[(Different, 1), (Equal, 3)], "ACGT", "0A3"),
            (&[(Equal, 3), (Different, 1)], "ACGT", "3T0"),
            (&[(Equal, 1), (Different, 2), (Equal, 1)], "ACGT", "1C0G1"),
            (&[(Equal, 1), (Deletion, 2), (Equal, 1)], "ACGT", "1^CG1"),
            (&[(Equal, 1), (Deletion, 1), (Different, 1), (Equal, 1)], "ACGT", "1^C0G1"),
            (&[(Different, 1), (Deletion, 1), (Equal, 2)], "ACGT", "0A0^C2"),
            // An insertion is not in the string.
            (&[(Equal, 2), (Insertion, 3), (Equal, 2)], "ACGT", "4"),
            (&[(Equal, 2), (Different, 1), (Equal, 1)], "ACNT", "2N1"),
            (&[(Insertion, 2)], "", "0"),
        ];
        for (cigar, reference, expected) in cases {
            let cigar: Vec<CigarRun> =
                cigar.iter().map(|&(op, length)| CigarRun::new(op, length)).collect();
            let mut md = Lines::default();
            md.append(3, |line| line.bytes(b"old"));
            of_runs(&cigar, |place| reference.as_bytes()[place as usize], &mut md);
            assert_eq!(md.bytes(), expected.as_bytes(), "{cigar:?}");
        }
    }
}
