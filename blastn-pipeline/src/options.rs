//! Search options, with their defaults for each task.

use crate::error::SearchError;
use crate::hsp::best_hit::BestHit;
use crate::scoring::Scoring;
use crate::seed::template::{self, WordTemplates};
use crate::sequence::dust::Dust;
use crate::statistics::supported_gap_costs;
use crate::statistics::tables::{self, ScoringStatistics};

/// Greatest X-drop, in bits.
pub const MAX_X_DROP_BITS: f64 = 10_000.0;

/// Greatest word size.
pub const MAX_WORD_SIZE: usize = 65_535;

/// Greatest window of two word hits, and greatest distance of their diagonals.
pub const MAX_WINDOW: usize = 10_000;

/// Window of two discontiguous word hits (`BLAST_WINDOW_SIZE_DISC` in NCBI's `blast_options.h`).
const DISCONTIGUOUS_WINDOW: usize = 40;

/// NCBI's `-task`: a preset of all options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlastTask {
    /// Sensitive search: words of 11 bases, affine gap costs, gapped extension by dynamic programming.
    Blastn,
    /// Fast search for similar sequences: words of 28 bases, linear gap costs, greedy gapped extension.
    Megablast,
    /// Search for diverged sequences, as of other species: discontiguous words, of which two near each other start an
    /// extension; scores and gapped extension of blastn.
    DcMegablast,
}

impl BlastTask {
    /// The greatest number of query bases that are searched together, and that are looked up together of one long
    /// query (NCBI's `SplitQuery_GetChunkSize`, which the environment variable `CHUNK_SIZE` overrides).
    pub(crate) fn max_batch_bases(self) -> usize {
        match self {
            Self::Blastn => 1_000_000,
            Self::Megablast | Self::DcMegablast => 5_000_000,
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
#[allow(clippy::struct_excessive_bools, reason = "each is an option of NCBI's")]
pub struct SearchOptions {
    /// Preset that the options began with (`-task`).
    pub task: BlastTask,
    /// Match, mismatch and gap scores (`-reward`, `-penalty`, `-gapopen`, `-gapextend`).
    pub scoring: Scoring,
    /// Equal bases in a row that an alignment must have, 4 to [`MAX_WORD_SIZE`]; of discontiguous words, the bases that are
    /// compared, 11 or 12 (`-word_size`).
    pub word_size: usize,
    /// The templates of discontiguous words, if words are discontiguous (`-template_type`, `-template_length`).
    pub templates: Option<WordTemplates>,
    /// Number of subject bases that must have the ends of two word hits for an ungapped extension, up to [`MAX_WINDOW`]; 0
    /// if a single one is enough (`-window_size`).
    pub window: usize,
    /// Greatest distance of the diagonals of two such word hits, up to [`MAX_WINDOW`] (`-off_diagonal_range`).
    pub off_diagonal_range: usize,
    /// Whether alignments have no gaps (`-ungapped`).
    pub is_ungapped: bool,
    /// Whether alignments of a query and a subject that may follow each other have an E-value together, by sum statistics
    /// (`-sum_stats`).
    pub has_sum_statistics: bool,
    /// Whether gapped extensions are greedy, rather than by dynamic programming matrices (not `-no_greedy`).
    pub is_greedy: bool,
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
        let is_discontiguous = task == BlastTask::DcMegablast;
        Self {
            task,
            scoring,
            word_size: if megablast { 28 } else { 11 },
            templates: is_discontiguous.then(WordTemplates::default),
            window: if is_discontiguous { DISCONTIGUOUS_WINDOW } else { 0 },
            off_diagonal_range: 0,
            is_ungapped: false,
            has_sum_statistics: false,
            is_greedy: megablast,
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
            ("window of two word hits", self.window as f64, self.window <= MAX_WINDOW),
            (
                "distance of diagonals",
                self.off_diagonal_range as f64,
                self.off_diagonal_range <= MAX_WINDOW,
            ),
        ] {
            if !is_within_limits {
                return Err(SearchError::Limit { name, value });
            }
        }
        if self.templates.is_some() && !template::WEIGHTS.contains(&self.word_size) {
            return Err(SearchError::TemplateWord { word_size: self.word_size });
        }
        if self.off_diagonal_range > 0 && self.window == 0 {
            return Err(SearchError::NoWindow);
        }
        let Scoring { reward, penalty, gap_open: open, gap_extend: extend } = self.scoring;
        if !self.scoring.is_within_limits() {
            return Err(SearchError::Scores { reward, penalty });
        }
        if !self.is_ungapped && !self.is_greedy && self.scoring.is_linear() {
            return Err(SearchError::LinearCosts);
        }
        if self.statistics().is_some() {
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

    /// The statistics of the scores, or `None` if they are not supported. Those of alignments without gaps follow from any
    /// scores.
    pub(crate) fn statistics(&self) -> Option<ScoringStatistics> {
        if self.is_ungapped {
            return Some(ScoringStatistics::UNGAPPED);
        }
        tables::scoring_statistics(&self.scoring)
    }

    /// What of the search no kernel does, if there is anything: such a search runs on the CPU alone.
    pub fn needs_cpu(&self) -> Option<&'static str> {
        [
            (self.is_ungapped, "-ungapped"),
            (self.templates.is_some(), "a search for discontiguous words (dc-megablast)"),
            (self.window > 0, "-window_size"),
            (self.has_sum_statistics, "-sum_stats true"),
            (self.is_greedy && !self.scoring.is_linear(), "megablast with affine gap costs"),
            (!self.is_greedy && self.task == BlastTask::Megablast, "megablast with -no_greedy"),
        ]
        .into_iter()
        .find_map(|(is_asked, what)| is_asked.then_some(what))
    }

    /// Number of diagonals by which the ends of two alignments must differ by less for one to contain the other
    /// (`min_diag_separation` in NCBI's `blast_options.h`).
    pub(crate) fn diagonal_separation(&self) -> i32 {
        match self.task {
            BlastTask::Blastn => 50,
            BlastTask::Megablast | BlastTask::DcMegablast => 6,
        }
    }

    /// Number of subjects that are kept for a query after the preliminary search, before alignments with columns are
    /// made (NCBI's `prelim_hitlist_size`). Alignments without gaps are final by then.
    pub(crate) fn preliminary_targets(&self) -> usize {
        if self.is_ungapped {
            return self.max_targets;
        }
        self.max_targets.saturating_mul(2).max(10).min(self.max_targets.saturating_add(50))
    }
}
