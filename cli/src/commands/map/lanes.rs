//! The lanes of a run: files of reads, each with its read group, from operands or from a list of lanes (`--lanes`).
//!
//! A list of lanes is a table as NVIDIA's `fq2bam` reads it: a lane in each line, with a file of read 1, a file of read 2 and a
//! read group, separated by tabs. A line without tabs may have blanks between its columns.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use aligner_core::fastx;
use aligner_core::input_location::InputLocation;
use anyhow::{Context, Result, anyhow};

use super::args::MapOptions;
use crate::input::{self, Lane, Layout};
use crate::options::MappingFiles;
use crate::output::{Libraries, ReadGroup, ReadGroups};

/// The most bytes of a line of a list of lanes.
const MAX_LINE: u64 = 1 << 16;

/// The lanes of a run with their read groups.
#[derive(Debug, Default)]
pub struct Lanes {
    files: Vec<Lane>,
    groups: ReadGroups,
    /// The number of the read group of each lane; `None` if its reads have none.
    group_numbers: Vec<Option<u32>>,
}

impl Lanes {
    /// The lanes of a command line. All of their files exist.
    ///
    /// # Errors
    /// Names the file, or the line of the list of lanes, and what is wrong with it.
    pub fn open(files: &MappingFiles, options: &MapOptions) -> Result<Self> {
        let lanes = match &options.lanes {
            Some(list) => Self::of_list(list, options)?,
            None => Self::of_operands(files.reads(), options)?,
        };
        // Standard input is read once, whatever the lanes.
        input::check(&lanes.files())?;
        Ok(lanes)
    }

    /// The lanes of operands: each has as many of them as files are read together.
    fn of_operands(operands: &[PathBuf], options: &MapOptions) -> Result<Self> {
        let mut lanes = Self::default();
        let layout = options.layout(operands.len());
        for (number, together) in operands.chunks(layout.files()).enumerate() {
            let lane = lane(layout, together).map_err(|problem| anyhow!(problem))?;
            // One read group is that of all lanes.
            let groups = &options.read_group;
            let group = groups.get(number).or(groups.first());
            lanes.push(lane, group).map_err(|problem| anyhow!(problem))?;
        }
        Ok(lanes)
    }

    /// The lanes of a list.
    fn of_list(path: &Path, options: &MapOptions) -> Result<Self> {
        let name = || path.display().to_string();
        let mut text = BufReader::new(fastx::open(path).with_context(name)?);
        let mut lanes = Self::default();
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            number += 1;
            if text.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).with_context(name)? == 0 {
                break;
            }
            lanes.add_line(&line, options).map_err(|problem| {
                let location = InputLocation { line: Some(number), ..InputLocation::in_file(path) };
                anyhow!("{location}{problem}")
            })?;
        }
        if lanes.files.is_empty() {
            return Err(anyhow!("{}: the file has no lane", path.display()));
        }
        Ok(lanes)
    }

    /// Adds the lane in a line of a list, if there is one. Its files must exist.
    fn add_line(&mut self, line: &[u8], options: &MapOptions) -> Result<(), String> {
        let Some(row) = Row::parse(line)? else { return Ok(()) };
        let lane = lane(options.layout(row.files.len()), &row.files)?;
        let files: Vec<PathBuf> = lane.files().cloned().collect();
        input::check(&files).map_err(|error| format!("{error:#}"))?;
        self.push(lane, Some(&row.group))
    }

    /// Adds a lane.
    fn push(&mut self, lane: Lane, group: Option<&ReadGroup>) -> Result<(), String> {
        let number = group.map(|group| self.groups.add(group)).transpose()?;
        self.files.push(lane);
        self.group_numbers.push(number);
        Ok(())
    }

    /// All files of reads.
    pub fn files(&self) -> Vec<PathBuf> {
        self.files.iter().flat_map(Lane::files).cloned().collect()
    }

    /// The files of each lane.
    pub fn all(&self) -> &[Lane] {
        &self.files
    }

    /// All read groups.
    pub fn groups(&self) -> &ReadGroups {
        &self.groups
    }

    /// The libraries of all read groups.
    pub fn libraries(&self) -> Libraries {
        self.groups.libraries()
    }

    /// The read group of a lane, if it has one.
    pub fn group(&self, lane: usize) -> Option<&ReadGroup> {
        self.group_numbers[lane].map(|number| self.groups.get(number))
    }

    /// The number of the read group of a lane; 0 if it has none.
    pub fn group_number(&self, lane: usize) -> u32 {
        self.group_numbers[lane].unwrap_or(0)
    }

    /// The number of reads of a lane that are mapped together: 2 if they are mates, else 1.
    pub fn together(&self, lane: usize) -> usize {
        self.files[lane].layout().reads()
    }

    /// The most reads of any lane that are mapped together.
    pub fn most_together(&self) -> usize {
        self.files.iter().map(|lane| lane.layout().reads()).max().unwrap_or(1)
    }
}

