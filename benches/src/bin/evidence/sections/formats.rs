//! The section on formats: reads that are compressed, and output as CRAM.

use anyhow::Result;

use super::facts::{cram, records};
use super::peers::{SAMTOOLS, mappers};
use super::plan::Plan;
use crate::inputs::data::{GENOME, PAIR_READ};
use crate::report::numbers::number;
use crate::run::contest::Section;

/// The names of rows, by input and output.
const COMPRESSED: &str = "gz to SAM";
const TO_CRAM: &str = "plain to CRAM";

impl Plan<'_> {
    /// Compressed pairs to SAM, and plain ones to CRAM, beside the mappers piped into samtools.
    pub fn formats(&self) -> Result<Section> {
        let (pairs, t) = (self.data.size.formats_pairs, self.threads);
        let reads = 2.0 * pairs as f64;
        let mut section = Section::new("Compressed reads, and CRAM", "reads/s");
        section.workload = format!(
            "{} pairs of 150 bases, errors 2%, variants 0.1%: files compressed with gz to SAM, and plain files to CRAM",
            number(pairs as f64)
        );
        let samtools = self.tools.find(SAMTOOLS.1, SAMTOOLS.2);
        section.note = Some(match &samtools {
            Some(samtools) => format!(
                "For CRAM, the output of other mappers goes through samtools {} view; it and the mapper have {t} threads each",
                samtools.version
            ),
            None => "Not measured: CRAM, which samtools writes for other mappers".to_owned(),
        });
        if samtools.is_none() {
            section.miss(SAMTOOLS.0);
        }
        section.before.push(self.own_index()?);
        let (plain, compressed) = self.data.formats(pairs)?;
        let [plain, compressed] = [plain, compressed].map(|files| files.join(" "));

        for (name, device) in self.devices() {
            let file = "formats-ours.sam";
            let line = format!("{} {compressed} {GENOME} -o {file}", self.options(device));
            let one = self.ours(COMPRESSED, &line, reads)?.with_label(name);
            section.contestants.push(one.with_facts(records([file])));
        }
        for mapper in mappers(GENOME, &compressed, Some(PAIR_READ), t) {
            let Some(one) = self.mapper(&mut section, &mapper, GENOME, reads) else { continue };
            let file = format!("formats-{}.sam", one.name);
            let one = one.with_name(COMPRESSED).with_label(mapper.peer.0.to_owned());
            section.contestants.push(one.with_stdout(&file).with_facts(records([file])));
        }

        let Some(samtools) = samtools else { return Ok(section) };
        let known = |file: &str| cram(samtools.path.clone(), GENOME, file.to_owned());
        for (name, device) in self.devices() {
            let file = "formats-ours.cram";
            let line = format!("{} {plain} {GENOME} -o {file}", self.options(device));
            let one = self.ours(TO_CRAM, &line, reads)?.with_label(name);
            section.contestants.push(one.with_facts(known(file)));
        }
        for mapper in mappers(GENOME, &plain, Some(PAIR_READ), t) {
            let Some(one) = self.mapper(&mut section, &mapper, GENOME, reads) else { continue };
            let file = format!("formats-{}.cram", one.name);
            let pipe = format!("samtools view -C -@ {t} -T {GENOME} -o {file} -");
            let one = one.with_name(TO_CRAM).with_label(mapper.peer.0.to_owned());
            section.contestants.push(one.with_pipe(pipe).with_facts(known(&file)));
        }
        Ok(section)
    }
}
