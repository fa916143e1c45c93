//! Storing contigs and exceptions in an index image.

use std::collections::HashSet;
use std::sync::Arc;

use aligner_core::seq::{UNKNOWN, encode, is_iupac};

use crate::image::{ContigRecord, IndexImage, IndexImageBuilder, IndexSection};
use crate::reference::Reference;
use crate::reference::contig::{Contig, MAX_BASES};
use crate::reference::exception::Exception;

/// Length of the names section, in bytes.
pub(crate) fn names_length(reference: &Reference) -> usize {
    reference.contigs().iter().map(|contig| contig.name.len()).sum()
}

/// Writes the contigs, their names and the exceptions of a reference into an image.
pub(crate) fn store(reference: &Reference, image: &mut IndexImageBuilder) {
    let contigs = reference.contigs();
    let names: String = contigs.iter().map(|contig| contig.name.as_str()).collect();
    image.section_mut(IndexSection::Names).copy_from_slice(names.as_bytes());
    image.section_mut(IndexSection::Exceptions).copy_from_slice(reference.exceptions());
    let mut name_end = 0;
    let records = image.section_mut::<ContigRecord>(IndexSection::Contigs);
    for (record, contig) in records.iter_mut().zip(contigs) {
        name_end += contig.name.len() as u64;
        let Contig { offset, length, md5, .. } = *contig;
        *record = ContigRecord { offset, length, name_end, md5 };
    }
}

/// Reads the reference that [`store`] wrote; its text stays in the image.
///
/// # Errors
/// What is wrong, if the contigs, their names or the exceptions are not those of a reference.
pub(crate) fn load(image: &Arc<IndexImage>) -> Result<Reference, String> {
    let contigs = load_contigs(image)?;
    let length = contigs.last().map_or(0, Contig::end);
    let exceptions = load_exceptions(image, length)?;
    Ok(Reference::in_image(contigs, exceptions, Arc::clone(image), image.parameters().source))
}

/// Reads the contigs and checks what [`Reference`] relies on: each begins where the one before it ends, has at least one
/// base, and has a name of its own of printable ASCII.
fn load_contigs(image: &IndexImage) -> Result<Vec<Contig>, String> {
    let names: &[u8] = image.section(IndexSection::Names);
    let records: &[ContigRecord] = image.section(IndexSection::Contigs);
    if records.is_empty() {
        return Err("it has no contigs".to_owned());
    }
    let (mut name_start, mut end) = (0, 0);
    let mut seen = HashSet::with_capacity(records.len());
    let mut contigs = Vec::with_capacity(records.len());
    for (number, &record) in (1..).zip(records) {
        let ContigRecord { offset, length, name_end, md5 } = record;
        if offset != end {
            return Err(format!("contig {number} begins at base {offset}, not at {end}"));
        }
        if length == 0 || length > MAX_BASES - end {
            return Err(format!("contig {number} has {length} bases"));
        }
        let name = usize::try_from(name_end).ok().and_then(|end| names.get(name_start..end));
        let name = name.ok_or_else(|| format!("the name of contig {number} ends in no place"))?;
        if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
            return Err(format!("the name of contig {number} is empty or not printable"));
        }
        if !seen.insert(name) {
            return Err(format!("the name of contig {number} is that of another contig"));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        name_start += name.len();
        end += length;
        contigs.push(Contig { name, offset, length, md5 });
    }
    if name_start != names.len() {
        return Err("there are more names than contigs".to_owned());
    }
    Ok(contigs)
}

/// Reads the exceptions and checks that they ascend, do not overlap, lie in a reference of `length` bases and are
/// ambiguity letters.
fn load_exceptions(image: &IndexImage, length: u32) -> Result<Vec<Exception>, String> {
    let exceptions: &[Exception] = image.section(IndexSection::Exceptions);
    let mut behind = 0;
    for (number, exception) in (1..).zip(exceptions) {
        let end = exception.start.checked_add(exception.length).filter(|&end| end <= length);
        match end {
            Some(end) if exception.start >= behind && exception.length > 0 => behind = end,
            _ => return Err(format!("ambiguous run {number} is not where one can be")),
        }
        let is_ambiguous = u8::try_from(exception.letter).is_ok_and(|letter| {
            letter.is_ascii_uppercase() && is_iupac(letter) && encode(letter) == UNKNOWN
        });
        if !is_ambiguous {
            return Err(format!("ambiguous run {number} is of no ambiguity letter"));
        }
    }
    Ok(exceptions.to_vec())
}
