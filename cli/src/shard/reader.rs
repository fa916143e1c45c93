//! A file of a shard that is read.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail};
use bytemuck::Zeroable;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::decompress;

use super::format::{BlockHead, END_MAGIC, End, Header, MAGIC, MAX_BLOCK, Trailer};
use super::share::Unit;

/// A complete file of a shard.
#[derive(Debug)]
pub struct ShardReader {
    pub path: PathBuf,
    pub header: Header,
    pub trailer: Trailer,
    file: BufReader<File>,
    /// Bytes of blocks that are left, behind the head that was read.
    left: u64,
    /// The head of the next block; `None` behind the last.
    head: Option<BlockHead>,
}

/// A block that is not decompressed yet.
#[derive(Debug)]
pub struct CompressedBlock {
    size: usize,
    checksum: u64,
    bytes: Vec<u8>,
}

impl ShardReader {
    /// Opens a file, and checks its beginning and its end.
    ///
    /// # Errors
    /// If the file cannot be read, or is no complete shard of this version of the program.
    pub fn open(path: &Path) -> Result<Self> {
        let named = || path.display().to_string();
        let mut file = File::open(path).with_context(named)?;
        let metadata = file.metadata().with_context(named)?;
        if !metadata.is_file() {
            bail!("{}: not a regular file: a shard is read from its end", path.display());
        }
        let size = metadata.len();
        let mut magic = [0; MAGIC.len()];
        let is_shard = size >= MAGIC.len() as u64
            && file.read_exact(&mut magic).map(|()| magic == MAGIC).with_context(named)?;
        if !is_shard {
            bail!("{}: not a shard, which gpualign makes with --shard", path.display());
        }
        let incomplete =
            || anyhow!("{}: the shard is damaged or not complete: make it again", path.display());
        let ends = (size - MAGIC.len() as u64).checked_sub(size_of::<End>() as u64);
        let end_begin = ends.map(|rest| rest + MAGIC.len() as u64).ok_or_else(incomplete)?;
        file.seek(SeekFrom::Start(end_begin)).with_context(named)?;
        let mut end = End::zeroed();
        file.read_exact(bytemuck::bytes_of_mut(&mut end)).with_context(named)?;
        let trailer_begin = end_begin.checked_sub(end.size).filter(|_| end.magic == END_MAGIC);
        let trailer_begin = trailer_begin.ok_or_else(incomplete)?;
        file.seek(SeekFrom::Start(trailer_begin)).with_context(named)?;
        let mut text = vec![0; end.size as usize];
        file.read_exact(&mut text).with_context(named)?;
        let trailer = json(&text, end.checksum).ok_or_else(incomplete)?;

        file.seek(SeekFrom::Start(MAGIC.len() as u64)).with_context(named)?;
        let mut file = BufReader::new(file);
        let mut number = [0; 8];
        file.read_exact(&mut number).with_context(named)?;
        let length = u64::from_le_bytes(number);
        let around = (MAGIC.len() + 2 * number.len()) as u64;
        let left = trailer_begin.checked_sub(around).and_then(|rest| rest.checked_sub(length));
        let left = left.ok_or_else(incomplete)?;
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).with_context(named)?;
        file.read_exact(&mut number).with_context(named)?;
        let header = json(&text, u64::from_le_bytes(number)).ok_or_else(incomplete)?;
        let mut reader = Self { path: path.to_owned(), header, trailer, file, left, head: None };
        reader.read_head()?;
        Ok(reader)
    }

    /// The unit of the next block; `None` behind the last.
    pub fn next_unit(&self) -> Option<Unit> {
        self.head.map(|head| Unit { lane: head.lane, number: head.unit })
    }

    /// The next block; `None` behind the last.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn next(&mut self) -> Result<Option<CompressedBlock>> {
        let Some(head) = self.head else { return Ok(None) };
        let unit = Unit { lane: head.lane, number: head.unit };
        let is_whole = head.compressed <= self.left && head.size <= MAX_BLOCK;
        if !is_whole {
            return Err(self.damaged());
        }
        let mut bytes = vec![0; head.compressed as usize];
        self.file.read_exact(&mut bytes).with_context(|| self.path.display().to_string())?;
        self.left -= head.compressed;
        self.read_head()?;
        if self.next_unit().is_some_and(|next| next < unit) {
            return Err(self.damaged());
        }
        let (size, checksum) = (head.size as usize, head.checksum);
        Ok(Some(CompressedBlock { size, checksum, bytes }))
    }

    /// The error that something in the file is not as it was written.
    pub fn damaged(&self) -> Error {
        anyhow!("{}: the shard is damaged: make it again", self.path.display())
    }

    fn read_head(&mut self) -> Result<()> {
        let size = size_of::<BlockHead>() as u64;
        self.head = match self.left {
            0 => None,
            left if left < size => return Err(self.damaged()),
            _ => {
                let mut head = BlockHead::zeroed();
                let named = || self.path.display().to_string();
                self.file.read_exact(bytemuck::bytes_of_mut(&mut head)).with_context(named)?;
                self.left -= size;
                Some(head)
            }
        };
        Ok(())
    }
}

impl CompressedBlock {
    /// Bytes of the content.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The content; `None` if it is damaged.
    pub fn content(&self) -> Option<Vec<u8>> {
        if xxh3_64(&self.bytes) != self.checksum {
            return None;
        }
        decompress(&self.bytes, self.size).ok().filter(|content| content.len() == self.size)
    }
}

/// The value of some text with this checksum.
fn json<T: DeserializeOwned>(text: &[u8], checksum: u64) -> Option<T> {
    if xxh3_64(text) == checksum { serde_json::from_slice(text).ok() } else { None }
}
