//! The section on lengths of reads: shorter pairs, single reads, and very short ones.

use anyhow::Result;

use super::facts::{PAIRS, SINGLE};
use super::peers::{BWA, bowtie2, mappers};
use super::plan::{KnownReads, Plan};
use crate::inputs::data::{GENOME, LengthSet};
use crate::report::numbers::number;
use crate::run::contest::Section;

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
            let known = KnownReads {
                name: set.name,
                reference: GENOME,
                amount,
                prefix: set.file_name(),
                truth: if set.is_paired { PAIRS } else { SINGLE },
            };
            let preset = if set.is_short() { " --preset short" } else { "" };
            for (name, device) in self.devices() {
                let file = format!("{}-ours.sam", known.prefix);
                let line = format!("{}{preset} {reads} {GENOME} -o {file}", self.options(device));
                let ours = self.ours(set.name, &line, amount)?.with_label(name);
                section.contestants.push(self.with_truth(ours, file, known.truth)?);
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
                self.add_known(&mut section, &known, &mapper)?;
            }
        }
        Ok(section)
    }
}
