//! Chains that are outscored: another chain of the read has a much better alignment than any that they can have.
//!
//! A read of a repeat has a chain for each copy, and most copies differ so much from the best one that nothing depends on
//! them but the score of the second best alignment. They are found without aligning them, by comparing the whole query with
//! the text on the diagonal of the chain, 32 bases at a time:
//!
//! ```text
//!         0    begin          end           length
//!  query  |-x--|===x==========|---x---|xx-xx-x-|      x: differs from the text
//!          left     middle      right    tail
//! ```
//!
//! - *At least*, a chain scores what its diagonal does without gaps: the middle, and of each side as many bases as score most.
//!   The others are the side's *tail*.
//! - *At most*, tails go on along another diagonal: each costs a gap, and of each 32 of its bases the differences on the best
//!   diagonal near, but never more than being cut off. A middle that is crowded with differences, every other base between the
//!   first and the last at least, costs two gaps at most.
//!
//! A chain is outscored if its most is less than another one's least by more than counts anywhere: for the pair, and for the
//! alternatives that are reported ([`OutscoringRules`]). Of the outscored chains of a read the one with the greatest least stays,
//! to tell how good the second best alignment is: without being aligned, with the bases that it keeps, which are the middle and both
//! sides without their tails, and the best score of any of these that follow each other. Chains of several diagonals are aligned
//! whatever they score.
//!
//! The most is an estimate, not a bound: gaps where differences are not crowded are not seen. `bwa` aligns all these chains.

use std::ops::Range;

use aligner_core::device_struct;
use fm_index::fetch;

use crate::chain::chains::Chain;
use crate::chain::whole_match::WholeMatch;
use crate::options::Options;
use crate::read::packed::{
    BASES, LOWER, PackedQuery, PackedText, different_places, different_places_before, first_bases,
};
use crate::read::queries::Queries;

/// Tails of fewer bases are taken to cost no more than their gap.
const SHORT_TAIL: usize = 12;

device_struct! {
    /// When a chain is outscored.
    #[derive(PartialEq)]
    pub struct OutscoringRules {
        /// Score of a pair of equal bases.
        pub match_score: i32,
        /// Cost of a difference: the score of the match that it is not, and the penalty of a mismatch.
        pub difference: i32,
        /// The least penalty of any gap.
        pub gap: i32,
        /// An outscored chain scores less than another by more than this: with any mate it is not a better pair than the other
        /// alone, and not counted among those that score nearly as much.
        pub max_drop: i32,
        /// An outscored chain scores less than this fraction of another: it is not reported as an alternative.
        pub min_ratio: f32,
        /// Diagonals by which an alignment may leave that of its chain.
        pub band_margin: u32,
        /// Chains of less weight are neither outscored, nor do they outscore any: they are discarded later.
        pub min_weight: u32,
    }
}

impl From<&Options> for OutscoringRules {
    fn from(options: &Options) -> Self {
        let match_score = options.scoring.match_score();
        Self {
            match_score,
            difference: match_score + options.scoring.mismatch_penalty(),
            gap: options.scoring.min_gap(),
            max_drop: options.pairs.unpaired_penalty + options.ranking.score_margin,
            min_ratio: options.report.min_secondary_ratio,
            band_margin: options.band_margin,
            min_weight: options.min_chain_weight,
        }
    }
}

impl OutscoringRules {
    /// The score that a chain must be able to reach if another chain of the read scores `best`.
    pub fn limit(&self, best: i32) -> i32 {
        (best - self.max_drop).min((best as f32 * self.min_ratio) as i32)
    }
}

/// The bases of a query on one side of its chain, as they are on the chain's diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Side {
    /// Cost of the bases next to the chain that are kept: as many as score most.
    kept: i32,
    /// Number of the others, up to the end of the query.
    tail: u32,
}

