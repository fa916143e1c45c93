//! What the nodes do; `cuda/seeds.cu` is the same for a GPU.

use std::sync::Arc;

use aligner_core::seq::UNKNOWN;
use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::gpu::View;
use fm_index::{FmIndex, Interval};

use crate::packed::{Text, equal_after, equal_before};
use crate::queries::Queries;
use crate::seeds::{COMPARE_FROM, Seed, SeedOptions, Word};

/// Bases that a word grows by at most in one firing. Most stop after three to five, so that with 4 lanes
/// seldom wait for each other: of the steps that a warp takes on reads of human chromosome 20, 82% are at
/// work; with 8 66% are, for 37% fewer firings.
const STEPS: usize = 4;

/// Input to [`Begin`]: hunts that follow one another. Hunt `2q` is for the matches of query `q`, hunt
/// `2q + 1` for its rare words.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Hunts {
    /// Number of the first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// What becomes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The match that ends at `end` is to be looked for.
    Match,
    /// The rare word from `begin` on is to be looked for.
    Rare,
    /// The longest word that ends at `end` is on its way to the left.
    Left,
    /// The match that begins at `begin` is on its way to the right.
    Right,
    /// The rare word is on its way to the right.
    Rarer,
}

impl Way {
    const ALL: [Self; 5] = [Self::Match, Self::Rare, Self::Left, Self::Right, Self::Rarer];
}

/// A word of a query that grows, or is to be looked for.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Growing {
    /// Number of the query.
    query: u32,
    /// How often a match occurs at least: once, or more often if it is looked for again.
    least: u32,
    /// Where it occurs; not of one that is to be looked for.
    rows: Interval,
    /// Its first base in the query, from 0.
    begin: u16,
    /// Behind its last.
    end: u16,
    /// Matches that begin later are not wanted.
    last: u16,
    /// Its [`Way`].
    way: u16,
}

const _: () = assert!(size_of::<Growing>() == 28, "as in seeds.cu");

impl Growing {
    fn way(&self) -> Way {
        Way::ALL[usize::from(self.way)]
    }

    fn on(self, way: Way) -> Self {
        Self { way: way as u16, ..self }
    }

    fn length(&self) -> usize {
        usize::from(self.end - self.begin)
    }
}

/// What all nodes know.
#[derive(Debug)]
pub struct Context {
    /// The index.
    pub index: FmIndex,
    /// The queries; none if a device is to know them.
    pub queries: Arc<Queries>,
    /// Which seeds are wanted.
    pub options: SeedOptions,
}

/// The same as a device sees it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DeviceContext {
    /// The index, in the device's memory.
    pub index: View,
    /// Addresses of [`Queries::words`], [`Queries::unknown`], [`Queries::word_offsets`] and
    /// [`Queries::offsets`].
    pub queries: [u64; 4],
    /// Which seeds are wanted.
    pub options: SeedOptions,
}

impl Context {
    fn word(&self, query: u32) -> Word<'_> {
        Word { codes: self.queries.codes(query), packed: self.queries.packed(query) }
    }

    fn text(&self) -> Text<'_> {
        let reference = self.index.reference();
        Text { words: reference.words(), length: reference.indexed_len() as usize }
    }

    fn min_length(&self) -> usize {
        self.options.min_length as usize
    }

    /// Adds a base to a word, on the side where it grows, and whether it is still to grow.
    fn grow(&self, codes: &[u8], it: &mut Growing) -> bool {
        let (way, length) = (it.way(), it.length());
        let goes_left = way == Way::Left;
        let next = match way {
            Way::Left if it.rows.size == 1 && length >= COMPARE_FROM => None,
            Way::Left => it.begin.checked_sub(1),
            Way::Rarer if it.rows.size < 2 || (length > self.min_length() && self.is_rare(it)) => {
                None
            }
            _ => Some(it.end),
        };
        let Some(&code) = next.and_then(|place| codes.get(usize::from(place))) else {
            return false;
        };
        let longer = if code >= UNKNOWN {
            Interval::default()
        } else if goes_left {
            self.index.extend_left(it.rows)[usize::from(code)]
        } else {
            self.index.extend_right(it.rows)[usize::from(code)]
        };
        if way != Way::Rarer && longer.size < it.least {
            return false;
        }
        it.rows = longer;
        if goes_left {
            it.begin -= 1;
        } else {
            it.end += 1;
        }
        true
    }

    fn is_rare(&self, it: &Growing) -> bool {
        it.rows.size < self.options.rare
    }
}

const BEGUN: Channel<Growing> = Channel::new(0, "begun", 1);
const GROWING: Channel<Growing> = Channel::new(0, "growing", 1);
const SEEDS: Channel<Seed> = Channel::new(1, "seeds", 1);
const AGAIN: Channel<Growing> = Channel::new(2, "again", 1);
const GROWN: Channel<Growing> = Channel::new(1, "grown", 1);

/// Begins hunts.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Begin;

/// Decides what a word is that grows no further, and looks the one after it up.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Turn;

/// Lets a word grow.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Grow;

impl Stage for Begin {
    type In = Hunts;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Begin";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![BEGUN.describe()]
    }

    fn size(&self, hunts: &Hunts, _: &Site<'_, (), Context>) -> u32 {
        hunts.count
    }

    fn run(&self, hunts: &Hunts, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let hunt = hunts.first + site.element;
        let query = hunt / 2;
        let length = context.queries.codes(query).len();
        if length >= context.min_length() {
            let way = if hunt.is_multiple_of(2) { Way::Match } else { Way::Rare };
            let (end, last) = (context.min_length() as u16, length as u16);
            push.to(BEGUN, Growing { query, least: 1, end, last, ..Growing::zeroed().on(way) });
        }
    }
}

