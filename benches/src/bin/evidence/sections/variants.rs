//! Variants from alignments: samtools and bcftools call them, and this module compares them with known ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::inputs::real::Truth;
use crate::run::tool::Tool;

/// The least quality of a called variant that counts.
pub const QUALITY: f64 = 20.0;

/// The programs that call variants.
#[derive(Debug, Clone)]
pub struct Caller {
    pub samtools: Tool,
    pub bcftools: Tool,
}

/// Called variants compared with known ones, by kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Score {
    pub snvs: Counts,
    pub indels: Counts,
}

/// Called variants of one kind compared with known ones.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    /// Variants that are known and called.
    pub found: usize,
    /// Variants that are known but not called.
    pub missed: usize,
    /// Variants that are called but not known.
    pub extra: usize,
}

impl Score {
    /// The counts of both kinds as findings.
    pub fn facts(&self) -> Vec<(String, f64)> {
        [self.snvs.facts("SNVs"), self.indels.facts("indels")].concat()
    }

    fn of(known: &BTreeSet<Variant>, calls: &BTreeSet<Variant>) -> Self {
        let of_kind = |is_wanted_indel: bool| {
            let count = |one: &BTreeSet<Variant>, other: &BTreeSet<Variant>, is_in_both: bool| {
                let is_meant = |variant: &&Variant| {
                    is_indel(variant) == is_wanted_indel && other.contains(*variant) == is_in_both
                };
                one.iter().filter(is_meant).count()
            };
            Counts {
                found: count(known, calls, true),
                missed: count(known, calls, false),
                extra: count(calls, known, false),
            }
        };
        Self { snvs: of_kind(false), indels: of_kind(true) }
    }
}

impl Counts {
    /// Counts of one kind as findings, with their F1.
    fn facts(&self, kind: &str) -> Vec<(String, f64)> {
        let counts = [("found", self.found), ("missed", self.missed), ("extra", self.extra)];
        let counts = counts.map(|(what, count)| (format!("{kind} {what}"), count as f64));
        let score = self.f1().map(|score| (format!("F1 of {kind}"), score));
        counts.into_iter().chain(score).collect()
    }

    /// The harmonic mean of the share of known variants that are called, and of called ones that are known; `None` if
    /// nothing is known or called.
    pub fn f1(&self) -> Option<f64> {
        let Self { found, missed, extra } = *self;
        let all = 2 * found + missed + extra;
        (all > 0).then(|| 2.0 * found as f64 / all as f64)
    }
}

/// Contig, position, reference and other allele.
type Variant = (String, u64, String, String);

impl Caller {
    /// Calls the variants of a file of alignments in the folder, and compares them with the truth.
    pub fn score(
        &self,
        folder: &Path,
        alignments: &str,
        reference: &str,
        truth: &Truth,
    ) -> Result<Score> {
        let of = |kind: &str| format!("{alignments}.{kind}");
        let (sorted, piled, called) = (of("bam"), of("piled.bcf"), of("called.bcf"));
        run(folder, &self.samtools, &["sort", "-o", &sorted, alignments])?;
        run(folder, &self.bcftools, &["mpileup", "-Ou", "-f", reference, "-o", &piled, &sorted])?;
        run(folder, &self.bcftools, &["call", "-mv", "-Ou", "-o", &called, &piled])?;
        // Normalization writes calls and known variants in the same way.
        let normal = |from: &str, to: &str| -> Result<BTreeSet<Variant>> {
            run(folder, &self.bcftools, &["norm", "-m", "-any", "-f", reference, "-o", to, from])?;
            let text = fs::read_to_string(folder.join(to)).with_context(|| to.to_owned())?;
            variants(&text, truth).with_context(|| to.to_owned())
        };
        let calls = normal(&called, &of("vcf"))?;
        let known = normal(&truth.file, &of("known.vcf"))?;
        Ok(Score::of(&known, &calls))
    }
}

/// Whether a variant changes the number of bases.
fn is_indel((_, _, reference, other): &Variant) -> bool {
    reference.len() != other.len()
}

/// The variants of a VCF text in the region of the truth whose quality is at least [`QUALITY`], or is not given.
fn variants(text: &str, truth: &Truth) -> Result<BTreeSet<Variant>> {
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [contig, position, _, reference, other, quality, ..] = fields[..] else {
            bail!("no variant: {line}");
        };
        let position: u64 = position.parse().with_context(|| line.to_owned())?;
        let is_good =
            quality == "." || quality.parse::<f64>().is_ok_and(|quality| quality >= QUALITY);
        let is_on = truth.contig.as_ref().is_none_or(|wanted| wanted == contig);
        if is_good && is_on && (truth.from..=truth.to).contains(&position) {
            found.insert((contig.to_owned(), position, reference.to_owned(), other.to_owned()));
        }
    }
    Ok(found)
}

fn run(folder: &Path, tool: &Tool, arguments: &[&str]) -> Result<()> {
    let output = Command::new(&tool.path).args(arguments).current_dir(folder).output();
    let output = output.with_context(|| tool.path.display().to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} {}: {}", tool.path.display(), arguments.join(" "), said.trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_scored_apart() {
        let set = |variants: &[(u64, &str, &str)]| -> BTreeSet<Variant> {
            let of = |&(at, reference, other): &(u64, &str, &str)| {
                ("c".to_owned(), at, reference.to_owned(), other.to_owned())
            };
            variants.iter().map(of).collect()
        };
        let known = set(&[(1, "A", "C"), (2, "A", "C"), (3, "AT", "A"), (9, "G", "GA")]);
        let calls = set(&[(1, "A", "C"), (2, "A", "G"), (3, "AT", "A"), (7, "A", "T")]);
        let score = Score::of(&known, &calls);
        assert_eq!(score.snvs, Counts { found: 1, missed: 1, extra: 2 });
        assert_eq!(score.indels, Counts { found: 1, missed: 1, extra: 0 });
        assert_eq!([score.snvs.f1(), score.indels.f1()], [Some(0.4), Some(2.0 / 3.0)]);
        assert_eq!(Counts { found: 0, missed: 0, extra: 0 }.f1(), None);
    }

    #[test]
    fn variants_are_counted_where_the_truth_is_known() {
        let truth = Truth { file: String::new(), contig: None, from: 10, to: 20 };
        let vcf = "#CHROM\tPOS\nc\t9\t.\tA\tC\t50\tPASS\nc\t10\t.\tA\tC\t50\tPASS\nc\t10\t.\tA\tG\t.\tPASS\n\
            c\t20\t.\tAT\tA\t20\t.\nc\t15\t.\tA\tC\t19.9\t.\nc\t21\t.\tA\tC\t50\t.\n";
        let found = variants(vcf, &truth).expect("is VCF");
        let places: Vec<(u64, &str)> =
            found.iter().map(|(_, place, _, other)| (*place, other.as_str())).collect();
        assert_eq!(places, [(10, "C"), (10, "G"), (20, "A")]);
        let elsewhere = Truth { contig: Some("d".to_owned()), ..truth.clone() };
        assert_eq!(variants(vcf, &elsewhere).expect("is VCF"), BTreeSet::new());
        variants("c\t1\t.\tA\n", &truth).expect_err("too few fields");
        variants("c\tx\t.\tA\tC\t50\t.\n", &truth).expect_err("no position");
    }
}
