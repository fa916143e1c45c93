//! Compiles the kernels for GPUs and, for the tests, for the CPU.

fn main() {
    stream_build::build("cuda/sketch.cu");
}
