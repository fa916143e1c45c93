//! Compiles the kernels of the workspace, and those that test the shim itself, for the CPU.
//! A kernel file `crate/cuda/name.cu` or `crate/examples/name.cu` becomes `$KERNELS/crate/name.so`.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use simt_build::{Compiler, Kernels, Sanitized};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let output = out.join("kernels");
    let sanitize = env::var_os("CARGO_FEATURE_SANITIZE").is_some();
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root = here.parent().ok_or("the crate is not inside a workspace")?;

    let kernels = Kernels::of_workspace(root)?;
    // A new kernel appears in a folder that is there already, or in the manifest.
    println!("cargo::rerun-if-changed={}", root.join("kernels.lock").display());
    for folder in &kernels.folders {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    println!("cargo::rustc-env=KERNELS={}", output.display());
    // Lints run no kernel, and no other command uses the results of their build scripts.
    println!("cargo::rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").map(PathBuf::from).unwrap_or_default();
    if wrapper.file_stem().is_some_and(|name| name == "clippy-driver") {
        return Ok(());
    }
    let own = ["selftest", "planted", "extend", "faulty_stages", "item_sizes", "spreading"]
        .map(|name| here.join("kernels").join(name).with_extension("cu"));
    // The kernels that test the shim run on a runtime that is checked, too.
    let [of_crates, of_own] = if sanitize {
        [Sanitized::Kernels, Sanitized::All]
    } else {
        [Sanitized::Nothing, Sanitized::Nothing]
    };
    let mut modules = BTreeSet::new();
    for (sources, sanitized, objects) in
        [(&kernels.sources[..], of_crates, "runtime"), (&own[..], of_own, "runtime-of-own")]
    {
        let objects = out.join(objects);
        fs::create_dir_all(&objects)?;
        let compiler = Compiler::new(&kernels.includes, &objects, sanitized)?;
        let mut tasks = Vec::new();
        for source in sources {
            let object = output.join(module(root, source).ok_or("a kernel outside of a crate")?);
            if !modules.insert(object.clone()) {
                let path = source.display();
                return Err(format!("{path}: its crate has another of this name").into());
            }
            fs::create_dir_all(object.parent().ok_or("a kernel without a folder")?)?;
            tasks.push((source.clone(), object));
        }
        compiler.compile(&tasks)?;
    }
    Ok(())
}

/// Path of the shared object of a kernel file: `crate/name.so` for `root/crate/folder/name.cu`.
fn module(root: &Path, source: &Path) -> Option<PathBuf> {
    let krate = source.strip_prefix(root).ok()?.components().next()?;
    Some(Path::new(&krate).join(source.file_name()?).with_extension("so"))
}
