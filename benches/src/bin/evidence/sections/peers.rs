//! The programs that gpualign is compared with.

/// A program: its name in reports, the possible names of its file, and the arguments that print its version.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub &'static str, pub &'static [&'static str], pub &'static [&'static str]);

pub const BWA: Peer = Peer("bwa", &["bwa"], &[]);
pub const BWA_MEM2: Peer = Peer("bwa-mem2", &["bwa-mem2"], &["version"]);
pub const BWA_MEM4: Peer = Peer("bwa-mem4", &["bwa-mem4"], &["--version"]);
pub const BOWTIE2: Peer = Peer("bowtie2", &["bowtie2", "bowtie2-align-s"], &["--version"]);
pub const BOWTIE2_BUILD: Peer =
    Peer("bowtie2-build", &["bowtie2-build", "bowtie2-build-s"], &["--version"]);
pub const MINIBWA: Peer = Peer("minibwa", &["minibwa"], &["version"]);
pub const MINIMAP2: Peer = Peer("minimap2", &["minimap2"], &["--version"]);
pub const STROBEALIGN: Peer = Peer("strobealign", &["strobealign"], &["--version"]);
pub const SAMTOOLS: Peer = Peer("samtools", &["samtools"], &["--version"]);
pub const BCFTOOLS: Peer = Peer("bcftools", &["bcftools"], &["--version"]);
pub const WGSIM: Peer = Peer("wgsim", &["wgsim"], &[]);
pub const DWGSIM: Peer = Peer("dwgsim", &["dwgsim"], &[]);
/// Debian has mason and the tools of Rabema in a folder of their own.
pub const MASON: Peer =
    Peer("mason", &["mason_simulator", "/usr/lib/seqan/bin/mason_simulator"], &["--version"]);
/// The scorer of samtools for names in wgsim's form, which prints no version.
pub const WGSIM_EVAL: Peer = Peer("wgsim_eval.pl", &["wgsim_eval.pl"], &[]);
pub const RABEMA: Peer = Peer(
    "rabema_evaluate",
    &["rabema_evaluate", "/usr/lib/seqan/bin/rabema_evaluate"],
    &["--version"],
);
pub const RABEMA_BUILD: Peer = Peer(
    "rabema_build_gold_standard",
    &["rabema_build_gold_standard", "/usr/lib/seqan/bin/rabema_build_gold_standard"],
    &["--version"],
);
pub const RABEMA_PREPARE: Peer = Peer(
    "rabema_prepare_sam",
    &["rabema_prepare_sam", "/usr/lib/seqan/bin/rabema_prepare_sam"],
    &["--version"],
);
/// Debian's name of the program that runs Picard's tools.
pub const PICARD: Peer =
    Peer("Picard", &["PicardCommandLine", "picard"], &["MarkDuplicates", "--version"]);
pub const YARA: Peer = Peer("yara_mapper", &["yara_mapper"], &["--version"]);
pub const YARA_INDEXER: Peer = Peer("yara_indexer", &["yara_indexer"], &["--version"]);
pub const RAZERS3: Peer = Peer("razers3", &["razers3"], &["--version"]);
pub const PARASAIL: Peer = Peer("parasail_aligner", &["parasail_aligner"], &[]);
/// Programs that `benches/peers/build` makes around libraries; each is told a method, a number of threads and two files.
pub const NW_PARASAIL: Peer = Peer("nw-parasail", &["nw-parasail"], &["version"]);
pub const NW_EDLIB: Peer = Peer("nw-edlib", &["nw-edlib"], &["version"]);
pub const NW_WFA2: Peer = Peer("nw-wfa2", &["nw-wfa2"], &["version"]);
pub const NW_BLOCK_ALIGNER: Peer = Peer("nw-block-aligner", &["nw-block-aligner"], &["version"]);
pub const NEEDLE: Peer = Peer("needle", &["needle"], &["-version"]);
pub const BLASTN: Peer = Peer("blastn", &["blastn"], &["-version"]);
pub const MAKEBLASTDB: Peer = Peer("makeblastdb", &["makeblastdb"], &["-version"]);

