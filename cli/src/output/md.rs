//! The `MD` tag: the reference under an alignment, without the reference (SAM optional fields
//! specification, section 1.1).

use woodstocc::Op;

/// Writes the `MD` string of an alignment instead of what `text` held. `letter` gives the reference's
/// letter at a place, from the start of the alignment on.
///
/// Runs of equal bases are counted; another reference base is named; deleted ones are named after
/// `^`. Between two named ones there is always a count, and one at either end.
pub fn write(cigar: &[(Op, u32)], mut letter: impl FnMut(u32) -> u8, text: &mut String) {
    text.clear();
    let (mut equal, mut place) = (0, 0);
    for &(op, count) in cigar {
        let covered = place..place + count;
        match op {
            Op::Equal => equal += count,
            Op::Insertion => continue,
            Op::Different => {
                for place in covered {
                    flush(text, &mut equal);
                    text.push(char::from(letter(place)));
                }
            }
            Op::Deletion => {
                flush(text, &mut equal);
                text.push('^');
                text.extend(covered.map(|place| char::from(letter(place))));
            }
        }
        place += count;
    }
    flush(text, &mut equal);
}

/// Writes the count of equal bases, 0 included, and starts over.
fn flush(text: &mut String, equal: &mut u32) {
    text.push_str(itoa::Buffer::new().format(std::mem::take(equal)));
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
            let mut md = "old".to_owned();
            write(cigar, |place| reference.as_bytes()[place as usize], &mut md);
            assert_eq!(md, expected, "{cigar:?}");
        }
    }
}
