//! Index files: round trips, and every way of damaging one.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use aligner_core::container::{ContainerError, ContainerProblem};
use fm_index::{BuildOptions, FileFingerprint, FmIndex, Reference};
use tempfile::TempDir;

fn small_index() -> FmIndex {
    let gapped = [&b"ACGTTGACCA"[..], &[b'N'; 200], b"RGATTACA"].concat();
    let reference =
        Reference::from_records([("one", gapped), ("two", b"TTGACA".to_vec())]).unwrap();
    FmIndex::build(reference, &BuildOptions { sample_rate: 4, ..BuildOptions::default() }).unwrap()
}

/// Compares all answers of two indexes.
fn assert_same(left: &FmIndex, right: &FmIndex) {
    assert_eq!(left.rows(), right.rows());
    assert_eq!(left.bytes(), right.bytes());
    assert_eq!(left.sections(), right.sections());
    assert_eq!(left.source(), right.source());
    assert_eq!(left.sample_rate(), right.sample_rate());
    let (l, r) = (left.reference(), right.reference());
    assert_eq!(l.contigs(), r.contigs());
    assert_eq!(l.letters(0..l.len()), r.letters(0..r.len()));
    assert_eq!(l.source(), r.source());
    for row in 0..left.rows() {
        assert_eq!(left.locate(row), right.locate(row));
        assert_eq!(left.forward().rank4(row), right.forward().rank4(row));
        assert_eq!(left.reverse().rank4(row), right.reverse().rank4(row));
    }
    for position in 0..l.indexed_len() {
        assert_eq!(l.to_reference(position), r.to_reference(position));
        assert_eq!(l.is_plain(position, 3), r.is_plain(position, 3));
    }
    for word in 0..1usize << (2 * left.table_length()) {
        let word: Vec<u8> =
            (0..left.table_length()).map(|place| (word >> (2 * place)) as u8 & 3).collect();
        assert_eq!(left.lookup(&word), right.lookup(&word));
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn what_is_saved_is_opened() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ref.gpx");
    let fasta = folder.path().join("ref.fa");
    fs::write(&fasta, ">one\nACGTTGACCANNNN\n>two\nRGATTACA\n").unwrap();
    let from_file = Reference::from_fasta(&fasta).unwrap();
    let from_file = FmIndex::build(from_file, &BuildOptions::default()).unwrap();
    for index in [small_index(), from_file] {
        index.save(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), index.bytes());
        let opened = FmIndex::open(&path).unwrap();
        assert_same(&index, &opened);
        // A mapped index can be saved too, over its own file.
        opened.save(&path).unwrap();
        assert_same(&index, &FmIndex::open(&path).unwrap());
        assert_same(&index, &opened);
    }
    let mut names = names_in(folder.path());
    names.sort();
    assert_eq!(names, ["ref.fa", "ref.gpx"]);
}

/// An index file from before must open after any change of the program, unless the version is raised.
#[test]
fn the_format_is_that_of_version_2() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ref.gpx");
    small_index().save(&path).unwrap();
    let found = FileFingerprint::of_file(&path).unwrap();
    assert_eq!(found, FileFingerprint { checksum: 0x7EF4_EFEF_E3A7_C816, length: 1024 });
}

#[test]
fn sections_add_up_to_the_file() {
    let index = small_index();
    let sum: u64 = index.sections().iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(sum, index.bytes());
    assert!(index.sections().iter().all(|(_, bytes)| bytes % 64 == 0));
}

#[test]
fn the_index_is_the_same_for_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    let letters: Vec<u8> =
        (0..100_000u32).map(|i| b"ACGT"[i.wrapping_mul(0x9E37_79B1) as usize >> 30]).collect();
    let files = [1, 2, 3].map(|threads| {
        let reference = Reference::from_records([("text", &letters)]).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let build = || FmIndex::build(reference, &BuildOptions::default()).unwrap();
        let index = pool.install(build);
        let path = folder.path().join(format!("{threads}.gpx"));
        index.save(&path).unwrap();
        fs::read(path).unwrap()
    });
    assert!(files[0] == files[1] && files[1] == files[2]);
}

