//! The descriptions of contigs, which stand behind their names in the file of the reference.

use std::collections::HashMap;
use std::path::Path;

use aligner_core::fastx::RecordProblem;
use anyhow::{Context, Result};
use fm_index::Reference;

use crate::input;

/// The description of each contig, with blanks for tabs; empty of a contig that has none.
///
/// # Errors
/// If the file of the reference cannot be read.
pub fn of_contigs(file: &Path, reference: &Reference) -> Result<Vec<Vec<u8>>> {
    let mut records = input::open(file)?;
    let mut found: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    while let Some(record) = records.next() {
        let record = record
            .map_err(|error| anyhow::anyhow!(RecordProblem::from(&error).reason))
            .with_context(|| file.display().to_string())?;
        let header = record.id();
        let end = header.iter().position(u8::is_ascii_whitespace).unwrap_or(header.len());
        let text = header.get(end + 1..).unwrap_or_default().trim_ascii_end();
        let visible = |&byte: &u8| if (b' '..=b'~').contains(&byte) { byte } else { b' ' };
        let text: Vec<u8> = text.iter().map(visible).collect();
        found.entry(header[..end].to_vec()).or_insert(text);
    }
    let of_contig = |name: &String| found.remove(name.as_bytes()).unwrap_or_default();
    Ok(reference.contigs().iter().map(|contig| &contig.name).map(of_contig).collect())
}
