//! UMIs (unique molecular identifiers): random bases that were attached to each molecule before it was copied, so that copies
//! of one molecule have equal ones.

use serde::{Deserialize, Serialize};

use super::record::without_number;
use crate::iupac::{are_acgtn, complement};

/// Where the UMIs of reads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Umis {
    /// The tag of records that has them.
    pub tag: [u8; 2],
    /// Whether they are at the end of read names, behind the last colon, from where they are copied to the tag.
    pub are_in_names: bool,
}

impl Umis {
    /// Appends the tag with the UMI of a name behind a tab, or nothing if there is none.
    pub(super) fn append_tag_of_name(self, name: &[u8], header: &mut Vec<u8>) {
        let Some((_, umi)) = split(name) else { return };
        header.push(b'\t');
        header.extend(self.tag);
        header.extend_from_slice(b":Z:");
        for (number, part) in parts(umi).enumerate() {
            if number > 0 {
                header.push(b'-');
            }
            // Illumina's BCL Convert marks UMIs that it wrote as reverse complements.
            match part.strip_prefix(b"r") {
                Some(reverse) => header.extend(reverse.iter().rev().map(|&base| complement(base))),
                None => header.extend_from_slice(part),
            }
        }
    }

    /// The name without its UMI, if it has one.
    pub fn name_without(self, name: &[u8]) -> &[u8] {
        let before = self.are_in_names.then(|| split(name)).flatten();
        before.map_or(name, |(before, _)| before)
    }

    /// Why a read has no UMI.
    pub(super) fn absence(self) -> String {
        let tag = String::from_utf8_lossy(&self.tag);
        if self.are_in_names {
            "the read name does not end with a UMI behind a colon, such as :ACGT or :ACGT+TTGA: leave --umi-from-name out"
                .to_owned()
        } else {
            format!(
                "the read has no tag {tag} with a UMI: leave --umi-tag out, or take UMIs from the ends of names with \
                 --umi-from-name"
            )
        }
    }
}

/// A name before its last colon, and the UMI behind it; `None` if there is none: bases, perhaps in two parts or more.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let name = without_number(name);
    let colon = name.iter().rposition(|&byte| byte == b':')?;
    let umi = &name[colon + 1..];
    let is_part = |part: &[u8]| {
        let bases = part.strip_prefix(b"r").unwrap_or(part);
        !bases.is_empty() && are_acgtn(bases)
    };
    parts(umi).all(is_part).then_some((&name[..colon], umi))
}

/// The parts of a UMI.
fn parts(umi: &[u8]) -> impl Iterator<Item = &[u8]> {
    umi.split(|letter| matches!(letter, b'+' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn umis_are_copied_from_names_as_fgbio_does() {
        let umis = Umis { tag: *b"RX", are_in_names: true };
        let tag = |name: &str| {
            let mut header = Vec::new();
            umis.append_tag_of_name(name.as_bytes(), &mut header);
            String::from_utf8_lossy(&header).into_owned()
        };
        assert_eq!(tag("M1:4:FC:1:1101:15:13:ACGT"), "\tRX:Z:ACGT");
        assert_eq!(tag("M1:4:FC:1:1101:15:13:ACGT+TTGN/2"), "\tRX:Z:ACGT-TTGN");
        assert_eq!(tag("a:AACC-rAACG"), "\tRX:Z:AACC-CGTT");
        for none in ["M1:4:FC:1:1101:15:13", "ACGT", "a:", "a:AC+", "a:acgt", "a:r", "a:AC_GT"] {
            assert_eq!(tag(none), "", "{none}");
            assert_eq!(umis.name_without(none.as_bytes()), none.as_bytes());
        }
        assert_eq!(umis.name_without(b"a:1:AC+GT"), b"a:1");
        let in_tags = Umis { are_in_names: false, ..umis };
        assert_eq!(in_tags.name_without(b"a:1:ACGT"), b"a:1:ACGT");
    }
}
