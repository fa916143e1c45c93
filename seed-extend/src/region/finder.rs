//! Makes regions of chains where these are: on a GPU, or on the host of alignments by a GPU or the CPU.

use std::sync::Arc;

use aligner_core::cigar::CigarRun;
use aligner_core::gpu::DeviceBuffer;
use aligner_core::stream::CudaBackend;
use aligner_core::{Device, DeviceError};

use crate::chain::FinderInputs;
use crate::chain::gpu::DeviceChains;
use crate::extend::{Alignments, Extender, ReferenceText, TaskBatch};
use crate::region::gpu::{RegionEngine, RegionsOfReads};

/// Aligns where chains are, and makes their regions if they are on a GPU.
#[derive(Debug)]
pub(crate) struct RegionFinder {
    extender: Extender,
    engine: Option<RegionEngine<CudaBackend>>,
}

impl RegionFinder {
    /// A finder for the text of an index, which is copied to the device.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) fn new(
        inputs: &Arc<FinderInputs>,
        text: ReferenceText<'_>,
        device: &Device,
    ) -> Result<Self, DeviceError> {
        let mut extender = Extender::new(inputs.options.scoring, text, &device.with_own_stream()?)?;
        let engine = extender.engine().map(|extend| RegionEngine::on_gpu(extend.gpu(), inputs));
        Ok(Self { engine: engine.transpose()?, extender })
    }

    /// A finder for the same text and device, on a second stream, so that both can work at the same time.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) fn on_second_stream(&self) -> Result<Self, DeviceError> {
        let mut extender = self.extender.on_second_stream()?;
        let both = extender.engine().zip(self.engine.as_ref());
        let engine = both.map(|(extend, engine)| engine.on(extend.gpu()));
        Ok(Self { extender, engine })
    }

    /// An extender for the same text and device, on a second stream.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) fn extender_on_second_stream(&self) -> Result<Extender, DeviceError> {
        self.extender.on_second_stream()
    }

    /// The regions of reads with chains on the GPU; `all` are their queries and the text, without tasks, and `tie_breakers` has a
    /// number for each read. `runs` is a buffer whose contents are replaced. `None` if there is no GPU or it fails.
    pub(crate) fn find(
        &mut self,
        chains: &DeviceChains<DeviceBuffer<u8>>,
        (all, tie_breakers): (TaskBatch<'_>, &[u64]),
        runs: Vec<CigarRun>,
    ) -> Option<RegionsOfReads> {
        let (engine, extend) = (self.engine.as_ref()?, self.extender.engine()?);
        let found = extend
            .limits()
            .and_then(|limits| engine.find(extend, chains, (all, tie_breakers), (limits, runs)));
        found.map_err(|error| self.extender.fail(error)).ok()
    }

    /// Aligns tasks of the host as [`Extender::align_into`] does.
    pub(crate) fn align_into(&mut self, all: TaskBatch<'_>, found: &mut Alignments) {
        self.extender.align_into(all, found);
    }

    /// The GPU's failure, if there was one. From then on the CPU does everything, with the same results.
    pub(crate) fn failure(&self) -> Option<&DeviceError> {
        self.extender.failure()
    }
}
