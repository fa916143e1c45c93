//! Compiles CUDA kernels for the SIMT shim, in build scripts.
//!
//! # Design
//!
//! Each `.cu` file becomes a shared object of its own, linked with the shim's runtime: names of
//! two kernel files cannot clash, just as those of two fatbins, and the thread-local memory of a
//! shared object is exactly the `__shared__` variables of one kernel file.
//!
//! Warnings of the C++ compiler about the kernels appear as warnings of cargo, in the kernels' order.

mod parallel;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use parallel::for_each_in_parallel;

/// The reason why kernels could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The C++ compiler is missing or refuses the source.
    #[error("{0}")]
    Compiler(#[from] cc::Error),
    /// The C++ compiler cannot be started.
    #[error("cannot run the C++ compiler for {path}: {source}", path = path.display())]
    Start {
        /// Path of the kernel file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A folder of the workspace cannot be read.
    #[error(transparent)]
    Folder(#[from] glob::GlobError),
    /// The workspace's path is no valid pattern.
    #[error("cannot look for kernels: {0}")]
    Pattern(#[from] glob::PatternError),
    /// A kernel file does not compile.
    #[error("{path} does not compile for the CPU:\n{report}", path = path.display())]
    Compile {
        /// Path of the kernel file.
        path: PathBuf,
        /// Output of the compiler.
        report: String,
    },
}

/// The shim's own sources.
fn shim() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cpp")
}

/// The code that the address and undefined-behaviour sanitizers check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitized {
    /// The sanitizers check nothing.
    Nothing,
    /// The sanitizers check kernels. The shim's runtime, which runs them, only tells the sanitizers of its stacks; checked
    /// itself, it would take three quarters of the time of running kernels.
    Kernels,
    /// The sanitizers check kernels and the shim's runtime.
    All,
}

/// The C++ compiler with the flags for kernel files.
#[derive(Debug)]
pub struct Compiler {
    command: cc::Tool,
    includes: Vec<PathBuf>,
    runtime: Vec<PathBuf>,
}

impl Compiler {
    /// Compiles the shim's runtime into the folder `objects`. Kernels will find headers in the folders `includes`.
    ///
    /// # Errors
    /// If there is no C++ compiler, or it fails.
    pub fn new(
        includes: &[PathBuf],
        objects: &Path,
        sanitized: Sanitized,
    ) -> Result<Self, BuildError> {
        let shim = shim();
        println!("cargo::rerun-if-changed={}", shim.display());
        let mut build = cc::Build::new();
        // Optimised in every profile, since the kernels are the slow part of the tests; with level 2 and the
        // sanitizers, the compiler takes almost three times as long. `-g1` has the functions and lines that reports
        // name.
        build.cpp(true).std("c++17").opt_level(1).debug(false).pic(true).warnings(true);
        build.extra_warnings(true).flag("-fvisibility=hidden").flag("-g1");
        let mut runtime = build.clone();
        runtime.opt_level(2).out_dir(objects);
        if sanitized != Sanitized::Nothing {
            sanitize(&mut build);
            // As the compiler does not tell it where it is not checked itself.
            runtime.define("SIMT_ADDRESS_SANITIZER", None);
        }
        if sanitized == Sanitized::All {
            sanitize(&mut runtime);
        }
        let runtime = runtime
            .files(["block.cpp", "context.cpp", "grid.cpp"].map(|name| shim.join(name)))
            .try_compile_intermediates()?;
        Ok(Self { command: build.try_get_compiler()?, includes: includes.to_vec(), runtime })
    }

    /// Compiles kernel files, each into the shared object that is paired with it, on all cores.
    ///
    /// # Errors
    /// The error of the first kernel file that does not compile.
    pub fn compile(&self, kernels: &[(PathBuf, PathBuf)]) -> Result<(), BuildError> {
        let compiled =
            for_each_in_parallel(kernels, |(source, output)| self.compile_one(source, output));
        for ((source, _), warnings) in kernels.iter().zip(compiled) {
            println!("cargo::rerun-if-changed={}", source.display());
            for line in warnings?.lines() {
                println!("cargo::warning={line}");
            }
        }
        Ok(())
    }

    /// Compiles one kernel file, and returns the compiler's warnings.
    fn compile_one(&self, source: &Path, output: &Path) -> Result<String, BuildError> {
        let mut command = self.command.to_command();
        command.args(KERNEL_FLAGS).arg("-I").arg(shim());
        for folder in &self.includes {
            command.arg("-I").arg(folder);
        }
        command.arg("-xc++").arg(source).arg("-xnone").args(&self.runtime);
        command.args(["-shared", "-pthread", "-ldl", "-Wl,--no-undefined", "-o"]).arg(output);
        run(command, source)
    }
}

/// Flags of the compiler for kernel files, which the shim's runtime does not need.
const KERNEL_FLAGS: [&str; 4] = [
    // `#pragma unroll` is nvcc's.
    "-Wno-unknown-pragmas",
    // Device headers offer more functions than one kernel file uses.
    "-Wno-unused-function",
    // Lanes without an item leave the registers for it unset.
    "-Wno-maybe-uninitialized",
    // Local variables start with a pattern, not with the zeros of a fresh stack.
    "-ftrivial-auto-var-init=pattern",
];

/// Adds the sanitizers' flags.
fn sanitize(build: &mut cc::Build) {
    build.flag("-fsanitize=address,undefined").flag("-fno-sanitize-recover=all");
    build.flag("-fno-omit-frame-pointer");
}

/// Runs the compiler on the file at `path`, and returns its warnings.
fn run(mut command: Command, path: &Path) -> Result<String, BuildError> {
    let output =
        command.output().map_err(|source| BuildError::Start { path: path.to_owned(), source })?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(BuildError::Compile { path: path.to_owned(), report });
    }
    Ok(report)
}

/// Kernel files and header folders of a workspace, found by their places, sorted.
#[derive(Debug, Clone)]
pub struct Kernels {
    /// The crates' folders for kernels: every `crate/cuda`.
    pub folders: Vec<PathBuf>,
    /// The kernel files: every `crate/cuda/*.cu` and `crate/examples/*.cu`.
    pub sources: Vec<PathBuf>,
    /// The folders that headers are found in: every `crate/cuda/include`.
    pub includes: Vec<PathBuf>,
}

impl Kernels {
    /// Looks through the crates of the workspace at `root`. The paths begin with `root`.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn of_workspace(root: &Path) -> Result<Self, BuildError> {
        let mut found = Self { folders: Vec::new(), sources: Vec::new(), includes: Vec::new() };
        for manifest in find(root, "*/Cargo.toml")? {
            let folder = manifest.with_file_name("cuda");
            if folder.is_dir() {
                found.sources.extend(find(&folder, "*.cu")?);
                found.includes.extend(find(&folder, "include")?);
                found.folders.push(folder);
            }
            found.sources.extend(find(&manifest.with_file_name("examples"), "*.cu")?);
        }
        Ok(found)
    }
}

fn find(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, BuildError> {
    let pattern = format!("{}/{pattern}", glob::Pattern::escape(&root.to_string_lossy()));
    Ok(glob::glob(&pattern)?.collect::<Result<_, _>>()?)
}
