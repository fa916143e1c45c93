//! Random tasks for the tests of engines.
#![allow(dead_code, clippy::missing_panics_doc, clippy::expect_used)]

use fastrand::Rng;
use seed_extend::extend::{
    Alignment, AlignmentEnd, AlignmentTask, ClipPenalties, GapPenalty, Prediction, QueryCodes,
    ReferenceText, Scoring, ScoringParameters, TaskBatch, oracle,
};

/// Tasks with all that they are of.
#[derive(Debug, Default)]
pub struct Case {
    pub queries: Vec<u8>,
    pub text: Vec<u8>,
    pub tasks: Vec<AlignmentTask>,
}

impl Case {
    pub fn tasks(&self) -> TaskBatch<'_> {
        TaskBatch {
            queries: QueryCodes::Codes(&self.queries),
            text: ReferenceText::Codes(&self.text),
            tasks: &self.tasks,
        }
    }

    /// The text as words; an unknown base is some base there.
    pub fn packed(&self) -> Vec<u64> {
        let word = |codes: &[u8]| {
            codes.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code & 3))
        };
        self.text.chunks(32).map(word).collect()
    }

    /// Adds a task of its own query and window. Every second query counts as the reverse complement of a read.
    pub fn add(&mut self, query: &[u8], window: &[u8], low: i32, high: i32) {
        // Some place near the middle of the query and of the band, another one for each task.
        let (number, middle) = (self.tasks.len() as i32, (query.len() / 2) as u32);
        let diagonal = i32::midpoint(low, high) + number % 3 - 1;
        let prediction = Prediction {
            low: diagonal,
            high: diagonal + number % 2,
            begin: middle,
            end: middle + number as u32 % 4,
        };
        self.tasks.push(AlignmentTask {
            query_start: self.queries.len() as u32,
            query_len: query.len() as u32,
            window_start: self.text.len() as u32,
            window_len: window.len() as u32,
            low,
            high,
            is_reverse: self.tasks.len() as u32 % 2,
            prediction,
        });
        self.queries.extend_from_slice(query);
        self.text.extend_from_slice(window);
    }

    /// The alignment of each task by the oracle.
    pub fn expected(&self, scoring: Scoring) -> Vec<Alignment> {
        let all = self.tasks();
        let align = |&task: &AlignmentTask| {
            let clips = scoring.query_clips(task.is_reverse != 0);
            let (query, window) = (all.query(task), all.window(task));
            let found = oracle::align(scoring, clips, query, &window, (task.low, task.high));
            oracle::judged(found, &task, scoring)
        };
        self.tasks.iter().map(align).collect()
    }
}

/// The ends of alignments.
pub fn scored(all: &[Alignment]) -> Vec<AlignmentEnd> {
    let ends = |it: &Alignment| AlignmentEnd {
        score: it.span.score,
        query_end: it.span.query_end,
        window_end: it.span.window_end,
    };
    all.iter().map(ends).collect()
}

/// A scoring from the score of a match, the penalty of a mismatch, those of opening and extending a deletion and an
/// insertion, and those of clipping the 5' and the 3' end.
pub fn scoring(
    match_score: i32,
    mismatch_penalty: i32,
    [deletion, insertion]: [[i32; 2]; 2],
    [five_prime, three_prime]: [i32; 2],
) -> Scoring {
    let gap = |[open, extend]: [i32; 2]| GapPenalty { open, extend };
    Scoring::new(ScoringParameters {
        match_score,
        mismatch_penalty,
        deletion: gap(deletion),
        insertion: gap(insertion),
        clip: ClipPenalties { five_prime, three_prime },
    })
    .expect("within limits")
}

/// Kinds of scorings: that of bwa mem, and others of which each is extreme in its way.
pub fn scorings() -> Vec<Scoring> {
    vec![
        scoring(1, 4, [[6, 1]; 2], [5; 2]),
        scoring(1, 1, [[0, 1]; 2], [0; 2]),
        scoring(2, 3, [[5, 2]; 2], [100; 2]),
        scoring(5, 1, [[0, 3]; 2], [7; 2]),
        scoring(1, 4, [[60, 1]; 2], [0; 2]),
        scoring(200, 300, [[400, 30]; 2], [500; 2]),
        scoring(500, 500, [[500, 500]; 2], [500; 2]),
        scoring(1, 4, [[6, 1], [8, 2]], [5, 10]),
        scoring(1, 4, [[9, 3], [1, 1]], [12, 0]),
        scoring(3, 2, [[0, 1], [500, 500]], [0, 9]),
        scoring(2, 5, [[500, 1], [0, 2]], [3, 300]),
    ]
}

/// Random codes below `letters`.
pub fn sequence(random: &mut Rng, len: usize, letters: u8) -> Vec<u8> {
    (0..len).map(|_| random.u8(..letters)).collect()
}

/// A copy with so many changes: bases replaced, left out, and put in.
pub fn mutate(random: &mut Rng, codes: &[u8], changes: usize, letters: u8) -> Vec<u8> {
    let mut copy = codes.to_vec();
    for _ in 0..changes {
        let place = random.usize(..=copy.len());
        let length = 1 + random.usize(..3);
        match random.u8(..4) {
            0 => copy.splice(place..place, sequence(random, length, letters)).for_each(drop),
            1 => drop(copy.drain(place..copy.len().min(place + length))),
            _ if place < copy.len() => copy[place] = random.u8(..letters),
            _ => {}
        }
    }
    copy
}

/// A query like a part of a window, and a band about where it is from, or anywhere.
pub fn add_random(random: &mut Rng, case: &mut Case, longest: usize, letters: u8) {
    let n = random.usize(..=longest + longest / 4);
    let mut window = sequence(random, n, letters);
    if random.u8(..4) == 0 {
        // Repeats, which align in many ways.
        let period = 1 + random.usize(..4);
        (period..n).for_each(|i| window[i] = window[i - period]);
    }
    let start = random.usize(..=n);
    let end = (start + random.usize(..=longest)).min(n);
    let changes = random.usize(..=(end - start).div_ceil(12));
    let query = mutate(random, &window[start..end], changes, letters);
    let (low, high) = match random.u8(..8) {
        0 => (-random.i32(0..1000), random.i32(0..1000)),
        1 => (random.i32(-9..9), random.i32(-9..9)),
        _ => {
            let width = random.i32(0..40);
            let low = start as i32 - random.i32(0..=width);
            (low, low + width)
        }
    };
    case.add(&query, &window, low, high);
}
