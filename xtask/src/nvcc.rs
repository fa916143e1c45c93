//! The pinned CUDA compiler.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

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

/// Folder into which the packages are installed, below the workspace's root.
const FOLDER: &str = "target/cuda";
const PROGRAM: &str = "target/cuda/nvidia/cu13/bin/nvcc";

/// Crates whose headers every kernel may include, besides those of its own crate.
const LIBRARIES: [&str; 2] = ["aligner-core", "fm-index"];

/// Installs the pinned compiler unless it is there.
pub fn install(root: &Path) -> Result<()> {
    if let Some(compiler) = Compiler::installed(root)? {
        println!("nvcc {VERSION} is installed at {}", compiler.program.display());
        return Ok(());
    }
    let status = Command::new("python3")
        .args(["-m", "pip", "install", "--no-deps", "--upgrade", "--target"])
        .arg(root.join(FOLDER))
        .args(PACKAGES)
        .status()
        .context("cannot run python3, whose pip installs nvcc")?;
    ensure!(status.success(), "pip could not install nvcc ({status})");
    Compiler::at(root, &root.join(PROGRAM)).map(drop)
}

/// An nvcc of the pinned version.
#[derive(Debug)]
pub struct Compiler {
    program: PathBuf,
    root: PathBuf,
}

impl Compiler {
    /// The compiler that [`install`] installs, if it is there in the pinned version.
    pub fn installed(root: &Path) -> Result<Option<Self>> {
        let program = root.join(PROGRAM);
        if !program.exists() || version(&program)? != VERSION {
            return Ok(None);
        }
        Ok(Some(Self { program, root: root.to_owned() }))
    }

    /// The compiler at `program`, which must be of the pinned version.
    pub fn at(root: &Path, program: &Path) -> Result<Self> {
        let version = version(program)?;
        let path = program.display();
        ensure!(version == VERSION, "{path}: is nvcc {version}, but the kernels need {VERSION}");
        Ok(Self { program: program.to_owned(), root: root.to_owned() })
    }

    /// A compiler run on `source`, a path below the root.
    fn command(&self, source: &str) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.root);
        let own = source.split_once('/').with_context(|| format!("{source}: is in no crate"))?.0;
        let mut libraries = LIBRARIES.to_vec();
        if !libraries.contains(&own) {
            libraries.push(own);
        }
        for library in libraries {
            command.arg("-I").arg(format!("{library}/cuda/include"));
        }
        command.arg(source);
        Ok(command)
    }

    /// Compiles `source` into the file `fatbin`; gives what the compiler reports of each kernel's
    /// use of resources, and its warnings.
    pub fn compile(&self, source: &str, fatbin: &Path) -> Result<String> {
        let mut command = self.command(source)?;
        command.args(FLAGS).args(["-Xptxas", "-v"]);
        // Names of symbols with internal linkage contain a hash of the source's absolute path.
        command.arg("-Xcicc").arg(format!("--orig_src_path_name={source}"));
        let output = run(command.arg("-o").arg(fatbin))?;
        let report = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{source}: does not compile\n{report}");
        Ok(report.into_owned())
    }

    /// The files of the workspace that `source` is made of, itself among them.
    pub fn dependencies(&self, source: &str) -> Result<BTreeSet<String>> {
        let output = run(self.command(source)?.args(["-std=c++17", "-M"]))?;
        let report = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{source}: does not compile\n{report}");
        parse_dependencies(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| format!("{source}: nvcc lists no dependencies"))
    }
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
fn version(program: &Path) -> Result<String> {
    let output = run(Command::new(program).arg("--version"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_once(", V").and_then(|(_, rest)| rest.split_whitespace().next());
    match version {
        Some(version) => Ok(version.to_owned()),
        None => bail!("{}: is not nvcc", program.display()),
    }
}

fn run(command: &mut Command) -> Result<Output> {
    let program = PathBuf::from(command.get_program());
    command.output().with_context(|| format!("cannot run {}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
