"""Settings, sheets and functions that all rules use."""

import csv
from pathlib import Path

validate(config, "../schemas/config.schema.yaml")


def read_sheet(file, schema):
    """Rows of a table with tabs and a header, checked by a schema; an empty cell is left out of its row."""
    with open(file, newline="") as lines:
        rows = [
            {column: cell for column, cell in row.items() if cell}
            for row in csv.DictReader(lines, delimiter="\t")
        ]
    for row in rows:
        validate(row, schema)
    return rows


def unique(rows, *columns):
    """Refuses a sheet with two rows that have the same name."""
    seen = set()
    for row in rows:
        name = tuple(row[column] for column in columns)
        if name in seen:
            raise ValueError(f"{' '.join(name)} is in two rows of a sheet: give one of them another {columns[-1]}")
        seen.add(name)


LANES = {}
if "mapping" in config:
    rows = read_sheet(config["mapping"]["samples"], "../schemas/samples.schema.yaml")
    unique(rows, "sample", "lane")
    for row in rows:
        LANES.setdefault(row["sample"], []).append(row)

ASSEMBLIES = {}
if "screen" in config:
    rows = read_sheet(config["screen"]["assemblies"], "../schemas/assemblies.schema.yaml")
    unique(rows, "assembly")
    ASSEMBLIES = {row["assembly"]: row["fasta"] for row in rows}


wildcard_constraints:
    sample="[^/]+",
    assembly="[^/]+",
    set="[^/]+",
    shard=r"\d+",


def targets():
    """The files that the whole workflow makes."""
    files = []
    if "mapping" in config:
        files += expand("results/mapped/{sample}.{format}", sample=LANES, format=config["mapping"]["format"])
        if config["mapping"]["multiqc"]:
            files.append("results/multiqc.html")
    if "comparison" in config:
        comparison = config["comparison"]
        files += expand("results/comparison/{set}.{format}", set=comparison["sets"], format=comparison["format"])
    if "screen" in config:
        files.append("results/screen.tsv")
    return files


def lane_files(wildcards):
    """Files of reads of a sample."""
    return [row[column] for row in LANES[wildcards.sample] for column in ("fq1", "fq2") if column in row]


def shard_numbers(section):
    """Numbers of a section's shards, from 1."""
    return range(1, config[section]["shards"] + 1)


def shard_options(section):
    """Options of a shard's job, with the shard's number as a wildcard."""

    def options(wildcards):
        size = config[section].get("shard_size")
        return f"--shard {wildcards.shard}/{config[section]['shards']}" + (f" --shard-size {size}" if size else "")

    return options


def device(_wildcards, resources):
    """The device of a job: a GPU if the job asks the cluster for one, else what the configuration says."""
    asks_for_gpu = resources.get("gpu") or str(resources.get("gres", "")).startswith("gpu")
    return "cuda" if asks_for_gpu else config["device"]


def bases(fasta):
    """Upper estimate of the bases of a FASTA file, which may be compressed."""
    size = Path(fasta).stat().st_size
    return size * 5 if Path(fasta).suffix in (".gz", ".bz2", ".zst") else size


def megabytes(bases_factor, fixed):
    """Memory of a job with the reference: bytes for each base, and megabytes besides."""
    return int(bases_factor * bases(config["mapping"]["reference"]) / 1e6) + fixed


def sort_memory(_wildcards, resources):
    """Half of the memory of a job that sorts, of which indices and batches have the other half."""
    return f"{resources.mem_mb // 2}M"
