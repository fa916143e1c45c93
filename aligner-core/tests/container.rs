//! Container files: layout byte by byte, and every way of damaging one.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::thread;

use aligner_core::container::{Container, ContainerBuilder, ContainerProblem, Format, SectionName};
use tempfile::TempDir;

#[derive(Debug, Clone, Copy)]
enum TestSection {
    Numbers,
    Letters,
}

impl SectionName for TestSection {
    const ALL: &'static [Self] = &[Self::Numbers, Self::Letters];

    fn number(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        ["numbers", "letters"][self as usize]
    }

    fn element_bytes(self) -> usize {
        [4, 1][self as usize]
    }
}

#[derive(Debug)]
struct TestFormat;

impl Format for TestFormat {
    const MAGIC: [u8; 8] = *b"TESTFILE";
    const VERSION: u32 = 7;
    const KIND: &'static str = "test file";
    const COMMAND: &'static str = "make test file";
    type Parameters = [u64; 2];
    type Section = TestSection;
}

/// The format of [`TestFormat`] with a newer version, which also reads the older one.
#[derive(Debug)]
struct NewerFormat;

impl Format for NewerFormat {
    const MAGIC: [u8; 8] = TestFormat::MAGIC;
    const VERSION: u32 = 8;
    const OLDEST_VERSION: u32 = 7;
    const KIND: &'static str = TestFormat::KIND;
    const COMMAND: &'static str = TestFormat::COMMAND;
    type Parameters = [u64; 2];
    type Section = TestSection;
}

#[test]
fn older_versions_are_read_if_the_format_says_so() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    container().save(&path).unwrap();
    let open = || Container::<NewerFormat, 2>::open(&path).map(|opened| opened.version());
    assert_eq!(open().unwrap(), 7);
    for version in [8, 7] {
        let mut builder = ContainerBuilder::<NewerFormat, 2>::new([4, 1]);
        builder.set_version(version);
        builder.finish().save(&path).unwrap();
        assert_eq!(open().unwrap(), version);
    }
    let mut other = fs::read(&path).unwrap();
    other[8] = 6;
    fs::write(&path, other).unwrap();
    assert!(matches!(open().unwrap_err().problem, ContainerProblem::Version { found: 6, .. }));
}

/// Header: 24 bytes of fixed fields, 16 of parameters, 48 of extents, 8 of checksum, in whole lines of 64 bytes.
const HEADER_BYTES: usize = 128;

fn container() -> Container<TestFormat, 2> {
    let mut builder = ContainerBuilder::<TestFormat, 2>::new([4 * 20, 3]);
    for (number, value) in builder.section_mut::<u32>(TestSection::Numbers).iter_mut().zip(100..) {
        *number = value;
    }
    builder.section_mut(TestSection::Letters).copy_from_slice(b"abc");
    *builder.parameters_mut() = [5, 6];
    builder.finish()
}

#[test]
fn fields_and_sections_lie_where_the_format_says() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    container().save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let word = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(&bytes[..8], b"TESTFILE");
    assert_eq!(bytes[8..12], 7_u32.to_ne_bytes());
    assert_eq!(bytes[12..16], 0x0102_0304_u32.to_ne_bytes());
    assert_eq!(word(16), bytes.len() as u64);
    assert_eq!([word(24), word(32)], [5, 6]);
    assert_eq!([word(40), word(48)], [HEADER_BYTES as u64, 80]);
    assert_eq!([word(64), word(72)], [HEADER_BYTES as u64 + 128, 3]);
    assert_eq!(bytes[88..HEADER_BYTES - 8], [0; HEADER_BYTES - 96]);
    assert_eq!(bytes[HEADER_BYTES..HEADER_BYTES + 4], 100_u32.to_ne_bytes());
    assert_eq!(&bytes[HEADER_BYTES + 128..][..4], b"abc\0");
    assert_eq!(bytes.len(), HEADER_BYTES + 128 + 64);
}

#[test]
fn an_opened_container_is_the_saved_one() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    let saved = container();
    saved.save(&path).unwrap();
    let opened = Container::<TestFormat, 2>::open(&path).unwrap();
    for file in [&saved, &opened] {
        assert_eq!(file.parameters(), &[5, 6]);
        assert_eq!(file.section::<u32>(TestSection::Numbers), (100..120).collect::<Vec<u32>>());
        assert_eq!(file.section::<u8>(TestSection::Letters), b"abc");
        assert_eq!(file.padded_section::<u8>(TestSection::Letters).len(), 64);
        assert_eq!(file.total_bytes(), 320);
        let sizes = [("header", 128), ("numbers", 128), ("letters", 64)];
        assert_eq!(file.section_sizes(), sizes);
    }
}

/// Exists if the system has large pages.
const LARGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage";

/// Others read all the while, and the first and last bytes, which fill no large page, stay in the file's pages.
#[test]
fn a_container_is_the_same_in_large_pages() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large");
    let length = (2 << 20) + 12_345;
    let mut builder = ContainerBuilder::<TestFormat, 2>::new([4 * length as u64, 3]);
    let expected: Vec<u32> =
        (0..length as u32).map(|number| number.wrapping_mul(2_654_435_761)).collect();
    builder.section_mut::<u32>(TestSection::Numbers).copy_from_slice(&expected);
    builder.finish().save(&path).unwrap();
    let opened = Container::<TestFormat, 2>::open(&path).unwrap();
    let numbers = opened.section::<u32>(TestSection::Numbers);
    thread::scope(|scope| {
        let moving = scope.spawn(|| opened.move_to_large_pages());
        while !moving.is_finished() {
            for place in (0..length).step_by(1009) {
                assert_eq!(numbers[place], expected[place]);
            }
        }
        let moved = moving.join().unwrap();
        // A system may be built without large pages.
        assert!(moved.is_ok() || !Path::new(LARGE_PAGES).exists());
    });
    assert!(numbers == expected);
}

#[test]
fn a_change_of_any_byte_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    container().save(&path).unwrap();
    let good = fs::read(&path).unwrap();
    for place in 0..good.len() {
        let mut bytes = good.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&path, bytes).unwrap();
        let error = Container::<TestFormat, 2>::open(&path).unwrap_err();
        let is_expected = match (place, &error.problem) {
            (0..8, ContainerProblem::OtherKind)
            | (8..12, ContainerProblem::Version { expected: 7, .. })
            | (12..HEADER_BYTES, ContainerProblem::DamagedHeader) => true,
            (HEADER_BYTES..256, ContainerProblem::DamagedSection(name)) => *name == "numbers",
            (256.., ContainerProblem::DamagedSection(name)) => *name == "letters",
            _ => false,
        };
        assert!(is_expected, "byte {place}: {error}");
    }
}

#[test]
fn an_error_names_path_kind_and_way_out() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    container().save(&path).unwrap();
    let good = fs::read(&path).unwrap();
    let error = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = Container::<TestFormat, 2>::open(&path).unwrap_err().to_string();
        error.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
    };
    assert_eq!(error(b">one\nACGT\n"), "not a gpualign test file");
    assert_eq!(
        error(&good[..200]),
        "the test file is truncated: it has 200 bytes, not 320; build it again by 'make test file'"
    );
    let mut version = good.clone();
    version[8] = 9;
    assert_eq!(
        error(&version),
        "test file format 9, this program reads format 7; build it again by 'make test file'"
    );
    let mut order = good;
    order[12..16].reverse();
    assert_eq!(
        error(&order),
        "the test file has another byte order than this machine; build it again by 'make test file'"
    );
}
