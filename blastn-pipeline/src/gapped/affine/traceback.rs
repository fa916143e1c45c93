//! Columns of an extension with affine gap costs, from the sources of its cells.

use super::side_pair::AffineReach;
use super::workspace::{
    AffineBuffers, COLUMN_GOES_ON, PAIR, ROW_GOES_ON, SKIP_COLUMN, SKIP_ROW, SOURCE,
};
use crate::gapped::edit_script::{EditOp, EditScript};

/// Columns of the last extension, from its far end to its begin. Rows are letters of the query.
pub fn script(work: &AffineBuffers, found: &AffineReach) -> EditScript {
    let (mut row, mut column) = (found.rows, found.columns);
    let mut script = EditScript::default();
    let mut step = PAIR;
    while row > 0 || column > 0 {
        let source = work.source(row, column);
        step = match step {
            SKIP_COLUMN if source & COLUMN_GOES_ON != 0 => SKIP_COLUMN,
            SKIP_ROW if source & ROW_GOES_ON != 0 => SKIP_ROW,
            _ => source & SOURCE,
        };
        match step {
            SKIP_COLUMN => {
                column -= 1;
                script.push(EditOp::Deletion, 1);
            }
            SKIP_ROW => {
                row -= 1;
                script.push(EditOp::Insertion, 1);
            }
            _ => {
                row -= 1;
                column -= 1;
                script.push(EditOp::Pair, 1);
            }
        }
    }
    script
}
