//! Launches of `full.cu`.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, Kernel as Function};

use super::{Full, Matrices, SECTION, TILE};
use crate::gpu::engine::{Engine, Method, THREADS};
use crate::gpu::scores::{Held, Part};

/// Threads of a block of `nw_dscan`, as many as hide its scattered writes (Li, chapter 3.3.2).
const DSCAN_THREADS: u32 = 512;

impl Engine {
    /// Launches a kernel of `full.cu`.
    pub(in crate::gpu) fn full(
        &mut self,
        kernel: Full,
        work: &Matrices,
    ) -> Result<Part, DeviceError> {
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
        Ok(Part { pairs: work.pairs.clone(), scores, _held: held })
    }

    /// Copies the beginning of the memory of matrices to the host, and waits: those of the last
    /// launch of [`Method::Full`], one after the other.
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    ///
    /// # Panics
    /// If there is less.
    pub fn matrices_into(&self, values: &mut [u32]) -> Result<(), DeviceError> {
        self.gpu.download_into(&self.room, values)
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
