//! The files of `-outfmt 13` and `-outfmt 14`: one for each query, and one that names them.

use std::io;
use std::path::{Path, PathBuf};

use crate::commands::blastn::output_format::FileFormat;
use crate::commands::blastn::report::Report;
use crate::staging::Outputs;

/// The files of queries, beside the file that will name them: of `out.json`, these are `out_1.json`, `out_2.json` and so on.
pub struct QueryFiles {
    format: FileFormat,
    /// The path of the file that names them, without its extension if that is the one of the format.
    base: PathBuf,
    outputs: Outputs,
    /// Number of files so far.
    count: usize,
}

impl QueryFiles {
    /// Prepares for files beside the one of a path.
    pub fn new(format: FileFormat, path: &Path, outputs: Outputs) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_known = extension.is_some_and(|it| it.eq_ignore_ascii_case(format.extension()));
        let base = if is_known { path.with_extension("") } else { path.to_owned() };
        Self { format, base, outputs, count: 0 }
    }

    /// The name of the file of a query, without its folder.
    fn name(&self, number: usize) -> String {
        let base = self.base.file_name().unwrap_or_default().to_string_lossy();
        format!("{base}_{number}.{}", self.format.extension())
    }

    /// Writes the file of the next query, which has its name when it is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        self.count += 1;
        let path = self.base.with_file_name(self.name(self.count));
        let mut write = || -> anyhow::Result<()> {
            let target = self.outputs.target(Some(&path))?;
            target.write_text(text)?;
            target.commit()
        };
        write().map_err(|error| io::Error::other(format!("{error:#}")))
    }

    /// The text of the file that names the files so far.
    pub fn names(&self) -> String {
        let names: Vec<String> = (1..=self.count).map(|number| self.name(number)).collect();
        Report::file_names(self.format, &names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_one_that_names_them() {
        let folder = tempfile::tempdir().expect("a folder");
        for (out, second) in [("o.JSON", "o_2.json"), ("o.xml", "o.xml_2.json"), ("o", "o_2.json")]
        {
            let path = folder.path().join(out);
            let mut files = QueryFiles::new(FileFormat::Json, &path, Outputs::new([]));
            files.write("one").expect("writes");
            files.write("two").expect("writes");
            let written = std::fs::read_to_string(folder.path().join(second));
            assert_eq!(written.expect("is there"), "two");
            assert!(files.names().contains(second));
        }
    }
}
