//! Definition lines of the header lines of FASTA files, as `makeblastdb -parse_seqids` reads them.
//!
//! A header line begins with an identifier: a name, an accession, or fields between bars (`gi|5|ref|NC_000001.2| title`). Definition
//! lines of several sequences with the same bases follow each other behind the character 1.

use super::accession;
use super::{Defline, SeqId};

/// Greatest number of characters of a name.
const MAX_NAME: usize = 50;

/// Reads the definition lines of a header line, without `>`.
///
/// # Errors
/// What is wrong with an identifier, and the way out.
pub(crate) fn parse(header: &str) -> Result<Vec<Defline>, String> {
    header.split('\u{1}').map(parse_line).collect()
}

fn parse_line(line: &str) -> Result<Defline, String> {
    let line = line.trim_start();
    let (word, title) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.is_empty() {
        return Err(
            "it has no identifier: write one behind '>', or leave out -parse_seqids".to_owned()
        );
    }
    Ok(Defline { title: title.to_owned(), ids: identifiers(word)?, taxid: 0 })
}

/// The identifiers of the first word of a line.
fn identifiers(word: &str) -> Result<Vec<SeqId>, String> {
    let fields: Vec<&str> = word.split('|').collect();
    let [tag, rest @ ..] = &fields[..] else { return Ok(Vec::new()) };
    let is_known = kind(tag).is_some();
    match rest {
        [] => Ok(vec![bare(word)?]),
        // A field without a known name before it is one of any other database, unless the name is a letter alone.
        [tag_in_it] if !is_known && tag.len() > 1 && !tag_in_it.is_empty() => {
            Ok(vec![SeqId::General { database: (*tag).to_owned(), tag: (*tag_in_it).to_owned() }])
        }
        [_] if !is_known && !tag.is_empty() => Ok(vec![local(word)?]),
        _ => between_bars(&fields).ok_or_else(|| {
            format!("'{word}' is no identifier: change it, or leave out -parse_seqids")
        }),
    }
}

/// A name that is no other identifier.
fn local(name: &str) -> Result<SeqId, String> {
    if name.len() > MAX_NAME {
        return Err(format!(
            "the identifier {name} has {} characters, and {MAX_NAME} are allowed: shorten it, or leave out -parse_seqids",
            name.len()
        ));
    }
    Ok(SeqId::Local(name.to_owned()))
}

/// The identifier of a word without bars.
fn bare(word: &str) -> Result<SeqId, String> {
    let (accession, version) = split_version(word);
    if let Some(database) = accession::database(accession) {
        let (accession, name) = (accession.to_owned(), String::new());
        return Ok(SeqId::Accession { database, accession, version, name });
    }
    if let Some((molecule, chain)) = accession::pdb(word) {
        return Ok(SeqId::Pdb { molecule: molecule.to_owned(), chain: chain.to_owned() });
    }
    local(word)
}

/// An accession and its version, if it has one.
fn split_version(word: &str) -> (&str, Option<u32>) {
    let split = word.rsplit_once('.').and_then(|(accession, version)| {
        let is_number = version.bytes().all(|byte| byte.is_ascii_digit());
        Some((accession, version.parse().ok().filter(|_| is_number)?))
    });
    split.map_or((word, None), |(accession, version)| (accession, Some(version)))
}

