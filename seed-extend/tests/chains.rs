//! Tests of which anchors make chains, and which chains are kept.
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::cigar::CigarRun;
use fm_index::{Reference, Segments};
use seed_extend::AltContigs;
use seed_extend::chain::anchors::Anchor;
use seed_extend::chain::chains::{Chain, ChainOptions, chain, keep_best};
use seed_extend::chain::whole_match::WholeMatch;
use seed_extend::extend::Scoring;
use seed_extend::region::builder::RegionBuilder;
use seed_extend::region::regions::Region;

const LENGTH: u32 = 100;

fn segments() -> Segments {
    let letters = "ACGT".repeat(1000);
    Segments::new(&Reference::from_records([("a", &letters), ("b", &letters)]).unwrap())
}

fn anchor(query: u32, begin: u16, length: u16, position: u32) -> Anchor {
    Anchor { query, position, begin, length }
}

fn chains(anchors: &[Anchor]) -> Vec<Chain> {
    let mut chains = Vec::new();
    let mut anchors = anchors.to_vec();
    anchors.sort_unstable();
    chain(&anchors, LENGTH, &segments(), &ChainOptions::default(), &mut chains);
    chains
}

/// Begin, end, least and greatest diagonal, weight and gap of each chain.
fn summary(chains: &[Chain]) -> Vec<[i64; 6]> {
    let of = |it: &Chain| {
        let [begin, end, weight, gap] = [it.begin, it.end, it.weight, it.gap].map(i64::from);
        [begin, end, it.low, it.high, weight, gap]
    };
    chains.iter().map(of).collect()
}

#[test]
fn anchors_that_follow_each_other_make_one_chain() {
    // Four bases deleted between the second and the third.
    let found = chains(&[anchor(0, 5, 20, 105), anchor(0, 30, 20, 130), anchor(0, 60, 30, 164)]);
    assert_eq!(summary(&found), [[5, 90, 100, 104, 70, 10]]);
}

#[test]
fn overlaps_count_once() {
    let found = chains(&[anchor(0, 0, 40, 100), anchor(0, 30, 40, 130)]);
    assert_eq!(summary(&found), [[0, 70, 100, 100, 70, 30]]);
    // Overlapping in the query because of a deletion.
    let found = chains(&[anchor(0, 0, 40, 100), anchor(0, 35, 65, 140)]);
    assert_eq!(summary(&found), [[0, 100, 100, 105, 100, 0]]);
}

#[test]
fn what_lies_within_a_chain_adds_nothing() {
    let found = chains(&[anchor(0, 0, 80, 100), anchor(0, 10, 30, 110)]);
    assert_eq!(summary(&found), [[0, 80, 100, 100, 80, 20]]);
}

#[test]
fn copies_of_a_repeat_are_apart() {
    let found = chains(&[anchor(0, 0, 80, 100), anchor(0, 0, 60, 120), anchor(0, 20, 60, 100)]);
    assert_eq!(
        summary(&found),
        [[0, 80, 100, 100, 80, 20], [20, 80, 80, 80, 60, 20], [0, 60, 120, 120, 60, 40]]
    );
}

#[test]
fn far_diagonals_and_contigs_are_apart() {
    assert_eq!(chains(&[anchor(0, 0, 30, 100), anchor(0, 40, 30, 241)]).len(), 2);
    assert_eq!(chains(&[anchor(0, 0, 30, 100), anchor(0, 40, 30, 240)]).len(), 1);
    let found = chains(&[anchor(0, 0, 30, 3970), anchor(0, 30, 30, 4000)]);
    let of: Vec<u32> = found.iter().map(|chain| chain.segment).collect();
    assert_eq!(of, [0, 1]);
}

#[test]
fn light_competitors_are_dropped_but_one() {
    let options = ChainOptions::default();
    // In the reverse query, places count from the other end of the read.
    let anchors = [anchor(1, 0, 100, 100), anchor(1, 10, 40, 1000), anchor(1, 20, 20, 2000)];
    let mut found = chains(&anchors);
    found.extend(chains(&[anchor(0, 60, 30, 500), anchor(0, 40, 60, 3000)]));
    keep_best(&mut found, LENGTH, &options);
    let kept: Vec<(u32, u32)> = found.iter().map(|chain| (chain.query, chain.weight)).collect();
    // Of those with less than half of the greatest weight, the heaviest stays.
    assert_eq!(kept, [(1, 100), (0, 60), (1, 40)]);

    let mut apart = chains(&[anchor(0, 0, 60, 100), anchor(0, 70, 20, 2000)]);
    keep_best(&mut apart, LENGTH, &options);
    assert_eq!(apart.len(), 2, "they do not share a place of the read");
    let mut many = chains(&[anchor(0, 0, 60, 100), anchor(0, 0, 60, 1000), anchor(0, 0, 60, 2000)]);
    keep_best(&mut many, LENGTH, &ChainOptions { max_chains: 2, ..options });
    assert_eq!(many.len(), 2);
}

#[test]
fn an_outscored_chain_is_a_region_without_gaps() {
    let reference =
        Reference::from_records([("a", [b'A'; 300].as_slice()), ("b", &[b'C'; 200])]).unwrap();
    let segments = Segments::new(&reference);
    let builder = RegionBuilder {
        segments: &segments,
        alt_contigs: &AltContigs::default(),
        scoring: Scoring::default(),
        band_margin: 50,
        min_chain_weight: 0,
    };
    let chain = |diagonal: i64, begin, end| {
        let (low, high) = (diagonal, diagonal);
        Chain { low, high, query: 3, segment: 0, begin, end, ..Chain::default() }
    };
    let mut runs: Vec<CigarRun> = Vec::new();
    let mut region = |chain: &Chain| {
        builder.region_without_alignment((chain, 100), WholeMatch::Outscored(73), &mut runs)
    };
    let begin = segments.get(0).indexed.start + 170;
    let found = region(&chain(i64::from(begin) - 20, 20, 98)).unwrap();
    let expected = Region {
        query: 3,
        segment: 0,
        score: 73,
        query_begin: 20,
        query_end: 98,
        begin,
        end: begin + 78,
        is_supported: true,
        ..Region::default()
    };
    assert_eq!(found, expected);
    assert!(!found.is_compared());
    // Bases beyond the border of a segment, or none, are no region.
    let end = i64::from(segments.get(0).indexed.end);
    assert_eq!(region(&chain(end - 30, 0, 30)).map(|it| it.end), Some(end as u32));
    assert_eq!(region(&chain(end - 30, 0, 31)), None);
    assert_eq!(region(&chain(end - 30, 7, 7)), None);
    assert!(runs.is_empty());
}
