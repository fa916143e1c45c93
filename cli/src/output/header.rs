//! The SAM header (SAM specification, section 1.3).

use std::ffi::OsString;
use std::fmt::Write;

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

/// The header as text: `@HD`, an `@SQ` with length and MD5 for each contig (and `AH` of ALT contigs), an `@RG` for each
/// read group, more `lines` as given, and `@PG`. An `@HD` among these lines is written in place of the usual one.
///
/// # Errors
/// If SAM does not allow a contig's name, which can only come from an index of an earlier version.
pub fn text(
    reference: &Reference,
    groups: &ReadGroups,
    lines: &[String],
    command: &str,
    order: Order,
    alt_contigs: &AltContigs,
) -> Result<String> {
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
    let version = env!("CARGO_PKG_VERSION");
    writeln!(text, "@PG\tID:gpualign\tPN:gpualign\tVN:{version}\tCL:{command}")?;
    Ok(text)
}

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
        let alt_contigs = AltContigs::new([1]);
        let text = text(&reference, &groups, &[], &command, Order::Coordinate, &alt_contigs);
        let expected = format!(
            "@HD\tVN:1.6\tSO:coordinate\n\
             @SQ\tSN:a\tLN:4\tM5:f1f8f4bf413b16ad135722aa4591043e\n\
             @SQ\tSN:b\tLN:3\tM5:{}\tAH:*\n\
             @RG\tID:x\n\
             @RG\tID:y\n\
             @PG\tID:gpualign\tPN:gpualign\tVN:{}\tCL:gpualign -R @RG\\tID:x\n",
            "fdf1745153dc945fdc729a65eaba339b",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(text.expect("is fine"), expected);
    }

    #[test]
    fn names_that_mean_something_else_are_refused() {
        for name in ["*", "=a", "a b", "a\t", "a,b", ""] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
