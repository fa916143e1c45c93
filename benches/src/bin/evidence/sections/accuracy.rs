//! The section on accuracy: reads whose origin is known, mapped to made and real genomes.

use anyhow::Result;

use super::facts::PAIRS;
use super::peers::{WGSIM, mappers};
use super::plan::{KnownReads, Plan};
use crate::inputs::pairs::{self, MadePairs};
use crate::report::numbers::number;
use crate::run::contest::Section;

impl Plan<'_> {
    pub fn accuracy(&self) -> Result<Section> {
        let count = self.data.size.accuracy_pairs;
        let mut section = Section::new("Accuracy: reads of known origin", "reads/s");
        section.workload = format!(
            "{} pairs of each genome, length of reads and rate of errors, with variants of 0.1%",
            number(count as f64)
        );
        section.note = Some(
            "A locus is wrong as wgsim_eval.pl counts: more than 5 bases from where the read is from. Each program ran once, \
             beside whatever else the machine did, so times are no comparison"
                .to_owned(),
        );
        section.drawn = Some("error rate, MAPQ >= 10");
        section.runs = Some(1);
        let Some(wgsim) = self.tools.find(WGSIM.1, WGSIM.2) else {
            section.miss(WGSIM.0);
            return Ok(section);
        };
        let sets = pairs::make(&wgsim, &self.data.folder, self.real, count)?;
        for (number, set) in sets.iter().enumerate() {
            let MadePairs { name, reference, length, files } = set;
            let (reads, amount) = (files.join(" "), 2.0 * count as f64);
            let index = format!("index -q {reference} -t {}", self.threads);
            let index = self.ours("index", &index, 1.0)?;
            section.prepare_with(index.with_product(format!("{reference}.gpx")));
            // Records do not depend on the device.
            let prefix = format!("accuracy-{number}");
            let file = format!("{prefix}-gpualign.sam");
            let line = format!("{} {reads} {reference} -o {file}", self.options(self.device));
            let ours = self.ours(name, &line, amount)?.with_label("gpualign".to_owned());
            section.contestants.push(self.with_accuracy(ours, file)?);
            let known = KnownReads { name, reference, amount, prefix, truth: PAIRS };
            for mapper in mappers(reference, &reads, Some(*length), self.threads) {
                self.add_known(&mut section, &known, &mapper)?;
            }
        }
        Ok(section)
    }
}
