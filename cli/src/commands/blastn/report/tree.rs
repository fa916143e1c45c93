//! Output formats 13 to 16: the structure `BlastOutput2` of NCBI, as JSON (15) or as XML (16), or as a file of either for
//! each query (13 and 14).
//!
//! Both formats have the same fields in the same order. A report is therefore made as a tree, which either writer prints: JSON has
//! names with underscores and no names of types; XML has names with hyphens, and an element for the type of each structure.

use std::fmt::Write as _;
use std::ops::Range;

use blastn_pipeline::database::ncbi::Taxonomy;

use crate::commands::blastn::alignment::{ReportedAlignment, letters_with_masks};
use crate::commands::blastn::report::markup::for_xml;
use crate::commands::blastn::report::xml;
use crate::commands::blastn::report::{PROGRAM, QuerySection, Report, number};
use crate::commands::blastn::subject::SubjectDescription;

/// The attributes of the outermost element in XML.
const SCHEMA: &str = "    xmlns=\"http://www.ncbi.nlm.nih.gov\"
    xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\"
    xs:schemaLocation=\"http://www.ncbi.nlm.nih.gov http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd\"
>
";

/// A value of a field.
enum Node {
    Text(String),
    Number(String),
    /// A structure: the name of its type, and its fields.
    Structure(&'static str, Vec<(&'static str, Node)>),
    /// A list of structures or texts.
    List(Vec<Node>),
}

fn text(text: impl Into<String>) -> Node {
    Node::Text(text.into())
}

fn integer(value: impl ToString + Copy) -> Node {
    Node::Number(value.to_string())
}

fn real(value: f64) -> Node {
    Node::Number(number::significant(value))
}

/// The report of one query.
fn tree(report: &Report<'_>, section: &QuerySection<'_>) -> Node {
    let options = report.searcher.options();
    let scoring = &options.scoring;
    let target = if report.is_database {
        ("db", text(&report.database))
    } else {
        let subjects = 1..=report.searcher.database().len();
        ("subjects", Node::List(subjects.map(|number| text(format!("Subject_{number}"))).collect()))
    };
    let mut parameters = vec![
        ("expect", Node::Number(number::exact(options.e_value))),
        ("sc_match", integer(scoring.reward)),
        ("sc_mismatch", integer(scoring.penalty)),
    ];
    if !options.is_ungapped {
        parameters.push(("gap_open", integer(scoring.gap_open)));
        parameters.push(("gap_extend", integer(scoring.gap_extend)));
    }
    parameters.push(("filter", text(xml::filter(options))));
    let search = search(report, section);
    let results =
        if report.is_database { ("search", search) } else { ("bl2seq", Node::List(vec![search])) };
    let fields = vec![
        ("program", text("blastn")),
        ("version", text(PROGRAM)),
        ("reference", text(xml::reference(options.task))),
        ("search_target", Node::Structure("Target", vec![target])),
        ("params", Node::Structure("Parameters", parameters)),
        ("results", Node::Structure("Results", vec![results])),
    ];
    Node::Structure("Report", fields)
}

/// The hits of a query.
fn search(report: &Report<'_>, section: &QuerySection<'_>) -> Node {
    let record = section.record;
    let mut hits = Vec::new();
    for of_subject in section.aligned {
        if let Some(first) = of_subject.first() {
            hits.push(hit(hits.len() + 1, (first, of_subject), &section.masks, report.taxonomy));
        }
    }
    let has_hits = !hits.is_empty();
    let size = report.size();
    let mut statistics = Vec::new();
    if report.is_database {
        statistics.push(("db_num", integer(size.sequences)));
        statistics.push(("db_len", integer(size.letters)));
    }
    let (space, adjustment, gapped) = xml::search_statistics(section);
    let [kappa, lambda, entropy] = gapped.map(Node::Number);
    statistics.extend([
        ("hsp_len", integer(adjustment)),
        ("eff_space", integer(space)),
        ("kappa", kappa),
        ("lambda", lambda),
        ("entropy", entropy),
    ]);
    let mut fields = vec![("query_id", text(section.origin.id()))];
    if !record.title.is_empty() {
        fields.push(("query_title", text(&record.title)));
    }
    fields.push(("query_len", integer(record.letters.len())));
    // These positions count from 0. A query that is masked as a whole is shown without masks.
    let is_whole = |mask: &Range<usize>| mask.len() == record.letters.len();
    let masks = section.masks.iter().filter(|mask| !is_whole(mask)).map(|mask| {
        let (from, to) = (report.query_start() + mask.start, report.query_start() + mask.end - 1);
        Node::Structure("Range", vec![("from", integer(from)), ("to", integer(to))])
    });
    let masks: Vec<Node> = masks.collect();
    if !masks.is_empty() {
        fields.push(("query_masking", Node::List(masks)));
    }
    fields.push(("hits", Node::List(hits)));
    fields.push(("stat", Node::Structure("Statistics", statistics)));
    if !has_hits {
        fields.push(("message", text(xml::no_hits_message(section))));
    }
    Node::Structure("Search", fields)
}

