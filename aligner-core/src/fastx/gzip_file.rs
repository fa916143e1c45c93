//! Files of gzip for tests, with the text in them and where their members end.

use std::io::{self, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

/// A file of gzip.
#[derive(Debug, Default)]
pub struct GzipFile {
    pub bytes: Vec<u8>,
    pub text: Vec<u8>,
    /// Where each member ends in the bytes and in the text.
    ends: Vec<[usize; 2]>,
}

impl GzipFile {
    /// Appends a member with this text.
    pub fn push(&mut self, member: &[u8], text: &[u8]) {
        self.bytes.extend_from_slice(member);
        self.text.extend_from_slice(text);
        self.ends.push([self.bytes.len(), self.text.len()]);
    }

    /// Checks what was read of the file: all its text.
    pub fn check_whole(&self, (found, end): &ReadText, seed: u64) {
        assert!(end.is_ok(), "seed {seed}: {end:?}");
        assert!(*found == self.text, "seed {seed}");
    }

    /// Checks what was read of the file when it was damaged at a byte: at least the text of the members before it.
    pub fn check_before(&self, place: usize, found: &[u8], seed: u64) {
        let whole = self.ends.iter().rfind(|[bytes, _]| *bytes <= place);
        assert!(found.len() >= whole.map_or(0, |[_, text]| *text), "seed {seed}");
    }

    /// Checks what was read of the first bytes of the file, and whether an error came behind it.
    pub fn check_cut(&self, length: usize, (found, end): &ReadText, seed: u64) {
        self.check_before(length, found, seed);
        assert!(self.text.starts_with(found), "seed {seed}");
        match (by_flate2(&self.bytes[..length]), end) {
            (Ok(expected), Ok(())) => assert!(*found == expected, "seed {seed}"),
            (Err(_), Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "seed {seed}: {error}");
            }
            (expected, end) => panic!("seed {seed}: {:?} {end:?}", expected.map(|_| ())),
        }
    }
}

/// A file that cannot be read; behind bytes (`chain`) it cannot be read further.
pub struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(ErrorKind::TimedOut.into())
    }
}

/// Text that was read, and how it ended.
pub type ReadText = (Vec<u8>, io::Result<()>);

/// Reads a text to its end or an error, in parts with as many bytes as `sizes` says, and once more then.
pub fn read_in_parts(mut reader: impl Read, mut sizes: impl FnMut() -> usize) -> ReadText {
    let mut text = Vec::new();
    loop {
        let mut part = vec![0; sizes()];
        match reader.read(&mut part) {
            Ok(0) => return (text, reader.read(&mut part).map(|count| assert_eq!(count, 0))),
            Ok(count) => text.extend_from_slice(&part[..count]),
            Err(error) => {
                let again = reader.read(&mut part).expect_err("is read once more");
                assert_eq!(again.to_string(), error.to_string());
                return (text, Err(error));
            }
        }
    }
}

/// The text of a file by flate2, or its error.
pub fn by_flate2(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut text).map(|_| text)
}
