//! The devices that map the reads of a run, and GPUs that join while it goes on.
//!
//! With `--device auto` the CPU maps from the start, and each GPU joins when the driver has opened it and it has the index.
//! From then on the CPU pulls no more batches, since its threads make queries and records for the GPUs. Batches that it has pulled and
//! not begun to search for are searched for on the GPU. A run that ends
//! before waits for no GPU, and one that takes less than [`OPENING_DELAY`](crate::on_device::OPENING_DELAY) does not use the driver at
//! all. Devices that are named are opened before the run begins, and are the only ones.
//!
//! A GPU that fails leaves its work to the others. If it is the last one, the CPU does its work.

use std::mem;
use std::ops::RangeInclusive;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use aligner_core::{Device, DeviceSelection};
use anyhow::{Context, Error, Result};

use super::mapping_device::{DeviceMapper, DeviceReads, MappingDevice, Working};
use super::opening::{OpenedGpu, OpeningGpus};
use crate::console::Console;
use crate::input::BatchLimit;
use crate::on_device::at_once;
use crate::output::JoinedGpus;
use crate::timeline::{Step, Timeline};

/// Reads of the first and last batches that a thread of the CPU maps by itself, so that all threads begin and end at about the
/// same time.
const FEW_READS: usize = 1 << 7;

/// The most reads of such a batch while a GPU may join, when the CPU should have little left to do.
const READS_BEFORE_GPU: usize = 1 << 12;

/// The most reads of such a batch otherwise. More take more memory and are no faster.
const READS_ALONE: usize = 1 << 13;

/// The most reads of a batch that the threads of a CPU map together, if they are few.
const READS_TOGETHER: usize = 1 << 14;

/// As many more for more threads: some tasks of the pool for each.
const READS_PER_THREAD: usize = 1 << 10;

/// The reads of batches on the CPU, from small ones to the largest.
fn reads_on_cpu<M: DeviceMapper>(may_join: bool) -> RangeInclusive<usize> {
    if M::ALONE_ON_CPU {
        FEW_READS..=if may_join { READS_BEFORE_GPU } else { READS_ALONE }
    } else {
        let together = (READS_PER_THREAD * rayon::current_num_threads()).max(READS_TOGETHER);
        together..=together
    }
}

/// Batches of up to `full` reads for selected devices and such mappers. As long as the CPU maps, they have fewer.
pub fn batch_limit<M: DeviceMapper>(selection: &DeviceSelection, full: usize) -> BatchLimit {
    let limit = BatchLimit::new(full);
    match selection {
        DeviceSelection::Cpu => limit.restrict(reads_on_cpu::<M>(false)),
        DeviceSelection::Auto => limit.restrict(reads_on_cpu::<M>(true)),
        DeviceSelection::Gpus(_) | DeviceSelection::AllGpus => {}
    }
    limit
}

/// Gives each GPU that was opened the index, on its own thread, and says so. Sending fails if the run has ended.
fn make_ready<M: DeviceMapper>(
    (opened, gpus): (Receiver<OpenedGpu>, &JoinedGpus),
    cpu: &Arc<M>,
    to: &Sender<News<M>>,
    (timeline, working): (&Arc<Timeline>, &Working),
) {
    for OpenedGpu { device, selected, .. } in opened {
        let (cpu, to, timeline) = (Arc::clone(cpu), to.clone(), Arc::clone(timeline));
        let (gpus, working) = (gpus.clone(), working.clone());
        thread::spawn(move || {
            let ready = device.map_err(Error::from).and_then(|device| {
                ready((&device, selected), &*cpu, (&timeline, &working), &gpus)
                    .with_context(|| device.describe())
            });
            let _ = to.send(match ready {
                Ok(gpu) => News::Ready(gpu),
                Err(reason) => News::Unusable(format!("{reason:#}")),
            });
        });
    }
}

/// One of `selected` devices, with the index.
fn ready<M: DeviceMapper>(
    (device, selected): (&Device, usize),
    cpu: &M,
    (timeline, working): (&Timeline, &Working),
    gpus: &JoinedGpus,
) -> Result<Arc<MappingDevice<M>>> {
    let mapper = timeline.time(Step::Device, "index", || cpu.on_device(device))?;
    if let Device::Cuda(gpu) = device {
        gpus.add(gpu);
    }
    Ok(MappingDevice::new((device, selected), Arc::new(mapper), working))
}

