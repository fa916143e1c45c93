//! The SIMT shim finds the bugs that are planted in `kernels/planted.cu`.
// Launching a kernel is unsafe; each launch passes what its kernel takes. A test's helpers may
// panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use gpualign_tests::{PlantedParameters, output};
use simt::{Argument, Launch, Module, SimtError};

fn planted() -> Module {
    gpualign_tests::kernels("tests", "planted").expect("the build made it")
}

/// The parameter of a kernel that writes to `out`.
fn parameters(out: &mut [u32]) -> Argument<'static> {
    Argument::value(PlantedParameters { out: output(out), n: 0, padding: 0 })
}

/// Runs a kernel that writes to `out`.
fn run(kernel: &str, launch: Launch, out: &mut [u32]) -> Result<(), SimtError> {
    let module = planted();
    // SAFETY: each test passes an array with an element for every thread.
    unsafe { module.kernel(kernel)?.launch(&launch, &[parameters(out)]) }
}

/// Message of the error of a kernel that fails with seed 7.
fn fault(kernel: &str, blocks: u32, threads: u32) -> String {
    let mut out = vec![0u32; threads as usize];
    let launch = Launch::new(blocks, threads).seed(7);
    run(kernel, launch, &mut out).expect_err("it has a bug").to_string()
}

/// Line of `kernels/planted.cu` that holds `text`, counted from `kernel` on.
fn site(kernel: &str, text: &str) -> String {
    let source = include_str!("../../kernels/planted.cu");
    let start = source.find(&format!("void {kernel}(")).expect("the kernel is there");
    let place = start + source[start..].find(text).expect("the text is there");
    format!("planted.cu:{}", source[..place].lines().count())
}

/// Of 20 orders of threads, the number that give the right result of a kernel, and the number that show poison.
fn outcomes(kernel: &str, threads: u32) -> (usize, usize) {
    let expected: Vec<u32> = (0..threads).rev().collect();
    let results: Vec<Vec<u32>> = (0..20)
        .map(|seed| {
            let mut out = vec![0u32; threads as usize];
            run(kernel, Launch::new(1, threads).seed(seed), &mut out).expect("it ends");
            out
        })
        .collect();
    let right = results.iter().filter(|out| **out == expected).count();
    let poisoned = results.iter().filter(|out| out.contains(&0xCDCD_CDCD)).count();
    (right, poisoned)
}

#[test]
fn a_missing_barrier_shows() {
    assert_eq!(outcomes("missing_barrier", 256), (0, 20));
}

#[test]
fn a_missing_syncwarp_shows() {
    assert_eq!(outcomes("missing_syncwarp", 32), (0, 20));
}

#[test]
fn unwritten_memory_is_poison_in_every_block() {
    for seed in 0..5 {
        let mut out = [0u32; 3];
        run("uninitialised", Launch::new(4, 1).seed(seed).shared(8), &mut out).expect("it ends");
        assert_eq!(out[..2], [0xCDCD_CDCD, 0xCDCD_CDCD], "seed {seed}");
        // The pattern of GCC, or of Clang.
        assert!([0xFEFE_FEFE, 0xAAAA_AAAA].contains(&out[2]), "{:#x}, seed {seed}", out[2]);
    }
}

#[test]
fn a_divergent_collective_is_a_deadlock() {
    let message = fault("divergent_collective", 1, 8);
    for part in [
        "kernel 'divergent_collective': block (0,0,0): deadlock: ",
        "threads 0,2,4,6 wait in __syncthreads at ",
        &site("divergent_collective", "__syncthreads"),
        "threads 1,3,5,7 wait in __shfl_sync, mask 0xffffffff, at ",
        &site("divergent_collective", "__shfl_sync"),
        "(seed 7)",
    ] {
        assert!(message.contains(part), "no '{part}' in: {message}");
    }
}

#[test]
fn barriers_at_different_places_are_refused() {
    let message = fault("divergent_barrier", 1, 64);
    for part in [
        "divergent __syncthreads: ".to_owned(),
        "threads 0-31 wait in __syncthreads at ".to_owned(),
        "threads 32-63 wait in __syncthreads at ".to_owned(),
        site("divergent_barrier", "__syncthreads"),
        site("divergent_barrier", "__syncthreads();\n  }\n}"),
    ] {
        assert!(message.contains(&part), "no '{part}' in: {message}");
    }
}

