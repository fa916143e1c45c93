//! Other people's programs judge the output: samtools, Picard, razers3, Rabema, bwa, parasail, EMBOSS and
//! NCBI's blastn. `make test` installs them; without them these tests fail.

#![allow(clippy::expect_used, reason = "a judge that cannot run is a failed test")]

mod alignment_input;
mod alt_contigs;
mod best;
mod blastn;
mod blastn_databases;
mod blastn_options;
mod blastn_programs;
mod blastn_random;
mod duplicates;
mod evaluate;
mod files;
mod lanes;
mod mem;
mod needle;
mod nw;
mod peers;
mod rabema;
mod sam;
mod tools;
