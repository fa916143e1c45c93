//! Contigs and exceptions in the index image.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::coordinates::Exception;
use crate::header::Section;
use crate::image::{Image, ImageBuilder};
use crate::reference::{Contig, Reference};

/// A contig as the image holds it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct ContigRecord {
    offset: u32,
    length: u32,
    /// End of its name in the names section; it starts where the one before ends.
    name_end: u64,
    md5: [u8; 16],
}

/// Bytes of the names section.
pub(crate) fn names_length(reference: &Reference) -> usize {
    reference.contigs().iter().map(|contig| contig.name.len()).sum()
}

/// Writes everything of the reference but its text.
pub(crate) fn store(reference: &Reference, image: &mut ImageBuilder) {
    let contigs = reference.contigs();
    let names: String = contigs.iter().map(|contig| contig.name.as_str()).collect();
    image.section_mut(Section::Names).copy_from_slice(names.as_bytes());
    image.section_mut(Section::Exceptions).copy_from_slice(reference.exceptions());
    let mut name_end = 0;
    let records = image.section_mut::<ContigRecord>(Section::Contigs);
    for (record, contig) in records.iter_mut().zip(contigs) {
        name_end += contig.name.len() as u64;
        let Contig { offset, length, md5, .. } = *contig;
        *record = ContigRecord { offset, length, name_end, md5 };
    }
}

/// Reads what [`store`] wrote; on failure the section that contradicts itself.
pub(crate) fn load(image: &Arc<Image>) -> Result<Reference, Section> {
    let names = std::str::from_utf8(image.section(Section::Names)).map_err(|_| Section::Names)?;
    let mut name_start = 0;
    let contigs = image.section::<ContigRecord>(Section::Contigs).iter().map(|record| {
        let ContigRecord { offset, length, name_end, md5 } = *record;
        let name = names.get(name_start..name_end as usize).ok_or(Section::Contigs)?.to_owned();
        name_start = name_end as usize;
        Ok(Contig { name, offset, length, md5 })
    });
    let contigs = contigs.collect::<Result<_, Section>>()?;
    let exceptions = image.section::<Exception>(Section::Exceptions).to_vec();
    Ok(Reference::in_image(contigs, exceptions, Arc::clone(image), image.numbers().source))
}
