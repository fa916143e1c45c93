//! Files of FASTQ whose text is passed on in whole records, which other threads find and check.

use std::io::{self, Cursor, Read};

use aligner_core::fastx::RecordText;

use super::lined_text::LinedText;
use super::plain_file::{BLOCK, BlockReaders, PlainFile};

/// The least bytes that are read at a time, for portions of few records.
const MIN_BLOCK: usize = 1 << 12;

/// Bytes of a short record: a portion is read in blocks that are hardly larger than itself, since what it does not take is
/// copied to the next one.
const FEW_BYTES: usize = 128;

/// The most bytes of a record on average for which its text is passed on. Longer ones are better copied: that takes little of
/// the time that is spent on them, and leaves comments out, which then are most of a text of short reads.
const LONG_RECORD: usize = 1 << 12;

/// Bytes of text from which it is known how long its records are.
const TEXT_OF_LONG: usize = 1 << 20;

/// A file of records that is open.
pub enum OpenText {
    Plain(PlainFile),
    Other(RecordText<'static>),
}

impl OpenText {
    /// The text of the file.
    pub fn into_text(self) -> RecordText<'static> {
        match self {
            Self::Plain(file) => file.into_text(),
            Self::Other(text) => text,
        }
    }
}

/// Files of FASTQ, records of which with the same number belong together, or one file.
pub struct FastqFiles {
    files: Vec<FastqFile>,
    /// Records of each file that were passed on.
    records: u64,
}

/// How many records are gathered.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    /// The most records of each file.
    pub records: usize,
    /// The number of consecutive records of a file that belong together. There are more only together.
    pub together: usize,
    /// Once the texts have so many bytes, they end with the next records.
    pub bytes: usize,
}

/// Why the text of a file is not passed on any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEnd {
    /// The file ends.
    File,
    /// The file cannot be read.
    Failure,
    /// The records have more than [`LONG_RECORD`] bytes.
    LongRecords,
}

/// A file of FASTQ.
struct FastqFile {
    /// What is read next.
    text: UnreadText,
    /// The text before it that was not passed on.
    rest: Vec<u8>,
    /// Bytes of a record, on average of those that were passed on last; 0 before the first.
    record_bytes: usize,
    /// `None` as long as the text may go on.
    end: Option<TextEnd>,
}

/// The text of a file that was not read yet.
enum UnreadText {
    Plain(PlainFile),
    Stream(Box<dyn Read + Send>),
}

impl UnreadText {
    fn into_stream(self) -> Box<dyn Read + Send> {
        match self {
            Self::Plain(file) => match file.into_text() {
                RecordText::Fasta(text) | RecordText::Fastq(text) => text,
            },
            Self::Stream(text) => text,
        }
    }
}

/// A text whose reading fails with this error.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl FastqFile {
    fn new(text: UnreadText) -> Self {
        Self { text, rest: Vec::new(), record_bytes: 0, end: None }
    }

    /// Appends what is there of so many records of a plain file, which are as long as those before, but for a few, up to `most`
    /// bytes in all.
    fn read_expected(
        &mut self,
        to: &mut LinedText,
        records: usize,
        most: usize,
        by: &BlockReaders,
    ) {
        let UnreadText::Plain(file) = &mut self.text else { return };
        let expected = (self.record_bytes * records).min(most);
        let missing = expected.saturating_sub(to.len());
        if missing > BLOCK {
            // Records that are a little longer need no other memory.
            to.reserve(missing + expected / 16 + BLOCK);
            file.read(to, missing, by);
        }
    }

    /// Appends a block of so many bytes.
    fn read_block(&mut self, to: &mut LinedText, size: usize) {
        if let UnreadText::Plain(file) = &mut self.text
            && file.read(to, size, &BlockReaders::ONE)
        {
            return;
        }
        let none = UnreadText::Stream(Box::new(io::empty()));
        let mut text = std::mem::replace(&mut self.text, none).into_stream();
        match to.read_block(&mut text, size) {
            Ok(true) => {}
            Ok(false) => self.end = Some(TextEnd::File),
            Err(error) => {
                text = Box::new(Failing(Some(error)));
                self.end = Some(TextEnd::Failure);
            }
        }
        self.text = UnreadText::Stream(text);
    }
}

