//! The shape of a launch.

/// The shape of a launch: blocks, threads and dynamic shared memory. `cpp/simt/launch.h` declares the same struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Launch {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z; at most 1024 in all.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u64,
    /// Decides the order in which the threads of each block run.
    pub seed: u64,
}

impl Launch {
    /// `blocks` blocks of `threads` threads, without dynamic shared memory, and with the seed that
    /// `SIMT_SEED` gives, or 1.
    ///
    /// # Panics
    /// If `SIMT_SEED` is not a number.
    pub fn new(blocks: u32, threads: u32) -> Self {
        let seed = std::env::var("SIMT_SEED").map_or(1, |text| {
            text.parse().unwrap_or_else(|_| panic!("SIMT_SEED is '{text}', not a number"))
        });
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared: 0, seed }
    }

    /// Sets the dynamic shared memory of a block, in bytes.
    #[must_use]
    pub fn shared(self, bytes: u64) -> Self {
        Self { shared: bytes, ..self }
    }

    /// Sets the seed, which decides the order of threads.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}
