//! The SIMT shim runs kernels as a GPU does, and finds the bugs that are planted in them. Both files are one program,
//! since linking takes longest.

mod simt;
mod simt_faults;
