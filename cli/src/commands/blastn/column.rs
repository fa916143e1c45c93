//! Columns of tables (`-outfmt 6` and `-outfmt 7`), by NCBI's names.

/// A column of a table; [`COLUMNS`] has NCBI's name of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    QueryId,
    QueryGi,
    QueryAccession,
    QueryAccessionVersion,
    QueryLength,
    SubjectId,
    SubjectIds,
    SubjectGi,
    SubjectGis,
    SubjectAccession,
    SubjectAccessionVersion,
    SubjectAccessions,
    SubjectLength,
    QueryStart,
    QueryEnd,
    SubjectStart,
    SubjectEnd,
    QuerySequence,
    SubjectSequence,
    EValue,
    BitScore,
    Score,
    Length,
    Identity,
    Identities,
    Mismatches,
    Positives,
    GapOpens,
    Gaps,
    PositivePercentage,
    Frames,
    QueryFrame,
    SubjectFrame,
    Traceback,
    Taxid,
    Taxids,
    ScientificName,
    ScientificNames,
    CommonName,
    CommonNames,
    GroupName,
    GroupNames,
    Kingdom,
    Kingdoms,
    SubjectTitle,
    SubjectTitles,
    SubjectStrand,
    CoverageBySubject,
    CoverageByAlignment,
    CoverageOfQuery,
}

/// The name of each column on the command line, and its heading in comments.
const COLUMNS: [(Column, &str, &str); 50] = [
    (Column::QueryId, "qseqid", "query id"),
    (Column::QueryGi, "qgi", "query gi"),
    (Column::QueryAccession, "qacc", "query acc."),
    (Column::QueryAccessionVersion, "qaccver", "query acc.ver"),
    (Column::QueryLength, "qlen", "query length"),
    (Column::SubjectId, "sseqid", "subject id"),
    (Column::SubjectIds, "sallseqid", "subject ids"),
    (Column::SubjectGi, "sgi", "subject gi"),
    (Column::SubjectGis, "sallgi", "subject gis"),
    (Column::SubjectAccession, "sacc", "subject acc."),
    (Column::SubjectAccessionVersion, "saccver", "subject acc.ver"),
    (Column::SubjectAccessions, "sallacc", "subject accs."),
    (Column::SubjectLength, "slen", "subject length"),
    (Column::QueryStart, "qstart", "q. start"),
    (Column::QueryEnd, "qend", "q. end"),
    (Column::SubjectStart, "sstart", "s. start"),
    (Column::SubjectEnd, "send", "s. end"),
    (Column::QuerySequence, "qseq", "query seq"),
    (Column::SubjectSequence, "sseq", "subject seq"),
    (Column::EValue, "evalue", "evalue"),
    (Column::BitScore, "bitscore", "bit score"),
    (Column::Score, "score", "score"),
    (Column::Length, "length", "alignment length"),
    (Column::Identity, "pident", "% identity"),
    (Column::Identities, "nident", "identical"),
    (Column::Mismatches, "mismatch", "mismatches"),
    (Column::Positives, "positive", "positives"),
    (Column::GapOpens, "gapopen", "gap opens"),
    (Column::Gaps, "gaps", "gaps"),
    (Column::PositivePercentage, "ppos", "% positives"),
    (Column::Frames, "frames", "query/sbjct frames"),
    (Column::QueryFrame, "qframe", "query frame"),
    (Column::SubjectFrame, "sframe", "sbjct frame"),
    (Column::Traceback, "btop", "BTOP"),
    (Column::Taxid, "staxid", "subject tax id"),
    (Column::Taxids, "staxids", "subject tax ids"),
    (Column::ScientificName, "ssciname", "subject sci name"),
    (Column::ScientificNames, "sscinames", "subject sci names"),
    (Column::CommonName, "scomname", "subject com names"),
    (Column::CommonNames, "scomnames", "subject com names"),
    (Column::GroupName, "sblastname", "subject blast name"),
    (Column::GroupNames, "sblastnames", "subject blast names"),
    (Column::Kingdom, "sskingdom", "subject super kingdom"),
    (Column::Kingdoms, "sskingdoms", "subject super kingdoms"),
    (Column::SubjectTitle, "stitle", "subject title"),
    (Column::SubjectTitles, "salltitles", "subject titles"),
    (Column::SubjectStrand, "sstrand", "subject strand"),
    (Column::CoverageBySubject, "qcovs", "% query coverage per subject"),
    (Column::CoverageByAlignment, "qcovhsp", "% query coverage per hsp"),
    (Column::CoverageOfQuery, "qcovus", "% query coverage per uniq subject"),
];

