//! What the name of a simulated read tells.

use clap::ValueEnum;

use super::place::Place;

/// How names tell the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Truth {
    /// `contig_left_right_...`, of wgsim and of pairs of gpualign simulate
    Wgsim,
    /// `name:contig:start:strand:edits`, of single reads of gpualign simulate
    Ours,
}

/// Where a read is from, 1-based.
#[derive(Debug, PartialEq, Eq)]
pub enum Source<'n> {
    /// A fragment of a pair: reads on the forward strand begin at `left`, those on the other end at
    /// `right`.
    Fragment { contig: &'n str, left: i64, right: i64 },
    /// A read with its strand, which begins here on the forward strand.
    Read { contig: &'n str, start: i64, is_reverse: bool },
}

impl Truth {
    /// What a name tells, if it is of this form.
    pub fn parse(self, name: &str) -> Option<Source<'_>> {
        match self {
            Self::Wgsim => {
                // Whatever follows, and the contig may have such marks itself: as wgsim_eval.pl, the last
                // two numbers with a mark behind them.
                let ends: Vec<usize> = name.match_indices('_').map(|(at, _)| at).collect();
                ends.windows(3).rev().find_map(|ends| {
                    let left = number(&name[ends[0] + 1..ends[1]])?;
                    let right = number(&name[ends[1] + 1..ends[2]])?;
                    let contig = &name[..ends[0]];
                    (!contig.is_empty()).then_some(Source::Fragment { contig, left, right })
                })
            }
            Self::Ours => {
                let mut fields = name.rsplitn(4, ':');
                let _edits = number(fields.next()?)?;
                let is_reverse = match fields.next()? {
                    "+" => false,
                    "-" => true,
                    _ => return None,
                };
                let start = number(fields.next()?)?;
                // The read's own name has no colon, a contig's may.
                let (_, contig) = fields.next()?.split_once(':')?;
                Some(Source::Read { contig, start, is_reverse })
            }
        }
    }
}

impl Source<'_> {
    /// Whether a read from here lies where it should, up to `tolerance` bases. A strand that should not be
    /// is told by the end that is not there, as `wgsim_eval.pl` does, for fragments.
    pub fn is_at(&self, place: &Place, contigs: &[String], tolerance: i64) -> bool {
        let is_on =
            |contig: &str| contigs.get(place.contig as usize).is_some_and(|on| on == contig);
        match *self {
            Self::Fragment { contig, left, right } => {
                is_on(contig)
                    && if place.is_reverse {
                        place.ends_at(right, tolerance)
                    } else {
                        place.begins_at(left, tolerance)
                    }
            }
            Self::Read { contig, start, is_reverse } => {
                is_on(contig) && place.is_reverse == is_reverse && place.begins_at(start, tolerance)
            }
        }
    }
}

/// Digits and nothing else.
fn number(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let wgsim = |name| Truth::Wgsim.parse(name);
        let fragment = |contig, left, right| Some(Source::Fragment { contig, left, right });
        assert_eq!(wgsim("chr20_15_514_1:0:0_2:1:0_3e"), fragment("chr20", 15, 514));
        assert_eq!(wgsim("a_1_b_15_514_1:0:0_2:1:0_0"), fragment("a_1_b", 15, 514));
        assert_eq!(wgsim("a_7_15_514_1:0:0_2:1:0_12"), fragment("a_7", 15, 514));
        for bad in ["", "r1", "chr20_15_514", "_15_514_x", "chr20_15_x_y", "chr20_-1_5_x"] {
            assert_eq!(wgsim(bad), None, "{bad}");
        }
        let ours = |name| Truth::Ours.parse(name);
        let read = |contig, start, is_reverse| Some(Source::Read { contig, start, is_reverse });
        assert_eq!(ours("r0:chr20:7:+:3"), read("chr20", 7, false));
        assert_eq!(ours("r12:HLA:A*01:70:-:0"), read("HLA:A*01", 70, true));
        for bad in ["", "r1", "r0:chr20:7:?:3", "chr20:7:+:3", "r0:chr20:x:+:3", "r0:c:7:+:x"] {
            assert_eq!(ours(bad), None, "{bad}");
        }
    }
}
