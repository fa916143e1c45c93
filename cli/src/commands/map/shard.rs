//! The facts that the file of a shard of mapping has besides its records.

use anyhow::{Context, Result};
use fm_index::{Contig, Reference};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::args::{MapOptions, Mode};
use super::lanes::Lanes;
use super::mapping_device::DeviceReads;
use super::stages::MappingTotals;
use super::stats::{AllNumbers, AllStats, Seconds, Summary};
use crate::output::{Libraries, Marking, Tally};
use crate::shard::{Fingerprint, Header, Kind, Share, Trailer};

/// The facts that merging needs, which are the same for all shards of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct MappedShard {
    /// The header of the file of alignments, without the line of the program.
    pub header: String,
    pub contigs: Vec<StoredContig>,
    pub is_sorted: bool,
    pub marking: Option<Marking>,
    pub libraries: Libraries,
    pub samples: Vec<String>,
    pub mode: Mode,
    /// Whether CIGARs have `=` and `X`.
    pub has_eqx: bool,
}

/// A contig of the reference.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredContig {
    name: String,
    length: u32,
    md5: [u8; 16],
}

/// The numbers of a shard.
#[derive(Debug, Serialize, Deserialize)]
pub struct MappedNumbers {
    /// The command line of the program.
    pub command: String,
    /// The devices, with the reads that each has mapped.
    pub devices: Vec<DeviceReads>,
    pub totals: MappingTotals,
    pub tally: Tally,
    pub seconds: Seconds,
    /// The numbers of mode all.
    pub all: Option<AllNumbers>,
}

impl MappedNumbers {
    /// The numbers of a run.
    pub fn new(summary: &Summary, totals: MappingTotals) -> Self {
        Self {
            command: summary.command.clone(),
            devices: summary.devices.clone(),
            totals,
            tally: summary.tally.clone(),
            seconds: summary.seconds,
            all: summary.all.as_ref().map(AllStats::numbers),
        }
    }
}

impl MappedShard {
    /// The contigs of the reference, in order.
    pub fn contigs(&self) -> Vec<Contig> {
        let mut offset = 0;
        let contig = |stored: &StoredContig| {
            let &StoredContig { ref name, length, md5 } = stored;
            let begin = offset;
            offset += length;
            Contig { name: name.clone(), offset: begin, length, md5 }
        };
        self.contigs.iter().map(contig).collect()
    }
}

/// The header of the file of a shard, whose file of alignments would have a header with these lines.
///
/// # Errors
/// If it cannot be made.
pub fn header(
    share: Share,
    options: &MapOptions,
    lanes: &Lanes,
    (reference, lines): (&Reference, String),
) -> Result<Header> {
    let contig = |contig: &Contig| StoredContig {
        name: contig.name.clone(),
        length: contig.length,
        md5: contig.md5,
    };
    let contigs: Vec<StoredContig> = reference.contigs().iter().map(contig).collect();
    let hash = |text: &str| xxh3_64(text.as_bytes());
    let fingerprints = vec![
        Fingerprint::new("options", hash(&options.of_records())),
        Fingerprint::new("references", hash(&format!("{contigs:?}"))),
        Fingerprint::new("read groups or headers", hash(&lines)),
    ];
    let content = MappedShard {
        header: lines,
        contigs,
        is_sorted: options.sorting.is_sorted(),
        marking: options.duplicates.marking(),
        libraries: lanes.libraries(),
        samples: lanes.groups().samples().into_iter().map(str::to_owned).collect(),
        mode: options.mode,
        has_eqx: options.eqx,
    };
    Ok(Header {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kind: Kind::Mapping,
        shard: share.shard,
        unit_size: share.unit_size,
        fingerprints,
        content: serde_json::to_value(content)?,
    })
}

/// The trailer of the file of a shard, given the hash of all reads.
///
/// # Errors
/// If it cannot be made.
pub fn trailer(reads: Option<u64>, numbers: &MappedNumbers) -> Result<Trailer> {
    let reads = reads.context("the reads were not read to their end")?;
    let fingerprints = vec![Fingerprint::new("reads", reads)];
    Ok(Trailer { fingerprints, content: serde_json::to_value(numbers)? })
}