impl Side {
    /// A side of `length` bases, of which these differ: the number of bases between the chain and each, in ascending order.
    fn new(length: u32, differences: impl Iterator<Item = u32>, rules: &OutscoringRules) -> Self {
        let whole = length as i32 * rules.match_score;
        // The best score of some of the bases, which are `kept`, and what all differences so far cost.
        let (mut best, mut kept, mut cost) = (0, 0, 0);
        for before in differences {
            let score = before as i32 * rules.match_score - cost;
            if score > best {
                (best, kept) = (score, before);
            }
            cost += rules.difference;
            if whole - cost <= best {
                break; // no more bases can score more
            }
        }
        if whole - cost > best {
            (best, kept) = (whole - cost, length);
        }
        Self { kept: kept as i32 * rules.match_score - best, tail: length - kept }
    }

    /// Cost of the side, if the tail costs so much; it may be cut off.
    fn cost(self, tail: i32, rules: &OutscoringRules) -> i32 {
        self.kept + tail.min(self.tail as i32 * rules.match_score)
    }
}

/// A whole query beside the text that lies opposite on the diagonal of its chain.
#[derive(Debug, Clone, Copy)]
struct Opposite<'t> {
    query: PackedQuery<'t>,
    text: PackedText<'t>,
    /// Position of the text opposite the first base of the query.
    begin: usize,
    /// Score of the whole query if only the middle costs anything, and that no more than two gaps if it is crowded.
    whole: i32,
    /// Score of the chain, at least.
    at_least: i32,
    left: Side,
    right: Side,
}

impl<'t> Opposite<'t> {
    /// Compares the query of a chain of one diagonal with the text; `None` if some of it has no text opposite.
    fn new(
        chain: &Chain,
        query: PackedQuery<'t>,
        text: PackedText<'t>,
        rules: &OutscoringRules,
    ) -> Option<Self> {
        let begin = chain.begin_opposite(query, text)?;
        let length = query.length as u32;
        let differ = |places| different_places(query, text, begin, places);
        let right = differ(chain.end..length).map(|place| place - chain.end);
        let right = Side::new(length - chain.end, right, rules);
        let left = different_places_before(query, text, begin, chain.begin);
        let left = Side::new(chain.begin, left.map(|place| chain.begin - 1 - place), rules);
        let (mut count, mut first, mut last) = (0, 0, 0);
        for place in differ(chain.begin..chain.end) {
            first = if count == 0 { place } else { first };
            (count, last) = (count + 1, place);
        }
        let middle = count * rules.difference;
        let is_crowded = count > 0 && 2 * count > (last - first) as i32;
        let least_of_middle = if is_crowded { middle.min(2 * rules.gap) } else { middle };
        let score = length as i32 * rules.match_score;
        let cut = |side: Side| side.cost(i32::MAX, rules);
        let at_least = score - middle - cut(left) - cut(right);
        Some(Self { query, text, begin, whole: score - least_of_middle, at_least, left, right })
    }

    /// The places of the query that the chain keeps without gaps: the middle, and the sides without their tails.
    fn kept(&self) -> Range<u32> {
        self.left.tail..self.query.length as u32 - self.right.tail
    }

    /// The best score of any of the bases that follow each other among those that are kept.
    fn score_of_kept(&self, rules: &OutscoringRules) -> i32 {
        let mismatch = rules.difference - rules.match_score;
        let kept = self.kept();
        let (mut best, mut score, mut begin) = (0, 0, kept.start);
        for place in different_places(self.query, self.text, self.begin, kept.clone()) {
            score += (place - begin) as i32 * rules.match_score;
            best = best.max(score);
            (score, begin) = ((score - mismatch).max(0), place + 1);
        }
        best.max(score + (kept.end - begin) as i32 * rules.match_score)
    }

