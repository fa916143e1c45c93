//! Other people's programs.

/// One of them: its name in reports, the names of its file, and what it prints its version for.
pub struct Peer(pub &'static str, pub &'static [&'static str], pub &'static [&'static str]);

pub const BWA: Peer = Peer("bwa", &["bwa"], &[]);
pub const BWA_MEM2: Peer = Peer("bwa-mem2", &["bwa-mem2"], &["version"]);
pub const BOWTIE2: Peer = Peer("bowtie2", &["bowtie2", "bowtie2-align-s"], &["--version"]);
pub const BOWTIE2_BUILD: Peer =
    Peer("bowtie2-build", &["bowtie2-build", "bowtie2-build-s"], &["--version"]);
pub const MINIMAP2: Peer = Peer("minimap2", &["minimap2"], &["--version"]);
pub const STROBEALIGN: Peer = Peer("strobealign", &["strobealign"], &["--version"]);
pub const YARA: Peer = Peer("yara_mapper", &["yara_mapper"], &["--version"]);
pub const YARA_INDEXER: Peer = Peer("yara_indexer", &["yara_indexer"], &["--version"]);
pub const RAZERS3: Peer = Peer("razers3", &["razers3"], &["--version"]);
pub const PARASAIL: Peer = Peer("parasail_aligner", &["parasail_aligner"], &[]);
pub const NEEDLE: Peer = Peer("needle", &["needle"], &["-version"]);
pub const BLASTN: Peer = Peer("blastn", &["blastn"], &["-version"]);
pub const MAKEBLASTDB: Peer = Peer("makeblastdb", &["makeblastdb"], &["-version"]);

/// How they make an index of `genome.fa` with so many threads, and of which files it consists.
pub fn indexers(threads: usize) -> Vec<(Peer, String, &'static [&'static str])> {
    let bowtie2: &[&str] =
        &["bt2.1.bt2", "bt2.2.bt2", "bt2.3.bt2", "bt2.4.bt2", "bt2.rev.1.bt2", "bt2.rev.2.bt2"];
    vec![
        (
            BWA,
            "index -p bwa genome.fa".to_owned(),
            &["bwa.amb", "bwa.ann", "bwa.bwt", "bwa.pac", "bwa.sa"],
        ),
        (BWA_MEM2, "index -p mem2 genome.fa".to_owned(), &["mem2.0123", "mem2.bwt.2bit.64"]),
        (BOWTIE2_BUILD, format!("-q --threads {threads} genome.fa bt2"), bowtie2),
        (MINIMAP2, format!("-x sr -t {threads} -d sr.mmi genome.fa"), &["sr.mmi"]),
        (
            YARA_INDEXER,
            "genome.fa -o yara".to_owned(),
            &["yara.sa.val", "yara.sa.ind", "yara.txt.concat", "yara.lf.drv"],
        ),
    ]
}
