//! Subjects as reports show them: their identifiers and titles.

use std::fmt::Write;

use blastn_pipeline::database::{Database, Defline, LocationInWhole, SeqId};

/// A subject with alignments.
#[derive(Debug)]
pub struct ReportedSubject<'d> {
    pub database: &'d Database,
    /// Number among the sequences that are searched, from 0.
    pub number: usize,
    /// Length of the whole sequence, of which a part may be searched.
    pub length: usize,
    /// Position of the part that is searched, from 0.
    pub start: usize,
    /// Whether it is a sequence of a database, not of a file of subjects.
    is_of_database: bool,
    lines: Vec<Defline>,
}

/// What tables show where a database does not tell.
pub const UNKNOWN: &str = "N/A";
/// What XML shows as the title of a sequence without one.
pub const NO_TITLE: &str = "No definition line";

impl<'d> ReportedSubject<'d> {
    pub fn new(database: &'d Database, number: usize, is_of_database: bool) -> Self {
        let subject = database.subject(number);
        let mut lines = subject.deflines();
        if !is_of_database {
            for line in &mut lines {
                let name = first_word(&line.title);
                let name = name.map_or_else(|| format!("Subject_{}", number + 1), str::to_owned);
                line.ids = vec![SeqId::Local(name)];
            }
        }
        let LocationInWhole { start, whole } = subject.location();
        Self { database, number, length: whole, start, is_of_database, lines }
    }

    /// The identifier of the sequence: that of its first definition line.
    pub fn id(&self) -> String {
        self.lines.first().map_or_else(String::new, full_id)
    }

    /// The identifier of the sequence without the name of its database, as SAM has it; its number if identifiers were not parsed.
    pub fn plain_id(&self) -> String {
        let id = self.lines.first().and_then(|line| SeqId::best(&line.ids));
        match id {
            Some(id) if self.is_of_database => id.accession_version(),
            _ => format!("Subject_{}", self.number + 1),
        }
    }

    /// The identifiers of all definition lines.
    pub fn ids(&self) -> String {
        self.of_all(";", full_id)
    }

    /// The accession of the sequence, without its version.
    pub fn accession(&self) -> String {
        self.lines.first().map_or_else(String::new, accession)
    }

    /// The accession of the sequence, with its version.
    pub fn accession_version(&self) -> String {
        let shown = |line| best(line).map_or_else(String::new, |id| id.accession_version());
        self.lines.first().map_or_else(String::new, shown)
    }

    /// The accessions of all definition lines, without versions.
    pub fn accessions(&self) -> String {
        self.of_all(";", accession)
    }

    /// NCBI's number of the sequence, or 0.
    pub fn gi(&self) -> String {
        self.lines.first().map_or_else(String::new, gi)
    }

    /// NCBI's numbers of all definition lines.
    pub fn gis(&self) -> String {
        self.of_all(";", gi)
    }

    /// The title in tables.
    pub fn title_in_table(&self) -> String {
        self.lines.first().map_or_else(String::new, |line| self.known_title(line))
    }

    /// The titles of all definition lines in tables.
    pub fn titles_in_table(&self) -> String {
        self.of_all("<>", |line| self.known_title(line))
    }

    fn known_title(&self, line: &Defline) -> String {
        let is_known = self.is_of_database && !line.title.is_empty();
        if is_known { printable(&line.title) } else { UNKNOWN.to_owned() }
    }

    /// The numbers of the taxa of the definition lines, ascending and each once; none if there is no database, and 0 where it
    /// does not tell.
    pub fn taxids(&self) -> Option<Vec<u32>> {
        let mut taxids: Vec<u32> = self.lines.iter().map(|line| line.taxid).collect();
        taxids.sort_unstable();
        taxids.dedup();
        self.is_of_database.then_some(taxids)
    }

    /// The number of the taxon of the first definition line that has one.
    pub fn taxid(&self) -> Option<u32> {
        let line = self.lines.iter().find(|line| self.is_of_database && line.taxid > 0);
        line.map(|line| line.taxid)
    }

