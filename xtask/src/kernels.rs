//! `cargo xtask kernels`: builds the fatbins and their manifest, or checks them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use stream_build::nvcc;

use crate::compiler::Compiler;
use crate::manifest::{self, Entry, Manifest, checksum};
use crate::usage;

/// Options of `cargo xtask kernels`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Change nothing; fail unless the fatbins and kernels.lock match the sources. Compiles the
    /// kernels again and compares, if the compiler is there
    #[arg(long)]
    check: bool,
    /// With --check: fail if the compiler is not there
    #[arg(long, requires = "check")]
    rebuild: bool,
    /// With --check: compile only so many kernel files, drawn at random. Of the others checksums alone are compared
    #[arg(long, requires = "check", value_name = "FILES")]
    sample: Option<usize>,
    /// The compiler, instead of the one in target/cuda; must be of the pinned version
    #[arg(long, value_name = "PATH")]
    nvcc: Option<PathBuf>,
    /// Show registers, stack and spills of each kernel
    #[arg(long)]
    verbose: bool,
}

/// Builds the kernels of the workspace at `root`, or checks them.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let sources = sources(root)?;
    let compiler = match &options.nvcc {
        Some(program) => Some(Compiler::at(
            root,
            &fs::canonicalize(program)
                .with_context(|| format!("{}: cannot be found", program.display()))?,
        )?),
        None => Compiler::installed(root)?,
    };
    let needed = !options.check || options.rebuild;
    if compiler.is_none() && needed {
        bail!("nvcc {} is not installed; run `cargo xtask nvcc`", nvcc::VERSION);
    }
    if options.check {
        check(root, &sources)?;
    }
    let Some(compiler) = compiler else {
        println!("{} kernel files match {} (not compiled again)", sources.len(), manifest::NAME);
        return Ok(());
    };
    // A build leaves out the fatbins for which the manifest is true; a check compiles all of them.
    let made = if options.check || options.verbose { BTreeMap::new() } else { made(root) };
    let (kept, mut changed): (Vec<String>, Vec<String>) =
        sources.iter().cloned().partition(|source| made.contains_key(&fatbin_of(source)));
    if let Some(files) = options.sample {
        fastrand::shuffle(&mut changed);
        changed.truncate(files);
        println!("compiling {}", changed.join(", "));
    }
    let mut built = build(root, &compiler, &changed, options.verbose)?;
    if options.check {
        built.compare(root)?;
        let (all, compiled, name) = (sources.len(), changed.len(), manifest::NAME);
        println!(
            "{all} kernel files match {name}; {compiled} of them were compiled to the same fatbins"
        );
        return Ok(());
    }
    built.install(root)?;
    built.manifest.kernels.extend(
        made.into_iter()
            .filter(|(fatbin, _)| kept.iter().any(|source| fatbin_of(source) == *fatbin)),
    );
    built.manifest.write(root)?;
    println!("{} kernel files compiled, {} unchanged", changed.len(), kept.len());
    Ok(())
}

/// Entries of the manifest that are still true: same compiler, sources and fatbin.
fn made(root: &Path) -> BTreeMap<String, Entry> {
    let Ok(manifest) = Manifest::read(root) else { return BTreeMap::new() };
    if manifest.nvcc != nvcc::VERSION || manifest.flags != nvcc::FLAGS {
        return BTreeMap::new();
    }
    let is = |path: &str, expected: &str| checksum(root, path).is_ok_and(|sum| sum == expected);
    let still = |fatbin: &str, entry: &Entry| {
        is(fatbin, &entry.sha256) && entry.sources.iter().all(|(path, sum)| is(path, sum))
    };
    let all = manifest.kernels.into_iter();
    all.filter(|(fatbin, entry)| still(fatbin, entry)).collect()
}

/// The kernel files of the workspace, as paths below `root`, sorted.
fn sources(root: &Path) -> Result<Vec<String>> {
    let found = simt_build::Kernels::of_workspace(root)?;
    let relative = |path: PathBuf| -> Result<String> {
        let path = path.strip_prefix(root)?;
        Ok(path.to_str().with_context(|| format!("{}: is no UTF-8", path.display()))?.to_owned())
    };
    found.sources.into_iter().map(relative).collect()
}

/// Path of the fatbin of a kernel file, in the same folder.
fn fatbin_of(source: &str) -> String {
    format!("{}.fatbin", source.trim_end_matches(".cu"))
}

