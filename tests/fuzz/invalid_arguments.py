"""Arguments that must be rejected, as program text by kind of argument; {n} is the number of vertices."""

from __future__ import annotations

from random import Random

from .cases import Code, Options, Target
from .input_graphs import InputGraph

NOT_A_NUMBER = ["'x'", "object()", "[1]", "1j"]
BAD_ARRAYS = [
    "object()",
    "{-1: 1}",
    "np.array(['x'] * {n} + ['y'])",
    "np.zeros(({n} + 1, 2))",
    "np.zeros({n} + 1)",
    "1j",
]
GRAPHS = [
    "5",
    "'abc'",
    "None",
    "object()",
    "np.zeros((2, 3))",
    "np.zeros((2, 2, 2))",
    "sp.csr_array((2, 3))",
    "np.full((2, 2), np.nan)",
    "np.array([[1.5, 2.0]])",
    "([0, 2], [0])",
    "(np.array([0, 1]), np.array([3]))",
    "(np.array([0, 1]), np.array([-1]))",
    "(np.array([1, 1]), np.array([], int))",
    "(np.array([0, 2, 1]), np.array([1]))",
    "(np.array([0.0, 0.5]), np.array([0]))",
    "[(0, 1), (1,)]",
    "[(0, -1), (-1, 0)]",
    "{0: [1]}",
    "np.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [0, 0]])",
]
SEEDS = ["0.5", "'1'", "True", "float('nan')", "[1]", "np.float64(1)", "np.zeros((3, 3))"]
WRONG = {
    "choice": ["'nonsense'", "''", "7", "b'natural'", "object()", "1.5", "('a', 'b', 'c')", "np.zeros((3, 3))"],
    "order": ["'nonsense'", "''", "7", "object()", "np.full({n} + 1, 0)", "np.zeros(({n} + 1, 2))", "1j", "{-1: 1}"],
    "count": ["0", "-1", "0.5", "'1'", "True", "None", "float('nan')", "[1]", "-(2**70)", "np.zeros((3, 3))"],
    "whole": ["-1", "0.5", "'1'", "True", "None", "float('nan')", "[1]", "-(2**70)"],
    "size": ["-1", "0.5", "'1'", "float('nan')", "[1]", "-(2**70)"],
    "seed": [*SEEDS, "None"],
    "seed if any": SEEDS,
    "truth": ["2", "'yes'", "1.0", "[True]", "np.array([True, False])", "np.zeros((3, 3))"],
    "vertices": [
        *BAD_ARRAYS,
        "[-1]",
        "[{n}]",
        "[{n}, {n}]",
        "[0.5]",
        "[[0]]",
        "['x']",
        "[None]",
        "np.zeros({n} + 1, bool)",
        "np.array([2**63], np.uint64)",
        "np.array([0.0])",
        "[np.nan]",
        "[[0], [0, 1]]",
    ],
    "numbers": [*BAD_ARRAYS, "'natural'", "np.zeros({n} + 1, int)", "[[0], [0, 1]]"],
    "fixed": [
        *(array for array in BAD_ARRAYS if not array.startswith("{")),
        *("'natural'", "np.zeros({n} + 1, int)", "[[0], [0, 1]]", "{{n}: 0}", "{0: -2}", "{0: 0.5}", "{'x': 1}"),
    ],
    "labels": ["object()", "[-1]", "[0.5]", "[[0]]", "'x'", "['x']", "1j", "[None]", "[[0], [0, 1]]"],
    "groups": ["object()", "[0.5]", "[[0]]", "'x'", "['x']", "1j", "[None]", "[[0], [0, 1]]"],
    "mask": [*BAD_ARRAYS, "np.zeros({n} + 1, bool)", "[[0], [0, 1]]", "['x']"],
    "verified": [*BAD_ARRAYS, "np.zeros({n} + 1, int)", "[[0], [0, 1]]", "['x']"],
    "classes": [*BAD_ARRAYS, "np.zeros({n} + 1, int)", "[[0], [0, 1]]", "[None]"],
    "ends": ["object()", "[-1]", "[0.5]", "'x'", "['x']", "1j", "[None]", "[[0], [0, 1]]", "[2**70]"],
    "combine": ["'nonsense'", "7", "''", "object()", "np.array([1, 2])"],
    "strength": ["-0.5", "1.0", "1.5", "'x'", "float('nan')", "object()", "1j"],
    "any": GRAPHS,
    "undirected": [
        *GRAPHS,
        "sp.csr_array(np.array([[0, 1.0], [0, 0]]))",
        "sg.from_edges([0], [1], directed=True)",
        "(np.array([0, 1, 1]), np.array([1]))",
    ],
}


def made_wrong(random: Random, target: Target, input_graph: InputGraph, options: Options) -> tuple[str, Options]:
    """Draw which argument is wrong; return its name and the options with the wrong value."""
    kinds = {name: kind for name, kind in target.kinds.items() if name in options or name == "graph"}
    name = random.choice(sorted(kinds))
    text = random.choice(WRONG[kinds[name]])
    return name, {**options, name: Code(text.replace("{n}", str(input_graph.n)))}
