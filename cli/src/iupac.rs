//! The letters of nucleotides (IUPAC), and their codes in BAM (SAM specification, section 4.2.3).

/// The letter of each four-bit code. A code has a bit for each base that its letter stands for.
pub const OF_CODES: &[u8; 16] = b"=ACMGRSVTWYHKDBN";

/// The letters that are not their own complements, each beside its complement.
const COMPLEMENTS: [[u8; 2]; 6] = [*b"AT", *b"CG", *b"RY", *b"KM", *b"BV", *b"DH"];

/// The complement of an upper-case letter; of what is no letter of a nucleotide, the same. It has neither a table nor
/// branches, so that the compiler makes vector instructions of it for many letters.
pub fn complement(letter: u8) -> u8 {
    COMPLEMENTS.iter().fold(letter, |changed, &[one, other]| {
        let is_of_pair = u8::from(letter == one) | u8::from(letter == other);
        changed ^ (is_of_pair * (one ^ other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_complements_mirror_each_other() {
        for (code, &letter) in (0_u8..).zip(OF_CODES) {
            let mirrored = code.reverse_bits() >> 4;
            assert_eq!(complement(letter), OF_CODES[usize::from(mirrored)]);
        }
    }
}
