//! Search options, with their defaults for blastn and megablast.

use crate::error::SearchError;
use crate::hsp::best_hit::BestHit;
use crate::scoring::Scoring;
use crate::sequence::dust::Dust;
use crate::statistics::{supported_gap_costs, tables};

/// Greatest X-drop, in bits.
pub const MAX_X_DROP_BITS: f64 = 10_000.0;

/// Greatest word size.
pub const MAX_WORD_SIZE: usize = 65_535;

/// NCBI's `-task`: a preset of all options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlastTask {
    /// Sensitive search: words of 11 bases, affine gap costs, gapped extension by dynamic programming.
    Blastn,
    /// Fast search for similar sequences: words of 28 bases, linear gap costs, greedy gapped extension.
    Megablast,
}

impl BlastTask {
    /// The greatest number of query bases that are searched together, and that are looked up together of one long
    /// query (NCBI's `SplitQuery_GetChunkSize`, which the environment variable `CHUNK_SIZE` overrides).
    pub(crate) fn max_batch_bases(self) -> usize {
        match self {
            Self::Blastn => 1_000_000,
            Self::Megablast => 5_000_000,
        }
    }
}

/// The strands of the queries that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strand {
    /// The plus and the minus strand.
    Both,
    /// The plus strand: queries as they are given.
    Plus,
    /// The minus strand: the reverse complements of the queries.
    Minus,
}

/// X-drops in bits, up to [`MAX_X_DROP_BITS`]: an extension ends where its score has fallen this far below the best score
/// it had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct XDrops {
    /// X-drop of ungapped extensions (`-xdrop_ungap`). 0 stands for the gap trigger: the score that an ungapped
    /// alignment needs to be extended with gaps.
    pub ungapped: f64,
    /// X-drop of preliminary gapped extensions, which compute scores without alignments (`-xdrop_gap`).
    pub gapped: f64,
    /// X-drop of final gapped extensions, which compute alignments (`-xdrop_gap_final`).
    pub gapped_final: f64,
}

/// All options that decide which alignments are found and reported. Names in parentheses are those of NCBI's blastn.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// Preset that the options began with (`-task`); it also chooses between matrices and greedy extension.
    pub task: BlastTask,
    /// Match, mismatch and gap scores (`-reward`, `-penalty`, `-gapopen`, `-gapextend`).
    pub scoring: Scoring,
    /// Equal bases in a row that an alignment must have, 4 to [`MAX_WORD_SIZE`] (`-word_size`).
    pub word_size: usize,
    /// Greatest E-value of a reported alignment, above 0 (`-evalue`).
    pub e_value: f64,
    /// X-drops, which end extensions.
    pub x_drops: XDrops,
    /// Settings for masking low-complexity regions of queries, or `None` for no such masking (`-dust`).
    pub dust: Option<Dust>,
    /// Whether lower-case letters of queries are masked (`-lcase_masking`).
    pub masks_lower_case: bool,
    /// Whether masked letters can still be aligned, though not seed alignments; if not, they count as N
    /// (`-soft_masking`).
    pub soft_masking: bool,
    /// Strands of the queries that are searched (`-strand`).
    pub strand: Strand,
    /// Greatest number of subjects reported for a query, at least 1 (`-max_target_seqs`).
    pub max_targets: usize,
    /// Greatest number of alignments reported for a query and a subject, if limited (`-max_hsps`).
    pub max_hsps: Option<usize>,
    /// Least percentage of identical columns of a reported alignment, 0 to 100 (`-perc_identity`).
    pub min_identity: f64,
    /// Least percentage of the query that a reported alignment covers, 0 to 100 (`-qcov_hsp_perc`).
    pub min_coverage: f64,
    /// Number of better alignments over the same range of the query from which on an alignment is dropped, if limited
    /// (`-culling_limit`).
    pub culling_limit: Option<usize>,
    /// How alignments are dropped that a better one covers, of whichever subject (`-best_hit_overhang`,
    /// `-best_hit_score_edge`).
    pub best_hit: Option<BestHit>,
    /// Whether alignments are dropped that a better one of the same subject covers (`-subject_besthit`).
    pub is_subject_best_hit: bool,
    /// Number of letters of the database that statistics are computed with, if not its own (`-dbsize`).
    pub database_letters: Option<u64>,
    /// The effective search space of each query, if it does not follow from the sizes of query and database (`-searchsp`).
    pub search_space: Option<i64>,
    /// The least score of an alignment with gaps, if it does not follow from the greatest E-value
    /// (`-min_raw_gapped_score`).
    pub min_gapped_score: Option<i32>,
}

