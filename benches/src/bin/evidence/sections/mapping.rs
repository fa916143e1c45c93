//! Sections on indexes, and on mapping in both modes.

use anyhow::Result;

use super::facts::{bytes, records};
use super::peers::{
    BOWTIE2, BOWTIE2_BUILD, BWA, BWA_MEM2, Indexer, MINIMAP2, Peer, RAZERS3, STROBEALIGN, YARA,
    YARA_INDEXER, indexers,
};
use super::plan::Plan;
use crate::inputs::data::{Data, PARTS, READ};
use crate::report::numbers::number;
use crate::run::contest::{Contestant, Section};

impl Plan<'_> {
    pub fn index(&self) -> Result<Section> {
        // Some programs take a minute for the whole genome.
        let part = PARTS[1];
        let bases = (self.data.bases / part) as f64;
        let mut section = Section::new("Index of a genome", "bases/s");
        section.workload = format!("a genome of {} bases", number(bases));
        let line = format!("index -q genome-{part}.fa -t {}", self.threads);
        let ours = self.ours("gpualign", &line, bases)?;
        section.contestants.push(ours.with_facts(bytes([format!("genome-{part}.fa.gpx")])));
        for Indexer { peer, line, files } in indexers(&format!("-{part}"), self.threads) {
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
        section.before.extend(self.peer_index(&YARA_INDEXER));
        for (name, device) in self.devices() {
            let line =
                format!("{} --mode all -k 5 reads.fq genome.fa -o all.sam", self.options(device));
            let ours = self.ours(&name, &line, reads)?;
            section.contestants.push(ours.with_facts(records(["all.sam"])));
        }
        let line = format!("-e 5 -s 5 -y full -sa record -t {t} -o yara.sam yara reads.fq");
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

    /// Best mapping of pairs, beside bwa mem, bwa-mem2, bowtie2, minimap2 and strobealign.
    pub fn best_mapping(&self) -> Result<Section> {
        let (pairs, t) = (self.data.size.pairs as f64, self.threads);
        let mut section = Section::new("Best mapping of pairs", "reads/s");
        section.workload =
            format!("{} pairs of 150 bases, errors 2%, variants 0.1%", number(pairs));
        let part = PARTS[1];
        section.note = Some(format!(
            "Programs that need an index have it before, but minimap2 and strobealign, which make theirs within the \
             time, as they are mostly used; bowtie2, the slowest, gets one of {part} pairs"
        ));
        let reads = 2.0 * pairs;
        section.before.push(self.own_index()?);
        for (name, device) in self.devices() {
            let line = format!("{} 1.fq 2.fq genome.fa -o ours.sam", self.options(device));
            let ours = self.ours(&name, &line, reads)?;
            section.contestants.push(self.with_accuracy(ours, "ours.sam")?);
        }
        let few = 2.0 * (self.data.size.pairs / part) as f64;
        let bowtie2 = format!("-p {t} -x bt2 -1 1-{part}.fq -2 2-{part}.fq");
        let peers: [(Peer, Option<Peer>, String, &'static str, f64); 5] = [
            (BWA, Some(BWA), format!("mem -v 1 -t {t} bwa 1.fq 2.fq"), "bwa.sam", reads),
            (
                BWA_MEM2,
                Some(BWA_MEM2),
                format!("mem -v 1 -t {t} mem2 1.fq 2.fq"),
                "mem2.sam",
                reads,
            ),
            (BOWTIE2, Some(BOWTIE2_BUILD), bowtie2, "bt2.sam", few),
            (MINIMAP2, None, format!("-ax sr -t {t} genome.fa 1.fq 2.fq"), "minimap2.sam", reads),
            (STROBEALIGN, None, format!("-t {t} genome.fa 1.fq 2.fq"), "strobealign.sam", reads),
        ];
        for (peer, indexer, line, file, reads) in peers {
            let Some(mapper) = self.peer(&peer, &line, reads) else {
                section.missing.push(peer.0.to_owned());
                continue;
            };
            section.before.extend(indexer.and_then(|indexer| self.peer_index(&indexer)));
            section.contestants.push(self.with_accuracy(mapper.with_stdout(file), file)?);
        }
        Ok(section)
    }
}
