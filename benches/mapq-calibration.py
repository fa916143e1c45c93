#!/usr/bin/env python3
"""How often a mapping quality is right: primary records of reads that wgsim simulated.

Usage: gpualign reads.fq ref.fa | mapq-calibration.py
wgsim names a read CONTIG_START_END_...; a record is right if it starts at START or ends at END,
give or take 10 bases. Prints, for each quality, records, wrong ones, and the quality that this
share of errors stands for.
"""
import math
import re
import sys

counts = {}
for line in sys.stdin:
    if line.startswith("@"):
        continue
    name, flag, contig, position, mapq, cigar = line.split("\t")[:6]
    if int(flag) & 0x904:
        continue
    true_contig, start, end = re.match(r"(.+?)_(\d+)_(\d+)_", name).groups()
    position = int(position)
    last = position - 1 + sum(int(n) for n, op in re.findall(r"(\d+)([MDN=X])", cigar))
    right = contig == true_contig and (abs(position - int(start)) <= 10 or abs(last - int(end)) <= 10)
    of_quality = counts.setdefault(int(mapq), [0, 0])
    of_quality[0] += 1
    of_quality[1] += not right

print("mapq  records  wrong  measured")
for mapq, (records, wrong) in sorted(counts.items(), reverse=True):
    measured = f"{-10 * math.log10(wrong / records):.1f}" if wrong else f"> {10 * math.log10(records):.0f}"
    print(f"{mapq:4}  {records:7}  {wrong:5}  {measured}")
