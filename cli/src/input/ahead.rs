//! Reading ahead: a thread reads or decompresses text while the text before it is used.
//!
//! So one file is decompressed while its text is split into records, and two files of mates are decompressed at the same
//! time.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::lined_text::fill;

/// The most bytes that are handed over at a time.
const BLOCK: usize = 1 << 20;

/// The number of blocks that are read ahead.
const BLOCKS_AHEAD: usize = 4;

/// Text that another thread reads ahead.
pub struct ReadAhead {
    /// The blocks of the text, with an empty one at the end.
    blocks: Receiver<io::Result<Vec<u8>>>,
    /// Takes blocks back whose memory can be used again.
    used: Sender<Vec<u8>>,
    /// The block that is being used.
    block: Vec<u8>,
    /// Bytes that were taken of the current block.
    taken: usize,
    /// Whether the last block was received.
    at_end: bool,
}

impl ReadAhead {
    /// Starts a thread that reads the text. It ends with the text, or soon after this value is dropped.
    pub fn new(text: impl Read + Send + 'static) -> Self {
        let (sender, blocks) = sync_channel(BLOCKS_AHEAD);
        let (used, unused) = channel();
        thread::spawn(move || read(text, &sender, &unused));
        Self { blocks, used, block: Vec::new(), taken: 0, at_end: false }
    }

    /// Receives the next block.
    fn advance(&mut self) -> io::Result<()> {
        // The last block is sent at the end of the text, so a thread that is gone before must have panicked.
        let gone = |_| Err(io::Error::other("the decompressing thread panicked"));
        let received = self.blocks.recv().unwrap_or_else(gone);
        self.at_end = received.as_ref().map_or(true, Vec::is_empty);
        let used = std::mem::replace(&mut self.block, received?);
        self.taken = 0;
        // Sending fails at the end, when no more memory is needed.
        let _ = self.used.send(used);
        Ok(())
    }
}

impl Read for ReadAhead {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.block.len() && !self.at_end {
            self.advance()?;
        }
        let taken = (&self.block[self.taken..]).read(to)?;
        self.taken += taken;
        Ok(taken)
    }
}

/// Sends the text in blocks, followed by the error that ended it, if there was one.
fn read(mut text: impl Read, blocks: &SyncSender<io::Result<Vec<u8>>>, unused: &Receiver<Vec<u8>>) {
    loop {
        let mut block = unused.try_recv().unwrap_or_default();
        // Decompression takes less time if there is room for much text.
        block.resize(BLOCK, 0);
        let (length, error) = fill(&mut text, &mut block);
        block.truncate(length);
        let at_end = length == 0 || error.is_some();
        // Text before an error is sent, too.
        let is_text = error.is_none() || length > 0;
        if is_text && blocks.send(Ok(block)).is_err() {
            return;
        }
        if let Some(error) = error {
            // Sending fails if the receiver is gone, which needs no error.
            let _ = blocks.send(Err(error));
        }
        if at_end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::input::broken::Broken;

    fn text(length: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(length as u64);
        (0..length).map(|_| random.u8(..)).collect()
    }

    #[test]
    fn text_arrives_whole() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, (BLOCKS_AHEAD + 3) * BLOCK + 17] {
            let text = text(length);
            let mut read = Vec::new();
            let mut ahead = ReadAhead::new(Cursor::new(text.clone()));
            assert_eq!(ahead.read_to_end(&mut read).expect("reads"), length);
            assert!(read == text, "{length}");
            assert_eq!(ahead.read(&mut [0]).expect("is at the end"), 0);
        }
    }

    #[test]
    fn an_error_comes_after_the_text_before_it() {
        for length in [0, 5, 2 * BLOCK + 1] {
            let text = text(length);
            let mut read = Vec::new();
            let mut ahead = ReadAhead::new(Cursor::new(text.clone()).chain(Broken));
            let error = ahead.read_to_end(&mut read).expect_err("is broken");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert!(read == text, "{length}");
        }
    }

    #[test]
    fn a_thread_that_panics_is_no_end() {
        struct Panics;
        impl Read for Panics {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("as is tested")
            }
        }
        assert!(ReadAhead::new(Panics).read(&mut [0]).is_err());
    }
}
