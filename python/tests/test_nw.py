"""Global alignments, judged by parasail."""

from __future__ import annotations

import random

import numpy as np
import parasail
import pytest

import gpualign

from .conftest import mutated


def genes(count: int, seed: int = 1) -> list[str]:
    numbers = random.Random(seed)
    gene = "".join(numbers.choice("ACGT") for _ in range(120))
    return [mutated(gene, 0.2, numbers)[: numbers.randrange(1, 140)] for _ in range(count)]


def score_of_parasail(query: str, target: str, scoring: gpualign.Scoring) -> int:
    if scoring.matrix is None:
        matrix = parasail.matrix_create("ACGT", scoring.match, scoring.mismatch)
    else:
        matrix = getattr(parasail, scoring.matrix.lower())
    return parasail.nw(query, target, scoring.gap_open, scoring.gap_extend, matrix).score


@pytest.mark.parametrize("scoring", [gpualign.Scoring(), gpualign.Scoring(2, -3, 5, 5)])
def test_scores_are_those_of_parasail(scoring: gpualign.Scoring) -> None:
    queries, targets = genes(60), genes(60, seed=2)
    found = gpualign.nw(queries, targets, scoring=scoring, device="cpu", cigars=True)
    expected = [score_of_parasail(*pair, scoring) for pair in zip(queries, targets)]
    assert found.scores.dtype == np.int32
    assert found.scores.tolist() == expected
    only = gpualign.nw(queries, targets, scoring=scoring, device="cpu", scores_only=True)
    assert only.scores.tolist() == expected and only.identities is None


def test_proteins_need_a_matrix() -> None:
    numbers = random.Random(3)
    proteins = ["".join(numbers.choice("ARNDCQEGHILKMFPSTWYV") for _ in range(50)) for _ in range(9)]
    scoring = gpualign.Scoring(matrix="BLOSUM62", gap_open=11)
    found = gpualign.nw(proteins, scoring=scoring, device="cpu")
    pairs = [(proteins[i], proteins[j]) for i in range(9) for j in range(i + 1, 9)]
    assert found.scores.tolist() == [score_of_parasail(*pair, scoring) for pair in pairs]
    with pytest.raises(ValueError, match="query 0: 'E' at 2 is no letter"):
        gpualign.nw(["ACE"], ["ACE"], scoring=gpualign.Scoring(), device="cpu")


def test_cigars_rescore() -> None:
    queries, targets = genes(40), genes(40, seed=5)
    found = gpualign.nw(queries, targets, cigars=True, device="cpu")
    assert found.cigar_offsets is not None and found.lengths is not None and found.identities is not None
    for number, (query, target, cigar) in enumerate(zip(queries, targets, found.cigars)):
        score, q, t, equal, length = 0, 0, 0, 0, 0
        runs = [part for part in __import__("re").findall(r"(\d+)([=XID])", cigar)]
        for count, operation in ((int(count), operation) for count, operation in runs):
            length += count
            if operation in "=X":
                for _ in range(count):
                    assert (query[q] == target[t]) == (operation == "=")
                    q, t = q + 1, t + 1
                score += count * (5 if operation == "=" else -4)
                equal += count if operation == "=" else 0
            else:
                score -= 10 + (count - 1)
                q, t = (q + count, t) if operation == "I" else (q, t + count)
        assert (q, t, score) == (len(query), len(target), found.scores[number])
        assert length == found.lengths[number]
        assert found.identities[number] == pytest.approx(equal / length)


def test_all_pairs_are_a_matrix_of_scipy() -> None:
    sequences = genes(12)
    found = gpualign.nw(sequences, device="cpu")
    condensed = found.distances()
    assert condensed.shape == (66,)
    square = found.square()
    assert square.shape == (12, 12) and np.array_equal(square, square.T)
    assert np.array_equal(square[np.triu_indices(12, 1)], condensed)
    each = gpualign.nw(sequences[:3], sequences, pairs="all", device="cpu")
    assert np.allclose(each.square()[:3, :3], square[:3, :3])
    with pytest.raises(ValueError, match="pairs='all'"):
        gpualign.nw(sequences, sequences, device="cpu").square()


def test_sequences_may_be_arrays() -> None:
    sequences = genes(7)
    letters = np.frombuffer("".join(sequences).encode(), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, sequences)])
    expected = gpualign.nw(sequences, device="cpu").scores
    assert np.array_equal(gpualign.nw((letters, offsets), device="cpu").scores, expected)
    assert np.array_equal(gpualign.nw([one.encode() for one in sequences], device="cpu").scores, expected)
    mixed = [one.encode() if number % 2 else one for number, one in enumerate(sequences)]
    assert np.array_equal(gpualign.nw(mixed, device="cpu").scores, expected)
    for wrong in [offsets[:-1], offsets[::-1], offsets + 1]:
        with pytest.raises(ValueError, match="offset"):
            gpualign.nw((letters, wrong), device="cpu")


def test_a_cigar_is_one_of_all_cigars() -> None:
    found = gpualign.nw(genes(5), cigars=True, device="cpu")
    assert [found.cigar(pair) for pair in range(len(found))] == found.cigars
    assert found.cigar(-1) == found.cigars[-1]
    with pytest.raises(IndexError):
        found.cigar(len(found))
    found.cigar_offsets = found.cigar_offsets[::-1].copy()
    with pytest.raises(ValueError, match="offsets"):
        found.cigars


def test_unknown_letters_are_named() -> None:
    for wrong in ["AC!T", b"AC!T"]:
        with pytest.raises(ValueError, match="query 2: '!' at 2"):
            gpualign.nw(["ACGT", "", wrong, "?"], device="cpu")
    with pytest.raises(ValueError, match="query 1"):
        gpualign.nw(["ACGT", "AC\u00e9T"], device="cpu")


def test_empty_input() -> None:
    assert len(gpualign.nw([], [], device="cpu")) == 0
    assert len(gpualign.nw([], device="cpu")) == 0
    found = gpualign.nw(["", "A"], ["", ""], cigars=True, device="cpu")
    assert found.scores.tolist() == [0, -10] and found.cigars == ["", "1I"]


def test_wrong_arguments_are_value_errors() -> None:
    for wrong, reason in [
        (lambda: gpualign.nw(["A"], ["A", "C"]), "1 queries cannot be matched with 2"),
        (lambda: gpualign.nw("ACGT"), "list"),
        (lambda: gpualign.nw(["A"], device="gpu"), "device"),
        (lambda: gpualign.nw(["A"], scoring=gpualign.Scoring(gap_open=-1)), "gap"),
        (lambda: gpualign.nw(["A"], scoring=gpualign.Scoring(free_ends=("left",))), "'left'"),
        (lambda: gpualign.nw(["A"], scores_only=True, cigars=True), "one of them"),
    ]:
        with pytest.raises(ValueError, match=reason):
            wrong()
