//! The oracle, the trie and the scan find the same matches, loci and alignments.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::sync::Arc;

use aligner_core::Device;
use common::{Random, Truth, check, data, index, mapper, queries, truth};
use woodstocc::{MAX_K, MAX_READ, MAX_TRIE_K, MapError, Mapper, Params, Read, Report, Strategy};

const REPORTS: [Report; 3] = [Report::Best, Report::All, Report::AllStarts];

/// Contigs of every awkward kind: random, repetitive, shorter than a read, with N and IUPAC runs.
fn contigs(random: &mut Random) -> Vec<Vec<u8>> {
    let count = 1 + random.below(4);
    let mut contigs: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let longest = if random.one_in(3) { 12 } else { 300 };
            let length = 1 + random.below(longest);
            let mut contig = match random.below(4) {
                0 => {
                    let period = 1 + random.below(4);
                    let unit = random.bases(period, b"ACGT");
                    unit.iter().copied().cycle().take(length).collect()
                }
                1 => random.bases(length, b"AC"),
                _ => random.bases(length, b"ACGT"),
            };
            if random.one_in(3) {
                let at = random.below(contig.len());
                let longest = if random.one_in(2) { 5 } else { 200 };
                let run = 1 + random.below(longest);
                let letter = random.bases(1, b"NNNRYM")[0];
                for base in contig.iter_mut().skip(at).take(run) {
                    *base = letter;
                }
            }
            contig
        })
        .collect();
    if contigs.iter().flatten().all(|base| !b"ACGT".contains(base)) {
        contigs[0].push(b'A');
    }
    contigs
}

fn truths(contigs: &[Vec<u8>], reads: &[Vec<u8>], k: usize) -> Vec<Truth> {
    reads.iter().map(|read| truth(contigs, read, k)).collect()
}

fn codes(contigs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    contigs.iter().map(|contig| aligner_core::seq::encode_all(contig)).collect()
}

#[test]
fn random_references_and_reads_equal_the_oracle() {
    for seed in 0..400_u64 {
        let mut random = Random(seed);
        let letters = contigs(&mut random);
        let (index, contigs) = (index(&letters), codes(&letters));
        let k = random.below(8);
        let reads: Vec<Vec<u8>> = (0..12)
            .map(|_| {
                let longest = if random.one_in(4) { 10 } else { 70 };
                let length = random.below(longest);
                random.read(&letters, length.max(1), k + 1)
            })
            .chain([Vec::new()])
            .collect();
        let truths = truths(&contigs, &reads, k);
        for strategy in
            [Strategy::Auto, Strategy::Trie, Strategy::Filter, Strategy::Scheme, Strategy::Scan]
        {
            let report = REPORTS[random.below(3)];
            let mapper = mapper(&index, k as u8, report, strategy);
            let mappings = mapper.map(&queries(&reads)).expect("maps");
            for ((read, truth), mapping) in reads.iter().zip(&truths).zip(&mappings) {
                let read = String::from_utf8_lossy(read);
                let case = format!("seed {seed}, k {k}, {strategy:?}, {report:?}, read {read}");
                check(&case, &contigs, truth, report, mapping);
            }
        }
    }
}

#[test]
fn the_shortest_and_the_longest_reads_are_as_defined() {
    let mut random = Random(11);
    let letters =
        vec![random.bases(1100, b"ACGT"), random.bases(40, b"ACGT"), b"NNNNACGTNN".to_vec()];
    let (index, contigs) = (index(&letters), codes(&letters));
    for (length, k) in
        [(1, 0), (1, 1), (1, 5), (2, 3), (4, 3), (5, 5), (6, 5), (1000, 0), (1000, 5)]
    {
        let reads = [
            random.read(&letters, length, 0),
            random.read(&letters, length, k),
            vec![b'N'; length],
        ];
        let truths = truths(&contigs, &reads, k);
        for strategy in [Strategy::Auto, Strategy::Trie, Strategy::Filter, Strategy::Scheme] {
            let mapper = mapper(&index, k as u8, Report::AllStarts, strategy);
            let mappings = mapper.map(&queries(&reads)).expect("maps");
            for (truth, mapping) in truths.iter().zip(&mappings) {
                let case = format!("length {length}, k {k}, {strategy:?}");
                check(&case, &contigs, truth, Report::AllStarts, mapping);
            }
        }
    }
}

