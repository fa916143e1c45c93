//! Reading the ALT contigs of a reference from the file `REF.alt`, as `bwa` does.
//!
//! The file is in SAM form: the first field of a line that does not begin with `@` is the name of an ALT contig. What is
//! behind it, the alignment of the contig to the primary assembly, is not used. It is read at each run, also beside an
//! index.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use aligner_core::path::extended;
use anyhow::{Context, Result, bail};
use fm_index::Reference;
use seed_extend::AltContigs;

/// Bytes of a line that are looked at: more than any name of a contig has.
const LINE: u64 = 1 << 16;

/// The name of the file that names the ALT contigs of a reference.
pub fn path_for(reference: &Path) -> PathBuf {
    extended(reference, "alt")
}

/// The ALT contigs that a file names; none if there is no such file.
///
/// # Errors
/// If the file cannot be read, or names a contig that the reference does not have.
pub fn read(path: &Path, reference: &Reference) -> Result<AltContigs> {
    match File::open(path) {
        Ok(file) => {
            parse(BufReader::new(file), reference).with_context(|| path.display().to_string())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(AltContigs::default()),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// The contigs that the lines of a text name.
fn parse(mut text: impl BufRead, reference: &Reference) -> Result<AltContigs> {
    let contigs = reference.contigs().iter().enumerate();
    let numbers: HashMap<&[u8], usize> =
        contigs.map(|(number, contig)| (contig.name.as_bytes(), number)).collect();
    let (mut found, mut line) = (Vec::new(), Vec::new());
    for number in 1_u64.. {
        line.clear();
        if text.by_ref().take(LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if !line.ends_with(b"\n") {
            text.skip_until(b'\n')?;
        }
        let name = line.split(|byte| b"\t\r\n".contains(byte)).next().unwrap_or_default();
        if name.is_empty() || name.starts_with(b"@") {
            continue;
        }
        match numbers.get(name) {
            Some(&contig) => found.push(contig),
            None => bail!(
                "line {number}: the reference has no contig '{}': remove the line, or treat ALT contigs as all others with \
                 --ignore-alt (-j of gpualign mem)",
                String::from_utf8_lossy(name).escape_debug()
            ),
        }
    }
    Ok(AltContigs::new(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fields_are_names() {
        let reference =
            Reference::from_records([("a", "ACGT"), ("b", "ACGT"), ("c d", "AC"), ("e", "AC")]);
        let reference = reference.expect("is fine");
        let found = |text: &str| parse(text.as_bytes(), &reference).map_err(|it| it.to_string());
        let long = format!("e\t0\t{}\nb", "x".repeat(200_000));
        for (text, expected) in [
            ("", vec![]),
            ("@SQ\tSN:x\n\nb\t0\ta\t1\n@CO\te\nc\r\n", vec![1, 2]),
            (&long, vec![3, 1]),
        ] {
            assert_eq!(found(text), Ok(AltContigs::new(expected)));
        }
        let error = found("@HD\nb\nnone\t4\n").expect_err("is unknown");
        assert!(error.starts_with("line 3: the reference has no contig 'none': remove"), "{error}");
    }
}