/// A lane of one file, or of two with read 1 and read 2. Each may be a list of files with commas between them.
fn lane(layout: Layout, files: &[PathBuf]) -> Result<Lane, String> {
    let lists: Vec<Vec<PathBuf>> =
        files.iter().map(|file| listed_files(file)).collect::<Result<_, _>>()?;
    let parts = match (layout, lists.as_slice()) {
        (Layout::Pairs, [one, two]) => {
            if one.len() != two.len() {
                return Err(format!(
                    "'{}' are {} files and '{}' are {}: give as many files of read 1 as of read 2",
                    files[0].display(),
                    one.len(),
                    files[1].display(),
                    two.len()
                ));
            }
            one.iter().zip(two).map(|(one, two)| vec![one.clone(), two.clone()]).collect()
        }
        (Layout::Interleaved, [_, _]) => {
            return Err(
                "read 1 and read 2 are in one file with --interleaved: leave the second file out"
                    .to_owned(),
            );
        }
        _ => lists.concat().into_iter().map(|file| vec![file]).collect(),
    };
    Lane::new(layout, parts)
}

/// The files that an operand names: one, or several with commas between them if there is no file with its name.
fn listed_files(operand: &Path) -> Result<Vec<PathBuf>, String> {
    let name = operand.as_os_str().as_bytes();
    if !name.contains(&b',') || operand.exists() {
        return Ok(vec![operand.to_owned()]);
    }
    let names: Vec<PathBuf> =
        name.split(|&byte| byte == b',').map(|name| OsStr::from_bytes(name).into()).collect();
    if names.iter().any(|name| name.as_os_str().is_empty()) {
        return Err(format!("'{}' has a comma without a file beside it", operand.display()));
    }
    Ok(names)
}

/// A line of a list of lanes.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    /// Read 1, and read 2 if there is one.
    files: Vec<PathBuf>,
    group: ReadGroup,
}

impl Row {
    /// Parses a line; `None` of a blank line or a comment.
    fn parse(line: &[u8]) -> Result<Option<Self>, String> {
        if line.len() as u64 == MAX_LINE {
            return Err(format!("the line has {MAX_LINE} bytes or more: is this a list of lanes?"));
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            return Ok(None);
        }
        let [one, two, group] = columns(line).ok_or(
            "a lane has three columns with tabs between them: read 1, read 2 (empty or * if there is none), \
             and a read group such as @RG\\tID:x\\tSM:y",
        )?;
        let is_missing = |name: &[u8]| matches!(name, b"" | b"*");
        if is_missing(one) {
            return Err("the lane has no file of read 1".to_owned());
        }
        let file = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
        let files = [one].into_iter().chain((!is_missing(two)).then_some(two)).map(file).collect();
        let group = str::from_utf8(group).map_err(|_| "the read group is not UTF-8".to_owned())?;
        let group = group.parse().map_err(|problem| format!("read group '{group}': {problem}"))?;
        Ok(Some(Self { files, group }))
    }
}

