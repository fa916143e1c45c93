//! A folder with files, and gpualign run in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::sam::{self, Record};

/// A working folder with the reference `ref.fa` (phiX174).
pub struct Folder {
    folder: TempDir,
}

impl Folder {
    pub fn new() -> Self {
        let folder = Self { folder: tempfile::tempdir().expect("a folder") };
        folder.write("ref.fa", data("phix.fa"));
        folder
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(file), content).expect("writes");
        self
    }

    pub fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// The names in the folder.
    pub fn files(&self) -> BTreeSet<String> {
        names(self.folder.path())
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpualign"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("runs")
    }

    /// Maps on the CPU, where it must print no message; with mode all, and for the primary locus only, unless
    /// `arguments` choose a mode.
    pub fn map(&self, arguments: &[&str]) -> Vec<u8> {
        let mode: &[&str] =
            if arguments.contains(&"--mode") { &[] } else { &["--mode", "all", "--primary-only"] };
        let output = self.run(&[&["--device", "cpu"], mode, arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert_eq!(said, "", "{arguments:?}");
        output.stdout
    }

    /// Maps and reads the records.
    pub fn records(&self, arguments: &[&str]) -> Vec<Record> {
        sam::records(&self.map(arguments))
    }

    /// Runs what must fail with code 1, one line with all of `parts`, and no trace in the folder.
    pub fn refused(&self, arguments: &[&str], parts: &[&str]) {
        let before = self.files();
        let output = self.run(arguments);
        let said = error_line(&output, arguments);
        for part in parts {
            assert!(said.contains(part), "{arguments:?}: no '{part}' in: {said}");
        }
        assert_eq!(self.files(), before, "{arguments:?}");
    }
}

/// The one line of a run that failed.
pub fn error_line(output: &Output, what: &[&str]) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{what:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{what:?}: {said}");
    assert!(said.starts_with("gpualign: error: "), "{what:?}: {said}");
    said
}

/// The names in a folder.
pub fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("lists");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
}

/// A file of the repository's `data` folder.
pub fn data(file: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "data", file].iter().collect();
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sequence of phiX174.
pub fn phix() -> Vec<u8> {
    let fasta = data("phix.fa");
    let lines = fasta.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b">"));
    lines.flatten().map(u8::to_ascii_uppercase).collect()
}

/// FASTQ records of pieces of phiX174, `count` of them, each of 100 bases, with random qualities
/// that do not compress well.
pub fn reads(count: usize) -> Vec<u8> {
    let genome = phix();
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut text = Vec::new();
    for number in 0..count {
        let start = random(genome.len() - 100);
        text.extend_from_slice(format!("@r{number}\n").as_bytes());
        text.extend_from_slice(&genome[start..start + 100]);
        text.extend_from_slice(b"\n+\n");
        text.extend((0..100).map(|_| b'!' + random(60) as u8));
        text.push(b'\n');
    }
    text
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, content).expect("compresses");
    encoder.finish().expect("compresses")
}

/// The content in blocks of BGZF, of which the last one is empty.
pub fn bgzf(folder: &Folder, content: &[u8]) -> Vec<u8> {
    let path = folder.path("bgzf");
    let mut writer = rust_htslib::bgzf::Writer::from_path(&path).expect("opens");
    std::io::Write::write_all(&mut writer, content).expect("writes");
    drop(writer);
    folder.read("bgzf")
}

pub fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    std::io::Write::write_all(&mut encoder, content).expect("compresses");
    encoder.finish().expect("compresses")
}

pub fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::encode_all(content, 1).expect("compresses")
}
