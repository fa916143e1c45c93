//! Signatures and counts of reads as shards store them.

use bytemuck::{Pod, Zeroable};

use super::flow_cell::FlowCellPosition;
use super::signature::{Ends, ExaminedReads, FivePrimeEnd, Signature};

const IS_PAIR: u32 = 1;
const IS_FIRST_REVERSE: u32 = 2;
const HAS_POSITION: u32 = 4;
const HAS_UMI: u32 = 8;

/// A signature, with the number of its template among those of a piece.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct StoredSignature {
    /// The end of a single read twice.
    ends: [FivePrimeEnd; 2],
    /// 0 if there is none.
    umi: u64,
    pub template: u32,
    pub group: u32,
    score: u32,
    /// The sum of the constants above.
    facts: u32,
    position: FlowCellPosition,
    zero: u32,
}

/// The counts of reads of a read group.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct StoredCounts {
    pub group: u64,
    unpaired: u64,
    paired: u64,
    secondary_or_supplementary: u64,
    unmapped: u64,
}

impl StoredSignature {
    /// The stored form of the signature of a template.
    pub fn new(template: u32, signature: &Signature) -> Self {
        let &Signature { ends, group, score, is_first_reverse, position, umi } = signature;
        let fact = |holds: bool, fact: u32| if holds { fact } else { 0 };
        let (ends, is_pair) = match ends {
            Ends::One(end) => ([end; 2], false),
            Ends::Both(ends) => (ends, true),
        };
        let facts = fact(is_pair, IS_PAIR)
            | fact(is_first_reverse, IS_FIRST_REVERSE)
            | fact(position.is_some(), HAS_POSITION)
            | fact(umi.is_some(), HAS_UMI);
        let position = position.unwrap_or(FlowCellPosition::zeroed());
        let umi = umi.unwrap_or_default();
        Self { ends, umi, template, group, score, facts, position, zero: 0 }
    }

    /// The signature.
    pub fn signature(&self) -> Signature {
        let &Self { ends, umi, group, score, facts, position, .. } = self;
        let holds = |fact: u32| facts & fact != 0;
        Signature {
            ends: if holds(IS_PAIR) { Ends::Both(ends) } else { Ends::One(ends[0]) },
            group,
            score,
            is_first_reverse: holds(IS_FIRST_REVERSE),
            position: holds(HAS_POSITION).then_some(position),
            umi: holds(HAS_UMI).then_some(umi),
        }
    }
}

impl StoredCounts {
    /// The stored form of the counts of a group.
    pub fn new(group: u32, counts: ExaminedReads) -> Self {
        let ExaminedReads { unpaired, paired, secondary_or_supplementary, unmapped } = counts;
        Self { group: group.into(), unpaired, paired, secondary_or_supplementary, unmapped }
    }

    /// The counts.
    pub fn counts(&self) -> ExaminedReads {
        let &Self { unpaired, paired, secondary_or_supplementary, unmapped, .. } = self;
        ExaminedReads { unpaired, paired, secondary_or_supplementary, unmapped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_come_back() {
        let ends = [FivePrimeEnd::new(0, -3, false), FivePrimeEnd::new(1, 70, true)];
        let position = FlowCellPosition { tile: 1101, x: -5, y: 9 };
        for ends in [Ends::One(ends[1]), Ends::Both(ends)] {
            for (position, umi) in [(None, None), (Some(position), None), (None, Some(0))] {
                for is_first_reverse in [false, true] {
                    let signature =
                        Signature { ends, group: 2, score: 77, is_first_reverse, position, umi };
                    let stored = StoredSignature::new(8, &signature);
                    assert_eq!(stored.template, 8);
                    assert_eq!(stored.signature(), signature);
                }
            }
        }
    }
}
