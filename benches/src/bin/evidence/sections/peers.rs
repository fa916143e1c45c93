//! The programs that gpualign is compared with.

/// A program: its name in reports, the possible names of its file, and the arguments that print its version.
pub struct Peer(pub &'static str, pub &'static [&'static str], pub &'static [&'static str]);

pub const BWA: Peer = Peer("bwa", &["bwa"], &[]);
pub const BWA_MEM2: Peer = Peer("bwa-mem2", &["bwa-mem2"], &["version"]);
pub const BOWTIE2: Peer = Peer("bowtie2", &["bowtie2", "bowtie2-align-s"], &["--version"]);
pub const BOWTIE2_BUILD: Peer =
    Peer("bowtie2-build", &["bowtie2-build", "bowtie2-build-s"], &["--version"]);
pub const MINIMAP2: Peer = Peer("minimap2", &["minimap2"], &["--version"]);
pub const STROBEALIGN: Peer = Peer("strobealign", &["strobealign"], &["--version"]);
pub const SAMTOOLS: Peer = Peer("samtools", &["samtools"], &["--version"]);
pub const BCFTOOLS: Peer = Peer("bcftools", &["bcftools"], &["--version"]);
pub const YARA: Peer = Peer("yara_mapper", &["yara_mapper"], &["--version"]);
pub const YARA_INDEXER: Peer = Peer("yara_indexer", &["yara_indexer"], &["--version"]);
pub const RAZERS3: Peer = Peer("razers3", &["razers3"], &["--version"]);
pub const PARASAIL: Peer = Peer("parasail_aligner", &["parasail_aligner"], &[]);
pub const NEEDLE: Peer = Peer("needle", &["needle"], &["-version"]);
pub const BLASTN: Peer = Peer("blastn", &["blastn"], &["-version"]);
pub const MAKEBLASTDB: Peer = Peer("makeblastdb", &["makeblastdb"], &["-version"]);

/// The command line with which a program makes its index, and the files of the index.
pub struct Indexer {
    pub peer: Peer,
    pub line: String,
    pub files: Vec<String>,
}

/// The indexers of all programs, for `genome{part}.fa`; names of index files contain `part` too.
pub fn indexers(part: &str, threads: usize) -> Vec<Indexer> {
    let of = |peer, line: String, name: &str, kinds: &[&str]| {
        let files = kinds.iter().map(|kind| format!("{name}{part}.{kind}")).collect();
        Indexer { peer, line, files }
    };
    let genome = format!("genome{part}.fa");
    let bowtie2 = ["1.bt2", "2.bt2", "3.bt2", "4.bt2", "rev.1.bt2", "rev.2.bt2"];
    vec![
        of(BWA, format!("index -p bwa{part} {genome}"), "bwa", &["amb", "ann", "bwt", "pac", "sa"]),
        of(BWA_MEM2, format!("index -p mem2{part} {genome}"), "mem2", &["0123", "bwt.2bit.64"]),
        of(BOWTIE2_BUILD, format!("-q --threads {threads} {genome} bt2{part}"), "bt2", &bowtie2),
        of(MINIMAP2, format!("-x sr -t {threads} -d sr{part}.mmi {genome}"), "sr", &["mmi"]),
        of(
            YARA_INDEXER,
            format!("{genome} -o yara{part}"),
            "yara",
            &["sa.val", "sa.ind", "txt.concat", "lf.drv"],
        ),
    ]
}