    /// Whether an alignment that leaves the diagonal by at most `margin` may score so much.
    fn may_reach(&self, limit: i32, margin: u32, rules: &OutscoringRules) -> bool {
        let Self { left, right, .. } = *self;
        if self.at_least >= limit {
            return true;
        }
        // What both sides may cost. Where tails must be looked at, few chains can reach the limit.
        let most = self.whole - limit;
        let of_right = right.cost(rules.gap, rules);
        if left.cost(rules.gap, rules) + of_right > most {
            return false;
        }
        let (end, length) = (left.tail, self.query.length as u32);
        let tail = self.tail_cost(0..end, margin, most - left.kept - of_right, rules);
        let of_left = left.cost(tail, rules);
        if of_left + of_right > most {
            return false;
        }
        let of_tail = length - right.tail..length;
        let tail = self.tail_cost(of_tail, margin, most - of_left - right.kept, rules);
        of_left + right.cost(tail, rules) <= most
    }

    /// Cost of a tail behind a gap: of each 32 bases the differences on the best diagonal near, or all of them, if that is
    /// less. It need not be exact if it is more than `most`.
    fn tail_cost(&self, tail: Range<u32>, margin: u32, most: i32, rules: &OutscoringRules) -> i32 {
        let (mut begin, end) = (tail.start as usize, tail.end as usize);
        let mut cost = rules.gap;
        if tail.len() < SHORT_TAIL {
            return cost;
        }
        // A gap of as many bases as the tail cannot pay.
        let margin = (margin as usize).min(tail.len());
        while begin < end && cost <= most {
            let count = BASES.min(end - begin);
            let (bases, unknown) =
                (fetch(self.query.words, begin), fetch(self.query.unknown, begin));
            let opposite = self.begin + begin;
            let diagonals = opposite.saturating_sub(margin)
                ..(opposite + margin + 1).min(self.text.length - count + 1);
            let mut fewest = u32::MAX;
            for position in diagonals {
                let either = bases ^ fetch(self.text.words, position);
                let differ = ((either | either >> 1) & LOWER | unknown) & first_bases(count);
                fewest = fewest.min(differ.count_ones());
            }
            let lost = count as i32 * rules.match_score;
            cost += lost.min((fewest as i32).saturating_mul(rules.difference));
            begin += count;
        }
        cost
    }
}

