//! Runs one kernel of `kernels/planted.cu` that a sanitizer must stop; the tests run it as a
//! process of its own. `simt-fault KERNEL`.
// Launching a kernel is unsafe.
#![allow(unsafe_code)]

use gpualign_tests::{PlantedParameters, output};
use simt::{Argument, Launch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).ok_or("usage: simt-fault KERNEL")?;
    let module = gpualign_tests::kernels("tests", "planted")?;
    // The kernels take an array and the index behind its end; `misaligned` needs an odd index within it.
    let length = if name == "misaligned" { 9 } else { 8 };
    let mut array = vec![0u32; length];
    let end = if name == "misaligned" { 3 } else { length as u32 };
    let launch = Launch::new(1, 1).shared(4 * 8);
    let parameters = PlantedParameters { out: output(&mut array), n: end, padding: 0 };
    let arguments = [Argument::value(parameters)];
    // SAFETY: the parameter is that of the kernel. The kernel leaves the bounds of the array, which the
    // sanitizer is to find; without a sanitizer this program is never run.
    unsafe { module.kernel(&name)?.launch(&launch, &arguments)? };
    Ok(())
}