    /// What the structure `BlastOutput2` shows of each definition line.
    pub fn descriptions(&self) -> impl Iterator<Item = SubjectDescription> {
        self.lines.iter().map(|line| {
            let id = match SeqId::best(&line.ids) {
                Some(id) if id.is_ordinal() => id.to_string(),
                _ => full_id(line),
            };
            let accession = match SeqId::best(&line.ids) {
                Some(SeqId::General { tag, .. }) => tag.clone(),
                _ => accession(line),
            };
            SubjectDescription {
                id,
                accession: self.is_of_database.then_some(accession),
                title: printable(&line.title),
                taxid: Some(line.taxid).filter(|&taxid| taxid > 0),
            }
        })
    }

    /// The headings of the sequence in pairwise reports, one for each definition line, with NCBI's numbers if these are shown.
    pub fn headings(&self, shows_gis: bool) -> Vec<Heading> {
        let heading = |line: &Defline| Heading {
            id: match self.parsed_id(line) {
                Some(_) if shows_gis && SeqId::gi(&line.ids).is_some() => full_id(line),
                Some(id) => bare_id(id),
                None => String::new(),
            },
            title: printable(&line.title),
            names: self.names(line),
        };
        self.lines.iter().map(heading).collect()
    }

    /// The heading of the sequence in the list of subjects of pairwise reports, in which blanks that follow each other are one.
    pub fn heading_in_list(&self, shows_gis: bool) -> ListHeading {
        let Some(line) = self.lines.first() else { return ListHeading::default() };
        let printable = printable(&line.title);
        let mut words: Vec<&str> = printable.split_whitespace().collect();
        let is_of_third_party =
            |id: &SeqId| matches!(id, SeqId::Accession { database: "tpg" | "tpe" | "tpd", .. });
        if SeqId::best(&line.ids).is_some_and(is_of_third_party) {
            words.insert(0, "TPA:");
        }
        let title = words.join(" ");
        let names = self.names(line);
        match self.parsed_id(line) {
            // NCBI's program puts blanks behind identifiers only if there is a number.
            Some(_) if shows_gis => {
                let space = if SeqId::gi(&line.ids).is_some() { "  " } else { "" };
                ListHeading { id: full_id(line), title: format!("{space}{title}"), names }
            }
            Some(id) => ListHeading { id: format!("{} ", bare_id(id)), title, names },
            None => ListHeading { id: String::new(), title, names },
        }
    }

    /// The identifier of the sequence before its row in reports of all alignments of a query.
    pub fn row_label(&self, shows_gis: bool) -> String {
        let Some(line) = self.lines.first() else { return String::new() };
        match (SeqId::gi(&line.ids), SeqId::best(&line.ids)) {
            _ if !self.is_of_database => format!("Subject_{}", self.number + 1),
            (Some(gi), _) if shows_gis => gi.to_string(),
            (_, Some(SeqId::General { tag, .. })) => tag.clone(),
            (_, id) => id.map_or_else(String::new, SeqId::accession_version),
        }
    }

    /// What the report of organisms shows of each definition line.
    pub fn organism_lines(&self) -> Vec<OrganismLine> {
        let line = |line: &Defline| OrganismLine {
            label: match SeqId::best(&line.ids) {
                _ if !self.is_of_database => format!("Subject_{}", self.number + 1),
                Some(SeqId::General { tag, .. }) => tag.clone(),
                id => id.map_or_else(String::new, SeqId::accession),
            },
            title: printable(&line.title),
            taxid: if self.is_of_database { line.taxid } else { 0 },
        };
        self.lines.iter().map(line).collect()
    }

    /// The identifiers of the first definition line; `None` if there is no database.
    pub fn ids_of_database(&self) -> Option<Vec<SeqId>> {
        let ids = self.lines.first().map(|line| line.ids.clone());
        ids.filter(|_| self.is_of_database)
    }

    /// The names of a definition line in HTML.
    fn names(&self, line: &Defline) -> Names {
        let id = SeqId::best(&line.ids);
        let label = match id {
            _ if !self.is_of_database => format!("Subject_{}", self.number + 1),
            id => id.map_or_else(String::new, SeqId::accession_version),
        };
        let has_accession = id.is_some_and(|id| {
            !matches!(id, SeqId::Local(_) | SeqId::General { .. }) && self.is_of_database
        });
        Names {
            accession: has_accession.then(|| label.clone()),
            anchor: SeqId::gi(&line.ids).map_or(label, |gi| gi.to_string()),
        }
    }

