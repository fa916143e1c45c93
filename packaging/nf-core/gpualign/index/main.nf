process GPUALIGN_INDEX {
    tag "${fasta}"
    label 'process_medium'
    // NOTE Requires 10.5 bytes of memory for each base of the reference
    memory { (1.GB + 110.MB * Math.ceil((fasta.name ==~ /.*\.(gz|bz2|zst)/ ? 5 : 1) * fasta.size() / 10000000)) * task.attempt }

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/gpualign:0.1.0--h0000000_0'
        : 'biocontainers/gpualign:0.1.0--h0000000_0'}"

    input:
    tuple val(meta), path(fasta)

    output:
    tuple val(meta), path("*.gpx"), emit: index
    tuple val("${task.process}"), val('gpualign'), eval("gpualign -V | cut -d ' ' -f 2"), emit: versions_gpualign, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${fasta}"
    """
    gpualign \\
        index \\
        ${args} \\
        --threads ${task.cpus} \\
        --output ${prefix}.gpx \\
        ${fasta}
    """

    stub:
    def prefix = task.ext.prefix ?: "${fasta}"
    """
    touch ${prefix}.gpx
    """
}