impl FastqFiles {
    /// Files of FASTQ that are open; gives all files back if one of them is FASTA.
    pub fn new(texts: Vec<OpenText>) -> Result<Self, Vec<OpenText>> {
        let is_fasta = |text: &OpenText| matches!(text, OpenText::Other(RecordText::Fasta(_)));
        if texts.iter().any(is_fasta) {
            return Err(texts);
        }
        let files = texts.into_iter().map(|text| {
            FastqFile::new(match text {
                OpenText::Plain(file) => UnreadText::Plain(file),
                OpenText::Other(RecordText::Fasta(text) | RecordText::Fastq(text)) => {
                    UnreadText::Stream(text)
                }
            })
        });
        Ok(Self { files: files.collect(), records: 0 })
    }

    /// Records of each file that were passed on.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Gathers the next records of each file, as many of one as of the other, in `texts`, one for each file. If these are all
    /// whole records of a file and fewer than the portion, or there are none since they are long, says so.
    pub fn gather(
        &mut self,
        texts: &mut [&mut LinedText],
        portion: Portion,
        readers: &BlockReaders,
    ) -> Option<TextEnd> {
        let most = portion.bytes / self.files.len();
        for (text, file) in texts.iter_mut().zip(&mut self.files) {
            text.clear();
            text.push(&file.rest);
            file.read_expected(text, portion.records, most, readers);
        }
        // Blocks are read of the file with the fewest records, so that little is left of the other.
        let (end, records) = loop {
            let counts = texts.iter().map(|text| text.records());
            let (last, fewest) =
                counts.enumerate().min_by_key(|&(_, count)| count).unwrap_or((0, 0));
            let records = fewest.min(portion.records);
            let bytes: usize = texts.iter().map(|text| text.len()).sum();
            let is_large = bytes >= portion.bytes && records >= portion.together;
            if records == portion.records || is_large {
                break (None, records);
            }
            let begun: usize = texts.iter().map(|text| text.records() + 1).sum();
            if bytes >= TEXT_OF_LONG.max(LONG_RECORD * begun) {
                break (Some(TextEnd::LongRecords), 0);
            }
            let file = &mut self.files[last];
            if file.end.is_some() {
                break (file.end, records);
            }
            // As soon as it is known how long records are, there is room for all, and memory does not grow step by step.
            let (length, found) = (texts[last].len(), texts[last].records().max(1));
            if length >= TEXT_OF_LONG {
                let wanted = length.div_ceil(found) * (portion.records + portion.records / 16);
                texts[last].reserve(wanted.min(portion.bytes).saturating_sub(length));
            }
            let block = (portion.records * FEW_BYTES).clamp(MIN_BLOCK, BLOCK);
            file.read_block(texts[last], block);
        };
        let records = records - records % portion.together;
        for (text, file) in texts.iter_mut().zip(&mut self.files) {
            text.cut(records, &mut file.rest);
            if records > 0 {
                file.record_bytes = text.len().div_ceil(records);
            }
        }
        self.records += records as u64;
        end
    }

    /// Takes back what was gathered last.
    pub fn put_back(&mut self, texts: &[&mut LinedText]) {
        for (text, file) in texts.iter().zip(&mut self.files) {
            file.rest.splice(..0, text.bytes().iter().copied());
        }
        self.records -= texts.first().map_or(0, |text| text.records()) as u64;
    }

