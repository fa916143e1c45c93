//! Batches of records, and what is told of a record that is no read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};

use super::reads::{Reads, RecordRules};
use super::record::record_error;

/// Consecutive reads of a lane, whose records are not checked yet.
#[derive(Debug)]
pub struct ReadBatch {
    /// The number of the lane in the input, from 0.
    pub lane: usize,
    /// Records as they are in the files, or their text, until [`checked`](Self::checked).
    pub(super) reads: Reads,
    /// What is made of the records; if they are paired, 2i and 2i + 1 are mates.
    pub(super) rules: RecordRules,
    /// Where the records are from, in order.
    pub(super) sources: Vec<RecordSource>,
    /// The error that ended reading after these records.
    pub(super) error: Option<anyhow::Error>,
    /// When reading the batch began.
    pub begin: Instant,
    /// When the batch was complete.
    pub end: Instant,
}

/// The line of records of files without lines, in place of a number that is not known.
pub const NO_LINE: u64 = 1;

/// Consecutive records of a batch from one file, or from two files that are read alternately.
#[derive(Debug)]
pub struct RecordSource {
    pub files: Arc<[PathBuf]>,
    /// The number of the first record in the batch, from 0.
    pub begin: usize,
    /// The number of the first record in its file, from 1.
    pub record: u64,
    /// Whether the file has lines: FASTQ and FASTA.
    pub has_lines: bool,
}

impl ReadBatch {
    /// Checks the records on the current rayon pool and returns the reads. If they are pairs, reads 2i and 2i + 1 are mates
    /// with the same name.
    ///
    /// # Errors
    /// The first record that is no read, or the error that ended reading.
    pub fn checked(mut self) -> Result<Reads> {
        if let Err((number, mut problem)) = self.reads.check(self.rules) {
            let of_record = self.sources.iter().rfind(|source| source.begin <= number);
            let RecordSource { files, begin, record, has_lines } =
                of_record.context("a record without a file")?;
            problem.line = problem.line.filter(|_| *has_lines);
            let before = number - begin;
            let file = &files[before % files.len()];
            return Err(record_error(file, record + (before / files.len()) as u64, problem));
        }
        self.error.map_or(Ok(self.reads), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::input::{BatchLimit, Lane, Layout, Read, SharedReads, Umis, batches_by_rules};
    use crate::shard::{Shard, Share};

    /// A record of FASTQ, which now and then is damaged: a byte is another one, or two line feeds.
    fn record(random: &mut fastrand::Rng, name: &str, damage: u32) -> String {
        let length = random.usize(..40);
        let letters = if random.u8(..4) == 0 { "ACGTNacgtnuR." } else { "ACGT" };
        let mut letter = |from: &str| char::from(from.as_bytes()[random.usize(..from.len())]);
        let sequence: String = (0..length).map(|_| letter(letters)).collect();
        let quality: String = (0..length).map(|_| letter("!5@+~")).collect();
        let end = ["\n", "\n", "\r\n"][random.usize(..3)];
        let header = format!("@{name}{}", ["", " x y", "\tRX:Z:ACGT"][random.usize(..3)]);
        let plus = ["+", "+", "+again"][random.usize(..3)].to_owned();
        let mut text = [header, sequence, plus, quality].map(|line| line + end).concat();
        if random.u32(..damage) == 0 {
            let place = random.usize(..text.len());
            let by = ["", "\n\n", "\r", "@", "+", "!", "-", " ", "\u{7f}"][random.usize(..9)];
            text.replace_range(place..=place, by);
        }
        text
    }

    /// Two files of about `count` records with one name in each, or the first of them with both mates of each pair.
    fn texts(random: &mut fastrand::Rng, count: usize, is_interleaved: bool) -> [String; 2] {
        let damage = [150, 5000][random.usize(..2)];
        let has_numbers = random.bool();
        [0, 1].map(|file| {
            let count = count + usize::from(random.u8(..20) == 0);
            let mut text = String::new();
            for number in 0..count {
                let (pair, mate) =
                    if is_interleaved { (number / 2, number % 2) } else { (number, file) };
                let end = if has_numbers { ["/1", "/2"][mate] } else { "" };
                text += &record(random, &format!("r{pair}{end}"), damage);
            }
            let ends = ["", "", "", "\n", "\n\r\n\n\n\n\n", "@", "@r\nA\n+\nI"];
            text += ends[random.usize(..ends.len())];
            if random.u8(..5) == 0 {
                text.pop();
            }
            text
        })
    }

    /// Each field of a read.
    type Fields = (Vec<u8>, Vec<u8>, Option<Vec<u8>>, Vec<u8>, Option<u32>);

    fn fields(read: Read<'_>) -> Fields {
        let Read { name, sequence, quality, comment, group } = read;
        (name.to_vec(), sequence.to_vec(), quality.map(<[u8]>::to_vec), comment.to_vec(), group)
    }

    /// The fields of all reads of a lane up to an error, and what the error says; it is empty if there is none. Text is taken as it
    /// is, or records are copied as for a shard.
    fn told(
        lane: &Lane,
        size: usize,
        rules: RecordRules,
        is_copied: bool,
    ) -> (Vec<Fields>, String) {
        let share = Share { shard: Shard { number: 1, count: 1 }, unit_size: 1 << 40 };
        let shared = is_copied.then_some(SharedReads { share, sample: 0 });
        let mut told = Vec::new();
        for batch in
            batches_by_rules(vec![lane.clone()], BatchLimit::new(size), rules, shared, 2).batches
        {
            assert_eq!(batch.lane, 0);
            let error = match batch.checked() {
                Ok(reads) => {
                    told.extend(reads.iter().map(fields));
                    continue;
                }
                Err(error) => format!("{error:#}"),
            };
            return (told, error);
        }
        (told, String::new())
    }

    #[test]
    fn text_has_the_reads_and_the_first_error_of_its_records() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = fastrand::Rng::with_seed(2);
        let (mut failed, mut read) = (0, 0);
        for number in 0..600 {
            let count = random.usize(..60);
            let texts = texts(&mut random, count, number % 4 == 3);
            let files: Vec<PathBuf> = (0..2)
                .map(|file| {
                    let path = folder.path().join(format!("{file}.fq"));
                    fs::write(&path, &texts[file]).expect("writes");
                    path
                })
                .collect();
            let one = vec![files[0].clone()];
            let (layout, parts) = match number % 4 {
                0 => (Layout::Single, vec![one]),
                1 => (Layout::Single, vec![one.clone(), vec![files[1].clone()], one]),
                2 => (Layout::Pairs, vec![files.clone(), files]),
                _ => (Layout::Interleaved, vec![one]),
            };
            let lane = Lane::new(layout, parts).expect("has whole parts").with_group(Some(7));
            let umis = Umis { tag: *b"RX", are_in_names: false };
            let rules = RecordRules {
                is_paired: layout != Layout::Single,
                keeps_comments: random.u8(..9) == 0,
                trims_names: random.bool(),
                umis: (random.u8(..30) == 0).then_some(umis),
            };
            let (expected, error) = told(&lane, 1, rules, true);
            for size in [1, 2, 7, 1000] {
                let (reads, other) = told(&lane, size, rules, false);
                assert_eq!(other, error, "{number}, {size}");
                // No read is told of the batch with the error.
                let common = reads.len().min(expected.len());
                assert_eq!(reads[..common], expected[..common], "{number}, {size}");
                assert!(reads.len() == expected.len() || !error.is_empty(), "{number}, {size}");
            }
            failed += usize::from(!error.is_empty());
            read += expected.len();
        }
        assert!((200..400).contains(&failed) && read > 5000, "{failed} {read}");
    }

    /// A text of about `count` records, which from its middle on are longer; every read has a mate with its name if it is
    /// interleaved.
    fn large_text(
        random: &mut fastrand::Rng,
        count: usize,
        damage: u32,
        is_interleaved: bool,
    ) -> String {
        let mut text = String::new();
        for number in 0..count + random.usize(..2) {
            let name = if is_interleaved { number / 2 } else { number };
            let longer = if number > count / 2 { "r".repeat(100) } else { String::new() };
            text += &record(random, &format!("{longer}r{name}"), damage);
        }
        text + ["", "\n\n\n", "\r\n"][random.usize(..3)]
    }

    #[test]
    fn large_files_have_the_reads_and_the_first_error_of_their_records() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = fastrand::Rng::with_seed(11);
        let mut failed = 0;
        for number in 0..9 {
            let layout = [Layout::Single, Layout::Pairs, Layout::Interleaved][number % 3];
            let damage = [30_000, u32::MAX][random.usize(..2)];
            let count = random.usize(30_000..40_000);
            let mut file = |name: &str| {
                let path = folder.path().join(name);
                let text = large_text(&mut random, count, damage, layout == Layout::Interleaved);
                fs::write(&path, text).expect("writes");
                path
            };
            let files = [file("1.fq"), file("2.fq")];
            let parts = files.chunks(layout.files()).map(<[PathBuf]>::to_vec).collect();
            let lane = Lane::new(layout, parts).expect("has whole parts");
            let rules =
                RecordRules { is_paired: layout != Layout::Single, ..RecordRules::default() };
            let (expected, error) = told(&lane, 1000, rules, true);
            for size in [9000, 50_000] {
                let (reads, other) = told(&lane, size, rules, false);
                assert_eq!(other, error, "{number}, {size}");
                let common = reads.len().min(expected.len());
                assert!(reads[..common] == expected[..common], "{number}, {size}");
                assert!(reads.len() == expected.len() || !error.is_empty(), "{number}, {size}");
            }
            failed += usize::from(!error.is_empty());
        }
        assert!((2..8).contains(&failed), "{failed}");
    }

