//! Reading lanes in batches on a thread.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use anyhow::Result;

use super::alignments::AlignmentReads;
use super::batcher::{BatchLimit, Batcher, Flow, MAX_BATCH_BYTES};
use super::fastq_files::{FastqFiles, OpenText, Portion, TextEnd};
use super::lane::Lane;
use super::layout::{AlternatingFiles, Layout, open_files};
use super::lined_text::LINES;
use super::plain_file::BlockReaders;
use super::progress::InputProgress;
use super::read_batch::{ReadBatch, RecordSource};
use super::reads::{Reads, RecordRules};
use super::shared::{SharedReads, UnitTracker};
use super::source::OpenReads;

/// The number of batches that are read ahead of their use.
const BATCHES_AHEAD: usize = 2;

/// The end of a file that has fewer records than a full batch divided by this is no batch of its own.
const SHORT_END: usize = 4;

/// The batches of an input that is being read.
#[derive(Debug)]
pub struct Batches {
    /// All batches in order. If the input cannot be read, the last batch has the error.
    pub batches: Receiver<ReadBatch>,
    /// Takes reads back whose memory can be used again, since new memory costs more than filling it.
    pub used: Sender<Reads>,
    /// How far reading has come.
    pub progress: Arc<InputProgress>,
    /// The hash of all reads, also those of other shards, once all are read for a shard.
    pub fingerprint: Arc<OnceLock<u64>>,
    /// How large batches become.
    pub limit: Arc<BatchLimit>,
}

/// Starts a thread that reads the lanes, one after the other. Batches have up to `size` reads, and an even number of them if
/// they are pairs; each is of one lane.
pub fn batches(lanes: Vec<Lane>, size: usize) -> Batches {
    batches_by_rules(lanes, BatchLimit::new(size), RecordRules::default(), None, 1)
}

/// As [`batches`], with a limit that may change and rules for records; whether these are paired is for the layout of each lane
/// to say. Of a shard, there are only batches that it maps, each of one unit. Up to `readers` threads read a file at the same
/// time.
pub fn batches_by_rules(
    lanes: Vec<Lane>,
    limit: BatchLimit,
    rules: RecordRules,
    shared: Option<SharedReads>,
    readers: usize,
) -> Batches {
    let (sender, batches) = sync_channel(BATCHES_AHEAD);
    let (used, unused) = channel();
    let together = lanes.iter().map(|lane| lane.layout().reads()).max().unwrap_or(1);
    let limit = Arc::new(limit);
    let progress = Arc::new(InputProgress::new(&lanes));
    let fingerprint = Arc::new(OnceLock::new());
    let mut batcher = Batcher::new((sender, unused), &limit, together, rules, &progress);
    batcher.units = shared.map(|shared| UnitTracker::new(shared, Arc::clone(&fingerprint)));
    thread::spawn(move || {
        let readers = match BlockReaders::start(readers) {
            Ok(readers) => readers,
            Err(error) => {
                batcher.send(Some(error));
                return;
            }
        };
        for (number, lane) in lanes.iter().enumerate() {
            batcher.lane = number;
            batcher.rules.is_paired = lane.layout() != Layout::Single;
            if let Some(units) = &mut batcher.units {
                units.begin_lane(number, lane.layout().reads());
            }
            match read_lane(lane, &mut batcher, &readers) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => return,
                Err(error) => {
                    batcher.send(Some(error));
                    return;
                }
            }
        }
        if let Some(units) = &batcher.units {
            units.finish();
        }
    });
    Batches { batches, used, progress, fingerprint, limit }
}

