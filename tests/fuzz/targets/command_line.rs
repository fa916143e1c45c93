//! Command lines: parsing, and the checks of combinations. The first byte chooses the program; words end at line ends.
#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&program, text)) = data.split_first() else { return };
    let words = text.split(|&byte| byte == b'\n').map(|word| OsString::from_vec(word.to_vec()));
    let words = std::iter::once("program".into()).chain(words).collect();
    let _ = gpualign::fuzzing::check_command_line(program, words);
});