impl Stage for Grow {
    type In = Growing;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Grow";

    fn channels() -> Vec<ChannelType> {
        vec![GROWING.describe(), GROWN.describe()]
    }

    fn run(&self, growing: &Growing, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let (codes, mut it) = (context.queries.codes(growing.query), *growing);
        let goes_on = (0..STEPS).all(|_| context.grow(codes, &mut it));
        push.to(if goes_on { GROWING } else { GROWN }, it);
    }
}

impl Stage for Turn {
    type In = Growing;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Turn";

    fn channels() -> Vec<ChannelType> {
        vec![GROWING.describe(), SEEDS.describe(), AGAIN.describe()]
    }

    fn run(&self, grown: &Growing, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let turning = Turning { context, word: context.word(grown.query) };
        let mut it = *grown;
        match turning.settle(&mut it) {
            After::Nothing => {}
            After::Right => push.to(GROWING, it.on(Way::Right)),
            After::Next { seed, place } => {
                if let Some(seed) = seed {
                    push.to(SEEDS, seed);
                    if turning.is_looked_into_again(&it, &seed) {
                        push.to(AGAIN, again(&it, &seed));
                    }
                }
                if let Some(next) = turning.look_up(&it, place) {
                    push.to(GROWING, next);
                }
            }
        }
    }
}

/// What comes of a word that grows no further.
enum After {
    /// Its hunt is over.
    Nothing,
    /// It is on its way to the right.
    Right,
    /// Perhaps it was a seed. The next word of the hunt is to be looked for: the match that ends at this
    /// place, or the rare word that begins there.
    Next { seed: Option<Seed>, place: usize },
}

/// A query with a word that grows no further.
struct Turning<'a> {
    context: &'a Context,
    word: Word<'a>,
}

impl Turning<'_> {
    /// What comes of a word. Where a match occurs once, the text tells how far it reaches, to both sides,
    /// and it grows so far.
    fn settle(&self, it: &mut Growing) -> After {
        let (size, length, min_length) = (it.rows.size, it.length(), self.context.min_length());
        let mut first = it.rows.lo;
        let (is_seed, place) = match it.way() {
            Way::Match => (false, usize::from(it.end)),
            Way::Rare => (false, usize::from(it.begin)),
            Way::Left => {
                let compares = size == 1 && length >= COMPARE_FROM;
                if compares {
                    first = self.context.index.locate(first);
                    first -= self.grow_left(it, first);
                }
                if it.begin > it.last {
                    return After::Nothing;
                }
                let is_seed = it.length() >= min_length;
                if is_seed && !compares {
                    return After::Right;
                }
                if is_seed {
                    self.grow_right(it, first);
                }
                // What begins before a short one ends before it.
                let short = usize::from(it.begin) + min_length;
                (is_seed, if is_seed { usize::from(it.end) + 1 } else { short })
            }
            Way::Right => {
                if size == 1 {
                    first = self.context.index.locate(first);
                }
                (true, usize::from(it.end) + 1)
            }
            Way::Rarer => {
                let is_seed = length > min_length && size > 1 && self.context.is_rare(it);
                (is_seed, usize::from(it.end).max(usize::from(it.begin) + min_length + 1))
            }
        };
        let Growing { query, begin, .. } = *it;
        let length = it.length() as u16;
        let seed = is_seed.then_some(Seed { query, begin, length, first, size });
        After::Next { seed, place }
    }

    /// Lets a word that occurs at a position of the text, and only there, grow to the left as far as the
    /// text is equal, and by how many bases.
    fn grow_left(&self, it: &mut Growing, position: u32) -> u32 {
        let (begin, text) = (usize::from(it.begin), self.context.text());
        let before = equal_before(self.word.packed, begin, text, position as usize);
        it.begin -= before as u16;
        before as u32
    }

    /// The same to the right.
    fn grow_right(&self, it: &mut Growing, position: u32) {
        let place = position as usize + it.length();
        let end = usize::from(it.end);
        it.end += equal_after(self.word.packed, end, self.context.text(), place) as u16;
    }

    fn is_looked_into_again(&self, it: &Growing, seed: &Seed) -> bool {
        let options = self.context.options;
        let is_match = it.way() != Way::Rarer && it.least == 1;
        let is_long = u32::from(seed.length) >= options.split_length;
        is_match && is_long && seed.size <= options.split_occurrences
    }

    /// The next word of a hunt, if the query has room for it: the longest that ends at `place` is to grow
    /// to the left, or the rare one that begins there to the right.
    fn look_up(&self, it: &Growing, place: usize) -> Option<Growing> {
        let Context { index, .. } = self.context;
        let (table, codes) = (index.table_length(), self.word.codes);
        let (begin, end, rows, way) = if matches!(it.way(), Way::Rare | Way::Rarer) {
            if place + table.max(self.context.min_length() + 1) > codes.len() {
                return None;
            }
            let end = place + table;
            (place, end, index.lookup(&codes[place..end]), Way::Rarer)
        } else {
            if place > codes.len() {
                return None;
            }
            let word =
                place.checked_sub(table).map(|begin| (begin, index.lookup(&codes[begin..place])));
            let often = word.filter(|(_, rows)| rows.size >= it.least);
            let (begin, rows) = often.unwrap_or((place, index.root()));
            (begin, place, rows, Way::Left)
        };
        Some(Growing { begin: begin as u16, end: end as u16, rows, ..it.on(way) })
    }
}

/// A hunt for matches that contain the middle of a seed and occur more often.
fn again(it: &Growing, seed: &Seed) -> Growing {
    let middle = seed.begin + seed.length / 2;
    Growing { least: seed.size + 1, end: middle + 1, last: middle, ..it.on(Way::Match) }
}
