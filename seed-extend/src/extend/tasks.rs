//! Alignment tasks: which query is aligned to which window of the text, in which band of diagonals.

use std::ops::Range;

use aligner_core::device_struct;

use super::columns::Prediction;
use crate::read::encoding::bases_of;
use crate::read::packed::PackedText;
use crate::read::queries::Queries;

/// Bases of the longest query, and of the longest window.
pub const MAX_LENGTH: usize = 1 << 20;

/// Cells of the largest matrix: bases of the query times diagonals of the band.
pub const MAX_CELLS: u64 = 1 << 28;

device_struct! {
    /// A task: a query, a window of the text, and a band of diagonals. A diagonal is a place in the window minus a
    /// place in the query, both from 0.
    #[derive(PartialEq, Eq, Default)]
    pub struct AlignmentTask {
        /// First base of the query among the codes of all queries.
        pub query_start: u32,
        /// Bases of the query.
        pub query_len: u32,
        /// First base of the window in the text.
        pub window_start: u32,
        /// Bases of the window.
        pub window_len: u32,
        /// The least diagonal of the band.
        pub low: i32,
        /// The greatest diagonal of the band. If it is less than `low`, there is no alignment.
        pub high: i32,
        /// 1 if the query is the reverse complement of a read, so that it begins with the read's 3' end, else 0.
        pub is_reverse: u32,
        /// Where the alignment is predicted, for the span to say whether it lies there.
        pub prediction: Prediction,
    }
}

/// The text that windows are parts of.
#[derive(Debug, Clone, Copy)]
pub enum ReferenceText<'a> {
    /// Codes 0 to 4, a byte each; 4 is an unknown base.
    Codes(&'a [u8]),
    /// Known bases, 32 a word, the first in the lowest two bits: the form of `fm-index`.
    Packed(&'a [u64]),
}

/// The codes of all queries.
#[derive(Debug, Clone, Copy)]
pub enum QueryCodes<'a> {
    /// Codes 0 to 4, a byte each, one query after the other.
    Codes(&'a [u8]),
    /// The codes of reads as queries, which are made when they are asked for. A task's query is a whole query of the reads.
    OfReads(&'a Queries),
}

/// Tasks, with the queries and the text that they refer to.
#[derive(Debug, Clone, Copy)]
pub struct TaskBatch<'a> {
    /// The codes of all queries.
    pub queries: QueryCodes<'a>,
    /// The text that windows are parts of.
    pub text: ReferenceText<'a>,
    /// The tasks, in any order.
    pub tasks: &'a [AlignmentTask],
}

device_struct! {
    /// Score and end of the best alignment of a task. All fields are 0 if no alignment scores more than 0.
    #[derive(PartialEq, Eq, Default)]
    pub struct AlignmentEnd {
        /// Score of the alignment.
        pub score: i32,
        /// End in the query, exclusive.
        pub query_end: u32,
        /// End in the window, exclusive.
        pub window_end: u32,
    }
}

impl ReferenceText<'_> {
    /// Number of bases; of a packed text, rounded up to whole words.
    pub fn len(self) -> usize {
        match self {
            Self::Codes(codes) => codes.len(),
            Self::Packed(words) => words.len() * 32,
        }
    }

    /// Whether it has no bases.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Starts to fetch the first and the last of these places of a packed text into the cache.
    pub(super) fn prefetch(self, places: Range<u32>) {
        if let Self::Packed(words) = self {
            PackedText { words, length: self.len() }
                .prefetch(places.start.into()..places.end.into());
        }
    }

    /// Fills `codes` with the codes of the text from `start` on.
    pub fn read(self, start: usize, codes: &mut [u8]) {
        match self {
            Self::Codes(all) => codes.copy_from_slice(&all[start..start + codes.len()]),
            Self::Packed(words) => {
                for (number, codes) in codes.chunks_mut(32).enumerate() {
                    unpack(words, start + 32 * number, codes);
                }
            }
        }
    }
}

