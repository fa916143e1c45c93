//! Blocks of BGZF that the kernel makes have their content again when they are inflated.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::io::Read;
use std::path::Path;

use aligner_core::bgzf::{
    BLOCK_BYTES, CONTENT_BYTES, ContentGatherer, ContentSource, DeviceCompressor, HEADER,
    HEADER_BYTES,
};
use aligner_core::gpu::Gpu;
use aligner_core::stream::Backend;
use fastrand::Rng;
use flate2::read::GzDecoder;
use gpualign_tests::ShimBackend;

fn shim(seed: u64) -> ShimBackend {
    let kernels = gpualign_tests::kernels("aligner-core", "deflate").expect("it is built");
    ShimBackend::new(kernels, seed)
}

/// Inflates a block by libdeflate, which checks CRC-32 and length.
fn inflated_by_libdeflate(block: &[u8]) -> Vec<u8> {
    let mut content = vec![0; CONTENT_BYTES];
    let mut decompressor = libdeflater::Decompressor::new();
    let size = decompressor.gzip_decompress(block, &mut content).expect("is a member of gzip");
    content.truncate(size);
    content
}

/// Inflates a block by zlib's algorithm, which checks them, too.
fn inflated_by_flate2(block: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let mut decoder = GzDecoder::new(block);
    decoder.read_to_end(&mut content).expect("is a member of gzip");
    assert!(decoder.into_inner().is_empty(), "bytes behind the block");
    content
}

/// Compresses contents in batches, checks that their blocks are of BGZF and have these contents, and returns them.
fn blocks<B: Backend>(compressor: &mut DeviceCompressor<B>, contents: &[Vec<u8>]) -> Vec<Vec<u8>> {
    // What a content does not fill holds anything.
    let mut slots = vec![0xa5; contents.len() * BLOCK_BYTES];
    for (slot, content) in slots.chunks_mut(BLOCK_BYTES).zip(contents) {
        slot[..content.len()].copy_from_slice(content);
    }
    let lengths: Vec<u32> = contents.iter().map(|content| content.len() as u32).collect();
    let mut upload = compressor.upload_buffer().expect("memory");
    upload.bytes_mut()[..slots.len()].copy_from_slice(&slots);
    let compressed = compressor.compress(&mut upload, &lengths).expect("it runs");
    // Other memory gives the same blocks.
    let again = compressor.compress(&mut slots.into(), &lengths).expect("it runs");
    assert!(again.iter().eq(compressed.iter()));
    let blocks: Vec<Vec<u8>> = compressed.iter().map(<[u8]>::to_vec).collect();
    assert_eq!(blocks.len(), contents.len());
    for (number, (block, content)) in blocks.iter().zip(contents).enumerate() {
        let name = format!("content {number} of {} bytes", content.len());
        assert_eq!(&block[..HEADER.len()], HEADER, "{name}");
        let size = [block[HEADER_BYTES - 2], block[HEADER_BYTES - 1]];
        assert_eq!(usize::from(u16::from_le_bytes(size)) + 1, block.len(), "{name}");
        assert!(inflated_by_libdeflate(block) == *content, "{name}");
        assert!(inflated_by_flate2(block) == *content, "{name}");
    }
    blocks
}

fn random_bytes(random: &mut Rng, length: usize, letters: u16) -> Vec<u8> {
    (0..length).map(|_| random.u16(..letters) as u8).collect()
}

/// Real reads and a real genome as text.
fn text(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(name);
    std::fs::read(path).expect("a file of data")
}

/// Contents of the greatest length: text, and those that take the most matches, bits, or steps.
fn long_contents() -> Vec<Vec<u8>> {
    let mut random = Rng::with_seed(2);
    let period = random_bytes(&mut random, 37, 256);
    let whole = |bytes: Vec<u8>| bytes.into_iter().cycle().take(CONTENT_BYTES).collect();
    let far = random_bytes(&mut random, 1 << 15, 256);
    // Counts of bytes that are Fibonacci's numbers make the deepest of Huffman's trees.
    let mut fibonacci = Vec::new();
    let (mut count, mut next) = (1, 1);
    for byte in 0..22 {
        fibonacci.resize(fibonacci.len() + count, byte);
        (count, next) = (next, count + next);
    }
    random.shuffle(&mut fibonacci);
    vec![
        vec![b'A'; CONTENT_BYTES],
        random_bytes(&mut random, CONTENT_BYTES, 256),
        random_bytes(&mut random, CONTENT_BYTES, 4),
        whole(text("phix_1.fq")),
        whole(text("phix.fa")),
        whole(period),
        whole(far),
        fibonacci,
    ]
}

