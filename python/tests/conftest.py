"""Sequences that tests have in common, from the repository's data."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(scope="session")
def phix() -> str:
    lines = (DATA / "phix.fa").read_text().splitlines()
    return "".join(line for line in lines if not line.startswith(">")).upper()


@pytest.fixture(scope="session")
def data() -> Path:
    return DATA


def revcomp(letters: str) -> str:
    return letters[::-1].translate(str.maketrans("ACGT", "TGCA"))


def mutated(letters: str, rate: float, numbers: random.Random) -> str:
    """Letters with substitutions, insertions and deletions."""
    made = []
    for letter in letters:
        chance = numbers.random()
        if chance < rate / 2:
            made.append(numbers.choice("ACGT"))
        elif chance < 3 * rate / 4:
            made += [letter, numbers.choice("ACGT")]
        elif chance >= rate:
            made.append(letter)
    return "".join(made)
