//! Which parts of the input a shard has.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The most shards of a run; all of their files are open while they are merged.
const MAX_SHARDS: u32 = 512;

/// The number of a shard and how many there are, as `--shard I/N` gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1 to `count`.
    pub number: u32,
    pub count: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        match numbers {
            None => Err("not of the form I/N, such as 2/7".to_owned()),
            Some(Self { count, .. }) if !(1..=MAX_SHARDS).contains(&count) => {
                Err(format!("a run has 1 to {MAX_SHARDS} shards"))
            }
            Some(Self { number, count }) if !(1..=count).contains(&number) => {
                Err(format!("the shards of {count} are 1/{count} to {count}/{count}"))
            }
            Some(shard) => Ok(shard),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.count)
    }
}

/// A unit of the input: consecutive templates of a lane, pairs of sequences, or queries. By comparison, units are in the order
/// of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// The number of the lane, from 0; 0 if there are no lanes.
    pub lane: u64,
    /// The number of the unit in its lane, from 0.
    pub number: u64,
}

/// The units of a shard: every N-th one of each lane. The first unit of each lane is that of another shard, so that many small
/// lanes are shared, too.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub shard: Shard,
    /// Items of a unit: templates, pairs of sequences, or queries.
    pub unit_size: u64,
}

impl Share {
    /// The unit of an item of a lane.
    pub fn unit_of(self, lane: usize, item: u64) -> Unit {
        Unit { lane: lane as u64, number: item / self.unit_size }
    }

    /// Whether the shard has this unit.
    pub fn has(self, Unit { lane, number }: Unit) -> bool {
        (lane + number) % u64::from(self.shard.count) + 1 == u64::from(self.shard.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_numbered_from_one() {
        let parse = |text: &str| text.parse::<Shard>();
        assert_eq!(parse("2/7"), Ok(Shard { number: 2, count: 7 }));
        assert_eq!(parse("1/1"), Ok(Shard { number: 1, count: 1 }));
        for (wrong, reason) in [
            ("", "I/N"),
            ("3", "I/N"),
            ("1/x", "I/N"),
            ("-1/2", "I/N"),
            ("0/2", "1/2 to 2/2"),
            ("3/2", "1/2 to 2/2"),
            ("0/0", "1 to 512"),
            ("1/513", "1 to 512"),
        ] {
            let problem = parse(wrong).expect_err(wrong);
            assert!(problem.contains(reason), "{wrong}: {problem}");
        }
    }

    #[test]
    fn each_unit_is_of_one_shard() {
        for count in 1..5 {
            let shares =
                (1..=count).map(|number| Share { shard: Shard { number, count }, unit_size: 10 });
            let shares: Vec<Share> = shares.collect();
            for (lane, item) in [(0, 0), (0, 9), (0, 10), (1, 0), (2, 35), (3, 1 << 40)] {
                let unit = shares[0].unit_of(lane, item);
                assert_eq!(unit, Unit { lane: lane as u64, number: item / 10 });
                assert_eq!(shares.iter().filter(|share| share.has(unit)).count(), 1);
            }
        }
    }
}
