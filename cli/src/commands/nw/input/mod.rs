//! Input of `gpualign nw`: sequences as codes, with their names.
//!
//! Text is cut into blocks of whole records (`record_blocks`), which all threads check at the same time (`checked_block`). The
//! alphabet is chosen when all files are read, so sequences are letters first and become codes then.

mod checked_block;
mod record_blocks;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use aligner_core::input_location::{InputLocation, input_name};
use anyhow::{Result, bail};
use nw_batch::{Alphabet, SequenceSet};
use rayon::prelude::*;

use self::checked_block::{BlockProblem, CheckedBlock, LetterTable};
use self::record_blocks::{BLOCK_BYTES, RecordBlock, RecordBlocks};
use crate::input;

/// Sequences of a file, with their names.
#[derive(Debug, Default)]
pub struct NamedSequences {
    /// First word of each header.
    pub names: Vec<String>,
    /// Codes of each sequence.
    pub sequences: SequenceSet,
    /// Letters of each sequence, if the output shows them.
    pub letters: Option<SequenceSet>,
}

/// Sequences of a file, whose alphabet is not known yet.
#[derive(Debug, Default)]
pub struct SequenceFile {
    names: Vec<String>,
    /// Letters of the sequences of each block, without gap characters.
    letters: Vec<SequenceSet>,
    /// For each alphabet, the first letter that it lacks, as an error.
    missing: Vec<Option<String>>,
    /// Number of gap characters, which were left out.
    pub gaps: u64,
}

/// Reads the sequences of a file. Gap characters (`-` and `.`) are left out, as by EMBOSS.
///
/// # Errors
/// If the file cannot be read, or a record is refused or has letters that none of the alphabets has, with the record and line.
pub fn read(path: &Path, alphabets: &[&Alphabet]) -> Result<SequenceFile> {
    read_blocks(path, RecordBlocks::new(input::open_text(path)?, BLOCK_BYTES), alphabets)
}

/// Reads the sequences of the blocks of a file.
fn read_blocks(path: &Path, blocks: RecordBlocks, alphabets: &[&Alphabet]) -> Result<SequenceFile> {
    let table = LetterTable::new(alphabets);
    let is_refused = AtomicBool::new(false);
    let check = |(number, block): (usize, RecordBlock)| {
        let checked = CheckedBlock::new(&block, &table);
        if checked.ends_input() {
            is_refused.store(true, Ordering::Relaxed);
        }
        (number, checked)
    };
    // One thread at a time reads a block, which it checks then. Behind a record that is refused, none is read.
    let blocks = blocks.take_while(|_| !is_refused.load(Ordering::Relaxed));
    let mut checked: Vec<_> = blocks.enumerate().par_bridge().map(check).collect();
    checked.sort_unstable_by_key(|&(number, _)| number);
    let mut file = SequenceFile { missing: vec![None; alphabets.len()], ..Default::default() };
    let mut lines = 0;
    for (_, block) in checked {
        let records = file.names.len();
        let located = |BlockProblem { record, problem }: BlockProblem| {
            let line = problem.line.map(|line| lines + line);
            let location =
                InputLocation::in_file(path).at_record((records + record + 1) as u64, line);
            format!("{location}{}", problem.reason)
        };
        for (first, missing) in file.missing.iter_mut().zip(block.missing) {
            if first.is_none() {
                *first = missing.map(located);
            }
        }
        if let Some(Some(problem)) = file.missing.last()
            && file.missing.iter().all(Option::is_some)
        {
            bail!("{problem}");
        }
        if let Some(problem) = block.refused {
            bail!("{}", located(problem));
        }
        lines += block.lines;
        file.names.extend(block.names);
        file.letters.push(block.letters);
        file.gaps += block.gaps;
    }
    Ok(file)
}

impl SequenceFile {
    /// Number of sequences of the file.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The first letter that an alphabet, by its place among those that the file was read with, lacks, as an error.
    pub fn problem(&self, alphabet: usize) -> Option<&str> {
        self.missing[alphabet].as_deref()
    }

    /// The sequences as codes of an alphabet that has all their letters, and as letters if they are to be kept.
    pub fn encode(self, alphabet: &Alphabet, are_letters_kept: bool) -> NamedSequences {
        // The alphabet has all letters of the sequences.
        let codes: [u8; 256] =
            std::array::from_fn(|letter| alphabet.code(letter as u8).unwrap_or_default());
        let letters =
            are_letters_kept.then(|| SequenceSet::concatenated(&self.letters, |letter| letter));
        let sequences =
            SequenceSet::concatenated(&self.letters, |letter| codes[usize::from(letter)]);
        NamedSequences { names: self.names, sequences, letters }
    }
}

