//! What to search for, and how.

use crate::error::SearchError;
use crate::sequence::dust::Dust;
use crate::scoring::Scoring;
use crate::statistics::{supported_gap_costs, tables};

/// A preset of all options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Sensitive: words of 11 bases, affine gaps by dynamic programming.
    Blastn,
    /// For similar sequences: words of 28 bases, linear gaps by greedy extension.
    Megablast,
}

impl Task {
    /// Bases of queries that are searched together, and of a query that are looked up together, at most.
    pub(crate) fn chunk(self) -> usize {
        match self {
            Self::Blastn => 1_000_000,
            Self::Megablast => 5_000_000,
        }
    }
}

/// Which strands of the queries to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strand {
    /// Both.
    Both,
    /// As given.
    Plus,
    /// The reverse complement.
    Minus,
}

/// X-drops in bits: how far a score may fall below its best before an extension ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct XDrops {
    /// Of ungapped extensions; 0 stands for the score that an ungapped alignment needs to be extended
    /// with gaps.
    pub ungapped: f64,
    /// Of gapped extensions for the score alone.
    pub gapped: f64,
    /// Of gapped extensions for the alignment.
    pub last: f64,
}

/// Everything that decides what is found.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The preset, which decides about greedy extension.
    pub task: Task,
    /// Scores.
    pub scoring: Scoring,
    /// Bases that an alignment must have in a row, at least 4.
    pub word: usize,
    /// The greatest E-value that is reported.
    pub e_value: f64,
    /// Where extensions end.
    pub x_drops: XDrops,
    /// Whether, and how, low-complexity regions of queries are masked.
    pub dust: Option<Dust>,
    /// Whether lower-case letters of queries are masked.
    pub mask_lower: bool,
    /// Whether masked letters only do not seed alignments; otherwise they are as N.
    pub soft_masking: bool,
    /// Strands of the queries.
    pub strand: Strand,
    /// Subjects reported of a query, at least 1.
    pub targets: usize,
    /// Alignments reported of a query and a subject, if limited.
    pub alignments: Option<usize>,
    /// The least percentage of identical columns.
    pub identity: f64,
    /// The least percentage of the query that an alignment covers.
    pub coverage: f64,
    /// How many higher-scoring alignments may cover the query's range of one, if limited.
    pub culling: Option<usize>,
}

impl Options {
    /// The preset.
    pub fn new(task: Task) -> Self {
        let megablast = task == Task::Megablast;
        let scoring = if megablast {
            Scoring { reward: 1, penalty: -2, gap_open: 0, gap_extend: 0 }
        } else {
            Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 }
        };
        Self {
            task,
            scoring,
            word: if megablast { 28 } else { 11 },
            e_value: 10.0,
            x_drops: XDrops {
                ungapped: if megablast { 0.0 } else { 20.0 },
                gapped: if megablast { 25.0 } else { 30.0 },
                last: 100.0,
            },
            dust: Some(Dust::default()),
            mask_lower: false,
            soft_masking: true,
            strand: Strand::Both,
            targets: 500,
            alignments: None,
            identity: 0.0,
            coverage: 0.0,
            culling: None,
        }
    }

    /// Checks that there are statistics for the scores.
    ///
    /// # Errors
    /// If there are none.
    pub fn check(&self) -> Result<(), SearchError> {
        let Scoring { reward, penalty, gap_open: open, gap_extend: extend } = self.scoring;
        if tables::gapped(&self.scoring).is_some() {
            return Ok(());
        }
        let Some(costs) = supported_gap_costs(reward, penalty) else {
            return Err(SearchError::Scores { reward, penalty });
        };
        let supported: Vec<String> =
            costs.iter().map(|(open, extend)| format!("{open} and {extend}")).collect();
        let supported = supported.join(", ");
        Err(SearchError::GapCosts { reward, penalty, open, extend, supported })
    }

    /// Whether gapped extension is greedy.
    pub(crate) fn is_greedy(&self) -> bool {
        self.task == Task::Megablast
    }

    /// Alignments whose ends are on diagonals this close can contain each other.
    pub(crate) fn diagonal_separation(&self) -> i32 {
        match self.task {
            Task::Blastn => 50,
            Task::Megablast => 6,
        }
    }

    /// Subjects kept of a query before alignments are made.
    pub(crate) fn preliminary_targets(&self) -> usize {
        (2 * self.targets).max(10).min(self.targets + 50)
    }
}