/// Contents of all lengths near powers of two, of few and of many letters.
fn short_contents(greatest: usize) -> Vec<Vec<u8>> {
    let mut random = Rng::with_seed(1);
    let mut lengths: Vec<usize> = (0..=20).collect();
    let powers = (5..16).map(|bit| 1 << bit).filter(|&power| power < greatest);
    lengths.extend(powers.flat_map(|power: usize| power - 1..=power + 1));
    let contents = lengths.into_iter().map(|length| {
        let letters = [1, 3, 17, 256][random.usize(..4)];
        random_bytes(&mut random, length, letters)
    });
    contents.collect()
}

#[test]
fn contents_of_all_lengths_are_read_back() {
    let contents = short_contents(5000);
    let mut compressor = DeviceCompressor::with_backend(shim(1), contents.len()).expect("memory");
    let first = blocks(&mut compressor, &contents);
    // Neither the order of threads nor the contents before make a difference.
    let few = &contents[contents.len() / 2..];
    let mut compressor = DeviceCompressor::with_backend(shim(2), few.len()).expect("memory");
    assert!(blocks(&mut compressor, few) == first[contents.len() / 2..]);
    assert!(blocks(&mut compressor, &[]).is_empty());
}

#[test]
fn long_contents_are_read_back_and_small() {
    let contents = long_contents();
    let mut compressor = DeviceCompressor::with_backend(shim(3), contents.len()).expect("memory");
    for (block, content) in blocks(&mut compressor, &contents).iter().zip(&contents) {
        let size = |level| {
            let level = libdeflater::CompressionLvl::new(level).expect("a level");
            let mut compressor = libdeflater::Compressor::new(level);
            let mut room = vec![0; compressor.gzip_compress_bound(content.len())];
            compressor.gzip_compress(content, &mut room).expect("it fits")
        };
        let (fast, default) = (size(1), size(6));
        eprintln!(
            "{} bytes: libdeflate 1 {fast}, 6 {default}, kernel {}",
            content.len(),
            block.len()
        );
        // A frame of BGZF has eight bytes more than one of gzip; segments and stored blocks have few bytes of their own.
        assert!(block.len() < fast + fast / 50 + 200, "{} bytes", block.len());
    }
}