/// Fills `codes`, up to 32, with the codes of a packed text from `start` on.
fn unpack(words: &[u64], start: usize, codes: &mut [u8]) {
    let (first, shift) = (start / 32, 2 * (start % 32));
    let mut word = words[first] >> shift;
    if shift > 0 && start % 32 + codes.len() > 32 {
        word |= words[first + 1] << (64 - shift);
    }
    codes.copy_from_slice(&bases_of(word)[..codes.len()]);
}

impl<'a> QueryCodes<'a> {
    /// The number of codes.
    pub fn len(self) -> usize {
        match self {
            Self::Codes(codes) => codes.len(),
            Self::OfReads(queries) => queries.all_bases(),
        }
    }

    /// Whether there are no codes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The codes of all queries.
    pub fn all(self) -> &'a [u8] {
        match self {
            Self::Codes(codes) => codes,
            Self::OfReads(queries) => queries.all_codes(),
        }
    }

    /// Appends the codes of a task's query, without making those of other queries.
    fn append(self, task: AlignmentTask, codes: &mut Vec<u8>) {
        match self {
            Self::Codes(all) => codes.extend_from_slice(query_of(all, task)),
            // Other queries begin there, too.
            Self::OfReads(_) if task.query_len == 0 => {}
            Self::OfReads(queries) => {
                queries.packed(queries.starting_at(task.query_start)).append_codes(codes);
            }
        }
    }
}

/// The codes of a task's query among all codes.
fn query_of(codes: &[u8], task: AlignmentTask) -> &[u8] {
    &codes[task.query_start as usize..][..task.query_len as usize]
}

