"""Writes the lanes of a sample as `gpualign --lanes` reads them: read 1, read 2 (or *) and read group, separated by tabs."""

with open(snakemake.output[0], "w") as file:
    for lane in snakemake.params.lanes:
        group = {
            "ID": f"{lane['sample']}.{lane['lane']}",
            "SM": lane["sample"],
            "LB": lane.get("library", lane["sample"]),
            "PL": lane.get("platform", "ILLUMINA"),
        }
        tags = "".join(rf"\t{tag}:{value}" for tag, value in group.items())
        print(lane["fq1"], lane.get("fq2", "*"), f"@RG{tags}", sep="\t", file=file)
