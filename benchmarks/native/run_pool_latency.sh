#!/bin/sh
# Compare the thread pool with GNU OpenMP: run_pool_latency.sh [THREADS [ROUNDS [SECONDS [BUSY]]]]
# In each round the variants run one after another, with SECONDS for each case. BUSY processes compute at the same time.
# CFLAGS=-DSPIN_MICROSECONDS=50 tries another spin time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
threads=${1:-2} rounds=${2:-3} seconds=${3:-0.2} busy=${4:-0}
folder=$(mktemp -d)
cat > "$folder/table.h" <<'END'
static const Kernel kernels[1];
static const int kernel_count = 0;
static const char source_hash[] = "";
enum { MAX_WORDS = 1, MAX_ARRAYS = 0 };
END
${CC:-cc} -O2 -std=c11 ${CFLAGS:-} -fopenmp -pthread -I"$folder" -o "$folder/pool_latency" \
    "$here/pool_latency.c" "$here/../../build_kernels/runtime.c"
processes=
trap 'kill $processes 2>/dev/null || true; rm -r "$folder"' EXIT
i=0
while [ $i -lt "$busy" ]; do
    (while :; do :; done) &
    processes="$processes $!"
    i=$((i + 1))
done
i=0
while [ $i -lt "$rounds" ]; do
    i=$((i + 1))
    echo "round $i, $threads threads, $busy busy processes, load $(cut -d' ' -f1 /proc/loadavg)"
    "$folder/pool_latency" alone "$threads" "$seconds"
    "$folder/pool_latency" pool "$threads" "$seconds"
    echo "GOMP_SPINCOUNT=5000"
    GOMP_SPINCOUNT=5000 "$folder/pool_latency" openmp "$threads" "$seconds"
    echo "default GOMP_SPINCOUNT"
    "$folder/pool_latency" openmp "$threads" "$seconds"
done
