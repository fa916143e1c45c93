//! Output formats 8 and 12: the structure `Seq-annot` of NCBI, as text of ASN.1 or as JSON.
//!
//! Each query with alignments has one. A report is made as a tree, which either writer prints.

use std::fmt::Write as _;

use blastn_pipeline::database::{Database, SeqId};

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::output_format::SeqAlign;
use crate::commands::blastn::report::{QuerySection, Report, coverage, number, tree};

/// Greatest number of characters in a line of ASN.1, within a text.
const LINE: usize = 78;

/// A value of ASN.1.
enum Value {
    Integer(i64),
    /// A number that is the default of its field, which the text of ASN.1 leaves out.
    Default(i64),
    Real(f64),
    Boolean(bool),
    Text(String),
    /// A name of an enumeration.
    Name(&'static str),
    /// One of several: its name, and its value.
    Choice(&'static str, Box<Value>),
    Structure(Vec<(&'static str, Value)>),
    List(Vec<Value>),
}

fn integer(value: usize) -> Value {
    Value::Integer(value as i64)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn choice(name: &'static str, value: Value) -> Value {
    Value::Choice(name, Box::new(value))
}

/// Appends the alignments of a query.
pub fn query(report: &Report<'_>, section: &QuerySection<'_>, format: SeqAlign, out: &mut String) {
    if section.aligned.iter().all(Vec::is_empty) {
        return;
    }
    let annotation = annotation(report, section);
    match format {
        SeqAlign::Text => {
            out.push_str("Seq-annot ::= ");
            asn(&annotation, 0, out);
        }
        SeqAlign::Json => json(&Value::Structure(vec![("Seq-annot", annotation)]), 0, out),
    }
    out.push('\n');
}

fn annotation(report: &Report<'_>, section: &QuerySection<'_>) -> Value {
    let user = |kind, label: &str, data| {
        let entry = Value::Structure(vec![("label", choice("str", text(label))), ("data", data)]);
        choice(
            "user",
            Value::Structure(vec![
                ("type", choice("str", text(kind))),
                ("data", Value::List(vec![entry])),
            ]),
        )
    };
    let boolean = |value| choice("bool", Value::Boolean(value));
    let sources = report.sources();
    let titles: Vec<&str> = sources.iter().map(|source| source.title.as_str()).collect();
    let titles = titles.join("; ");
    let title = if report.is_database { titles.as_str() } else { "n/a" };
    let descriptions = vec![
        user("Hist Seqalign", "Hist Seqalign", boolean(true)),
        user("Blast Type", "blastn", choice("int", Value::Integer(1))),
        user("Blast Database Title", title, boolean(report.is_database)),
    ];
    let query = || choice("local", choice("str", Value::Text(section.origin.id())));
    let rows = section.aligned.iter().flatten();
    let alignments = rows.map(|row| alignment(row, query())).collect();
    Value::Structure(vec![
        ("desc", Value::List(descriptions)),
        ("data", choice("align", Value::List(alignments))),
    ])
}

/// An alignment with a query of this identifier.
fn alignment(row: &ReportedAlignment<'_>, query: Value) -> Value {
    let score =
        |name, value| Value::Structure(vec![("id", choice("str", text(name))), ("value", value)]);
    let whole = |value| choice("int", Value::Integer(value));
    let real = |value| choice("real", Value::Real(value));
    let covered = row.query.1 - row.query.0 + 1;
    let points = i64::from(row.hsp.score);
    let scores = vec![
        score("score", whole(points)),
        score("blast_score", whole(points)),
        score("e_value", real(row.e_value)),
        score("bit_score", real(row.bits)),
        score("num_ident", whole(row.columns.identities as i64)),
        score(
            "hsp_percent_coverage",
            real(coverage::rounded_percentage(covered, row.record.letters.len())),
        ),
    ];
    let segments = segments(row);
    let starts = segments.iter().flat_map(|segment| segment.starts);
    let starts = starts.map(|start| Value::Integer(start.map_or(-1, |start| start as i64)));
    let strands = if row.is_minus { ["minus", "plus"] } else { ["plus", "plus"] };
    let strands = segments.iter().flat_map(|_| strands).map(Value::Name).collect();
    let dense = vec![
        ("dim", Value::Integer(2)),
        ("numseg", integer(segments.len())),
        ("ids", Value::List(vec![query, subject(row)])),
        ("starts", Value::List(starts.collect())),
        ("lens", Value::List(segments.iter().map(|segment| integer(segment.columns)).collect())),
        ("strands", Value::List(strands)),
    ];
    Value::Structure(vec![
        ("type", Value::Name("partial")),
        ("dim", Value::Integer(2)),
        ("score", Value::List(scores)),
        ("segs", choice("denseg", Value::Structure(dense))),
    ])
}

/// Columns of an alignment in which the same sequences have letters.
struct Segment {
    columns: usize,
    /// The least position of query and subject, from 0; `None` for gaps.
    starts: [Option<usize>; 2],
}

/// The segments of an alignment, in the order of the subject.
fn segments(row: &ReportedAlignment<'_>) -> Vec<Segment> {
    let letters = row.query_text.bytes().zip(row.subject_text.bytes());
    let mut columns: Vec<[bool; 2]> =
        letters.map(|(query, subject)| [query != b'-', subject != b'-']).collect();
    if row.is_minus {
        columns.reverse();
    }
    let mut query = if row.is_minus { row.query.1 } else { row.query.0 - 1 };
    let mut subject = row.subject_range.0.min(row.subject_range.1) - 1;
    let segment = |run: &[[bool; 2]]| {
        let (columns, [of_query, of_subject]) = (run.len(), run[0]);
        if of_query && row.is_minus {
            query -= columns;
        }
        let starts = [of_query.then_some(query), of_subject.then_some(subject)];
        if of_query && !row.is_minus {
            query += columns;
        }
        if of_subject {
            subject += columns;
        }
        Segment { columns, starts }
    };
    columns.chunk_by(|one, other| one == other).map(segment).collect()
}

/// The identifier of the subject of an alignment: NCBI's number of it, or else the one that reports show.
fn subject(row: &ReportedAlignment<'_>) -> Value {
    let subject = row.subject;
    let Some(ids) = subject.ids_of_database() else {
        return choice("local", choice("str", Value::Text(subject.plain_id())));
    };
    match (SeqId::gi(&ids), SeqId::best(&ids)) {
        (Some(gi), _) => choice("gi", Value::Integer(gi as i64)),
        (None, Some(id)) => seq_id(id),
        (None, None) => seq_id(&SeqId::ordinal(ordinal(subject.database, subject.number))),
    }
}

fn ordinal(database: &Database, number: usize) -> usize {
    database.subject(number).ordinal
}

/// An identifier as the type `Seq-id`.
fn seq_id(id: &SeqId) -> Value {
    match id {
        SeqId::Local(name) => choice("local", object_id(name)),
        SeqId::Gi(number) => choice("gi", Value::Integer(*number as i64)),
        SeqId::General { database, tag } => choice(
            "general",
            Value::Structure(vec![("db", text(database)), ("tag", object_id(tag))]),
        ),
        SeqId::Pdb { molecule, chain } => {
            let mut fields = vec![("mol", text(molecule))];
            // A chain of one letter has its code, too; of others, JSON has the code of a blank.
            match chain.as_bytes() {
                [code] => fields.push(("chain", Value::Integer(i64::from(*code)))),
                _ => fields.push(("chain", Value::Default(i64::from(b' ')))),
            }
            fields.push(("chain-id", text(chain)));
            choice("pdb", Value::Structure(fields))
        }
        SeqId::Patent { country, number, sequence } => {
            let cited = Value::Structure(vec![
                ("country", text(country)),
                ("id", choice("number", text(number))),
            ]);
            let fields = vec![("seqid", Value::Integer(*sequence)), ("cit", cited)];
            choice("patent", Value::Structure(fields))
        }
        SeqId::Number { database, number } => match *database {
            "bbs" => choice("gibbsq", Value::Integer(*number)),
            "bbm" => choice("gibbmt", Value::Integer(*number)),
            _ => choice("giim", Value::Structure(vec![("id", Value::Integer(*number))])),
        },
        SeqId::Accession { database, accession, version, name } => {
            let mut fields = Vec::new();
            if !name.is_empty() {
                fields.push(("name", text(name)));
            }
            if !accession.is_empty() {
                fields.push(("accession", text(accession)));
            }
            fields.extend(version.map(|version| ("version", Value::Integer(i64::from(version)))));
            choice(type_of_accession(database), Value::Structure(fields))
        }
    }
}

/// The name of the type of accessions of a database.
fn type_of_accession(database: &'static str) -> &'static str {
    match database {
        "gb" => "genbank",
        "emb" => "embl",
        "sp" => "swissprot",
        "ref" => "other",
        "dbj" => "ddbj",
        "gpp" => "gpipe",
        "nat" => "named-annot-track",
        same => same,
    }
}

/// A name as the type `Object-id`, which is a number where it can be.
fn object_id(name: &str) -> Value {
    let number = name.parse::<i32>().ok();
    match number.filter(|number| *number >= 0 && number.to_string() == name) {
        Some(number) => choice("id", Value::Integer(i64::from(number))),
        None => choice("str", text(name)),
    }
}

fn is_default(value: &Value) -> bool {
    matches!(value, Value::Default(_))
}

/// Appends a value as text of ASN.1, whose lines are indented by two blanks more than `indent`.
fn asn(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Integer(number) | Value::Default(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Real(number) => out.push_str(&asn_real(*number)),
        Value::Boolean(value) => out.push_str(if *value { "TRUE" } else { "FALSE" }),
        Value::Text(text) => asn_text(text, out),
        Value::Name(name) => out.push_str(name),
        Value::Choice(name, value) => {
            let _ = write!(out, "{name} ");
            asn(value, indent, out);
        }
        Value::Structure(fields) => {
            let fields: Vec<(&str, &Value)> = fields
                .iter()
                .filter(|field| !is_default(&field.1))
                .map(|(name, value)| (*name, value))
                .collect();
            asn_block(&fields, indent, out);
        }
        Value::List(items) => {
            let items: Vec<(&str, &Value)> = items.iter().map(|item| ("", item)).collect();
            asn_block(&items, indent, out);
        }
    }
}

/// Appends values with names, which may be empty, in braces.
fn asn_block(values: &[(&str, &Value)], indent: usize, out: &mut String) {
    let inner = indent + 2;
    out.push('{');
    for (place, (name, value)) in values.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let blank = if name.is_empty() { "" } else { " " };
        let _ = write!(out, "{comma}\n{:inner$}{name}{blank}", "");
        asn(value, inner, out);
    }
    let _ = write!(out, "\n{:indent$}}}", "");
}

/// A number as its decimal digits without zeros at their end, and the power of ten that they are multiplied by.
fn asn_real(value: f64) -> String {
    if value == 0.0 {
        return "{ 0, 10, 0 }".to_owned();
    }
    let scientific = format!("{value:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let kept = digits.trim_end_matches('0');
    let exponent: i64 = exponent.parse().unwrap_or(0);
    format!("{{ {kept}, 10, {} }}", exponent + 1 - kept.len() as i64)
}

/// Appends a text in quotation marks. Lines end before the blank or word that would reach beyond [`LINE`].
fn asn_text(text: &str, out: &mut String) {
    let bytes = text.bytes().map(|byte| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '#',
    });
    let mut quoted = String::from("\"");
    for letter in bytes {
        if letter == '"' {
            quoted.push('"');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    let mut used = out.len() - out.rfind('\n').map_or(0, |end| end + 1);
    let mut rest = quoted.as_str();
    while used + rest.len() > LINE + 1 {
        let room = (LINE + 1).saturating_sub(used);
        let Some(end) = rest[..room.min(rest.len())].rfind(' ').filter(|&end| end > 0) else {
            break;
        };
        out.push_str(&rest[..end]);
        out.push('\n');
        rest = &rest[end..];
        used = 0;
    }
    out.push_str(rest);
}

/// Appends a value as JSON, whose lines are indented by two blanks more than `indent`.
fn json(value: &Value, indent: usize, out: &mut String) {
    let inner = indent + 2;
    match value {
        Value::Integer(number) | Value::Default(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Real(value) => out.push_str(&number::exact(*value)),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Text(text) => tree::json_text(text, out),
        Value::Name(name) => tree::json_text(name, out),
        Value::Choice(name, value) => {
            json_field("{", name, value, inner, out);
            let _ = write!(out, "\n{:indent$}}}", "");
        }
        Value::Structure(fields) => {
            for (place, (name, value)) in fields.iter().enumerate() {
                json_field(if place == 0 { "{" } else { "," }, name, value, inner, out);
            }
            let _ = write!(out, "\n{:indent$}}}", "");
        }
        Value::List(items) => {
            for (place, item) in items.iter().enumerate() {
                let _ = write!(out, "{}\n{:inner$}", if place == 0 { "[" } else { "," }, "");
                json(item, inner, out);
            }
            let _ = write!(out, "\n{:indent$}]", "");
        }
    }
}

/// Appends a field behind a brace or a comma.
fn json_field(before: &str, name: &str, value: &Value, indent: usize, out: &mut String) {
    let _ = write!(out, "{before}\n{:indent$}\"{}\": ", "", name.replace('-', "_"));
    json(value, indent, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_those_of_asn() {
        let numbers = [
            (7.5, "{ 75, 10, -1 }"),
            (100.0, "{ 1, 10, 2 }"),
            (1.538_850_112_778_51e-127, "{ 153885011277851, 10, -141 }"),
            (0.0, "{ 0, 10, 0 }"),
        ];
        for (value, expected) in numbers {
            assert_eq!(asn_real(value), expected);
        }
        let mut out = String::new();
        asn_text("a \"b\" \u{e9}", &mut out);
        assert_eq!(out, "\"a \"\"b\"\" ##\"");
        let long = "word ".repeat(40);
        let mut out = " ".repeat(10);
        asn_text(long.trim_end(), &mut out);
        assert!(out.lines().count() > 2 && out.lines().all(|line| line.len() <= LINE + 1), "{out}");
        assert_eq!(out.replace('\n', "").trim_start(), format!("\"{}\"", long.trim_end()));
    }
}
