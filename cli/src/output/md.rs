//! The `MD` tag: the reference under an alignment, without the reference (SAM optional fields
//! specification, section 1.1).

use std::fmt::Write;

use woodstocc::Op;

/// The `MD` string of an alignment over the reference letters that it covers.
///
/// Runs of equal bases are counted; another reference base is named; deleted ones are named after
/// `^`. Between two named ones there is always a count, and one at either end.
pub fn md(cigar: &[(Op, u32)], reference: &[u8]) -> String {
    let mut text = String::new();
    let mut equal = 0;
    let mut reference = reference.iter().map(|&letter| char::from(letter));
    for &(op, count) in cigar {
        let covered =
            reference.by_ref().take(if op.consumes_reference() { count as usize } else { 0 });
        match op {
            Op::Equal => equal += covered.count(),
            Op::Insertion => {}
            Op::Different => {
                for letter in covered {
                    flush(&mut text, &mut equal);
                    text.push(letter);
                }
            }
            Op::Deletion => {
                flush(&mut text, &mut equal);
                text.push('^');
                text.extend(covered);
            }
        }
    }
    flush(&mut text, &mut equal);
    text
}

/// Writes the count of equal bases, 0 included, and starts over.
fn flush(text: &mut String, equal: &mut usize) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{}", std::mem::take(equal));
}

#[cfg(test)]
mod tests {
    use super::*;
    use woodstocc::Op::{Deletion, Different, Equal, Insertion};

    #[test]
    fn each_rule_of_the_specification() {
        type Case = (&'static [(Op, u32)], &'static str, &'static str);
        let cases: [Case; 10] = [
            (&[(Equal, 4)], "ACGT", "4"),
            (&[(Different, 1), (Equal, 3)], "ACGT", "0A3"),
            (&[(Equal, 3), (Different, 1)], "ACGT", "3T0"),
            (&[(Equal, 1), (Different, 2), (Equal, 1)], "ACGT", "1C0G1"),
            (&[(Equal, 1), (Deletion, 2), (Equal, 1)], "ACGT", "1^CG1"),
            (&[(Equal, 1), (Deletion, 1), (Different, 1), (Equal, 1)], "ACGT", "1^C0G1"),
            (&[(Different, 1), (Deletion, 1), (Equal, 2)], "ACGT", "0A0^C2"),
            // An insertion does not show.
            (&[(Equal, 2), (Insertion, 3), (Equal, 2)], "ACGT", "4"),
            (&[(Equal, 2), (Different, 1), (Equal, 1)], "ACNT", "2N1"),
            (&[(Insertion, 2)], "", "0"),
        ];
        for (cigar, reference, expected) in cases {
            assert_eq!(md(cigar, reference.as_bytes()), expected, "{cigar:?}");
        }
    }
}
