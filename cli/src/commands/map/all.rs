//! The pipeline of mode all.
//!
//! ```text
//!               .-- threads of each device ------.
//!   read --> queue --> prepare, search, format --> write, in order
//! ```

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use anyhow::Result;
use rayon::prelude::*;
use woodstocc::{Mapper, Mapping, MatchStarts, Read, ReadBatch, ReadLoci, Resolver, SearchResults};

use super::devices::Devices;
use super::mapping_device::MappingDevice;
use super::stages::{
    BatchState, FormattedPart, MappingTotals, NumberedBatch, PassOn, SliceSize, StageBuilder,
    TASK_READS,
};
use crate::input::{Batches, ReadSlice, Reads};
use crate::output::record::all::{AllRecordFormatter, KeptPrimary, PlaceInPair};
use crate::output::record::fields::Record;
use crate::output::{Output, PiecePool, WrittenFile};
use crate::workers::{Wanted, WorkQueue, WorkerThreads};

/// Threads of a device, each of which does all steps of a batch: one searches while the others prepare and format.
const THREADS: usize = 4;

/// Reads whose records are written together, at most: enough to share among threads, and few enough for their memory to be used
/// again soon.
const PART_READS: usize = 1 << 15;

/// Bytes of the records that are written together, about.
const PART_BYTES: usize = 1 << 26;

/// A read, or pair, whose records may take more bytes is handled in parts.
const LARGE_TEMPLATE: usize = 1 << 22;

/// Bytes of the records of such a read that one task of the pool makes.
const TASK_BYTES: usize = 1 << 20;

/// A run of mode all.
#[derive(Debug)]
pub struct AllPipeline<'a> {
    /// A mapper for all that does not depend on the device.
    pub mapper: &'a Mapper,
    pub devices: &'a Devices<Mapper>,
    pub stages: StageBuilder<'a>,
}

