//! The pipeline of mode all; each stage has its own thread.
//!
//! ```text
//!   read --> prepare --> search --> format --> write
//!            the pool    device     the pool
//! ```

use std::ops::Range;
use std::thread;

use anyhow::Result;
use rayon::prelude::*;
use woodstocc::{Mapper, MatchStarts, Read, ReadBatch, ReadLoci, Resolver, SearchResults};

use super::stages::{
    BatchState, FormattedPart, MappingTotals, PART_READS, PassOn, StageBuilder, TASK_READS, Wanted,
};
use crate::input::{Batches, ReadSlice};
use crate::output::record::all::AllRecordFormatter;
use crate::output::{Output, PiecePool, WrittenFile};

/// Bytes of the records that are written together, about.
const PART_BYTES: usize = 1 << 26;

/// A read whose records may take more bytes is handled in parts.
const LARGE_READ: usize = 1 << 22;

/// Bytes of the records of such a read that one task of the pool makes.
const TASK_BYTES: usize = 1 << 20;

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
            let prepare = |reads: &ReadSlice| self.prepare(reads);
            let search = |batch: ReadBatch, _| Ok(mapper.search_bounded(&batch)?);
            let searched = stages.search(scope, prepared, 1, prepare, search);
            let format = |batch: &BatchState<MatchStarts>, pass_on: &mut PassOn<'_>| {
                self.format(batch, &pool, pass_on)
            };
            let formatted =
                StageBuilder::format(scope, searched, input.used, SearchResults::by_query, format);
            stages.write(formatted, &mut output, &pool)
        })?;
        Ok((totals, stages.close(output)?))
    }

    /// The queries of a batch of reads.
    fn prepare(&self, reads: &ReadSlice) -> Result<ReadBatch> {
        let queries: Vec<Read<'_>> =
            reads.iter().map(|read| Read { name: read.name, sequence: read.alignable() }).collect();
        Ok(self.mapper.prepare(&queries)?)
    }

    /// Makes the records of a batch, in parts whose size is bounded.
    fn format(
        &self,
        batch: &BatchState<MatchStarts>,
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let (mut first, end) = (0, batch.reads.len());
        let threads = rayon::current_num_threads();
        while first < end {
            let (mut next, mut bytes) = (first, 0);
            while next < end && next < first + PART_READS && bytes < PART_BYTES {
                let of_read = self.most_bytes(batch, next);
                if of_read > LARGE_READ {
                    break;
                }
                (next, bytes) = (next + 1, bytes + of_read);
            }
            if next > first {
                let part =
                    self.stages.part(batch, || self.few_records(batch, &(first..next), pool));
                if pass_on(part?) == Wanted::Nothing {
                    break;
                }
            } else {
                let is_large = |&read: &usize| self.most_bytes(batch, read) > LARGE_READ;
                next += (first..end).take(threads).take_while(is_large).count();
                if self.many_records(batch, first..next, pool, pass_on)? == Wanted::Nothing {
                    break;
                }
            }
            first = next;
        }
        Ok(())
    }

    /// The most bytes that the alignments and records of a read may take.
    fn most_bytes(&self, batch: &BatchState<MatchStarts>, read: usize) -> usize {
        let bases = batch.reads.get(read).sequence.len();
        self.mapper.most_loci(&batch.state, read).saturating_mul(bytes_of_locus(bases)) + 2 * bases
    }

    /// Makes the records of consecutive reads that have few loci.
    fn few_records(
        &self,
        batch: &BatchState<MatchStarts>,
        part: &Range<usize>,
        pool: &PiecePool,
    ) -> Result<FormattedPart> {
        let Self { mapper, stages } = *self;
        let reference = mapper.index().reference();
        let makers = || (mapper.resolver(), self.formatter());
        let part = (part, TASK_READS);
        stages.records(batch, part, pool, makers, |(resolver, formatter), reads, piece, totals| {
            for number in reads {
                let read = batch.reads.get(number);
                piece.begin_template(read.group);
                let mapping = resolver.mapping(&batch.state, number, read.name)?;
                formatter.records(read, (mapping, 0), |record| piece.push(record, reference));
                totals.count(read);
                totals.aligned += u64::from(!mapping.is_empty());
                totals.alignments += mapping.len() as u64;
            }
            Ok(())
        })
    }

    /// Makes the records of consecutive reads that may have very many loci: finds the loci of all of these reads, then
    /// makes the records of each read in parts.
    fn many_records(
        &self,
        batch: &BatchState<MatchStarts>,
        reads: Range<usize>,
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<Wanted> {
        let Self { mapper, stages } = *self;
        let reference = mapper.index().reference();
        let find = |resolver: &mut Resolver<'_>, read: usize| {
            (read, resolver.loci(&batch.state, read, batch.reads.get(read).name))
        };
        let found: Vec<(usize, ReadLoci)> =
            reads.into_par_iter().map_init(|| mapper.resolver(), find).collect();
        for (number, of_read) in found {
            let read = batch.reads.get(number);
            let bytes = bytes_of_locus(read.sequence.len());
            let [of_part, of_task] = [PART_BYTES, TASK_BYTES].map(|most| (most / bytes).max(1));
            // A read without loci has a record, too.
            let count = of_read.loci.len().max(1);
            for first in (0..count).step_by(of_part) {
                let part = (&(first..count.min(first + of_part)), of_task);
                let makers = || (mapper.resolver(), self.formatter());
                let make = || {
                    stages.records(batch, part, pool, makers, |makers, loci, piece, totals| {
                        let (resolver, formatter) = makers;
                        let (before, end) = (loci.start, loci.end.min(of_read.loci.len()));
                        let loci = before..end;
                        let mapping = resolver.part(&batch.state, number, &of_read, loci)?;
                        piece.begin_template(read.group);
                        let part = (mapping, before as u32);
                        formatter.records(read, part, |record| piece.push(record, reference));
                        totals.alignments += mapping.len() as u64;
                        if before == 0 {
                            totals.count(read);
                            totals.aligned += u64::from(!mapping.is_empty());
                        }
                        Ok(())
                    })
                };
                if pass_on(stages.part(batch, make)?) == Wanted::Nothing {
                    return Ok(Wanted::Nothing);
                }
            }
        }
        Ok(Wanted::More)
    }

    /// A formatter of records.
    fn formatter(&self) -> AllRecordFormatter<'_> {
        let StageBuilder { lanes, eqx, .. } = self.stages;
        AllRecordFormatter::new(self.mapper.index().reference(), lanes.groups(), eqx)
    }
}

/// The bytes that the alignment and the record of a read of so many bases take at a locus, with names of usual length.
fn bytes_of_locus(bases: usize) -> usize {
    256 + bases / 2
}
