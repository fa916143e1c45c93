//! The pipeline of mode all; each stage has its own thread.
//!
//! ```text
//!   read --> prepare --> search --> format --> write
//!            the pool    device     the pool
//! ```

use std::ops::Range;
use std::thread;

use anyhow::Result;
use woodstocc::{Mapper, MatchStarts, Read, ReadBatch, SearchResults};

use super::stages::{BatchState, FormattedPart, MappingTotals, StageBuilder};
use crate::input::{Batches, Reads};
use crate::output::record::all::AllRecordFormatter;
use crate::output::{Output, PiecePool, WrittenFile};
use crate::timeline::Step;

/// A run of mode all.
#[derive(Debug)]
pub struct AllPipeline<'a> {
    pub mapper: &'a Mapper,
    pub stages: StageBuilder<'a>,
}

impl AllPipeline<'_> {
    /// Maps all batches, and writes and closes the output file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(MappingTotals, WrittenFile)> {
        let Self { mapper, stages } = *self;
        let pool = PiecePool::default();
        let totals = thread::scope(|scope| {
            let prepared = stages.prepare(scope, input.batches, |reads| self.prepare(reads));
            let searched =
                stages.step(scope, Step::Search, prepared, |batch| Ok(mapper.search(&batch)?));
            let format = |batch: &BatchState<MatchStarts>, part| self.format(batch, &part, &pool);
            let formatted =
                stages.format(scope, searched, input.used, SearchResults::by_query, format);
            stages.write(formatted, &mut output, &pool)
        })?;
        Ok((totals, stages.close(output)?))
    }

    /// The queries of a batch of reads.
    fn prepare(&self, reads: &Reads) -> Result<ReadBatch> {
        let queries: Vec<Read<'_>> =
            reads.iter().map(|read| Read { name: read.name, sequence: read.sequence }).collect();
        Ok(self.mapper.prepare(&queries)?)
    }

    /// Makes the records of a part of a batch.
    fn format(
        &self,
        batch: &BatchState<MatchStarts>,
        part: &Range<usize>,
        pool: &PiecePool,
    ) -> Result<FormattedPart> {
        let Self { mapper, stages } = *self;
        let reference = mapper.index().reference();
        let makers =
            || (mapper.resolver(), AllRecordFormatter::new(reference, stages.group, stages.eqx));
        stages.records(batch, part, pool, makers, |(resolver, formatter), reads, piece, totals| {
            for number in reads {
                let read = batch.reads.get(number);
                piece.begin_template();
                let mapping = resolver.mapping(&batch.state, number, read.name);
                formatter.records(read, mapping, |record| piece.push(record, reference));
                totals.reads += 1;
                totals.bases += read.sequence.len() as u64;
                totals.aligned += u64::from(!mapping.is_empty());
                totals.alignments += mapping.len() as u64;
            }
            Ok(())
        })
    }
}