/// The devices of a run.
#[derive(Debug)]
pub struct Devices<M> {
    /// Devices that map or have mapped, in the order in which they joined.
    joined: Mutex<Vec<Arc<MappingDevice<M>>>>,
    /// GPUs that may join.
    news: Mutex<Receiver<News<M>>>,
    to_news: Sender<News<M>>,
    batch_limit: Arc<BatchLimit>,
    working: Working,
}

/// Ends the thread that lets GPUs join when it is dropped.
#[must_use]
pub struct JoiningGpus<M>(Sender<News<M>>);

impl<M> Drop for JoiningGpus<M> {
    fn drop(&mut self) {
        // Sending cannot fail, as the receiver is where the sender is from.
        let _ = self.0.send(News::End);
    }
}

/// The messages to the thread that lets GPUs join.
#[derive(Debug)]
enum News<M> {
    /// A GPU is ready, and has the index.
    Ready(Arc<MappingDevice<M>>),
    /// A GPU cannot be used, for this reason.
    Unusable(String),
    /// All batches are mapped.
    End,
}

impl<M: DeviceMapper> Devices<M> {
    /// The devices of a run whose GPUs are `opening`; `cpu` is a mapper on the CPU. GPUs that are named are waited for. When
    /// one joins, `batch_limit` is lifted.
    ///
    /// # Errors
    /// If a device that is named cannot be opened, or has too little memory for the index.
    pub fn new(
        opening: OpeningGpus,
        cpu: &Arc<M>,
        timeline: &Arc<Timeline>,
        batch_limit: Arc<BatchLimit>,
    ) -> Result<Self> {
        let OpeningGpus { selection, opened, gpus } = opening;
        let (to_news, news) = channel();
        let working = Working::default();
        let on_cpu = || vec![MappingDevice::new((&Device::Cpu, 1), Arc::clone(cpu), &working)];
        let joined = match selection {
            DeviceSelection::Cpu => on_cpu(),
            DeviceSelection::Auto => {
                let (to_news, timeline, cpu) =
                    (to_news.clone(), Arc::clone(timeline), Arc::clone(cpu));
                let working = working.clone();
                thread::spawn(move || {
                    make_ready((opened, &gpus), &cpu, &to_news, (&timeline, &working));
                });
                on_cpu()
            }
            DeviceSelection::Gpus(_) | DeviceSelection::AllGpus => {
                let mut opened: Vec<OpenedGpu> = opened.into_iter().collect();
                opened.sort_by_key(|gpu| gpu.number);
                let devices: Vec<Device> =
                    opened.into_iter().map(|gpu| gpu.device).collect::<Result<_, _>>()?;
                Self::on_devices(&devices, cpu, (timeline, &working), &gpus)?
            }
        };
        for _ in &joined {
            working.join();
        }
        let (joined, news) = (Mutex::new(joined), Mutex::new(news));
        Ok(Self { joined, news, to_news, batch_limit, working })
    }

    /// Mappers on all of these devices, which get the index at the same time.
    fn on_devices(
        devices: &[Device],
        cpu: &M,
        (timeline, working): (&Timeline, &Working),
        gpus: &JoinedGpus,
    ) -> Result<Vec<Arc<MappingDevice<M>>>> {
        let selected = devices.len();
        let ready = |device| ready((device, selected), cpu, (timeline, working), gpus);
        at_once(devices, ready).into_iter().collect()
    }

    /// Ends the use of the devices, and gives those that were [used](Self::used). The memory of GPUs, and what is page-locked for
    /// them, is left to the system, which frees it when the program ends.
    pub fn leave(self) -> Vec<DeviceReads> {
        let used = self.used();
        if self.all().iter().any(|device| !device.is_cpu()) {
            mem::forget(self);
        }
        used
    }

