//! Identifiers of sequences (`Seq-id` in NCBI's ASN.1), and how reports show them.

use std::fmt;

use super::ber::{self, Element, tag};

/// An identifier of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeqId {
    /// A name that the maker of the database gave: `lcl|NAME`, or the name alone.
    Local(String),
    /// A number of NCBI's: `gi|NUMBER`.
    Gi(u64),
    /// An accession of a sequence database.
    Accession {
        /// The abbreviation of the database, as `gb` or `ref`.
        database: &'static str,
        /// The accession without its version; may be empty.
        accession: String,
        /// The version of the accession.
        version: Option<u32>,
        /// The name of the entry, which most have not.
        name: String,
    },
    /// An identifier of any other database: `gnl|DATABASE|TAG`.
    General {
        /// The name of the database.
        database: String,
        /// The identifier in it.
        tag: String,
    },
    /// A chain of a protein structure: `pdb|MOLECULE|CHAIN`.
    Pdb {
        /// The name of the structure.
        molecule: String,
        /// The name of the chain.
        chain: String,
    },
    /// A sequence of a patent: `pat|COUNTRY|NUMBER|SEQUENCE`.
    Patent {
        /// The abbreviation of the country.
        country: String,
        /// The number of the patent.
        number: String,
        /// The number of the sequence in the patent.
        sequence: i64,
    },
    /// A number of a database that is no more: `bbs`, `bbm` or `gim`.
    Number {
        /// The abbreviation of the database.
        database: &'static str,
        /// The number.
        number: i64,
    },
}

/// The choices of `Seq-id` that are accessions, with the abbreviations of their databases.
const ACCESSIONS: [(u8, &str); 12] = [
    (4, "gb"),
    (5, "emb"),
    (6, "pir"),
    (7, "sp"),
    (9, "ref"),
    (12, "dbj"),
    (13, "prf"),
    (15, "tpg"),
    (16, "tpe"),
    (17, "tpd"),
    (18, "gpp"),
    (19, "nat"),
];

/// The database whose name says that the identifier is the number of the sequence, since none was given.
const ORDINAL: &str = "BL_ORD_ID";

impl SeqId {
    /// The identifier of the sequence with a number in a database whose sequences have no parsed identifiers.
    pub fn ordinal(number: usize) -> Self {
        Self::General { database: ORDINAL.to_owned(), tag: number.to_string() }
    }

    /// Whether the identifier is the number of the sequence, since none was given.
    pub fn is_ordinal(&self) -> bool {
        matches!(self, Self::General { database, .. } if database == ORDINAL)
    }

    /// Decodes a `Seq-id`.
    pub(super) fn decode(id: Element<'_>) -> Option<Self> {
        Some(match id.tag.checked_sub(tag::field(0))? {
            0 => Self::Local(object_id(id.inner()?)?),
            1 => Self::Number { database: "bbs", number: id.inner()?.integer()? },
            2 => Self::Number { database: "bbm", number: id.inner()?.integer()? },
            3 => {
                let number = field(id.inner()?, 0)??.integer()?;
                Self::Number { database: "gim", number }
            }
            8 => patent(id.inner()?)?,
            10 => {
                let fields = id.inner()?;
                let database = field(fields, 0)??.text()?;
                Self::General { database, tag: object_id(field(fields, 1)??)? }
            }
            11 => Self::Gi(id.inner()?.integer()?.try_into().ok()?),
            14 => pdb(id.inner()?)?,
            choice => {
                let known = ACCESSIONS.iter().find(|known| known.0 == choice);
                accession(known?.1, id)?
            }
        })
    }

