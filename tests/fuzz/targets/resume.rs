//! The state of an interrupted run of nw. The first byte is the length of the partial output; the others are the state.
#![no_main]

use libfuzzer_sys::fuzz_target;

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
}

fuzz_target!(|data: &[u8]| {
    let Some((&length, state)) = data.split_first() else { return };
    FOLDER
        .with(|folder| gpualign::fuzzing::resume(folder.path(), &vec![b'x'; length.into()], state));
});
