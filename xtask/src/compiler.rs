//! The pinned CUDA compiler, run on the kernel files of the workspace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use stream_build::nvcc::{self, KernelFile};

/// Folder into which the compiler is installed, below the workspace's root.
const FOLDER: &str = "target/cuda";

/// Crates whose headers every kernel may include, besides those of its own crate.
const LIBRARIES: [&str; 2] = ["aligner-core", "fm-index"];

/// Installs the pinned compiler unless it is there.
pub fn install(root: &Path) -> Result<()> {
    let compiler = nvcc::Compiler::find_or_install(&root.join(FOLDER))?;
    println!("nvcc {} is installed at {}", nvcc::VERSION, compiler.program().display());
    Ok(())
}

/// The compiler of the workspace's kernels. All paths are below the root.
#[derive(Debug)]
pub struct Compiler {
    nvcc: nvcc::Compiler,
    root: PathBuf,
}

impl Compiler {
    /// The compiler that [`install`] installs, if it is there in the pinned version.
    pub fn installed(root: &Path) -> Result<Option<Self>> {
        let nvcc = nvcc::Compiler::installed(&root.join(FOLDER))?;
        Ok(nvcc.map(|nvcc| Self { nvcc, root: root.to_owned() }))
    }

    /// The compiler at `program`, which must be of the pinned version.
    pub fn at(root: &Path, program: &Path) -> Result<Self> {
        Ok(Self { nvcc: nvcc::Compiler::at(program)?, root: root.to_owned() })
    }

    /// Compiles `source` into the file `fatbin`; gives what the compiler reports of each kernel's
    /// use of resources, and its warnings.
    pub fn compile(&self, source: &str, fatbin: &Path) -> Result<String> {
        let includes = includes(source)?;
        Ok(self.nvcc.compile(&self.kernel_file(source, &includes), fatbin)?)
    }

    /// The files of the workspace that `source` is made of, itself among them.
    pub fn dependencies(&self, source: &str) -> Result<BTreeSet<String>> {
        let includes = includes(source)?;
        Ok(self.nvcc.dependencies(&self.kernel_file(source, &includes))?)
    }

    fn kernel_file<'a>(&'a self, source: &'a str, includes: &'a [PathBuf]) -> KernelFile<'a> {
        KernelFile { root: &self.root, source, includes }
    }
}

/// The folders of headers for a kernel file of the workspace.
fn includes(source: &str) -> Result<Vec<PathBuf>> {
    let own = source.split_once('/').with_context(|| format!("{source}: is in no crate"))?.0;
    let mut libraries = LIBRARIES.to_vec();
    if !libraries.contains(&own) {
        libraries.push(own);
    }
    Ok(libraries.into_iter().map(|library| Path::new(library).join("cuda/include")).collect())
}
