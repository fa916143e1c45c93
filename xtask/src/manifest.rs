//! `kernels.lock`: the compiler, flags and sources of each committed fatbin.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Name of the file, at the workspace's root.
pub const NAME: &str = "kernels.lock";

const HEADER: &str =
    "# Written by `cargo xtask kernels`; checked by `cargo xtask kernels --check`.\n";

/// The file's contents. Paths are relative to the workspace's root; checksums are SHA-256, in
/// hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of nvcc that compiled the fatbins.
    pub nvcc: String,
    /// Flags of nvcc, without those that name files and folders.
    pub flags: Vec<String>,
    /// Entry of each fatbin, by its path.
    pub kernels: BTreeMap<String, Entry>,
}

/// Checksums of a fatbin and of its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Checksum of the fatbin.
    pub sha256: String,
    /// Checksums of the kernel file and of every header of the workspace that it reaches.
    pub sources: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads the manifest of the workspace at `root`.
    pub fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join(NAME))
            .with_context(|| format!("{NAME}: cannot be read; run `cargo xtask kernels`"))?;
        toml::from_str(&text).with_context(|| format!("{NAME}: is malformed"))
    }

    /// Writes the manifest of the workspace at `root`.
    pub fn write(&self, root: &Path) -> Result<()> {
        let text = HEADER.to_owned() + &toml::to_string_pretty(self)?;
        fs::write(root.join(NAME), text).with_context(|| format!("{NAME}: cannot be written"))
    }
}

/// Checksum of the file at `path` below `root`.
pub fn checksum(root: &Path, path: &str) -> Result<String> {
    let bytes = fs::read(root.join(path)).with_context(|| format!("{path}: cannot be read"))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
