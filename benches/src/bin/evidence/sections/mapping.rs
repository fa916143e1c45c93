//! Sections on indexes, and on mapping in both modes.

use anyhow::Result;

use super::facts::{bytes, duplicates, records};
use super::peers::{
    BWA, Indexer, PICARD, Peer, RAZERS3, SAMTOOLS, YARA, YARA_INDEXER, bowtie2, indexers, mappers,
};
use super::plan::Plan;
use crate::inputs::data::{Data, GENOME, PAIR_READ, PARTS, READ};
use crate::report::numbers::number;
use crate::run::contest::{Contestant, Section};

impl Plan<'_> {
    pub fn index(&self) -> Result<Section> {
        // Some programs take a minute for the whole genome.
        let part = PARTS[1];
        let bases = (self.data.bases / part) as f64;
        let mut section = Section::new("Index of a genome", "bases/s");
        section.workload = format!("a genome of {} bases", number(bases));
        let genome = format!("genome-{part}.fa");
        let line = format!("index -q {genome} -t {}", self.threads);
        let ours = self.ours("gpualign", &line, bases)?;
        section.contestants.push(ours.with_facts(bytes([format!("{genome}.gpx")])));
        for Indexer { peer, line, files } in indexers(&genome, self.threads) {
            section.add(self.peer(&peer, &line, bases), peer.0, |one| one.with_facts(bytes(files)));
        }
        Ok(section)
    }

    /// All mapping of single reads, beside yara and razers3.
    pub fn all_mapping(&self) -> Result<Section> {
        let (reads, t) = (self.data.size.reads as f64, self.threads);
        let mut section = Section::new("All mapping: every locus within 5 differences", "reads/s");
        section.workload = format!("{} reads of {READ} bases", number(reads));
        section.before = vec![self.own_index()?];
        section.before.extend(self.peer_index(&YARA_INDEXER, GENOME));
        for (name, device) in self.devices() {
            let line =
                format!("{} --mode all -k 5 reads.fq genome.fa -o all.sam", self.options(device));
            let ours = self.ours(&name, &line, reads)?;
            section.contestants.push(ours.with_facts(records(["all.sam"])));
        }
        let line =
            format!("-e 5 -s 5 -y full -sa record -t {t} -o yara.sam {GENOME}.yara reads.fq");
        let known = |one: Contestant| one.with_facts(records(["yara.sam"]));
        section.add(self.peer(&YARA, &line, reads), YARA.0, known);
        let part = PARTS[0];
        section.note = Some(format!("razers3 gets one of {part} reads: it takes minutes for all"));
        let some = Data::reads("genome.fa", part);
        let line = format!("-i 95 -rr 100 -m 1000000 -tc {t} -o razers3.sam genome.fa {some}");
        let razers3 = self.peer(&RAZERS3, &line, (self.data.size.reads / part) as f64);
        let name = format!("{}, 1 of {part} reads", RAZERS3.0);
        let known = |one: Contestant| one.with_name(&name).with_facts(records(["razers3.sam"]));
        section.add(razers3, RAZERS3.0, known);
        Ok(section)
    }

    /// Best mapping of pairs to SAM, beside the mappers.
    pub fn best_mapping(&self) -> Result<Section> {
        let (pairs, t) = (self.data.size.pairs as f64, self.threads);
        let mut section = Section::new("Best mapping of pairs to SAM", "reads/s");
        section.workload =
            format!("{} pairs of 150 bases, errors 2%, variants 0.1%", number(pairs));
        let part = PARTS[1];
        section.note = Some(format!(
            "Each program has its index before; bowtie2, the slowest, gets one of {part} pairs"
        ));
        let reads = 2.0 * pairs;
        section.before.push(self.own_index()?);
        for (name, device) in self.devices() {
            let line = format!("{} 1.fq 2.fq {GENOME} -o ours.sam", self.options(device));
            let ours = self.ours(&name, &line, reads)?;
            section.contestants.push(self.with_accuracy(ours, "ours.sam".to_owned())?);
        }
        let others = mappers(GENOME, "1.fq 2.fq", Some(PAIR_READ), t).into_iter();
        let few = [1, 2].map(|mate| format!("{mate}-{part}.fq"));
        let others = others
            .map(|mapper| (mapper, reads))
            .chain([(bowtie2(GENOME, &few, t), 2.0 * (self.data.size.pairs / part) as f64)]);
        for (mapper, reads) in others {
            if let Some(one) = self.mapper(&mut section, &mapper, GENOME, reads) {
                let file = format!("{}.sam", one.name);
                section.contestants.push(self.with_accuracy(one.with_stdout(&file), file)?);
            }
        }
        Ok(section)
    }

    /// From pairs to a file of BAM, sorted and with duplicates marked, beside the mappers piped into samtools or Picard.
    pub fn sorted_mapping(&self) -> Result<Section> {
        let (reads, t) = (2.0 * self.data.size.pairs as f64, self.threads);
        let mut section = Section::new("Pairs to sorted BAM with duplicates marked", "reads/s");
        section.workload =
            format!("{} pairs of 150 bases, errors 2%, variants 0.1%", number(reads / 2.0));
        let found = |peer: &Peer| self.tools.find(peer.1, peer.2);
        let (samtools, picard) = (found(&SAMTOOLS), found(&PICARD));
        for (peer, tool) in [(&SAMTOOLS, &samtools), (&PICARD, &picard)] {
            if tool.is_none() {
                section.miss(peer.0);
            }
        }
        let Some(samtools) = samtools else {
            section.note = Some("Not measured: samtools sorts, and counts duplicates".to_owned());
            return Ok(section);
        };
        section.note = Some(format!(
            "The output of other mappers goes through samtools {}: fixmate, sort and markdup; or through samtools sort, and then \
             MarkDuplicates of Picard{}",
            samtools.version,
            picard.as_ref().map_or_else(String::new, |picard| format!(" {}", picard.version))
        ));
        section.before.push(self.own_index()?);
        for (name, device) in self.devices() {
            let (options, file) = (self.options(device), "ours.sorted.bam");
            let line = format!("{options} --sort --mark-duplicates 1.fq 2.fq {GENOME} -o {file}");
            let ours = self.ours(&name, &line, reads)?;
            section
                .contestants
                .push(ours.with_facts(duplicates(samtools.path.clone(), file.to_owned())));
        }
        for mapper in mappers(GENOME, "1.fq 2.fq", Some(PAIR_READ), t) {
            let Some(one) = self.mapper(&mut section, &mapper, GENOME, reads) else { continue };
            let file = format!("{}.sorted.bam", one.name);
            let name = format!("{}, samtools markdup", one.name);
            let pipe = format!(
                "samtools fixmate -m -u - - | samtools sort -u -@ {t} -T {file} - | \
                 samtools markdup -@ {t} - {file}"
            );
            let known = duplicates(samtools.path.clone(), file);
            section.contestants.push(one.with_name(&name).with_pipe(pipe).with_facts(known));
        }
        // Picard, behind the mapper that it is mostly used with.
        let mut bwa = mappers(GENOME, "1.fq 2.fq", Some(PAIR_READ), t).into_iter();
        let bwa = bwa.find(|mapper| mapper.peer.0 == BWA.0);
        let bwa = bwa.and_then(|bwa| self.mapper(&mut section, &bwa, GENOME, reads));
        if let Some((bwa, picard)) = bwa.zip(picard) {
            let [sorted, file] = ["picard.in.bam", "picard.sorted.bam"];
            let program = picard.path.display();
            let pipe = format!(
                "samtools sort -@ {t} -T {file} -o {sorted} - && {program} MarkDuplicates \
                 INPUT={sorted} OUTPUT={file} METRICS_FILE=picard.txt"
            );
            let known = duplicates(samtools.path, file.to_owned());
            let name = format!("{}, Picard", BWA.0);
            section.contestants.push(bwa.with_name(&name).with_pipe(pipe).with_facts(known));
        }
        Ok(section)
    }
}
