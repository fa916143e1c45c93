//! Kernels, memory and launches.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::cigar::Run;
use aligner_core::gpu::{Argument, DeviceBuffer, Gpu, Kernel, Module};
use bytemuck::cast_slice;

use super::super::alignments::{Alignments, Place};
use super::super::scoring::Scoring;
use super::super::task::{Scored, Tasks, Text};
use super::costs::Costs;
use super::plan::{Launch, Plan, Room, Slice};
use super::uploaded::Uploaded;

/// Threads of a block.
const THREADS: u32 = 128;

/// Runs for which there is room at first, for each task.
const RUNS: u64 = 16;

/// A text on a GPU, and the kernels that align queries with windows of it.
#[derive(Debug)]
pub struct Engine {
    gpu: Gpu,
    module: Module,
    scoring: Scoring,
    costs: Arc<DeviceBuffer<Costs>>,
    text: Arc<DeviceBuffer<u64>>,
    /// Cells of a slice of tasks, kept from one to the next.
    matrix: DeviceBuffer<u32>,
}

/// A slice of tasks whose cells were kept.
struct Traced {
    pairs: DeviceBuffer<u32>,
    rooms: DeviceBuffer<Room>,
}

impl Engine {
    /// Puts a text on the GPU, 2 bits a base; unknown bases are some base there, and tasks with such in
    /// their window are left out of every [`Plan`].
    ///
    /// # Errors
    /// If it does not fit, or the driver fails.
    pub fn new(gpu: Gpu, scoring: Scoring, text: Text<'_>) -> Result<Self, DeviceError> {
        let module = gpu.load("extend", include_bytes!("../../../cuda/extend.fatbin"))?;
        let text = match text {
            Text::Packed(words) => gpu.upload(words)?,
            Text::Codes(codes) => gpu.upload(&pack(codes))?,
        };
        let (text, costs) = (Arc::new(text), Arc::new(gpu.upload(&[Costs::from(scoring)])?));
        let matrix = gpu.room(0)?;
        Ok(Self { gpu, module, scoring, costs, text, matrix })
    }

    /// An engine for the same text, which works beside this one.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn beside(&self) -> Result<Self, DeviceError> {
        // The text has to be there before another stream may look at it.
        self.gpu.synchronize()?;
        let gpu = self.gpu.beside()?;
        let (module, scoring, matrix) = (self.module.clone(), self.scoring, gpu.room(0)?);
        let (costs, text) = (self.costs.clone(), self.text.clone());
        Ok(Self { gpu, module, scoring, costs, text, matrix })
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The scores of the tasks of a plan, which have the text of [`Self::new`], in their order.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn score(&mut self, tasks: Tasks<'_>, plan: &Plan) -> Result<Vec<Scored>, DeviceError> {
        let uploaded = Uploaded::new(&self.gpu, tasks, None)?;
        let mut held = Vec::new();
        for launch in &plan.launches {
            let pairs = self.gpu.upload(launch.pairs.as_flattened())?;
            let rest = self.gpu.room::<u32>(pairs.len())?;
            let count = self.gpu.zeros::<u32>(1)?;
            self.launch_scores(launch, &uploaded, &pairs, (&rest, &count))?;
            held.push((pairs, rest, count));
        }
        self.gpu.download(&uploaded.scored, tasks.tasks.len())
    }

