//! The SAM header (SAM specification, section 1.3).

use std::ffi::OsString;
use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{self, Path};

use anyhow::{Result, bail};
use fm_index::{Contig, Reference};
use seed_extend::AltContigs;

use crate::output::read_group::ReadGroups;

/// The order of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The order of the reads.
    Unsorted,
    /// By contig and position.
    Coordinate,
}

/// The contigs as the `@SQ` lines tell of them.
#[derive(Debug, Clone, Copy)]
pub struct Sequences<'a> {
    /// Names, lengths and MD5 (`M5`).
    pub reference: &'a Reference,
    /// The `UR` of all contigs, see [`location()`].
    pub location: Option<&'a str>,
    /// The contigs with an `AH`.
    pub alt_contigs: &'a AltContigs,
}

/// The lines of the header before that of the program: `@HD`, an `@SQ` for each contig, an `@RG` for each read group, and more
/// `lines` as given. An `@HD` among these lines is written in place of the usual one.
///
/// # Errors
/// If SAM does not allow a contig's name, which can only come from an index of an earlier version.
pub fn text(
    sequences: Sequences<'_>,
    groups: &ReadGroups,
    lines: &[String],
    order: Order,
) -> Result<String> {
    let Sequences { reference, location, alt_contigs } = sequences;
    let order = match order {
        Order::Unsorted => "unsorted",
        Order::Coordinate => "coordinate",
    };
    let is_first = |line: &&String| line.starts_with("@HD");
    let mut text = match lines.iter().find(is_first) {
        Some(line) => format!("{line}\n"),
        None => format!("@HD\tVN:1.6\tSO:{order}\n"),
    };
    for (contig, number) in reference.contigs().iter().zip(0..) {
        let name = &contig.name;
        check_name(name)?;
        write!(text, "@SQ\tSN:{name}\tLN:{}\tM5:", contig.length)?;
        for byte in contig.md5 {
            write!(text, "{byte:02x}")?;
        }
        if alt_contigs.contains(number) {
            text += "\tAH:*";
        }
        if let Some(location) = location {
            write!(text, "\tUR:{location}")?;
        }
        text.push('\n');
    }
    for group in groups.iter() {
        text += &group.line;
        text.push('\n');
    }
    for line in lines.iter().filter(|line| !is_first(line)) {
        text += line;
        text.push('\n');
    }
    Ok(text)
}

/// The line of the program, `@PG`, for this command line.
pub fn program_line(command: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("@PG\tID:gpualign\tPN:gpualign\tVN:{version}\tCL:{command}\n")
}

/// The line of merging shards, behind that of the program that made them.
pub fn merge_line(command: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("@PG\tID:gpualign-merge\tPN:gpualign\tPP:gpualign\tVN:{version}\tCL:{command}\n")
}

/// Adds the location of the reference to the lines of its contigs, of which there are so many.
pub fn with_location(lines: &str, contigs: usize, location: &str) -> String {
    let mut left = contigs;
    let line = |line: &str| {
        if left > 0 && line.starts_with("@SQ\t") {
            left -= 1;
            format!("{line}\tUR:{location}\n")
        } else {
            format!("{line}\n")
        }
    };
    lines.lines().map(line).collect()
}

/// The absolute path of a file of a reference, from which htslib decodes CRAM if it is told of no other (`UR`); `None` if htslib
/// could not read the file: it must be a regular file of FASTA, plain or compressed by bgzip, with a path that a header can
/// hold.
///
/// # Errors
/// If the file cannot be read.
pub fn location(fasta: &Path) -> io::Result<Option<String>> {
    if !fs::metadata(fasta)?.is_file() {
        return Ok(None);
    }
    let mut start = Vec::new();
    File::open(fasta)?.take(BGZF_START as u64).read_to_end(&mut start)?;
    let is_bgzf = start.starts_with(&[0x1f, 0x8b]) && start.ends_with(b"BC");
    if !(start.starts_with(b">") || is_bgzf) {
        return Ok(None);
    }
    let path = path::absolute(fasta)?;
    let is_text = |path: &&str| !path.chars().any(char::is_control);
    Ok(path.to_str().filter(is_text).map(str::to_owned))
}

/// Bytes of a file of BGZF up to and with the name of the field that tells it from other files of gzip.
const BGZF_START: usize = 14;

/// Checks that SAM allows the name of a contig.
fn check_name(name: &str) -> Result<()> {
    if !Contig::is_name(name.as_bytes()) {
        bail!(
            "contig '{}': SAM does not allow this name: rename it in the FASTA file, and build the index again",
            name.escape_debug()
        );
    }
    Ok(())
}

/// A command line for the `CL` field: arguments separated by blanks, with tabs and line ends escaped.
pub fn command_line(arguments: impl Iterator<Item = OsString>) -> String {
    let arguments: Vec<_> =
        arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    arguments.join(" ").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_fields() {
        let reference = Reference::from_records([("a x", "ACGT"), ("b", "NNA")]).expect("is fine");
        let mut groups = ReadGroups::default();
        for line in ["@RG\\tID:x", "@RG\\tID:y", "@RG\\tID:x"] {
            groups.add(&line.parse().expect("is fine")).expect("is fine");
        }
        let arguments = ["gpualign", "-R", "@RG\tID:x"].map(OsString::from);
        let command = command_line(arguments.into_iter());
        let (location, alt_contigs) = (Some("/a b/ref.fa"), &AltContigs::new([1]));
        let sequences = Sequences { reference: &reference, location, alt_contigs };
        let lines = |location| {
            let sequences = Sequences { location, ..sequences };
            text(sequences, &groups, &[], Order::Coordinate).expect("is fine")
        };
        assert_eq!(with_location(&lines(None), 2, "/a b/ref.fa"), lines(location));
        let text = lines(location) + &program_line(&command);
        let expected = format!(
            "@HD\tVN:1.6\tSO:coordinate\n\
             @SQ\tSN:a\tLN:4\tM5:f1f8f4bf413b16ad135722aa4591043e\tUR:/a b/ref.fa\n\
             @SQ\tSN:b\tLN:3\tM5:{}\tAH:*\tUR:/a b/ref.fa\n\
             @RG\tID:x\n\
             @RG\tID:y\n\
             @PG\tID:gpualign\tPN:gpualign\tVN:{}\tCL:gpualign -R @RG\\tID:x\n",
            "fdf1745153dc945fdc729a65eaba339b",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn locations_are_of_files_that_htslib_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).expect("writes");
            (location(&path).expect("is read"), path.to_str().map(str::to_owned))
        };
        let bgzf = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0];
        let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x33, 0, b'B', b'D', 2, 0];
        for (name, content) in [("ref.fa", &b">a\nACGT\n"[..]), ("ref.fa.gz", &bgzf)] {
            let (found, path) = of(name, content);
            assert!(found.is_some() && found == path, "{name}: {found:?}");
        }
        let bad: [(&str, &[u8]); 4] =
            [("x.fa.gz", &gzip), ("x.fa.bz2", b"BZh9"), ("tab\t.fa", b">a\nA\n"), ("no.fa", b"")];
        for (name, content) in bad {
            assert_eq!(of(name, content).0, None, "{name}");
        }
        for other in [folder.path(), Path::new("/dev/null")] {
            assert_eq!(location(other).expect("is there"), None);
        }
        assert!(location(&folder.path().join("none")).is_err());
    }

    #[test]
    fn names_that_mean_something_else_are_refused() {
        for name in ["*", "=a", "a b", "a\t", "a,b", ""] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
