//! Reading ahead: text is made on a thread of its own while what came before is used.
//!
//! So decompressing one file goes on beside splitting it into records, and two files of pairs are
//! decompressed side by side.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Bytes that are handed over at a time, at most.
const BLOCK: usize = 1 << 20;

/// Blocks read ahead.
const AHEAD: usize = 4;

/// What another thread reads.
pub struct Ahead {
    /// Blocks, an empty one at the end.
    blocks: Receiver<io::Result<Vec<u8>>>,
    /// Where blocks go whose memory is to be used again.
    used: Sender<Vec<u8>>,
    block: Vec<u8>,
    /// What was taken of it.
    taken: usize,
    /// No more blocks come.
    at_end: bool,
}

impl Ahead {
    /// Reads the text on a thread that ends with the text, or soon after nobody wants more of it.
    pub fn new(text: impl Read + Send + 'static) -> Self {
        let (sender, blocks) = sync_channel(AHEAD);
        let (used, unused) = channel();
        thread::spawn(move || read(text, &sender, &unused));
        Self { blocks, used, block: Vec::new(), taken: 0, at_end: false }
    }

    /// Takes the next block.
    fn advance(&mut self) -> io::Result<()> {
        // The end is told by a block: without one, that thread is gone before its time.
        let gone = |_| Err(io::Error::other("the thread that decompresses panicked"));
        let received = self.blocks.recv().unwrap_or_else(gone);
        self.at_end = received.as_ref().map_or(true, Vec::is_empty);
        let used = std::mem::replace(&mut self.block, received?);
        self.taken = 0;
        // At the end, nobody wants memory.
        let _ = self.used.send(used);
        Ok(())
    }
}

impl Read for Ahead {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.block.len() && !self.at_end {
            self.advance()?;
        }
        let taken = (&self.block[self.taken..]).read(to)?;
        self.taken += taken;
        Ok(taken)
    }
}

/// Sends all of the text, and what is wrong with it, in blocks.
fn read(mut text: impl Read, blocks: &SyncSender<io::Result<Vec<u8>>>, unused: &Receiver<Vec<u8>>) {
    loop {
        let mut block = unused.try_recv().unwrap_or_default();
        block.clear();
        let read = text.by_ref().take(BLOCK as u64).read_to_end(&mut block);
        let at_end = block.is_empty() || read.is_err();
        // What came before an error is text all the same.
        let is_text = read.is_ok() || !block.is_empty();
        if is_text && blocks.send(Ok(block)).is_err() {
            return;
        }
        if let Err(error) = read {
            // Whoever wants no more does not want the error either.
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

    /// Fails after what it has.
    struct Broken(Cursor<Vec<u8>>);

    impl Read for Broken {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            match self.0.read(to)? {
                0 => Err(io::ErrorKind::InvalidData.into()),
                count => Ok(count),
            }
        }
    }

    fn text(length: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(length as u64);
        (0..length).map(|_| random.u8(..)).collect()
    }

    #[test]
    fn text_arrives_whole() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, (AHEAD + 3) * BLOCK + 17] {
            let text = text(length);
            let mut read = Vec::new();
            let mut ahead = Ahead::new(Cursor::new(text.clone()));
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
            let mut ahead = Ahead::new(Broken(Cursor::new(text.clone())));
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
        assert!(Ahead::new(Panics).read(&mut [0]).is_err());
    }
}
