//! The letters of nucleotides (IUPAC), and their codes in BAM (SAM specification, section 4.2.3).

/// The letter of each four-bit code. A code has a bit for each base that its letter stands for.
pub const OF_CODES: &[u8; 16] = b"=ACMGRSVTWYHKDBN";

/// The complement of an upper-case letter; of what is no letter of a nucleotide, the same.
pub const fn complement(letter: u8) -> u8 {
    match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        b'R' => b'Y',
        b'Y' => b'R',
        b'K' => b'M',
        b'M' => b'K',
        b'B' => b'V',
        b'V' => b'B',
        b'D' => b'H',
        b'H' => b'D',
        other => other,
    }
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
