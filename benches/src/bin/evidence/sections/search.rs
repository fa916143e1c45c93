//! Sections on global alignment and on searching a database.

use anyhow::Result;

use super::facts::records;
use super::peers::{BLASTN, MAKEBLASTDB, NEEDLE, PARASAIL};
use super::plan::Plan;
use crate::inputs::data::{Data, QUERY, Queries};
use crate::run::contest::{Contestant, Section};

impl Plan<'_> {
    pub fn pairwise(&self) -> Result<Section> {
        let (count, t) = (self.data.size.sequences as f64, self.threads);
        let bases = self.data.size.sequence_bases;
        let mut section = Section::new("Global alignment with affine gaps", "pairs/s");
        section.workload = format!(
            "{count} sequences of {bases} bases: gpualign each with those behind it, parasail all \
             with all, needle one with all"
        );
        let halves = |count: f64| count * (count - 1.0) / 2.0;
        for (name, device) in self.devices() {
            for (what, more) in [("scores", "--score-only"), ("alignments", "")] {
                let options = self.options(device);
                let line = format!("nw all-vs-all all.fa {more} {options} -o nw.tsv");
                section.contestants.push(self.ours(
                    &format!("{name}, {what}"),
                    &line,
                    halves(count),
                )?);
            }
        }
        if self.device != "cpu" {
            // A GPU aligns the other programs' sequences in less time than its start takes.
            let count = self.data.size.many_sequences as f64;
            let options = self.options(self.device);
            let line = format!("nw all-vs-all many.fa --score-only {options} -o nw.tsv");
            let name = format!("gpualign, {}, scores of {count} sequences", self.device);
            section.contestants.push(self.ours(&name, &line, halves(count))?);
        }
        let line =
            format!("-a nw_scan_16 -x -d -M 5 -X 4 -o 10 -e 1 -t {t} -f all.fa -g parasail.csv");
        let parasail = self.peer(&PARASAIL, &line, count * count);
        section.add(parasail, PARASAIL.0, |one| {
            one.with_stdin("all.fa").with_name("parasail, scores")
        });
        let line =
            "-asequence one.fa -bsequence all.fa -gapopen 10 -gapextend 1 -outfile needle.txt";
        let known = |one: Contestant| one.with_name("needle, alignments");
        section.add(self.peer(&NEEDLE, line, count), NEEDLE.0, known);
        Ok(section)
    }

    pub fn blastn(&self, task: &str) -> Result<Section> {
        let Queries { megablast, blastn, few } = self.data.size.queries;
        // NCBI's program gets the smaller set, since its blastn takes seconds a query; gpualign gets both.
        let (all, few) = if task == "megablast" { (megablast, megablast) } else { (blastn, few) };
        let mut counts = vec![all, few];
        counts.dedup();
        let mut section = Section::new(format!("Nucleotide BLAST, task {task}"), "queries/s");
        section.workload = format!(
            "{} queries of {QUERY} bases against the genome, 5% substitutions",
            counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", and the first ")
        );
        let database = self.ours("makedb", "makedb genome.fa", 1.0)?;
        section.before.push(database.with_product("genome.fa.gpdb"));
        let search = |count: u64| {
            let queries = Data::queries(count);
            format!("-query {queries} -task {task} -outfmt 6 -num_threads {}", self.threads)
        };
        for (name, device) in self.devices() {
            // Beside a GPU, gpualign on the CPU gets the queries of NCBI's program.
            let is_beside = device == "cpu" && self.device != "cpu";
            for &count in if is_beside { std::slice::from_ref(&few) } else { &counts } {
                let (name, options) = (format!("{name}, {count} queries"), search(count));
                let line = format!("blastn {options} -db genome.fa -device {device} -out ours.tsv");
                let ours = self.ours(&name, &line, count as f64)?;
                section.contestants.push(ours.with_facts(records(["ours.tsv"])));
            }
        }
        let base = self.peer(&MAKEBLASTDB, "-in genome.fa -dbtype nucl -out ncbi", 1.0);
        let line = format!("{} -db ncbi -out ncbi.tsv", search(few));
        let blastn = base.as_ref().and_then(|_| self.peer(&BLASTN, &line, few as f64));
        let name = format!("{}, {few} queries", BLASTN.0);
        let several = if blastn.is_some() { self.processes_of_blastn(task, few)? } else { None };
        let known = |one: Contestant| one.with_name(&name).with_facts(records(["ncbi.tsv"]));
        section.add(blastn, BLASTN.0, known);
        // Its threads may also share out the queries.
        let line = format!("{} -mt_mode 1 -db ncbi -out ncbi.tsv", search(few));
        let by_queries = base.as_ref().and_then(|_| self.peer(&BLASTN, &line, few as f64));
        let name = format!("{name}, -mt_mode 1");
        section
            .contestants
            .extend(by_queries.map(|one| one.with_name(&name).with_facts(records(["ncbi.tsv"]))));
        section.contestants.extend(several);
        section.before.extend(base.map(|base| base.with_product("ncbi.nsq")));
        section.note = Some(
            "The threads of NCBI's program share out the sequences of a database, so that a genome of few keeps few of them \
             busy, or, with -mt_mode 1, the queries; it also runs as a process a thread, each with a part of the queries"
                .to_owned(),
        );
        Ok(section)
    }

    /// NCBI's program with one process for each thread, all at once.
    fn processes_of_blastn(&self, task: &str, queries: u64) -> Result<Option<Contestant>> {
        let count = queries.min(self.threads as u64);
        let parts = self.data.cut(&Data::queries(queries), queries, count)?;
        let out = |part: usize| format!("ncbi-{part}.tsv");
        let mut lines = parts.iter().enumerate().map(|(part, file)| {
            format!("-query {file} -task {task} -outfmt 6 -db ncbi -out {}", out(part))
        });
        let one = self.peer(&BLASTN, &lines.next().unwrap_or_default(), queries as f64);
        Ok(one.map(|one| {
            let name = format!("{}, {queries} queries, {count} processes", BLASTN.0);
            one.with_processes(lines)
                .with_name(&name)
                .with_facts(records((0..parts.len()).map(out)))
        }))
    }
}
