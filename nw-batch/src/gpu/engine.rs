//! Launches of the kernels.

use std::collections::HashMap;

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, DeviceBuffer, Gpu, Kernel as Function, Module};

use crate::batch::{Batch, Sequences};
use crate::bias::Bias;
use crate::cigar::Alignment;
use crate::gpu::edit::{self, EditWork};
use crate::gpu::full::{self, Full, Matrices, SECTION, TILE};
use crate::gpu::model::{End, Model, table};
use crate::gpu::plan::{Family, Kernel, Plan, Work, plan};
use crate::gpu::runs;
use crate::scoring::Scoring;

/// Threads of a block of `warp.cu` and `edit.cu`.
const THREADS: u32 = 128;

/// Threads of a block of `nw_dscan`, as many as hide its scattered writes (Li, chapter 3.3.2).
const DSCAN_THREADS: u32 = 512;

/// Which scores a launch gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// `warp.cu`.
    Warp,
    /// `edit.cu`.
    Edit,
    /// `full.cu`.
    Full(Full),
}

/// Sequences on a GPU, and the kernels that align them.
#[derive(Debug)]
pub struct Engine {
    gpu: Gpu,
    scoring: Scoring,
    warp: Module,
    edit: Module,
    full: Module,
    functions: HashMap<String, Function>,
    queries: DeviceBuffer<u8>,
    targets: DeviceBuffer<u8>,
    narrow: Constants,
    wide: Constants,
    /// Directions of a launch, or matrices: kept from launch to launch, as far as memory goes.
    room: DeviceBuffer<u32>,
}

/// The recurrence on the device.
#[derive(Debug)]
struct Constants {
    model: DeviceBuffer<Model>,
    table: DeviceBuffer<i16>,
}

/// Launches for the scores of a batch.
#[derive(Debug)]
pub struct Planned {
    launches: Launches,
    /// Pairs that no kernel does, by their places in the batch.
    left: Vec<usize>,
}

#[derive(Debug)]
enum Launches {
    Warp(Vec<Work>),
    Edit(Vec<EditWork>),
    Full(Full, Vec<Matrices>),
}

/// Scores under way.
#[derive(Debug)]
pub struct Launched {
    parts: Vec<Part>,
    /// Pairs that no kernel does, by their places in the batch.
    pub left: Vec<usize>,
}

/// What a launch will have written.
#[derive(Debug)]
struct Part {
    pairs: Vec<usize>,
    found: Found,
    /// Memory that the kernel still reads.
    _held: Vec<Held>,
}

#[derive(Debug)]
enum Found {
    Ends(DeviceBuffer<End>),
    Scores(DeviceBuffer<i32>),
}

/// Device memory of any type, for as long as it is needed.
trait Any: std::fmt::Debug + Send {}
impl<T: std::fmt::Debug> Any for DeviceBuffer<T> where Self: Send {}
type Held = Box<dyn Any>;

impl Constants {
    fn new(gpu: &Gpu, scoring: &Scoring, bias: &Bias) -> Result<Self, DeviceError> {
        Ok(Self {
            model: gpu.upload(&[Model::new(scoring, bias)])?,
            table: gpu.upload(&table(scoring, bias))?,
        })
    }
}

impl Engine {
    /// Puts sequences on the GPU.
    ///
    /// # Errors
    /// If they do not fit, or the driver fails.
    pub fn new(
        gpu: Gpu,
        scoring: &Scoring,
        queries: &Sequences,
        targets: &Sequences,
    ) -> Result<Self, DeviceError> {
        let warp = gpu.load("warp", include_bytes!("../../cuda/warp.fatbin"))?;
        let edit = gpu.load("edit", include_bytes!("../../cuda/edit.fatbin"))?;
        let full = gpu.load("full", include_bytes!("../../cuda/full.fatbin"))?;
        Ok(Self {
            warp,
            edit,
            full,
            functions: HashMap::new(),
            queries: gpu.upload(queries.all_codes())?,
            targets: gpu.upload(targets.all_codes())?,
            narrow: Constants::new(&gpu, scoring, &Bias::narrow(scoring))?,
            wide: Constants::new(&gpu, scoring, &Bias::wide(scoring))?,
            room: gpu.zeros(0)?,
            scoring: scoring.clone(),
            gpu,
        })
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Begins to compute the scores of a batch, whose sequences are those of [`Self::new`].
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn begin_scores(
        &mut self,
        batch: Batch<'_>,
        method: Method,
    ) -> Result<Launched, DeviceError> {
        let planned = self.plan_scores(batch, method)?;
        self.launch(&planned)
    }

    /// Plans the launches for the scores of a batch.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_scores(
        &mut self,
        batch: Batch<'_>,
        method: Method,
    ) -> Result<Planned, DeviceError> {
        Ok(match method {
            Method::Warp => {
                let plan = plan(&self.scoring, batch, false, u64::MAX);
                Planned { left: plan.left, launches: Launches::Warp(plan.work) }
            }
            Method::Edit => {
                let (work, left) = edit::plan(batch);
                Planned { left, launches: Launches::Edit(work) }
            }
            Method::Full(kernel) => {
                let words = self.make_room(full::all_values(batch))?;
                let (parts, left) = full::divide(batch, words);
                Planned { left, launches: Launches::Full(kernel, parts) }
            }
        })
    }

