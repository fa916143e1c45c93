//! Standard error that is a terminal: progress, and an overview at the end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;

use bio::alphabets::dna::revcomp;
use nix::fcntl::OFlag;
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};

use crate::support::{Folder, gzip, phix};

/// Both ends of a terminal, which are closed in all programs that tests start meanwhile.
fn terminal() -> (PtyMaster, File) {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let master = posix_openpt(flags).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("may be opened");
    let name = ptsname_r(&master).expect("a name");
    let mut slave = File::options();
    slave.read(true).write(true).custom_flags(OFlag::O_NOCTTY.bits());
    (master, slave.open(name).expect("opens"))
}

/// The text that a run, which must succeed, shows on a terminal.
fn shown(folder: &Folder, arguments: &[&str]) -> String {
    let (mut master, slave) = terminal();
    let mut command = folder.command(&[&["--device", "cpu", "-t", "2"], arguments].concat());
    command.env("TERM", "xterm").stdout(Stdio::null());
    command.stdin(File::open(folder.path("1.fq")).expect("opens"));
    let mut child = command.stderr(Stdio::from(slave)).spawn().expect("runs");
    // The command has the other end of the terminal, too.
    command.stderr(Stdio::null());
    let mut text = Vec::new();
    // Reading fails when nobody has the other end.
    let _ = master.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(child.wait().expect("ends").success(), "{text}");
    text
}

/// The lines of the overview, each after the name of the program.
fn overview(shown: &str) -> Vec<&str> {
    let lines = shown.lines().filter_map(|line| line.rsplit_once("gpualign: "));
    lines.map(|(_, line)| line).filter(|line| line.contains("  ")).collect()
}

/// A folder with 1,000 pairs of 300 bases, each four times; of every tenth pair, read 2 lies nowhere.
fn folder() -> Folder {
    let genome = phix();
    let [mut one, mut two] = [String::new(), String::new()];
    for number in 0..4000 {
        let start = number / 4 * 5;
        let fragment = &genome[start..start + 300];
        let mut mate = revcomp(&fragment[220..]);
        if number % 10 == 9 {
            mate = b"AC".repeat(40);
        }
        for (text, read) in [(&mut one, &fragment[..80]), (&mut two, mate.as_slice())] {
            let letters = String::from_utf8_lossy(read);
            writeln!(text, "@r{number}\n{letters}\n+\n{}", "F".repeat(80)).expect("is text");
        }
    }
    let folder = Folder::new();
    folder.write("1.fq", one).write("2.fq.gz", gzip(two.as_bytes()));
    folder
}

#[test]
fn an_overview_ends_a_run_on_a_terminal() {
    let folder = folder();
    let marked = ["1.fq", "2.fq.gz", "ref.fa", "--sort", "--mark-duplicates", "-o", "out.bam"];
    let text = shown(&folder, &marked);
    let lines = overview(&text);
    let words = |line: &&str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = [
        "reads 8,000",
        "mapped 7,600 (95.00%)",
        "properly paired 7,200 (90.00%)",
        "duplicates 5,600 (73.68% of mapped)",
        "median insert size 300 bases",
    ];
    assert_eq!(lines.iter().take(5).map(words).collect::<Vec<_>>(), expected, "{text}");
    // Numbers end in one column.
    let end_of = |line: &str, number: &str| line.find(number).map(|at| at + number.len());
    assert_eq!(end_of(lines[0], "8,000"), end_of(lines[4], "300"), "{text}");
    assert!(lines[5].starts_with("time ") && lines[6].starts_with("reads per second "), "{text}");
    assert_eq!(lines.len(), 7);

    let all = ["--mode", "all", "1.fq", "2.fq.gz", "ref.fa"];
    let text = shown(&folder, &all);
    let names: Vec<&str> =
        overview(&text).iter().filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(names, ["reads", "mapped", "time", "reads per second"]);

    let quiet = shown(&folder, &[&all[..], &["-q"]].concat());
    assert_eq!(quiet, "");
    // Without a terminal, the overview is for those who ask for it.
    let run = |options: &[&str]| {
        let output = folder.run(&[&["--device", "cpu"], options, &all].concat());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(run(&[]), "");
    let told = run(&["-v"]);
    assert!(overview(&told).iter().map(words).any(|line| line == "mapped 7,600 (95.00%)"));
}

#[test]
fn progress_tells_how_much_is_left_of_files() {
    let folder = folder();
    let text = shown(&folder, &["1.fq", "2.fq.gz", "ref.fa", "--batch-size", "500"]);
    assert!(text.contains(" of about ") && text.contains(" left"), "{text}");
    // The size of standard input is not known.
    let text = shown(&folder, &["-", "ref.fa", "--batch-size", "500"]);
    assert!(text.contains(" reads, ") && !text.contains(" left"), "{text}");
}
