//! Contigs: the sequences of a reference.

/// Maximum number of bases of a reference, all contigs together: 2^32 - 2^16.
pub const MAX_BASES: u32 = u32::MAX - (1 << 16) + 1;

/// One sequence of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contig {
    /// The header's first word, which SAM allows ([`Contig::is_name`]).
    pub name: String,
    /// Reference coordinate of its first base, 0-based.
    pub offset: u32,
    /// Length in bases, at least 1.
    pub length: u32,
    /// MD5 of its letters in upper case, as in `M5` of a SAM header (SAM specification 1.3).
    pub md5: [u8; 16],
}

impl Contig {
    /// Whether SAM allows a name for a contig: letters, digits and some other characters, of which `*` and `=` may not be
    /// the first (SAM specification, section 1.2.1).
    pub fn is_name(name: &[u8]) -> bool {
        let is_allowed =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&*+./:;=?@^_|~-".contains(byte);
        name.first().is_some_and(|first| !b"*=".contains(first)) && name.iter().all(is_allowed)
    }

    /// Reference coordinate behind its last base.
    pub(crate) fn end(&self) -> u32 {
        self.offset + self.length
    }
}
