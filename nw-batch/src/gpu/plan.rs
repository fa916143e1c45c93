//! Which kernel does which pairs, and what memory it needs.

use crate::alphabet::UNKNOWN;
use crate::batch::Batch;
use crate::bias::Bias;
use crate::gpu::model::Place;
use crate::scoring::Scoring;

/// Lanes of a warp.
const WARP: u32 = 32;

/// A family of kernels of `cuda/warp.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Match and mismatch, linear gaps, two pairs a warp.
    Linear,
    /// Match and mismatch, affine gaps, two pairs a warp.
    Affine,
    /// Any scores and gaps by a table, two pairs a warp.
    Table,
    /// The same in 32 bits, a pair a warp.
    Wide,
}

/// One kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kernel {
    /// Its family.
    pub family: Family,
    /// Rows of a lane.
    pub rows: u32,
    /// Whether it keeps directions.
    pub trace: bool,
}

/// Pairs for one launch of a kernel.
#[derive(Debug, Clone)]
pub struct Work {
    /// The kernel.
    pub kernel: Kernel,
    /// The pairs, by their places in the batch.
    pub pairs: Vec<usize>,
    /// Their places in memory; as many as the kernel's tasks have, the last one repeated.
    pub places: Vec<Place>,
    /// Where the directions of each task begin, in words; none without trace.
    pub starts: Vec<u64>,
    /// Words of directions.
    pub direction_words: u64,
    /// Columns of the longest target if a query has more than one strip of rows, else 0.
    pub row_words: u32,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Affine, Self::Table, Self::Wide];

    fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Affine => "affine",
            Self::Table => "table",
            Self::Wide => "wide",
        }
    }

    /// Rows of a lane for which there are kernels.
    pub fn rows(self) -> &'static [u32] {
        match self {
            Self::Linear => &[8, 16, 32, 48],
            Self::Affine => &[8, 16, 32],
            Self::Table | Self::Wide => &[8, 32],
        }
    }
}

impl Kernel {
    /// Every kernel.
    pub fn all() -> impl Iterator<Item = Self> {
        Family::ALL.into_iter().flat_map(|family| {
            family
                .rows()
                .iter()
                .flat_map(move |&rows| [false, true].map(|trace| Self { family, rows, trace }))
        })
    }

    /// Its name in the source.
    pub fn name(self) -> String {
        let what = if self.trace { "trace" } else { "score" };
        format!("nw_{}_{what}_{}", self.family.name(), self.rows)
    }

    /// Pairs of a task.
    pub fn pairs_of_task(self) -> u32 {
        if self.family == Family::Wide { 1 } else { 2 }
    }

    /// Whether its directions are those of affine gaps.
    pub fn is_affine(self) -> bool {
        self.family != Family::Linear
    }

    /// Words of directions that a warp keeps of a column.
    fn words(self) -> u64 {
        let rows_of_word = if self.is_affine() { 4 } else { 8 };
        u64::from(WARP * self.rows.div_ceil(rows_of_word))
    }

    /// Strips of rows of a matrix of `rows` rows.
    fn strips(self, rows: u32) -> u32 {
        rows.div_ceil(WARP * self.rows)
    }

    /// Words of directions of a task of up to so many rows and columns.
    fn direction_words(self, rows: u32, columns: u32) -> u64 {
        u64::from(self.strips(rows)) * u64::from(columns + WARP - 1) * self.words()
    }
}

/// The work of a batch, and the pairs that are left to the CPU: those with an empty sequence, and
/// those whose directions alone take more than `budget` words.
#[derive(Debug, Default)]
pub struct Plan {
    /// Launches.
    pub work: Vec<Work>,
    /// Pairs for the CPU, by their places in the batch.
    pub left: Vec<usize>,
}

