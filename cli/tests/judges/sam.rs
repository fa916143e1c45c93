//! SAM records as text, read without any of the code that wrote them.

use std::collections::HashMap;

/// One record of SAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub name: String,
    pub flag: u16,
    pub contig: String,
    /// 1-based, as in the file.
    pub position: usize,
    pub mapq: u8,
    pub cigar: String,
    /// `=` for the contig of the record.
    pub mate_contig: String,
    pub mate_position: usize,
    pub span: i64,
    pub sequence: String,
    pub quality: String,
    pub tags: HashMap<String, String>,
}

impl Record {
    pub fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(fields.len() >= 11, "{line}");
        let tags = fields[11..]
            .iter()
            .map(|tag| {
                let parts: Vec<&str> = tag.splitn(3, ':').collect();
                (parts[0].to_owned(), parts[2].to_owned())
            })
            .collect();
        Self {
            name: fields[0].to_owned(),
            flag: fields[1].parse().expect("a flag"),
            contig: fields[2].to_owned(),
            position: fields[3].parse().expect("a position"),
            mapq: fields[4].parse().expect("a quality"),
            cigar: fields[5].to_owned(),
            mate_contig: fields[6].to_owned(),
            mate_position: fields[7].parse().expect("a position"),
            span: fields[8].parse().expect("a number"),
            sequence: fields[9].to_owned(),
            quality: fields[10].to_owned(),
            tags,
        }
    }

    pub fn is_aligned(&self) -> bool {
        self.flag & 4 == 0
    }

    pub fn is_reverse(&self) -> bool {
        self.flag & 16 != 0
    }

    pub fn is_primary(&self) -> bool {
        self.flag & 0x900 == 0
    }

    pub fn number(&self, tag: &str) -> usize {
        self.tags[tag].parse().unwrap_or_else(|_| panic!("{tag} of {self:?}"))
    }

    /// The operations of the CIGAR, with their lengths.
    pub fn operations(&self) -> Vec<(char, usize)> {
        let mut operations = Vec::new();
        let mut count = 0;
        for letter in self.cigar.chars() {
            match letter.to_digit(10) {
                Some(digit) => count = count * 10 + digit as usize,
                None => operations.push((letter, std::mem::take(&mut count))),
            }
        }
        operations
    }
}

/// The lines of the records of a SAM text, without its header.
pub fn lines(text: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(text).expect("SAM is text");
    text.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect()
}

/// The lines of the records of a SAM text, sorted.
pub fn sorted_lines(text: &[u8]) -> Vec<String> {
    let mut lines = lines(text);
    lines.sort();
    lines
}

/// The records of a SAM text, without its header.
pub fn records(text: &[u8]) -> Vec<Record> {
    lines(text).iter().map(|line| Record::parse(line)).collect()
}

/// Checks CIGAR, NM and MD of an aligned record against the reference and against each other.
/// `sequence` is the read as it lies in its primary record.
pub fn check_alignment(record: &Record, sequence: &[u8], contig: &[u8]) {
    let mut read = sequence.iter();
    let mut position = record.position - 1;
    let mut edits = 0;
    // What MD must spell: matches counted, other reference bases named.
    let mut expected = String::new();
    let mut matches = 0;
    for (operation, count) in record.operations() {
        match operation {
            'M' | '=' | 'X' => {
                for _ in 0..count {
                    let base = *read.next().expect("the read is long enough");
                    let equal = base == contig[position] && b"ACGT".contains(&base);
                    assert!(operation != '=' || equal, "= at a difference: {record:?}");
                    assert!(operation != 'X' || !equal, "X at a match: {record:?}");
                    if equal {
                        matches += 1;
                    } else {
                        edits += 1;
                        expected += &matches.to_string();
                        expected.push(char::from(contig[position]));
                        matches = 0;
                    }
                    position += 1;
                }
            }
            'I' => {
                edits += count;
                assert_eq!(read.by_ref().take(count).count(), count, "{record:?}");
            }
            'D' => {
                edits += count;
                let deleted = String::from_utf8_lossy(&contig[position..position + count]);
                expected += &[matches.to_string().as_str(), "^", &deleted].concat();
                matches = 0;
                position += count;
            }
            'S' => assert_eq!(read.by_ref().take(count).count(), count, "{record:?}"),
            // What is clipped hard is not in the record.
            'H' => {}
            other => panic!("operation {other}: {record:?}"),
        }
    }
    expected += &matches.to_string();
    assert_eq!(read.next(), None, "CIGAR shorter than the read: {record:?}");
    assert_eq!(record.number("NM"), edits, "NM of {record:?}");
    assert_eq!(record.tags["MD"], expected, "MD of {record:?}");
}