    #[test]
    fn the_record_where_a_file_breaks_off_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = fastrand::Rng::with_seed(4);
        let letters = |random: &mut fastrand::Rng| -> String {
            (0..100).map(|_| ['A', 'C', 'G', 'T'][random.usize(..4)]).collect()
        };
        let records = (0..20_000).map(|number| {
            format!("@r{number}\n{}\n+\n{}\n", letters(&mut random), letters(&mut random))
        });
        let text: String = records.collect();
        let whole = folder.path().join("whole.fq");
        fs::write(&whole, &text).expect("writes");
        let cut = folder.path().join("cut.fq.zst");
        let bytes = zstd::encode_all(text.as_bytes(), 1).expect("compresses");
        fs::write(&cut, &bytes[..bytes.len() / 2]).expect("writes");
        for (layout, files) in [(Layout::Single, vec![&cut]), (Layout::Pairs, vec![&whole, &cut])] {
            let parts = vec![files.into_iter().cloned().collect()];
            let lane = Lane::new(layout, parts).expect("has whole parts");
            let rules = RecordRules { is_paired: layout == Layout::Pairs, ..Default::default() };
            let told = |size| told(&lane, size, rules, false);
            let (_, error) = told(100_000);
            assert!(error.contains("cut.fq.zst: record "), "{error}");
            assert!(error.contains("reading failed: "), "{error}");
            for size in [500, 3000] {
                assert_eq!(told(size).1, error, "{layout:?}");
            }
        }
    }
}
