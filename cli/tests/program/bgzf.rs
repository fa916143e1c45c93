//! Sizes of the blocks of real BAM that the GPU's kernel makes, run on the CPU by the SIMT shim.

use std::io::Read;

use aligner_core::bgzf::{
    BLOCK_BYTES, CONTENT_BYTES, DeviceCompressor, FOOTER_BYTES, HEADER_BYTES,
};
use gpualign_tests::ShimBackend;
use libdeflater::{CompressionLvl, Compressor};

use crate::support::{Folder, data};

/// Contents that are compressed, of the middle of each file.
const CONTENTS: usize = 4;

/// Bytes that libdeflate makes of all contents with a level.
fn by_libdeflate(level: i32, contents: &[&[u8]]) -> usize {
    let mut compressor = Compressor::new(CompressionLvl::new(level).expect("a level"));
    let mut room = vec![0; BLOCK_BYTES];
    let sizes = contents.iter().map(|content| compressor.deflate_compress(content, &mut room));
    sizes.map(|size| size.expect("it fits")).sum()
}

#[test]
fn blocks_of_the_kernel_are_as_small_as_those_of_samtools() {
    let folder = Folder::new();
    folder
        .write("1.fq.gz", data("chr20_10mb_1.fq.gz"))
        .write("2.fq.gz", data("chr20_10mb_2.fq.gz"));
    folder.write("ref.fa", data("chr20_10mb.fa"));
    let kernels = gpualign_tests::kernels("aligner-core", "deflate").expect("it is built");
    let backend = ShimBackend::new(kernels, 5);
    let mut compressor = DeviceCompressor::with_backend(backend, CONTENTS).expect("memory");
    for options in [[].as_slice(), &["--sort"]] {
        let arguments = ["1.fq.gz", "2.fq.gz", "ref.fa", "-o", "out.bam"];
        folder.map(&[options, &arguments].concat());
        let mut bam = Vec::new();
        let file = folder.read("out.bam");
        flate2::read::MultiGzDecoder::new(&file[..]).read_to_end(&mut bam).expect("is BAM");
        let contents: Vec<&[u8]> = bam.chunks_exact(CONTENT_BYTES).skip(3).take(CONTENTS).collect();
        let mut slots = vec![0; CONTENTS * BLOCK_BYTES];
        for (slot, content) in slots.chunks_mut(BLOCK_BYTES).zip(&contents) {
            slot[..CONTENT_BYTES].copy_from_slice(content);
        }
        let lengths = [CONTENT_BYTES as u32; CONTENTS];
        let made = compressor.compress(&mut slots.into(), &lengths).expect("it runs");
        for (block, content) in made.iter().zip(&contents) {
            let mut found = Vec::new();
            flate2::read::GzDecoder::new(block).read_to_end(&mut found).expect("is gzip");
            assert!(found == *content);
        }
        let size: usize = made.iter().map(|block| block.len() - HEADER_BYTES - FOOTER_BYTES).sum();
        // samtools' level 6 is libdeflate's level 7.
        let [fastest, default] = [1, 7].map(|level| by_libdeflate(level, &contents));
        eprintln!("{options:?}: libdeflate 1 {fastest}, 7 {default}, kernel {size} bytes");
        assert!(size < fastest && size < default + default / 50, "{size}: {fastest}, {default}");
    }
}
