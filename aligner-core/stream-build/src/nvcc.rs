//! The pinned CUDA compiler.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

/// Version of nvcc that compiles all kernels.
pub const VERSION: &str = "13.0.88";

/// Flags that decide the contents of fatbins. Machine code for compute capability 8.0, 9.0, 10.0 and 12.0, which also runs
/// on later minor versions; PTX of 7.5 for all other devices. Of these, 9.0 and 10.0 have instructions that add and take the
/// greater of two pairs of 16 bits at once; 12.0 adds and compares pairs, in two instructions.
pub const FLAGS: [&str; 14] = [
    "-O3",
    "-std=c++17",
    "-fatbin",
    "--compress-mode=size",
    "-gencode",
    "arch=compute_80,code=sm_80",
    "-gencode",
    "arch=compute_90,code=sm_90",
    "-gencode",
    "arch=compute_100,code=sm_100",
    "-gencode",
    "arch=compute_120,code=sm_120",
    "-gencode",
    "arch=compute_75,code=compute_75",
];

/// Python packages that contain the compiler and its headers.
const PACKAGES: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];

/// The program, below the folder into which the packages are installed.
const PROGRAM: &str = "nvidia/cu13/bin/nvcc";

/// The reason why nvcc cannot be used, or refuses a kernel file.
#[derive(Debug, thiserror::Error)]
pub enum NvccError {
    /// A program cannot be started.
    #[error("cannot run {program}: {source}", program = program.display())]
    Start {
        /// Path or name of the program.
        program: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The folder of the packages cannot be written.
    #[error("{folder}: cannot be written: {source}", folder = folder.display())]
    Folder {
        /// Folder of the packages.
        folder: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The packages could not be installed.
    #[error("pip could not install nvcc {VERSION} into {folder} ({status})\n{report}", folder = folder.display())]
    Install {
        /// Folder of the packages.
        folder: PathBuf,
        /// Exit status of pip.
        status: ExitStatus,
        /// Error output of pip.
        report: String,
    },
    /// A program that should be nvcc is another.
    #[error("{program}: is not nvcc", program = program.display())]
    NotNvcc {
        /// Path of the program.
        program: PathBuf,
    },
    /// An nvcc of another version.
    #[error("{program}: is nvcc {found}, but the kernels need {VERSION}", program = program.display())]
    Version {
        /// Path of the program.
        program: PathBuf,
        /// Version of the program.
        found: String,
    },
    /// A kernel file does not compile.
    #[error("{source_file}: does not compile\n{report}")]
    Compile {
        /// The kernel file, as it was given.
        source_file: String,
        /// Output of the compiler.
        report: String,
    },
    /// The list of a kernel file's headers cannot be understood.
    #[error("{source_file}: nvcc lists no dependencies")]
    Dependencies {
        /// The kernel file, as it was given.
        source_file: String,
    },
}

/// An nvcc of the pinned version.
#[derive(Debug, Clone)]
pub struct Compiler {
    program: PathBuf,
}

impl Compiler {
    /// The compiler that [`Compiler::find_or_install`] has installed into `folder`, if it is there in the pinned version.
    ///
    /// # Errors
    /// If the program that is there cannot be run, or is not nvcc.
    pub fn installed(folder: &Path) -> Result<Option<Self>, NvccError> {
        let program = folder.join(PROGRAM);
        if !program.exists() || version(&program)? != VERSION {
            return Ok(None);
        }
        Ok(Some(Self { program }))
    }

    /// The compiler at `program`, which must be of the pinned version.
    ///
    /// # Errors
    /// If it cannot be run, or is of another version.
    pub fn at(program: &Path) -> Result<Self, NvccError> {
        let (found, program) = (version(program)?, program.to_owned());
        if found != VERSION {
            return Err(NvccError::Version { program, found });
        }
        Ok(Self { program })
    }

    /// The pinned compiler in `folder`, which is fetched from `PyPI` unless it is there. Other processes that want it in the
    /// same folder wait meanwhile.
    ///
    /// # Errors
    /// If the folder cannot be written, or pip is missing or fails.
    pub fn find_or_install(folder: &Path) -> Result<Self, NvccError> {
        let unwritable = |source| NvccError::Folder { folder: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(unwritable)?;
        // The lock ends with the file.
        let lock = File::create(folder.join(".lock")).map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        if let Some(compiler) = Self::installed(folder)? {
            return Ok(compiler);
        }
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]);
        let output = run(pip.arg(folder).args(PACKAGES))?;
        if !output.status.success() {
            let report = String::from_utf8_lossy(&output.stderr).into_owned();
            let (folder, status) = (folder.to_owned(), output.status);
            return Err(NvccError::Install { folder, status, report });
        }
        Self::at(&folder.join(PROGRAM))
    }

    /// Path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A compiler run on a kernel file.
    fn command(&self, kernel: &KernelFile<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(kernel.root);
        for folder in kernel.includes {
            command.arg("-I").arg(folder);
        }
        command.arg(kernel.source);
        command
    }

    /// Compiles a kernel file into the file `fatbin`; gives what the compiler reports of each kernel's
    /// use of resources, and its warnings.
    ///
    /// # Errors
    /// If the kernel file does not compile.
    pub fn compile(&self, kernel: &KernelFile<'_>, fatbin: &Path) -> Result<String, NvccError> {
        let mut command = self.command(kernel);
        command.args(FLAGS).args(["-Xptxas", "-v"]);
        // Names of symbols with internal linkage contain a hash of the source's absolute path.
        command.arg("-Xcicc").arg(format!("--orig_src_path_name={}", kernel.source));
        let output = run(command.arg("-o").arg(fatbin))?;
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(NvccError::Compile { source_file: kernel.source.to_owned(), report });
        }
        Ok(report)
    }

