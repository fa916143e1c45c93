//! Identifiers that are known as accessions by their form, as makeblastdb knows them.
//!
//! The letters before the digits tell which database gave an accession: `GenBank`, EMBL or DDBJ, or the part of one of these for
//! annotation by third parties (TPA).

/// The database of accessions with a letter and five digits, by the letter.
const ONE_LETTER: &[u8; 26] = b"egdddeggggggg....ggggegeee";

/// The database of accessions with two letters and six or eight digits: a row for each first letter.
const TWO_LETTERS: [&[u8; 26]; 16] = [
    b"gdggggdggedeee.dgggdddgegg",
    b"ddgdgggggdGGgE.dgDdgggdedg",
    b"ggggggggddggggggeeeeeggggg",
    b"dddddddddddddg.ggggggggggg",
    b"gggggggggggggggggggggggggg",
    b"geggggggggeeeeeedddddddddd",
    b"ddgggggg.GGgeegggggggggggg",
    b"eeeeeeeeeggggggggggDDddddd",
    b"..........................",
    b"eeeeeggggggggggggggggggggg",
    b"gggggggggggggggggggggggggg",
    b"ddddddddddeeeeeeeeeedddddd",
    b"dddddggggggggggeeeeggggggg",
    b"..........................",
    b"eeeeedddddggggggggggeeeeee",
    b"ddddd.....................",
];

/// The database of whole-genome shotgun projects with four letters, by the first letter.
const FOUR_LETTERS: &[u8; 26] = b"gdeGDegedgggggeggggdegggDD";

/// The database of whole-genome shotgun projects with six letters, by the first letter.
const SIX_LETTERS: &[u8; 26] = b"gdeG.....g................";

/// Pairs of letters before `_` that are none of nucleotides in `RefSeq`.
const PROTEINS: [&str; 4] = ["AP", "NP", "XP", "YP"];

/// The abbreviation of the database of an accession without its version, or `None` if its form is none of accessions.
pub(super) fn database(accession: &str) -> Option<&'static str> {
    if let Some((prefix, rest)) = accession.split_once('_') {
        return is_of_refseq(prefix, rest).then_some("ref");
    }
    let letters = accession.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, digits) = accession.split_at(letters);
    let letters = letters.to_ascii_uppercase();
    let place = |number: usize| usize::from(letters.as_bytes()[number] - b'A');
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // The number of a project, and the numbers of its scaffolds, begin with two digits of its version.
    let has_scaffold = digits.len() > 3 && digits.as_bytes()[2].eq_ignore_ascii_case(&b'S');
    let numbers =
        if has_scaffold { format!("{}{}", &digits[..2], &digits[3..]) } else { digits.to_owned() };
    if !are_digits(&numbers) || (has_scaffold && ![4, 6].contains(&letters.len())) {
        return None;
    }
    let code = match (letters.len(), numbers.len()) {
        (1, 5) => ONE_LETTER[place(0)],
        (2, 6 | 8) => TWO_LETTERS.get(place(0))?[place(1)],
        (4, 8..=10) => FOUR_LETTERS[place(0)],
        (5, 7) if place(0) == 0 => b'd',
        (6, 9..=11) => SIX_LETTERS[place(0)],
        _ => return None,
    };
    match code {
        b'g' => Some("gb"),
        b'e' => Some("emb"),
        b'd' => Some("dbj"),
        b'G' => Some("tpg"),
        b'E' => Some("tpe"),
        b'D' => Some("tpd"),
        _ => None,
    }
}

/// Whether these are the parts of an accession of `RefSeq` before and behind `_`.
fn is_of_refseq(prefix: &str, rest: &str) -> bool {
    let is_pair = prefix.len() == 2 && prefix.bytes().all(|byte| byte.is_ascii_alphabetic());
    let prefix = prefix.to_ascii_uppercase();
    if !is_pair || PROTEINS.contains(&prefix.as_str()) {
        return false;
    }
    let is_number = (6..=9).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_number || (prefix == "NZ" && !rest.contains('_') && database(rest).is_some())
}

/// The structure and the chain of an identifier of the form that those of PDB have: a digit and three letters or digits, not all of
/// them digits, and then `_` and the chain unless it has none.
pub(super) fn pdb(name: &str) -> Option<(&str, &str)> {
    let (molecule, chain) = name.split_once('_').unwrap_or((name, ""));
    let is_chain = chain.len() <= 4 && chain.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let bytes = molecule.as_bytes();
    let is_molecule = bytes.len() == 4
        && bytes[0].is_ascii_digit()
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && bytes.iter().any(u8::is_ascii_alphabetic);
    let is_whole = !name.ends_with('_');
    (is_molecule && is_chain && is_whole).then_some((molecule, chain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessions_are_known_by_their_form() {
        for (accession, expected) in [
            ("A12345", Some("emb")),
            ("u00096", Some("gb")),
            ("AB123456", Some("dbj")),
            ("CP012345", Some("gb")),
            ("BK000001", Some("tpg")),
            ("ABCD01000001", Some("gb")),
            ("ABCD01S000001", Some("gb")),
            ("ABCDE1234567", Some("dbj")),
            ("NC_000913", Some("ref")),
            ("NZ_CP012345", Some("ref")),
            ("AB_123456789", Some("ref")),
            ("A1234", None),
            ("AB1234567", None),
            ("NC_1", None),
            ("NODE_1", None),
            ("NZ_NODE", None),
            ("XP_123456", None),
            ("contig00001", None),
            ("s1", None),
            ("1234", None),
            ("", None),
            ("\u{e9}12345", None),
            ("AB\u{e9}3456", None),
        ] {
            assert_eq!(database(accession), expected, "{accession}");
        }
        let found = ["1ABC_A", "1abc", "1ABC_", "1234", "s1"].map(pdb);
        assert_eq!(found, [Some(("1ABC", "A")), Some(("1abc", "")), None, None, None]);
    }
}
