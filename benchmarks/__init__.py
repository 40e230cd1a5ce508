"""Benchmarks: one harness, one file of cases per problem, raw results as JSON lines, tables and plots of them."""

import os

for variable, value in {
    "OPENBLAS_NUM_THREADS": "1",  # for dense blocks, whose threads would wait for those of other packages
    "OMP_WAIT_POLICY": "PASSIVE",  # waiting threads of a peer would slow down the next program
}.items():
    os.environ.setdefault(variable, value)