/// The error of a file of these bytes.
fn refused(path: &Path, bytes: &[u8], what: &str) -> ContainerError {
    fs::write(path, bytes).unwrap();
    match FmIndex::open(path) {
        Ok(_) => panic!("{what}: the file was accepted"),
        Err(error) => {
            let line = error.to_string();
            assert!(line.starts_with(&path.display().to_string()), "{what}: {line}");
            assert!(!line.contains('\n'), "{what}: {line}");
            error
        }
    }
}

#[test]
fn a_change_of_any_byte_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ref.gpx");
    let index = small_index();
    index.save(&path).unwrap();
    let good = fs::read(&path).unwrap();
    let mut section_of = Vec::new();
    for (name, bytes) in index.sections() {
        section_of.extend(vec![name; bytes as usize]);
    }
    assert_eq!(section_of.len(), good.len());
    for place in 0..good.len() {
        let mut bytes = good.clone();
        bytes[place] ^= 1 << (place % 8);
        let what = format!("byte {place} in {}", section_of[place]);
        let error = refused(&path, &bytes, &what);
        let line = error.to_string();
        let as_expected = match (place, section_of[place]) {
            (0..8, _) => matches!(error.problem, ContainerProblem::OtherKind),
            (8..12, _) => matches!(error.problem, ContainerProblem::Version { expected: 2, .. }),
            (_, "header") => {
                matches!(error.problem, ContainerProblem::DamagedHeader)
                    && line.contains("header is damaged")
            }
            (_, name) => {
                matches!(error.problem, ContainerProblem::DamagedSection(section) if section == name)
                    && line.contains(&format!("section '{name}' of the index is damaged"))
            }
        };
        assert!(as_expected, "{what}: {line}");
    }
}

#[test]
fn a_file_of_any_other_length_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ref.gpx");
    let index = small_index();
    index.save(&path).unwrap();
    let good = fs::read(&path).unwrap();
    let header = index.sections()[0].1;
    for length in 0..good.len() {
        let error = refused(&path, &good[..length], &format!("{length} bytes"));
        match error.problem {
            ContainerProblem::OtherKind => assert!(length < 8, "{length} bytes"),
            ContainerProblem::Length { found, expected } => {
                assert_eq!(found, length as u64);
                let whole = if length as u64 >= header { good.len() as u64 } else { header };
                assert_eq!(expected, whole);
                assert!(error.to_string().contains("truncated"), "{error}");
            }
            _ => panic!("{length} bytes: {error}"),
        }
    }
    let error = refused(&path, &[&good[..], b"more"].concat(), "too long");
    assert!(error.to_string().contains("too long"), "{error}");
}

#[test]
fn foreign_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ref.gpx");
    for bytes in [&b""[..], b"\n", b">one\nACGT\n", &[0; 4096], b"BAM\x01"] {
        let error = refused(&path, bytes, "foreign");
        assert!(error.to_string().ends_with("not a gpualign index"), "{error}");
    }
    let mut other_order = vec![0; 4096];
    other_order[..8].copy_from_slice(b"GPXINDEX");
    other_order[8..12].copy_from_slice(&1u32.swap_bytes().to_ne_bytes());
    other_order[12..16].copy_from_slice(&0x0102_0304u32.swap_bytes().to_ne_bytes());
    let error = refused(&path, &other_order, "other byte order");
    assert!(error.to_string().contains("another byte order"), "{error}");
    let missing = FmIndex::open(folder.path().join("none.gpx")).unwrap_err().to_string();
    assert!(missing.contains("none.gpx: No such file"), "{missing}");
    let directory = FmIndex::open(folder.path()).unwrap_err().to_string();
    assert!(directory.ends_with("is a directory"), "{directory}");
}

#[test]
fn a_failed_save_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let index = small_index();
    let no_folder = folder.path().join("none/ref.gpx");
    assert!(index.save(&no_folder).unwrap_err().to_string().contains("none/ref.gpx: "));
    // A folder of that name: written, but cannot be renamed over it.
    let taken = folder.path().join("ref.gpx");
    fs::create_dir(&taken).unwrap();
    assert!(index.save(&taken).unwrap_err().to_string().contains("ref.gpx: "));
    assert_eq!(names_in(folder.path()), ["ref.gpx"]);
    assert!(taken.is_dir());
}
