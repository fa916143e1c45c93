#!/usr/bin/env python3
"""Global alignments of many short pairs from Python: gpualign beside parasail and edlib.

Usage: python-pairs.py [--pairs N] [--threads N] [--device DEVICE] [--runs N] [--commit HASH] > results/DATE-python.json
Needs NumPy, parasail, edlib and gpualign, as `make wheel` builds it.

Pairs are 150 random bases and a copy in which 5% of the bases are substituted, inserted or deleted. Each program gets lists of str and
returns Python objects. parasail and edlib align one pair a call; with several threads, that many processes have equal shares of the
pairs, which they have from the start, and their time includes the way of results to the first process. All times are of work alone,
after a warm-up, and programs take turns. Scores of all programs must be equal; alignments are compared by their scores, since equally
good ones may differ.
"""

import argparse
import datetime
import importlib.metadata
import json
import multiprocessing
import os
import platform
import random
import re
import sys
import time

import edlib
import numpy
import parasail

import gpualign

LENGTH = 150
ERRORS = 0.05
MATRIX = parasail.matrix_create("ACGT", 5, -4)
# Pairs of each process, which has them by being forked.
SHARES: list[list[tuple[str, str]]] = []
UNIT = gpualign.Scoring(match=0, mismatch=-1, gap_open=1, gap_extend=1)


def simulate(count: int, seed: int) -> tuple[list[str], list[str]]:
    """Queries, and targets that are copies with errors."""
    generator = random.Random(seed)
    queries, targets = [], []

    def copied(base: str) -> str:
        """A base, changed."""
        drawn = generator.random()
        if drawn < 0.6:
            return generator.choice("ACGT".replace(base, ""))
        return base + generator.choice("ACGT") if drawn < 0.8 else ""

    for _ in range(count):
        query = "".join(generator.choices("ACGT", k=LENGTH))
        queries.append(query)
        targets.append("".join(copied(base) if generator.random() < ERRORS else base for base in query))
    return queries, targets


def parasail_scores(share):
    return [parasail.nw_scan_16(query, target, 10, 1, MATRIX).score for query, target in SHARES[share]]


def parasail_cigars(share):
    return [parasail.nw_trace_scan_16(query, target, 10, 1, MATRIX).cigar.decode.decode() for query, target in SHARES[share]]


def edlib_distances(share):
    return [edlib.align(query, target, mode="NW", task="distance")["editDistance"] for query, target in SHARES[share]]


def edlib_cigars(share):
    return [edlib.align(query, target, mode="NW", task="path")["cigar"] for query, target in SHARES[share]]


def score(cigar: str, gap_open: int, gap_extend: int, match: int, mismatch: int) -> int:
    """The score of an alignment."""
    total = 0
    for length, operation in re.findall(r"(\d+)([=XID])", cigar):
        length = int(length)
        if operation in "ID":
            total -= gap_open + (length - 1) * gap_extend
        else:
            total += length * (match if operation == "=" else mismatch)
    return total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="auto", help="of gpualign; the other programs run on processors")
    parser.add_argument("--name", default=platform.processor(), help="name of the machine's devices")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--note", default="", help="what else the reader of the result has to know")
    options = parser.parse_args()

    queries, targets = simulate(options.pairs, seed=1)
    bounds = [options.pairs * part // options.threads for part in range(options.threads + 1)]
    SHARES.extend(list(zip(queries[begin:end], targets[begin:end])) for begin, end in zip(bounds, bounds[1:]))

    def nw(**words):
        return gpualign.nw(queries, targets, device=options.device, threads=options.threads, **words)

    with multiprocessing.get_context("fork").Pool(options.threads) as pool:

        def others(work):
            return [result for results in pool.map(work, range(options.threads), chunksize=1) for result in results]

        # Of each work: what the programs return, and the score that it stands for.
        works = {
            "scores, affine": (
                lambda score: score,
                {
                    "gpualign": lambda: nw(scores_only=True).scores.tolist(),
                    "parasail": lambda: others(parasail_scores),
                },
            ),
            "alignments, affine": (
                lambda cigar: score(cigar, 10, 1, 5, -4),
                {
                    "gpualign": lambda: nw(cigars=True).cigars,
                    "parasail": lambda: others(parasail_cigars),
                },
            ),
            "edit distances": (
                lambda distance: distance,
                {
                    "gpualign": lambda: (-nw(scores_only=True, scoring=UNIT).scores).tolist(),
                    "edlib": lambda: others(edlib_distances),
                },
            ),
            "alignments, edit distance": (
                lambda cigar: -score(cigar, 1, 1, 0, -1),
                {
                    "gpualign": lambda: nw(cigars=True, scoring=UNIT).cigars,
                    "edlib": lambda: others(edlib_cigars),
                },
            ),
        }
        seconds = {}
        for work, (score_of, programs) in works.items():
            returned = {program: run() for program, run in programs.items()}
            first, second = ([score_of(one) for one in results] for results in returned.values())
            if first != second or len(first) != options.pairs:
                sys.exit(f"{work}: {' and '.join(programs)} differ")
            del returned, first, second
            seconds[work] = {program: [] for program in programs}
            for _ in range(options.runs):
                for program, run in programs.items():
                    start = time.perf_counter()
                    run()
                    seconds[work][program].append(round(time.perf_counter() - start, 3))

    json.dump(
        {
            "topic": "python",
            "date": datetime.date.today().isoformat(),
            "device": f"{options.name}, {options.threads} processor threads, --device {options.device}",
            "commit": options.commit,
            "command": f"benches/python-pairs.py --pairs {options.pairs} --threads {options.threads} --device {options.device} --runs {options.runs}",
            "workload": f"{options.pairs} pairs of {LENGTH} bases with {100 * ERRORS:g}% errors, lists of str, from Python",
            "versions": {
                "python": platform.python_version(),
                "numpy": numpy.__version__,
                "gpualign": gpualign.__version__,
                "parasail": parasail.__version__,
                "edlib": importlib.metadata.version("edlib"),
            },
            "note": options.note,
            "pairs": options.pairs,
            "seconds": seconds,
        },
        sys.stdout,
        indent=1,
    )
    print()


main()
