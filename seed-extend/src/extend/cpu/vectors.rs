//! The vectors of the processor.

/// Length of the vectors that a processor computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vectors {
    /// 256 bits: AVX2, or what a compiler makes of shorter ones.
    Bits256,
    /// 512 bits: AVX-512 with instructions for numbers of 8 and 16 bits.
    Bits512,
}

impl Vectors {
    /// The length of this processor's vectors.
    pub fn of_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let has_long_ones = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            if has_long_ones {
                return Self::Bits512;
            }
        }
        Self::Bits256
    }
}