impl AllPipeline<'_> {
    /// Maps all batches, and writes and closes the output file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(MappingTotals, WrittenFile)> {
        let Self { devices, stages, .. } = *self;
        let pool = &output.piece_pool();
        let totals = thread::scope(|scope| {
            let batches = input.batches.into_iter().enumerate().map(Ok);
            let (queue, formatted) = WorkQueue::new(scope, batches, 0);
            let used = input.used;
            let _joining = devices.work(scope, stages.console, move |device| {
                for _ in 0..THREADS {
                    let (device, used) = (Arc::clone(device), used.clone());
                    let (mut size, is_retired) = (SliceSize::WHOLE, device.retirement());
                    let threads = WorkerThreads::Shared;
                    queue.add_worker(scope, threads, is_retired, move |batch, pass_on| {
                        self.map((&device, &mut size), batch, (pool, &used), pass_on)
                    });
                }
            });
            stages.write(formatted, &mut output, pool)
        })?;
        Ok((totals, stages.close(output)?))
    }

    /// Maps a batch on a device and makes its records.
    fn map(
        &self,
        (device, size): (&MappingDevice<Mapper>, &mut SliceSize),
        batch: NumberedBatch,
        (pool, used): (&PiecePool, &Sender<Reads>),
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let (stages, mapper) = (self.stages, &*device.mapper);
        let prepare = |reads: &ReadSlice| prepare(mapper, reads);
        let search = |device: &MappingDevice<Mapper>, batch: ReadBatch, _| {
            Ok(device.mapper.search_bounded(&batch)?)
        };
        let mut wanted = Wanted::More;
        let prepared = stages.prepare(batch, prepare)?;
        stages.search((device, size), prepared, prepare, search, |_, found| {
            let batch = found.map(SearchResults::by_query);
            let mut pass_on = |part| {
                wanted = pass_on(part);
                wanted
            };
            self.format(&batch, pool, &mut pass_on)?;
            StageBuilder::end(batch, used);
            Ok(wanted)
        })
    }

    /// Makes the records of a batch, in parts whose size is bounded. A part has whole templates: reads, or pairs of them.
    fn format(
        &self,
        batch: &BatchState<MatchStarts>,
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let together = self.stages.lanes.together(batch.lane);
        let most_bytes = |first: usize| -> usize {
            (first..first + together).map(|read| self.most_bytes(batch, read)).sum()
        };
        let (mut first, end) = (0, batch.reads.len());
        let threads = rayon::current_num_threads();
        while first < end {
            let (mut next, mut bytes) = (first, 0);
            while next < end && next < first + PART_READS && bytes < PART_BYTES {
                let of_template = most_bytes(next);
                if of_template > LARGE_TEMPLATE {
                    break;
                }
                (next, bytes) = (next + together, bytes + of_template);
            }
            if next > first {
                let part =
                    self.stages.part(batch, || self.few_records(batch, &(first..next), pool));
                if pass_on(part?) == Wanted::Nothing {
                    break;
                }
            } else {
                let is_large = |&first: &usize| most_bytes(first) > LARGE_TEMPLATE;
                let templates = (first..end).step_by(together).take(threads.div_ceil(together));
                next += together * templates.take_while(is_large).count();
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

    /// Makes the records of consecutive templates that have few loci.
    fn few_records(
        &self,
        batch: &BatchState<MatchStarts>,
        part: &Range<usize>,
        pool: &PiecePool,
    ) -> Result<FormattedPart> {
        let Self { mapper, stages, .. } = *self;
        let reference = mapper.index().reference();
        let together = stages.lanes.together(batch.lane);
        let makers = || RecordMaker {
            resolver: mapper.resolver(),
            formatter: self.formatter(),
            mappings: Default::default(),
            primaries: Default::default(),
        };
        let part = (part, TASK_READS);
        stages.records(batch, part, pool, makers, |maker, reads, piece, totals| {
            let RecordMaker { resolver, formatter, mappings, primaries } = maker;
            for first in reads.step_by(together) {
                let together = present(batch, first, together);
                piece.begin_template(batch.reads.get(first).group);
                for (number, mapping) in (first..first + together).zip(&mut *mappings) {
                    let read = batch.reads.get(number);
                    resolver.map_into(&batch.state, number, read.name, mapping)?;
                    totals.count(read);
                    totals.aligned += u64::from(!mapping.is_empty());
                    totals.alignments += mapping.len() as u64;
                }
                let places = (together == 2).then(|| {
                    let kept = primaries.iter_mut().zip(&*mappings);
                    kept.for_each(|(kept, mapping)| formatter.keep_primary(mapping, kept));
                    PlaceInPair::of_both(primaries.each_ref())
                });
                let is_unmapped = mappings[..together].iter().all(Mapping::is_empty);
                let is_written = !(stages.no_unmapped && is_unmapped);
                for (place, number) in (first..first + together).enumerate() {
                    let (read, mapping) = (batch.reads.get(number), (&mappings[place], 0));
                    let in_pair = places.map(|places| places[place]);
                    let add = |record: &Record<'_>| piece.push_if(is_written, record, reference);
                    formatter.records(read, mapping, in_pair, add);
                }
            }
            Ok(())
        })
    }

    /// Makes the records of consecutive templates that may have very many loci: finds the loci of all of their reads, then
    /// makes the records of each read in parts.
    fn many_records(
        &self,
        batch: &BatchState<MatchStarts>,
        reads: Range<usize>,
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<Wanted> {
        let mapper = self.mapper;
        let together = self.stages.lanes.together(batch.lane);
        let find = |resolver: &mut Resolver<'_>, read: usize| {
            (read, resolver.loci(&batch.state, read, batch.reads.get(read).name))
        };
        let found: Vec<(usize, ReadLoci)> =
            reads.into_par_iter().map_init(|| mapper.resolver(), find).collect();
        for template in found.chunks(together) {
            let template = &template[..present(batch, template[0].0, template.len())];
            let primaries = match template {
                [one, two] => Some([self.primary(batch, one)?, self.primary(batch, two)?]),
                _ => None,
            };
            let places = primaries.as_ref().map(|both| PlaceInPair::of_both(both.each_ref()));
            let is_unmapped = template.iter().all(|(_, of_read)| of_read.loci.is_empty());
            let is_written = !(self.stages.no_unmapped && is_unmapped);
            for (place, (number, of_read)) in template.iter().enumerate() {
                let in_pair = places.map(|places| places[place]);
                let read = (*number, of_read, in_pair, is_written);
                if self.many_records_of(batch, read, pool, pass_on)? == Wanted::Nothing {
                    return Ok(Wanted::Nothing);
                }
            }
        }
        Ok(Wanted::More)
    }

    /// The primary alignment of a read, which is at the first of its loci.
    fn primary(
        &self,
        batch: &BatchState<MatchStarts>,
        (number, of_read): &(usize, ReadLoci),
    ) -> Result<KeptPrimary> {
        let mut resolver = self.mapper.resolver();
        let first = 0..of_read.loci.len().min(1);
        let mapping = resolver.part(&batch.state, *number, of_read, first)?;
        let mut kept = KeptPrimary::default();
        self.formatter().keep_primary(mapping, &mut kept);
        Ok(kept)
    }

    /// Makes the records of a read that may have very many loci, in parts.
    fn many_records_of(
        &self,
        batch: &BatchState<MatchStarts>,
        (number, of_read, in_pair, is_written): (usize, &ReadLoci, Option<PlaceInPair<'_>>, bool),
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<Wanted> {
        let Self { mapper, stages, .. } = *self;
        let reference = mapper.index().reference();
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
                    let mapping = resolver.part(&batch.state, number, of_read, before..end)?;
                    piece.begin_template(read.group);
                    let part = (mapping, before as u32);
                    let add = |record: &Record<'_>| piece.push_if(is_written, record, reference);
                    formatter.records(read, part, in_pair, add);
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
        Ok(Wanted::More)
    }

    /// A formatter of records.
    fn formatter(&self) -> AllRecordFormatter<'_> {
        let StageBuilder { lanes, eqx, .. } = self.stages;
        AllRecordFormatter::new(self.mapper.index().reference(), lanes.groups(), eqx)
    }
}

/// The queries of a batch of reads.
fn prepare(mapper: &Mapper, reads: &ReadSlice) -> Result<ReadBatch> {
    let queries: Vec<Read<'_>> =
        reads.iter().map(|read| Read { name: read.name, sequence: read.alignable() }).collect();
    Ok(mapper.prepare(&queries)?)
}

/// The reads of a template, whose `together` reads begin with `first`: a read whose mate is absent is alone.
fn present<T>(batch: &BatchState<T>, first: usize, together: usize) -> usize {
    let reads = (first..first + together).map(|number| batch.reads.get(number));
    reads.take_while(|read| !read.is_absent()).count()
}

/// The working memory of a thread that makes the records of reads with few loci.
struct RecordMaker<'a> {
    resolver: Resolver<'a>,
    formatter: AllRecordFormatter<'a>,
    /// The mappings of a read, or of both reads of a pair.
    mappings: [Mapping; 2],
    /// The primary alignments of both reads of a pair.
    primaries: [KeptPrimary; 2],
}

/// The bytes that the alignment and the record of a read of so many bases take at a locus, with names of usual length.
fn bytes_of_locus(bases: usize) -> usize {
    256 + bases / 2
}
