//! All shards of a run.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use rayon::prelude::*;
use serde::de::DeserializeOwned;

use super::format::{Fingerprint, Header, Kind};
use super::reader::{CompressedBlock, ShardReader};
use super::share::Shard;

/// Bytes of the blocks that are decompressed together, about.
const WINDOW_BYTES: usize = 1 << 26;

/// All shards of a run, whose blocks come in the order of the input.
#[derive(Debug)]
pub struct ShardSet {
    /// The shards in the order of their numbers.
    shards: Vec<ShardReader>,
}

/// A block of a shard.
#[derive(Debug)]
pub struct MergedBlock {
    /// The place of its shard in the set.
    shard: usize,
    pub content: Vec<u8>,
}

impl ShardSet {
    /// Opens shards, which must be all those of one run, in any order.
    ///
    /// # Errors
    /// Names the file that is no shard, belongs to another run or is there twice, or the shard that is missing.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        let shards =
            paths.iter().map(|path| ShardReader::open(path)).collect::<Result<Vec<_>>>()?;
        let Some(first) = shards.first() else { bail!("no shard is given") };
        shards.iter().try_for_each(check_version)?;
        for other in &shards[1..] {
            check_same_run(first, other)?;
        }
        let count = first.header.shard.count;
        let mut in_order: Vec<Option<ShardReader>> = (0..count).map(|_| None).collect();
        for shard in shards {
            let place = shard.header.shard.number.checked_sub(1).filter(|&place| place < count);
            let Some(place) = place else { return Err(shard.damaged()) };
            if let Some(other) = &in_order[place as usize] {
                bail!(
                    "{}: shard {}, as {}: leave one of them out",
                    shard.path.display(),
                    shard.header.shard,
                    other.path.display()
                );
            }
            in_order[place as usize] = Some(shard);
        }
        let missing = |number: u32| {
            anyhow!("shard {} is missing: give the files of all {count}", Shard { number, count })
        };
        let all = in_order.into_iter().zip(1..);
        let shards = all.map(|(shard, number)| shard.ok_or_else(|| missing(number)));
        Ok(Self { shards: shards.collect::<Result<_>>()? })
    }

    /// The work of the run.
    pub fn kind(&self) -> Kind {
        self.first().kind
    }

    /// The facts of the run's headers.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn content<T: DeserializeOwned>(&self) -> Result<T> {
        let content = self.first().content.clone();
        serde_json::from_value(content).map_err(|_| self.shards[0].damaged())
    }

    /// The numbers of each shard.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn trailers<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let of_shard = |shard: &ShardReader| {
            serde_json::from_value(shard.trailer.content.clone()).map_err(|_| shard.damaged())
        };
        self.shards.iter().map(of_shard).collect()
    }

    /// The path of the shard of a block.
    pub fn path_of(&self, block: &MergedBlock) -> &Path {
        &self.shards[block.shard].path
    }

    /// The next blocks in the order of their units, decompressed on the current rayon pool; empty behind the last.
    ///
    /// # Errors
    /// If they cannot be read, or are damaged.
    pub fn next_blocks(&mut self) -> Result<Vec<MergedBlock>> {
        let (mut window, mut bytes) = (Vec::new(), 0);
        while bytes < WINDOW_BYTES {
            let next = self.shards.iter().enumerate();
            let next = next.filter_map(|(place, shard)| Some((shard.next_unit()?, place))).min();
            let Some((_, shard)) = next else { break };
            let Some(block) = self.shards[shard].next()? else { break };
            bytes += block.size();
            window.push((shard, block));
        }
        let content = |(shard, block): (usize, CompressedBlock)| {
            let content = block.content().ok_or_else(|| self.shards[shard].damaged())?;
            Ok(MergedBlock { shard, content })
        };
        window.into_par_iter().map(content).collect()
    }

    /// Writes the contents of all blocks in the order of their units. `named` names the output in messages.
    ///
    /// # Errors
    /// If blocks cannot be read, or the output not be written.
    pub fn write_contents(
        &mut self,
        out: &mut impl Write,
        named: impl Fn() -> String,
    ) -> Result<()> {
        loop {
            let blocks = self.next_blocks()?;
            if blocks.is_empty() {
                return Ok(());
            }
            for block in blocks {
                out.write_all(&block.content).with_context(&named)?;
            }
        }
    }

    fn first(&self) -> &Header {
        &self.shards[0].header
    }
}

/// Checks that a shard was made by this version of the program, which others may not agree with.
fn check_version(shard: &ShardReader) -> Result<()> {
    let (version, own) = (&shard.header.version, env!("CARGO_PKG_VERSION"));
    if version != own {
        bail!(
            "{}: made by gpualign {version}, and this is {own}: merge with the version that made the shards",
            shard.path.display()
        );
    }
    Ok(())
}

/// Checks that two shards are of one run.
fn check_same_run(one: &ShardReader, other: &ShardReader) -> Result<()> {
    let (path, first) = (other.path.display(), one.path.display());
    let (a, b) = (&one.header, &other.header);
    if a.kind != b.kind {
        bail!(
            "{path}: a shard of {}, but {first} is one of {}",
            b.kind.command(),
            a.kind.command()
        );
    }
    if a.shard.count != b.shard.count {
        bail!("{path}: shard {}, but {first} is shard {}", b.shard, a.shard);
    }
    if a.unit_size != b.unit_size {
        bail!("{path}: made with --shard-size {}, but {first} with {}", b.unit_size, a.unit_size);
    }
    let all = |shard: &ShardReader| -> Vec<Fingerprint> {
        [&shard.header.fingerprints[..], &shard.trailer.fingerprints].concat()
    };
    let (ours, theirs) = (all(one), all(other));
    let differing = ours.iter().zip(&theirs).find(|(a, b)| a != b);
    if let Some((Fingerprint { of, .. }, _)) = differing {
        bail!("{path}: a shard of another run than {first}: their {of} differ");
    }
    if ours.len() != theirs.len() || a.content != b.content {
        bail!("{path}: a shard of another run than {first}");
    }
    Ok(())
}