/// The meaning of the fields behind a name.
enum Kind {
    Local,
    Gi,
    General,
    Pdb,
    Patent,
    Number(&'static str),
    Accession(&'static str),
}

impl Kind {
    /// Number of fields behind the name, of which the last may be missing.
    fn fields(&self) -> usize {
        match self {
            Self::Local | Self::Gi | Self::Number(_) => 1,
            Self::General | Self::Pdb | Self::Accession(_) => 2,
            Self::Patent => 3,
        }
    }
}

/// The meaning of the fields behind this name, if it is known.
fn kind(name: &str) -> Option<Kind> {
    Some(match name.to_ascii_lowercase().as_str() {
        "lcl" => Kind::Local,
        "gi" => Kind::Gi,
        "gnl" => Kind::General,
        "pdb" => Kind::Pdb,
        "pat" => Kind::Patent,
        "bbs" => Kind::Number("bbs"),
        "bbm" => Kind::Number("bbm"),
        "gim" => Kind::Number("gim"),
        "gb" => Kind::Accession("gb"),
        "emb" => Kind::Accession("emb"),
        "dbj" => Kind::Accession("dbj"),
        "ref" => Kind::Accession("ref"),
        "pir" => Kind::Accession("pir"),
        "prf" => Kind::Accession("prf"),
        "sp" => Kind::Accession("sp"),
        "tpg" => Kind::Accession("tpg"),
        "tpe" => Kind::Accession("tpe"),
        "tpd" => Kind::Accession("tpd"),
        "gpp" => Kind::Accession("gpp"),
        "nat" => Kind::Accession("nat"),
        _ => return None,
    })
}

/// The identifiers of fields between bars.
fn between_bars(fields: &[&str]) -> Option<Vec<SeqId>> {
    let mut ids = Vec::new();
    let mut rest = fields;
    while let Some((name, behind)) = rest.split_first() {
        if name.is_empty() && behind.is_empty() && !ids.is_empty() {
            break; // A bar at the end.
        }
        let kind = kind(name)?;
        // A name of the next identifier ends this one.
        let is_next = |field: &&&str| self::kind(field).is_some();
        let most = kind.fields().min(behind.len());
        let count = (1..most).find(|&count| is_next(&&behind[count])).unwrap_or(most);
        let (own, others) = behind.split_at(count);
        ids.push(identifier(&kind, own)?);
        rest = others;
    }
    Some(ids)
}

/// The identifier of the fields behind a name.
fn identifier(kind: &Kind, fields: &[&str]) -> Option<SeqId> {
    let first = fields.first().filter(|field| !field.is_empty());
    Some(match kind {
        Kind::Local => SeqId::Local((*first?).to_owned()),
        Kind::Gi => SeqId::Gi(first?.parse().ok()?),
        Kind::Number(database) => SeqId::Number { database, number: first?.parse().ok()? },
        Kind::General => {
            let [database, tag] = fields else { return None };
            SeqId::General { database: (*database).to_owned(), tag: (*tag).to_owned() }
        }
        Kind::Pdb => {
            let chain = fields.get(1).copied().unwrap_or_default().to_owned();
            SeqId::Pdb { molecule: (*first?).to_owned(), chain }
        }
        Kind::Patent => {
            let [country, number, sequence] = fields else { return None };
            let [country, number] = [country, number].map(|field| (*field).to_owned());
            SeqId::Patent { country, number, sequence: sequence.parse().ok()? }
        }
        Kind::Accession(database) => {
            let name = fields.get(1).copied().unwrap_or_default().to_owned();
            let (accession, version) = split_version(fields.first()?);
            if accession.is_empty() && name.is_empty() {
                return None;
            }
            SeqId::Accession { database, accession: accession.to_owned(), version, name }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifiers of a header line, as reports show them.
    fn shown(header: &str) -> Vec<String> {
        let lines = parse(header).expect("definition lines");
        lines[0].ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn identifiers_are_those_that_makeblastdb_reads() {
        for (header, expected) in [
            ("s1 title", &["s1"][..]),
            ("AB123456.2 bare", &["dbj|AB123456.2|"]),
            ("NC_000913.3", &["ref|NC_000913.3|"]),
            ("1ABC_A x", &["pdb|1ABC|A"]),
            ("AB123456.x", &["AB123456.x"]),
            ("gi|5|ref|NC_000001.2| title", &["gi|5", "ref|NC_000001.2|"]),
            ("gb|AB123456.2|gi|55", &["gb|AB123456.2|", "gi|55"]),
            ("gi|5|gb|AB1.2|locus", &["gi|5", "gb|AB1.2|locus"]),
            ("gi|7|lcl|abc", &["gi|7", "abc"]),
            ("emb|X12345.1|ECR more", &["emb|X12345.1|ECR"]),
            ("gnl|mydb|tag1 x", &["gnl|mydb|tag1"]),
            ("foo|bar", &["gnl|foo|bar"]),
            ("a|b", &["a|b"]),
            ("pat|US|5955422|3 patent", &["pat|US|5955422|3"]),
            ("pdb|1ABC|A", &["pdb|1ABC|A"]),
            ("prf||X", &["prf||X"]),
            ("LCL|x", &["x"]),
        ] {
            assert_eq!(shown(header), expected, "{header}");
        }
        for header in ["", " ", "gi|x", "gnl|a", "foo|bar|baz", &"x".repeat(51), "ok\u{1}gi|x"] {
            assert!(parse(header).is_err(), "{header}");
        }
        let lines = parse("first one\u{1}second two\u{1}gb|AC00001.5|   three ").expect("three");
        let titles: Vec<&str> = lines.iter().map(|line| line.title.as_str()).collect();
        assert_eq!(titles, ["one", "two", "  three "]);
    }
}
