//! Text of files of gzip (RFC 1952) of any number of members, decompressed by ISA-L.
//!
//! One thread decompresses such a file, and the whole run waits for it. ISA-L takes three fifths of the time of zlib-rs for reads
//! that gzip has compressed by its default level. It loses which fields a header has when a part of its input ends within
//! them, so headers are read by the crate flate2.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use isal_sys::igzip_lib::{
    ISAL_GZIP_NO_HDR_VER, ISAL_INCORRECT_CHECKSUM, inflate_state,
    isal_block_state_ISAL_BLOCK_FINISH, isal_inflate, isal_inflate_init, isal_inflate_reset,
};

/// Text of all members of a file of gzip, whose checksums and lengths are verified.
pub struct GzipText<R> {
    bytes: R,
    inflater: Inflater,
    /// Whether a member is being decompressed.
    is_in_member: bool,
}

impl<R: BufRead> GzipText<R> {
    /// The text of a file with these bytes.
    pub fn new(bytes: R) -> Self {
        Self { bytes, inflater: Inflater::new(), is_in_member: false }
    }

    /// Reads the header of the next member, and returns whether there is one.
    fn begin_member(&mut self) -> io::Result<bool> {
        if self.bytes.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut member = GzDecoder::new(&mut self.bytes);
        if member.header().is_none() {
            // Why there is no header is told to who reads the text.
            let read = member.read(&mut [0]);
            return Err(read.err().unwrap_or_else(|| invalid("no header of gzip")));
        }
        self.inflater.begin_member();
        self.is_in_member = true;
        Ok(true)
    }
}

impl<R: BufRead> Read for GzipText<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        while self.is_in_member || self.begin_member()? {
            let bytes = self.bytes.fill_buf()?;
            let is_at_end = bytes.is_empty();
            let Inflated { taken, written } = self.inflater.inflate(bytes, to)?;
            self.bytes.consume(taken);
            self.is_in_member = !self.inflater.has_ended();
            if written > 0 {
                return Ok(written);
            }
            if self.is_in_member && taken == 0 {
                return Err(if is_at_end {
                    io::Error::new(
                        ErrorKind::UnexpectedEof,
                        "the file ends within a member of gzip",
                    )
                } else {
                    invalid("the data of gzip is damaged")
                });
            }
        }
        Ok(0)
    }
}

/// What a call has done.
struct Inflated {
    /// Bytes that were taken.
    taken: usize,
    /// Bytes of text that were written.
    written: usize,
}

/// The state of ISA-L between calls.
struct Inflater(Box<inflate_state>);

// SAFETY: the pointers in the state are to the arguments of the call that is under way, and each call sets them; all other
// fields are values.
#[allow(unsafe_code)]
unsafe impl Send for Inflater {}

#[allow(unsafe_code)]
impl Inflater {
    /// A state in which no member has begun.
    fn new() -> Self {
        let state = Box::<inflate_state>::new_zeroed();
        // SAFETY: all fields are integers, arrays and unions of these, and pointers, for which zeros are values.
        let mut state = unsafe { state.assume_init() };
        // SAFETY: the state is alive during the call.
        unsafe { isal_inflate_init(&raw mut *state) };
        Self(state)
    }

    /// Begins a member, behind its header.
    fn begin_member(&mut self) {
        // SAFETY: the state was initialised and is alive during the call.
        unsafe { isal_inflate_reset(&raw mut *self.0) };
        // Checksum and length at the end of the member are verified.
        self.0.crc_flag = ISAL_GZIP_NO_HDR_VER;
    }

    /// Whether the member has ended, and all its text was written.
    fn has_ended(&self) -> bool {
        self.0.block_state == isal_block_state_ISAL_BLOCK_FINISH
    }

    /// Takes bytes of the member and writes text, until the bytes are taken, there is no room, or the member has ended.
    fn inflate(&mut self, bytes: &[u8], to: &mut [u8]) -> io::Result<Inflated> {
        let length = |length| u32::try_from(length).unwrap_or(u32::MAX);
        let (available, room) = (length(bytes.len()), length(to.len()));
        self.0.next_in = bytes.as_ptr().cast_mut();
        self.0.avail_in = available;
        self.0.next_out = to.as_mut_ptr();
        self.0.avail_out = room;
        // SAFETY: the state was initialised. `next_in` and `next_out` are to that many bytes, which are alive during the call;
        // ISA-L only reads those of `next_in`.
        match unsafe { isal_inflate(&raw mut *self.0) } {
            0.. => Ok(Inflated {
                taken: (available - self.0.avail_in) as usize,
                written: (room - self.0.avail_out) as usize,
            }),
            ISAL_INCORRECT_CHECKSUM => {
                Err(invalid("the text of a member of gzip has not its checksum or length"))
            }
            _ => Err(invalid("the data of gzip is damaged")),
        }
    }
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::bufread::MultiGzDecoder;
    use flate2::{Compression, GzBuilder};

