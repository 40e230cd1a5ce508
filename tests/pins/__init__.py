"""Pinned answers: one checksum for every public function with its options on many graphs.

A result of stablegraph is a function of (graph, options, seed). The lists beside this file say which function: a line
holds a graph, a call and the crc32 of what the call returns (or the name of the error that it raises). So an answer
cannot change unseen. A change of an answer is a decision: CHANGELOG.md names it, and the same commit rewrites the list.

    python -m tests.pins [LIST ...]            compare, and name each difference
    python -m tests.pins --write [LIST ...]    make the lists anew
    python -m tests.pins --device cuda         compare those of a GPU; "emulated": of its sources, on any machine

==============  ========================================================================================
``zoo``         the graphs of the tests, those that come with the package, and calls that need no graph
``benchmarks``  the six graphs of the benchmarks, of a million vertices
``real``        thirty real graphs and matrices, in the folder that ``STABLEGRAPH_DATA`` names
==============  ========================================================================================

Graphs, in `graphs.py`, have several forms (without weights, with weights, as arcs, as a matrix), and `calls.py` is the
table of the calls. When an option is renamed, its lines are renamed and keep their checksums. The line
``graph`` of each graph pins the graph itself: where that has changed, so may all others of the graph.

`checksums.py` makes checksums. All answers are exact but those of the solvers, ``smoothed_aggregation`` and
``gauss_seidel``, which compute in floating point. Their bits are the same for any number of threads and depend on no
BLAS; but multigrid takes the largest eigenvalue of a small tridiagonal matrix from LAPACK, and its last bit may be
another one with another SciPy or another kind of processor. So lines of ``smoothed_aggregation`` are compared only with
the version and the kind that the list names. (``gallery.elasticity_3d`` is rounded to 12 places, as NumPy may add
products in another order.)
"""
