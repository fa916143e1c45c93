//! Running gpualign and the judges.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A file of the repository's `data` folder.
pub fn data(file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "data", file].iter().collect()
}

/// Runs a program and returns what it printed; fails with its messages if it does.
pub fn run(program: &str, arguments: &[&str], folder: &Path) -> Vec<u8> {
    let output = status(program, arguments, folder);
    assert!(
        output.status.success(),
        "{program} {}: {}\n{}",
        arguments.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Runs a program to its end, however it ends.
pub fn status(program: &str, arguments: &[&str], folder: &Path) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error} (`make test` installs the judges)"))
}

/// Runs gpualign on the CPU; with mode all, and for the primary locus only, unless `arguments` choose a mode.
pub fn gpualign(arguments: &[&str], folder: &Path) -> Vec<u8> {
    let mode: &[&str] =
        if arguments.contains(&"--mode") { &[] } else { &["--mode", "all", "--primary-only"] };
    let arguments = [&["--device", "cpu", "-q"], mode, arguments].concat();
    run(env!("CARGO_BIN_EXE_gpualign"), &arguments, folder)
}

/// The number after a label of Rabema's report.
pub fn number(report: &str, label: &str) -> f64 {
    let line = report.lines().find(|line| line.starts_with(label)).expect("the report has it");
    line[label.len()..].trim().parse().expect("a number")
}

/// A reference of the `data` folder as plain FASTA in `folder`, with the name `ref.fa`.
pub fn plain_reference(file: &str, folder: &Path) {
    std::fs::write(folder.join("ref.fa"), plain(file)).expect("writes the reference");
}

/// The text of a file of the `data` folder, decompressed.
pub fn plain(file: &str) -> Vec<u8> {
    let path = data(file);
    if path.extension().is_some_and(|extension| extension == "gz") {
        run("gzip", &["-dc", &path.to_string_lossy()], Path::new("."))
    } else {
        std::fs::read(path).expect("reads the data")
    }
}

/// Writes the names of three taxa as the files `taxdb.bti` and `taxdb.btd`.
pub fn taxonomy(folder: &Path) {
    let taxa: [(u32, &str); 3] = [
        (562, "Escherichia coli\tE. coli\tenterobacteria\tBacteria"),
        (9606, "Homo sapiens\thuman\tprimates\tEukaryota"),
        (10090, "Mus musculus\thouse mouse\trodents\tEukaryota"),
    ];
    let (mut names, mut index) = (String::new(), Vec::new());
    index.extend(0x8739_u32.to_be_bytes());
    index.extend((taxa.len() as u32).to_be_bytes());
    index.extend([0; 16]);
    for (taxid, of_taxon) in taxa {
        index.extend(taxid.to_be_bytes());
        index.extend((names.len() as u32).to_be_bytes());
        names.push_str(of_taxon);
    }
    std::fs::write(folder.join("taxdb.btd"), names).expect("writes");
    std::fs::write(folder.join("taxdb.bti"), index).expect("writes");
}

/// The one contig of a FASTA text, upper case.
pub fn sequence(fasta: &[u8]) -> Vec<u8> {
    fasta
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.starts_with(b">"))
        .flatten()
        .map(u8::to_ascii_uppercase)
        .collect()
}