    /// Lets devices map: calls `start` with each, at once or when it joins. The thread that lets GPUs join ends when the
    /// result of this function is dropped.
    pub fn work<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        console: &'s Console,
        start: impl Fn(&Arc<MappingDevice<M>>) + Send + 's,
    ) -> JoiningGpus<M> {
        self.all().iter().for_each(&start);
        let end = JoiningGpus(self.to_news.clone());
        scope.spawn(move || self.let_join(console, start));
        end
    }

    /// Lets GPUs join, until all batches are mapped.
    fn let_join(&self, console: &Console, start: impl Fn(&Arc<MappingDevice<M>>)) {
        let news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        for new in &*news {
            match new {
                News::Ready(gpu) => {
                    console.detail(&format!("{} joins", gpu.name));
                    start(&gpu);
                    let mut joined = self.joined();
                    self.working.join();
                    joined.iter().filter(|device| device.is_cpu()).for_each(|cpu| cpu.retire(&gpu));
                    joined.push(gpu);
                    self.batch_limit.lift();
                }
                News::Unusable(reason) => {
                    let has_gpu = self.joined().iter().any(|device| !device.is_cpu());
                    let how = if has_gpu { "without it" } else { "on the CPU" };
                    if !has_gpu {
                        self.batch_limit.restrict(reads_on_cpu::<M>(false));
                    }
                    console.notice(&format!("{reason}: mapping {how}"));
                }
                News::End => break,
            }
        }
    }

    fn joined(&self) -> MutexGuard<'_, Vec<Arc<MappingDevice<M>>>> {
        self.joined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The devices that have mapped reads, with their numbers; if there were no reads, all devices.
    pub fn used(&self) -> Vec<DeviceReads> {
        let all: Vec<DeviceReads> = self.joined().iter().map(|device| device.mapped()).collect();
        let used: Vec<DeviceReads> = all.iter().filter(|it| it.reads > 0).cloned().collect();
        if used.is_empty() { all } else { used }
    }

    /// The failures of GPUs, each with the name of the device.
    pub fn failures(&self) -> Vec<String> {
        let joined = self.all();
        let failure = |device: &Arc<MappingDevice<M>>| {
            device.mapper.failure().map(|reason| format!("{}: {reason}", device.name))
        };
        joined.iter().filter_map(failure).collect()
    }

    /// The devices that map or have mapped, in the order in which they joined.
    pub fn all(&self) -> Vec<Arc<MappingDevice<M>>> {
        self.joined().clone()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs;
    use std::path::Path;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use aligner_core::DeviceError;
    use aligner_core::seq::{decode, encode_all, reverse_complement};
    use fastrand::Rng;
    use fm_index::{BuildOptions, FmIndex, Reference};
    use seed_extend::Options;

    use super::*;
    use crate::commands::map::args::MapArguments;
    use crate::commands::map::run::run_on;
    use crate::input::batches;
    use crate::options::Messages;

    /// A genome of random bases.
    fn genome(random: &mut Rng) -> String {
        (0..20_000).map(|_| ['A', 'C', 'G', 'T'][random.usize(..4)]).collect()
    }

    /// FASTQ of both reads of `count` pairs whose inserts have about so many bases. Some reads differ from the genome.
    fn pairs(random: &mut Rng, genome: &str, count: usize, insert: usize) -> [String; 2] {
        let mut texts = [String::new(), String::new()];
        for number in 0..count {
            let insert = insert + random.usize(..30);
            let begin = random.usize(..genome.len() - insert);
            let codes = encode_all(&genome.as_bytes()[begin..begin + insert]);
            for (text, strand) in texts.iter_mut().zip([&codes, &reverse_complement(&codes)]) {
                let mut read: Vec<u8> = strand[..80].iter().map(|&code| decode(code)).collect();
                for _ in 0..random.usize(..8) {
                    read[random.usize(..80)] = b"ACGTN"[random.usize(..5)];
                }
                let (read, quality) = (String::from_utf8_lossy(&read), "I".repeat(80));
                writeln!(text, "@r{number}\n{read}\n+\n{quality}").expect("is a string");
            }
        }
        texts
    }

    /// A folder with a reference, two lanes with different inserts, and a file with a bad record in the middle.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("writes");
        };
        let mut random = Rng::with_seed(3);
        let genome = genome(&mut random);
        write("ref.fa", &format!(">one\n{genome}\n"));
        for (lane, insert) in [("a", 150), ("b", 400)] {
            let [one, two] = pairs(&mut random, &genome, 300, insert);
            write(&format!("{lane}_1.fq"), &one);
            write(&format!("{lane}_2.fq"), &two);
        }
        let [good, other] = pairs(&mut random, &genome, 200, 200);
        write("bad.fq", &format!("{good}@bad\nAC!T\n+\nIIII\n{other}@worse\n?\n+\nI\n"));
        folder
    }

    /// Devices as if `count` GPUs had been named, each of which is the CPU.
    fn named(count: usize) -> OpeningGpus {
        let (sender, opened) = channel();
        for number in (0..count).rev() {
            sender
                .send(OpenedGpu { number, selected: count, device: Ok(Device::Cpu) })
                .expect("is received");
        }
        OpeningGpus::given(DeviceSelection::Gpus((0..count).collect()), opened)
    }

    /// A CPU, and another one in the place of a GPU that opens after a while.
    fn joining(milliseconds: u64) -> OpeningGpus {
        let (sender, opened) = channel();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(milliseconds));
            let _ = sender.send(OpenedGpu { number: 0, selected: 1, device: Ok(Device::Cpu) });
        });
        OpeningGpus::given(DeviceSelection::Auto, opened)
    }

    /// The output of mapping files of the folder on these devices, or the error.
    fn mapped(folder: &Path, arguments: &str, opening: OpeningGpus) -> Result<Vec<u8>, String> {
        let words = arguments.split(' ').map(|word| {
            let file = folder.join(word);
            if file.exists() { file.display().to_string() } else { word.to_owned() }
        });
        let output = folder.join("out.sam");
        let name = output.display().to_string();
        let words = ["gpualign", "-q", "-o", &name].map(str::to_owned).into_iter().chain(words);
        let MapArguments { files, options } =
            MapArguments::of_words(words).expect("is a command line");
        let timeline = Arc::new(Timeline::new());
        run_on(opening, &files, &options, &timeline).map_err(|error| format!("{error:#}"))?;
        let text = fs::read(&output).expect("is there");
        fs::remove_file(output).expect("is removed");
        Ok(text)
    }

    #[test]
    fn any_number_of_devices_maps_alike() {
        let folder = folder();
        for files in [
            "a_1.fq ref.fa",
            "a_1.fq a_2.fq ref.fa",
            "a_1.fq a_2.fq b_1.fq b_2.fq ref.fa",
            "--mode all -k 2 a_1.fq a_2.fq b_1.fq b_2.fq ref.fa",
        ] {
            let expected = mapped(folder.path(), files, named(1)).expect("maps");
            assert!(expected.len() > 50_000, "{files}");
            for size in [10, 100, 1_000_000] {
                for count in [2, 3] {
                    let line = format!("--batch-size {size} {files}");
                    let found = mapped(folder.path(), &line, named(count));
                    assert!(found.as_ref() == Ok(&expected), "{line}, {count} devices");
                }
            }
        }
    }

    #[test]
    fn a_device_that_joins_changes_nothing() {
        let folder = folder();
        for files in ["a_1.fq a_2.fq b_1.fq b_2.fq ref.fa", "--mode all a_1.fq a_2.fq ref.fa"] {
            let expected = mapped(folder.path(), files, named(1)).expect("maps");
            for milliseconds in [0, 5, 20, 10_000] {
                let line = format!("--batch-size 10 {files}");
                let found = mapped(folder.path(), &line, joining(milliseconds));
                assert!(found.as_ref() == Ok(&expected), "{line}, {milliseconds} ms");
            }
        }
    }

    #[test]
    fn the_first_error_of_the_input_is_told() {
        let folder = folder();
        for mode in ["best", "all"] {
            for size in [1, 30, 1_000] {
                for count in [1, 2, 3] {
                    let line = format!("--mode {mode} --batch-size {size} bad.fq ref.fa");
                    let error = mapped(folder.path(), &line, named(count)).expect_err("is bad");
                    assert!(error.contains("record 201"), "{line}, {count}: {error}");
                    assert!(!folder.path().join("out.sam").exists(), "{line}");
                }
            }
        }
    }

    /// A mapper on the CPU.
    fn mapper() -> Arc<seed_extend::Mapper> {
        let genome = genome(&mut Rng::with_seed(1));
        let reference = Reference::from_records([("one", genome)]).expect("a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        let mapper = seed_extend::Mapper::new(&index, Options::default(), &Device::Cpu);
        Arc::new(mapper.expect("a mapper"))
    }

    #[test]
    fn the_cpu_retires_when_a_gpu_has_joined() {
        let console = Console::new(Messages { quiet: true, verbose: false });
        let timeline = Arc::new(Timeline::new());
        let (sender, opened) = channel();
        let opening = OpeningGpus::given(DeviceSelection::Auto, opened);
        let limit = batches(Vec::new(), 1).limit;
        let devices = Devices::new(opening, &mapper(), &timeline, limit).expect("has the CPU");
        let (started, starts) = channel();
        thread::scope(|scope| {
            let joining = devices.work(scope, &console, move |device| {
                started.send(Arc::clone(device)).expect("is received");
            });
            let cpu = starts.recv().expect("maps at once");
            assert!(!cpu.retirement()());
            let failed = OpenedGpu { number: 0, selected: 2, device: Err(DeviceError::NoDevice) };
            sender.send(failed).expect("is received");
            let opened = OpenedGpu { number: 1, selected: 2, device: Ok(Device::Cpu) };
            sender.send(opened).expect("is received");
            let other = starts.recv().expect("joins");
            while !cpu.retirement()() {
                thread::yield_now();
            }
            assert!(!other.retirement()());
            drop(joining);
        });
        assert_eq!(devices.all().len(), 2);
        // Nothing was mapped, so both are named.
        assert_eq!(DeviceReads::names(&devices.used()), "cpu, cpu");
        assert_eq!(devices.failures(), [""; 0]);
    }

    /// A mapper on a device that fails when it is told to.
    #[derive(Debug, Default)]
    struct Failing(AtomicBool);

    impl DeviceMapper for Failing {
        const SEARCHES_ON_GPU: usize = 1;
        const ALONE_ON_CPU: bool = false;

        fn on_device(&self, _: &Device) -> Result<Self> {
            Ok(Self::default())
        }

        fn failure(&self) -> Option<String> {
            self.0.load(Ordering::Relaxed).then(|| "is broken".to_owned())
        }
    }

    #[test]
    fn devices_that_fail_leave_their_work_to_the_last_one() {
        let limit = batches(Vec::new(), 1).limit;
        let mapper = Arc::new(Failing::default());
        let devices = Devices::new(named(3), &mapper, &Arc::new(Timeline::new()), limit);
        let devices = devices.expect("opens").all();
        for failing in [1, 0, 2] {
            assert!(!devices[failing].retirement()());
            devices[failing].mapper.0.store(true, Ordering::Relaxed);
            // All threads of a device are told the same.
            assert_eq!(
                [devices[failing].retirement()(), devices[failing].retirement()()],
                [failing != 2; 2]
            );
        }
    }

    /// A mapper whose workers on the CPU do a batch each.
    #[derive(Debug, Default)]
    struct Alone;

    impl DeviceMapper for Alone {
        const SEARCHES_ON_GPU: usize = 1;
        const ALONE_ON_CPU: bool = true;

        fn on_device(&self, _: &Device) -> Result<Self> {
            Ok(Self)
        }

        fn failure(&self) -> Option<String> {
            None
        }
    }

    /// Tests that the turn to search, waited for on one device, is had on another one that takes its place meanwhile, and that who comes
    /// later does not wait.
    fn turns_are_on_the_successor<M: DeviceMapper + Default>() {
        let working = Working::default();
        let device = || MappingDevice::new((&Device::Cpu, 1), Arc::new(M::default()), &working);
        let (before, after) = (device(), device());
        let count = if M::ALONE_ON_CPU { before.threads } else { 1 };
        let begun: Vec<_> = (0..count).map(|_| before.turn_to_search()).collect();
        assert!(begun.iter().all(|turn| ptr::eq(turn.device, &raw const *before)));
        let is_after = || ptr::eq(before.turn_to_search().device, &raw const *after);
        thread::scope(|scope| {
            let waiting = scope.spawn(is_after);
            while before.waiting() == 0 {
                thread::yield_now();
            }
            before.retire(&after);
            assert!(is_after(), "while the other thread waits");
            drop(begun);
            assert!(waiting.join().expect("gets a turn"));
        });
        // Nobody keeps a turn, so none is waited for.
        let again: Vec<_> = (0..count).map(|_| after.turn_to_search()).collect();
        assert_eq!(again.len(), count);
    }

    #[test]
    fn what_waits_for_a_device_goes_to_the_one_that_takes_its_place() {
        turns_are_on_the_successor::<Failing>();
        turns_are_on_the_successor::<Alone>();
    }

    #[test]
    fn a_named_device_that_cannot_be_opened_is_an_error() {
        let (sender, opened) = channel();
        let missing = |asked| Err(DeviceError::NoSuchDevice { asked, count: 1 });
        for (number, device) in [(2, missing(7)), (0, Ok(Device::Cpu)), (1, missing(5))] {
            sender.send(OpenedGpu { number, selected: 3, device }).expect("is received");
        }
        drop(sender);
        let opening = OpeningGpus::given(DeviceSelection::Gpus(vec![0, 5, 7]), opened);
        let limit = batches(Vec::new(), 1).limit;
        let error = Devices::new(opening, &mapper(), &Arc::new(Timeline::new()), limit);
        let error = error.expect_err("is refused").to_string();
        assert_eq!(error, "no CUDA device 5: this machine has 1");
    }
}