    /// Launches what was planned, without waiting for it.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn launch(&mut self, planned: &Planned) -> Result<Launched, DeviceError> {
        let parts: Result<Vec<Part>, DeviceError> = match &planned.launches {
            Launches::Warp(work) => work.iter().map(|work| self.fill(work)).collect(),
            Launches::Edit(work) => work.iter().map(|work| self.edit(work)).collect(),
            Launches::Full(kernel, work) => {
                work.iter().map(|work| self.full(*kernel, work)).collect()
            }
        };
        Ok(Launched { parts: parts?, left: planned.left.clone() })
    }

    /// Waits for the scores; gives them for each pair of the batch, 0 for those in
    /// [`Launched::left`].
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    pub fn finish_scores(
        &self,
        launched: &Launched,
        pairs: usize,
    ) -> Result<Vec<i32>, DeviceError> {
        let mut all = vec![0; pairs];
        for part in &launched.parts {
            let count = part.pairs.len();
            let scores = match &part.found {
                Found::Ends(ends) => {
                    self.gpu.download(ends, count)?.into_iter().map(|end| end.score).collect()
                }
                Found::Scores(scores) => self.gpu.download(scores, count)?,
            };
            for (&number, score) in part.pairs.iter().zip(scores) {
                all[number] = score;
            }
        }
        Ok(all)
    }

    /// The alignments of a batch, whose sequences are those of [`Self::new`]; and the pairs that
    /// are left out, by their places.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn alignments(
        &mut self,
        batch: Batch<'_>,
    ) -> Result<(Vec<Alignment>, Vec<usize>), DeviceError> {
        let plan = self.plan_alignments(batch)?;
        let mut all = vec![Alignment::default(); batch.pairs.len()];
        for work in &plan.work {
            for (&number, alignment) in work.pairs.iter().zip(self.trace(work)?) {
                all[number] = alignment;
            }
        }
        Ok((all, plan.left))
    }

    /// Plans the launches for the directions of a batch's alignments, and makes room for them.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_directions(&mut self, batch: Batch<'_>) -> Result<Planned, DeviceError> {
        let plan = self.plan_alignments(batch)?;
        Ok(Planned { left: plan.left, launches: Launches::Warp(plan.work) })
    }

    fn plan_alignments(&mut self, batch: Batch<'_>) -> Result<Plan, DeviceError> {
        let wanted = plan(&self.scoring, batch, true, u64::MAX);
        let words = wanted.work.iter().map(|work| work.direction_words).max().unwrap_or(0);
        let room = self.make_room(words)?;
        Ok(if room >= words { wanted } else { plan(&self.scoring, batch, true, room) })
    }

    /// Makes room for `words` words of directions, or for what memory allows; gives how many.
    fn make_room(&mut self, words: u64) -> Result<u64, DeviceError> {
        if words <= self.room.len() as u64 {
            return Ok(self.room.len() as u64);
        }
        self.room = self.gpu.zeros(0)?;
        self.gpu.synchronize()?;
        // A quarter of the memory is for everything else.
        let mut words = words.min(self.gpu.free_memory()? / 4 * 3 / 4);
        loop {
            match self.gpu.zeros(words as usize) {
                Err(DeviceError::OutOfMemory(_)) if words > 1 << 20 => words /= 2,
                made => {
                    self.room = made?;
                    return Ok(words);
                }
            }
        }
    }

    fn function(&mut self, module: Method, name: &str) -> Result<Function, DeviceError> {
        if let Some(function) = self.functions.get(name) {
            return Ok(function.clone());
        }
        let module = match module {
            Method::Warp => &self.warp,
            Method::Edit => &self.edit,
            Method::Full(_) => &self.full,
        };
        let function = module.kernel(&self.gpu, name)?;
        self.functions.insert(name.to_owned(), function.clone());
        Ok(function)
    }

    /// Blocks that fill the device, but no more than `tasks` need.
    fn blocks(&self, function: &Function, tasks: u32) -> Result<u32, DeviceError> {
        let resident = function.blocks_per_multiprocessor(THREADS, 0)?.max(1);
        Ok(tasks.div_ceil(THREADS / 32).min(resident * self.gpu.multiprocessors()).max(1))
    }

    /// Launches a kernel of `warp.cu`.
    fn fill(&mut self, work: &Work) -> Result<Part, DeviceError> {
        let function = self.function(Method::Warp, &work.kernel.name())?;
        let blocks = self.blocks(&function, work.tasks())?;
        let constants = if work.kernel.family == Family::Wide { &self.wide } else { &self.narrow };
        let places = self.gpu.upload(&work.places)?;
        let starts = self.gpu.upload(&work.starts)?;
        let next = self.gpu.zeros::<u32>(1)?;
        let warps = blocks as usize * (THREADS / 32) as usize;
        let rooms = self.gpu.zeros::<u32>(warps * 2 * work.row_words as usize)?;
        let ends = self.gpu.zeros::<End>(work.places.len())?;
        let arguments = [
            Argument::Buffer(&constants.model),
            Argument::Buffer(&places),
            Argument::U32(work.tasks()),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.targets),
            Argument::Buffer(&constants.table),
            Argument::Buffer(&next),
            Argument::Buffer(&rooms),
            Argument::U32(work.row_words),
            Argument::Buffer(&ends),
            Argument::Buffer(&starts),
            Argument::Buffer(&self.room),
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; the plan gives the lengths, and the room
        // has at least the words of directions that it was made with.
        unsafe {
            function.launch(blocks, THREADS, 0, &arguments)?;
        }
        let held: Vec<Held> =
            vec![Box::new(places), Box::new(starts), Box::new(next), Box::new(rooms)];
        Ok(Part { pairs: work.pairs.clone(), found: Found::Ends(ends), _held: held })
    }

    /// The alignments of a launch.
    fn trace(&mut self, work: &Work) -> Result<Vec<Alignment>, DeviceError> {
        let part = self.fill(work)?;
        let Found::Ends(ends) = &part.found else { return Ok(Vec::new()) };
        let count = work.pairs.len();
        let places = self.gpu.upload(&work.places)?;
        let starts = self.gpu.upload(&work.starts)?;
        let counts = self.gpu.zeros::<u32>(count)?;
        self.walk(work, &places, ends, &starts, &counts, None)?;
        let counted = self.gpu.download(&counts, count)?;
        let behind: Vec<u64> = counted
            .iter()
            .scan(0, |sum, &count| {
                *sum += u64::from(count);
                Some(*sum)
            })
            .collect();
        let all = behind.last().map_or(0, |&all| all as usize);
        let (on_device, out) = (self.gpu.upload(&behind)?, self.gpu.zeros::<u32>(all)?);
        self.walk(work, &places, ends, &starts, &counts, Some((&on_device, &out)))?;
        let runs = self.gpu.download(&out, all)?;
        let ends = self.gpu.download(ends, count)?;
        let alignments =
            ends.iter().zip(behind.iter().zip(&counted)).map(|(end, (&behind, &count))| {
                let runs = &runs[behind as usize - count as usize..behind as usize];
                Alignment { score: end.score, cigar: runs::cigar(runs) }
            });
        Ok(alignments.collect())
    }

    /// Launches `nw_walk`, which counts runs, or writes them.
    fn walk(
        &mut self,
        work: &Work,
        places: &DeviceBuffer<crate::gpu::model::Place>,
        ends: &DeviceBuffer<End>,
        starts: &DeviceBuffer<u64>,
        counts: &DeviceBuffer<u32>,
        out: Option<(&DeviceBuffer<u64>, &DeviceBuffer<u32>)>,
    ) -> Result<(), DeviceError> {
        let function = self.function(Method::Warp, "nw_walk")?;
        let Kernel { family, rows, .. } = work.kernel;
        let constants = if family == Family::Wide { &self.wide } else { &self.narrow };
        let count = work.pairs.len() as u32;
        let (behind, runs) = match out {
            Some((behind, runs)) => (Argument::Buffer(behind), Argument::Buffer(runs)),
            None => (Argument::U64(0), Argument::U64(0)),
        };
        let arguments = [
            Argument::Buffer(&constants.model),
            Argument::Buffer(places),
            Argument::U32(count),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.targets),
            Argument::Buffer(ends),
            Argument::Buffer(starts),
            Argument::Buffer(&self.room),
            Argument::U32(rows),
            Argument::U32(u32::from(work.kernel.is_affine())),
            Argument::U32(work.kernel.pairs_of_task()),
            Argument::Buffer(counts),
            behind,
            runs,
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; runs have the room that it counted itself.
        unsafe {
            function.launch(count.div_ceil(THREADS), THREADS, 0, &arguments)
        }
    }

    /// Launches a kernel of `edit.cu`.
    fn edit(&mut self, work: &EditWork) -> Result<Part, DeviceError> {
        let function = self.function(Method::Edit, &work.kernel.name())?;
        let blocks = self.blocks(&function, work.tasks())?;
        let places = self.gpu.upload(&work.places)?;
        let next = self.gpu.zeros::<u32>(1)?;
        let groups = (blocks * THREADS / work.kernel.lanes) as usize;
        let rooms = self.gpu.zeros::<u8>(groups * work.row_bytes as usize)?;
        let scores = self.gpu.zeros::<i32>(work.places.len())?;
        let arguments = [
            Argument::Buffer(&places),
            Argument::U32(work.tasks()),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.targets),
            Argument::Buffer(&next),
            Argument::Buffer(&rooms),
            Argument::U32(work.row_bytes),
            Argument::Buffer(&scores),
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; the plan gives the lengths.
        unsafe {
            function.launch(blocks, THREADS, 0, &arguments)?;
        }
        let held: Vec<Held> = vec![Box::new(places), Box::new(next), Box::new(rooms)];
        Ok(Part { pairs: work.pairs.clone(), found: Found::Scores(scores), _held: held })
    }

    /// Launches a kernel of `full.cu`.
    fn full(&mut self, kernel: Full, work: &Matrices) -> Result<Part, DeviceError> {
        let method = Method::Full(kernel);
        let count = work.places.len() as u32;
        let places = self.gpu.upload(&work.places)?;
        let starts = self.gpu.upload(&work.starts)?;
        let scores = self.gpu.zeros::<i32>(count as usize)?;
        let borders = self.function(method, "nw_borders")?;
        let arguments = [
            Argument::Buffer(&self.wide.model),
            Argument::Buffer(&places),
            Argument::U32(count),
            Argument::Buffer(&starts),
            Argument::Buffer(&self.room),
        ];
        launch_full(&borders, (count, THREADS, 0), &arguments)?;
        let name = match kernel {
            Full::Rodinia | Full::TiledDscan => "nw_tiles",
            Full::Dscan => "nw_dscan",
            Full::Rscan => "nw_rscan",
        };
        let function = self.function(method, name)?;
        let common = |own: &[u32]| {
            let mut arguments =
                vec![Argument::Buffer(&self.wide.model as &dyn Address), Argument::Buffer(&places)];
            arguments.extend(own.iter().map(|&number| Argument::U32(number)));
            arguments.extend([
                Argument::Buffer(&self.queries as &dyn Address),
                Argument::Buffer(&self.targets),
                Argument::Buffer(&self.wide.table),
                Argument::Buffer(&starts),
                Argument::Buffer(&self.room),
            ]);
            arguments
        };
        match kernel {
            Full::Rodinia | Full::TiledDscan => {
                for tiles in work.tiles(kernel == Full::TiledDscan) {
                    let own = common(&[tiles.first, tiles.count, tiles.tiles, tiles.diagonal]);
                    launch_full(&function, (tiles.count * tiles.tiles, TILE, 0), &own)?;
                }
            }
            Full::Dscan => {
                let strip = work.strip();
                let shape = (count, DSCAN_THREADS, 16 * (strip + 1));
                launch_full(&function, shape, &common(&[count, strip]))?;
            }
            Full::Rscan => {
                launch_full(&function, (count.div_ceil(SECTION), SECTION, 0), &common(&[count]))?;
            }
        }
        let corners = self.function(method, "nw_corners")?;
        let arguments = [
            Argument::Buffer(&places),
            Argument::U32(count),
            Argument::Buffer(&starts),
            Argument::Buffer(&self.room),
            Argument::Buffer(&scores),
        ];
        launch_full(&corners, (count.div_ceil(THREADS), THREADS, 0), &arguments)?;
        let held: Vec<Held> = vec![Box::new(places), Box::new(starts)];
        Ok(Part { pairs: work.pairs.clone(), found: Found::Scores(scores), _held: held })
    }
}

/// Launches a kernel of `full.cu` with blocks, threads and shared memory.
fn launch_full(
    function: &Function,
    (blocks, threads, shared): (u32, u32, u32),
    arguments: &[Argument<'_>],
) -> Result<(), DeviceError> {
    #[allow(unsafe_code)]
    // SAFETY: the callers pass the kernels' own arguments, of matrices that fit into the room.
    unsafe {
        function.launch(blocks, threads, shared, arguments)
    }
}