/// Reads the records of a lane, and sends the last of them, too.
fn read_lane(lane: &Lane, batcher: &mut Batcher, readers: &BlockReaders) -> Result<Flow> {
    for (number, paths) in lane.parts().iter().enumerate() {
        let open = match lane.take_open() {
            Some(OpenReads::Alignments(mut reads)) => {
                if read_alignments(&mut reads, batcher)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                continue;
            }
            Some(OpenReads::Text(text)) => Some(text),
            None => None,
        };
        let (paths, mut records): (Arc<[PathBuf]>, u64) = (paths.as_slice().into(), 0);
        let mut open = open_files(&paths, open, &batcher.progress, readers)?;
        if batcher.takes_text(lane.layout()) {
            match FastqFiles::new(open) {
                Ok(mut files) => {
                    let is_last = number + 1 == lane.parts().len();
                    let of_lane = (lane, is_last);
                    if read_text(&mut files, &paths, of_lane, batcher, readers) == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    records = files.records();
                    open = files.into_texts().into_iter().map(OpenText::Other).collect();
                }
                Err(of_fasta) => open = of_fasta,
            }
        }
        let texts = open.into_iter().map(OpenText::into_text).collect();
        let sources = AlternatingFiles::new(paths, lane.layout(), texts, records);
        if read_files(sources, lane, batcher)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(batcher.send(None))
}

/// Passes on the text of files of FASTQ in batches of whole records, up to the last of them or to long ones. What is behind
/// these is left: the end of a file that is not the last of its lane and fills no batch, and what is no whole record.
fn read_text(
    files: &mut FastqFiles,
    paths: &Arc<[PathBuf]>,
    (lane, is_last): (&Lane, bool),
    batcher: &mut Batcher,
    readers: &BlockReaders,
) -> Flow {
    let together = lane.layout().reads() / lane.layout().files();
    loop {
        let record = files.records() + 1;
        let mut reads = batcher.unused_reads();
        reads.set_group(lane.group());
        let mut texts: Vec<_> = reads.fill(paths.len(), LINES as u64 * (record - 1) + 1).collect();
        let records = batcher.wanted.div_ceil(paths.len()).next_multiple_of(together);
        let portion = Portion { records, together, bytes: MAX_BATCH_BYTES };
        let end = files.gather(&mut texts, portion, readers);
        // A short end is gathered together with the next file, or what is before it.
        let passed = (files.records() + 1 - record) as usize;
        let is_short = passed < records / SHORT_END && (!is_last || !batcher.reads.is_empty());
        if end == Some(TextEnd::File) && is_short {
            files.put_back(&texts);
            return Flow::Continue;
        }
        // Records that were copied come before.
        if !batcher.reads.is_empty() && batcher.send(None) == Flow::Stop {
            return Flow::Stop;
        }
        let sources =
            vec![RecordSource { files: Arc::clone(paths), begin: 0, record, has_lines: true }];
        if batcher.pass_on((reads, passed * paths.len()), sources, None) == Flow::Stop {
            return Flow::Stop;
        }
        if end.is_some() {
            return Flow::Continue;
        }
    }
}

/// Reads the records of a file of SAM, BAM or CRAM.
fn read_alignments(reads: &mut AlignmentReads, batcher: &mut Batcher) -> Result<Flow> {
    reads.start()?;
    let rules = batcher.rules;
    let files: Arc<[PathBuf]> = [reads.path().to_owned()].into();
    while let Some((first, second)) = reads.next(rules)? {
        batcher.add_alignment(&files, first);
        match second {
            Some(second) => batcher.add_alignment(&files, second),
            None if rules.is_paired => batcher.reads.push_absent(),
            None => {}
        }
        if batcher.send_if_full() == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}

/// Reads the records of a file, or of two files alternately.
fn read_files(mut sources: AlternatingFiles, lane: &Lane, batcher: &mut Batcher) -> Result<Flow> {
    let layout = lane.layout();
    loop {
        // Each batch has reads of its own.
        batcher.reads.set_group(lane.group());
        let (files, number) = (Arc::clone(sources.files()), sources.record());
        let found = if layout == Layout::MixedPairs {
            sources.next(|record, line| {
                batcher.add_mixed((&files, number), lane.group(), (record, line));
            })?
        } else {
            batcher.note_source(&files, number);
            sources.next(|record, line| batcher.add(record, line))?
        };
        if !found {
            if batcher.lacks_mate() {
                batcher.reads.push_absent();
            }
            return Ok(batcher.send_if_full());
        }
        if batcher.send_if_full() == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::slice::from_ref;

    use super::*;
    use crate::input::{BatchUse, ReadSlice};
    use crate::shard::{Shard, Share};
    use tempfile::TempDir;

    /// FASTQ records with these names.
    fn fastq(names: &[String]) -> String {
        names.iter().map(|name| format!("@{name}\nACGT\n+\nIIII\n")).collect()
    }

    fn names(end: &str, numbers: std::ops::Range<usize>) -> Vec<String> {
        numbers.map(|number| format!("r{number}{end}")).collect()
    }

    fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("writes");
        path
    }

    /// The names of the reads of all batches, or the error message without the folder.
    fn read(
        folder: &TempDir,
        files: &[PathBuf],
        layout: Layout,
        size: usize,
    ) -> Result<Vec<Vec<String>>, String> {
        let names = |batch: ReadBatch| {
            let reads = batch.checked()?;
            Ok(reads.iter().map(|read| String::from_utf8_lossy(read.name).into_owned()).collect())
        };
        let parts = files.chunks(layout.files()).map(<[PathBuf]>::to_vec).collect();
        let lane = Lane::new(layout, parts).expect("has whole parts");
        let all = batches(vec![lane], size).batches.into_iter().map(names);
        all.collect::<Result<_>>().map_err(|error| {
            format!("{error:#}").replace(&format!("{}/", folder.path().display()), "")
        })
    }

    #[test]
    fn pairs_stay_together_whatever_the_batches() {
        let folder = tempfile::tempdir().expect("a folder");
        let interleaved: Vec<String> =
            (0..50).flat_map(|number| [format!("r{number}/1"), format!("r{number}/2 x")]).collect();
        let pairs = |folder: &TempDir, numbers: std::ops::Range<usize>| {
            let mate = |end: &str| {
                let name = format!("{}{}.fq", numbers.start, &end[1..2]);
                file(folder, &name, &fastq(&names(end, numbers.clone())))
            };
            [mate("/1"), mate("/2 x")]
        };
        let lanes = [pairs(&folder, 0..17), pairs(&folder, 17..50)].concat();
        let one = file(&folder, "i.fq", &fastq(&interleaved));
        let expected: Vec<String> =
            (0..50).flat_map(|number| [format!("r{number}"), format!("r{number}")]).collect();
        for size in [1, 2, 7, 16, 100, 1000] {
            for (files, layout) in
                [(lanes.as_slice(), Layout::Pairs), (from_ref(&one), Layout::Interleaved)]
            {
                let batches = read(&folder, files, layout, size).expect("reads");
                assert!(batches.iter().all(|batch| batch.len() % 2 == 0), "{layout:?} {size}");
                assert!(batches.iter().all(|batch| batch.len() <= size.max(2) + 1));
                assert_eq!(batches.concat(), expected, "{layout:?} {size}");
            }
        }
    }

    #[test]
    fn batches_end_with_their_lane() {
        let folder = tempfile::tempdir().expect("a folder");
        let part = |name: &str, layout: Layout, numbers: std::ops::Range<usize>| {
            let of = |end: &&str| {
                let name = format!("{name}{}{}.fq", numbers.start, &end[1..]);
                file(&folder, &name, &fastq(&names(end, numbers.clone())))
            };
            ["/1", "/2"][..layout.files()].iter().map(of).collect::<Vec<_>>()
        };
        let pairs = |name: &str, numbers| part(name, Layout::Pairs, numbers);
        let lanes = [
            Lane::new(Layout::Pairs, vec![pairs("a", 0..7), pairs("a", 7..12)]),
            Lane::new(Layout::Single, vec![part("b", Layout::Single, 0..5)]),
            Lane::new(Layout::Pairs, vec![pairs("none", 0..0)]),
            Lane::new(Layout::Pairs, vec![pairs("c", 0..1)]),
        ];
        let lanes = lanes.map(|lane| lane.expect("has whole parts"));
        for size in [1, 2, 4, 6, 100] {
            let mut found = vec![Vec::new(); lanes.len()];
            for batch in batches(lanes.to_vec(), size).batches {
                let lane = batch.lane;
                let reads = batch.checked().expect("is fine");
                assert!(lane == 1 || reads.len().is_multiple_of(2), "{size}");
                found[lane].extend(reads.iter().map(|read| read.name.to_vec()));
            }
            assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [24, 5, 0, 2], "{size}");
            assert_eq!(found[0].last().map(Vec::as_slice), Some(&b"r11"[..]), "{size}");
        }
    }

    #[test]
    fn reads_without_a_mate_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let two = file(&folder, "two.fq", &fastq(&names("", 0..2)));
        let three = file(&folder, "three.fq", &fastq(&names("", 0..3)));
        let twice = file(&folder, "odd.fq", &fastq(&["a".into(), "a".into(), "b".into()]));
        let none = "the read has no mate: ";
        let pairs = |files: &[PathBuf], size| read(&folder, files, Layout::Pairs, size);
        for size in [2, 100] {
            let expected = format!("three.fq: record 3 (line 9): {none}two.fq has 2 records");
            assert_eq!(pairs(&[two.clone(), three.clone()], size), Err(expected.clone()));
            assert_eq!(pairs(&[three.clone(), two.clone()], size), Err(expected));
            let odd = read(&folder, from_ref(&twice), Layout::Interleaved, size);
            let expected =
                format!("odd.fq: record 3 (line 9): {none}the file has 3 records, an odd number");
            assert_eq!(odd, Err(expected));
        }
    }

    #[test]
    fn the_record_of_an_error_is_counted_in_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let good = file(&folder, "good.fq", &fastq(&names("/1", 0..9)));
        let other = |name: &str, number: usize, with: &str| {
            let mut records = names("/2", 0..9);
            with.clone_into(&mut records[number]);
            file(&folder, name, &fastq(&records))
        };
        let swapped = other("swapped.fq", 6, "r5/2");
        let unnamed = other("unnamed.fq", 7, " ");
        let mut text = fastq(&names("/2", 0..4));
        text.truncate(text.len() - 3);
        let cut = file(&folder, "cut.fq", &text);
        for size in [2, 4, 6, 100] {
            let error = |mate: &PathBuf| {
                let files = [good.clone(), mate.clone()];
                read(&folder, &files, Layout::Pairs, size).expect_err("is bad")
            };
            assert_eq!(
                error(&swapped),
                "swapped.fq: record 7 (line 25): the name 'r5/2' is not that of its mate, 'r6/1'"
            );
            assert_eq!(error(&unnamed), "unnamed.fq: record 8 (line 29): the read has no name");
            assert_eq!(
                error(&cut),
                "cut.fq: record 4 (line 13): sequence and quality differ in length"
            );
        }
    }

    #[test]
    fn shards_have_whole_units_and_the_sample() {
        let folder = tempfile::tempdir().expect("a folder");
        let interleaved: String =
            names("", 0..40).iter().map(|name| fastq(&[name.clone(), name.clone()])).collect();
        // Every third read has no mate.
        let mixed = (0..40).map(|number| {
            let name = format!("r{number}");
            fastq(&vec![name; if number % 3 == 0 { 1 } else { 2 }])
        });
        let mixed: String = mixed.collect();
        let single = fastq(&names("", 0..40));
        let read = |layout, text: &str, size, shared| {
            let path = file(&folder, "x.fq", text);
            let part = || vec![path.clone()];
            // Units end with lanes, but not with the files of a lane.
            let lanes = [vec![part(), part()], vec![part()]];
            let lanes = lanes.map(|parts| Lane::new(layout, parts).expect("has whole parts"));
            let input = batches_by_rules(
                lanes.to_vec(),
                BatchLimit::new(size),
                RecordRules::default(),
                shared,
                2,
            );
            let found = input.batches.into_iter().map(|batch| {
                let lane = batch.lane;
                let reads = ReadSlice::all(batch.checked().expect("is fine"));
                let names = reads.iter().step_by(layout.reads());
                let names = names.map(|read| String::from_utf8_lossy(read.name).into_owned());
                (lane, reads.unit(), reads.batch_use(), names.collect::<Vec<_>>())
            });
            (found.collect::<Vec<_>>(), input.fingerprint.get().copied())
        };
        for (layout, text) in [
            (Layout::Single, &single),
            (Layout::Interleaved, &interleaved),
            (Layout::MixedPairs, &mixed),
        ] {
            let (whole, none) = read(layout, text, 1000, None);
            assert_eq!(none, None);
            let of_lane = |lane: usize| {
                let of_lane = whole.iter().filter(|batch| batch.0 == lane);
                of_lane.flat_map(|batch| batch.3.clone()).collect::<Vec<String>>()
            };
            let lanes = [of_lane(0), of_lane(1)];
            assert_eq!(lanes.each_ref().map(Vec::len), [80, 40]);
            let mut fingerprints = Vec::new();
            for (size, unit_size, sample) in [(1000, 7, 25), (6, 7, 0), (3, 20, 20), (50, 1, 100)] {
                let mut units = Vec::new();
                for number in 1..=3 {
                    let share = Share { shard: Shard { number, count: 3 }, unit_size };
                    let shared = SharedReads { share, sample };
                    let (batches, fingerprint) = read(layout, text, size, Some(shared));
                    fingerprints.push(fingerprint.expect("all is read"));
                    let sampled = if layout == Layout::Single { 0 } else { sample as usize };
                    for (lane, all) in lanes.iter().enumerate() {
                        // All templates of the sample come, and are the first ones.
                        let of_lane = batches.iter().filter(|batch| batch.0 == lane);
                        let names: Vec<_> = of_lane.flat_map(|batch| batch.3.clone()).collect();
                        let sampled = sampled.min(all.len());
                        assert_eq!(names[..sampled], all[..sampled], "{layout:?} {size}");
                    }
                    for (lane, unit, of_batch, names) in batches {
                        assert_eq!(of_batch == BatchUse::Written, share.has(unit));
                        assert_ne!(of_batch, BatchUse::None);
                        if of_batch == BatchUse::Written {
                            units.push((unit, lane, names));
                        }
                    }
                }
                units.sort_by_key(|(unit, ..)| *unit);
                for (lane, all) in lanes.iter().enumerate() {
                    let of_lane = units.iter().filter(|(_, of, _)| *of == lane);
                    let names: Vec<_> = of_lane.flat_map(|(.., names)| names.clone()).collect();
                    assert!(names == *all, "{layout:?} {size} {unit_size} {sample}");
                }
            }
            fingerprints.dedup();
            assert_eq!(fingerprints.len(), 1, "{layout:?}");
        }
    }
}
