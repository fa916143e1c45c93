//! Launches of the kernels with full matrices (`cuda/full.cu`).

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceRepr, DeviceStruct, Kernel};

use super::batch::{HeldMemory, MatrixGroupScores};
use crate::gpu::engine::{BLOCK_THREADS, Engine, KernelFile};
use crate::gpu::plan::full_matrix::{FullMatrixKernel, MatrixGroup, SECTION, TILE};
use crate::gpu::structs::{DscanParameters, MatrixGroupParameters, TilesParameters};

/// Threads of a block of `nw_dscan`: enough to hide the latency of its scattered writes (Li 2016, 3.3.2).
const DSCAN_THREADS: u32 = 512;

/// Size of a launch.
#[derive(Clone, Copy)]
struct LaunchSize {
    blocks: u32,
    threads: u32,
    shared_bytes: u32,
}

impl Engine {
    /// Launches the kernels that fill the matrices of a group of pairs, in the engine's memory for matrices.
    pub(super) fn launch_full_matrix(
        &mut self,
        kernel: FullMatrixKernel,
        group: &MatrixGroup,
    ) -> Result<MatrixGroupScores, DeviceError> {
        let count = group.spans.len() as u32;
        let spans = self.gpu.upload(&group.spans)?;
        let starts = self.gpu.upload(&group.starts)?;
        let scores = self.gpu.zeros::<i32>(count as usize)?;
        let gpu = &self.gpu;
        let parameters = MatrixGroupParameters {
            queries: self.queries.device_address(gpu),
            targets: self.targets.device_address(gpu),
            table: self.wide.table.device_address(gpu),
            spans: spans.device_address(gpu),
            starts: starts.device_address(gpu),
            matrices: DeviceAddress::new(self.matrix_memory.device_address(gpu).get()),
            scores: scores.device_address(gpu),
            count,
            gap: self.wide.scoring.extend as u32,
        };
        let borders = self.kernel(KernelFile::Full, "nw_borders")?;
        let size = LaunchSize { blocks: count, threads: BLOCK_THREADS, shared_bytes: 0 };
        launch(&borders, size, &parameters)?;
        match kernel {
            FullMatrixKernel::Rodinia | FullMatrixKernel::TiledDscan => {
                let tiles = self.kernel(KernelFile::Full, "nw_tiles")?;
                for diagonal in group.tile_launches(kernel == FullMatrixKernel::TiledDscan) {
                    let blocks = diagonal.count * diagonal.tiles;
                    let size = LaunchSize { blocks, threads: TILE, shared_bytes: 0 };
                    let parameters = TilesParameters {
                        group: parameters,
                        first: diagonal.first,
                        count: diagonal.count,
                        tiles: diagonal.tiles,
                        diagonal: diagonal.diagonal,
                    };
                    launch(&tiles, size, &parameters)?;
                }
            }
            FullMatrixKernel::Dscan => {
                let dscan = self.kernel(KernelFile::Full, "nw_dscan")?;
                let strip = group.strip();
                let shared_bytes = 16 * (strip + 1);
                let size = LaunchSize { blocks: count, threads: DSCAN_THREADS, shared_bytes };
                let parameters = DscanParameters { group: parameters, strip, padding: 0 };
                launch(&dscan, size, &parameters)?;
            }
            FullMatrixKernel::Rscan => {
                let rscan = self.kernel(KernelFile::Full, "nw_rscan")?;
                let blocks = count.div_ceil(SECTION);
                let size = LaunchSize { blocks, threads: SECTION, shared_bytes: 0 };
                launch(&rscan, size, &parameters)?;
            }
        }
        let corners = self.kernel(KernelFile::Full, "nw_corners")?;
        let blocks = count.div_ceil(BLOCK_THREADS);
        let size = LaunchSize { blocks, threads: BLOCK_THREADS, shared_bytes: 0 };
        launch(&corners, size, &parameters)?;
        let held: Vec<HeldMemory> = vec![Box::new(spans), Box::new(starts)];
        Ok(MatrixGroupScores { pairs: group.pairs.clone(), scores, _held: held })
    }

    /// Copies the first values of the memory for matrices to the host, and waits: the matrices of the last launch of
    /// [`KernelKind::FullMatrix`](crate::gpu::engine::KernelKind::FullMatrix), one after the other.
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    ///
    /// # Panics
    /// If `values` is longer than that memory.
    pub fn matrices_into(&self, values: &mut [u32]) -> Result<(), DeviceError> {
        self.gpu.download_into(&self.matrix_memory, values)
    }
}

/// Launches a kernel of `full.cu`.
fn launch<P: DeviceStruct + DeviceRepr>(
    kernel: &Kernel,
    size: LaunchSize,
    parameters: &P,
) -> Result<(), DeviceError> {
    let LaunchSize { blocks, threads, shared_bytes } = size;
    #[allow(unsafe_code)]
    // SAFETY: the caller passes the kernel's own parameters, of matrices that fit into the memory for them.
    unsafe {
        kernel.launch(blocks, threads, shared_bytes, parameters)
    }
}
