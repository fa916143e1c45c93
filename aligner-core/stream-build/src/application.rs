//! Both builds of an application's kernel file: for GPUs, and for the SIMT shim.

use std::env;
use std::path::{Path, PathBuf};
use std::process;

use crate::nvcc::{Compiler, KernelFile, NvccError};

/// The reason why an application's kernels could not be built.
#[derive(Debug, thiserror::Error)]
pub enum ApplicationError {
    /// nvcc is missing, or refuses the kernel file.
    #[error(transparent)]
    Nvcc(#[from] NvccError),
    /// The C++ compiler is missing, or refuses the kernel file.
    #[error(transparent)]
    Simt(#[from] simt_build::BuildError),
    /// A variable that cargo sets for build scripts is missing.
    #[error("{0} is not set: stream-build is for build scripts, which cargo runs")]
    NoBuildScript(&'static str),
    /// The path of the kernel file has no file name.
    #[error("{0}: is not the path of a .cu file")]
    NotKernelFile(String),
    /// The folder for build results has no folder of cargo above it.
    #[error("{0}: is not in a folder that cargo builds in; let STREAM_NVCC name nvcc")]
    NoTargetFolder(PathBuf),
}

/// Compiles the kernel file at `source`, a path in the package such as `cuda/app.cu`, into `app.fatbin` and `app.so` in
/// `OUT_DIR`. A failure is reported as an error of cargo and ends the build script.
pub fn build(source: &str) {
    if let Err(error) = try_build(source) {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        process::exit(1);
    }
}

/// As [`build`], but gives the failure back.
///
/// # Errors
/// If a compiler is missing and cannot be fetched, or the kernel file does not compile.
pub fn try_build(source: &str) -> Result<(), ApplicationError> {
    let output = folder("OUT_DIR")?;
    let package = folder("CARGO_MANIFEST_DIR")?;
    let name = Path::new(source)
        .file_stem()
        .ok_or_else(|| ApplicationError::NotKernelFile(source.to_owned()))?;
    let includes = [runtime_headers(), package.join("cuda/include")];
    for path in includes.iter().filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    println!("cargo::rerun-if-changed={}", package.join(source).display());

    // The C++ compiler is quick, so it is the first to report mistakes.
    let shim = simt_build::Compiler::new(&includes, &output, simt_build::Sanitized::Nothing)?;
    shim.compile(&[(package.join(source), output.join(name).with_extension("so"))])?;

    let kernel = KernelFile { root: &package, source, includes: &includes };
    let report =
        find_nvcc(&output)?.compile(&kernel, &output.join(name).with_extension("fatbin"))?;
    for line in report.lines().filter(|line| line.contains("warning")) {
        println!("cargo::warning={line}");
    }
    Ok(())
}

/// The folder of the runtime's headers, as `#include "stream/stream.cuh"` needs it.
pub fn runtime_headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda/include")
}

/// The compiler that `STREAM_NVCC` names, or the one in `cuda` in the folder that cargo builds in, which is fetched
/// unless it is there.
fn find_nvcc(output: &Path) -> Result<Compiler, ApplicationError> {
    println!("cargo::rerun-if-env-changed=STREAM_NVCC");
    if let Some(program) = env::var_os("STREAM_NVCC") {
        return Ok(Compiler::at(Path::new(&program))?);
    }
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE-HASH/out.
    let target = output
        .ancestors()
        .nth(4)
        .ok_or_else(|| ApplicationError::NoTargetFolder(output.to_owned()))?;
    Ok(Compiler::find_or_install(&target.join("cuda"))?)
}

fn folder(variable: &'static str) -> Result<PathBuf, ApplicationError> {
    env::var_os(variable).map(PathBuf::from).ok_or(ApplicationError::NoBuildScript(variable))
}
