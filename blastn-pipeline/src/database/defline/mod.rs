//! Definition lines: the identifiers and the title of a sequence, as NCBI's databases have them.
//!
//! A sequence of an NCBI database has a `Blast-def-line-set`: a definition line for each sequence of the same bases that the
//! makers of the database put together. Each has a title, identifiers ([`SeqId`]) and a taxon.

mod accession;
mod ber;
pub(super) mod parse;
mod seq_id;

use self::ber::{Element, Elements, tag};

pub use self::seq_id::SeqId;

/// A definition line of a sequence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Defline {
    /// The title, without identifiers if these were parsed.
    pub title: String,
    /// The identifiers; none if the database has titles alone.
    pub ids: Vec<SeqId>,
    /// The number of the taxon in NCBI's taxonomy, or 0 if the database does not tell.
    pub taxid: u32,
}

impl Defline {
    /// Decodes the definition lines of a sequence, of which there is at least one.
    ///
    /// # Errors
    /// Nothing but that the bytes are no `Blast-def-line-set`.
    pub(super) fn decode_set(bytes: &[u8]) -> Result<Vec<Self>, MalformedDefline> {
        let set = Elements(bytes).next().flatten().filter(|set| set.tag == tag::SEQUENCE);
        let lines = set.ok_or(MalformedDefline)?.elements();
        let lines: Option<Vec<Self>> = lines.map(|line| Self::decode(line?)).collect();
        lines.filter(|lines| !lines.is_empty()).ok_or(MalformedDefline)
    }

    /// The definition lines of a sequence as a `Blast-def-line-set`.
    pub(super) fn encode_set(lines: &[Self]) -> Vec<u8> {
        let lines: Vec<Vec<u8>> = lines.iter().map(Self::encode).collect();
        ber::element(tag::SEQUENCE, &lines.concat())
    }

    /// The definition line as a `Blast-def-line`.
    fn encode(&self) -> Vec<u8> {
        let field = |number, content: &[u8]| ber::element(tag::field(number), content);
        let ids: Vec<Vec<u8>> = self.ids.iter().map(SeqId::encode).collect();
        let mut fields = Vec::new();
        if !self.title.is_empty() {
            fields.push(field(0, &ber::text(&self.title)));
        }
        fields.push(field(1, &ber::element(tag::SEQUENCE, &ids.concat())));
        if self.taxid > 0 {
            fields.push(field(2, &ber::integer(i64::from(self.taxid))));
        }
        ber::element(tag::SEQUENCE, &fields.concat())
    }

    /// Decodes a `Blast-def-line`.
    fn decode(line: Element<'_>) -> Option<Self> {
        const TITLE: u8 = tag::field(0);
        const IDS: u8 = tag::field(1);
        const TAXID: u8 = tag::field(2);
        let mut decoded = Self::default();
        for field in line.elements() {
            let field = field?;
            match field.tag {
                TITLE => decoded.title = field.inner()?.text()?,
                IDS => {
                    let ids = field.inner()?.elements().map(|id| SeqId::decode(id?));
                    decoded.ids = ids.collect::<Option<_>>()?;
                }
                TAXID => decoded.taxid = field.inner()?.integer()?.try_into().ok()?,
                _ => {}
            }
        }
        Some(decoded)
    }
}

/// Bytes that should be definition lines and are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MalformedDefline;

#[cfg(test)]
mod tests {
    use super::*;

    /// An element of indefinite length around others.
    fn around(tag: u8, content: &[Vec<u8>]) -> Vec<u8> {
        [&[tag, 0x80][..], &content.concat(), &[0, 0]].concat()
    }

    fn text(text: &str) -> Vec<u8> {
        [&[tag::VISIBLE_STRING, text.len() as u8], text.as_bytes()].concat()
    }

    fn integer(value: u8) -> Vec<u8> {
        vec![tag::INTEGER, 1, value]
    }

    fn field(number: u8, content: Vec<u8>) -> Vec<u8> {
        around(tag::field(number), &[content])
    }

    fn line(ids: &[Vec<u8>]) -> Vec<u8> {
        let fields = [
            field(0, text("a title")),
            field(1, around(tag::SEQUENCE, ids)),
            field(2, integer(9)),
            field(4, integer(1)),
        ];
        around(tag::SEQUENCE, &fields)
    }