/// A subject with its alignments, of which `first` is the first.
fn hit(
    number: usize,
    (first, aligned): (&ReportedAlignment<'_>, &[ReportedAlignment<'_>]),
    masks: &[Range<usize>],
    taxonomy: Option<&Taxonomy>,
) -> Node {
    let description = |line: SubjectDescription| {
        let mut fields = vec![("id", text(line.id))];
        let is_unknown = |taxid| taxonomy.is_some_and(|taxonomy| taxonomy.names(taxid).is_none());
        if line.taxid.is_some_and(is_unknown) {
            // NCBI's program leaves the rest out if the taxonomy does not have the taxon.
            return Node::Structure("HitDescr", fields);
        }
        fields.extend(line.accession.map(|accession| ("accession", text(accession))));
        fields.push(("title", text(line.title)));
        fields.extend(line.taxid.map(|taxid| ("taxid", integer(taxid))));
        let names = line.taxid.and_then(|taxid| taxonomy?.names(taxid));
        fields.extend(names.map(|names| ("sciname", text(names.scientific))));
        Node::Structure("HitDescr", fields)
    };
    let descriptions = first.subject.descriptions().map(description).collect();
    let hsps = (1..).zip(aligned).map(|(number, row)| hsp(number, row, masks)).collect();
    let fields = vec![
        ("num", integer(number)),
        ("description", Node::List(descriptions)),
        ("len", integer(first.subject.length)),
        ("hsps", Node::List(hsps)),
    ];
    Node::Structure("Hit", fields)
}

fn hsp(number: usize, row: &ReportedAlignment<'_>, masks: &[Range<usize>]) -> Node {
    // NCBI's program shows no mask that begins before the alignment.
    let begins_within = |mask: &&Range<usize>| mask.start >= row.query_place;
    let masks: Vec<Range<usize>> = masks.iter().filter(begins_within).cloned().collect();
    let fields = vec![
        ("num", integer(number)),
        ("bit_score", real(row.bits)),
        ("score", integer(row.hsp.score)),
        ("evalue", real(row.e_value)),
        ("identity", integer(row.columns.identities)),
        ("query_from", integer(row.query.0)),
        ("query_to", integer(row.query.1)),
        ("query_strand", text("Plus")),
        ("hit_from", integer(row.subject_range.0)),
        ("hit_to", integer(row.subject_range.1)),
        ("hit_strand", text(if row.is_minus { "Minus" } else { "Plus" })),
        ("align_len", integer(row.columns.length)),
        ("gaps", integer(row.columns.gaps)),
        ("qseq", text(letters_with_masks(row, row.record, &masks))),
        ("hseq", text(&row.subject_text)),
        ("midline", text(xml::midline(row))),
    ];
    Node::Structure("Hsp", fields)
}

/// The text before the sections of queries in JSON.
pub fn begin_json(out: &mut String) {
    out.push_str("{\n\"BlastOutput2\": [\n");
}

/// Appends the section of a query as JSON.
pub fn query_json(report: &Report<'_>, section: &QuerySection<'_>, out: &mut String) {
    if section.number > 0 {
        out.push_str(",\n");
    }
    out.push_str("{\n    \"report\": ");
    json(&tree(report, section), 4, out);
    out.push_str("\n  }\n");
}

/// The text behind the sections of queries in JSON.
pub fn end_json(out: &mut String) {
    out.push_str("]\n}\n");
}

/// Appends a value as JSON, whose lines are indented by two blanks more than `indent`.
fn json(node: &Node, indent: usize, out: &mut String) {
    let inner = indent + 2;
    match node {
        Node::Text(text) => json_text(text, out),
        Node::Number(number) => out.push_str(number),
        Node::Structure(_, fields) => {
            out.push_str("{\n");
            for (place, (name, value)) in fields.iter().enumerate() {
                let comma = if place == 0 { "" } else { ",\n" };
                let _ = write!(out, "{comma}{:inner$}\"{name}\": ", "");
                json(value, inner, out);
            }
            let _ = write!(out, "\n{:indent$}}}", "");
        }
        Node::List(items) => {
            out.push_str("[\n");
            for (place, item) in items.iter().enumerate() {
                let comma = if place == 0 { "" } else { ",\n" };
                let _ = write!(out, "{comma}{:inner$}", "");
                json(item, inner, out);
            }
            if !items.is_empty() {
                out.push('\n');
            }
            let _ = write!(out, "{:indent$}]", "");
        }
    }
}