/// Drops the outscored chains of consecutive reads, of which `counts` has the number of chains for each read, except one for
/// each read, whose ends become those of the bases that it keeps without gaps. Chains are in the order of reads, and stay in
/// order. Returns [`WholeMatch::place`] of each that is left.
pub(super) fn drop_outscored(
    (chains, counts): (&mut Vec<Chain>, &mut [u32]),
    queries: &Queries,
    text: PackedText<'_>,
    rules: &OutscoringRules,
) -> Vec<u32> {
    let (mut begin, mut kept) = (0, 0);
    let mut compared: Vec<Option<Opposite<'_>>> = Vec::new();
    let mut is_outscored: Vec<bool> = Vec::new();
    let mut places = Vec::with_capacity(chains.len());
    for count in counts {
        let end = begin + *count as usize;
        compared.clear();
        compared.extend((begin..end).map(|number| {
            if let Some(later) = chains.get(number + Chain::AHEAD) {
                later.prefetch(text, queries.bases(later.query / 2));
            }
            let chain = &chains[number];
            let is_compared = end - begin > 1 && chain.weight >= rules.min_weight;
            let opposite = || Opposite::new(chain, queries.packed(chain.query), text, rules);
            is_compared.then(opposite).flatten()
        }));
        let best = compared.iter().flatten().map(|it| it.at_least).max();
        let limit = best.map_or(i32::MIN, |best| rules.limit(best));
        is_outscored.clear();
        is_outscored.extend(compared.iter().zip(&chains[begin..end]).map(|(it, chain)| {
            let margin = chain.gap.min(rules.band_margin);
            it.is_some_and(|it| !it.may_reach(limit, margin, rules))
        }));
        let outscored = (0..compared.len()).rev().filter(|&number| is_outscored[number]);
        let second = outscored.max_by_key(|&number| compared[number].map(|it| it.at_least));
        let first = kept;
        for (number, is_outscored) in is_outscored.iter().enumerate() {
            let mut chain = chains[begin + number];
            let query = queries.packed(chain.query);
            let whole_match = match compared[number] {
                Some(opposite) if *is_outscored => {
                    if second != Some(number) {
                        continue;
                    }
                    Range { start: chain.begin, end: chain.end } = opposite.kept();
                    WholeMatch::Outscored(opposite.score_of_kept(rules))
                }
                _ => WholeMatch::new(&chain, query, text),
            };
            chains[kept] = chain;
            places.push(whole_match.place(query.length as u32));
            kept += 1;
        }
        begin = end;
        *count = (kept - first) as u32;
    }
    chains.truncate(kept);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> OutscoringRules {
        OutscoringRules::from(&Options::default())
    }

    fn letters(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
        (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect()
    }

    /// A read and a text, and a chain of one diagonal between them.
    struct Case {
        queries: Queries,
        chain: Chain,
    }

    impl Case {
        /// A chain from `begin` to `end` of the read, which begins at a position of the text.
        fn new(read: &[u8], text: &[u8], position: usize, (begin, end): (u32, u32)) -> Self {
            let diagonal = position as i64;
            let chain = Chain { low: diagonal, high: diagonal, begin, end, ..Chain::default() };
            Self { queries: Queries::new([read, text]), chain }
        }

        fn text(&self) -> PackedText<'_> {
            let PackedQuery { words, length, .. } = self.queries.packed(2);
            PackedText { words, length }
        }

        fn opposite(&self) -> Option<Opposite<'_>> {
            Opposite::new(&self.chain, self.queries.packed(0), self.text(), &rules())
        }

        /// Whether a base of the read differs from one of the text.
        fn differs(&self, place: usize, position: usize) -> bool {
            let code = self.queries.codes(0)[place];
            code > 3 || code != self.queries.codes(2)[position]
        }

        /// Differences of some of the read's bases from the text, of which the base at `position` is opposite the first one.
        fn count(&self, places: Range<usize>, position: usize) -> i32 {
            let first = places.start;
            places.filter(|&place| self.differs(place, position + place - first)).count() as i32
        }

        /// The score of some bases of the read, each opposite the text.
        fn score_of(&self, places: Range<usize>) -> i32 {
            let position = self.chain.low as usize + places.start;
            places.len() as i32 - rules().difference * self.count(places, position)
        }

        /// The best score of any bases of the read that follow each other within a range.
        fn best_of(&self, places: Range<usize>) -> i32 {
            let from = |begin: usize| {
                let mut score = 0;
                let ends = begin..places.end;
                ends.map(move |end| {
                    score += self.score_of(end..end + 1);
                    score
                })
            };
            places.clone().flat_map(from).max().unwrap_or(0).max(0)
        }

        /// The least and the most that the chain scores, base by base and with all diagonals.
        fn expected(&self, margin: i64) -> (i32, i32) {
            let OutscoringRules { difference, gap, .. } = rules();
            let length = self.queries.codes(0).len();
            let (begin, end) = (self.chain.begin as usize, self.chain.end as usize);
            let (low, text) = (self.chain.low, self.queries.codes(2).len());
            let differ = |places: Range<usize>| {
                let position = low as usize + places.start;
                self.count(places, position)
            };
            // Cost and tail of a side, of which `kept(count)` are that many bases from the chain on.
            let side = |all: usize, kept: &dyn Fn(usize) -> Range<usize>| {
                let cost = |count: usize| (all - count) as i32 + difference * differ(kept(count));
                (0..=all).map(|count| (cost(count), count)).min().expect("there are some")
            };
            let (left, of_left) = side(begin, &|count| begin - count..begin);
            let (right, of_right) = side(length - end, &|count| end..end + count);
            let tail = |places: Range<usize>| {
                let (all, mut cost) = (places.len(), gap);
                if all >= SHORT_TAIL {
                    for first in places.clone().step_by(BASES) {
                        let part = first..places.end.min(first + BASES);
                        let reach = margin.min(all as i64);
                        // A diagonal that only a part of these bases is on is not looked at.
                        let at = |shift| usize::try_from(low + first as i64 + shift).ok();
                        let inside = (-reach..=reach)
                            .filter_map(at)
                            .filter(|position| position + part.len() <= text);
                        let fewest =
                            inside.map(|position| self.count(part.clone(), position)).min();
                        let lost = part.len() as i32;
                        cost += fewest.map_or(lost, |it| lost.min(it * difference));
                    }
                }
                cost.min(all as i32)
            };
            let with_tails = |kept: i32, tail: i32, lost: usize| kept - lost as i32 + tail;
            let most_left = with_tails(left, tail(0..begin - of_left), begin - of_left);
            let (outer, lost) = (end + of_right..length, length - end - of_right);
            let most_right = with_tails(right, tail(outer), lost);
            let middle: Vec<usize> =
                (begin..end).filter(|&place| differ(place..place + 1) == 1).collect();
            let of_middle = middle.len() as i32 * difference;
            let is_crowded = middle
                .first()
                .zip(middle.last())
                .is_some_and(|(first, last)| 2 * middle.len() > last - first);
            let least = if is_crowded { of_middle.min(2 * gap) } else { of_middle };
            let length = length as i32;
            (length - of_middle - left - right, length - least - most_left - most_right)
        }
    }

    /// The least and the most are those that are counted base by base, with crowded sides, unknown bases and ends of the text.
    #[test]
    fn scores_are_as_base_by_base() {
        let (mut tails, mut reached) = (0, [0; 2]);
        for seed in 0..3000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let length = random.usize(20..170);
            let more = random.usize(..90);
            let mut text = letters(&mut random, length + more);
            let position = random.usize(..=text.len() - length);
            let mut read = text[position..position + length].to_vec();
            for _ in 0..random.usize(..12) {
                read[random.usize(..length)] = b"ACGTN"[random.usize(..5)];
            }
            // The outer bases come from elsewhere, or from a few diagonals beside.
            let outer = random.usize(..length / 2);
            let shift = random.usize(..40);
            let other = if random.bool() && position + outer >= shift && position >= shift {
                text[position - shift..][..outer].to_vec()
            } else {
                letters(&mut random, outer)
            };
            if random.bool() {
                read[..outer].copy_from_slice(&other);
            } else {
                read[length - outer..].copy_from_slice(&other);
            }
            text.extend(letters(&mut random, 3));
            let begin = random.usize(..length);
            let end = random.usize(begin + 1..=length);
            let case = Case::new(&read, &text, position, (begin as u32, end as u32));
            let opposite = case.opposite().expect("the text is long enough");
            let margin = random.u32(..60);
            let (least, most) = case.expected(margin.into());
            assert_eq!(opposite.at_least, least, "seed {seed}");
            let kept = opposite.kept();
            let kept = kept.start as usize..kept.end as usize;
            assert!(kept.start <= begin && end <= kept.end, "seed {seed}: {kept:?}");
            assert_eq!(case.score_of(kept.clone()), least, "seed {seed}: {kept:?}");
            assert_eq!(opposite.score_of_kept(&rules()), case.best_of(kept), "seed {seed}");
            assert!(least <= most, "seed {seed}: {least} to {most}");
            for limit in [least - 3, least, least + 1, most - 9, most, most + 1, most + 30] {
                let is_expected = limit <= most;
                let may_reach = opposite.may_reach(limit, margin, &rules());
                assert_eq!(may_reach, is_expected, "seed {seed}, limit {limit} of {most}");
                reached[usize::from(may_reach)] += 1;
            }
            tails += u32::from(opposite.left.tail.max(opposite.right.tail) > 40);
        }
        assert!(tails > 300 && reached[0] > 3000 && reached[1] > 3000, "{tails}, {reached:?}");
    }

    #[test]
    fn a_query_beyond_the_text_is_not_compared() {
        let mut random = fastrand::Rng::with_seed(1);
        let text = letters(&mut random, 100);
        let at = |position: usize| Case::new(&text[60..], &text, position, (0, 20));
        assert!(at(60).opposite().is_some_and(|it| it.at_least == 40));
        assert!(at(61).opposite().is_none());
        let mut case = at(60);
        (case.chain.low, case.chain.high) = (-1, -1);
        assert!(case.opposite().is_none());
        (case.chain.low, case.chain.high) = (59, 60);
        assert!(case.opposite().is_none());
    }

    /// Copies of a read that differ from it more and more, one with a gap and one of which half is there.
    #[test]
    fn what_cannot_matter_is_dropped() {
        let mut random = fastrand::Rng::with_seed(5);
        let read = letters(&mut random, 150);
        let mut text = letters(&mut random, 200);
        let mut chains = Vec::new();
        let mut add = |text: &mut Vec<u8>, copy: &[u8], end: u32, random: &mut fastrand::Rng| {
            let diagonal = text.len() as i64;
            let ends = Chain { end, gap: 150 - end, weight: end, ..Chain::default() };
            chains.push(Chain { low: diagonal, high: diagonal, ..ends });
            text.extend_from_slice(copy);
            text.extend(letters(random, 100));
        };
        for differences in [0, 5, 6, 7, 8, 12] {
            let mut copy = read.clone();
            for number in 0..differences {
                let base = &mut copy[31 + 9 * number];
                *base = if *base == b'A' { b'C' } else { b'A' };
            }
            add(&mut text, &copy, 30, &mut random);
        }
        // Behind a gap of two bases all are equal; and half of a copy.
        add(&mut text, &[&read[..75], &read[77..]].concat(), 75, &mut random);
        add(&mut text, &read[..75], 75, &mut random);
        let queries = Queries::new([read.as_slice(), &text]);
        let packed = queries.packed(2);
        let text = PackedText { words: packed.words, length: packed.length };
        let kept = |rules: &OutscoringRules| {
            let (mut kept, mut counts) = (chains.clone(), [8, 0]);
            let places = drop_outscored((&mut kept, &mut counts), &queries, text, rules);
            let outscored = |(chain, place): (&Chain, u32)| match WholeMatch::of_place(place, 150) {
                WholeMatch::Outscored(score) => Some((score, chain.begin..chain.end)),
                _ => None,
            };
            let outscored: Vec<Option<(i32, Range<u32>)>> =
                kept.iter().zip(places).map(outscored).collect();
            assert_eq!((kept.len(), counts[1]), (counts[0] as usize, 0));
            let number = |chain: &Chain| chains.iter().position(|it| it.low == chain.low);
            (kept.iter().filter_map(number).collect::<Vec<_>>(), outscored)
        };
        let all = ([0, 1, 2, 3, 4, 5, 6, 7].to_vec(), vec![None; 8]);
        // A score of 120 of 150 is still an alternative; of the others, that with seven differences scores most. The last of them
        // is at place 85, and all bases are kept.
        let outscored = Some((150 - 7 * 5, 0..150));
        assert_eq!(kept(&rules()), (vec![0, 1, 2, 3, 6], vec![None, None, None, outscored, None]));
        // Of the half of a copy no more is kept than its bases, and some behind that happen to be equal.
        let mut half = vec![chains[0], chains[7]];
        let places = drop_outscored((&mut half, &mut [2]), &queries, text, &rules());
        let last = half[1];
        assert_eq!(WholeMatch::of_place(places[0], 150), WholeMatch::Equal);
        let WholeMatch::Outscored(score) = WholeMatch::of_place(places[1], 150) else {
            panic!("{places:?}")
        };
        assert!(last.begin == 0 && (75..85).contains(&last.end), "{last:?}");
        assert!((75..85).contains(&score), "{score}");
        // Alternatives of half the score: 75 is not less.
        assert_eq!(kept(&OutscoringRules { min_ratio: 0.5, ..rules() }), all);
        // Light chains are none of this function's, and do not count.
        assert_eq!(kept(&OutscoringRules { min_weight: 31, ..rules() }), all);
        assert_eq!(kept(&OutscoringRules { min_weight: 76, ..rules() }), all);
    }
}
