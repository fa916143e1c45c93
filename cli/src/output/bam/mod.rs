//! Files of BAM (SAM specification, section 4).
//!
//! Records are encoded where they are made, by any thread ([`encoding`], gathered in [`records`] and [`batch`]). The [`writer`] cuts their
//! bytes into blocks, which all threads ([`bgzf`]) or a GPU ([`gpu`]) compress; a [`sink`] writes them, and tells the index where
//! each record ends. So no byte of a record passes through a thread of its own, and blocks depend on the records alone: not on threads or batches. A GPU
//! also makes blocks of records that are in its memory ([`gpu_records`]).

pub mod batch;
pub mod bgzf;
mod cuts;
pub mod encoding;
pub mod gpu;
pub mod gpu_records;
pub mod records;
mod sink;
pub mod view;
pub mod writer;