    /// The encoding of an identifier, and how it is shown: in full, as an accession with a version, and without.
    fn ids() -> Vec<(Vec<u8>, [&'static str; 3])> {
        let sequence = |fields: &[Vec<u8>]| around(tag::SEQUENCE, fields);
        let object = |content| field(1, content);
        let accession = [field(1, text("AB000001")), field(3, integer(2))];
        let named = [field(0, text("ECRRNA")), field(1, text("X12345"))];
        let cited = [field(0, text("US")), field(1, field(0, text("59")))];
        vec![
            (field(0, object(text("s1"))), ["s1"; 3]),
            (field(0, field(0, integer(7))), ["7"; 3]),
            (field(1, integer(77)), ["bbs|77", "77", "77"]),
            (field(3, sequence(&[field(0, integer(8))])), ["gim|8", "8", "8"]),
            (field(4, sequence(&accession)), ["gb|AB000001.2|", "AB000001.2", "AB000001"]),
            (field(5, sequence(&named)), ["emb|X12345|ECRRNA", "X12345", "X12345"]),
            (field(13, sequence(&named[..1])), ["prf||ECRRNA", "ECRRNA", "ECRRNA"]),
            (
                field(8, sequence(&[field(0, integer(3)), field(1, sequence(&cited))])),
                ["pat|US|59|3", "US59_3", "US59_3"],
            ),
            (
                field(10, sequence(&[field(0, text("db")), object(field(0, integer(4)))])),
                ["gnl|db|4", "db:4", "db:4"],
            ),
            (field(11, integer(123)), ["gi|123", "123", "123"]),
            (
                field(14, sequence(&[field(0, text("1ABC")), field(1, integer(65))])),
                ["pdb|1ABC|A", "1ABC_A", "1ABC_A"],
            ),
            (
                field(14, sequence(&[field(0, text("1ABC")), field(3, text("AA"))])),
                ["pdb|1ABC|AA", "1ABC_AA", "1ABC_AA"],
            ),
        ]
    }

    #[test]
    fn definition_lines_are_decoded_and_shown() {
        for (id, [full, with_version, without]) in ids() {
            let lines = around(tag::SEQUENCE, &[line(std::slice::from_ref(&id)), line(&[])]);
            let lines = Defline::decode_set(&lines).expect("definition lines");
            assert_eq!((lines.len(), lines[0].title.as_str(), lines[0].taxid), (2, "a title", 9));
            let id = &lines[0].ids[0];
            assert_eq!(id.to_string(), full);
            assert_eq!([id.accession_version(), id.accession()], [with_version, without]);
        }
    }

    #[test]
    fn definition_lines_are_encoded_and_decoded() {
        for (id, _) in ids() {
            let encoded = around(tag::SEQUENCE, &[line(std::slice::from_ref(&id)), line(&[])]);
            let mut lines = Defline::decode_set(&encoded).expect("definition lines");
            lines[0].title = "\u{e9} and ".repeat(50);
            lines[1].taxid = 0;
            lines.push(Defline { title: String::new(), ids: vec![SeqId::Gi(1 << 40)], taxid: 128 });
            assert_eq!(Defline::decode_set(&Defline::encode_set(&lines)), Ok(lines));
        }
    }

    #[test]
    fn an_accession_is_better_than_a_number() {
        let ids = [SeqId::Gi(5), SeqId::Local("x".to_owned()), SeqId::ordinal(3)];
        assert_eq!(SeqId::best(&ids), Some(&ids[2]));
        assert_eq!(SeqId::best(&ids[..2]), Some(&ids[1]));
        assert_eq!((SeqId::gi(&ids), SeqId::best(&[])), (Some(5), None));
        assert!(ids[2].is_ordinal() && !ids[1].is_ordinal());
    }

    #[test]
    fn damaged_definition_lines_are_refused_or_decoded_but_do_no_harm() {
        let all: Vec<Vec<u8>> = ids().into_iter().map(|(id, _)| id).collect();
        let good = around(tag::SEQUENCE, &[line(&all)]);
        for length in 0..good.len() {
            assert_eq!(Defline::decode_set(&good[..length]), Err(MalformedDefline), "{length}");
        }
        let mut random = fastrand::Rng::with_seed(8);
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..random.usize(1..4) {
                let place = random.usize(..bad.len());
                bad[place] = random.u8(..);
            }
            refused += usize::from(Defline::decode_set(&bad).is_err());
        }
        assert!(refused > 1_000, "{refused}");
    }
}