/// Fails unless the manifest names exactly these kernel files, and all checksums in it are right.
fn check(root: &Path, sources: &[String]) -> Result<()> {
    const RUN: &str = "run `cargo xtask kernels`";
    let manifest = Manifest::read(root)?;
    let name = manifest::NAME;
    ensure!(
        manifest.nvcc == nvcc::VERSION && manifest.flags == nvcc::FLAGS,
        "{name}: is of another compiler or other flags; {RUN}"
    );
    for source in sources {
        let known = manifest.kernels.contains_key(&fatbin_of(source));
        ensure!(known, "{source}: is not in {name}; {RUN}");
    }
    let fatbins: BTreeSet<String> = sources.iter().map(|source| fatbin_of(source)).collect();
    for (fatbin, entry) in &manifest.kernels {
        ensure!(fatbins.contains(fatbin), "{name}: names {fatbin}, which has no source; {RUN}");
        for (source, expected) in &entry.sources {
            let same = checksum(root, source)? == *expected;
            ensure!(same, "{source}: has changed since {fatbin} was made; {RUN}");
        }
        let same = checksum(root, fatbin)? == entry.sha256;
        ensure!(same, "{fatbin}: is not the one that {name} names; {RUN}");
    }
    Ok(())
}

/// Fatbins compiled into a temporary folder, at the paths that they have in the workspace.
struct Built {
    folder: tempfile::TempDir,
    manifest: Manifest,
}

/// Compiles kernel files on all cores into a temporary folder.
fn build(root: &Path, compiler: &Compiler, sources: &[String], verbose: bool) -> Result<Built> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    // The largest fatbins, which take longest, are compiled first, so that no core is left with a long one at the end.
    // New files, whose size is unknown, come before all others.
    let size = |source: &&String| fs::metadata(root.join(fatbin_of(source))).map(|file| file.len());
    let mut order: Vec<&String> = sources.iter().collect();
    order.sort_by_cached_key(|source| Reverse(size(source).unwrap_or(u64::MAX)));
    let compiled = simt_build::for_each_in_parallel(&order, |source| {
        compile(root, compiler, source, folder.path()).with_context(|| (*source).clone())
    });
    let mut compiled: Vec<_> = order.into_iter().zip(compiled).collect();
    compiled.sort_unstable_by_key(|(source, _)| *source);
    let mut kernels = BTreeMap::new();
    for (source, compiled) in compiled {
        let (entry, report) = compiled?;
        for warning in usage::warnings(&report) {
            eprintln!("{warning}");
        }
        if verbose {
            println!("{source}");
            for line in usage::summary(&report) {
                println!("  {line}");
            }
        }
        kernels.insert(fatbin_of(source), entry);
    }
    let manifest = Manifest {
        nvcc: nvcc::VERSION.to_owned(),
        flags: nvcc::FLAGS.map(str::to_owned).to_vec(),
        kernels,
    };
    Ok(Built { folder, manifest })
}

/// Compiles one kernel file to a fatbin in `folder`, and returns its manifest entry and the compiler's report.
fn compile(
    root: &Path,
    compiler: &Compiler,
    source: &str,
    folder: &Path,
) -> Result<(Entry, String)> {
    let fatbin = fatbin_of(source);
    let output = folder.join(&fatbin);
    if let Some(parent) = output.parent() {
        fs::create_dir_all(parent).context("cannot make a temporary folder")?;
    }
    let report = compiler.compile(source, &output)?;
    let mut checksums = BTreeMap::new();
    for path in compiler.dependencies(source)? {
        let sum = checksum(root, &path)?;
        checksums.insert(path, sum);
    }
    let sha256 = checksum(folder, &fatbin)?;
    Ok((Entry { sha256, sources: checksums }, report))
}

impl Built {
    /// Fails unless the fatbins and the manifest of the workspace are equal to the compiled ones.
    fn compare(&self, root: &Path) -> Result<()> {
        let committed = Manifest::read(root)?;
        for (fatbin, entry) in &self.manifest.kernels {
            let Some(known) = committed.kernels.get(fatbin) else {
                bail!("{fatbin}: is not in {}", manifest::NAME);
            };
            ensure!(
                known.sha256 == entry.sha256,
                "{fatbin}: is not what its sources compile to; run `cargo xtask kernels`"
            );
            ensure!(
                known.sources == entry.sources,
                "{}: does not list the sources of {fatbin}; run `cargo xtask kernels`",
                manifest::NAME
            );
        }
        Ok(())
    }

    /// Moves the fatbins to their places.
    fn install(&self, root: &Path) -> Result<()> {
        for fatbin in self.manifest.kernels.keys() {
            fs::copy(self.folder.path().join(fatbin), root.join(fatbin))
                .with_context(|| format!("{fatbin}: cannot be written"))?;
        }
        Ok(())
    }
}