/// Contents that are gathered from memory of several backends of a device, of all lengths and from any bytes on, are those of the host; and
/// so are their blocks. `make` makes a backend that gathers.
fn gathers<B: Backend>(backends: &[B], make: impl Fn() -> B) {
    let mut random = Rng::with_seed(6);
    let memories: Vec<Vec<u8>> =
        backends.iter().map(|_| random_bytes(&mut random, 3_000_000, 4)).collect();
    for sizes in [&[][..], &[0], &[1, 0, CONTENT_BYTES], &[30_000, 65_279, 5]] {
        let uploaded = backends.iter().zip(&memories);
        let buffers: Vec<B::Buffer> =
            uploaded.map(|(backend, memory)| backend.upload(memory).expect("memory")).collect();
        for backend in backends {
            backend.wait().expect("copies");
        }
        let (mut contents, mut sources) = (Vec::new(), Vec::new());
        for (number, &size) in sizes.iter().enumerate() {
            let mut content = Vec::new();
            while content.len() < size {
                let longest = [1, 17, 40, 400, CONTENT_BYTES][random.usize(..5)];
                let length = random.usize(..=longest.min(size - content.len()));
                let from = random.usize(..memories.len());
                let begin = random.usize(..memories[from].len() - length);
                let bits = [0, 0x400, 0x8001][random.usize(..3)];
                let address = backends[from].device_address(&buffers[from]);
                sources.push(ContentSource {
                    bytes: address.offset(begin as u64),
                    target: (number * BLOCK_BYTES + content.len()) as u32,
                    size: length as u16,
                    bits,
                });
                let mut bytes = memories[from][begin..begin + length].to_vec();
                for (byte, bits) in
                    bytes.iter_mut().skip(ContentSource::BITS_OFFSET).zip(bits.to_le_bytes())
                {
                    *byte |= bits;
                }
                content.extend(bytes);
            }
            contents.push(content);
        }
        // The order of sources does not matter.
        random.shuffle(&mut sources);
        let (count, lengths): (usize, Vec<u32>) =
            (sizes.len(), sizes.iter().map(|&size| size as u32).collect());
        let mut gatherer = ContentGatherer::new(make(), count * BLOCK_BYTES).expect("memory");
        let mut compressor = DeviceCompressor::with_backend(make(), count.max(1)).expect("memory");
        #[allow(unsafe_code)]
        // SAFETY: the sources lie in `buffers`, and each has its own target.
        let found = unsafe { gatherer.read(&sources, count * BLOCK_BYTES) }.expect("it runs");
        #[allow(unsafe_code)]
        // SAFETY: as above.
        let compressed =
            unsafe { compressor.compress_gathered(&sources, &lengths) }.expect("it runs");
        for (content, slot) in contents.iter().zip(found.chunks(BLOCK_BYTES)) {
            assert!(slot[..content.len()] == *content, "{sizes:?}");
        }
        let expected = blocks(&mut compressor, &contents);
        assert!(compressed.iter().eq(expected.iter().map(Vec::as_slice)), "{sizes:?}");
    }
}

#[test]
fn contents_are_gathered() {
    gathers(&[shim(5), shim(6)], || shim(7));
}

#[test]
#[ignore = "needs a GPU"]
fn a_gpu_gathers_contents_that_came_by_other_streams() {
    let gpu = Gpu::open(0).expect("a GPU");
    let on = |gpu: &Gpu| DeviceCompressor::backend_on(gpu).expect("the kernels");
    let backends: Vec<_> = (0..4).map(|_| on(&gpu.with_own_stream().expect("a stream"))).collect();
    gathers(&backends, || on(&gpu.with_urgent_stream().expect("a stream")));
}

#[test]
#[ignore = "needs a GPU"]
fn a_gpu_makes_the_blocks_of_the_shim() {
    let gpu = Gpu::open(0).expect("a GPU");
    let mut contents = short_contents(CONTENT_BYTES);
    contents.extend(long_contents());
    let mut on_shim = DeviceCompressor::with_backend(shim(4), contents.len()).expect("memory");
    let expected = blocks(&mut on_shim, &contents);
    // More contents than the GPU compresses at a time, in two batches.
    let copies = 2000_usize.div_ceil(contents.len());
    let many: Vec<Vec<u8>> =
        contents.iter().cycle().take(copies * contents.len()).cloned().collect();
    let mut on_gpu = DeviceCompressor::new(&gpu, many.len()).expect("memory");
    for _ in 0..2 {
        let found = blocks(&mut on_gpu, &many);
        assert!(found.chunks(contents.len()).all(|blocks| blocks == expected));
    }
}

#[test]
#[ignore = "needs a GPU"]
fn an_upload_buffer_is_filled_again_behind_the_copy_from_it() {
    const BYTES: usize = 64 << 20;
    let gpu = Gpu::open(0).expect("a GPU");
    let mut upload = gpu.upload_buffer(BYTES).expect("memory");
    let mut buffers: Vec<_> =
        (0..8).map(|_| gpu.uninitialized::<u8>(BYTES).expect("memory")).collect();
    for (number, buffer) in (0..).zip(&mut buffers) {
        upload.bytes_mut().fill(number);
        gpu.copy_upload(&mut upload, BYTES, buffer).expect("copies");
    }
    upload.bytes_mut().fill(99);
    for (number, buffer) in (0_u8..).zip(&buffers) {
        let found = gpu.download(buffer, BYTES).expect("copies");
        assert!(found.iter().all(|&byte| byte == number), "copy {number}");
    }
}
