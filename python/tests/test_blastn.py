"""Nucleotide BLAST."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gpualign

from .conftest import mutated, revcomp


def test_rows_are_of_the_pieces_that_queries_are(phix: str, data: Path) -> None:
    numbers = random.Random(4)
    starts = [numbers.randrange(5000) for _ in range(30)]
    queries = [(f"q{number} title", phix[start : start + 200]) for number, start in enumerate(starts)]
    queries[3] = ("q3", revcomp(queries[3][1]))
    queries[4] = ("q4", mutated(queries[4][1], 0.05, numbers))
    for subjects in [data / "phix.fa", [("phix x", phix)]]:
        rows = gpualign.blastn(queries, subjects, table="numpy", device="cpu", threads=2)
        best = {}
        for row in rows:
            best.setdefault(str(row["qaccver"]), row)
        assert len(best) == 30
        for number, start in enumerate(starts):
            row = best[f"q{number}"]
            if number == 4:
                assert 85 < row["pident"] < 100 and row["length"] > 100
                continue
            assert (row["pident"], row["length"], row["mismatch"], row["gapopen"]) == (100, 200, 0, 0)
            ends = (start + 200, start + 1) if number == 3 else (start + 1, start + 200)
            assert (row["sstart"], row["send"]) == ends
            assert (row["qstart"], row["qend"]) == (1, 200)
            assert row["evalue"] < 1e-90 and row["bitscore"] == pytest.approx(370, abs=1)


def test_options_are_those_of_ncbi(phix: str) -> None:
    queries = [("q", phix[100:130])]
    assert len(gpualign.blastn(queries, [("s", phix)], table="numpy", device="cpu")) == 1
    none = gpualign.blastn(queries, [("s", phix)], table="numpy", word_size=31, device="cpu")
    assert len(none) == 0 and "evalue" in none.dtype.names
    plus = gpualign.blastn(
        [("q", revcomp(phix[100:200]))], [("s", phix)], task="blastn", strand="plus", evalue=1e-3, table="numpy", device="cpu"
    )
    assert len(plus) == 0
    for wrong, reason in [
        ({"evalue": 0}, "evalue"),
        ({"nonsense": 1}, "nonsense"),
        ({"task": "blastn", "gapopen": 0, "gapextend": 0}, "gap"),
        ({"outfmt": 6}, "outfmt is no option"),
        ({"table": "pandas"}, "table"),
        ({"device": "x"}, "device"),
    ]:
        with pytest.raises(ValueError, match=reason):
            gpualign.blastn(queries, [("s", phix)], **wrong)
    with pytest.raises(gpualign.Error, match="none.fa"):
        gpualign.blastn(queries, "none.fa")
