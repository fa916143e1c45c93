//! Columns of an alignment, as runs of one kind (NCBI's `GapEditScript`).

/// A kind of column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditOp {
    /// A letter of the query beside one of the subject.
    Pair,
    /// A letter of the query beside a gap.
    Insertion,
    /// A letter of the subject beside a gap.
    Deletion,
}

/// Runs of columns of an alignment, from its begin on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditScript(Vec<(EditOp, i32)>);

/// A position between two columns of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScriptPosition {
    /// Index of the run that it is in or behind.
    run: usize,
    /// Columns of that run before it.
    columns: i32,
    /// Letters of the query before it.
    pub(crate) query: i32,
    /// Letters of the subject before it.
    pub(crate) subject: i32,
}

impl EditScript {
    /// The runs: kind and number of columns.
    pub fn ops(&self) -> &[(EditOp, i32)] {
        &self.0
    }

    /// The runs, for changes.
    pub(crate) fn ops_mut(&mut self) -> &mut Vec<(EditOp, i32)> {
        &mut self.0
    }

    /// A script of some runs, none of which is empty.
    pub(crate) fn of(runs: Vec<(EditOp, i32)>) -> Self {
        Self(runs)
    }

    /// Appends columns, to the last run if that is of the same kind.
    pub(crate) fn push(&mut self, op: EditOp, columns: i32) {
        match self.0.last_mut() {
            Some((last, count)) if *last == op => *count += columns,
            _ if columns > 0 => self.0.push((op, columns)),
            _ => {}
        }
    }

    /// A script of a left side from its far end to its begin, and a right side likewise.
    pub(crate) fn join(mut left: Self, right: &Self) -> Self {
        for &(op, columns) in right.0.iter().rev() {
            left.push(op, columns);
        }
        left
    }

    /// The first position with at least so many letters before it. Positions within gaps do not count.
    pub(crate) fn reach(&self, query: i32, subject: i32) -> Option<ScriptPosition> {
        let mut cut = ScriptPosition { run: 0, columns: 0, query: 0, subject: 0 };
        for (run, &(op, columns)) in self.0.iter().enumerate() {
            cut.run = run;
            match op {
                EditOp::Pair => {
                    let missing = (query - cut.query).max(subject - cut.subject).max(1);
                    let taken = missing.min(columns);
                    cut.query += taken;
                    cut.subject += taken;
                    cut.columns = taken;
                }
                EditOp::Insertion => {
                    cut.query += columns;
                    cut.columns = columns;
                }
                EditOp::Deletion => {
                    cut.subject += columns;
                    cut.columns = columns;
                }
            }
            if cut.query >= query && cut.subject >= subject {
                return Some(cut);
            }
        }
        None
    }

    /// The columns behind a position.
    pub(crate) fn from(&self, cut: &ScriptPosition) -> Self {
        let mut rest = self.0[cut.run..].to_vec();
        rest[0].1 -= cut.columns;
        if rest[0].1 == 0 {
            rest.remove(0);
        }
        Self(rest)
    }

    /// The columns before a position.
    pub(crate) fn up_to(&self, cut: &ScriptPosition) -> Self {
        let mut rest = self.0[..=cut.run].to_vec();
        rest[cut.run].1 = cut.columns;
        Self(rest)
    }
}
