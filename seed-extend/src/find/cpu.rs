//! Chains of reads: seeds of some of them together on each thread, then one read after the other.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::stream::RunError;
use fm_index::{FmIndex, Segments};
use rayon::prelude::*;

use super::Chains;
use crate::anchors::{self, Anchor};
use crate::chains::{self, Chain};
use crate::options::Options;
use crate::queries::{Queries, parts};
use crate::seeding;
use crate::seeding::stages::Context;
use crate::seeds::Seed;

/// What a read is looked for with.
#[derive(Debug)]
pub struct Search<'a> {
    seeds: Context,
    segments: &'a Segments,
    options: &'a Options,
}

/// Memory that is used for one read after the other.
#[derive(Debug, Default)]
struct Room {
    anchors: Vec<Anchor>,
    chains: Vec<Chain>,
}

impl<'a> Search<'a> {
    /// For these reads.
    pub fn new(
        index: &FmIndex,
        segments: &'a Segments,
        options: &'a Options,
        queries: &Arc<Queries>,
    ) -> Self {
        let (index, queries) = (index.clone(), Arc::clone(queries));
        let seeds = Context { index, queries, options: options.seeds };
        Self { seeds, segments, options }
    }

    /// The chains of all reads, found by the current rayon pool.
    ///
    /// # Errors
    /// If the runtime refuses the stages.
    pub fn all(&self) -> Result<Chains, RunError> {
        let parts = parts(self.seeds.queries.len() / 2).map(|reads| self.some(reads));
        let parts: Vec<Chains> = parts.collect::<Result<_, _>>()?;
        let mut chains = Chains::default();
        for part in parts {
            chains.append(part);
        }
        Ok(chains)
    }

    fn some(&self, reads: Range<usize>) -> Result<Chains, RunError> {
        let reads = reads.start as u32..reads.end as u32;
        let seeds = seeding::on_cpu(&self.seeds, 2 * reads.start..2 * reads.end)?;
        let mut rest = seeds.as_slice();
        let mut room = Room::default();
        let (mut found, mut all, mut counts) = (Chains::default(), Vec::new(), Vec::new());
        for read in reads {
            let own = rest.iter().take_while(|seed| seed.query / 2 == read).count();
            let (own, others) = rest.split_at(own);
            rest = others;
            found.repeats.push(self.chain(read, own, &mut room));
            all.extend_from_slice(&room.chains);
            counts.push(room.chains.len() as u32);
        }
        found.add(all, &counts);
        Ok(found)
    }

    /// Sets the chains of a read with these seeds; gives the share that has only too frequent ones.
    fn chain(&self, read: u32, seeds: &[Seed], room: &mut Room) -> f32 {
        let Self { seeds: Context { index, queries, .. }, segments, options } = self;
        let Room { anchors, chains } = room;
        let length = queries.bases(read);
        chains.clear();
        for of_query in seeds.chunk_by(|one, next| one.query == next.query) {
            anchors.clear();
            anchors::locate(index, of_query, options.occurrences, anchors);
            anchors.sort_unstable();
            chains::chain(anchors, length, segments, &options.chains, chains);
        }
        chains::keep_best(chains, length, &options.chains);
        anchors::repeats(seeds, length, options.occurrences)
    }
}
