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
use anyhow::{Context, Error, Result, anyhow};

use super::args::MapOptions;
use super::operands::{listed_files, names_alignments};
use crate::input::{self, AlignmentReads, Lane, Layout, OpenReads, RecordGroups};
use crate::options::MappingFiles;
use crate::output::{Libraries, ReadGroup, ReadGroups};

/// The most bytes of a line of a list of lanes.
const MAX_LINE: u64 = 1 << 16;

/// The lanes of a run with their read groups.
#[derive(Debug, Default)]
pub struct Lanes {
    files: Vec<Lane>,
    groups: ReadGroups,
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

    /// The lanes of operands: each has as many of them as files are read together, or one if it is of SAM, BAM or CRAM.
    fn of_operands(operands: &[PathBuf], options: &MapOptions) -> Result<Self> {
        let mut lanes = Self::default();
        let are_alignments: Vec<bool> = operands.iter().map(|it| names_alignments(it)).collect();
        let alignments = are_alignments.iter().filter(|&&it| it).count();
        let layout = options.layout(operands.len() - alignments);
        let groups = &options.read_group;
        let mut next = 0;
        while let Some(first) = operands.get(next) {
            // One read group is that of all lanes.
            let group = groups.get(lanes.files.len()).or(groups.first());
            let has_alignments = are_alignments[next];
            let count = if has_alignments { 1 } else { layout.files() };
            let together = &operands[next..operands.len().min(next + count)];
            next += count;
            if has_alignments {
                lanes.push_alignments(listed_files(first).map_err(Error::msg)?, group, options)?;
            } else if let ([file], true) = (operands, input::is_stream(first)) {
                lanes.push_stream(file, group, options)?;
            } else {
                let lane = lane(layout, together).map_err(Error::msg)?;
                lanes.push(lane, group).map_err(Error::msg)?;
            }
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
        if let [file] = row.files.as_slice()
            && names_alignments(file)
        {
            let added = self.push_alignments(listed_files(file)?, Some(&row.group), options);
            return added.map_err(|error| format!("{error:#}"));
        }
        let lane = lane(options.layout(row.files.len()), &row.files)?;
        let files: Vec<PathBuf> = lane.files().cloned().collect();
        input::check(&files).map_err(|error| format!("{error:#}"))?;
        self.push(lane, Some(&row.group))
    }

    /// Adds a lane.
    fn push(&mut self, lane: Lane, group: Option<&ReadGroup>) -> Result<(), String> {
        let number = group.map(|group| self.groups.add(group)).transpose()?;
        self.files.push(lane.with_group(number));
        Ok(())
    }

    /// Adds a lane of files of SAM, BAM or CRAM, whose reads are of the read groups in their headers if none is given.
    fn push_alignments(
        &mut self,
        files: Vec<PathBuf>,
        group: Option<&ReadGroup>,
        options: &MapOptions,
    ) -> Result<()> {
        input::check(&files)?;
        let mut open = Vec::with_capacity(files.len());
        for file in &files {
            if !input::has_alignments(file) {
                return Err(anyhow!(
                    "{}: neither SAM, BAM nor CRAM, as other files of its lane: put a blank for the comma between them",
                    file.display()
                ));
            }
            let mut reads = input::open_alignments(file, options.threads.count())?;
            self.set_groups(&mut reads, group)?;
            open.push(OpenReads::Alignments(Box::new(reads)));
        }
        self.files.push(Lane::of_open(options.alignments_layout(), files, open));
        Ok(())
    }

    /// Adds the lane of the only file of reads, which can be read only once.
    fn push_stream(
        &mut self,
        file: &Path,
        group: Option<&ReadGroup>,
        options: &MapOptions,
    ) -> Result<()> {
        let files = vec![file.to_owned()];
        input::check(&files)?;
        let mut open = input::open_stream(file, options.threads.count())?;
        let layout = match &mut open {
            OpenReads::Text(_) => options.layout(1),
            OpenReads::Alignments(reads) => {
                self.set_groups(reads, group)?;
                options.alignments_layout()
            }
        };
        self.push(Lane::of_open(layout, files, vec![open]), group).map_err(Error::msg)
    }

    /// Sets the read groups of a file: the given one, or those of its header.
    fn set_groups(&mut self, reads: &mut AlignmentReads, given: Option<&ReadGroup>) -> Result<()> {
        let mut add =
            |group: &ReadGroup| self.groups.add(group).map(|number| (group.id.clone(), number));
        let groups = if let Some(group) = given {
            add(group).map(|(_, number)| RecordGroups::One(Some(number)))
        } else {
            let lines = reads.group_lines().cloned();
            let groups: Result<Vec<_>, _> =
                lines.map(|line| ReadGroup::of_line(line).and_then(|group| add(&group))).collect();
            groups.map(|groups| match groups.as_slice() {
                [] => RecordGroups::One(None),
                _ => RecordGroups::ById(groups),
            })
        };
        let location = InputLocation::in_file(reads.path());
        reads.set_groups(groups.map_err(|problem| anyhow!("{location}the header: {problem}"))?);
        Ok(())
    }

    /// Whether a file may have aligned reads in CRAM, whose bases lie in the reference.
    pub fn may_need_reference(&self) -> bool {
        self.files.iter().any(Lane::may_need_reference)
    }

    /// Decodes aligned reads in CRAM by a reference, which htslib opens by this name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn decode_with(&self, reference: &str) -> Result<()> {
        self.files.iter().try_for_each(|lane| lane.decode_with(reference))
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
    if let Some(file) = lists.iter().flatten().find(|file| input::has_alignments(file)) {
        return Err(format!(
            "{}: records of SAM, BAM or CRAM are no mates of reads of FASTQ or FASTA, and no lane with them",
            file.display()
        ));
    }
    Lane::new(layout, parts)
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
    fn files_with_commas_between_them_are_parts_of_a_lane() {
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