#[test]
fn a_lane_outside_of_its_mask_is_refused() {
    let message = fault("not_in_mask", 1, 32);
    let place = site("not_in_mask", "__ballot_sync");
    assert!(message.contains("a warp vote by a lane that its mask 0x0000ffff"), "{message}");
    assert!(message.contains(&place), "no '{place}' in: {message}");
}

#[test]
fn different_masks_are_a_deadlock() {
    let message = fault("different_masks", 1, 32);
    for part in [
        "deadlock: ",
        "threads 0-7 wait in a warp vote, mask 0x0000ffff, at ",
        "threads 8-31 wait in a warp vote, mask 0xffffffff, at ",
    ] {
        assert!(message.contains(part), "no '{part}' in: {message}");
    }
}

#[test]
fn a_trap_names_block_and_thread() {
    let message = fault("trap", 9, 8);
    let place = site("trap", "__trap");
    assert!(message.contains("block (3,0,0): __trap in thread 5 at "), "{message}");
    assert!(message.contains(&place), "no '{place}' in: {message}");
}

#[test]
fn a_seed_fails_again_in_the_same_way() {
    for seed in 0..5 {
        let once = || {
            let mut out = vec![0u32; 256];
            run("missing_barrier", Launch::new(1, 256).seed(seed), &mut out).expect("it ends");
            out
        };
        assert_eq!(once(), once(), "seed {seed}");
    }
}

#[test]
fn malformed_launches_are_refused() {
    let refused = |kernel: &str, launch: Launch, arguments: &[Argument<'_>]| {
        let module = planted();
        let kernel = module.kernel(kernel).expect("it is exported");
        // SAFETY: the shim refuses each of these before it runs the kernel.
        unsafe { kernel.launch(&launch, arguments) }.expect_err("it is malformed").to_string()
    };
    let mut out = [0u32; 1];
    let none: [Argument<'_>; 0] = [];
    let shape = Launch::new(1, 1);
    assert!(refused("trap", shape, &none).contains("takes 1 arguments, not 0"));
    let word = [Argument::value(1u32)];
    assert!(refused("trap", shape, &word).contains("argument 0 has 16 bytes, not 4"));
    let array = [parameters(&mut out)];
    for threads in [0, 1025] {
        let message = refused("trap", Launch::new(1, threads), &array);
        assert!(message.contains("a block has 1 to 1024 threads"), "{message}");
    }
    assert!(refused("trap", Launch::new(0, 1), &array).contains("a grid has 1 to"));
    let message = refused("trap", shape.shared(227 * 1024 + 1), &array);
    assert!(message.contains("at most 227 KiB"), "{message}");
    let error = planted().kernel("absent").expect_err("there is none");
    assert!(error.to_string().contains("has no kernel 'absent'"), "{error}");
    let error = gpualign_tests::kernels("tests", "absent").expect_err("there is none");
    assert!(error.to_string().contains("cannot load kernels from "), "{error}");
}

/// Runs `kernel`, which accesses memory behind the end of an array, in a process of its own; returns that process's
/// standard error.
#[cfg(feature = "sanitize")]
fn sanitizer_report(kernel: &str) -> String {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_simt-fault"))
        .arg(kernel)
        .output()
        .expect("the program starts");
    assert!(!child.status.success(), "{kernel} was not stopped");
    String::from_utf8_lossy(&child.stderr).into_owned()
}

#[cfg(feature = "sanitize")]
#[test]
fn sanitizers_stop_bad_accesses_at_their_line() {
    for (kernel, text, kind) in [
        ("write_past_global", "out[n]", "heap-buffer-overflow"),
        ("read_past_global", "out[n]", "heap-buffer-overflow"),
        ("write_past_dynamic", "words[n]", "heap-buffer-overflow"),
        ("write_past_static", "words[n]", "out of bounds for type"),
        ("write_past_local", "alias[i]", "stack-buffer-overflow"),
        ("misaligned", "__ldg", "misaligned address"),
        ("shift_too_far", "1u <<", "shift exponent 32 is too large"),
    ] {
        let report = sanitizer_report(kernel);
        let place = site(kernel, text);
        assert!(report.contains(kind), "{kernel}: no '{kind}' in: {report}");
        // The misaligned load is inside of the shim's __ldg, whose caller is not reported.
        if kernel != "misaligned" {
            assert!(report.contains(&place), "{kernel}: no '{place}' in: {report}");
        }
    }
}
