"""Mapping, judged by where reads are from and by mappy."""

from __future__ import annotations

import random
from pathlib import Path

import mappy
import pytest

import gpualign

from .conftest import mutated, revcomp


@pytest.fixture(scope="module")
def index(data: Path) -> gpualign.Index:
    return gpualign.Index(data / "phix.fa", device="cpu", threads=2)


def simulated(genome: str, count: int, length: int = 150) -> list[tuple[int, int, str]]:
    """Begin, strand and letters of reads."""
    numbers, reads = random.Random(7), []
    for _ in range(count):
        begin, strand = numbers.randrange(len(genome) - length), numbers.choice([1, -1])
        letters = mutated(genome[begin : begin + length], 0.02, numbers)
        reads.append((begin, strand, letters if strand == 1 else revcomp(letters)))
    return reads


def test_alignments_are_those_of_mappy(index: gpualign.Index, phix: str, data: Path) -> None:
    reads = simulated(phix, 300)
    found = index.map([letters for _, _, letters in reads])
    judge, alike = mappy.Aligner(str(data / "phix.fa"), preset="sr"), 0
    for (begin, strand, letters), alignments in zip(reads, found):
        first = alignments[0]
        assert (first.ctg, first.strand, first.is_primary) == (judge.seq_names[0], strand, True)
        assert first.ctg_len == len(phix) and first.mapq > 20
        assert abs(first.r_st - first.q_st - begin) < 12 or strand == -1
        theirs = next(iter(judge.map(letters)))
        attributes = ["ctg", "r_st", "r_en", "q_st", "q_en", "strand", "NM", "cigar_str", "blen", "mlen"]
        alike += all(getattr(first, name) == getattr(theirs, name) for name in attributes)
        # A cigar covers the bases that it says.
        assert sum(length for length, operation in first.cigar if operation in (0, 1)) == first.q_en - first.q_st
        assert sum(length for length, operation in first.cigar if operation in (0, 2)) == first.r_en - first.r_st
    assert alike > 270, alike


def test_pairs_are_proper_and_rescued(index: gpualign.Index, phix: str) -> None:
    numbers, first, second = random.Random(8), [], []
    for _ in range(200):
        begin = numbers.randrange(len(phix) - 400)
        fragment = phix[begin : begin + 300 + numbers.randrange(50)]
        first.append(fragment[:100])
        second.append(revcomp(fragment[-100:]))
    for insert_size in [None, 325.0, (325, 20)]:
        found = index.map_pairs(first, second, insert_size=insert_size)
        assert len(found) == 200
        for one, two in found:
            assert one[0].is_proper_pair and two[0].is_proper_pair
            assert (one[0].read_num, two[0].read_num) == (1, 2)
            assert one[0].template_length == -two[0].template_length
            assert 300 <= abs(one[0].template_length) < 350
            assert one[0].flag & 0x43 == 0x43


def test_files_are_read(index: gpualign.Index, data: Path) -> None:
    names = [line.split()[0][1:] for line in (data / "phix_1.fq").read_text().splitlines()[::4]]
    single = list(index.map_file(data / "phix_1.fq"))
    assert [name for name, _ in single] == names
    pairs = list(index.map_file_pairs(data / "phix_1.fq", data / "phix_2.fq"))
    assert len(pairs) == len(names)
    proper = sum(bool(one) and one[0].is_proper_pair for _, one, _ in pairs)
    assert proper > 0.8 * len(pairs)
    # An iterator that is not used up ends, and the index goes on.
    iterator = index.map_file(data / "phix_1.fq")
    next(iterator)
    del iterator
    assert index.map(["ACGT"]) == [[]]


def test_errors_have_the_text_of_the_program(index: gpualign.Index, data: Path, tmp_path: Path) -> None:
    with pytest.raises(gpualign.Error, match="none.fa: No such file"):
        gpualign.Index("none.fa", device="cpu")
    with pytest.raises(gpualign.Error, match="none.fq: No such file"):
        index.map_file("none.fq").__next__()
    cut = tmp_path / "cut.fq"
    cut.write_text("@r\nACGT\n+\nII\n")
    with pytest.raises(gpualign.Error, match="cut.fq: record 1"):
        list(index.map_file(cut))
    with pytest.raises(gpualign.Error, match="read 'b': '!' at base 2"):
        index.map([("a", "ACGT"), ("b", "A!")])
    with pytest.raises(ValueError, match="1 first reads cannot be paired with 0"):
        index.map_pairs(["A"], [])
    with pytest.raises(ValueError, match="insert_size"):
        index.map_pairs(["A"], ["A"], insert_size=-1)
    # The index works on.
    assert index.map([]) == [] and index.contigs == {"NC_001422.1": 5386}


def test_repeats_have_alternatives(tmp_path: Path) -> None:
    numbers = random.Random(9)
    repeat = "".join(numbers.choice("ACGT") for _ in range(300))
    spacers = ["".join(numbers.choice("ACGT") for _ in range(500)) for _ in range(3)]
    reference = tmp_path / "repeat.fa"
    reference.write_text(f">a\n{spacers[0]}{repeat}{spacers[1]}{repeat}{spacers[2]}\n")
    index = gpualign.Index(reference, device="cpu", threads=1)
    ((one,),) = index.map([repeat[50:200]])
    assert one.mapq == 0 and one.second_score == one.score
    (both,) = index.map([repeat[50:200]], secondary=True)
    assert sorted(found.r_st for found in both) == [550, 1350]
    assert [found.is_primary for found in both] == [True, False]
