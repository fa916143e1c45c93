"""From reads to sorted alignments with duplicates marked: one job for each sample, or one for each shard and one that merges."""

MAPPING = config["mapping"]
FORMAT = MAPPING["format"]
# What one run and the merge of shards both make.
MAPPED = {
    "alignments": f"results/mapped/{{sample}}.{FORMAT}",
    "index": f"results/mapped/{{sample}}.{FORMAT}.{dict(bam='bai', cram='crai')[FORMAT]}",
    "metrics": "results/qc/{sample}.duplicates.txt",
    "report": report("results/qc/{sample}.html", category="Mapping", labels={"sample": "{sample}"}),
}


rule index_reference:
    input:
        MAPPING["reference"],
    output:
        "results/reference.gpx",
    log:
        "logs/index_reference.log",
    conda:
        "../envs/gpualign.yaml"
    threads: 8
    resources:
        mem_mb=megabytes(11, 1000),
    shell:
        "gpualign index --threads {threads} --output {output:q} {input:q} 2> {log:q}"


rule list_lanes:
    output:
        temp("results/lanes/{sample}.tsv"),
    log:
        "logs/list_lanes/{sample}.log",
    params:
        lanes=lambda wildcards: LANES[wildcards.sample],
    localrule: True
    script:
        "../scripts/list_lanes.py"


# Options of mapping that decide about records, the same for all shards.
OPTIONS = f"--sort --mark-duplicates {MAPPING['extra']}"


if MAPPING["shards"] == 1:

    rule map_reads:
        input:
            reference=MAPPING["reference"],
            index="results/reference.gpx",
            lanes="results/lanes/{sample}.tsv",
            reads=lane_files,
        output:
            **MAPPED,
        log:
            "logs/map_reads/{sample}.log",
        conda:
            "../envs/gpualign.yaml"
        threads: 16
        resources:
            mem_mb=megabytes(4, 8000),
        params:
            device=device,
            memory=sort_memory,
            options=OPTIONS,
        shell:
            "gpualign --lanes {input.lanes:q} {input.reference:q} --index {input.index:q} {params.options}"
            " --device {params.device} --threads {threads} --sort-memory {params.memory} --temporary-folder {resources.tmpdir:q}"
            " --metrics {output.metrics:q} --report {output.report:q} --output {output.alignments:q} 2> {log:q}"

else:

    rule map_shard:
        input:
            reference=MAPPING["reference"],
            index="results/reference.gpx",
            lanes="results/lanes/{sample}.tsv",
            reads=lane_files,
        output:
            temp("results/shards/mapping/{sample}.{shard}"),
        log:
            "logs/map_shard/{sample}.{shard}.log",
        conda:
            "../envs/gpualign.yaml"
        threads: 16
        resources:
            mem_mb=megabytes(4, 8000),
        params:
            device=device,
            memory=sort_memory,
            options=OPTIONS,
            shard=shard_options("mapping"),
        shell:
            "gpualign --lanes {input.lanes:q} {input.reference:q} --index {input.index:q} {params.options}"
            " --device {params.device} --threads {threads} --sort-memory {params.memory} --temporary-folder {resources.tmpdir:q}"
            " {params.shard} --output {output:q} 2> {log:q}"

    rule merge_alignments:
        input:
            reference=MAPPING["reference"],
            shards=lambda wildcards: expand(
                "results/shards/mapping/{sample}.{shard}", sample=wildcards.sample, shard=shard_numbers("mapping")
            ),
        output:
            **MAPPED,
        log:
            "logs/merge_alignments/{sample}.log",
        conda:
            "../envs/gpualign.yaml"
        threads: 8
        resources:
            mem_mb=8000,
        params:
            memory=sort_memory,
        shell:
            "gpualign merge {input.shards:q} --reference {input.reference:q}"
            " --threads {threads} --sort-memory {params.memory} --temporary-folder {resources.tmpdir:q}"
            " --metrics {output.metrics:q} --report {output.report:q} --output {output.alignments:q} 2> {log:q}"


rule multiqc:
    input:
        expand("results/qc/{sample}.{file}", sample=LANES, file=["html", "duplicates.txt"]),
    output:
        report("results/multiqc.html", category="MultiQC"),
    log:
        "logs/multiqc.log",
    conda:
        "../envs/multiqc.yaml"
    resources:
        mem_mb=2000,
    shell:
        "multiqc results/qc --force --no-data-dir --filename {output:q} > {log:q} 2>&1"
