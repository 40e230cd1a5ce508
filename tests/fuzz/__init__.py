"""A differential fuzzer: random graphs and options for every public function, and what comes out compared.

    python -m tests.fuzz                              half a minute
    python -m tests.fuzz --seconds 3600 --seed 7      an hour, of other cases
    python -m tests.fuzz --jobs 16                    in 16 processes, each with its share of the cases
    python -m tests.fuzz --only vertex_coloring       one function
    python -m tests.fuzz --seed 7 --case 1234         one case again
    python -m tests.fuzz --tiny 64                    all graphs up to 6 vertices, and more (tiny.py): half an hour
    python -m tests.fuzz --tiny 1                     the same, each in calls of its own: hours
    python -m tests.fuzz --large 100000               graphs of up to so many vertices (large.py)
    python -m tests.fuzz.files --seconds 3600         damaged files (files.py)
    python -m tests.fuzz.ids --seconds 3600           vertex ids of all kinds, through all interfaces (ids.py)

A case is a small graph, a form in which it is handed in, a function with options, and two ways to run it: a number of
threads, or more workers than threads, or the target without a compiler in a shuffled order. The answer must be what an
oracle of `naive`, another library, or the definition says, and the same both ways. In some cases an argument is wrong:
then the only right answer is a ValueError or TypeError of one sentence that stablegraph raises itself.

A case that fails is made smaller as long as it fails, and printed as a program. A case depends on the seed and its
number alone. The exit code is 1 if one failed.

=================  ================================================================================
`given.py`         graphs, and the forms in which they are handed in
`shapes.py`        random graphs of many shapes, and weights
`tiny.py`          all tiny graphs
`cases.py`         targets (a function, its options, what is right), cases, how they are run
`sets.py` ...      the targets
`backends.py`      the NetworkX backend, on graphs and views that change between calls
`relations.py`     targets that compare two answers: what must not change when the graph is changed
`sums.py`          sums of weights near the limits of their types, through every function that merges edges
`wrong.py`         arguments that must be refused
`shrinking.py`     smaller cases that fail, too
`large.py`         larger graphs, against verifiers
`files.py`         files that are damaged, against what readers promise
`ids.py`           tables of edges between ids of all kinds, through all interfaces
=================  ================================================================================
"""
