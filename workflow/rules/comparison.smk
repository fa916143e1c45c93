"""Global alignments of all pairs of each set of sequences, in shards."""

COMPARISON = config["comparison"]


rule align_shard:
    input:
        lambda wildcards: COMPARISON["sets"][wildcards.set],
    output:
        temp("results/shards/comparison/{set}.{shard}"),
    log:
        "logs/align_shard/{set}.{shard}.log",
    conda:
        "../envs/gpualign.yaml"
    threads: 16
    resources:
        mem_mb=4000,
    params:
        device=device,
        extra=COMPARISON["extra"],
        format=COMPARISON["format"],
        shard=shard_options("comparison"),
    shell:
        "gpualign nw all-vs-all {input:q} --output-format {params.format} {params.extra}"
        " --device {params.device} --threads {threads} {params.shard} --output {output:q} 2> {log:q}"


rule merge_comparison:
    input:
        lambda wildcards: expand(
            "results/shards/comparison/{set}.{shard}", set=wildcards.set, shard=shard_numbers("comparison")
        ),
    output:
        f"results/comparison/{{set}}.{COMPARISON['format']}",
    log:
        "logs/merge_comparison/{set}.log",
    conda:
        "../envs/gpualign.yaml"
    resources:
        mem_mb=2000,
    shell:
        "gpualign merge {input:q} --threads {threads} --output {output:q} 2> {log:q}"
