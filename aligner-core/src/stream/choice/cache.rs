//! The user's cache of choices: a file of JSON for each application, device and workload.
//!
//! A file holds the whole key, so that two keys with the same checksum are not confused, and the version of its form.
//! It is written under another name first. A file that cannot be read, written or understood counts as none.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Device;
use crate::stream::{Capacity, Policy, Settings};
use crate::user_cache;

/// Version of the form of a file.
const VERSION: u32 = 1;

/// A folder of choices that calibrations made.
#[derive(Debug, Clone)]
pub struct ChoiceCache {
    folder: Option<PathBuf>,
}

impl ChoiceCache {
    /// The cache of the user: `$XDG_CACHE_HOME/gpualign/choices`, or else `~/.cache/gpualign/choices`. Without either
    /// nothing is kept.
    pub fn of_user() -> Self {
        Self { folder: user_cache::folder().map(|folder| folder.join("choices")) }
    }

    /// A cache in a folder, which is made when it is first written to.
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()) }
    }

    /// The file of a key.
    fn path(&self, key: &str) -> Option<PathBuf> {
        let checksum = xxhash_rust::xxh3::xxh3_64(key.as_bytes());
        Some(self.folder.as_ref()?.join(format!("{checksum:016x}.json")))
    }

    /// The choice that was kept under a key.
    pub(super) fn read(&self, key: &str) -> Option<KeptChoice> {
        let text = fs::read_to_string(self.path(key)?).ok()?;
        let file: ChoiceFile = serde_json::from_str(&text).ok()?;
        (file.version == VERSION && file.key == key).then_some(file.choice)
    }

    /// Keeps a choice under a key, if the folder can be written to.
    pub(super) fn write(&self, key: &str, choice: &KeptChoice) {
        let file = ChoiceFile { version: VERSION, key: key.to_owned(), choice: choice.clone() };
        let Some(path) = self.path(key) else { return };
        // An error costs the next run a calibration and nothing else.
        let _ = user_cache::write_json(&path, &file);
    }
}

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
struct ChoiceFile {
    version: u32,
    key: String,
    choice: KeptChoice,
}

/// A choice as files have it: by name and values, as their places in a list may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptChoice {
    variant: String,
    width: u32,
    blocks: u32,
    lazy: bool,
    /// Ensembles for which queues have room; 0 for [`Capacity::Minimum`].
    ensembles: u32,
    shared_queues: u32,
    share_rest: bool,
    move_work: bool,
}

impl KeptChoice {
    pub(super) fn new(variant: &str, settings: &Settings) -> Self {
        Self {
            variant: variant.to_owned(),
            width: settings.width,
            blocks: settings.blocks,
            lazy: settings.policy == Policy::Lazy,
            ensembles: match settings.capacity {
                Capacity::Ensembles(ensembles) => ensembles,
                Capacity::Minimum => 0,
            },
            shared_queues: settings.shared_queues,
            share_rest: settings.share_rest,
            move_work: settings.move_work,
        }
    }
}

/// A device as keys have it: what its speed depends on.
pub(super) fn device_key(device: &Device) -> String {
    match device {
        Device::Cpu => format!("cpu, {} threads", rayon::current_num_threads()),
        Device::Cuda(gpu) => {
            let (major, minor) = gpu.compute_capability();
            format!("{}, compute capability {major}.{minor}", gpu.name())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn choices_come_back_and_damage_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ChoiceCache::in_folder(&folder.path().join("not/made/yet"));
        let choice = KeptChoice::new("split", &Settings { width: 64, ..Settings::default() });
        assert_eq!(cache.read("key"), None);
        cache.write("key", &choice);
        cache.write("other", &KeptChoice::new("fused", &Settings::default()));
        assert_eq!(cache.read("key"), Some(choice.clone()));
        let path = cache.path("key").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        // Another version, another key with the same checksum, half a file.
        for damaged in [
            text.replace("\"version\": 1", "\"version\": 0"),
            text.replace("\"key\"", "\"yek\""),
            text.replace("\"key\": \"key\"", "\"key\": \"kye\""),
            text[..text.len() / 2].to_owned(),
        ] {
            assert_ne!(damaged, text);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.read("key"), None, "{damaged}");
        }
        cache.write("key", &choice);
        assert_eq!(cache.read("key"), Some(choice));
        // Nothing but the two files is left behind.
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let choice = KeptChoice::new("split", &Settings::default());
        for cache in [ChoiceCache::in_folder(file.path()), ChoiceCache { folder: None }] {
            cache.write("key", &choice);
            assert_eq!(cache.read("key"), None);
        }
    }
}
