//! Pairs of similar sequences for global alignment, the same ones for all programs.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// Shares of the bases that are changed, in percent.
const CHANGED: [u64; 2] = [5, 15];

/// Of the changes, the shares of insertions and of deletions; the others are substitutions.
const INDELS: f64 = 0.1;

/// Two files with as many sequences, each of the second made from the one of the first.
#[derive(Debug)]
pub struct SimilarPairs {
    /// Percent of the bases that differ.
    pub changed: u64,
    pub files: [String; 2],
    /// The first sequence of the first file, and the first sequences of the second, for programs that align one sequence
    /// with many.
    pub few: [String; 2],
}

/// Makes so many pairs of `bases` bases for each share of changed bases, of which `few` sequences get a file of their own.
/// Pairs that are there already are not made again.
pub fn make(folder: &Path, pairs: u64, bases: u64, few: u64) -> Result<Vec<SimilarPairs>> {
    let mut all = Vec::new();
    for changed in CHANGED {
        let file = |what: &str| format!("pairs-{changed}-{what}.fa");
        let files = ["queries", "targets"].map(file);
        let one = SimilarPairs { changed, files, few: ["one-query", "few-targets"].map(file) };
        // The last file is renamed when all are whole.
        if !folder.join(&one.few[1]).exists() {
            write(folder, &one, pairs, bases, few).context("pairs of similar sequences")?;
        }
        all.push(one);
    }
    Ok(all)
}

fn write(folder: &Path, one: &SimilarPairs, pairs: u64, bases: u64, few: u64) -> Result<()> {
    let create =
        |file: &str| Ok::<_, std::io::Error>(BufWriter::new(File::create(folder.join(file))?));
    let SimilarPairs { changed, files: [queries, targets], few: [one_query, few_targets] } = one;
    let partial = format!("{few_targets}.partial");
    let (mut queries, mut targets) = (create(queries)?, create(targets)?);
    let (mut one_query, mut few_of_targets) = (create(one_query)?, create(&partial)?);
    let mut random = fastrand::Rng::with_seed(16);
    for number in 0..pairs {
        let query: Vec<u8> = (0..bases).map(|_| base(&mut random)).collect();
        let target = change(&query, *changed as f64 / 100.0, &mut random);
        let put = |out: &mut BufWriter<File>, sequence: &[u8]| {
            writeln!(out, ">{number}\n{}", String::from_utf8_lossy(sequence))
        };
        put(&mut queries, &query)?;
        put(&mut targets, &target)?;
        if number == 0 {
            put(&mut one_query, &query)?;
        }
        if number < few {
            put(&mut few_of_targets, &target)?;
        }
    }
    for mut out in [queries, targets, one_query, few_of_targets] {
        out.flush()?;
    }
    Ok(fs::rename(folder.join(partial), folder.join(few_targets))?)
}

fn base(random: &mut fastrand::Rng) -> u8 {
    b"ACGT"[random.usize(..4)]
}

/// A copy of a sequence in which a share of the bases is substituted, deleted or has an inserted base before it.
fn change(sequence: &[u8], share: f64, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut changed = Vec::with_capacity(sequence.len());
    for &own in sequence {
        // From 0 to 1 for a base that changes.
        match random.f64() / share {
            kind if kind < INDELS => changed.extend([base(random), own]),
            kind if kind < 2.0 * INDELS => {}
            kind if kind < 1.0 => {
                let others: Vec<u8> =
                    b"ACGT".iter().copied().filter(|&other| other != own).collect();
                changed.push(others[random.usize(..3)]);
            }
            _ => changed.push(own),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_differ_as_much_as_they_should() {
        let mut random = fastrand::Rng::with_seed(1);
        let sequence: Vec<u8> = (0..100_000).map(|_| base(&mut random)).collect();
        assert_eq!(change(&sequence, 1e-12, &mut random), sequence);
        let changed = change(&sequence, 1e-3, &mut random);
        // Behind the first indel nothing is compared.
        let same = sequence.iter().zip(&changed).take_while(|(a, b)| a == b).count();
        assert!((10..20_000).contains(&same), "{same}");
        assert!(sequence.len().abs_diff(changed.len()) < 50);
    }

    #[test]
    fn files_have_the_same_pairs() {
        let folder = tempfile::tempdir().expect("a folder");
        let sets = make(folder.path(), 5, 100, 2).expect("are written");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("is there");
        for SimilarPairs { files: [queries, targets], few: [one, few], .. } in &sets {
            assert_eq!(read(queries).lines().count(), 10);
            assert!(read(queries).starts_with(&read(one)) && read(one).lines().count() == 2);
            assert!(read(targets).starts_with(&read(few)) && read(few).lines().count() == 4);
        }
        assert_eq!(sets.iter().map(|set| set.changed).collect::<Vec<_>>(), CHANGED);
    }
}