    /// The texts that were not passed on.
    pub fn into_texts(self) -> Vec<RecordText<'static>> {
        let rest = self.files.into_iter();
        let rest = rest.map(|file| Cursor::new(file.rest).chain(file.text.into_stream()));
        rest.map(|text| RecordText::Fastq(Box::new(text))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn files(texts: &[&'static str]) -> FastqFiles {
        let open = |text: &&'static str| {
            OpenText::Other(RecordText::new(text.as_bytes()).expect("has records"))
        };
        FastqFiles::new(texts.iter().map(open).collect()).unwrap_or_else(|_| panic!("is FASTQ"))
    }

    /// What is gathered next of each file.
    fn gather(files: &mut FastqFiles, portion: Portion) -> (Option<TextEnd>, Vec<String>) {
        let (mut first, mut second) = (LinedText::default(), LinedText::default());
        let mut texts = [&mut first, &mut second];
        let texts = &mut texts[..files.files.len()];
        let end = files.gather(texts, portion, &BlockReaders::ONE);
        let text = |text: &&mut LinedText| String::from_utf8_lossy(text.bytes()).into_owned();
        (end, texts.iter().map(text).collect())
    }

    #[test]
    fn files_are_cut_behind_the_same_record() {
        let long = "@1\nACGT\n+\nIIII\n@2\nA\n+\nI\n@3\nA\n+\nI\n@4\nA\n+\nI";
        let short = "@1\n\n+\n\n@2\nA\n+\nI\n@3\nA\n";
        let portion = |records, bytes| Portion { records, together: 1, bytes };
        let is = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let mut both = files(&[long, short]);
        let found = gather(&mut both, portion(1, 1000));
        assert_eq!(found, (None, is(&["@1\nACGT\n+\nIIII\n", "@1\n\n+\n\n"])));
        let found = gather(&mut both, portion(5, 1000));
        assert_eq!(found, (Some(TextEnd::File), is(&["@2\nA\n+\nI\n"; 2])));
        assert_eq!(both.records(), 2);
        let mut rest = String::new();
        for (text, expected) in both.into_texts().into_iter().zip([&long[24..], "@3\nA\n"]) {
            let (RecordText::Fasta(mut text) | RecordText::Fastq(mut text)) = text;
            rest.clear();
            text.read_to_string(&mut rest).expect("reads");
            assert_eq!(rest, expected);
        }
        // At least the records that belong together are gathered, whatever their bytes.
        let mut one = files(&[long]);
        let found = gather(&mut one, Portion { records: 4, together: 2, bytes: 1 });
        assert_eq!(found, (None, is(&[&long[..24]])));
        let mut one = files(&[long]);
        assert_eq!(gather(&mut one, portion(4, 1)).1, is(&[&long[..33]]));
    }

    #[test]
    fn long_records_are_left() {
        static TEXTS: LazyLock<[String; 2]> = LazyLock::new(|| {
            let record = |bytes: usize| format!("@r {}\nA\n+\nI\n", "x".repeat(bytes - 10));
            [2 * LONG_RECORD, LONG_RECORD / 2].map(|bytes| record(bytes).repeat(1000))
        });
        let [long, short] = TEXTS.each_ref().map(String::as_str);
        let portion = Portion { records: 1000, together: 1, bytes: 1 << 30 };
        let found = gather(&mut files(&[short, long]), portion);
        assert_eq!(found, (Some(TextEnd::LongRecords), vec![String::new(); 2]));
        assert_eq!(gather(&mut files(&[short, short]), portion).0, None);
        let (end, texts) = gather(&mut files(&[long]), Portion { records: 10, ..portion });
        assert_eq!((end, texts[0].len()), (None, 20 * LONG_RECORD));
    }

    #[test]
    fn what_is_put_back_is_gathered_again() {
        let text = "@1\nAC\n+\nII\n@2\nA\n+\nI\n";
        let mut one = files(&[text]);
        let mut lined = LinedText::default();
        let mut texts = [&mut lined];
        let portion = Portion { records: 9, together: 1, bytes: 1000 };
        for _ in 0..2 {
            assert_eq!(one.gather(&mut texts, portion, &BlockReaders::ONE), Some(TextEnd::File));
            assert_eq!((one.records(), texts[0].bytes()), (2, text.as_bytes()));
            one.put_back(&texts);
            assert_eq!(one.records(), 0);
        }
    }
}
