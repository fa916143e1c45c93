__author__ = "The authors of gpualign"
__copyright__ = "Copyright 2026, the authors of gpualign"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

if len(snakemake.input) != 1:
    raise ValueError("Please provide exactly one reference genome as input.")

shell(
    "gpualign index"
    " --threads {snakemake.threads}"
    " {extra}"
    " --output {snakemake.output[0]:q}"
    " {snakemake.input[0]:q}"
    " {log}"
)
