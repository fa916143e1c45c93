//! A file of a shard that is being written.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use rayon::prelude::*;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::compress;

use super::format::{BlockHead, END_MAGIC, End, Header, MAGIC, Trailer};
use super::share::Unit;

/// The level of compression: most of the gain for little time.
const LEVEL: i32 = 1;

/// A file of a shard that is being written; complete after [`finish`](Self::finish).
#[derive(Debug)]
pub struct ShardWriter {
    file: BufWriter<File>,
}

impl ShardWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(file: File, header: &Header) -> io::Result<Self> {
        let mut file = BufWriter::new(file);
        let text = json(header)?;
        file.write_all(&MAGIC)?;
        file.write_all(&(text.len() as u64).to_le_bytes())?;
        file.write_all(&text)?;
        file.write_all(&xxh3_64(&text).to_le_bytes())?;
        Ok(Self { file })
    }

    /// Appends a block for each of these contents of a unit, which is not before the last unit. They are compressed on the
    /// current rayon pool.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, unit: Unit, contents: &[Vec<u8>]) -> io::Result<()> {
        let compressed: Vec<Vec<u8>> = contents
            .par_iter()
            .map(|content| compress(content, LEVEL))
            .collect::<io::Result<_>>()?;
        for (content, compressed) in contents.iter().zip(compressed) {
            let head = BlockHead {
                lane: unit.lane,
                unit: unit.number,
                size: content.len() as u64,
                compressed: compressed.len() as u64,
                checksum: xxh3_64(&compressed),
            };
            self.file.write_all(bytemuck::bytes_of(&head))?;
            self.file.write_all(&compressed)?;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self, trailer: &Trailer) -> io::Result<()> {
        let text = json(trailer)?;
        let end = End { checksum: xxh3_64(&text), size: text.len() as u64, magic: END_MAGIC };
        self.file.write_all(&text)?;
        self.file.write_all(bytemuck::bytes_of(&end))?;
        self.file.flush()
    }
}

fn json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}
