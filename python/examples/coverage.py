"""Draws the coverage of each contig by reads: coverage.py ref.fa reads.fq out.png (needs Matplotlib)."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gpualign

index = gpualign.Index(sys.argv[1])
changes = {name: np.zeros(length + 1, dtype=np.int64) for name, length in index.contigs.items()}
for _, alignments in index.map_file(sys.argv[2]):
    for alignment in alignments:
        changes[alignment.ctg][alignment.r_st] += 1
        changes[alignment.ctg][alignment.r_en] -= 1
_, all_axes = plt.subplots(len(changes), squeeze=False, figsize=(8, 2 * len(changes)))
for axes, (name, change) in zip(all_axes[:, 0], changes.items()):
    axes.fill_between(np.arange(len(change) - 1), np.cumsum(change)[:-1], step="post")
    axes.set(title=name, ylabel="reads")
plt.tight_layout()
plt.savefig(sys.argv[3], dpi=150)
