//! `--report`: which places of a read to report, or where a page about the run goes.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueHint};

/// Values of `--report`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    Loci(Loci),
    Page(PathBuf),
}

/// Places of a read that complete mapping reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loci {
    /// The best locus.
    Best,
    /// Every locus, the best one first.
    All,
}

/// What is reported of a run, and of reads.
#[derive(Debug, Args)]
pub struct Reports {
    /// With FILE.html, write a page about the run, and sections for `MultiQC` beside it, `*_mqc.json`. With best
    /// (the default) or all: which places of a read complete mapping reports. May be given for each
    #[arg(long = "report", value_name = "FILE.html|best|all", help_heading = "Output",
        value_hint = ValueHint::FilePath)]
    wanted: Vec<Wanted>,
    /// Write the page to FILE, whatever its name
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    run_report: Option<PathBuf>,
}

impl Reports {
    /// Where the page goes, if there is to be one.
    pub fn page(&self) -> Option<&Path> {
        self.pages().next()
    }

    /// The places, if they were told.
    pub fn loci(&self) -> Option<Loci> {
        self.all_loci().next()
    }

    /// Checks that each is told once.
    pub(super) fn check(&self) -> Result<(), String> {
        for (given, what) in
            [(self.pages().count(), "page"), (self.all_loci().count(), "choice of places")]
        {
            if given > 1 {
                return Err(format!("--report: there is one {what}"));
            }
        }
        Ok(())
    }

    fn pages(&self) -> impl Iterator<Item = &Path> {
        let wanted = self.wanted.iter().filter_map(|wanted| match wanted {
            Wanted::Page(path) => Some(path.as_path()),
            Wanted::Loci(_) => None,
        });
        wanted.chain(self.run_report.as_deref())
    }

    fn all_loci(&self) -> impl Iterator<Item = Loci> {
        self.wanted.iter().filter_map(|wanted| match wanted {
            Wanted::Loci(loci) => Some(*loci),
            Wanted::Page(_) => None,
        })
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(value: &str) -> Result<Self, String> {
        let is_page =
            |path: &Path| path.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("html"));
        match value {
            "best" => Ok(Self::Loci(Loci::Best)),
            "all" => Ok(Self::Loci(Loci::All)),
            _ if is_page(Path::new(value)) => Ok(Self::Page(value.into())),
            _ => Err("neither best, all nor a name that ends in .html".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Arguments;

    #[test]
    fn a_page_is_told_from_places_by_its_name() {
        let parse = |arguments: &[&str]| {
            let all = [&["gpualign", "a.fq", "ref.fa"], arguments].concat();
            let reports = Arguments::try_parse_from(all).map(|arguments| arguments.options.reports);
            let reports = reports.map_err(|_| "refused".to_owned())?;
            reports.check()?;
            let page = reports.page().map(|page| page.display().to_string());
            Ok::<_, String>((page.unwrap_or_default(), reports.loci()))
        };
        let told = |page: &str, loci| Ok((page.to_owned(), loci));
        assert_eq!(parse(&[]), told("", None));
        assert_eq!(parse(&["--report", "all"]), told("", Some(Loci::All)));
        assert_eq!(parse(&["--report", "a/run.HTML"]), told("a/run.HTML", None));
        assert_eq!(parse(&["--run-report", "all"]), told("all", None));
        let both = ["--report", "best", "--report", "run.html"];
        assert_eq!(parse(&both), told("run.html", Some(Loci::Best)));
        for wrong in [
            &["--report", "some"][..],
            &["--report", ".html"],
            &["--report", "all", "--report", "best"],
            &["--report", "a.html", "--report", "b.html"],
            &["--report", "a.html", "--run-report", "b.html"],
        ] {
            parse(wrong).expect_err(wrong[1]);
        }
    }
}
