"""Draws a dendrogram of the first 16S genes of a FASTA file: dendrogram.py 16s.fa out.png (needs SciPy and Matplotlib)."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from scipy.cluster.hierarchy import dendrogram, linkage

import gpualign

GENES = 40


def records(file: str) -> list[tuple[str, str]]:
    """Names and letters of FASTA."""
    with open(file) as text:
        parts = text.read().split(">")[1:]
    lines = [part.splitlines() for part in parts]
    return [(first.split()[0], "".join(rest)) for first, *rest in lines]


names, genes = zip(*records(sys.argv[1])[:GENES])
tree = linkage(gpualign.nw(genes).distances(), "average")
_, axes = plt.subplots(figsize=(7, 9))
dendrogram(tree, labels=names, orientation="left", ax=axes)
axes.set_xlabel("1 - identity")
plt.tight_layout()
plt.savefig(sys.argv[2], dpi=150)
