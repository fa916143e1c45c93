//! Index files with right checksums and wrong contents are refused in one line, or all queries of them end in range.
#![allow(missing_docs, clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;

use aligner_core::container::ContainerProblem;
use fm_index::{BuildOptions, FmIndex, PlainStretches, Reference, Segments};
use gpualign_tests::{ContainerFile, mutate_and_use};

/// Bytes of the parameters of an index file, and the number of its sections.
const LAYOUT: (usize, usize) = (56, 8);

#[test]
fn all_queries_end_in_range() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut letters: Vec<u8> = (0..900).map(|_| b"ACGT"[random.usize(..4)]).collect();
    letters[200..500].fill(b'N');
    letters[700] = b'R';
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.gpx");
    let contigs =
        [("one", &letters[..600]), ("two", &letters[600..620]), ("three", &letters[620..])];
    let reference = Reference::from_records(contigs).unwrap();
    FmIndex::build(reference, &BuildOptions::default()).unwrap().save(&path).unwrap();
    let file = ContainerFile::new(fs::read(&path).unwrap(), LAYOUT.0, LAYOUT.1);
    let reasons = RefCell::new(BTreeSet::new());
    let counts = mutate_and_use(&file, &path, 0..4_000, |path| {
        let index = match FmIndex::open(path) {
            Ok(index) => index,
            Err(error) => {
                let line = error.to_string();
                assert!(line.starts_with(&path.display().to_string()) && !line.contains('\n'));
                // A section that was moved to the begin of the file overwrites the magic number.
                let is_other_kind = matches!(error.problem, ContainerProblem::OtherKind);
                let has_way_out = line.ends_with("build it again by 'gpualign index'");
                assert!(is_other_kind || has_way_out, "{line}");
                if let ContainerProblem::Inconsistent(reason) = error.problem {
                    // Without numbers, which differ.
                    reasons.borrow_mut().insert(reason.replace(|c: char| c.is_ascii_digit(), ""));
                }
                return false;
            }
        };
        use_all(&index);
        true
    });
    eprintln!("{counts:?}");
    let reasons = reasons.into_inner();
    assert!(counts.used > 100 && reasons.len() > 15, "{counts:?} {reasons:#?}");
}

/// Asks an index everything.
fn use_all(index: &FmIndex) {
    let reference = index.reference();
    let rows: Vec<u32> = (0..index.rows()).collect();
    let one_by_one: Vec<u32> = rows.iter().map(|&row| index.locate(row)).collect();
    let mut together = rows;
    index.locate_all(&mut together);
    assert_eq!(one_by_one, together);
    assert!(one_by_one[1..].iter().all(|&position| position < reference.indexed_len()));
    for word in 0..1_u32 << 10 {
        let codes: Vec<u8> = (0..5).map(|place| (word >> (2 * place)) as u8 & 3).collect();
        if let Some(interval) = index.search(&codes) {
            for children in [index.extend_left(interval), index.extend_right(interval)] {
                let inside = children.iter().all(|child| child.size <= interval.size);
                assert!(inside, "{interval:?} {children:?}");
            }
        }
    }
    reference.letters(0..reference.len());
    let segments = Segments::new(reference);
    let mut stretches = PlainStretches::new(reference);
    for position in 0..reference.indexed_len() {
        segments.get(segments.number(position));
        stretches.at_indexed(position);
        reference.contig_at(reference.to_reference(position));
    }
}
