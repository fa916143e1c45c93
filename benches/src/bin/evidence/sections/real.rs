//! The section on real reads: reads that each mapper maps, and variants that are called from its alignments.

use anyhow::Result;

use super::facts::{self, ReadCounts};
use super::peers::{BCFTOOLS, Peer, SAMTOOLS, bowtie2, mappers};
use super::plan::Plan;
use super::variants::{Caller, QUALITY};
use crate::inputs::real::{self, ReadSet};
use crate::outcome::Findings;
use crate::run::contest::{Contestant, Section};
use crate::run::tool::Tool;

impl Plan<'_> {
    pub fn real(&self) -> Result<Section> {
        let mut section = Section::new("Real reads, program by program", "reads/s");
        let found = |peer: &Peer| self.tools.find(peer.1, peer.2);
        let (samtools, bcftools) = (found(&SAMTOOLS), found(&BCFTOOLS));
        for (peer, tool) in [(&SAMTOOLS, &samtools), (&BCFTOOLS, &bcftools)] {
            section.missing.extend(tool.is_none().then(|| peer.0.to_owned()));
        }
        let caller = samtools.zip(bcftools);
        let caller = caller.map(|(samtools, bcftools)| Caller { samtools, bcftools });
        let mut workload = Vec::new();
        for set in real::sets(self.real, &self.data.folder)? {
            let ReadSet { name, what, .. } = &set;
            workload.push(format!("{name}: {what}"));
            self.add_real(&mut section, &set, caller.as_ref())?;
        }
        section.workload = workload.join("; ");
        section.note = Some(match &caller {
            Some(caller) => format!(
                "Variants are called by samtools {} and bcftools {} from the alignments of each, with qualities from {} on, \
                 and held against those that are known; sure places are those with MAPQ 30 or more",
                caller.samtools.version, caller.bcftools.version, QUALITY
            ),
            None => "Not measured: variants, which need samtools and bcftools".to_owned(),
        });
        Ok(section)
    }

    /// Adds gpualign on each device, and the other mappers, with one set of reads.
    fn add_real(
        &self,
        section: &mut Section,
        set: &ReadSet,
        caller: Option<&Caller>,
    ) -> Result<()> {
        let (reads, reference) = (set.files.join(" "), &set.reference);
        let amount = facts::reads_of(&self.data.folder, &set.files)? as f64;
        let index = format!("index -q {reference} -t {}", self.threads);
        section.prepare_with(self.ours("index", &index, 1.0)?);
        let ours = |device: &str| format!("{}-{device}.sam", set.name);
        for (name, device) in self.devices() {
            let file = ours(device);
            let line = format!("{} {reads} {reference} -o {file}", self.options(device));
            let one = self.ours(&set.name, &line, amount)?.with_label(name);
            section.contestants.push(with_real_facts(one, file, set, caller.cloned(), None));
        }
        let mut others = mappers(reference, &reads, None, self.threads);
        others.push(bowtie2(reference, &set.files, self.threads));
        for mapper in others {
            let Some(one) = self.mapper(section, &mapper, reference, amount) else { continue };
            let program = mapper.peer.0;
            let file = format!("{}-{program}.sam", set.name);
            let one = one.with_name(&set.name).with_label(program.to_owned()).with_stdout(&file);
            let other = (self.tools.own()?, ours(self.device));
            let one = with_real_facts(one, file, set, caller.cloned(), Some(other));
            section.contestants.push(one);
        }
        Ok(())
    }
}

/// Completes a contestant with the findings from its SAM file: mapped reads, variants, and the share of loci that differ
/// from gpualign's in another file.
fn with_real_facts(
    one: Contestant,
    file: String,
    set: &ReadSet,
    caller: Option<Caller>,
    ours: Option<(Tool, String)>,
) -> Contestant {
    let set = set.clone();
    one.with_facts(Box::new(move |folder| {
        let placed = ReadCounts::of(&folder.join(&file))?;
        let mut known = Findings::default();
        let mut tell = |what: &str, value: f64| known.facts.insert(what.to_owned(), value);
        tell("mapped", placed.mapped as f64 / placed.reads as f64);
        if placed.paired > 0 {
            tell("properly paired", placed.proper as f64 / placed.paired as f64);
        }
        if let Some((caller, truth)) = caller.as_ref().zip(set.truth.as_ref()) {
            let score = caller.score(folder, &file, &set.reference, truth)?;
            for (name, value) in score.facts() {
                tell(&name, value);
            }
        }
        if let Some((gpualign, ours)) = &ours {
            let share = facts::elsewhere(&gpualign.path, folder, ours, &file)?;
            tell("elsewhere than gpualign, where both are sure", share);
        }
        Ok(known)
    }))
}