/// Appends a text in quotation marks.
pub(super) fn json_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            letter if letter.is_ascii_control() => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
}

/// The file of a query in JSON.
pub fn json_file(report: &Report<'_>, section: &QuerySection<'_>) -> String {
    let report = Node::Structure("", vec![("report", tree(report, section))]);
    let mut out = String::new();
    json(&Node::Structure("", vec![("BlastOutput2", report)]), 0, &mut out);
    out.push('\n');
    out
}

/// The file that names the files of queries, in JSON.
pub fn json_files(names: &[String]) -> String {
    let lines: Vec<String> =
        names.iter().map(|name| format!("\t\t{{\"File\": \"{name}\" }}")).collect();
    let lines = lines.join(",\n");
    format!("{{\n\t\"BlastJSON\": [\n{lines}\n\t]\n}}")
}

/// The file of a query in XML.
pub fn xml_file(report: &Report<'_>, section: &QuerySection<'_>) -> String {
    let mut out = format!("<?xml version=\"1.0\"?>\n<BlastOutput2\n{SCHEMA}");
    xml_field("report", &tree(report, section), 2, &mut out);
    out.push_str("</BlastOutput2>\n");
    out
}

/// The file that names the files of queries, in XML.
pub fn xml_files(names: &[String]) -> String {
    let lines = names.iter().map(|name| format!("\t<xi:include href=\"{name}\"/>\n"));
    format!(
        "<?xml version=\"1.0\"?>
<BlastXML2
xmlns=\"http://www.ncbi.nlm.nih.gov\"
xmlns:xi=\"http://www.w3.org/2003/XInclude\"
xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\"
xs:schemaLocation=\"http://www.ncbi.nlm.nih.gov http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd\">
{}</BlastXML2>
",
        lines.collect::<String>()
    )
}

/// The text before the sections of queries in XML.
pub fn begin_xml(out: &mut String) {
    let _ = write!(out, "<?xml version=\"1.0\"?>\n<BlastXML2\n{SCHEMA}");
}

/// Appends the section of a query as XML.
pub fn query_xml(report: &Report<'_>, section: &QuerySection<'_>, out: &mut String) {
    if section.number > 0 {
        out.push('\n');
    }
    out.push_str("<BlastOutput2>\n");
    xml_field("report", &tree(report, section), 2, out);
    out.push_str("</BlastOutput2>\n");
}

/// The text behind the sections of queries in XML.
pub fn end_xml(out: &mut String) {
    out.push_str("</BlastXML2>\n");
}

/// Appends a field as XML, whose lines are indented by at least `indent` blanks.
fn xml_field(name: &str, value: &Node, indent: usize, out: &mut String) {
    let name = name.replace('_', "-");
    match value {
        Node::Text(text) => {
            let _ = writeln!(out, "{:indent$}<{name}>{}</{name}>", "", for_xml(text));
        }
        Node::Number(number) => {
            let _ = writeln!(out, "{:indent$}<{name}>{number}</{name}>", "");
        }
        Node::List(items) if items.is_empty() => {
            let _ = writeln!(out, "{:indent$}<{name}></{name}>", "");
        }
        Node::List(items) if items.iter().all(|item| matches!(item, Node::Text(_))) => {
            for item in items {
                xml_field(&name, item, indent, out);
            }
        }
        Node::List(items) => {
            let _ = writeln!(out, "{:indent$}<{name}>", "");
            for item in items {
                xml_structure(item, indent + 2, out);
            }
            let _ = writeln!(out, "{:indent$}</{name}>", "");
        }
        Node::Structure(..) => {
            let _ = writeln!(out, "{:indent$}<{name}>", "");
            xml_structure(value, indent + 2, out);
            let _ = writeln!(out, "{:indent$}</{name}>", "");
        }
    }
}

/// Appends a structure as an element of its type.
fn xml_structure(node: &Node, indent: usize, out: &mut String) {
    let Node::Structure(kind, fields) = node else { return };
    let _ = writeln!(out, "{:indent$}<{kind}>", "");
    for (name, value) in fields {
        xml_field(name, value, indent + 2, out);
    }
    let _ = writeln!(out, "{:indent$}</{kind}>", "");
}