#[test]
fn filter_and_scheme_take_more_differences_than_the_trie() {
    for seed in 0..20_u64 {
        let mut random = Random(seed);
        let letters = contigs(&mut random);
        let (index, contigs) = (index(&letters), codes(&letters));
        let k = usize::from(MAX_TRIE_K) + 1 + random.below(usize::from(MAX_K - MAX_TRIE_K));
        let reads: Vec<Vec<u8>> = (0..8)
            .map(|_| {
                let length = 1 + random.below(300);
                random.read(&letters, length, k + 1)
            })
            .collect();
        let truths = truths(&contigs, &reads, k);
        for strategy in [Strategy::Auto, Strategy::Filter, Strategy::Scheme] {
            let report = REPORTS[random.below(3)];
            let mapper = mapper(&index, k as u8, report, strategy);
            let mappings = mapper.map(&queries(&reads)).expect("maps");
            for ((read, truth), mapping) in reads.iter().zip(&truths).zip(&mappings) {
                let read = String::from_utf8_lossy(read);
                let case = format!("seed {seed}, k {k}, {strategy:?}, {report:?}, read {read}");
                check(&case, &contigs, truth, report, mapping);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_batches_threads_or_mappers() {
    let mut random = Random(5);
    let letters = vec![random.bases(4000, b"ACGT"), random.bases(800, b"ACG")];
    let index = index(&letters);
    let reads: Vec<Vec<u8>> = (0..300)
        .map(|_| {
            let length = 1 + random.below(60);
            random.read(&letters, length, 3)
        })
        .collect();
    let mapper = mapper(&index, 3, Report::All, Strategy::Auto);
    let whole = mapper.map(&queries(&reads)).expect("maps");
    let other = mapper.on_device(Device::Cpu).expect("a mapper");
    assert_eq!(other.map(&queries(&reads)).expect("maps"), whole);
    let both = mapper.stats();
    assert_eq!(both, other.stats());
    assert_eq!(both.loci, 2 * whole.iter().map(|mapping| mapping.len() as u64).sum::<u64>());
    for (threads, batch) in [(1, 1), (1, 300), (3, 7), (8, 64)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let parts: Vec<_> = reads
            .chunks(batch)
            .flat_map(|part| pool.install(|| mapper.map(&queries(part)).expect("maps")))
            .collect();
        assert_eq!(parts, whole, "{threads} threads, batches of {batch}");
    }
}

/// Real reads on their real genomes, against the oracle: `every` n-th read, cut to `cut` bases.
fn real(genome: &str, reads: &[&str], every: usize, cut: usize, k: usize) {
    let letters: Vec<Vec<u8>> = data(genome).into_iter().map(|(_, letters)| letters).collect();
    let (index, contigs) = (index(&letters), codes(&letters));
    let reads: Vec<Vec<u8>> = reads
        .iter()
        .flat_map(|file| data(file))
        .step_by(every)
        .map(|(_, read)| read[..cut.min(read.len())].to_vec())
        .collect();
    assert!(reads.len() >= 20, "{genome}: enough reads");
    let mapper = mapper(&index, k as u8, Report::AllStarts, Strategy::Auto);
    let mappings = mapper.map(&queries(&reads)).expect("maps");
    assert!(mappings.iter().filter(|mapping| mapping.total > 0).count() * 2 > reads.len());
    for (read, mapping) in reads.iter().zip(&mappings) {
        let case = format!("{genome}, k {k}, {}", String::from_utf8_lossy(read));
        check(&case, &contigs, &truth(&contigs, read, k), Report::AllStarts, mapping);
    }
}

#[test]
fn real_phix_reads_equal_the_oracle() {
    real("phix.fa", &["phix_1.fq", "phix_2.fq"], 3, 50, 5);
}

#[test]
fn real_lambda_reads_equal_the_oracle() {
    real("lambda.fa.gz", &["lambda_35bp.fa.gz"], 60, 35, 3);
}

#[test]
fn real_mitochondrial_reads_equal_the_oracle() {
    real("chrM.fa.gz", &["chrM_1.fq.gz"], 70, 100, 4);
}

#[test]
fn what_is_out_of_range_is_refused() {
    let index = index(&[b"ACGTACGT".to_vec()]);
    let params = |k| Params { k, ..Params::default() };
    let refused = Mapper::new(Arc::clone(&index), params(MAX_K + 1), Device::Cpu);
    assert_eq!(refused.err(), Some(MapError::KTooLarge(MAX_K + 1)));
    let trie = Params { strategy: Strategy::Trie, ..params(MAX_TRIE_K + 1) };
    let refused = Mapper::new(Arc::clone(&index), trie, Device::Cpu);
    assert_eq!(refused.err(), Some(MapError::KTooLargeForTrie(MAX_TRIE_K + 1)));
    let mapper = Mapper::new(index, params(0), Device::Cpu).expect("a mapper");
    let long = vec![b'A'; MAX_READ + 1];
    let refused = mapper.map(&[Read { name: b"r", sequence: &long }]);
    assert_eq!(refused, Err(MapError::ReadTooLong(MAX_READ + 1)));
    let many = vec![Read { name: b"r", sequence: &long[1..] }; 20_000];
    let bases = 20_000 * MAX_READ as u64;
    assert_eq!(mapper.map(&many), Err(MapError::BatchTooLarge(bases)));
}
