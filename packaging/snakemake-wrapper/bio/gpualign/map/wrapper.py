__author__ = "The authors of gpualign"
__copyright__ = "Copyright 2026, the authors of gpualign"
__license__ = "MIT"

import tempfile

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=False, stderr=True)

reads = snakemake.input.reads
reads = [reads] if isinstance(reads, str) else list(reads)
if len(reads) not in (1, 2):
    raise ValueError("input.reads must have 1 (single-end) or 2 (paired-end) elements")

index = snakemake.input.get("idx", "")
if index:
    index = f"--index {index}"

sort = snakemake.params.get("sort", False)
if sort:
    extra += " --sort"

duplicates = snakemake.params.get("duplicates", "none")
if duplicates not in ("none", "mark", "remove"):
    raise ValueError(f"Unexpected value for params.duplicates ({duplicates})")
if duplicates != "none":
    if not sort:
        raise ValueError("params.duplicates needs params.sort")
    extra += f" --{duplicates}-duplicates"

for name in ("metrics", "report"):
    file = snakemake.output.get(name, "")
    if file:
        extra += f" --{name} {file}"

with tempfile.TemporaryDirectory() as tmpdir:
    if sort:
        extra += f" --temporary-folder {tmpdir}"
    shell(
        "gpualign"
        " --threads {snakemake.threads}"
        " {index}"
        " {extra}"
        " --output {snakemake.output[0]:q}"
        " {reads:q}"
        " {snakemake.input.ref:q}"
        " {log}"
    )