/// Refuses two records of the same name.
///
/// # Errors
/// Names the two records.
pub fn names_differ(path: &Path, names: &[String]) -> Result<()> {
    let mut seen = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name, number) {
            bail!(
                "{}: records {} and {} have the same name '{name}'",
                input_name(path),
                first + 1,
                number + 1
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use aligner_core::fastx::{RecordProblem, RecordText, line_of_residue};
    use aligner_core::seq::describe;
    use fastrand::Rng;
    use needletail::FastxReader;
    use needletail::parser::{FastaReader, FastqReader, SequenceRecord};
    use nw_batch::MAX_LENGTH;

    use super::*;
    use crate::input::broken::Broken;

    /// The text of the records of a file, which cannot be read up to its end if it is broken.
    fn open(text: &[u8], is_broken: bool) -> RecordText<'static> {
        let text = Cursor::new(text.to_vec());
        let opened =
            if is_broken { RecordText::new(text.chain(Broken)) } else { RecordText::new(text) };
        opened.expect("begins as records")
    }

    /// Records of a file, as they are compared.
    #[derive(Debug, Default, PartialEq)]
    struct Found {
        names: Vec<String>,
        letters: Vec<Vec<u8>>,
        gaps: u64,
        missing: Vec<Option<String>>,
    }

    /// The name and the letters of a record, which are added to `found`.
    fn add_record(
        record: &SequenceRecord<'_>,
        alphabets: &[&Alphabet],
        found: &mut Found,
        located: impl Fn(&RecordProblem) -> String,
    ) -> Result<(), String> {
        let line = record.start_line_number();
        let refuse = |reason| Err(located(&RecordProblem { line: Some(line), reason }));
        let name = record.id().split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.is_empty() {
            return refuse("the sequence has no name".to_owned());
        }
        if let Some(&letter) = name.iter().find(|letter| !letter.is_ascii_graphic()) {
            return refuse(format!("{} is not allowed in a name", describe(letter)));
        }
        let raw = record.raw_seq();
        let residues: Vec<u8> =
            raw.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
        let is_gap = |letter: &u8| matches!(letter, b'-' | b'.');
        let letters: Vec<u8> = residues.iter().copied().filter(|it| !is_gap(it)).collect();
        if letters.len() > MAX_LENGTH {
            let length = letters.len();
            return refuse(format!("the sequence has {length} residues, more than {MAX_LENGTH}"));
        }
        for (alphabet, missing) in alphabets.iter().zip(&mut found.missing) {
            let lacks = |it: &u8| !is_gap(it) && alphabet.code(*it).is_none();
            if let (None, Some(position)) = (&missing, residues.iter().position(lacks)) {
                let reason = format!(
                    "{} at residue {} is no letter of the scoring: choose a --matrix that has it",
                    describe(residues[position]),
                    position + 1
                );
                let line = Some(line + line_of_residue(raw, position));
                *missing = Some(located(&RecordProblem { line, reason }));
            }
        }
        found.names.push(String::from_utf8(name.to_vec()).expect("ASCII"));
        found.gaps += (residues.len() - letters.len()) as u64;
        found.letters.push(letters);
        Ok(())
    }

    /// Reads the records of a text one after the other, without blocks, up to where it is broken.
    fn read_one_by_one(
        text: RecordText<'static>,
        alphabets: &[&Alphabet],
    ) -> Result<Found, String> {
        let (is_fasta, mut text) = match text {
            RecordText::Fasta(text) => (true, text),
            RecordText::Fastq(text) => (false, text),
        };
        let mut known = Vec::new();
        let failure = text.read_to_end(&mut known).err();
        if failure.is_some() {
            // A record that may go on where the text is broken is not read.
            let begins: Vec<usize> = if is_fasta {
                (1..known.len()).filter(|&begin| known[begin - 1..].starts_with(b"\n>")).collect()
            } else {
                let line_feeds = (0..known.len()).filter(|&end| known[end] == b'\n');
                line_feeds.skip(3).step_by(4).map(|end| end + 1).collect()
            };
            known.truncate(begins.last().copied().unwrap_or(0));
        }
        let mut records: Option<Box<dyn FastxReader>> = match known.is_empty() {
            true => None,
            false if is_fasta => {
                known.extend(b"\n\n");
                Some(Box::new(FastaReader::new(Cursor::new(known))))
            }
            false => Some(Box::new(FastqReader::new(Cursor::new(known)))),
        };
        let mut found = Found { missing: vec![None; alphabets.len()], ..Default::default() };
        loop {
            let number = found.names.len() as u64 + 1;
            let located = |problem: &RecordProblem| {
                let location =
                    InputLocation::in_file(Path::new("x.fa")).at_record(number, problem.line);
                format!("{location}{}", problem.reason)
            };
            let Some(record) = records.as_mut().and_then(|records| records.next()) else {
                let failed = |error| {
                    let reason = format!("reading failed: {error}");
                    located(&RecordProblem { line: None, reason })
                };
                return failure.map(failed).map_or(Ok(found), Err);
            };
            let record = record.map_err(|error| located(&RecordProblem::from(&error)))?;
            add_record(&record, alphabets, &mut found, located)?;
            if let Some(Some(problem)) = found.missing.last()
                && found.missing.iter().all(Option::is_some)
            {
                return Err(problem.clone());
            }
        }
    }

    /// Reads a text in blocks for which so many bytes are read.
    fn read_in_blocks(
        text: RecordText<'static>,
        block_bytes: usize,
        alphabets: &[&Alphabet],
    ) -> Result<Found, String> {
        let blocks = RecordBlocks::new(text, block_bytes);
        let file =
            read_blocks(Path::new("x.fa"), blocks, alphabets).map_err(|error| error.to_string())?;
        let letters = SequenceSet::concatenated(&file.letters, |letter| letter);
        let letters = (0..letters.len() as u32).map(|index| letters.get(index).to_vec()).collect();
        Ok(Found { names: file.names, letters, gaps: file.gaps, missing: file.missing })
    }

    /// A text of FASTA or FASTQ, into which errors are put at some rate.
    fn random_text(random: &mut Rng) -> Vec<u8> {
        let (is_fasta, line_end) = (random.bool(), if random.u8(..4) == 0 { "\r\n" } else { "\n" });
        let mut text = String::new();
        let letters = if random.u8(..3) == 0 { "ACGTNacgEFL-." } else { "ACGT" };
        let letters: Vec<char> = letters.chars().collect();
        let records = random.usize(1..40);
        for number in 0..records {
            let length = if random.u8(..6) == 0 { 0 } else { random.usize(..60) };
            let sequence: String =
                (0..length).map(|_| letters[random.usize(..letters.len())]).collect();
            text.push(if is_fasta { '>' } else { '@' });
            text.extend([&format!("s{number} of many"), line_end, &sequence, line_end]);
            if is_fasta {
                let lines = random.usize(..3);
                (0..lines).for_each(|_| text.extend([&sequence, line_end]));
            } else {
                text.extend(["+", line_end, &"I".repeat(length), line_end]);
            }
        }
        let mut text = text.into_bytes();
        let errors = if random.bool() { 0 } else { random.usize(..4) };
        for _ in 0..errors {
            let place = random.usize(1..text.len());
            let byte = [b'\n', b'>', b'@', b'+', b'?', b' ', b'\r', b'\t', 0xff][random.usize(..9)];
            match random.u8(..3) {
                0 => text[place] = byte,
                1 => text.insert(place, byte),
                _ => drop(text.remove(place)),
            }
        }
        match random.u8(..6) {
            0 => text.truncate(random.usize(1..=text.len())),
            1 => text.extend(line_end.repeat(random.usize(1..6)).bytes()),
            _ => {}
        }
        text
    }

    /// Blocks of any size have the records of the whole text, and the same one of its errors is told.
    #[test]
    fn blocks_are_read_as_the_whole_text() {
        let nucleotides = Alphabet::nucleotides();
        let more = Alphabet::from_letters(b"ACGTNEFL").expect("letters");
        let (mut read, mut refused) = (0, 0);
        for seed in 0..2_000 {
            let mut random = Rng::with_seed(seed);
            let text = random_text(&mut random);
            let is_broken = random.u8(..5) == 0;
            let alphabets = [&nucleotides, &more];
            let alphabets = &alphabets[..random.usize(1..=2)];
            let expected = read_one_by_one(open(&text, is_broken), alphabets);
            for block_bytes in [1, random.usize(2..200), BLOCK_BYTES] {
                let found = read_in_blocks(open(&text, is_broken), block_bytes, alphabets);
                assert_eq!(found, expected, "seed {seed}, blocks of {block_bytes} bytes");
            }
            *if expected.is_ok() { &mut read } else { &mut refused } += 1;
        }
        assert!(read > 500 && refused > 500, "{read} texts are read, {refused} are refused");
    }

    #[test]
    fn long_records_of_several_blocks_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.fa");
        // Many blocks, with a letter of proteins in the middle and a wrong one at the end.
        let longest = "ACGT-".repeat(MAX_LENGTH / 4);
        let mut text = String::new();
        for number in 0..20 {
            let end = if number == 9 { "E" } else { "" };
            text.extend([&format!(">s{number} of many\n"), &longest[end.len()..], "\n", end, "\n"]);
        }
        std::fs::write(&path, &text).expect("writes");
        let alphabets =
            [Alphabet::nucleotides(), Alphabet::from_letters(b"ACGTE").expect("letters")];
        let alphabets: Vec<&Alphabet> = alphabets.iter().collect();
        let file = read(&path, &alphabets).expect("is read");
        assert!(
            file.problem(0).is_some_and(|problem| problem.contains("record 10 (line 30): 'E'"))
        );
        assert_eq!(
            (file.problem(1), file.len(), file.gaps),
            (None, 20, 20 * MAX_LENGTH as u64 / 4)
        );
        let sequences = file.encode(alphabets[1], true);
        assert_eq!(sequences.names[19], "s19");
        assert!(sequences.sequences.get(19).chunks(4).all(|codes| codes == [0, 1, 2, 3]));
        let letters = sequences.letters.expect("they were kept");
        assert!(letters.get(9).ends_with(b"ACGTE"));

        std::fs::write(&path, text + ">last\nAC\nG?\n").expect("writes");
        let error = read(&path, &alphabets).expect_err("a wrong letter").to_string();
        assert!(error.contains("x.fa: record 21 (line 63): '?' at residue 4"), "{error}");
    }
}