    /// Seconds that the kernels of [`Self::score`] take, by the device's clock.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn time_score(&mut self, tasks: Tasks<'_>) -> Result<f64, DeviceError> {
        let plan = Plan::new(self.scoring, tasks);
        let uploaded = Uploaded::new(&self.gpu, tasks, None)?;
        let mut seconds = 0.0;
        for launch in &plan.launches {
            let pairs = self.gpu.upload(launch.pairs.as_flattened())?;
            let rest = self.gpu.room::<u32>(pairs.len())?;
            let count = self.gpu.zeros::<u32>(1)?;
            let launch = || self.launch_scores(launch, &uploaded, &pairs, (&rest, &count));
            seconds += self.gpu.timed(launch)?;
        }
        Ok(seconds)
    }

    /// The alignments of the tasks of a plan, which have the text of [`Self::new`], in their order: in
    /// `found`, in place of what it had. All queries may be on the device already.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn align(
        &mut self,
        (tasks, on_device): (Tasks<'_>, Option<&DeviceBuffer<u8>>),
        plan: &Plan,
        found: &mut Alignments,
    ) -> Result<(), DeviceError> {
        found.clear();
        let uploaded = Uploaded::new(&self.gpu, tasks, on_device)?;
        let count = tasks.tasks.len();
        let places = self.gpu.zeros::<Place>(count)?;
        let most = self.room()?;
        for slice in plan.slices(self.scoring, tasks.tasks, most) {
            let traced = self.trace(&slice, &uploaded)?;
            self.walk(&traced, &uploaded, &places, &mut found.runs)?;
        }
        let places = self.gpu.download_landed(&places, count)?;
        found.places.extend_from_slice(cast_slice(places.bytes()));
        Ok(())
    }

    fn kernel(&self, name: &str, columns: u32) -> Result<Kernel, DeviceError> {
        self.module.kernel(&self.gpu, &format!("extend_{name}_{columns}"))
    }

    /// Launches the kernels for scores and ends.
    fn launch_scores(
        &self,
        launch: &Launch,
        uploaded: &Uploaded<'_>,
        pairs: &DeviceBuffer<u32>,
        (rest, rest_count): (&DeviceBuffer<u32>, &DeviceBuffer<u32>),
    ) -> Result<(), DeviceError> {
        let count = launch.pairs.len() as u32;
        let score = self.kernel("score", launch.columns)?;
        let end = self.kernel("end", launch.columns)?;
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; `pairs` has two numbers of tasks for each of
        // `count`, and `rest` room for as many; each task's codes are there, since `Plan` is of
        // tasks that were checked.
        unsafe {
            score.launch(
                count.div_ceil(THREADS),
                THREADS,
                0,
                &[
                    Argument::Buffer(&*self.costs),
                    Argument::Buffer(&*self.text),
                    Argument::Buffer(uploaded.queries()),
                    Argument::Buffer(&uploaded.tasks),
                    Argument::Buffer(pairs),
                    Argument::U32(count),
                    Argument::Buffer(&uploaded.scored),
                    Argument::Buffer(rest),
                    Argument::Buffer(rest_count),
                ],
            )?;
        }
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel, as the one before it left them.
        unsafe {
            end.launch(
                // As many as there may be threads to need, and the device has room for.
                count.div_ceil(THREADS).min(16 * self.gpu.multiprocessors()),
                THREADS,
                0,
                &[
                    Argument::Buffer(&*self.costs),
                    Argument::Buffer(&*self.text),
                    Argument::Buffer(uploaded.queries()),
                    Argument::Buffer(&uploaded.tasks),
                    Argument::Buffer(rest),
                    Argument::Buffer(rest_count),
                    Argument::Buffer(&uploaded.scored),
                ],
            )
        }
    }

    /// Words of cells that may be kept at a time.
    fn room(&self) -> Result<u64, DeviceError> {
        // A half of the memory is for everything else.
        let free = self.gpu.free_memory()? / size_of::<u32>() as u64;
        Ok((free / 2).max(self.matrix.len() as u64))
    }

    /// Scores a slice of tasks, and keeps their cells.
    fn trace(&mut self, slice: &Slice, uploaded: &Uploaded<'_>) -> Result<Traced, DeviceError> {
        let Slice { fills, pairs, rooms, words } = slice;
        if (self.matrix.len() as u64) < *words {
            self.matrix = self.gpu.room(0)?;
            // A little more, for the next slices: to get memory takes longer than to fill it.
            let words = (words + words / 4).min(self.room()?.max(*words));
            self.matrix = self.gpu.room(words as usize)?;
        }
        let pairs = self.gpu.upload(pairs.as_flattened())?;
        let rooms = self.gpu.upload(rooms)?;
        for (columns, range) in fills {
            let kernel = self.kernel("trace", *columns)?;
            let count = range.len() as u32;
            #[allow(unsafe_code)]
            // SAFETY: the arguments are those of the kernel; there are two numbers for each pair, a room
            // for each warp of them, and the matrix has as many words as the slice says.
            unsafe {
                kernel.launch(
                    count.div_ceil(THREADS),
                    THREADS,
                    0,
                    &[
                        Argument::Buffer(&*self.costs),
                        Argument::Buffer(&*self.text),
                        Argument::Buffer(uploaded.queries()),
                        Argument::Buffer(&uploaded.tasks),
                        Argument::Buffer(&pairs),
                        Argument::U32(range.start),
                        Argument::U32(count),
                        Argument::Buffer(&uploaded.scored),
                        Argument::Buffer(&rooms),
                        Argument::Buffer(&self.matrix),
                    ],
                )?;
            }
        }
        Ok(Traced { pairs, rooms })
    }

    /// Walks through the alignments of a slice whose cells were kept, and adds their runs.
    fn walk(
        &self,
        traced: &Traced,
        uploaded: &Uploaded<'_>,
        places: &DeviceBuffer<Place>,
        runs: &mut Vec<Run>,
    ) -> Result<(), DeviceError> {
        let kernel = self.module.kernel(&self.gpu, "extend_walk")?;
        let tasks = traced.pairs.len() as u32;
        let mut capacity = u64::from(tasks) * RUNS;
        loop {
            let taken = self.gpu.zeros::<u64>(1)?;
            let room = self.gpu.room::<u32>(capacity as usize)?;
            #[allow(unsafe_code)]
            // SAFETY: the arguments are those of the kernel, as `trace` left them, and `room` has as
            // many words as it is told.
            unsafe {
                kernel.launch(
                    tasks.div_ceil(THREADS),
                    THREADS,
                    0,
                    &[
                        Argument::Buffer(&*self.costs),
                        Argument::Buffer(&*self.text),
                        Argument::Buffer(uploaded.queries()),
                        Argument::Buffer(&uploaded.tasks),
                        Argument::Buffer(&traced.pairs),
                        Argument::U32(tasks / 2),
                        Argument::Buffer(&uploaded.scored),
                        Argument::Buffer(&traced.rooms),
                        Argument::Buffer(&self.matrix),
                        Argument::Buffer(&taken),
                        Argument::Buffer(&room),
                        Argument::U64(capacity),
                        Argument::U64(runs.len() as u64),
                        Argument::Buffer(places),
                    ],
                )?;
            }
            let taken = self.gpu.download(&taken, 1)?[0];
            if taken <= capacity {
                let found = self.gpu.download_landed(&room, taken as usize)?;
                runs.extend_from_slice(cast_slice(found.bytes()));
                return Ok(());
            }
            capacity = taken;
        }
    }
}

/// The codes, 2 bits each; unknown ones are some base.
fn pack(codes: &[u8]) -> Vec<u64> {
    let word =
        |codes: &[u8]| codes.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code & 3));
    codes.chunks(32).map(word).collect()
}