/// The columns of a table if none are named, which `std` stands for.
const STANDARD: [Column; 12] = [
    Column::QueryAccessionVersion,
    Column::SubjectAccessionVersion,
    Column::Identity,
    Column::Length,
    Column::Mismatches,
    Column::GapOpens,
    Column::QueryStart,
    Column::QueryEnd,
    Column::SubjectStart,
    Column::SubjectEnd,
    Column::EValue,
    Column::BitScore,
];

impl Column {
    /// Whether the column shows letters of the alignment, or is computed from them.
    pub fn shows_letters(self) -> bool {
        matches!(
            self,
            Self::QuerySequence | Self::SubjectSequence | Self::Traceback | Self::CoverageOfQuery
        )
    }

    /// Whether the column shows names of taxa.
    pub fn shows_taxa(self) -> bool {
        matches!(
            self,
            Self::ScientificName
                | Self::ScientificNames
                | Self::CommonName
                | Self::CommonNames
                | Self::GroupName
                | Self::GroupNames
                | Self::Kingdom
                | Self::Kingdoms
        )
    }

    /// What stands between the values of a cell that has several.
    pub fn separator(self) -> Option<&'static str> {
        match self {
            Self::SubjectIds
            | Self::Taxids
            | Self::ScientificNames
            | Self::CommonNames
            | Self::GroupNames
            | Self::Kingdoms => Some(";"),
            Self::Frames => Some("/"),
            Self::SubjectTitles => Some("<>"),
            _ => None,
        }
    }

    /// The heading of the column in comments.
    pub fn heading(self) -> &'static str {
        COLUMNS.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }
}

/// The columns with some names, each once. `std` stands for the standard columns, as do no names at all.
pub fn parse(names: &[&str]) -> Result<Vec<Column>, String> {
    let mut columns = Vec::new();
    for &name in names {
        let named: &[Column] = if name == "std" {
            &STANDARD
        } else {
            let Some(row) = COLUMNS.iter().find(|row| row.1 == name) else {
                let names: Vec<&str> = COLUMNS.iter().map(|row| row.1).collect();
                return Err(format!(
                    "there is no column '{name}'; the columns are std {}",
                    names.join(" ")
                ));
            };
            std::slice::from_ref(&row.0)
        };
        for column in named {
            if !columns.contains(column) {
                columns.push(*column);
            }
        }
    }
    if columns.is_empty() {
        columns = STANDARD.to_vec();
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::*;
    use crate::commands::blastn::args::BlastnArguments;

    #[test]
    fn the_help_names_all_columns() {
        let mut command = BlastnArguments::augment_args(clap::Command::new("blastn"));
        let help = command.render_help().to_string();
        let words: Vec<&str> = help.split(|one: char| !one.is_alphanumeric()).collect();
        for (_, name, _) in COLUMNS {
            assert!(words.contains(&name), "{name}");
        }
    }

    #[test]
    fn columns_are_found_by_name_and_are_there_once() {
        assert_eq!(parse(&[]), Ok(STANDARD.to_vec()));
        let expected = [&[Column::Score], &STANDARD[..]].concat();
        assert_eq!(parse(&["score", "std", "evalue"]), Ok(expected));
        assert!(parse(&["nonsense"]).is_err());
        for (column, name, heading) in COLUMNS {
            assert_eq!(parse(&[name]), Ok(vec![column]));
            assert_eq!(column.heading(), heading);
        }
    }
}
