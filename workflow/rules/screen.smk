"""Search of the same queries in each assembly, as with NCBI's blastn, and one table of what was found."""

SCREEN = config["screen"]


rule make_database:
    input:
        lambda wildcards: ASSEMBLIES[wildcards.assembly],
    output:
        temp("results/screen/{assembly}.gpdb"),
    log:
        "logs/make_database/{assembly}.log",
    conda:
        "../envs/gpualign.yaml"
    threads: 2
    resources:
        mem_mb=4000,
    shell:
        "gpualign makedb {input:q} --threads {threads} --output {output:q} 2> {log:q}"


rule search_assembly:
    input:
        queries=SCREEN["queries"],
        database="results/screen/{assembly}.gpdb",
    output:
        "results/screen/{assembly}.tsv",
    log:
        "logs/search_assembly/{assembly}.log",
    conda:
        "../envs/gpualign.yaml"
    threads: 8
    resources:
        mem_mb=4000,
    params:
        device=device,
        columns=f"6 {SCREEN['columns']}",
        extra=SCREEN["extra"],
    shell:
        "gpualign blastn -query {input.queries:q} -db {input.database:q} -outfmt {params.columns:q} {params.extra}"
        " -device {params.device} -num_threads {threads} -out {output:q} 2> {log:q}"


rule gather_screen:
    input:
        expand("results/screen/{assembly}.tsv", assembly=ASSEMBLIES),
    output:
        "results/screen.tsv",
    log:
        "logs/gather_screen.log",
    params:
        assemblies=list(ASSEMBLIES),
        columns=SCREEN["columns"],
    localrule: True
    script:
        "../scripts/gather_screen.py"
