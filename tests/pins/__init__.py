"""Pinned answers: one checksum for every public function with its options on many graphs.

A result of stablegraph is a function of (graph, options, seed). The lists in this folder record this function: a line
contains a graph, a call and the crc32 of the call's result (or the name of the error that it raises). So no answer can
change unnoticed. To change an answer deliberately, name it in CHANGELOG.md and rewrite the list in the same commit.

    python -m tests.pins [LIST ...]            compare, and print each difference
    python -m tests.pins --write [LIST ...]    rewrite the lists
    python -m tests.pins --device cuda         compare the answers of a GPU; "emulated": of its sources, on any machine;
                                               "cards": of several GPUs, emulated, as far as they support a call

==============  ========================================================================================
``zoo``         the graphs of the tests, the package's own graphs, and calls that need no graph
``benchmarks``  the six graphs of the benchmarks, with a million vertices
``real``        thirty real graphs and matrices, in the folder given by ``STABLEGRAPH_DATA``
==============  ========================================================================================

Graphs, in `graphs.py`, have several forms (without weights, with weights, as arcs, as a matrix), and `calls.py` is the
table of the calls. When an option is renamed, its lines are renamed and keep their checksums. The line ``graph`` of
each graph pins the graph itself: if it has changed, all other lines of the graph may change, too.

`checksums.py` computes the checksums. All answers are exact except for those of the solvers, ``smoothed_aggregation``
and ``gauss_seidel``, which compute in floating point. Their bits are the same for any number of threads and do not
depend on the BLAS. But multigrid gets the largest eigenvalue of a small tridiagonal matrix from LAPACK, and its last
bit may differ with another version of SciPy or another kind of processor. So lines of ``smoothed_aggregation`` are only
compared with the version and the processor that the list names. (``gallery.elasticity_3d`` is rounded to 12 decimal
places, as NumPy may add products in another order.)
"""
