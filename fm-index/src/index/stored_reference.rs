//! Storing contigs and exceptions in an index image.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::image::{IndexImage, IndexImageBuilder, IndexSection};
use crate::reference::Reference;
use crate::reference::contig::Contig;
use crate::reference::exception::Exception;

/// A contig in an index image.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct ContigRecord {
    /// Reference coordinate of its first base.
    offset: u32,
    /// Number of its bases.
    length: u32,
    /// End of its name in the names section; the name starts where the previous contig's name ends.
    name_end: u64,
    /// MD5 of its letters in upper case.
    md5: [u8; 16],
}

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
/// The section that contradicts itself.
pub(crate) fn load(image: &Arc<IndexImage>) -> Result<Reference, IndexSection> {
    let names =
        std::str::from_utf8(image.section(IndexSection::Names)).map_err(|_| IndexSection::Names)?;
    let mut name_start = 0;
    let contigs = image.section::<ContigRecord>(IndexSection::Contigs).iter().map(|record| {
        let ContigRecord { offset, length, name_end, md5 } = *record;
        let name =
            names.get(name_start..name_end as usize).ok_or(IndexSection::Contigs)?.to_owned();
        name_start = name_end as usize;
        Ok(Contig { name, offset, length, md5 })
    });
    let contigs = contigs.collect::<Result<_, IndexSection>>()?;
    let exceptions = image.section::<Exception>(IndexSection::Exceptions).to_vec();
    Ok(Reference::in_image(contigs, exceptions, Arc::clone(image), image.parameters().source))
}