/// Plans a batch; each launch has up to `budget` words of directions.
pub fn plan(scoring: &Scoring, batch: Batch<'_>, trace: bool, budget: u64) -> Plan {
    let chooser = Chooser::new(scoring, trace);
    let mut plan = Plan::default();
    let mut sorted = Vec::with_capacity(batch.pairs.len());
    let unknown: Vec<bool> =
        (0..batch.targets.len() as u32).map(|n| batch.targets.get(n).contains(&UNKNOWN)).collect();
    for (number, &pair) in batch.pairs.iter().enumerate() {
        let place = Place::new(batch.queries, batch.targets, pair.query, pair.target);
        let kernel = chooser.kernel(place, unknown[pair.target as usize]);
        let empty = place.rows == 0 || place.columns == 0;
        if empty || (trace && kernel.direction_words(place.rows, place.columns) > budget) {
            plan.left.push(number);
        } else {
            sorted.push((kernel, place.rows, place.columns, number, place));
        }
    }
    // Pairs of a task should be of a size, and the largest tasks begin first.
    sorted.sort_unstable_by_key(|&(kernel, m, n, number, _)| {
        (kernel, std::cmp::Reverse((m.div_ceil(16), n, m)), number)
    });
    for of_kernel in sorted.chunk_by(|a, b| a.0 == b.0) {
        let kernel = of_kernel[0].0;
        let mut work = Work::new(kernel);
        for task in of_kernel.chunks(kernel.pairs_of_task() as usize) {
            let rows = task.iter().map(|pair| pair.1).max().unwrap_or(0);
            let columns = task.iter().map(|pair| pair.2).max().unwrap_or(0);
            let words = if trace { kernel.direction_words(rows, columns) } else { 0 };
            if !work.pairs.is_empty() && work.direction_words + words > budget {
                plan.work.push(std::mem::replace(&mut work, Work::new(kernel)));
            }
            for place in 0..kernel.pairs_of_task() as usize {
                work.places.push(task[place.min(task.len() - 1)].4);
            }
            work.pairs.extend(task.iter().map(|pair| pair.3));
            if trace {
                work.starts.push(work.direction_words);
            }
            work.direction_words += words;
            if kernel.strips(rows) > 1 {
                work.row_words = work.row_words.max(columns);
            }
        }
        plan.work.push(work);
    }
    plan
}

impl Work {
    fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            pairs: Vec::new(),
            places: Vec::new(),
            starts: Vec::new(),
            direction_words: 0,
            row_words: 0,
        }
    }

    /// Tasks.
    pub fn tasks(&self) -> u32 {
        self.places.len() as u32 / self.kernel.pairs_of_task()
    }
}

/// Chooses kernels for pairs.
struct Chooser {
    narrow: Bias,
    /// Whether scores are of matches and mismatches, and fit into a byte.
    simple: bool,
    linear: bool,
    trace: bool,
}

impl Chooser {
    fn new(scoring: &Scoring, trace: bool) -> Self {
        let narrow = Bias::narrow(scoring);
        let byte = |score: i32| i8::try_from(score + 2 * narrow.extend).is_ok();
        let simple =
            scoring.match_and_mismatch().is_some_and(|(equal, other)| byte(equal) && byte(other));
        Self { narrow, simple, linear: scoring.gaps().are_linear(), trace }
    }

    fn kernel(&self, place: Place, unknown: bool) -> Kernel {
        let family = if !self.narrow.fits(place.rows as usize, place.columns as usize) {
            Family::Wide
        } else if !self.simple || unknown {
            Family::Table
        } else if self.linear {
            Family::Linear
        } else {
            Family::Affine
        };
        let kernel = |rows| Kernel { family, rows, trace: self.trace };
        // A step takes about as long as six rows more than a lane has.
        let time = |kernel: &Kernel| kernel.strips(place.rows) * (kernel.rows + 6);
        let kernels = family.rows().iter().map(|&rows| kernel(rows));
        kernels.min_by_key(time).unwrap_or(kernel(8))
    }
}
