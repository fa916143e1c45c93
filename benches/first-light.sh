#!/usr/bin/env bash
# All mapping of short reads by the suffix trie, us and the others side by side on one machine with a GPU.
# Usage: first-light.sh BIN DATA PEERS OUT
#   BIN    folder with gpualign and gpu-test-CRATE (the test binaries of fm-index/tests/gpu.rs and
#          woodstocc/tests/gpu.rs)
#   DATA   chr20.fa[.bz2], reads47.fq[.gz] (100,000 reads of 47 bp), lambda.fa.gz, lambda_35bp.fa.gz,
#          phix.fa, phix_1.fq, ecoli.fa.gz, ecoli_1.fq.gz
#   PEERS  folder with bin/bwa and bin/razers3
#   OUT    receives first-light.json and the logs
# First correctness (CPU == GPU on everything, sanitizers), then whole-program times.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd); data=$(cd "$2" && pwd); peers=$(cd "$3" && pwd)/bin; mkdir -p "$4"; out=$(cd "$4" && pwd)
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
threads=$(nproc)
device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)
echo "$device, $threads threads"
row() { printf '%s\t%s\t%s\n' "$@" >> "$out/rows.tsv"; printf '%-52s %9s reads %9.2f s  %12.0f reads/s\n' "$1" "$2" "$3" "$(python3 -c "print($2/$3)")"; }
: > "$out/rows.tsv"; : > "$out/checks.txt"
timed() { local s e; s=$(date +%s.%N); "$@" 2>>"$out/log.txt"; e=$(date +%s.%N); python3 -c "print(round($e-$s,3))"; }
check() { echo "$1" | tee -a "$out/checks.txt"; }

bzip2 -dc "$data/chr20.fa.bz2" > chr20.fa
gzip -dc "$data/reads47.fq.gz" > reads.fq
("$peers/bwa" index chr20.fa > bwa-index.log 2>&1) & bwa_index=$!

"$bin/gpualign" devices
for test in "$bin"/gpu-test-*; do
  check "$(basename "$test"): $("$test" --ignored --test-threads 1 2>&1 | grep 'test result')"
done

same() { # NAME READS REF OPTIONS...: the two devices write the same file
  local name=$1; shift
  "$bin/gpualign" --device cpu -q --mode all --strategy trie "$@" | grep -v '^@PG' > cpu.sam
  "$bin/gpualign" --device cuda -q --mode all --strategy trie "$@" | grep -v '^@PG' > gpu.sam
  cmp cpu.sam gpu.sam && check "same: $name, $(wc -l < gpu.sam) lines"
}
same "lambda all k=3" "$data/lambda_35bp.fa.gz" "$data/lambda.fa.gz"
same "lambda all starts k=2" --all-starts -k 2 "$data/lambda_35bp.fa.gz" "$data/lambda.fa.gz"
same "phix all k=7" -k 7 "$data/phix_1.fq" "$data/phix.fa"
same "ecoli 150 bp k=3" "$data/ecoli_1.fq.gz" "$data/ecoli.fa.gz"
same "ecoli 150 bp k=3, batches of 777" --primary-only --batch-size 777 "$data/ecoli_1.fq.gz" "$data/ecoli.fa.gz"

head -32 "$data/phix_1.fq" > few.fq
for tool in memcheck racecheck; do
  compute-sanitizer --tool $tool --error-exitcode 9 "$bin/gpualign" --device cuda -q --mode all --strategy trie -k 2 few.fq "$data/phix.fa" > sanitized.sam 2> $tool.log \
    && check "$tool: $(grep -h 'SUMMARY' $tool.log sanitized.sam | head -1)" || { check "$tool FAILED"; cat $tool.log; }
done

n=100000
gpualign() { "$bin/gpualign" -q --mode all --strategy trie --stats json "$@"; }
gpualign_index() { "$bin/gpualign" index -t "$threads" chr20.fa; }
gpualign_index 2>&1 | tee "$out/index.txt"
row "gpualign cuda, every locus" $n "$(timed gpualign --device cuda -o gpu-all.sam reads.fq chr20.fa)"
row "gpualign cuda, primary loci" $n "$(timed gpualign --device cuda --primary-only -o gpu-best.sam reads.fq chr20.fa)"
row "gpualign cpu, $threads threads, every locus" $n "$(timed gpualign --device cpu -t "$threads" -o cpu.sam reads.fq chr20.fa)"
cmp <(grep -v '^@PG' cpu.sam) <(grep -v '^@PG' gpu-all.sam) && check "same: chr20, 47 bp, k = 3, all loci, $(grep -vc '^@' gpu-all.sam) records"
"$here/mapq-calibration.py" < gpu-best.sam > "$out/mapq.txt"
head -8000 reads.fq > few.fq
row "gpualign cpu, 1 thread, every locus" 2000 "$(timed gpualign --device cpu -t 1 -o one.sam few.fq chr20.fa)"
wait $bwa_index
row "bwa aln -N -n 3 -o 3 -e 3, $threads threads (no samse)" $n "$(timed "$peers/bwa" aln -N -n 3 -o 3 -e 3 -l 1000 -t "$threads" -f n.sai chr20.fa reads.fq)"
row "bwa aln -n 3, $threads threads (no samse)" $n "$(timed "$peers/bwa" aln -n 3 -l 1000 -t "$threads" -f a.sai chr20.fa reads.fq)"
row "razers3 -i 93 -rr 100 -m 1000000, $threads threads" $n "$(timed "$peers/razers3" -i 93 -rr 100 -m 1000000 -tc "$threads" -o r.sam chr20.fa reads.fq)"

BIN="$bin" DEVICE="$device" THREADS="$threads" COMMIT="${COMMIT:-unknown}" python3 - "$out" <<'PY'
import json, os, sys
out = sys.argv[1]
rows = [line.rstrip("\n").split("\t") for line in open(f"{out}/rows.tsv")]
json.dump({
    "topic": "first-light", "device": os.environ["DEVICE"], "threads": int(os.environ["THREADS"]),
    "commit": os.environ["COMMIT"], "command": "benches/first-light.sh",
    "workload": "47 bp reads simulated by wgsim (1% errors, 0.1% variants) from human chromosome 20 (GRCh37), k = 3",
    "unit": "whole program, one run, seconds",
    "rows": [{"program": p, "reads": int(n), "seconds": float(s), "reads_per_second": round(int(n) / float(s))} for p, n, s, *_ in rows],
    "checks": open(f"{out}/checks.txt").read().splitlines(),
    "index": open(f"{out}/index.txt").read().splitlines(),
    "mapq": [dict(zip(("mapq", "records", "wrong"), map(int, line.split()[:3]))) for line in open(f"{out}/mapq.txt").read().splitlines()[1:]],
    "stats": [json.loads(line.replace(os.environ['BIN'] + '/', '')) for line in open(f"{out}/log.txt") if line.startswith("{")],
}, open(f"{out}/first-light.json", "w"), indent=1)
PY
