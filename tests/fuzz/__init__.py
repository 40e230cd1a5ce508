"""A differential fuzzer: random graphs and options for every public function, and what comes out compared.

    python -m tests.fuzz                              half a minute
    python -m tests.fuzz --seconds 3600 --seed 7      an hour, of other cases
    python -m tests.fuzz --only vertex_coloring       one function
    python -m tests.fuzz --seed 7 --case 1234         one case again

A case is a small graph, a form in which it is handed in, a function with options, and two ways to run it: a number of
threads, or more workers than threads, or the target without a compiler in a shuffled order. The answer must be what an
oracle of `naive`, another library, or the definition says, and the same both ways. In some cases an argument is wrong:
then the only right answer is a ValueError or TypeError of one sentence that stablegraph raises itself.

A case that fails is made smaller as long as it fails, and printed as a program. A case depends on the seed and its
number alone. The exit code is 1 if one failed.

=================  ================================================================================
`given.py`         graphs, and the forms in which they are handed in
`cases.py`         targets (a function, its options, what is right), cases, how they are run
`sets.py` ...      the targets
`wrong.py`         arguments that must be refused
`shrinking.py`     smaller cases that fail, too
=================  ================================================================================
"""
