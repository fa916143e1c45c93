//! The section on lengths of reads: shorter pairs, single reads, and very short ones.

use anyhow::Result;

use super::facts::{PAIRS, SINGLE};
use super::peers::{BWA, Mapper, bowtie2, mappers};
use super::plan::Plan;
use crate::inputs::data::{GENOME, LengthSet};
use crate::report::numbers::number;
use crate::run::contest::{Contestant, Section};

impl Plan<'_> {
    /// Best mapping of reads of other lengths to SAM, beside the mappers.
    pub fn lengths(&self) -> Result<Section> {
        let (count, t) = (self.data.size.lengths_reads, self.threads);
        let mut section = Section::new("Best mapping of reads of other lengths to SAM", "reads/s");
        section.workload =
            format!("{} reads of each kind, errors 2%, variants 0.1%", number(count as f64));
        section.note = Some(
            "For the shortest reads, gpualign has a preset, and bwa mem is told to use shorter seeds (-k 15 -T 22)".to_owned(),
        );
        section.before.push(self.own_index()?);
        for set in &LengthSet::ALL {
            let files = self.data.length_set(set, &self.tools.own()?.path)?;
            let (reads, amount) = (files.join(" "), count as f64);
            let prefix = set.file_name();
            let preset = if set.is_short() { " --preset short" } else { "" };
            for (name, device) in self.devices() {
                let file = format!("{prefix}-ours.sam");
                let line = format!("{}{preset} {reads} {GENOME} -o {file}", self.options(device));
                let ours = self.ours(set.name, &line, amount)?.with_label(name);
                section.contestants.push(self.with_truth(ours, file, truth(set))?);
            }
            let mut others = mappers(GENOME, &reads, Some(set.bases), t);
            if set.is_short() {
                others.retain(|mapper| mapper.peer.0 == BWA.0);
                for bwa in &mut others {
                    bwa.line = bwa.line.replacen("mem", "mem -k 15 -T 22", 1);
                }
                others.push(bowtie2(GENOME, &files, t));
            }
            for mapper in others {
                self.add_length(&mut section, set, &mapper, amount)?;
            }
        }
        Ok(section)
    }

    /// Adds a mapper of a set of reads, or names it as missing.
    fn add_length(
        &self,
        section: &mut Section,
        set: &LengthSet,
        mapper: &Mapper,
        amount: f64,
    ) -> Result<()> {
        let Some(one) = self.mapper(section, mapper, GENOME, amount) else { return Ok(()) };
        let file = format!("{}-{}.sam", set.file_name(), mapper.peer.0);
        let one: Contestant = one.with_name(set.name).with_label(mapper.peer.0.to_owned());
        section.contestants.push(self.with_truth(one.with_stdout(&file), file, truth(set))?);
        Ok(())
    }
}

/// The form of the names of a set's reads.
fn truth(set: &LengthSet) -> &'static str {
    if set.is_paired { PAIRS } else { SINGLE }
}