    /// The files with relative paths that a kernel file is made of, itself among them.
    ///
    /// # Errors
    /// If a header is missing.
    pub fn dependencies(&self, kernel: &KernelFile<'_>) -> Result<BTreeSet<String>, NvccError> {
        let output = run(self.command(kernel).args(["-std=c++17", "-M"]))?;
        let source_file = kernel.source.to_owned();
        if !output.status.success() {
            let report = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(NvccError::Compile { source_file, report });
        }
        parse_dependencies(&String::from_utf8_lossy(&output.stdout))
            .ok_or(NvccError::Dependencies { source_file })
    }
}

/// A kernel file and the folders of its headers. The compiler runs in `root`; if the paths are relative to it, the
/// fatbin's bytes do not depend on where it is.
#[derive(Debug, Clone, Copy)]
pub struct KernelFile<'a> {
    /// Folder in which the compiler runs.
    pub root: &'a Path,
    /// Path of the `.cu` file below `root`.
    pub source: &'a str,
    /// Folders of headers, absolute or below `root`.
    pub includes: &'a [PathBuf],
}

/// The relative paths of a Makefile rule `target : path path \ ...`, in which a backslash goes
/// before a space in a name and before the end of a line. Headers from outside of the workspace
/// have absolute paths.
fn parse_dependencies(rule: &str) -> Option<BTreeSet<String>> {
    const SPACE: char = '\0';
    let (_, paths) = rule.split_once(" : ")?;
    let paths = paths.replace("\\\n", " ").replace("\\ ", &SPACE.to_string());
    paths
        .split_whitespace()
        .map(|path| path.replace(SPACE, " "))
        .filter(|path| Path::new(path).is_relative())
        .map(|path| plain(Path::new(&path)))
        .collect()
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// The version in `Cuda compilation tools, release 13.0, V13.0.88`.
fn version(program: &Path) -> Result<String, NvccError> {
    let output = run(Command::new(program).arg("--version"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_once(", V").and_then(|(_, rest)| rest.split_whitespace().next());
    version.map(str::to_owned).ok_or_else(|| NvccError::NotNvcc { program: program.to_owned() })
}

fn run(command: &mut Command) -> Result<Output, NvccError> {
    command.output().map_err(|source| {
        let program = PathBuf::from(command.get_program());
        NvccError::Start { program, source }
    })
}

#[cfg(test)]
mod tests {
    use super::parse_dependencies;

    #[test]
    fn dependencies_are_the_workspace_s_own() {
        let rule = "locate.o : fm-index/cuda/locate.cu \\\n    /opt/a\\ b/stdint.h \\\n    \
                    aligner-core/cuda/include/gpualign/a.cuh \\\n    \
                    fm-index/cuda/include/fm_index/../b.cuh ./c.cuh\n";
        let paths = parse_dependencies(rule).expect("it is a rule");
        let expected = [
            "aligner-core/cuda/include/gpualign/a.cuh",
            "c.cuh",
            "fm-index/cuda/include/b.cuh",
            "fm-index/cuda/locate.cu",
        ];
        assert_eq!(paths.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(parse_dependencies("no rule"), None);
        assert_eq!(parse_dependencies("a.o : ../outside.cuh"), None);
    }
}
