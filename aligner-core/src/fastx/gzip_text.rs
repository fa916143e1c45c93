//! Text of files of gzip (RFC 1952) of any number of members, decompressed by ISA-L.
//!
//! One thread decompresses such a file, and where a GPU maps, the run waits for that thread. ISA-L takes three fifths of the time
//! of zlib-rs for reads that gzip has compressed by its default level.
//!
//! Headers of members are read by the crate flate2: `isal_inflate` reads them, too, but forgets the flags of a header that its input does
//! not have whole.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use isal_sys::igzip_lib::{
    ISAL_GZIP_NO_HDR_VER, ISAL_INCORRECT_CHECKSUM, inflate_state,
    isal_block_state_ISAL_BLOCK_FINISH, isal_inflate, isal_inflate_init, isal_inflate_reset,
};

/// Text of all members of a file of gzip, whose checksums and lengths are verified. Text before damaged data is read, and then the
/// error, also if it is read once more.
pub struct GzipText<R> {
    bytes: R,
    inflater: Inflater,
    /// Whether a member is being decompressed.
    is_in_member: bool,
    /// Why nothing more can be read.
    damage: Option<Damage>,
}

/// Why a file of gzip cannot be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// The file ends within a member.
    Cut,
    /// The bytes behind a member, or at the beginning, are no header of gzip.
    NoHeader,
    /// The text of a member does not have the checksum or length that stands behind it.
    Checksum,
    /// The compressed data makes no sense.
    Data,
}

impl From<Damage> for io::Error {
    fn from(damage: Damage) -> Self {
        let (kind, reason) = match damage {
            Damage::Cut => (
                ErrorKind::UnexpectedEof,
                "the file ends within a member of gzip: it was cut, or is still being written",
            ),
            Damage::NoHeader => (
                ErrorKind::InvalidData,
                "there are bytes that are not gzip where a member of gzip should begin",
            ),
            Damage::Checksum => (
                ErrorKind::InvalidData,
                "the file is damaged: a member of gzip has another checksum or length than its text",
            ),
            Damage::Data => {
                (ErrorKind::InvalidData, "the file is damaged: its data is not that of gzip")
            }
        };
        Self::new(kind, reason)
    }
}

impl<R: BufRead> GzipText<R> {
    /// The text of a file with these bytes.
    pub fn new(bytes: R) -> Self {
        Self { bytes, inflater: Inflater::new(), is_in_member: false, damage: None }
    }

    /// Reads the header of the next member, and returns whether there is one. If not, the file ends here or is damaged.
    fn begin_member(&mut self) -> io::Result<bool> {
        match self.bytes.fill_buf()?.first() {
            None => return Ok(false),
            // The first byte of a header.
            Some(0x1f) => {}
            Some(_) => {
                self.damage = Some(Damage::NoHeader);
                return Ok(false);
            }
        }
        let mut member = GzDecoder::new(&mut self.bytes);
        if member.header().is_some() {
            self.inflater.begin_member();
            self.is_in_member = true;
            return Ok(true);
        }
        // flate2 returns the error of the header when the text is read.
        self.damage = Some(match member.read(&mut [0]) {
            Ok(_) => Damage::NoHeader,
            Err(error) => match error.kind() {
                ErrorKind::InvalidInput | ErrorKind::InvalidData => Damage::NoHeader,
                ErrorKind::UnexpectedEof => Damage::Cut,
                _ => return Err(error),
            },
        });
        Ok(false)
    }
}

impl<R: BufRead> Read for GzipText<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        while self.damage.is_none() && (self.is_in_member || self.begin_member()?) {
            let bytes = self.bytes.fill_buf()?;
            let is_at_end = bytes.is_empty();
            let Inflated { taken, written, damage } = self.inflater.inflate(bytes, to);
            self.bytes.consume(taken);
            self.is_in_member = !self.inflater.has_ended();
            self.damage = damage;
            if written > 0 {
                return Ok(written);
            }
            if self.is_in_member && taken == 0 {
                let stuck = if is_at_end { Damage::Cut } else { Damage::Data };
                self.damage = self.damage.or(Some(stuck));
            }
        }
        self.damage.map_or(Ok(0), |damage| Err(damage.into()))
    }
}