/// The command line with which a program makes its index, and the files of the index.
#[derive(Debug)]
pub struct Indexer {
    pub peer: Peer,
    pub line: String,
    pub files: Vec<String>,
}

/// The indexers of all programs for a FASTA file, beside which their files are; strobealign's index is for reads of 150
/// bases.
pub fn indexers(reference: &str, threads: usize) -> Vec<Indexer> {
    let of = |peer, line: String, kinds: &[&str]| {
        let files = kinds.iter().map(|kind| format!("{reference}.{kind}")).collect();
        Indexer { peer, line, files }
    };
    vec![
        of(
            BWA,
            format!("index -p {reference}.bwa {reference}"),
            &["bwa.amb", "bwa.ann", "bwa.bwt", "bwa.pac", "bwa.sa"],
        ),
        of(
            BWA_MEM2,
            format!("index -p {reference}.mem2 {reference}"),
            &["mem2.0123", "mem2.bwt.2bit.64"],
        ),
        of(
            BWA_MEM4,
            format!("index -p {reference}.mem4 {reference}"),
            &["mem4.0123", "mem4.bwt.2bit.64"],
        ),
        of(
            MINIBWA,
            format!("index -t {threads} {reference} {reference}.mini"),
            &["mini.l2b", "mini.mbw"],
        ),
        of(
            STROBEALIGN,
            format!("--create-index -r {INDEXED_LENGTH} -t {threads} {reference}"),
            &["r150.sti"],
        ),
        of(MINIMAP2, format!("-x sr -t {threads} -d {reference}.mmi {reference}"), &["mmi"]),
        of(
            BOWTIE2_BUILD,
            format!("-q --threads {threads} {reference} {reference}"),
            &["1.bt2", "2.bt2", "3.bt2", "4.bt2", "rev.1.bt2", "rev.2.bt2"],
        ),
        of(
            YARA_INDEXER,
            format!("{reference} -o {reference}.yara"),
            &["yara.sa.val", "yara.sa.ind", "yara.txt.concat", "yara.lf.drv"],
        ),
    ]
}

/// Bases of the reads that strobealign's index is for.
const INDEXED_LENGTH: u64 = 150;

/// A mapper that writes SAM to standard output, with the program that makes its index before, if it needs one.
#[derive(Debug)]
pub struct Mapper {
    pub peer: Peer,
    pub indexer: Option<Peer>,
    pub line: String,
}

/// Mappers of pairs or single reads, the files of which are given as the words of `reads`. strobealign makes its index
/// while it maps unless the reads have the length of the one that is made before.
pub fn mappers(reference: &str, reads: &str, length: Option<u64>, threads: usize) -> Vec<Mapper> {
    let t = threads;
    let of = |peer: Peer, line| Mapper { peer, indexer: Some(peer), line };
    let strobealign = if length == Some(INDEXED_LENGTH) {
        let line = format!("--use-index -r {INDEXED_LENGTH} -t {t} {reference} {reads}");
        of(STROBEALIGN, line)
    } else {
        let line = format!("-t {t} {reference} {reads}");
        Mapper { peer: STROBEALIGN, indexer: None, line }
    };
    vec![
        of(BWA, format!("mem -v 1 -t {t} {reference}.bwa {reads}")),
        of(BWA_MEM2, format!("mem -v 1 -t {t} {reference}.mem2 {reads}")),
        of(BWA_MEM4, format!("mem -v 1 -t {t} {reference}.mem4 {reads}")),
        of(MINIBWA, format!("map -t {t} {reference}.mini {reads}")),
        strobealign,
        of(MINIMAP2, format!("-a -x sr -t {t} {reference}.mmi {reads}")),
    ]
}

/// bowtie2 with one file of reads, or two of pairs; it is slower than the other mappers.
pub fn bowtie2(reference: &str, files: &[String], threads: usize) -> Mapper {
    let reads = match files {
        [first, second] => format!("-1 {first} -2 {second}"),
        _ => format!("-U {}", files.join(",")),
    };
    Mapper {
        peer: BOWTIE2,
        indexer: Some(BOWTIE2_BUILD),
        line: format!("-p {threads} -x {reference} {reads}"),
    }
}