/// The three columns of a line, of which the last may have tabs; `None` if there are fewer.
fn columns(line: &[u8]) -> Option<[&[u8]; 3]> {
    if line.contains(&b'\t') {
        let mut columns = line.splitn(3, |&byte| byte == b'\t').map(<[u8]>::trim_ascii);
        return Some([columns.next()?, columns.next()?, columns.next()?]);
    }
    let (one, rest) = until_blank(line)?;
    let (two, group) = until_blank(rest)?;
    Some([one, two, group.trim_ascii()])
}

/// The first word of a line and what follows it, if there is more.
fn until_blank(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii();
    line.iter().position(|&byte| byte == b' ').map(|blank| line.split_at(blank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_two_files_and_a_group() {
        let row = |line: &str| {
            Row::parse(line.as_bytes()).map(|row| {
                row.map(|row| {
                    let files = row.files.iter().map(|file| file.display().to_string());
                    (files.collect::<Vec<_>>().join(" + "), row.group.line)
                })
            })
        };
        let is = |files: &str, group: &str| Ok(Some((files.to_owned(), group.to_owned())));
        assert_eq!(
            row("a_1.fq\ta_2.fq\t@RG\\tID:x\\tSM:s\n"),
            is("a_1.fq + a_2.fq", "@RG\tID:x\tSM:s")
        );
        assert_eq!(row("a b\ta\t@RG\tID:x\tSM:s t\r\n"), is("a b + a", "@RG\tID:x\tSM:s t"));
        assert_eq!(row("a  b   @RG\\tID:x\\tDS:s t"), is("a + b", "@RG\tID:x\tDS:s t"));
        assert_eq!(row("a\t\t@RG\tID:x"), is("a", "@RG\tID:x"));
        assert_eq!(row("a * @RG\\tID:x"), is("a", "@RG\tID:x"));
        for nothing in ["\n", "", " \t \r\n", "# a\tb\tc\n"] {
            assert_eq!(row(nothing), Ok(None), "{nothing:?}");
        }
        for (wrong, reason) in [
            ("a", "three columns"),
            ("a\tb", "three columns"),
            ("a b", "three columns"),
            ("\tb\t@RG\tID:x", "no file of read 1"),
            ("* b @RG\\tID:x", "no file of read 1"),
            ("a\tb\tID:x", "'@RG'"),
            ("a\tb\t", "'@RG'"),
            ("a\tb\t@RG\tSM:x", "no ID"),
        ] {
            let problem = row(wrong).expect_err("is no lane");
            assert!(problem.contains(reason), "{wrong:?}: {problem}");
        }
    }

    #[test]
    fn a_comma_separates_files_unless_it_is_in_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a,b"), "").expect("writes");
        assert_eq!(listed_files(&path("a,b")), Ok(vec![path("a,b")]));
        assert_eq!(listed_files(&path("a,c,-")), Ok(vec![path("a"), "c".into(), "-".into()]));
        for wrong in ["a,", ",a", "a,,c", ","] {
            assert!(listed_files(Path::new(wrong)).is_err(), "{wrong}");
        }
        let lane = |layout, files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let lane = lane(layout, &files).map_err(|_| "refused")?;
            let part =
                |part: &Vec<PathBuf>| part.iter().map(|it| it.display().to_string()).collect();
            Ok(lane.parts().iter().map(part).collect::<Vec<Vec<String>>>())
        };
        let is = |parts: &[&[&str]]| {
            Ok(parts.iter().map(|part| part.iter().map(|&it| it.to_owned()).collect()).collect())
        };
        assert_eq!(lane(Layout::Pairs, &["a,b", "c,d"]), is(&[&["a", "c"], &["b", "d"]]));
        assert_eq!(lane(Layout::Single, &["a,b", "c"]), is(&[&["a"], &["b"], &["c"]]));
        assert_eq!(lane(Layout::Interleaved, &["a,b"]), is(&[&["a"], &["b"]]));
        assert_eq!(lane(Layout::Pairs, &["a,b", "c"]), Err("refused"));
        assert_eq!(lane(Layout::Interleaved, &["a", "b"]), Err("refused"));
    }
}
