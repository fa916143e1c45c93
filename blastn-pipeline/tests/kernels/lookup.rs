//! The kernels that make lookup tables make what the CPU makes.
#![allow(clippy::expect_used)]

use std::iter::once;
use std::sync::Arc;

use aligner_core::stream::Backend;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::seed::lookup::{Lookup, LookupArrays};
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::DatabaseSize;
use bytemuck::cast_slice;
use fastrand::Rng;

use crate::blast_common::{backend, lookup_table};

/// Checks the table of a batch, and gives its number of words.
fn check(case: &str, batch: &QueryBatch, lookup: &Lookup) -> usize {
    let LookupArrays { present, starts, positions } = lookup.arrays();
    let (arrays, _) = lookup_table(batch, lookup);
    let kernels = backend("blastn-pipeline", "lookup");
    let expected: [&[u8]; 3] = [cast_slice(present), cast_slice(starts), cast_slice(positions)];
    for (buffer, expected) in [arrays.present, arrays.starts, arrays.places].iter().zip(expected) {
        assert!(kernels.read(buffer, expected.len()).expect("so many") == expected, "{case}");
    }
    positions.len()
}

fn batch(records: &[FastaRecord], options: &SearchOptions) -> Arc<QueryBatch> {
    let size = DatabaseSize { letters: 1_000_000, sequences: 10 };
    Arc::new(QueryBatch::new(records, options, size))
}

#[test]
fn lookup_tables_are_those_of_the_cpu() {
    let mut words = 0;
    for seed in 0..24 {
        let mut random = Rng::with_seed(seed);
        let mut options = SearchOptions::new(BlastTask::Blastn);
        options.word_size = [11, 7, 16, 5][seed as usize % 4];
        options.masks_lower_case = true;
        options.dust = None;
        // Of few bases, some words have many places.
        let bases = random.u8(1..=4);
        let mut record = |length: usize| {
            let letter = |_| if random.u8(..60) == 0 { 14 } else { random.u8(..bases) };
            let letters = (0..length).map(letter).collect();
            let lower_case = once(length as u32 / 3..length as u32 / 2).collect();
            FastaRecord { letters, lower_case, ..FastaRecord::default() }
        };
        // The longest has more words than a launch has threads.
        let lengths = [0, 1, 4, 63, 64, 65, 700, 1 + seed as usize];
        let records: Vec<FastaRecord> = lengths.map(&mut record).into();
        let batch = batch(&records, &options);
        let lookup = Arc::new(Lookup::new(&batch, options.word_size));
        words += check(&format!("seed {seed}"), &batch, &lookup);
        let all = batch.letters().len() as u32;
        let seam = (7 * seed as u32 + 60) % all;
        let pieces = [0..seam, seam..all, seam..seam].map(|letters| {
            let case = format!("seed {seed}, letters {letters:?}");
            check(&case, &batch, &Lookup::piece(&lookup, letters))
        });
        assert_eq!(pieces.iter().sum::<usize>(), lookup.arrays().positions.len(), "seed {seed}");
    }
    assert!(words > 10_000, "{words} words");
}

#[test]
fn without_words_the_table_is_empty() {
    let options = SearchOptions::new(BlastTask::Blastn);
    for letters in [vec![], vec![2], vec![14; 40]] {
        let record = FastaRecord { letters, ..FastaRecord::default() };
        let batch = batch(&[record], &options);
        assert_eq!(check("no words", &batch, &Lookup::new(&batch, 11)), 0);
    }
}
