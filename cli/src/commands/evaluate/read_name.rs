//! The origin of a simulated read, which is in its name.

use clap::ValueEnum;

use super::aligned_span::AlignedSpan;

/// The form of read names that have the origin of a read: values of `--truth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NameForm {
    /// `contig_left_right_...`, as wgsim and gpualign simulate name pairs
    Wgsim,
    /// `name:contig:start:strand:edits`, as gpualign simulate names single reads
    Ours,
}

/// The origin of a read in the reference; positions count from 1.
#[derive(Debug, PartialEq, Eq)]
pub enum ReadOrigin<'n> {
    /// A fragment, of which a pair is read: the mate on the forward strand begins at `left`, the other one ends at `right`.
    Fragment { contig: &'n str, left: i64, right: i64 },
    /// A single read, which begins at `start` of the forward strand.
    Read { contig: &'n str, start: i64, is_reverse: bool },
}

impl NameForm {
    /// The origin in a name; `None` if the name has another form.
    pub fn parse(self, name: &str) -> Option<ReadOrigin<'_>> {
        match self {
            Self::Wgsim => {
                // The contig's name may contain '_', too. As in wgsim_eval.pl, left and right are the last two numbers
                // that are followed by '_'.
                let ends: Vec<usize> = name.match_indices('_').map(|(at, _)| at).collect();
                ends.windows(3).rev().find_map(|ends| {
                    let left = number(&name[ends[0] + 1..ends[1]])?;
                    let right = number(&name[ends[1] + 1..ends[2]])?;
                    let contig = &name[..ends[0]];
                    (!contig.is_empty()).then_some(ReadOrigin::Fragment { contig, left, right })
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
                // The name of a contig may contain colons, that of the read does not.
                let (_, contig) = fields.next()?.split_once(':')?;
                Some(ReadOrigin::Read { contig, start, is_reverse })
            }
        }
    }
}

impl ReadOrigin<'_> {
    /// Whether a read from here is aligned where it is from, up to `tolerance` bases. The strand of a mate is not known, so
    /// a mate on the wrong strand is wrong if it is not at that end of the fragment, as in `wgsim_eval.pl`.
    pub fn is_at(&self, span: &AlignedSpan, contigs: &[String], tolerance: i64) -> bool {
        let is_on = |contig: &str| contigs.get(span.contig as usize).is_some_and(|on| on == contig);
        match *self {
            Self::Fragment { contig, left, right } => {
                is_on(contig)
                    && if span.is_reverse {
                        span.ends_at(right, tolerance)
                    } else {
                        span.begins_at(left, tolerance)
                    }
            }
            Self::Read { contig, start, is_reverse } => {
                is_on(contig) && span.is_reverse == is_reverse && span.begins_at(start, tolerance)
            }
        }
    }
}

/// A number of digits only.
fn number(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let wgsim = |name| NameForm::Wgsim.parse(name);
        let fragment = |contig, left, right| Some(ReadOrigin::Fragment { contig, left, right });
        assert_eq!(wgsim("chr20_15_514_1:0:0_2:1:0_3e"), fragment("chr20", 15, 514));
        assert_eq!(wgsim("a_1_b_15_514_1:0:0_2:1:0_0"), fragment("a_1_b", 15, 514));
        assert_eq!(wgsim("a_7_15_514_1:0:0_2:1:0_12"), fragment("a_7", 15, 514));
        for bad in ["", "r1", "chr20_15_514", "_15_514_x", "chr20_15_x_y", "chr20_-1_5_x"] {
            assert_eq!(wgsim(bad), None, "{bad}");
        }
        let ours = |name| NameForm::Ours.parse(name);
        let read = |contig, start, is_reverse| Some(ReadOrigin::Read { contig, start, is_reverse });
        assert_eq!(ours("r0:chr20:7:+:3"), read("chr20", 7, false));
        assert_eq!(ours("r12:HLA:A*01:70:-:0"), read("HLA:A*01", 70, true));
        for bad in ["", "r1", "r0:chr20:7:?:3", "chr20:7:+:3", "r0:chr20:x:+:3", "r0:c:7:+:x"] {
            assert_eq!(ours(bad), None, "{bad}");
        }
    }
}