    /// The identifier as a `Seq-id`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let field = |number, content: &[u8]| ber::element(tag::field(number), content);
        let sequence = |fields: &[Vec<u8>]| ber::element(tag::SEQUENCE, &fields.concat());
        let object = |name: &str| field(1, &ber::text(name));
        let (choice, content) = match self {
            Self::Local(name) => (0, object(name)),
            Self::Number { database: "bbs", number } => (1, ber::integer(*number)),
            Self::Number { database: "bbm", number } => (2, ber::integer(*number)),
            Self::Number { number, .. } => (3, sequence(&[field(0, &ber::integer(*number))])),
            Self::General { database, tag } => {
                (10, sequence(&[field(0, &ber::text(database)), field(1, &object(tag))]))
            }
            Self::Gi(number) => (11, ber::integer(*number as i64)),
            Self::Pdb { molecule, chain } => {
                (14, sequence(&[field(0, &ber::text(molecule)), field(3, &ber::text(chain))]))
            }
            Self::Patent { country, number, sequence: of_patent } => {
                let number = field(0, &ber::text(number));
                let cited = sequence(&[field(0, &ber::text(country)), field(1, &number)]);
                (8, sequence(&[field(0, &ber::integer(*of_patent)), field(1, &cited)]))
            }
            Self::Accession { database, accession, version, name } => {
                let known = ACCESSIONS.iter().find(|known| known.1 == *database);
                let texts = [(0, name), (1, accession)].into_iter();
                let texts = texts.filter(|(_, text)| !text.is_empty());
                let mut fields: Vec<Vec<u8>> =
                    texts.map(|(number, text)| field(number, &ber::text(text))).collect();
                fields.extend(version.map(|version| field(3, &ber::integer(i64::from(version)))));
                (known.map_or(4, |known| known.0), sequence(&fields))
            }
        };
        field(choice, &content)
    }

    /// The identifier without its database, as reports show it; accessions with their version.
    pub fn accession_version(&self) -> String {
        match self {
            Self::Accession { accession, version: Some(version), .. } if !accession.is_empty() => {
                format!("{accession}.{version}")
            }
            _ => self.accession(),
        }
    }

    /// The identifier without its database, as reports show it; accessions without their version.
    pub fn accession(&self) -> String {
        match self {
            Self::Local(name) => name.clone(),
            Self::Gi(number) => number.to_string(),
            Self::Accession { accession, name, .. } => {
                if accession.is_empty() {
                    name.clone()
                } else {
                    accession.clone()
                }
            }
            Self::General { database, tag } => format!("{database}:{tag}"),
            Self::Pdb { molecule, chain } if chain.is_empty() => molecule.clone(),
            Self::Pdb { molecule, chain } => format!("{molecule}_{chain}"),
            Self::Patent { country, number, sequence } => format!("{country}{number}_{sequence}"),
            Self::Number { number, .. } => number.to_string(),
        }
    }

    /// The rank of the identifier among those of a sequence, the least for the one that reports show (`CSeq_id::Score`
    /// in NCBI's programs).
    fn rank(&self) -> u32 {
        match self {
            Self::Accession { accession, .. } if accession.is_empty() => 10,
            Self::Accession { database: "ref", .. } => 5,
            Self::Accession { .. } | Self::Pdb { .. } | Self::Patent { .. } => 10,
            Self::General { .. } => 15,
            Self::Local(_) => 20,
            Self::Number { .. } => 30,
            Self::Gi(_) => 51,
        }
    }

    /// The identifier that reports show of those of a sequence.
    pub fn best(ids: &[Self]) -> Option<&Self> {
        ids.iter().min_by_key(|id| id.rank())
    }

    /// The number of NCBI's among the identifiers of a sequence.
    pub fn gi(ids: &[Self]) -> Option<u64> {
        ids.iter().find_map(|id| if let Self::Gi(number) = id { Some(*number) } else { None })
    }
}

/// As in the header lines of NCBI's FASTA files; local names stand alone.
impl fmt::Display for SeqId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(name) => write!(f, "{name}"),
            Self::Gi(number) => write!(f, "gi|{number}"),
            Self::Accession { database, name, .. } => {
                let accession = match self.accession_version() {
                    shown if shown == *name => String::new(),
                    shown => shown,
                };
                write!(f, "{database}|{accession}|{name}")
            }
            Self::General { database, tag } => write!(f, "gnl|{database}|{tag}"),
            Self::Pdb { molecule, chain } => write!(f, "pdb|{molecule}|{chain}"),
            Self::Patent { country, number, sequence } => {
                write!(f, "pat|{country}|{number}|{sequence}")
            }
            Self::Number { database, number } => write!(f, "{database}|{number}"),
        }
    }
}

/// The content of a field of a type, if it has the field; `None` in the inner place if that is no element.
#[allow(clippy::option_option, reason = "an element that is malformed differs from none")]
fn field(fields: Element<'_>, number: u8) -> Option<Option<Element<'_>>> {
    let is_field = |element: &Option<Element<'_>>| {
        element.is_none_or(|element| element.tag == tag::field(number))
    };
    let element = fields.elements().find(is_field)?;
    Some(element.and_then(Element::inner))
}

/// Decodes an `Object-id`: a number or a text.
fn object_id(id: Element<'_>) -> Option<String> {
    let value = id.inner()?;
    value.text().or_else(|| value.integer().map(|number| number.to_string()))
}

/// Decodes a `Textseq-id` of a database.
fn accession(database: &'static str, id: Element<'_>) -> Option<SeqId> {
    let fields = id.inner()?;
    let text = |number| match field(fields, number) {
        Some(content) => content?.text(),
        None => Some(String::new()),
    };
    let version = match field(fields, 3) {
        Some(content) => Some(content?.integer()?.try_into().ok()?),
        None => None,
    };
    Some(SeqId::Accession { database, accession: text(1)?, version, name: text(0)? })
}

/// Decodes a `PDB-seq-id`; the chain is a text, or in old databases the code of a character.
fn pdb(fields: Element<'_>) -> Option<SeqId> {
    let molecule = field(fields, 0)??.text()?;
    let chain = match (field(fields, 3), field(fields, 1)) {
        (Some(chain), _) => chain?.text()?,
        (None, Some(code)) => char::from(u8::try_from(code?.integer()?).ok()?).to_string(),
        (None, None) => String::new(),
    };
    Some(SeqId::Pdb { molecule, chain: chain.trim().to_owned() })
}

/// Decodes a `Patent-seq-id`.
fn patent(fields: Element<'_>) -> Option<SeqId> {
    let sequence = field(fields, 0)??.integer()?;
    let cited = field(fields, 1)??;
    let country = field(cited, 0)??.text()?;
    let number = field(cited, 1)??.inner()?.text()?;
    Some(SeqId::Patent { country, number, sequence })
}
