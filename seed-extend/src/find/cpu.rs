//! Chains of reads, one read after the other on each thread.

use fm_index::{FmIndex, Segments};
use rayon::prelude::*;

use super::Chains;
use crate::anchors::{self, Anchor};
use crate::chains::{self, Chain};
use crate::options::Options;
use crate::queries::{Queries, parts};
use crate::seeds::{Seed, Seeder};

/// What a read is looked for with.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    index: &'a FmIndex,
    segments: &'a Segments,
    options: &'a Options,
    queries: &'a Queries,
    seeder: Seeder<'a>,
}

/// Memory that is used for one read after the other.
#[derive(Debug, Default)]
struct Room {
    seeds: Vec<Seed>,
    anchors: Vec<Anchor>,
    chains: Vec<Chain>,
}

impl<'a> Search<'a> {
    /// For these reads.
    pub fn new(
        index: &'a FmIndex,
        segments: &'a Segments,
        options: &'a Options,
        queries: &'a Queries,
    ) -> Self {
        Self { index, segments, options, queries, seeder: Seeder::new(index, options.seeds) }
    }

    /// The chains of all reads.
    pub fn all(&self) -> Chains {
        let parts: Vec<Chains> = parts(self.queries.len() / 2)
            .map_init(Room::default, |room, reads| {
                let mut found = Chains::default();
                for read in reads {
                    found.repeats.push(self.find(read as u32, room));
                    found.of_reads.push(&room.chains);
                }
                found
            })
            .collect();
        let mut chains = Chains::default();
        for part in parts {
            chains.of_reads.append(part.of_reads);
            chains.repeats.extend(part.repeats);
        }
        chains
    }

    /// The chains of one read, and the share of it that has only seeds which are too frequent.
    pub fn read(&self, read: u32) -> (Vec<Chain>, f32) {
        let mut room = Room::default();
        let repeats = self.find(read, &mut room);
        (room.chains, repeats)
    }

    fn find(&self, read: u32, room: &mut Room) -> f32 {
        let Self { index, segments, options, queries, seeder } = self;
        let Room { seeds, anchors, chains } = room;
        let length = queries.bases(read);
        seeds.clear();
        chains.clear();
        for query in [2 * read, 2 * read + 1] {
            let first = seeds.len();
            seeder.seeds(queries, query, seeds);
            anchors.clear();
            for seed in &seeds[first..] {
                anchors::locate(index, seed, options.occurrences, anchors);
            }
            anchors.sort_unstable();
            chains::chain(anchors, length, segments, &options.chains, chains);
        }
        chains::keep_best(chains, length, &options.chains);
        anchors::repeats(seeds, length, options.occurrences)
    }
}
