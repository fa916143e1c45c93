process GPUALIGN_MAP {
    tag "${meta.id}"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/gpualign:0.1.0--h0000000_0'
        : 'biocontainers/gpualign:0.1.0--h0000000_0'}"

    input:
    tuple val(meta), path(reads)
    tuple val(meta2), path(fasta)
    tuple val(meta3), path(index)
    val sort_bam
    val output_fmt

    output:
    tuple val(meta), path("${prefix}.sam"), emit: sam, optional: true
    tuple val(meta), path("${prefix}.bam"), emit: bam, optional: true
    tuple val(meta), path("${prefix}.cram"), emit: cram, optional: true
    tuple val(meta), path("*.bai"), emit: bai, optional: true
    tuple val(meta), path("*.csi"), emit: csi, optional: true
    tuple val(meta), path("*.crai"), emit: crai, optional: true
    tuple val(meta), path("*.duplicates.txt"), emit: metrics, optional: true
    tuple val(meta), path("*.html"), emit: report
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    tuple val("${task.process}"), val('gpualign'), eval("gpualign -V | cut -d ' ' -f 2"), emit: versions_gpualign, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    if (!(output_fmt in ['sam', 'bam', 'cram'])) {
        error("output_fmt is sam, bam or cram, not ${output_fmt}")
    }
    def index_command = index ? "--index ${index}" : ''
    def sort_command = sort_bam ? '--sort --temporary-folder .' : ''
    def metrics_command = args =~ /--(mark|remove)-duplicates/ ? "--metrics ${prefix}.duplicates.txt" : ''
    def single_command = meta.single_end ? '--single' : ''
    // A task that has an accelerator fails if it does not see it; without one, the same output comes from the CPU
    def device_command = task.accelerator ? '--device cuda:all' : '--device cpu'
    """
    gpualign \\
        ${args} \\
        ${device_command} \\
        ${index_command} \\
        ${single_command} \\
        ${sort_command} \\
        ${metrics_command} \\
        --threads ${task.cpus} \\
        --report ${prefix}.html \\
        --output ${prefix}.${output_fmt} \\
        ${reads} \\
        ${fasta}
    """

    stub:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    if (!(output_fmt in ['sam', 'bam', 'cram'])) {
        error("output_fmt is sam, bam or cram, not ${output_fmt}")
    }
    def index_extension = [bam: 'bai', cram: 'crai'][output_fmt]
    def index_command = sort_bam && index_extension ? "touch ${prefix}.${output_fmt}.${index_extension}" : ''
    def metrics_command = args =~ /--(mark|remove)-duplicates/ ? "touch ${prefix}.duplicates.txt" : ''
    """
    touch ${prefix}.${output_fmt}
    touch ${prefix}.html
    touch ${prefix}_mqc.json
    ${index_command}
    ${metrics_command}
    """
}