impl SearchOptions {
    /// The defaults of a task, as in NCBI's blastn.
    pub fn new(task: BlastTask) -> Self {
        let megablast = task == BlastTask::Megablast;
        let scoring = if megablast {
            Scoring { reward: 1, penalty: -2, gap_open: 0, gap_extend: 0 }
        } else {
            Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 }
        };
        Self {
            task,
            scoring,
            word_size: if megablast { 28 } else { 11 },
            e_value: 10.0,
            x_drops: XDrops {
                ungapped: if megablast { 0.0 } else { 20.0 },
                gapped: if megablast { 25.0 } else { 30.0 },
                gapped_final: 100.0,
            },
            dust: Some(Dust::default()),
            masks_lower_case: false,
            soft_masking: true,
            strand: Strand::Both,
            max_targets: 500,
            max_hsps: None,
            min_identity: 0.0,
            min_coverage: 0.0,
            culling_limit: None,
            best_hit: None,
            is_subject_best_hit: false,
            database_letters: None,
            search_space: None,
            min_gapped_score: None,
        }
    }

    /// The defaults for short queries, such as primers (`-task blastn-short`).
    pub fn for_short_queries() -> Self {
        let task = Self::new(BlastTask::Blastn);
        Self { scoring: Scoring { reward: 1, penalty: -3, ..task.scoring }, word_size: 7, ..task }
    }

    /// Checks that all numbers are within their limits, and that Karlin-Altschul statistics are tabulated for the match,
    /// mismatch and gap scores.
    ///
    /// # Errors
    /// Names the number that is not, or lists the gap costs that are supported.
    pub fn check(&self) -> Result<(), SearchError> {
        let XDrops { ungapped, gapped, gapped_final } = self.x_drops;
        for (name, value, is_within_limits) in [
            ("word size", self.word_size as f64, (4..=MAX_WORD_SIZE).contains(&self.word_size)),
            ("E-value", self.e_value, self.e_value > 0.0 && self.e_value.is_finite()),
            (
                "X-drop of ungapped extensions",
                ungapped,
                (0.0..=MAX_X_DROP_BITS).contains(&ungapped),
            ),
            ("X-drop of gapped extensions", gapped, (0.0..=MAX_X_DROP_BITS).contains(&gapped)),
            (
                "X-drop of final extensions",
                gapped_final,
                (0.0..=MAX_X_DROP_BITS).contains(&gapped_final),
            ),
        ] {
            if !is_within_limits {
                return Err(SearchError::Limit { name, value });
            }
        }
        let Scoring { reward, penalty, gap_open: open, gap_extend: extend } = self.scoring;
        if !self.scoring.is_within_limits() {
            return Err(SearchError::Scores { reward, penalty });
        }
        if tables::scoring_statistics(&self.scoring).is_some() {
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

    /// Whether gapped extensions are greedy, rather than by dynamic programming matrices.
    pub(crate) fn is_greedy(&self) -> bool {
        self.task == BlastTask::Megablast
    }

    /// Number of diagonals by which the ends of two alignments must differ by less for one to contain the other
    /// (`min_diag_separation` in NCBI's `blast_options.h`).
    pub(crate) fn diagonal_separation(&self) -> i32 {
        match self.task {
            BlastTask::Blastn => 50,
            BlastTask::Megablast => 6,
        }
    }

    /// Number of subjects that are kept for a query after the preliminary search, before alignments with columns are
    /// made (NCBI's `prelim_hitlist_size`).
    pub(crate) fn preliminary_targets(&self) -> usize {
        self.max_targets.saturating_mul(2).max(10).min(self.max_targets.saturating_add(50))
    }
}
