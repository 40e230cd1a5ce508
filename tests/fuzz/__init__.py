"""A differential fuzzer: random graphs and options for every public function, whose answers are compared with oracles.

    python -m tests.fuzz                              half a minute
    python -m tests.fuzz --seconds 3600 --seed 7      an hour of other cases
    python -m tests.fuzz --jobs 16                    in 16 processes, which divide the cases
    python -m tests.fuzz --only vertex_coloring       one function
    python -m tests.fuzz --seed 7 --case 1234         repeat one case
    python -m tests.fuzz --tiny 64                    all graphs up to 6 vertices, and more (tiny.py): half an hour
    python -m tests.fuzz --tiny 1                     the same, each graph in its own calls: hours
    python -m tests.fuzz --large 100000               graphs of up to this number of vertices (large.py)
    python -m tests.fuzz.files --seconds 3600         damaged files (files.py)
    python -m tests.fuzz.ids --seconds 3600           vertex ids of all kinds, through all interfaces (ids.py)

A case is a small graph, the form in which it is passed, a function with options, and two ways to run it: with a number
of threads, with more workers than threads, or on the target without a compiler in a shuffled order. The answer must
agree with an oracle of `naive`, another library, or the definition, and must be the same in both runs. In some cases an
argument is wrong: then the only correct outcome is a ValueError or TypeError with a one-sentence message that
stablegraph itself raises.

A failing case is shrunk as long as it fails, and printed as a program. A case depends only on the seed and its number.
The exit code is 1 if a case failed.

======================  ============================================================================
`input_graphs.py`       graphs, and the forms in which they are passed
`shapes.py`             random graphs of many shapes, and weights
`tiny.py`               all tiny graphs
`cases.py`              targets (a function, its options, its check), cases, and their execution
`sets.py` ...           the targets
`backends.py`           the NetworkX backend, on graphs and views that change between calls
`gpus.py`               graphs on several emulated GPUs
`relations.py`          targets that compare two answers: invariants under changes of the graph
`sums.py`               sums of weights near the limits of their types, through every function that merges edges
`invalid_arguments.py`  arguments that must be rejected
`shrinking.py`          smaller cases that still fail
`large.py`              larger graphs, checked by verifiers
`files.py`              damaged files, checked against the documented behavior of readers
`ids.py`                tables of edges between ids of all kinds, through all interfaces
======================  ============================================================================
"""
