//! Global alignments, and searching a database.

use anyhow::Result;

use super::Plan;
use super::facts::records;
use super::peers::{BLASTN, MAKEBLASTDB, NEEDLE, PARASAIL};
use crate::contest::{Contestant, Section};
use crate::data::QUERY;

impl Plan<'_> {
    pub fn pairwise(&self) -> Result<Section> {
        let (count, t) = (self.data.size.sequences as f64, self.threads);
        let bases = self.data.size.sequence_bases;
        let mut section = Section::new("Global alignment with affine gaps", "pairs/s");
        section.workload = format!(
            "{count} sequences of {bases} bases: gpualign each with those behind it, parasail all \
             with all, needle one with all"
        );
        let halves = count * (count - 1.0) / 2.0;
        for (name, device) in self.devices() {
            for (what, more) in [("scores", "--score-only"), ("alignments", "")] {
                let options = self.options(device);
                let line = format!("nw all-vs-all all.fa {more} {options} -o nw.tsv");
                section.contestants.push(self.ours(&format!("{name}, {what}"), &line, halves)?);
            }
        }
        let line =
            format!("-a nw_scan_16 -x -d -M 5 -X 4 -o 10 -e 1 -t {t} -f all.fa -g parasail.csv");
        let parasail = self.peer(&PARASAIL, &line, count * count);
        section.enter(parasail, PARASAIL.0, |one| one.reading("all.fa").named("parasail, scores"));
        let line =
            "-asequence one.fa -bsequence all.fa -gapopen 10 -gapextend 1 -outfile needle.txt";
        let known = |one: Contestant| one.named("needle, alignments");
        section.enter(self.peer(&NEEDLE, line, count), NEEDLE.0, known);
        Ok(section)
    }

    pub fn blastn(&self, task: &str) -> Result<Section> {
        let (queries, t) = (self.data.size.queries as f64, self.threads);
        let mut section = Section::new(format!("Nucleotide BLAST, task {task}"), "queries/s");
        section.workload =
            format!("{queries} queries of {QUERY} bases against the genome, 5% substitutions");
        let database = self.ours("makedb", "makedb genome.fa", 1.0)?;
        section.before.push(database.making("genome.fa.gpdb"));
        let search = format!("-query queries.fa -task {task} -outfmt 6 -num_threads {t}");
        for (name, device) in self.devices() {
            let line = format!("blastn {search} -db genome.fa -device {device} -out ours.tsv");
            let ours = self.ours(&name, &line, queries)?;
            section.contestants.push(ours.knowing(records("ours.tsv")));
        }
        let base = self.peer(&MAKEBLASTDB, "-in genome.fa -dbtype nucl -out ncbi", 1.0);
        let line = format!("{search} -db ncbi -out ncbi.tsv");
        let blastn = base.as_ref().and_then(|_| self.peer(&BLASTN, &line, queries));
        section.before.extend(base.map(|base| base.making("ncbi.nsq")));
        section.enter(blastn, BLASTN.0, |one| one.knowing(records("ncbi.tsv")));
        Ok(section)
    }
}