    use super::*;

    /// Text of reads and of other kinds, from none to more than a window of deflate.
    fn text(random: &mut fastrand::Rng) -> Vec<u8> {
        let length = [0, 1, 300, 40_000, 200_000][random.usize(..5)];
        let letters = [b"A".as_slice(), b"ACGT", b"@!IIIIFF#:,\n0123456789"][random.usize(..3)];
        let noise = random.bool();
        let letter = |_| if noise { random.u8(..) } else { letters[random.usize(..letters.len())] };
        (0..length).map(letter).collect()
    }

    /// A member with this text, compressed in any of the ways that there are, perhaps with all fields of a header.
    fn member(random: &mut fastrand::Rng, text: &[u8]) -> Vec<u8> {
        let mut header = GzBuilder::new();
        if random.bool() {
            header = header.filename("reads.fq").comment("a comment").extra("extra").mtime(1);
        }
        let level = Compression::new(random.u32(0..=9));
        let mut encoder = header.write(Vec::new(), level);
        for part in text.chunks(random.usize(1..100_000)) {
            encoder.write_all(part).expect("memory");
            if random.bool() {
                encoder.flush().expect("memory");
            }
        }
        encoder.finish().expect("memory")
    }

    /// A file of up to three members, and its text.
    fn file(random: &mut fastrand::Rng) -> (Vec<u8>, Vec<u8>) {
        let (mut bytes, mut texts) = (Vec::new(), Vec::new());
        for _ in 0..random.usize(1..4) {
            let text = text(random);
            bytes.extend(member(random, &text));
            texts.extend(text);
        }
        (bytes, texts)
    }

    /// What is read of a file in parts of random sizes, also single bytes, or the error.
    fn read(random: &mut fastrand::Rng, bytes: &[u8]) -> (Vec<u8>, io::Result<()>) {
        let capacity = [1, 7, 1000, 1 << 17][random.usize(..4)];
        let mut reader = GzipText::new(BufReader::with_capacity(capacity, bytes));
        let (mut text, mut part) = (Vec::new(), vec![0; [1, 100, 1 << 16][random.usize(..3)]]);
        loop {
            match reader.read(&mut part) {
                Ok(0) => return (text, reader.read(&mut part).map(|count| assert_eq!(count, 0))),
                Ok(count) => text.extend_from_slice(&part[..count]),
                Err(error) => return (text, Err(error)),
            }
        }
    }

    /// What flate2 reads of a file.
    fn expected(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        MultiGzDecoder::new(bytes).read_to_end(&mut text).map(|_| text)
    }

    #[test]
    fn the_text_is_that_of_all_members() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (bytes, text) = file(&mut random);
            let (found, end) = read(&mut random, &bytes);
            end.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(found == text, "seed {seed}");
        }
    }

    #[test]
    fn a_file_that_is_cut_is_an_error_but_for_its_whole_members() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (bytes, text) = file(&mut random);
            let cut = &bytes[..random.usize(1..bytes.len())];
            let (found, end) = read(&mut random, cut);
            assert!(text.starts_with(&found), "seed {seed}");
            match (expected(cut), end) {
                (Ok(expected), Ok(())) => assert!(found == expected, "seed {seed}"),
                (Err(_), Err(error)) => {
                    assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "seed {seed}: {error}");
                }
                (expected, end) => panic!("seed {seed}: {:?} {end:?}", expected.map(|_| ())),
            }
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_or_has_its_text() {
        let mut errors = 0;
        for seed in 0..400 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut bytes, text) = file(&mut random);
            let place = random.usize(..bytes.len());
            bytes[place] ^= 1 << random.u32(..8);
            let (found, end) = read(&mut random, &bytes);
            match (expected(&bytes), end) {
                (_, Ok(())) => assert!(found == text, "seed {seed}"),
                (Err(_), Err(_)) => errors += 1,
                (Ok(_), Err(error)) => panic!("seed {seed}, place {place}: {error}"),
            }
        }
        assert!(errors > 200, "{errors}");
    }

    #[test]
    fn bytes_behind_the_last_member_are_an_error() {
        let member = member(&mut fastrand::Rng::with_seed(1), b"ACGT");
        for end in [b"\0".as_slice(), b"\0\0\0\0", b"\x1f\x8b", b"@r\nACGT\n+\nIIII\n"] {
            let bytes = [&member, end].concat();
            let (text, read) = read(&mut fastrand::Rng::with_seed(2), &bytes);
            assert_eq!(text, b"ACGT");
            assert!(read.is_err() && expected(&bytes).is_err(), "{end:?}");
        }
    }
}