impl<'a> TaskBatch<'a> {
    /// The codes of a task's query.
    pub fn query(&self, task: AlignmentTask) -> &'a [u8] {
        query_of(self.queries.all(), task)
    }

    /// The codes of the tasks' queries alone, and the tasks with `query_start` in these. A task shares the codes of the two queries
    /// that were copied last, so that tasks of both strands of a read, in any order, copy each strand once. `None` if that is not
    /// less than half of the codes of all queries, so that copying does not pay.
    pub(super) fn own_codes(&self) -> Option<(Vec<u8>, Vec<AlignmentTask>)> {
        let mut codes = Vec::new();
        let mut moved = Vec::with_capacity(self.tasks.len());
        // The queries that were copied last, and where their codes begin.
        let mut copied: [Option<((u32, u32), u32)>; 2] = [None; 2];
        for &task in self.tasks {
            let query = (task.query_start, task.query_len);
            let known = copied.iter().flatten().find(|(other, _)| *other == query);
            let query_start = if let Some(&(_, begin)) = known {
                begin
            } else {
                // All queries have less than 2^32 codes.
                let begin = codes.len() as u32;
                self.queries.append(task, &mut codes);
                if 2 * codes.len() >= self.queries.len() {
                    return None;
                }
                copied = [Some((query, begin)), copied[0]];
                begin
            };
            moved.push(AlignmentTask { query_start, ..task });
        }
        Some((codes, moved))
    }

    /// The codes of a task's window.
    pub fn window(&self, task: AlignmentTask) -> Vec<u8> {
        let mut codes = vec![0; task.window_len as usize];
        self.text.read(task.window_start as usize, &mut codes);
        codes
    }

    /// Checks that all tasks lie within the queries and the text, and within limits.
    ///
    /// # Panics
    /// If the query or window of a task lies beyond those, or is longer than [`MAX_LENGTH`], or if the task has more
    /// than [`MAX_CELLS`] cells.
    pub fn check(&self) {
        for (number, task) in self.tasks.iter().enumerate() {
            self.check_one(number, task);
        }
    }

    /// Checks one task, which has this number, as [`check`](Self::check) does.
    fn check_one(&self, number: usize, task: &AlignmentTask) {
        let inside = |start: u32, len: u32, of: usize| {
            start as usize + len as usize <= of && len as usize <= MAX_LENGTH
        };
        let fits = inside(task.query_start, task.query_len, self.queries.len())
            && inside(task.window_start, task.window_len, self.text.len());
        assert!(fits, "task {number} is of codes that are not there: {task:?}");
        let (low, high) = (i64::from(task.low), i64::from(task.high));
        let width = (high - low + 1).clamp(0, i64::from(task.query_len + task.window_len));
        let cells = width as u64 * u64::from(task.query_len);
        assert!(cells <= MAX_CELLS, "task {number} is too large: {task:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_text_read_the_same() {
        let codes: Vec<u8> =
            (0..100_u32).map(|i| (i.wrapping_mul(0x9E37_79B1) >> 30) as u8).collect();
        let words: Vec<u64> = codes
            .chunks(32)
            .map(|chunk| chunk.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code)))
            .collect();
        for start in 0..100 {
            for end in start..=100 {
                let mut read = [vec![9; end - start], vec![9; end - start]];
                ReferenceText::Codes(&codes).read(start, &mut read[0]);
                ReferenceText::Packed(&words).read(start, &mut read[1]);
                assert_eq!(read[0], codes[start..end]);
                assert_eq!(read[1], codes[start..end]);
            }
        }
    }

    #[test]
    fn tasks_of_reads_have_the_codes_of_their_queries() {
        // The second read has no bases, so that its queries begin where those of the third one do.
        let reads = [b"ACGTN".as_slice(), b"", b"GGATC", b"TTTTTT"];
        let (queries, codes) = (Queries::new(reads), Queries::new(reads));
        let task = |query| {
            let (query_start, query_len) = (queries.start(query), queries.length(query) as u32);
            AlignmentTask { query_start, query_len, ..AlignmentTask::default() }
        };
        let tasks = [task(4), task(4), task(1), task(4), task(1), task(2), task(1)];
        let text = ReferenceText::Codes(&[]);
        let of_reads = TaskBatch { queries: QueryCodes::OfReads(&queries), text, tasks: &tasks };
        let codes = codes.all_codes();
        let of_codes = TaskBatch { queries: QueryCodes::Codes(codes), ..of_reads };
        let own = of_reads.own_codes();
        assert_eq!(
            own.as_ref().map(|(codes, _)| codes.as_slice()),
            Some(&[2, 2, 0, 3, 1, 4, 0, 1, 2, 3][..])
        );
        assert_eq!(own, of_codes.own_codes());
        assert_eq!(of_reads.queries.len(), codes.len());
        assert!(tasks.iter().all(|&task| of_reads.query(task) == of_codes.query(task)));
    }

    #[test]
    fn few_tasks_of_many_codes_have_their_own() {
        let queries: Vec<u8> = (0..60).map(|code| code % 5).collect();
        let task = |query_start, query_len| AlignmentTask {
            query_start,
            query_len,
            ..AlignmentTask::default()
        };
        let (one, other) = (task(30, 9), task(31, 4));
        let tasks = [one, one, other, one, other, task(3, 0), other, task(0, 2), task(0, 2), one];
        let all = TaskBatch {
            queries: QueryCodes::Codes(&queries),
            text: ReferenceText::Codes(&[]),
            tasks: &tasks,
        };
        let (codes, own) = all.own_codes().unwrap();
        // The first query is copied again when two others were.
        assert_eq!(codes.len(), 9 + 4 + 2 + 9);
        assert_eq!(own.len(), tasks.len());
        for (&own, task) in own.iter().zip(tasks) {
            let of_own = TaskBatch { queries: QueryCodes::Codes(&codes), ..all };
            assert_eq!(of_own.query(own), all.query(task));
            assert_eq!(AlignmentTask { query_start: task.query_start, ..own }, task);
        }
        let many = [task(0, 30)];
        assert_eq!(TaskBatch { tasks: &many, ..all }.own_codes(), None);
    }

    #[test]
    #[should_panic(expected = "task 1 is of codes")]
    fn tasks_beyond_the_text_are_refused() {
        let task = |window_start| AlignmentTask {
            query_len: 2,
            window_start,
            window_len: 3,
            ..AlignmentTask::default()
        };
        let tasks = [task(1), task(2)];
        let queries = QueryCodes::Codes(&[0, 1]);
        TaskBatch { queries, text: ReferenceText::Codes(&[0; 4]), tasks: &tasks }.check();
    }
}
