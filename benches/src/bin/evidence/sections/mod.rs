//! What is compared: the command lines of each section.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::contest::{Contestant, Facts, Section};
use crate::data::{Data, QUERY, READ};
use crate::tool::{Tool, Tools};

/// MAPQ from which on the error rate is told.
const SURE: u64 = 30;

/// All that command lines are made of.
#[derive(Debug)]
pub struct Plan<'a> {
    pub data: &'a Data,
    pub tools: &'a Tools,
    pub threads: usize,
    pub device: &'a str,
}

/// A section under its name, to be made when its turn comes.
type Named<'p> = (&'static str, Box<dyn Fn() -> Result<Section> + 'p>);

/// Another program: its name in reports, the names of its file, and what it prints its version for.
struct Peer(&'static str, &'static [&'static str], &'static [&'static str]);

const BWA: Peer = Peer("bwa", &["bwa"], &[]);
const BWA_MEM2: Peer = Peer("bwa-mem2", &["bwa-mem2"], &["version"]);
const BOWTIE2: Peer = Peer("bowtie2", &["bowtie2", "bowtie2-align-s"], &["--version"]);
const BOWTIE2_BUILD: Peer =
    Peer("bowtie2-build", &["bowtie2-build", "bowtie2-build-s"], &["--version"]);
const MINIMAP2: Peer = Peer("minimap2", &["minimap2"], &["--version"]);
const STROBEALIGN: Peer = Peer("strobealign", &["strobealign"], &["--version"]);
const YARA: Peer = Peer("yara_mapper", &["yara_mapper"], &["--version"]);
const YARA_INDEXER: Peer = Peer("yara_indexer", &["yara_indexer"], &["--version"]);
const RAZERS3: Peer = Peer("razers3", &["razers3"], &["--version"]);
const PARASAIL: Peer = Peer("parasail_aligner", &["parasail_aligner"], &[]);
const NEEDLE: Peer = Peer("needle", &["needle"], &["-version"]);
const BLASTN: Peer = Peer("blastn", &["blastn"], &["-version"]);
const MAKEBLASTDB: Peer = Peer("makeblastdb", &["makeblastdb"], &["-version"]);

impl Plan<'_> {
    /// All sections, in the order of the report.
    pub fn sections(&self) -> Vec<Named<'_>> {
        vec![
            ("index", Box::new(|| self.index())),
            ("complete", Box::new(|| self.complete())),
            ("everyday", Box::new(|| self.everyday())),
            ("pairwise", Box::new(|| self.pairwise())),
            ("blastn", Box::new(|| self.blastn())),
            ("scaling", Box::new(|| self.scaling())),
        ]
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.sections().iter().map(|(name, _)| *name).collect()
    }

    fn index(&self) -> Result<Section> {
        let bases = self.data.bases as f64;
        let mut section = Section::new("Index of a genome", "bases/s");
        section.workload = format!("a genome of {bases} bases");
        let files: [(&str, &[&str]); 1] = [("gpualign", &["genome.fa.gpx"])];
        let built = |line: &str| -> Result<Contestant> {
            Ok(self.ours("gpualign", line, bases)?.knowing(bytes(files[0].1)))
        };
        section.contestants.push(built(&format!("index genome.fa -t {}", self.threads))?);
        for (peer, line, files) in self.indexers() {
            section.enter(self.peer(&peer, &line, bases), peer.0, |one| one.knowing(bytes(files)));
        }
        Ok(section)
    }

    /// How other programs make an index, and of which files it consists.
    fn indexers(&self) -> Vec<(Peer, String, &'static [&'static str])> {
        let t = self.threads;
        let bwa: &[&str] = &["bwa.amb", "bwa.ann", "bwa.bwt", "bwa.pac", "bwa.sa"];
        vec![
            (BWA, "index -p bwa genome.fa".to_owned(), bwa),
            (BWA_MEM2, "index -p mem2 genome.fa".to_owned(), &["mem2.0123", "mem2.bwt.2bit.64"]),
            (
                BOWTIE2_BUILD,
                format!("-q --threads {t} genome.fa bt2"),
                &[
                    "bt2.1.bt2",
                    "bt2.2.bt2",
                    "bt2.3.bt2",
                    "bt2.4.bt2",
                    "bt2.rev.1.bt2",
                    "bt2.rev.2.bt2",
                ],
            ),
            (MINIMAP2, format!("-x sr -t {t} -d sr.mmi genome.fa"), &["sr.mmi"]),
            (YARA_INDEXER, "genome.fa -o yara".to_owned(), &["yara.sa.val", "yara.lf.drv"]),
        ]
    }

    fn complete(&self) -> Result<Section> {
        let (reads, t) = (self.data.size.reads as f64, self.threads);
        let mut section =
            Section::new("Complete mapping: every place within 5 differences", "reads/s");
        section.workload = format!("{reads} reads of {READ} bases");
        section.before = vec![self.own_index()?];
        section.before.extend(self.peer(&YARA_INDEXER, "genome.fa -o yara", 1.0));
        let line =
            format!("{} -k 5 --report all reads.fq genome.fa -o all.sam", self.complete_mode()?);
        let ours = self.ours("gpualign", &line, reads)?;
        section.contestants.push(ours.knowing(records("all.sam")));
        let line = format!("-e 5 -s 5 -y full -sa record -t {t} -o yara.sam yara reads.fq");
        section
            .enter(self.peer(&YARA, &line, reads), YARA.0, |one| one.knowing(records("yara.sam")));
        let line = format!("-i 95 -rr 100 -m 1000000 -tc {t} -o razers3.sam genome.fa reads.fq");
        let known = |one: Contestant| one.knowing(records("razers3.sam"));
        section.enter(self.peer(&RAZERS3, &line, reads), RAZERS3.0, known);
        Ok(section)
    }

    fn everyday(&self) -> Result<Section> {
        let (pairs, t) = (self.data.size.reads as f64, self.threads);
        let mut section = Section::new("Everyday mapping of pairs", "reads/s");
        section.workload = format!("{pairs} pairs of 150 bases, errors 2%, variants 0.1%");
        let reads = 2.0 * pairs;
        if self.tools.has_option("--mode")? {
            section.before.push(self.own_index()?);
            let line =
                format!("{} --mode everyday 1.fq 2.fq genome.fa -o ours.sam", self.own_options());
            section
                .contestants
                .push(self.placing(self.ours("gpualign", &line, reads)?, "ours.sam")?);
        } else {
            section.note = Some("gpualign was built without everyday mapping".to_owned());
        }
        let peers: [(Peer, Option<Peer>, String, &'static str); 5] = [
            (BWA, Some(BWA), format!("mem -v 1 -t {t} bwa 1.fq 2.fq"), "bwa.sam"),
            (BWA_MEM2, Some(BWA_MEM2), format!("mem -v 1 -t {t} mem2 1.fq 2.fq"), "mem2.sam"),
            (BOWTIE2, Some(BOWTIE2_BUILD), format!("-p {t} -x bt2 -1 1.fq -2 2.fq"), "bt2.sam"),
            (MINIMAP2, None, format!("-ax sr -t {t} genome.fa 1.fq 2.fq"), "minimap2.sam"),
            (STROBEALIGN, None, format!("-t {t} genome.fa 1.fq 2.fq"), "strobealign.sam"),
        ];
        for (peer, indexer, line, file) in peers {
            let Some(mapper) = self.peer(&peer, &line, reads) else {
                section.missing.push(peer.0.to_owned());
                continue;
            };
            if let Some(indexer) = indexer {
                let line = self.indexers().into_iter().find(|(tool, ..)| tool.0 == indexer.0);
                section
                    .before
                    .extend(line.and_then(|(tool, line, _)| self.peer(&tool, &line, 1.0)));
            }
            section.contestants.push(self.placing(mapper.printing(file), file)?);
        }
        Ok(section)
    }

    fn pairwise(&self) -> Result<Section> {
        let (count, t) = (self.data.size.sequences as f64, self.threads);
        let bases = self.data.size.sequence_bases;
        let mut section = Section::new("Global alignment with affine gaps", "pairs/s");
        section.workload = format!(
            "{count} sequences of {bases} bases: gpualign each with those behind it, parasail all \
             with all, needle one with all"
        );
        let (halves, options) = (count * (count - 1.0) / 2.0, self.own_options());
        let ours = |name, more: &str| {
            let line = format!("nw all-vs-all all.fa {more} {options} -o nw.tsv");
            self.ours(name, &line, halves)
        };
        section.contestants.push(ours("gpualign, scores", "--score-only")?);
        section.contestants.push(ours("gpualign, alignments", "")?);
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

    fn blastn(&self) -> Result<Section> {
        let (queries, t) = (self.data.size.queries as f64, self.threads);
        let mut section = Section::new("Nucleotide BLAST, task blastn", "queries/s");
        section.workload =
            format!("{queries} queries of {QUERY} bases against the genome, 5% substitutions");
        section.before.push(self.ours("makedb", "makedb genome.fa", 1.0)?);
        let search = format!("-query queries.fa -task blastn -outfmt 6 -num_threads {t}");
        let line = format!("blastn {search} -db genome.fa -device {} -out ours.tsv", self.device);
        section
            .contestants
            .push(self.ours("gpualign", &line, queries)?.knowing(records("ours.tsv")));
        let base = self.peer(&MAKEBLASTDB, "-in genome.fa -dbtype nucl -out ncbi", 1.0);
        let line = format!("{search} -db ncbi -out ncbi.tsv");
        let blastn = base.as_ref().and_then(|_| self.peer(&BLASTN, &line, queries));
        section.before.extend(base);
        section.enter(blastn, BLASTN.0, |one| one.knowing(records("ncbi.tsv")));
        Ok(section)
    }

    fn scaling(&self) -> Result<Section> {
        let reads = self.data.size.reads as f64;
        let mut section = Section::new("Threads: complete mapping", "reads/s");
        section.workload =
            format!("{reads} reads of {READ} bases, the best place within 5 differences");
        section.before.push(self.own_index()?);
        let steps = (0..).map(|step| 1 << step).take_while(|&threads| threads < self.threads);
        for threads in steps.chain([self.threads]) {
            let mode = if self.tools.has_option("--mode")? { "--mode complete" } else { "" };
            let device = self.device;
            let line = format!(
                "-q {mode} --device {device} -t {threads} -k 5 reads.fq genome.fa -o t.sam"
            );
            section.contestants.push(self.ours(&format!("{threads} threads"), &line, reads)?);
        }
        Ok(section)
    }

    fn own_options(&self) -> String {
        format!("-q --device {} -t {}", self.device, self.threads)
    }

    /// Options of complete mapping, whatever the default is.
    fn complete_mode(&self) -> Result<String> {
        let mode = if self.tools.has_option("--mode")? { " --mode complete" } else { "" };
        Ok(self.own_options() + mode)
    }

    fn own_index(&self) -> Result<Contestant> {
        self.ours("index", &format!("index -q genome.fa -t {}", self.threads), 1.0)
    }

    /// Our program with these arguments.
    fn ours(&self, name: &str, line: &str, amount: f64) -> Result<Contestant> {
        Ok(Contestant::new(name, self.tools.own()?, line, amount))
    }

    /// Another program with these arguments, if it is there.
    fn peer(&self, Peer(name, files, asked): &Peer, line: &str, amount: f64) -> Option<Contestant> {
        let tool = self.tools.find(files, asked)?;
        Some(Contestant::new(name, tool, line, amount))
    }

    /// A mapper whose file is held against the truth.
    fn placing(&self, mapper: Contestant, file: &'static str) -> Result<Contestant> {
        let gpualign = self.tools.own()?.path;
        Ok(mapper.knowing(Box::new(move |folder| accuracy(&gpualign, folder, file))))
    }
}

impl Section {
    /// An empty one.
    fn new(title: &'static str, unit: &'static str) -> Self {
        Self {
            title,
            workload: String::new(),
            unit,
            before: Vec::new(),
            contestants: Vec::new(),
            missing: Vec::new(),
            note: None,
        }
    }

    /// Takes a contestant with what is to be known of it, or names it as missing.
    fn enter(
        &mut self,
        contestant: Option<Contestant>,
        name: &str,
        known: impl FnOnce(Contestant) -> Contestant,
    ) {
        match contestant {
            Some(contestant) => self.contestants.push(known(contestant)),
            None => self.missing.push(name.to_owned()),
        }
    }
}

impl Contestant {
    fn new(name: &str, tool: Tool, line: &str, amount: f64) -> Self {
        let arguments = line.split_whitespace().map(str::to_owned).collect();
        Self {
            name: name.to_owned(),
            tool,
            arguments,
            stdin: None,
            stdout: None,
            amount,
            facts: None,
        }
    }

    fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    fn reading(self, file: &'static str) -> Self {
        Self { stdin: Some(file), ..self }
    }

    fn printing(self, file: &'static str) -> Self {
        Self { stdout: Some(file), ..self }
    }

    fn knowing(self, facts: Facts) -> Self {
        Self { facts: Some(facts), ..self }
    }
}

/// Bytes of the files of an index.
fn bytes(files: &'static [&'static str]) -> Facts {
    Box::new(move |folder| {
        let size = |file: &&str| fs::metadata(folder.join(file)).map_or(0, |found| found.len());
        let bytes: u64 = files.iter().map(size).sum();
        Ok(BTreeMap::from([("index bytes".to_owned(), bytes as f64)]))
    })
}

/// Lines of a table, or of SAM without its header.
fn records(file: &'static str) -> Facts {
    Box::new(move |folder| {
        let text = fs::read(folder.join(file)).with_context(|| file.to_owned())?;
        let lines = text.split(|&byte| byte == b'\n');
        let count = lines.filter(|line| !line.is_empty() && !line.starts_with(b"@")).count();
        Ok(BTreeMap::from([("records".to_owned(), count as f64)]))
    })
}

/// What `gpualign evaluate` makes of a file.
fn accuracy(gpualign: &Path, folder: &Path, file: &str) -> Result<BTreeMap<String, f64>> {
    let mut command = Command::new(gpualign);
    command.args(["evaluate", file, "--format", "json"]).current_dir(folder);
    let output = command.output().with_context(|| gpualign.display().to_string())?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let json: Value = serde_json::from_slice(&output.stdout)?;
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let reads = number(&json["reads"]);
    let rows = json["by_mapq"].as_array().map_or(&[][..], Vec::as_slice);
    let sure = rows.iter().rfind(|row| row["mapq"].as_u64() >= Some(SURE));
    let sure = |key: &str| sure.map_or(0.0, |row| number(&row[key]));
    Ok(BTreeMap::from([
        ("correct".to_owned(), number(&json["correct"]) / reads),
        ("mapped, MAPQ >= 30".to_owned(), sure("mapped") / reads),
        ("error rate, MAPQ >= 30".to_owned(), sure("error_rate")),
    ]))
}
