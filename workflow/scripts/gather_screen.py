"""Puts the tables of all assemblies under one header, with the assembly as first column."""

# What NCBI's `std` stands for.
STANDARD = "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore"

columns = [column for name in snakemake.params.columns.split() for column in (STANDARD if name == "std" else name).split()]
with open(snakemake.output[0], "w") as table:
    print("assembly", *columns, sep="\t", file=table)
    for assembly, file in zip(snakemake.params.assemblies, snakemake.input, strict=True):
        with open(file) as rows:
            for row in rows:
                table.write(f"{assembly}\t{row}")
