//! Files of alignments, as evaluate reads them: SAM, BAM, CRAM, and BAM without compression, whose bytes mutation can reach.
#![no_main]

use std::cell::RefCell;
use std::sync::Once;

use gpualign_fuzz::files::MemoryFile;
use libfuzzer_sys::fuzz_target;

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

fuzz_target!(|data: &[u8]| {
    static ALONE: Once = Once::new();
    // htslib looks for references of CRAM files where these variables say.
    // SAFETY: no other thread runs yet.
    ALONE.call_once(|| unsafe { std::env::set_var("REF_PATH", "/nonexistent") });
    let path = FILE.with_borrow_mut(|file| {
        file.fill(data);
        file.path()
    });
    gpualign::fuzzing::count_alignments(&path);
});
