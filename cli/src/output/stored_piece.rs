//! Pieces in the files of shards: their records, and what decides about duplicates among all shards.

use bytemuck::{AnyBitPattern, Pod, Zeroable, pod_collect_to_vec};

use super::bam::records::{EncodedRecords, RecordPlace};
use super::bam::view;
use super::duplicates::stored::{StoredCounts, StoredSignature};
use super::piece::{GroupCounts, Piece, PieceSignatures};

/// The sizes of the parts of a stored piece, which follow in this order.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Head {
    /// Templates that were begun.
    templates: u32,
    /// 1 if signatures were made, of which there may be none.
    has_signatures: u32,
    /// Numbers of 32 bits with the sizes of records.
    sizes: u64,
    /// [`RecordPlace`]s.
    places: u64,
    /// [`StoredSignature`]s.
    signatures: u64,
    /// [`StoredCounts`].
    counts: u64,
}

/// The numbers that parts of a stored piece must be below.
#[derive(Debug, Clone, Copy)]
pub struct PieceLimits {
    /// The number of contigs.
    pub contigs: usize,
    /// The number of read groups, at least 1.
    pub groups: usize,
}

/// The stored form of a piece with records, which are taken out of it.
pub fn store(piece: &mut Piece) -> Vec<u8> {
    let signatures = piece.signatures().map(PieceSignatures::take);
    let records = piece.take_records();
    let has_signatures = signatures.is_some().into();
    let (signatures, counts) = signatures.unwrap_or_default();
    let signatures: Vec<StoredSignature> =
        signatures.iter().map(|(template, it)| StoredSignature::new(*template, it)).collect();
    let counts: Vec<StoredCounts> =
        counts.iter().map(|it| StoredCounts::new(it.group, it.reads)).collect();
    let (slice, places) = (records.as_slice(), records.places());
    let head = Head {
        templates: records.templates(),
        has_signatures,
        sizes: slice.sizes.len() as u64,
        places: places.len() as u64,
        signatures: signatures.len() as u64,
        counts: counts.len() as u64,
    };
    [
        bytemuck::bytes_of(&head),
        bytemuck::cast_slice(slice.sizes),
        bytemuck::cast_slice(places),
        bytemuck::cast_slice(&signatures),
        bytemuck::cast_slice(&counts),
        slice.bytes,
    ]
    .concat()
}

/// The piece of its stored form; `None` if the bytes are none.
pub fn restore(bytes: &[u8], limits: PieceLimits) -> Option<Piece> {
    let mut rest = bytes;
    let [head] = take::<Head>(&mut rest, 1)?.try_into().ok()?;
    let sizes: Vec<u32> = take(&mut rest, head.sizes)?;
    let places: Vec<RecordPlace> = take(&mut rest, head.places)?;
    let signatures: Vec<StoredSignature> = take(&mut rest, head.signatures)?;
    let counts: Vec<StoredCounts> = take(&mut rest, head.counts)?;
    let are_records = view::are_records(rest, &sizes, limits.contigs);
    let mut begin = 0;
    let are_places = places.is_empty() || places.len() == sizes.len();
    let is_place = |(place, size): (&RecordPlace, &u32)| {
        let is_at_record = place.offset == begin;
        begin = place.offset.wrapping_add(*size);
        is_at_record && place.template < head.templates
    };
    let are_signatures = signatures
        .iter()
        .all(|it| it.template < head.templates && (it.group as usize) < limits.groups);
    let are_counts = counts.iter().all(|it| it.group < limits.groups as u64);
    let are_whole = are_records && are_places && are_signatures && are_counts;
    if !are_whole || !places.iter().zip(&sizes).all(is_place) {
        return None;
    }
    let records = EncodedRecords::restored(rest.to_vec(), sizes, places, head.templates);
    let signatures = (head.has_signatures == 1).then(|| {
        let signatures = signatures.iter().map(|it| (it.template, it.signature())).collect();
        let of_group =
            |it: &StoredCounts| GroupCounts { group: it.group as u32, reads: it.counts() };
        PieceSignatures::restored(signatures, counts.iter().map(of_group).collect())
    });
    Some(Piece::restored(records, signatures))
}

/// Takes `count` values from the beginning of some bytes; `None` if these are too few.
fn take<T: Pod + AnyBitPattern>(bytes: &mut &[u8], count: u64) -> Option<Vec<T>> {
    let size = usize::try_from(count).ok()?.checked_mul(size_of::<T>())?;
    let (values, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(pod_collect_to_vec(values))
}