/// The result of a call of ISA-L.
struct Inflated {
    /// Bytes that were taken.
    taken: usize,
    /// Bytes of text that were written.
    written: usize,
    /// Why it cannot go on behind this text.
    damage: Option<Damage>,
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

    /// Takes bytes of the member and writes its text to `to`. It stops when all bytes are taken, `to` is full, or the member has
    /// ended.
    fn inflate(&mut self, bytes: &[u8], to: &mut [u8]) -> Inflated {
        let length = |length| u32::try_from(length).unwrap_or(u32::MAX);
        let (available, room) = (length(bytes.len()), length(to.len()));
        self.0.next_in = bytes.as_ptr().cast_mut();
        self.0.avail_in = available;
        self.0.next_out = to.as_mut_ptr();
        self.0.avail_out = room;
        // SAFETY: the state was initialised. `next_in` and `next_out` are to that many bytes, which are alive during the call;
        // ISA-L only reads those of `next_in`.
        let code = unsafe { isal_inflate(&raw mut *self.0) };
        let written = (room - self.0.avail_out) as usize;
        let damage = match code {
            0.. => {
                let taken = (available - self.0.avail_in) as usize;
                return Inflated { taken, written, damage: None };
            }
            ISAL_INCORRECT_CHECKSUM => Damage::Checksum,
            _ => Damage::Data,
        };
        // ISA-L does not tell then what it has taken.
        Inflated { taken: 0, written, damage: Some(damage) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::{Compression, GzBuilder};

    use super::super::gzip_file::{Failing, GzipFile, ReadText, by_flate2, read_in_parts};
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

    /// A file of up to three members.
    fn random_file(random: &mut fastrand::Rng) -> GzipFile {
        let mut file = GzipFile::default();
        for _ in 0..random.usize(1..4) {
            let text = text(random);
            file.push(&member(random, &text), &text);
        }
        file
    }

    /// Reads a file through buffers of random sizes, also of single bytes.
    fn read(random: &mut fastrand::Rng, bytes: &[u8]) -> ReadText {
        let capacity = [1, 7, 1000, 1 << 17][random.usize(..4)];
        let part = [1, 100, 1 << 16][random.usize(..3)];
        read_in_parts(GzipText::new(BufReader::with_capacity(capacity, bytes)), || part)
    }

    #[test]
    fn the_text_is_that_of_all_members() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let file = random_file(&mut random);
            file.check_whole(&read(&mut random, &file.bytes), seed);
        }
    }

    #[test]
    fn a_file_that_is_cut_is_an_error_but_for_its_whole_members() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let file = random_file(&mut random);
            let length = random.usize(1..file.bytes.len());
            let found = read(&mut random, &file.bytes[..length]);
            file.check_cut(length, &found, seed);
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_or_has_its_text() {
        let mut errors = 0;
        for seed in 0..400 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut file = random_file(&mut random);
            let place = random.usize(..file.bytes.len());
            file.bytes[place] ^= 1 << random.u32(..8);
            let (found, end) = read(&mut random, &file.bytes);
            file.check_before(place, &found, seed);
            match (by_flate2(&file.bytes), end) {
                (_, Ok(())) => assert!(found == file.text, "seed {seed}"),
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
            assert!(read.is_err() && by_flate2(&bytes).is_err(), "{end:?}");
        }
    }

    #[test]
    fn an_error_of_the_file_is_no_damage() {
        let member = member(&mut fastrand::Rng::with_seed(1), &[b'A'; 1000]);
        for length in [0, 5, member.len() / 2, member.len()] {
            let mut reader = GzipText::new(BufReader::new(member[..length].chain(Failing)));
            let error = io::copy(&mut reader, &mut io::sink()).expect_err("fails");
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{length}");
        }
    }
}