    /// The identifier of a definition line, if it is of a database that has parsed identifiers.
    fn parsed_id<'l>(&self, line: &'l Defline) -> Option<&'l SeqId> {
        SeqId::best(&line.ids).filter(|id| self.is_of_database && !id.is_ordinal())
    }

    /// Identifier, title and accession of the sequence in XML.
    pub fn in_xml(&self) -> XmlNames {
        let Some((first, others)) = self.lines.split_first() else { return XmlNames::default() };
        let id = match SeqId::best(&first.ids) {
            Some(id) if id.is_ordinal() => id.to_string(),
            _ => full_id(first),
        };
        let mut title = printable(&first.title);
        if title.is_empty() {
            NO_TITLE.clone_into(&mut title);
        }
        for line in others {
            let local = if matches!(best(line), Some(SeqId::Local(_))) { "lcl|" } else { "" };
            let _ = write!(title, " >{local}{} {}", full_id(line), printable(&line.title));
        }
        let accession = match SeqId::best(&first.ids) {
            _ if !self.is_of_database => format!("Subject_{}", self.number + 1),
            Some(SeqId::General { tag, .. }) => tag.clone(),
            _ => accession(first),
        };
        XmlNames { id, title, accession }
    }

    fn of_all(&self, separator: &str, shown: impl Fn(&Defline) -> String) -> String {
        let all: Vec<String> = self.lines.iter().map(shown).collect();
        all.join(separator)
    }
}

/// A definition line as the heading of alignments.
#[derive(Debug)]
pub struct Heading {
    /// Empty if identifiers were not parsed.
    pub id: String,
    pub title: String,
    pub names: Names,
}

/// A definition line in the report of organisms.
#[derive(Debug)]
pub struct OrganismLine {
    /// The identifier without its database and version.
    pub label: String,
    pub title: String,
    /// The number of the taxon, or 0.
    pub taxid: u32,
}

/// The first definition line of a subject in the list of subjects.
#[derive(Debug, Default)]
pub struct ListHeading {
    /// The identifier, with what separates it from the title; empty if identifiers were not parsed.
    pub id: String,
    pub title: String,
    pub names: Names,
}

/// The names of a definition line in links of HTML.
#[derive(Debug, Default)]
pub struct Names {
    /// The accession that NCBI's databases have it under, if it has one.
    pub accession: Option<String>,
    /// The place of its alignments in the page.
    pub anchor: String,
}

/// What the structure `BlastOutput2` shows of a definition line.
#[derive(Debug)]
pub struct SubjectDescription {
    pub id: String,
    pub accession: Option<String>,
    pub title: String,
    pub taxid: Option<u32>,
}

/// What XML shows of a subject.
#[derive(Debug, Default)]
pub struct XmlNames {
    pub id: String,
    pub title: String,
    pub accession: String,
}

/// The first word of a text.
fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

/// The identifier that reports show. If identifiers were not parsed, it is the first word of the title.
fn best(line: &Defline) -> Option<SeqId> {
    let id = SeqId::best(&line.ids)?;
    let name = first_word(&line.title).filter(|_| id.is_ordinal());
    Some(name.map_or_else(|| id.clone(), |name| SeqId::Local(name.to_owned())))
}

/// An identifier in headings: without the name of its database, unless it is NCBI's number.
fn bare_id(id: &SeqId) -> String {
    let gi = if matches!(id, SeqId::Gi(_)) { "gi|" } else { "" };
    format!("{gi}{}", id.accession_version())
}

/// The identifier with the names of its databases, behind NCBI's number if there is one.
fn full_id(line: &Defline) -> String {
    let best = best(line);
    let gi = SeqId::gi(&line.ids).map(|number| SeqId::Gi(number).to_string());
    let id = best.filter(|id| !matches!(id, SeqId::Gi(_))).map(|id| id.to_string());
    let both: Vec<String> = gi.into_iter().chain(id).collect();
    both.join("|")
}

fn accession(line: &Defline) -> String {
    best(line).map_or_else(String::new, |id| id.accession())
}

fn gi(line: &Defline) -> String {
    SeqId::gi(&line.ids).unwrap_or(0).to_string()
}

/// A title without control characters.
fn printable(title: &str) -> String {
    title.replace(|letter: char| letter.is_ascii_control(), " ")
}
