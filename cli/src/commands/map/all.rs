//! The stages of complete mapping, each on a thread of its own.
//!
//! ```text
//!   read --> prepare --> search --> format --> write
//!            the pool    device     the pool   threads of its own
//! ```

use std::ops::Range;
use std::thread;

use anyhow::Result;
use woodstocc::{Batch, Found, Mapper, Query, Searched};

use super::stages::{Formatted, Job, Stages, Totals};
use crate::input::{Batches, Reads};
use crate::output::{Formatter, Output, Spares, Written};
use crate::timeline::Step;

/// What the stages share.
#[derive(Debug)]
pub struct Pipeline<'a> {
    pub mapper: &'a Mapper,
    pub stages: Stages<'a>,
}

impl Pipeline<'_> {
    /// Maps all batches and writes and closes the file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(Totals, Written)> {
        let Self { mapper, stages } = *self;
        let spares = Spares::default();
        let totals = thread::scope(|scope| {
            let prepared = stages.prepare(scope, input.batches, |reads| self.prepare(reads));
            let searched =
                stages.step(scope, Step::Search, prepared, |batch| Ok(mapper.search(&batch)?));
            let format = |job: &Job<Found>, part| self.format(job, &part, &spares);
            let formatted = stages.format(scope, searched, input.used, Searched::by_query, format);
            stages.write(formatted, &mut output, &spares)
        })?;
        Ok((totals, stages.close(output)?))
    }

    fn prepare(&self, reads: &Reads) -> Result<Batch> {
        let queries: Vec<Query<'_>> =
            reads.iter().map(|read| Query { name: read.name, sequence: read.sequence }).collect();
        Ok(self.mapper.prepare(&queries)?)
    }

    /// Makes the records of a part of a batch.
    fn format(&self, job: &Job<Found>, part: &Range<usize>, spares: &Spares) -> Result<Formatted> {
        let Self { mapper, stages } = *self;
        let reference = mapper.index().reference();
        let makers = || (mapper.resolver(), Formatter::new(reference, stages.group, stages.eqx));
        stages.records(job, part, spares, makers, |(resolver, formatter), reads, piece, totals| {
            for number in reads {
                let read = job.reads.get(number);
                let mapping = resolver.mapping(&job.work, number, read.name);
                formatter.records(read, mapping, |record| piece.push(record, reference))?;
                totals.reads += 1;
                totals.bases += read.sequence.len() as u64;
                totals.aligned += u64::from(!mapping.is_empty());
                totals.alignments += mapping.len() as u64;
            }
            Ok(())
        })
    }
}
