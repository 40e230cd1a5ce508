"""Each message with advice: its names exist, and its advice is followed on an input that triggers it."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import io
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import cli
from tests.cli.invoking import ok, run
from tests.house.advice_for_environments import ENVIRONMENTS
from tests.house.advice_for_partitions import PARTITIONS
from tests.house.following import (
    ARCS,
    PATH,
    WEIGHTED,
    command,
    done,
    edges,
    message_of,
    options_said,
    pairs,
    read,
    said,
    same,
    table,
    write,
    written,
)
from tests.interface.test_unknown_options import public_functions
from tests.support.advice import messages

ROOT = Path(__file__).parents[2]

INDPTR, INDICES = np.array([0, 1, 2]), np.array([1, 0])
MASKED = np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 0])
HUGE = np.array([1e308, 1e308, 1e308])


@np.errstate(invalid="ignore")
def root(x):
    return np.sqrt(1 - x)


def matches():
    """Return a table of scored pairs."""
    return table(u=[0, 1], v=[1, 2], score=[0.9, 0.1])


def stated():
    """Return the table of a graph, which states the number of vertices."""
    written(pairs([0], [1]), "stated.parquet")
    return pytest.importorskip("pyarrow.parquet").read_table("stated.parquet")


def scored(name):
    """Write a text table of scored pairs; return its name."""
    return write(name, "source,target,score\na,b,0.9\nb,c,0.1\n")


def components(*options):
    """Return the number of components that the command finds."""
    return json.loads(ok("components", scored("p.csv"), *options, "--json"))["components"]


def sources():
    """Write a table of the sources of the two records with a high score; return the options that use it."""
    return ["--where", "score >= 0.6", "--records", write("s.csv", "id,s\na,1\nb,2\n"), "--sources", "s"]


def clustered(*arguments, **options):
    """Return the sizes of the clusters of the records."""
    return sg.cluster_pairs(*arguments, **options)["size"].to_pylist()


# Part of the message in the sources; a call that causes it; a check that does what the message says.
CORE = [
    (
        "convert them with .astype(numpy.int64)",
        lambda: pairs(np.array([0.0]), np.array([1])),
        lambda m: edges(pairs(np.array([0.0]).astype(np.int64), np.array([1]))) == 1,
    ),
    (
        "convert them with .astype(float)",
        lambda: pairs([0], [1], np.array(["3"])),
        lambda m: pairs([0], [1], np.array(["3"]).astype(float)).weights[0] == 3,
    ),
    (
        "is NaN; replace it, or remove the entry",
        lambda: sg.as_graph(np.array([[0, np.nan], [np.nan, 0]]), weights=True),
        lambda m: edges(sg.as_graph(np.nan_to_num(np.array([[0, np.nan], [np.nan, 0]])), weights=True)) == 0,
    ),
    ("holds names, but", lambda: pairs(["a"], [1]), lambda m: edges(pairs(["a"], ["1"])) == 1),
    ("pass a larger n", lambda: pairs([0], [5], n=3), lambda m: len(pairs([0], [5], n=6)) == 6),
    (
        "(arrays of endpoints go to from_edges(u, v))",
        lambda: sg.as_graph((np.array([0, 1, 2]), np.array([1, 2, 0]))),
        lambda m: edges(said(m, r"go to (from_edges\(u, v\))", u=[0, 1, 2], v=[1, 2, 0], from_edges=pairs)) == 3,
    ),
    (
        "a Graph is made by as_graph",
        lambda: sg.Graph(),
        lambda m: edges(sg.as_graph((INDPTR, INDICES))) == 1 == edges(pairs([0], [1])),
    ),
    (
        "make a new one with as_graph",
        lambda: setattr(PATH, "weights", np.ones(6)),
        lambda m: sg.as_graph((PATH.indptr, PATH.indices, np.ones(6))).weights.sum() == 6,
    ),
    (
        "leave out directed=True, or symmetrize",
        lambda: sg.from_edges([0], [1], directed=True, symmetrize=True),
        lambda m: not pairs([0], [1], symmetrize=True).directed and sg.from_edges([0], [1], directed=True).directed,
    ),
    (
        "1.8e308; scale the weights down",
        lambda: sg.total_weight(sg.minimum_spanning_forest(pairs([0, 1, 2], [1, 2, 3], HUGE))),
        lambda m: sg.total_weight(sg.minimum_spanning_forest(pairs([0, 1, 2], [1, 2, 3], HUGE / 8))) == HUGE[0] / 8 * 3,
    ),
    (
        "the weights of entry {} sum to {}",
        lambda: pairs([0, 0], [1, 1], [2**63 - 1] * 2, symmetrize="sum"),
        lambda m: (
            pairs(
                [0, 0], [1, 1], np.array([2**63 - 1] * 2).astype(re.search(r"weights to (\w+)", m)[1]), symmetrize="sum"
            ).weights[0]
            == 2.0**64
        ),
    ),
    (
        "convert the weights to {}",
        lambda: pairs([0, 0], [1, 1], np.array([3e38] * 2, np.float32), symmetrize="sum"),
        lambda m: (
            pairs([0, 0], [1, 1], np.array([3e38] * 2, re.search(r"weights to (\w+)", m)[1]), symmetrize="sum").weights[
                0
            ]
            == 6e38
        ),
    ),
    (
        "symmetrize='min', 'max' or 'sum'",
        lambda: pairs([0, 1], [1, 0], [1.0, 2.0]),
        lambda m: (
            [pairs([0, 1], [1, 0], [1.0, 2.0], symmetrize=how).weights[0] for how in re.findall(r"'(\w+)'", m)]
            == [1, 2, 3]
        ),
    ),
    (
        "or combine them before; where they do not matter, pass",
        lambda: sg.as_graph(np.array([[0, 1.0], [2.0, 0]]), weights=True, symmetrize=True),
        lambda m: (
            edges(sg.as_graph(np.array([[0, 1.0], [2.0, 0]]), symmetrize=True, **options_said(m, "matter, pass (.*)$")))
            == 1
        ),
    ),
    (
        "drop_duplicates=False to keep both",
        lambda: sg.from_edges([0, 0], [1, 1], [1.0, 2.0], directed=True),
        lambda m: sg.from_edges([0, 0], [1, 1], [1.0, 2.0], directed=True, drop_duplicates=False).weights.size == 2,
    ),
    (
        "the weights of entry {} differ",
        lambda: pairs([0, 1], [1, 0], [1.0, 2.0]),
        lambda m: edges(pairs([0, 1], [1, 0])) == 1 and "without" not in m,
    ),
    (
        "leave such places out, or fill them",
        lambda: sg.maximal_independent_set(PATH, weights=MASKED),
        lambda m: sg.maximal_independent_set(
            PATH, weights=said("MASKED" + re.search(r"\.filled\(value\)", m)[0], "(.*)", MASKED=MASKED, value=0)
        ).any(),
    ),
    (
        "has no order: pass a list or an array",
        lambda: sg.maximal_independent_set(PATH, weights={1, 2, 3, 4}),
        lambda m: sg.maximal_independent_set(PATH, weights=[1, 2, 3, 4]).any(),
    ),
    (
        "results: pass one array{}",
        lambda: sg.modularity(PATH, sg.communities(PATH)),
        lambda m: "second of them" in m and sg.modularity(PATH, sg.communities(PATH)[1]) >= 0,
    ),
    (
        "vertices: pass shape ({},)",
        lambda: sg.maximal_independent_set(PATH, include=np.array([True, False])),
        lambda m: sg.maximal_independent_set(
            PATH, include=np.ones(said(m, r"pass shape (.*)$"), bool) & (np.arange(4) < 1)
        )[0],
    ),
    (
        "turn a mask of zeros and ones into booleans",
        lambda: sg.maximal_independent_set(PATH, include=np.array([1, 0, 0, 1])),
        lambda m: sg.maximal_independent_set(PATH, include=np.array([1, 0, 0, 1]).astype(bool))[[0, 3]].all(),
    ),
    (
        "pass the number of the one that is meant",
        lambda: sg.maximal_independent_set(pairs([0, 1], [1, 2], nodes=["a", "a", "b"]), include="a"),
        lambda m: sg.maximal_independent_set(pairs([0, 1], [1, 2], nodes=["a", "a", "b"]), include=[1])[1],
    ),
    (
        "has an end without a name: leave it out",
        lambda: pairs(["a", None], ["b", "c"]),
        lambda m: edges(pairs(["a"], ["b"])) == 1,
    ),
    (
        "the arrays of this Graph were changed",
        lambda: changed().check(),
        lambda m: edges(sg.as_graph(sp.csr_array(np.ones((2, 2)) - np.eye(2)))) == 1,
    ),
]


def changed():
    graph = sg.as_graph((INDPTR.copy(), INDICES.copy()))
    graph.indices.flags.writeable = True
    graph.indices[0] = 0
    return graph


HEAVY = pairs([0, 1, 2], [1, 2, 3], HUGE)
SQUARE = np.array([[4.0, -1, 0, 0], [-1, 4, -1, 0], [0, -1, 4, -1], [0, 0, -1, 4]])
FOREST = sg.minimum_spanning_forest(WEIGHTED)
NAN = np.array([1.0, np.nan, 3.0])
PLAN = sg.jacobian_coloring(SQUARE)

GRAPHS = [
    (
        "pass only its graph element",
        lambda: sg.as_graph((1, WEIGHTED, "x", 0)),
        lambda m: edges(sg.as_graph(WEIGHTED)) == 3,
    ),
    (
        "a tuple must be (indptr, indices) or",
        lambda: sg.as_graph(([0, 1], [1, 2], [1.0, 1.0], 7)),
        lambda m: (
            edges(said(m, r"go to (from_edges\(u, v\))", from_edges=pairs, u=[0, 1], v=[1, 2])) == 2
            and edges(
                said(m, r"be (\(indptr, indices\))", indptr=INDPTR, indices=INDICES) and sg.as_graph((INDPTR, INDICES))
            )
            == 1
        ),
    ),
    (
        "cannot make a graph of",
        lambda: sg.as_graph(7),
        lambda m: (
            [edges(sg.as_graph(x)) for x in (sp.csr_array(SQUARE), (INDPTR, INDICES), SQUARE)] == [3, 1, 3]
            and edges(sg.as_graph(np.array([[0, 1], [1, 2], [2, 3]]), symmetrize=True)) == 3
        ),
    ),
    (
        "from_edges takes two arrays of ends",
        lambda: sg.from_edges([(0, 1), (1, 2)]),
        lambda m: (
            edges(said(m, r"call (from_edges\(\*edge_index\))", from_edges=pairs, edge_index=[[0, 1], [1, 2]])) == 2
            and edges(
                said(
                    m,
                    r"(as_graph\(edges\))",
                    as_graph=functools.partial(sg.as_graph, symmetrize=True),
                    edges=[(0, 1), (1, 2), (2, 3)],
                )
            )
            == 3
        ),
    ),
    (
        "an array of names must be edges of shape",
        lambda: sg.as_graph(np.array([["a", "b", "1"]])),
        lambda m: edges(said(m, r"go to (from_edges\(.*\))", from_edges=pairs, u=["a"], v=["b"], weights=[1])) == 1,
    ),
    (
        "if its two rows hold the ends of edges",
        lambda: sg.as_graph(np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])),
        lambda m: (
            edges(said(m, r"use (from_edges\(\*array\))", from_edges=pairs, array=np.array([[0, 1], [1, 2]]))) == 2
        ),
    ),
    (
        "a strength compares the entries",
        lambda: sg.aggregate(PATH, strength=0.1),
        lambda m: sg.aggregate(SQUARE, strength=0.1)[0] == sg.aggregate(PATH, strength=sg.as_graph(SQUARE))[0],
    ),
    (
        "sizes need a capacity per color, or a number",
        lambda: sg.vertex_coloring(PATH, sizes=[1, 2, 3, 4]),
        lambda m: (
            sg.vertex_coloring(PATH, sizes=[1, 2, 3, 4], capacity=5).max() >= 1
            and sg.vertex_coloring(PATH, sizes=[1, 2, 3, 4], colors=3).max() == 2
        ),
    ),
    (
        "schedule_table(graph, rounds)",
        lambda: sg.schedule_table(PATH.to_scipy(), [0, 1, 0, 1]),
        lambda m: sg.schedule_table(PATH, [0, 1, 0, 1]).num_rows == 4,
    ),
    (
        "rounds must contain each of the {} vertices once; pass the answer of schedule",
        lambda: sg.schedule_table(PATH, [[0, 1], [3]]),
        lambda m: sg.schedule_table(PATH, sg.schedule(PATH)).num_rows == 4,
    ),
    (
        "is free in round {}: pass rooms and sizes to schedule",
        lambda: sg.schedule_table(PATH, sg.schedule(PATH), rooms={"hall": 5}),
        lambda m: (
            len(
                set(
                    sg.schedule_table(PATH, sg.schedule(PATH, rooms={"hall": 5}), rooms={"hall": 5})["slot"].to_pylist()
                )
            )
            == 4
        ),
    ),
    (
        "fixed has colors with rooms: pass rooms=, or fix only the colors",
        lambda: sg.schedule(PATH, fixed={0: (0, "hall")}),
        lambda m: (
            sg.schedule(PATH, fixed={0: (0, "hall")}, rooms={"hall": 5})[0].tolist() == [0]
            and 0 in sg.schedule(PATH, fixed={0: 0})[0]
        ),
    ),
    (
        "vertex {} is fixed in room {}, which is not in rooms=; fix only its color",
        lambda: sg.schedule(PATH, fixed={0: (0, "lab")}, rooms={"hall": 5}),
        lambda m: sg.schedule(PATH, fixed={0: 0}, rooms={"hall": 5})[0].tolist() == [0],
    ),
    (
        ", but is in round {}: pass fixed to schedule, too",
        lambda: sg.schedule_table(PATH, [0, 1, 2, 3], rooms={"hall": 5}, fixed={0: (3, "hall")}),
        lambda m: (
            sg.schedule_table(
                *(PATH, sg.schedule(PATH, rooms={"hall": 5}, fixed={0: (3, "hall")})),
                rooms={"hall": 5},
                fixed={0: (3, "hall")},
            )["slot"][0].as_py()
            == 3
        ),
    ),
    (
        "has no value for vertex {}{}: pass one for every vertex, such as",
        lambda: sg.schedule(PATH, capacity=3, sizes={0: 2, 2: 2, 3: 2}),
        lambda m: "sizes={1: 1, ...}" in m and len(sg.schedule(PATH, capacity=3, sizes={0: 2, 1: 1, 2: 2, 3: 2})) == 3,
    ),
    (
        "has no value for {}: pass one for every vertex",
        lambda: sg.is_proper_coloring(PATH, {0: 0, 2: 0, 3: 1}),
        lambda m: sg.is_proper_coloring(PATH, {0: 0, 1: 1, 2: 0, 3: 1}),
    ),
    (
        "start has no label for vertex {}: leave it out",
        lambda: sg.connected_components(PATH, start={0: 1, 1: None}),
        lambda m: sg.connected_components(PATH, start={0: 1})[0] == 1,
    ),
    (
        "exceed the total capacity of {} colors",
        lambda: sg.vertex_coloring(PATH, colors=2, capacity=1),
        lambda m: (
            sg.vertex_coloring(PATH, colors=4, capacity=1).max() == 3
            and sg.vertex_coloring(PATH, colors=2, capacity=2).max() == 1
        ),
    ),
    (
        "colors=0 is not enough",
        lambda: sg.vertex_coloring(PATH, colors=0),
        lambda m: sg.vertex_coloring(PATH, colors=2).max() == 1,
    ),
    (
        "fixed vertices keep their label of start",
        lambda: sg.communities(PATH, fixed=[0]),
        lambda m: sg.communities(PATH, fixed=[0], start=[0, 1, 2, 3])[1].size == 4,
    ),
    (
        "start has {} vertices with label",
        lambda: sg.communities(PATH, start=[0, 0, 0, 0], max_size=2),
        lambda m: np.bincount(sg.communities(PATH, start=[0, 0, 1, 1], max_size=2)[1]).max() <= 2,
    ),
    (
        "min_size must be at most max_size",
        lambda: sg.communities(PATH, min_size=3, max_size=2),
        lambda m: sg.communities(PATH, min_size=2, max_size=2)[0] == 2,
    ),
    (
        "if vertices were removed, pass the old labels of the remaining ones",
        lambda: sg.inherit_labels([0, 1], [4, 4, 5]),
        lambda m: sg.inherit_labels([0, 1], [4, 5]).tolist() == [4, 5],
    ),
    (
        "which leaves no room for new numbers; number old from 0",
        lambda: sg.inherit_labels([0, 1], [2**63 - 1]),
        lambda m: sg.inherit_labels([0, 1], [0]).tolist() == [0, 1],
    ),
    (
        "scale the weights and the resolution down",
        lambda: sg.potts(HEAVY, [0, 0, 0, 0], resolution=0),
        lambda m: np.isclose(sg.potts(pairs([0, 1, 2], [1, 2, 3], HUGE / 1e308), [0, 0, 0, 0], resolution=0), 3),
    ),
    (
        "communities need finite weights that are not negative",
        lambda: sg.communities(pairs([0, 1], [1, 2], [1.0, -1.0])),
        lambda m: (
            sg.communities(said(m, r"pass (as_graph\(.*\))", graph=pairs([0, 1], [1, 2], [1.0, -1.0])))[1].size == 3
        ),
    ),
    (
        "if the graph has fewer vertices than before",
        lambda: sg.connected_components(PATH, start=[0, 1, 2, 3, 4]),
        lambda m: sg.connected_components(pairs([0, 1, 2], [1, 2, 3], n=5), start=[0, 1, 2, 3, 4])[0] == 2,
    ),
    (
        "start must be labels of integers",
        lambda: sg.connected_components(PATH, start=[0.5, 1, 2, 3]),
        lambda m: sg.connected_components(PATH, start=sg.connected_components(PATH)[1])[0] == 1,
    ),
    (
        "pass labels of connected_components",
        lambda: sg.connected_components(PATH, start=[0, 9, 2, 3]),
        lambda m: sg.connected_components(PATH, start=sg.connected_components(PATH)[1])[0] == 1,
    ),
    (
        "start= needs algorithm='union'",
        lambda: sg.connected_components(PATH, start=[0, 1, 2, 3], algorithm="fastsv"),
        lambda m: (
            said(m, r"needs (algorithm=.*), got".replace("(algorithm=", "algorithm=(")) == "union"
            and sg.connected_components(PATH, start=[0, 1, 2, 3], algorithm="union")[0] == 1
        ),
    ),
    (
        "convert one of them",
        lambda: sg.block_diagonal([PATH, ARCS]),
        lambda m: edges(sg.block_diagonal([PATH, sg.as_graph(ARCS, symmetrize=True)])[0]) == 6,
    ),
    (
        "forest must be a sparse array, such as",
        lambda: sg.total_weight(WEIGHTED),
        lambda m: sg.total_weight(said(m, r"such as (minimum_spanning_forest\(graph\))", graph=WEIGHTED)) == 6,
    ),
    (
        "a distance is at least 0; make distances",
        lambda: sg.single_linkage(sg.minimum_spanning_forest(pairs([0, 1], [1, 2], [-1.0, 2.0]))),
        lambda m: (
            len(sg.single_linkage(sg.minimum_spanning_forest(pairs([0, 1], [1, 2], 2.0 - np.array([-1.0, 2.0]))))) > 0
        ),
    ),
    (
        "closes a cycle; pass minimum_spanning_forest",
        lambda: sg.single_linkage(pairs([0, 1, 2], [1, 2, 0], [1.0, 2, 3])),
        lambda m: (
            len(
                sg.single_linkage(
                    said(m, r"pass (minimum_spanning_forest\(graph\))", graph=pairs([0, 1, 2], [1, 2, 0], [1.0, 2, 3]))
                )
            )
            > 0
        ),
    ),
    (
        "the weights must be real numbers of at most 64 bits",
        lambda: sg.minimum_spanning_forest(pairs([0], [1], np.array([1j]))),
        lambda m: sg.minimum_spanning_forest(pairs([0], [1], np.array([1j]).real)).nnz == 1,
    ),
    (
        "is NaN, which is neither lighter nor heavier",
        lambda: sg.minimum_spanning_forest(pairs([0, 1, 2], [1, 2, 3], NAN)),
        lambda m: (
            sg.minimum_spanning_forest(pairs([0, 2], [1, 3], NAN[[0, 2]])).nnz == 2
            and sg.minimum_spanning_forest(pairs([0, 1, 2], [1, 2, 3], np.nan_to_num(NAN))).nnz == 3
        ),
    ),
    (
        "{}; pass as_graph(graph, symmetrize='max'), or 'min' or 'sum' instead of 'max'",
        lambda: sg.minimum_spanning_forest(sp.csr_array(np.array([[0, 1.0], [2.0, 0]]))),
        lambda m: (
            [
                sg.total_weight(
                    sg.minimum_spanning_forest(
                        sg.as_graph(np.array([[0, 1.0], [2.0, 0]]), weights=True, symmetrize=how)
                    )
                )
                for how in re.findall(r"'(\w+)'", m)
            ]
            == [2, 1, 3, 2]
        ),
    ),
    (
        "scale the weights, for example down to",
        lambda: sg.large_independent_set(PATH, weights=[1.7e308] * 4),
        lambda m: (
            sg.large_independent_set(PATH, weights=said(m, r"down to (.*)$", weights=np.full(4, 1.7e308))).mask.sum()
            == 2
        ),
    ),
    (
        "an IndependentSet is not iterable",
        lambda: list(sg.large_independent_set(PATH)),
        lambda m: (
            said(m, r"take (numpy.flatnonzero\(result\))", result=sg.large_independent_set(PATH)).size == 2
            and said(m, r"or (result.mask)", result=sg.large_independent_set(PATH)).sum() == 2
        ),
    ),
    (
        "is an order by weights; pass weights=, too",
        lambda: sg.maximal_independent_set(PATH, priority="ratio"),
        lambda m: sg.maximal_independent_set(PATH, priority="ratio", weights=[1, 2, 3, 4])[3],
    ),
    (
        "pass the products as a dense array",
        lambda: PLAN.recover(sp.csr_array(SQUARE)),
        lambda m: (PLAN.recover(SQUARE @ PLAN.seeds()).toarray() == SQUARE).all(),
    ),
    (
        "a Hessian needs a function of JAX or PyTorch",
        lambda: sg.sparse_hessian(lambda x: (x**3).sum() / 6, np.eye(3))(np.ones(3)),
        lambda m: np.allclose(
            said(m, r"use (sparse_jacobian\(.*\)) for", gradient=lambda x: x**2 / 2, pattern=np.eye(3))(
                np.ones(3)
            ).toarray(),
            np.eye(3),
            atol=1e-4,
        ),
    ),
    (
        "differences give products with columns only",
        lambda: sg.sparse_jacobian(np.sin, sg.jacobian_coloring(np.eye(3), "row"))(np.ones(3)),
        lambda m: np.allclose(
            sg.sparse_jacobian(np.sin, sg.jacobian_coloring(np.eye(3), said(m, r"use mode (.*?),")))(
                np.ones(3)
            ).toarray(),
            np.eye(3) * np.cos(1),
            atol=1e-4,
        ),
    ),
    (
        "the pattern lacks entries",
        lambda: sg.sparse_jacobian(lambda x: x * x[0], np.eye(2), check=True)(np.ones(2)),
        lambda m: (
            said(m, r"wrong in row (\d+);") == 1
            and sg.sparse_jacobian(lambda x: x * x[0], [[1, 0], [1, 1]], check=True)(np.ones(2)).nnz == 3
        ),
    ),
    (
        "{}, where fun(x) is finite, but not after a step of the difference{}",
        lambda: sg.sparse_jacobian(root, np.eye(1), check=True)([1.0]),
        lambda m: np.isfinite(sg.sparse_jacobian(root, np.eye(1))([said(m, r" at x\[0\] = (\S+),") / 2]).data),
    ),
    (
        "{}, where fun(x) is {} in row {}",
        lambda: sg.sparse_jacobian(root, np.eye(1), check=True)([2.0]),
        lambda m: said(m, r"in row (\d+)$") == 0,
    ),
    (
        "check=True cannot check {}: the derivative in a random direction is {} in {} {}{}",
        lambda: sg.sparse_jacobian(root, np.eye(1), check=True)([1 - 1e-6]),
        lambda m: np.isfinite(sg.sparse_jacobian(root, np.eye(1))([1 - 1e-6]).data),
    ),
    (
        "; if fun is undefined outside of bounds, pass bounds=(lower, upper)",
        lambda: sg.sparse_jacobian(root, np.eye(1))([1.0]),
        lambda m: np.isfinite(sg.sparse_jacobian(root, np.eye(1), bounds=(0, 1))([1.0]).data),
    ),
    (
        "nearest neighbors of each point, or a smaller min_samples",
        lambda: sg.mutual_reachability(WEIGHTED, 2),
        lambda m: np.isfinite(
            sg.mutual_reachability(WEIGHTED, said(m, r"at least the (\d+) nearest") - 1).weights
        ).all(),
    ),
    (
        "; -1 means no vertex, so leave such places out",
        lambda: sg.from_table(table(u=["a"], v=["b"])).nodes[[0, -1]],
        lambda m: sg.from_table(table(u=["a"], v=["b"])).nodes[[0]] == ["a"],
    ),
    (
        "bounds= limits the steps of differences with a plan of the mode",
        lambda: sg.sparse_jacobian(np.sin, sg.hessian_coloring(SQUARE), bounds=(0, 1)),
        lambda m: sg.jacobian_coloring(SQUARE, said(m, r"of the mode (\S+);")).mode == "column",
    ),
    (
        "rows: return shape ({},)",
        lambda: sg.sparse_jacobian(lambda x: x[:2], np.eye(3))(np.ones(3)),
        lambda m: (
            sg.sparse_jacobian(lambda x: x.reshape(said(m, r"return shape (.*)$")), np.eye(3))(np.ones(3)).nnz == 3
        ),
    ),
    (
        "columns: pass shape ({},)",
        lambda: sg.sparse_jacobian(np.sin, np.eye(3))(np.ones(4)),
        lambda m: sg.sparse_jacobian(np.sin, np.eye(3))(np.ones(said(m, r"pass shape (.*)$"))).nnz == 3,
    ),
    (
        "divide all weights by the same number",
        lambda: sg.effective_resistance(pairs([0, 1], [1, 2], [1.5e308] * 2), [(0, 1)]),
        lambda m: np.isclose(sg.effective_resistance(pairs([0, 1], [1, 2], [1.5] * 2), [(0, 1)]), 1 / 1.5),
    ),
    (
        "weights are conductances",
        lambda: sg.effective_resistance(pairs([0], [1], [-1.0]), [(0, 1)]),
        lambda m: np.isclose(
            sg.effective_resistance(said(m, r"with (as_graph\(.*\))", graph=pairs([0], [1], [-1.0])), [(0, 1)]), 1
        ),
    ),
    (
        "in the order of graph.indices; pass weights=False to ignore weights",
        lambda: sg.shortest_paths(PATH, 0, weights=[1, 2]),
        lambda m: sg.shortest_paths(PATH, 0, weights=False)[0].tolist() == [0, 1, 2, 3],
    ),
    (
        "unweighted=True",
        lambda: sg.csgraph.dijkstra([[0, -1], [0, 0]]),
        lambda m: sg.csgraph.dijkstra([[0, -1], [0, 0]], unweighted=True).tolist() == [[0, 1], [np.inf, 0]],
    ),
    (
        "at least 0; pass {} to ignore them",
        lambda: sg.shortest_paths(PATH, 0, weights=[-1] * 6),
        lambda m: sg.shortest_paths(PATH, 0, weights=False)[0].tolist() == [0, 1, 2, 3],
    ),
    (
        "pass symmetrize= to as_graph to combine",
        lambda: sg.effective_resistance(np.array([[0, 1.0], [2.0, 0]]), [(0, 1)]),
        lambda m: np.isclose(
            sg.effective_resistance(
                sg.as_graph(np.array([[0, 1.0], [2.0, 0]]), weights=True, symmetrize="max"), [(0, 1)]
            ),
            0.5,
        ),
    ),
    (
        "maxiter={} iterations were not enough",
        lambda: sg.spectral_embedding(sg.gallery.grid((30, 30)), maxiter=1),
        lambda m: sg.spectral_embedding(sg.gallery.grid((30, 30))) is not None,
    ),
    (
        "sizes need a capacity per color: pass capacity=",
        lambda: sg.is_proper_coloring(PATH, [0, 1, 0, 1], sizes=[1] * 4),
        lambda m: sg.is_proper_coloring(PATH, [0, 1, 0, 1], sizes=[1] * 4, capacity=2),
    ),
    (
        "a drawing of {} vertices shows nothing",
        lambda: sg.plot.plot_independent_set(
            sg.gallery.grid((400, 400)), np.zeros(160000, bool), positions=np.zeros((160000, 2))
        ),
        lambda m: sg.plot.plot_matrix(sg.gallery.grid((400, 400))) is not None,
    ),
]

TWINS = sg.from_edges([0, 1], [1, 2], nodes=["a", "a", "b"], symmetrize=True)
LOOP = pairs([0, 1], [1, 1], drop_loops=False)
LONE = sg.from_edges(["a"], ["b"], nodes=["a", "b", "c"], symmetrize=True)
HALF = pairs([0, 1], [1, 2], [0.5, 1.5])
COMPLEX = pairs([0, 1], [1, 2], [1j, 2])
MTX = "%%MatrixMarket matrix coordinate real {}\n3 3 1\n{} 5\n"
BLANK = sg.from_edges(["a "], ["b"], symmetrize=True)
DIGITS = sg.from_edges(["1"], ["2"], symmetrize=True)


def to_npz(graph):
    return same(written(graph, "out.npz"), graph)


FILES = [
    (
        "correct the format that is named, or name none",
        lambda: read("b.mtx", MTX.format("general", "2 1"), format="metis"),
        lambda m: (
            edges(sg.read_graph("b.mtx", symmetrize=True))
            == 1
            == edges(sg.read_graph("b.mtx", format=re.search(r"in the format '(\w+)'", m)[1], symmetrize=True))
        ),
    ),
    (
        "a second weight for vertex {}; take one of the lines out",
        lambda: read("w.col", "p edge 2 1\nn 1 5\nn 1 6\ne 1 2\n"),
        lambda m: read("w.col", "p edge 2 1\nn 1 5\ne 1 2\n").facts["vertex_weights"].tolist() == [[5], [1]],
    ),
    (
        "one weight per vertex; write the format 'metis' for several",
        lambda: written(weighted_vertices(2), "w.col"),
        lambda m: written(weighted_vertices(2), "w.graph", format="metis").facts["vertex_weights"].shape == (4, 2),
    ),
    (
        "the first line may be the title line of a table of edges; if it is, name the columns of the two ends by",
        lambda: read("t", "a,b\nx,y\n"),
        lambda m: (
            edges(sg.read_graph("t", source="a", target="b")) == 1
            and edges(read("t", re.search(r"put the line '(.*)' before", m)[1] + "\na,b\nx,y\n")) == 2
        ),
    ),
    (
        "damaged Matrix Market banner",
        lambda: read("t", "%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 1 5\n"),
        lambda m: edges(read("t", re.search(r"'(.*) FIELD", m)[1] + " real symmetric\n3 3 1\n2 1 5\n")) == 1,
    ),
    (
        "is not listed twice; correct the header",
        lambda: read("g.col", "p edge 3 1\ne 1 2\ne 2 3\n"),
        lambda m: edges(read("g.col", "p edge 3 2\ne 1 2\ne 2 3\n")) == 2,
    ),
    (
        "a .col file holds undirected graphs",
        lambda: written(ARCS, "g.col"),
        lambda m: edges(written(sg.as_graph(ARCS, symmetrize=True), "g.col")) == 3 == edges(written(ARCS, "g.gr")),
    ),
    (
        "a .col file cannot hold weights",
        lambda: written(WEIGHTED, "g.col"),
        lambda m: (
            edges(written(said(m, r"pass (as_graph\(.*\)),", graph=WEIGHTED), "g.col")) == 3
            and written(pairs([0], [1], [3]), "g.gr").weights.max() == 3
        ),
    ),
    (
        "METIS graphs have no loops; take it",
        lambda: read("g.graph", "2 2\n1 2\n1\n"),
        lambda m: edges(read("g.graph", "2 1\n2\n1\n")) == 1,
    ),
    (
        "a METIS file holds undirected graphs",
        lambda: written(ARCS, "g.metis"),
        lambda m: edges(written(sg.as_graph(ARCS, symmetrize=True), "g.metis")) == 3,
    ),
    (
        "a METIS file cannot hold self-loops",
        lambda: written(LOOP, "g.metis"),
        lambda m: (
            edges(written(sg.as_graph(LOOP, symmetrize=True).simple(), "g.metis")) == 1
            and done("convert", write("l.csv", "source,target\na,b\nb,b\n"), "g.metis", "--simple")
        ),
    ),
    (
        "a METIS file cannot hold parallel edges",
        lambda: written(pairs([0, 0], [1, 1], drop_duplicates=False), "g.metis"),
        lambda m: edges(written(pairs([0, 0], [1, 1], drop_duplicates=False).simple(), "g.metis")) == 1,
    ),
    (
        "the edge weights of a METIS file are integers",
        lambda: written(HALF, "g.metis"),
        lambda m: (
            written(pairs([0, 1], [1, 2], [1, 2]), "g.metis").weights.sum() == 6
            and written(HALF, "g.mtx").weights.sum() == 4
        ),
    ),
    (
        "but this list has no title line",
        lambda: read("g.txt", "0 1\n", source="a", target="b"),
        lambda m: edges(sg.read_graph("g.txt")) == 1,
    ),
    (
        "get the whole file, or take the header out",
        lambda: read("g.txt", "# Nodes: 3 Edges: 9\n0 1\n1 2\n"),
        lambda m: edges(read("g.txt", "0 1\n1 2\n")) == 2,
    ),
    (
        "pass format='snap' (--from snap) if it is an edge",
        lambda: read("t", "3 3 1\n1 2 5\n"),
        lambda m: (
            edges(sg.read_graph("t", format="snap")) == 1 and edges(read("t", MTX.format("symmetric", "2 1"))) == 1
        ),
    ),
    (
        "that it is undirected; correct it",
        lambda: read("g.txt", "# Directed graph\n# Undirected graph\n0 1\n"),
        lambda m: read("g.txt", "# Directed graph\n0 1\n").directed,
    ),
    (
        "has a sign or a leading zero",
        lambda: read("g.csv", "007,1\n"),
        lambda m: (
            edges(read("g.csv", "7,1\n")) == 1
            and read("g.csv", re.search(r"line '(.*?)'", m)[1] + "\n007,1\n").nodes == ["007", "1"]
        ),
    ),
    (
        "a field is empty; fill it in",
        lambda: read("g.csv", "0,1,\n1,2,3\n"),
        lambda m: edges(read("g.csv", "0,1,2\n1,2,3\n")) == 2 == edges(read("g.csv", "0,1\n1,2\n")),
    ),
    (
        "weight {} is read as a 64-bit float, which cannot hold it exactly; write it",
        lambda: read("g.txt", f"0 1 0.5\n1 2 {2**63 - 1}\n"),
        lambda m: read("g.txt", f"0 1 0.5\n1 2 {2**63 - 1}.0\n").weights.max() == 2.0**63,
    ),
    ("the weights of the format egr are 32-bit", lambda: written(HALF, "g.egr"), lambda m: to_npz(HALF)),
    ("weights in a text file are real numbers, not", lambda: written(COMPLEX, "g.txt"), lambda m: to_npz(COMPLEX)),
    (
        "weights in a text file are {}, but entry",
        lambda: written(pairs([0], [1], [np.nan]), "g.txt"),
        lambda m: np.isnan(written(pairs([0], [1], [np.nan]), "g.npz").weights).all(),
    ),
    ("several vertices are called {}; write", lambda: written(TWINS, "g.csv"), lambda m: to_npz(TWINS)),
    ("{} the isolated vertex", lambda: written(LONE, "g.csv"), lambda m: to_npz(LONE)),
    (
        "ends in NUL, which an array of texts drops",
        lambda: written(sg.from_edges(["a\0"], ["b"], symmetrize=True), "g.npz"),
        lambda m: to_npz(sg.from_edges(["a"], ["b"], symmetrize=True)),
    ),
    (
        "only an uncompressed .npz file can be mapped",
        lambda: read("g.txt", "0 1\n", mmap=True),
        lambda m: edges(sg.read_graph("g.txt")) == 1,
    ),
    (
        "a folder is read as a Parquet table; leave out",
        lambda: sg.read_graph("folder", mmap=True),
        lambda m: edges(sg.read_graph("folder")) == 3,
    ),
    (
        "name the columns of a table, but the format is",
        lambda: read("b.mtx", MTX.format("symmetric", "2 1"), source="a", target="b"),
        lambda m: edges(sg.read_graph("b.mtx")) == 1,
    ),
    (
        "write_graph(path, graph) takes a path",
        lambda: sg.write_graph(PATH, "g.npz"),
        lambda m: (
            said(m, r"(write_graph\(path, graph\))", path="g.npz", graph=PATH) is None
            and same(sg.read_graph("g.npz"), PATH)
        ),
    ),
    (
        "format= is needed to write to a file object",
        lambda: sg.write_graph(io.BytesIO(), PATH),
        lambda m: sg.write_graph(io.BytesIO(), PATH, format=re.search(r"one of '(\w+)'", m)[1]) is None,
    ),
    (
        "the suffix {} names no format; pass format=",
        lambda: sg.write_graph("g.xyz", PATH),
        lambda m: (
            sg.write_graph("g.xyz", PATH, format=re.search(r"one of '(\w+)'", m)[1]) is None
            and all(
                sg.write_graph(f"h{suffix}", PATH) is None
                for suffix in re.search(r"use one of (.*)$", m)[1].split()[:4]
            )
        ),
    ),
    (
        "the graph is mapped from this file",
        lambda: mapped_and_opened(),
        lambda m: sg.write_graph("map.npz", mapped()) is None and edges(sg.read_graph("map.npz")) == 3,
    ),
    ("a compressed member cannot be mapped", lambda: compressed(mmap=True), lambda m: edges(compressed()) == 3),
    (
        "the entries of a skew-symmetric matrix must be below",
        lambda: read("b.mtx", MTX.format("skew-symmetric", "1 2")),
        lambda m: (
            edges(read("b.mtx", MTX.format("general", "1 2").replace("3 3 1", "3 3 2") + "2 1 -5\n", weights=False))
            == 1
        ),
    ),
    (
        "pass weights=False to read its pattern",
        lambda: read(
            "b.mtx", MTX.replace("real", "complex").format("general", "2 1").replace(" 5\n", " 5 1\n"), weights=True
        ),
        lambda m: edges(sg.read_graph("b.mtx", weights=False, symmetrize=True)) == 1,
    ),
    (
        "the byte order mark is that of UTF-16",
        lambda: read("g.txt", "0 1\n".encode("utf-16")),
        lambda m: edges(read("g.txt", Path("g.txt").read_text("utf-16").encode("UTF-8"))) == 1,
    ),
    (
        "more than any graph has; correct it",
        lambda: read("g.graph", "9" * 40 + " 1\n2\n1\n"),
        lambda m: edges(read("g.graph", "2 1\n2\n1\n")) == 1,
    ),
    (
        "by iconv -f latin1 -t utf-8",
        lambda: read("g.csv", "source,target\n\xe9,b\n".encode("latin1")),
        lambda m: edges(read("g.csv", Path("g.csv").read_text("latin1"))) == 1,
    ),
    (
        "the file must be opened in binary mode",
        lambda: sg.read_graph(io.StringIO("0 1\n"), format="snap"),
        lambda m: edges(sg.read_graph(io.BytesIO(b"0 1\n"), format="snap")) == 1,
    ),
    (
        "may be an edge between names or a title line",
        lambda: read("g.csv", "a,b\nx,y\n"),
        lambda m: (
            edges(read("g.csv", "source,target\na,b\nx,y\n")) == 2
            and edges(read("g.csv", "a,b\nx,y\n", source=said(m, "source=('.*?')"), target=said(m, "target=('.*?')")))
            == 1
        ),
    ),
    (
        "the title line has several separators",
        lambda: read("g.csv", "source,target;weight\na,b;1\n"),
        lambda m: (
            edges(read("g.csv", "source,target,weight\na,b,1\n")) == 1
            and read("g.csv", 'source,target\n"a;x",b\n').nodes == ["a;x", "b"]
        ),
    ),
    (
        "let as_graph(networkx.read_edgelist(",
        lambda: read("g.txt", "a b\nb c\n"),
        lambda m: (
            edges(said(m, r"let (as_graph\(.*\)) number", networkx=pytest.importorskip("networkx"))) == 2
            and edges(read("g.txt", "# a b\n0 1\n")) == 1
        ),
    ),
    (
        "a quotation has no end",
        lambda: read("g.csv", 'source,target\n"a,b\n'),
        lambda m: edges(read("g.csv", 'source,target\n"a",b\n')) == 1 == edges(read("g.csv", "source,target\na,b\n")),
    ),
    (
        "write it with a decimal point to have it rounded",
        lambda: read("g.csv", f"source,target,weight\na,b,0.5\nb,c,{2**63 - 1}\n"),
        lambda m: read("g.csv", f"source,target,weight\na,b,0.5\nb,c,{2**63 - 1}.0\n").weights.max() == 2.0**63,
    ),
    (
        "is not a number; write it in decimals",
        lambda: read("g.csv", "source,target,weight\na,b,0x1F\n"),
        lambda m: read("g.csv", "source,target,weight\na,b,31\n").weights[0] == 31,
    ),
    (
        "differ only in the blanks around them",
        lambda: read("g.csv", "source,target\na,b\n a,c\n"),
        lambda m: (
            edges(read("g.csv", "source,target\na,b\na,c\n")) == 2
            and len(sg.from_table(pytest.importorskip("pyarrow").table({"source": ["a", " a"], "target": ["b", "c"]})))
            == 4
        ),
    ),
    (
        "the table states its {} vertices; leave out nodes=, or drop its metadata",
        lambda: sg.from_table(stated(), nodes=[7]),
        lambda m: (
            len(sg.from_table(stated())) == 2 and len(sg.from_table(stated().replace_schema_metadata(), nodes=[7])) == 3
        ),
    ),
    (
        "column= names the scores, which only threshold= and sources= use; pass one of them",
        lambda: sg.cluster_pairs(matches(), column="score"),
        lambda m: clustered(matches(), column="score", threshold=0.5) == [2, 2],
    ),
    (
        "sources= names a column of the table records; pass records=, a table with ids and sources",
        lambda: sg.cluster_pairs(matches(), sources="s"),
        lambda m: clustered(matches(), table(id=[0, 1, 2], s=[1, 1, 2]), sources="s") == [1, 2, 2],
    ),
    (
        "id= names a column of the table records; pass such a table",
        lambda: sg.cluster_pairs(matches(), [0, 1], id="name"),
        lambda m: clustered(matches(), table(name=[5], x=[1]), id="name") == [3, 3, 3, 1],
    ),
    (
        "facts=True counts pairs, but start= does not contain the earlier ones; leave out one of them",
        lambda: sg.cluster_pairs(matches(), start=table(id=[0], cluster=[0]), facts=True),
        lambda m: (
            sg.cluster_pairs(matches(), facts=True)["edges"][0].as_py() == 2
            and clustered(matches(), start=table(id=[0], cluster=[0])) == [3, 3, 3]
        ),
    ),
    (
        "column {} is an end of the pairs, so it holds no scores; pass column=",
        lambda: sg.cluster_pairs(matches(), threshold=1, column="u"),
        lambda m: clustered(matches(), threshold=0.5, column="score") == [2, 2],
    ),
    (
        "pairs: the scores are {}; name their column by column=",
        lambda: sg.cluster_pairs(table(u=[0], v=[1], x=[1], y=[0]), threshold=1),
        lambda m: clustered(table(u=[0], v=[1], x=[1], y=[0]), threshold=1, column="x") == [2, 2],
    ),
    (
        "records: name one column by {}=; the columns are {}",
        lambda: sg.cluster_pairs(matches(), table(name=[5], x=[1])),
        lambda m: "'name', 'x'" in m and clustered(matches(), table(name=[5], x=[1]), id="name") == [3, 3, 3, 1],
    ),
    (
        "start must have the columns id and cluster, as cluster_pairs returns them, got {}",
        lambda: sg.cluster_pairs(matches(), start=matches()),
        lambda m: clustered(matches(), start=sg.cluster_pairs(matches())) == [3, 3, 3],
    ),
    (
        "start has several rows with the id {}",
        lambda: sg.cluster_pairs(matches(), start=table(id=[0, 0], cluster=[0, 0])),
        lambda m: clustered(matches(), start=table(id=[0], cluster=[0])) == [3, 3, 3],
    ),
    (
        "start has the cluster {}, which is none of its ids; pass a table of cluster_pairs",
        lambda: sg.cluster_pairs(matches(), start=table(id=[0], cluster=[7])),
        lambda m: clustered(matches(), start=sg.cluster_pairs(table(u=[7], v=[0]))) == [4, 4, 4, 4],
    ),
    (
        "start has the id {} in a cluster with another record of the same source",
        lambda: sg.cluster_pairs(
            matches(), table(id=[0, 1, 2], s=[1, 1, 2]), sources="s", start=table(id=[0, 1], cluster=[0, 0])
        ),
        lambda m: (
            clustered(matches(), table(id=[0, 1, 2], s=[1, 1, 2]), sources="s", start=table(id=[1], cluster=[1]))
            == [1, 2, 2]
        ),
    ),
    (
        "the id {} is not in records=, so its source is unknown; add it, or drop its pairs",
        lambda: sg.cluster_pairs(matches(), table(id=[0, 1], s=[1, 2]), sources="s"),
        lambda m: (
            clustered(matches(), table(id=[0, 1, 2], s=[1, 2, 3]), sources="s") == [3, 3, 3]
            and clustered(matches()[:1], table(id=[0, 1], s=[1, 2]), sources="s") == [2, 2]
        ),
    ),
    (
        "records= has the id {} with several sources",
        lambda: sg.cluster_pairs(matches(), table(id=[0, 1, 2, 0], s=[1, 2, 3, 2]), sources="s"),
        lambda m: clustered(matches(), table(id=[0, 1, 2], s=[1, 2, 3]), sources="s") == [3, 3, 3],
    ),
    (
        "but {}s are numbers; convert it",
        lambda: sg.cluster_pairs(matches().set_column(2, "score", [["0.9", "0.1"]]), column="score", threshold=0.5),
        lambda m: clustered(matches(), column="score", threshold=0.5) == [2, 2],
    ),
    (
        "a text table cannot hold the name",
        lambda: written(BLANK, "g.csv"),
        lambda m: to_npz(BLANK) and edges(written(BLANK, "g.parquet")) == 1,
    ),
    (
        "names that are texts of integers only",
        lambda: written(DIGITS, "g.csv"),
        lambda m: to_npz(DIGITS) and written(DIGITS, "g.parquet").nodes == ["1", "2"],
    ),
    (
        "weights in a table are numbers, but entry",
        lambda: written(pairs([0], [1], [np.nan]), "g.parquet"),
        lambda m: np.isnan(written(pairs([0], [1], [np.nan]), "g.npz").weights).all(),
    ),
    ("has no weights of type {}; write 'npz'", lambda: written(COMPLEX, "g.parquet"), lambda m: to_npz(COMPLEX)),
    (
        "a folder is read as one table if it contains Parquet",
        lambda: (write("other/x.txt", "0 1\n"), sg.read_graph("other"))[1],
        lambda m: edges(sg.read_graph("other/x.txt")) == 1 and edges(sg.read_graph("folder")) == 3,
    ),
]


def mapped():
    sg.write_graph("map.npz", PATH)
    return sg.read_graph("map.npz", mmap=True)


def mapped_and_opened():
    graph = mapped()
    with open("map.npz", "rb+") as file:
        sg.write_graph(file, graph, format="npz")


def compressed(**options):
    sg.write_graph("c.npz", PATH)
    np.savez_compressed("d.npz", **np.load("c.npz"))
    return sg.read_graph("d.npz", **options)


MATES = {"matching": sg.maximal_matching(PATH)}
TABLES = [
    (
        "name both source= and target=, or neither",
        lambda: sg.from_table(table(a=[0], b=[1]), source="a"),
        lambda m: edges(sg.from_table(table(a=[0], b=[1]), source="a", target="b")) == 1,
    ),
    (
        "weights=False ignores weights; leave out",
        lambda: sg.from_table(table(a=[0], b=[1], c=[2]), "a", "b", "c", weights=False),
        lambda m: (
            sg.from_table(table(a=[0], b=[1], c=[2]), "a", "b", "c").weights[0] == 2
            and sg.from_table(table(a=[0], b=[1], c=[2]), "a", "b", weights=False).weights is None
        ),
    ),
    (
        "name the columns of the two ends by",
        lambda: sg.from_table(table(a=[0], b=[1], c=[2], d=[3])),
        lambda m: edges(sg.from_table(table(a=[0], b=[1], c=[2], d=[3]), source="a", target="b")) == 1,
    ),
    (
        "the weights could be in {}; name their column",
        lambda: sg.from_table(table(source=[0], target=[1], x=[2], y=[3]), weights=True),
        lambda m: (
            sg.from_table(table(source=[0], target=[1], x=[2], y=[3]), weight="x").weights[0] == 2
            and sg.from_table(table(source=[0], target=[1], x=[2], y=[3]), weights=False).weights is None
        ),
    ),
    (
        "vertex ids are integers or texts",
        lambda: sg.from_table(table(source=[0.5], target=[1.5])),
        lambda m: sg.from_table(table(source=["0.5"], target=["1.5"])).nodes == ["0.5", "1.5"],
    ),
    (
        "the value is missing; fill it in or drop the row",
        lambda: sg.from_table(table(source=[0, None], target=[1, 2])),
        lambda m: (
            edges(sg.from_table(table(source=[0, None], target=[1, 2]).drop_null())) == 1
            and edges(sg.from_table(table(source=[0, 1], target=[1, 2]))) == 2
        ),
    ),
    (
        "which no integer type holds; convert all ids to texts",
        lambda: sg.from_table(table(source=np.array([-1]), target=np.array([2**63], np.uint64))),
        lambda m: edges(sg.from_table(table(source=["-1"], target=[str(2**63)]))) == 1,
    ),
    (
        "but weights are numbers; convert it, or leave weights out",
        lambda: sg.from_table(table(source=[0], target=[1], weight=["2"])),
        lambda m: (
            sg.from_table(table(source=[0], target=[1], weight=[2.0])).weights[0] == 2
            and edges(sg.from_table(table(source=[0], target=[1], weight=["2"]), weights=False)) == 1
        ),
    ),
    (
        "merge is for the two directions of undirected edges",
        lambda: sg.from_table(table(source=[0], target=[1]), directed=True, merge="min"),
        lambda m: (
            sg.from_table(table(source=[0], target=[1]), directed=True).directed
            and not sg.from_table(table(source=[0], target=[1]), merge="min").directed
        ),
    ),
    (
        "; pass table.{}(), which is one",
        lambda: sg.from_table(pytest.importorskip("polars").DataFrame({"source": [0], "target": [1]}).lazy()),
        lambda m: (
            edges(
                sg.from_table(
                    said(
                        m,
                        r"pass (table\.\w+\(\))",
                        table=pytest.importorskip("polars").DataFrame({"source": [0], "target": [1]}).lazy(),
                    )
                )
            )
            == 1
        ),
    ),
    (
        "make each column of one type",
        lambda: sg.from_table(pytest.importorskip("pandas").DataFrame({"source": ["a", 1], "target": ["b", "c"]})),
        lambda m: (
            edges(sg.from_table(pytest.importorskip("pandas").DataFrame({"source": ["a", "1"], "target": ["b", "c"]})))
            == 2
        ),
    ),
    (
        "to_table(graph, name=answer, ...)",
        lambda: sg.to_table(PATH.indptr),
        lambda m: sg.to_table(PATH, name=np.arange(4)).column_names == ["id", "name"],
    ),
    (
        "cluster_table(graph, labels)",
        lambda: sg.cluster_table([0, 0, 0, 0], PATH),
        lambda m: said(m, r"(cluster_table\(graph, labels\))", graph=PATH, labels=np.zeros(4, int)).num_rows == 4,
    ),
    (
        "give that answer another name",
        lambda: sg.to_table(PATH, id=np.arange(4)),
        lambda m: sg.to_table(PATH, other=np.arange(4)).num_rows == 4,
    ),
    (
        "a row for each edge: make a table without other answers",
        lambda: sg.to_table(WEIGHTED, forest=FOREST, x=np.arange(4)),
        lambda m: (
            sg.to_table(WEIGHTED, forest=FOREST).num_rows == 3 and sg.to_table(WEIGHTED, x=np.arange(4)).num_rows == 4
        ),
    ),
    (
        "a matching has a row for each edge",
        lambda: sg.to_table(PATH, x=np.arange(4), **MATES),
        lambda m: sg.to_table(PATH, **MATES).num_rows == (MATES["matching"] >= 0).sum() // 2,
    ),
    (
        "for a table of the edges of a forest",
        lambda: sg.to_table(FOREST),
        lambda m: said(m, r"(to_table\(graph, forest=forest\))", graph=WEIGHTED, forest=FOREST).num_rows == 3,
    ),
    (
        "explain(is_matching, graph, mate) says why",
        lambda: sg.to_table(PATH, matching=np.array([2, -1, 0, -1])),
        lambda m: "0" in said(m, r"(explain\(.*\)) says", graph=PATH, mate=np.array([2, -1, 0, -1])),
    ),
    (
        "give the graph names of one type",
        lambda: sg.to_table(sg.from_edges([0], [1], nodes=["a", 1], symmetrize=True), x=[0, 1]),
        lambda m: sg.to_table(sg.from_edges([0], [1], nodes=["a", "1"], symmetrize=True), x=[0, 1]).num_rows == 2,
    ),
    (
        "from_table(table, {}, {}) takes two columns",
        lambda: sg.as_graph(table(source=[0], target=[1])),
        lambda m: edges(said(m, r"(from_table\(.*?\)) takes", table=table(source=[0], target=[1]))) == 1,
    ),
    (
        "an edge index goes to from_edges",
        lambda: sg.as_graph(pytest.importorskip("torch").tensor([[0, 1, 2], [1, 2, 3]])),
        lambda m: (
            edges(
                said(
                    m,
                    r"(from_edges\(.*?\))",
                    from_edges=pairs,
                    edge_index=pytest.importorskip("torch").tensor([[0, 1, 2], [1, 2, 3]]),
                )
            )
            == 3
        ),
    ),
]

GRAPH, SOURCE = "g.csv", "source,target\na,b\nb,c\n"


writes_a_page = functools.cache(done)  # slow; several messages name the same command
COMMANDS = [
    (
        "goes with --strength; without it",
        lambda: command("aggregate", "w.mtx", "--no-weights"),
        lambda m: done("aggregate", "w.mtx") and done("aggregate", "w.mtx", "--strength", 0.1),
    ),
    (
        "give FILE or --graph, not both",
        lambda: command("bench", GRAPH, "--graph", "grid"),
        lambda m: done("bench", GRAPH, "--repeat", 1),
    ),
    (
        "did you mean '--device cuda'?",
        lambda: command("mis", GRAPH, "--gpu"),
        lambda m: "cuda" in run("mis", "--help").stdout,
    ),
    (
        "; for a threshold, pass --where 'COLUMN >= NUMBER'",
        lambda: command("components", scored("p.csv"), "--weight", "score"),
        lambda m: components("--where", "score >= 0.5") == 1,
    ),
    (
        "--where: expected a column, one of {}, and a number, such as 'score >= 0.6', got {}",
        lambda: command("components", scored("p.csv"), "--where", "score"),
        lambda m: done("components", scored("p.csv"), "--where", "score >= 0.6"),
    ),
    (
        "{}: --where needs a table with the column {}",
        lambda: written(PATH, "p.mtx") and command("components", "p.mtx", "--where", "score >= 0.6"),
        lambda m: done("components", scored("p.csv"), "--where", "score >= 0.6"),
    ),
    (
        "--sources needs --records, a table with the sources, and --where 'SCORE >= NUMBER'",
        lambda: command("components", scored("p.csv"), "--sources", "s"),
        lambda m: components(*sources()) == 1,
    ),
    (
        "--sources joins the pairs with the largest {} first: pass >= or >",
        lambda: command("components", scored("p.csv"), *sources()[2:], "--where", "score < 1"),
        lambda m: components(*sources()[2:], "--where", "score > 0.5") == 1,
    ),
    (
        "{}: --sources must name one column next to the ids; the columns are {}",
        lambda: command("components", scored("p.csv"), *sources()[:-1], "list"),
        lambda m: components(*sources()) == 1,
    ),
    (
        "{} cannot be combined with --sources; leave out one of them",
        lambda: command("components", scored("p.csv"), *sources(), "--algorithm", "union"),
        lambda m: components(*sources()) == 1,
    ),
    (
        "--facts needs --label smallest and -o FILE.csv or another table, and no --start",
        lambda: command("components", scored("p.csv"), "--facts"),
        lambda m: done("components", "p.csv", "--facts", "--label", "smallest", "-o", "facts.csv"),
    ),
    (
        "{}: rename the column of the ids to 'id'",
        lambda: command("components", scored("p.csv"), "--records", write("r.csv", "key,name\nz,Zoe\n")),
        lambda m: components("--records", write("r.csv", "id,name\nz,Zoe\n")) == 2,
    ),
    (
        "{}, line 1: put the title 'id' before the ids of the records",
        lambda: command("components", scored("p.csv"), "--records", write("r.csv", "z\n")),
        lambda m: components("--records", write("r.csv", "id\nz\n")) == 2,
    ),
    (
        "{}: its ids are not those of the graph's {} vertices, each once; pass --where and --records as for the answer",
        lambda: command("verify", scored("p.csv"), write("k.csv", "id,cluster,size\na,a,2\nb,a,2\nz,z,1\n")),
        lambda m: done("verify", "p.csv", "k.csv", "--where", "score >= 0.6", "--records", write("r.csv", "id\nz\n")),
    ),
    (
        "; --records FILE adds vertices without edges",
        lambda: command("color", GRAPH, "--fixed", write("f.csv", "id,color\nz,1\n")),
        lambda m: done("color", GRAPH, "--fixed", "f.csv", "--records", write("r.csv", "id\nz\n")),
    ),
    (
        "reads no weights, so leave it out",
        lambda: command("components", GRAPH, "--weight", "x"),
        lambda m: done("components", GRAPH),
    ),
    (
        "'; use '--colors'",
        lambda: command("color", GRAPH, "--num-colors", 3),
        lambda m: done("color", GRAPH, "--colors", 3),
    ),
    (
        "'; use '--as'",
        lambda: command("verify", GRAPH, "set.txt", "--kind", "set"),
        lambda m: done("verify", GRAPH, "set.txt", "--as", "set"),
    ),
    (
        "; without names of columns, the file was read as a set: pass --as for another kind",
        lambda: command("verify", GRAPH, write("colors.txt", "0\n1\n2\n")),
        lambda m: done("verify", GRAPH, "colors.txt", "--as", "coloring"),
    ),
    (
        "name the kind of answer by --as; by its columns {}, {}",
        lambda: command("verify", GRAPH, write("own.csv", "id,hour\na,0\nb,1\nc,0\n")),
        lambda m: done("verify", GRAPH, "own.csv", "--as", re.search(r"no answer: \w+, (\w+)", m)[1]),
    ),
    (
        "'; use '{}'",
        lambda: command("mis", GRAPH, "--random-state", 3),
        lambda m: done("mis", GRAPH, re.search(r"use '(--\w+)'", m)[1], 3),
    ),
    (
        "the vertices of the graph have names; pass a table with the columns id and cluster",
        lambda: command("components", GRAPH, "--start", write("labels.txt", "0\n0\n0\n")),
        lambda m: done("components", GRAPH, "--start", write("start.csv", "id,cluster\na,a\nb,a\nc,a\n")),
    ),
    (
        "--algorithm mis has no option",
        lambda: command("color", GRAPH, "--algorithm", "mis", "--distance", 2),
        lambda m: all(
            done("color", GRAPH, "--algorithm", "mis", *o)
            for o in (("--reduce", "quick"), ("--balance",), ("--seed", 2))
        ),
    ),
    (
        "--partitions is an option of --dask",
        lambda: command("components", GRAPH, "--partitions", 2),
        lambda m: done("components", GRAPH),
    ),
    (
        "both want standard output",
        lambda: command("mis", GRAPH, "--json", "-o", "-"),
        lambda m: done("mis", GRAPH, "--json") and done("mis", GRAPH, "-o", "o.txt"),
    ),
    (
        "--plot draws one answer; pass one --resolution",
        lambda: command("communities", GRAPH, "--resolution", 1, "--resolution", 2, "--plot", "p.png"),
        lambda m: done("communities", GRAPH, "--resolution", 1),
    ),
    (
        "--to goes with -o FILE; with -o - to standard output",
        lambda: command("mis", GRAPH, "--to", "csv"),
        lambda m: done("mis", GRAPH, "-o", "o", "--to", "csv"),
    ),
    (
        "and the output would replace it; name another",
        lambda: command("mis", GRAPH, "-o", GRAPH),
        lambda m: done("mis", GRAPH, "-o", "o.csv"),
    ),
    (
        "both write {}; name another file",
        lambda: command("color", GRAPH, "-o", "o", "--plot", "o"),
        lambda m: done("color", GRAPH, "-o", "o", "--plot", "o.png"),
    ),
    (
        "a page goes into a file: name one with -o",
        lambda: command("report", GRAPH, "-o", "-"),
        lambda m: writes_a_page("report", GRAPH, "-o", "page.html"),
    ),
    ("say what to make: {}", lambda: command("generate"), lambda m: done("generate", "--list")),
    (
        "--directed keeps arcs, --symmetrize and --merge",
        lambda: command("components", GRAPH, "--directed", "--symmetrize"),
        lambda m: done("components", GRAPH, "--symmetrize"),
    ),
    (
        "--large has no option",
        lambda: command("mis", GRAPH, "--large", "--distance", 2),
        lambda m: all(done("mis", GRAPH, "--large", *o) for o in (("--rounds", 2), ("--seed", 2), ("--include", "a"))),
    ),
    (
        "--rounds is an option of --large",
        lambda: command("mis", GRAPH, "--rounds", 2),
        lambda m: done("mis", GRAPH, "--large", "--rounds", 2),
    ),
    (
        "an answer is written as .csv",
        lambda: command("mis", GRAPH, "-o", "set.png") + command("color", GRAPH, "-o", "c.png"),
        lambda m: (
            m.count("--plot") == 1
            and done("color", GRAPH, "--plot", "c.png")
            and writes_a_page("report", GRAPH, "-o", "page.html")
            and all(
                done("mis", GRAPH, "-o", "set" + x)
                for x in re.findall(r"\.\w+", m.split("written as")[1].split(" or text")[0])
            )
        ),
    ),
    (
        "--seed is for a random right-hand side",
        lambda: command("solve", "w.mtx", write("b.txt", "1\n2\n3\n"), "--seed", 3),
        lambda m: done("solve", "w.mtx", "b.txt") and done("solve", "w.mtx", "--seed", 3),
    ),
    (
        "is an option of multigrid, not of --method",
        lambda: command("solve", "w.mtx", "--method", "direct", "--cycle", "W"),
        lambda m: (
            done("solve", "w.mtx", "--method", "direct")
            and done("solve", "w.mtx", "--method", "multigrid", "--cycle", "W")
        ),
    ),
    (
        "{} goes with --as {}",
        lambda: command("verify", GRAPH, "set.txt", "--as", "set", "--maximum"),
        lambda m: (
            "forest" in m
            and done("forest", GRAPH, "-o", "f.csv", "--maximum")
            and done("verify", GRAPH, "f.csv", "--as", "forest", "--maximum")
        ),
    ),
    (
        "is a name, and also means vertex numbers; pass",
        lambda: command("mis", write("n.csv", "source,target\n1,x\nx,y\n"), "--include", "1"),
        lambda m: (
            done("mis", "n.csv", "--include", "@" + write("v.csv", "id,mask\n1,1\nx,0\ny,0\n"))
            and done("mis", "n.csv", "--include", "@" + write("v.txt", "1\n0\n0\n"))
        ),
    ),
    (
        "{} is in the folder of {}; name a file in another",
        lambda: command("mis", "folder", "-o", "folder/set.csv"),
        lambda m: done("mis", "folder", "-o", "set.csv"),
    ),
    (
        "goes with --as forest or matching; other",
        lambda: command("verify", GRAPH, "set.txt", "--as", "set", "--no-weights"),
        lambda m: done("verify", GRAPH, "set.txt", "--as", "set"),
    ),
]


REPEATED = sp.coo_array((np.array([100, 100], np.int8), ([0, 0], [1, 1])), shape=(2, 2))
LARGE = sp.coo_array((np.array([1e308, 1e308]), ([0, 0], [1, 1])), shape=(2, 2))


def networkx_graph():
    return importlib.import_module("stablegraph.interop.networkx_backend").backend.convert_from_nx(
        pytest.importorskip("networkx").path_graph(3)
    )


def without_result():
    rng = np.random.default_rng(2)
    u = np.repeat(np.arange(1, 300), 5)
    graph = pairs(u, (rng.random(u.size) ** 2 * u).astype(int))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stablegraph.coloring.constrained._MAX_PAIRS", 10)
        return sg.vertex_coloring(graph, colors=6, capacity=50)


def weighted_vertices(weights):
    return PATH._replace(facts={"vertex_weights": np.ones((len(PATH), weights), np.int64)})


def parts(*metadata):
    """Write a folder of tables with the given metadata, and read it."""
    pq = pytest.importorskip("pyarrow.parquet")
    for number, text in enumerate(metadata):
        part = table(source=[0, 1], target=[1, 2]).replace_schema_metadata({"stablegraph": text})
        pq.write_table(part, f"folder/{number}.parquet")
    Path("folder/x.parquet").unlink(missing_ok=True)
    return sg.read_graph("folder")


OTHERS = [
    (
        "convert it to {} before",
        lambda: sg.as_graph(REPEATED, weights=True, directed=True),
        lambda m: (
            sg.as_graph(
                REPEATED.astype(re.search(r"convert it to (\w+) before", m)[1]), weights=True, directed=True
            ).weights[0]
            == 200
        ),
    ),
    (
        "scale its entries down",
        lambda: sg.as_graph(LARGE, weights=True, directed=True),
        lambda m: sg.as_graph(LARGE / 4, weights=True, directed=True).weights[0] == 5e307,
    ),
    (
        "the vertices of this graph have no names: pass their numbers",
        lambda: PATH.index("a"),
        lambda m: PATH.index(3) == 3,
    ),
    (
        "help(stablegraph.gallery.{}) in Python",
        lambda: ok("generate", "grid", "--help"),
        lambda m: said(" ".join(m.split()), r"help\(stablegraph\.(gallery\.\w+)\)", gallery=sg.gallery).__doc__,
    ),
    (
        "There may be one: try another seed=, or relax",
        without_result,
        lambda m: sg.vertex_coloring(PATH, colors=4, capacity=2, seed=3).max() <= 3,
    ),
    (
        "use .to_networkx().{}",
        lambda: networkx_graph().size,
        lambda m: networkx_graph().to_networkx().size() == 2,
    ),
    (
        "name it by format= or by the file's suffix",
        lambda: read("t", "3 3\n2 3\n1 3\n1 2\n"),
        lambda m: (
            [edges(sg.read_graph("t", format=name)) for name in re.findall(r"'(\w+)'", m)[:2]] == [3, 3]
            and edges(read("t.metis", "3 3\n2 3\n1 3\n1 2\n")) == 3
        ),
    ),
    (
        "damaged DIMACS header",
        lambda: read("t", "q tw 3 1\n1 2\n"),
        lambda m: edges(read("t", "p tw 3 1\n1 2\n")) == 1 == edges(read("t", "1 2\n")),
    ),
    (
        "leave out directed=False, or pass merge='min'",
        lambda: sg.from_table(directed_table(), directed=False),
        lambda m: (
            sg.from_table(directed_table()).directed and not sg.from_table(directed_table(), merge="min").directed
        ),
    ),
    (
        "the weights of entry {} differ",
        lambda: sg.from_table(table(source=[0, 1], target=[1, 0], weight=[1, 2])),
        lambda m: (
            "pass weights=False" in m
            and sg.from_table(table(source=[0, 1], target=[1, 0], weight=[1, 2]), weights=False).weights is None
            and [
                sg.from_table(table(source=[0, 1], target=[1, 0], weight=[1, 2]), merge=how).weights[0]
                for how in re.findall(r"'(\w+)'", m)
            ]
            == [1, 2, 3]
        ),
    ),
    (
        "is not UTF-8; convert the texts to UTF-8",
        lambda: sg.from_table(latin_table()),
        lambda m: sg.from_table(table(source=[b"\xe9".decode("latin1")], target=["b"])).nodes == ["b", "\xe9"],
    ),
    (
        "scale the weights down",
        lambda: pairs([0, 0], [1, 1], HUGE[:2], symmetrize="sum"),
        lambda m: pairs([0, 0], [1, 1], HUGE[:2] / 4, symmetrize="sum").weights[0] == 5e307,
    ),
    (
        "is larger than the largest {}; scale the matrix down",
        lambda: sg.aggregate(sp.csr_array(SQUARE * (3e307 + 3e307j) * 1.3), strength=0.1),
        lambda m: sg.aggregate(sp.csr_array(SQUARE * (3 + 3j)), strength=0.1)[0] >= 1,
    ),
    (
        "the file announces {} nodes, but",
        lambda: sg.from_table(
            table(source=["a"], target=["b"]).replace_schema_metadata(
                {"stablegraph": '{"vertices": 3, "directed": true}'}
            )
        ),
        lambda m: edges(sg.from_table(table(source=[0, 1], target=[1, 2]))) == 2,
    ),
    (
        "so the files are not parts of one graph; read",
        lambda: parts('{"vertices": 3, "directed": true}', '{"vertices": 4, "directed": true}'),
        lambda m: edges(sg.read_graph("folder/0.parquet")) == 2,
    ),
    (
        "standard input is closed; name a file",
        lambda: without_input(),
        lambda m: edges(sg.read_graph(write("g.txt", "0 1\n"))) == 1,
    ),
]


def latin_table():
    pa = pytest.importorskip("pyarrow")
    return pa.table([pa.array([b"\xe9"]).view(pa.string()), pa.array(["b"])], names=["source", "target"])


def directed_table():
    return table(source=[0, 1], target=[1, 2]).replace_schema_metadata(
        {"stablegraph": '{"vertices": 3, "directed": true}'}
    )


def without_input():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", None)
        return sg.read_graph("-")


def set_up():
    Path("folder").mkdir()
    Path("other").mkdir()
    sg.write_graph("folder/x.parquet", PATH)
    write(GRAPH, SOURCE)
    write("w.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 4\n2 2 4\n3 3 4\n2 1 -1\n3 2 -1\n")
    write("set.txt", "1\n0\n1\n")


CASES = [case for group in (CORE, GRAPHS, FILES, TABLES, COMMANDS, OTHERS, ENVIRONMENTS, PARTITIONS) for case in group]
# Followed by another test: part of the message, and the file of the test.
ELSEWHERE = {
    "--readme has its own graphs": "tests/cli/test_graphs.py",
    "stablegraph.connected_components(matrix)": "tests/cli/test_graphs.py",
    "csgraph.connected_components(matrix, directed=False)": "tests/cli/test_graphs.py",
    "{}.to_dict()": "tests/interface/test_series.py",
    "{}.reindex(graph.nodes).to_numpy()": "tests/interface/test_series.py",
    "is indexed by names of vertices, but not in the order of graph.nodes": "tests/interface/test_series.py",
    "STABLEGRAPH_JIT=1 compiles kernels": "tests/house/test_contributing.py",
    "declares no types, so it is not in the library": "tests/house/test_contributing.py",
    "number the ids: ids, ends": "tests/house/test_advice.py",
    "pass [{}[v] for v in graph.nodes]": "tests/house/test_advice.py",
    "pass symmetrize={} to {} (or directed": "tests/house/test_advice.py",
    "{}; pass as_graph(graph, {})": "tests/house/test_advice.py",
    "symmetrize=True, weights=False": "tests/house/test_advice.py",
    "symmetrize={}": "tests/house/test_advice.py",
    "; pass {}": "tests/house/test_advice.py",
    "weight=None": "tests/interop/test_networkx_paths.py",
    "in a '% bip' list, equal ids": "tests/house/test_advice.py",
    "{}; pass --as {}": "tests/house/test_advice.py",
    "put a title such as {} before the first row": "tests/house/test_advice.py",
    "for the vertex with the id {} in the file, pass {}": "tests/house/test_advice.py",
    "pass trusted=True (--trusted)": "tests/io/test_proportion.py",
    "reads lists of neighbors, and ": "tests/house/test_advice.py",
    "as_graph(numpy.loadtxt({})) a dense matrix": "tests/house/test_advice.py",
    "in Python, from_edges(*{}.T, symmetrize=True)": "tests/house/test_advice.py",
    "numpy.loadtxt({}, int, comments": "tests/house/test_advice.py",
    "{}; write one in Matrix Market format": "tests/io/test_harwell_boeing.py",
    "use graphs in partitions": "tests/graph/test_several_gpus.py",
    "for a graph on several GPUs (graph.to('cuda') moves it to one)": "tests/graph/test_several_gpus.py",
}
# A test process cannot cause them: part of the message, and the reason.
NOT_HERE = {
    'the command line needs {}: pip install "stablegraph[cli]"': "an installation without Click",
    "a BCOO matrix on a GPU": "JAX on a GPU",
    "must have n_batch=0": "JAX",
    "check=True compares numbers, but jax.jit": "JAX",
    "NumPy has no type for weights of": "PyTorch",
    "an edge index goes to from_edges": "PyTorch",
    "works in the main interpreter of a process only": "a sub-interpreter",
    "progress=True draws with Rich": "an installation without Rich",
    "install the extra that fits your driver": "a GPU",
    "compiling kernels for a GPU needs": "a GPU",
    "CUDA was asked for": "a GPU",
    "The CPU may have enough": "a GPU",
    "the kernels for GPUs are not in": "a GPU",
    "the GPU code cannot be read": "a GPU",
    "pip install --force-reinstall stablegraph": "a broken installation",
    "the compiled kernels cannot be loaded": "a broken installation",
    "Laplacians are computed on the CPU": "a GPU",
    'pip install "stablegraph[{}]"': "an installation without extras",
    'pip install "stablegraph[cuda12]"': "a GPU",
    "install a wheel of a release, or": "a GPU",
    "graphs in partitions need Dask": "an installation without Dask",
    "figures need Matplotlib": "an installation without Matplotlib",
    "tables need pyarrow": "an installation without PyArrow",
    "PyAMG is not installed": "an installation without PyAMG",
    "the matrix is spread over processes": "PETSc with MPI",
    "start workers with more memory": "a Dask cluster",
    "the Dask cluster has had no worker": "a Dask cluster without workers",
    "no Dask scheduler answers there": "a Dask cluster",
    "the format egr counts in 32 bits": "2**31 entries",
    "are announced, which take {} GiB": "a file of the size of the memory",
    "of SciPy {} gave a wrong answer": "a wrong answer of SciPy",
    "; pass table.{}(), which is one": "Polars",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    set_up()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number][0][:60])
def test_the_advice_leads_to_the_right_result(number):
    fragment, cause, follow = CASES[number]
    message = message_of(cause)
    assert all(part in message for part in fragment.split("{}")), message
    assert follow(message), message


def test_each_message_is_known():
    registered = [case[0] for case in CASES] + [*ELSEWHERE, *NOT_HERE]
    texts = "\n\n".join(text for _, text in messages())
    assert [part for part in registered if part not in texts] == []
    rest = [f"{file}\t{text}" for file, text in messages() if not any(part in text for part in registered)]
    assert rest == [], "a new message needs a case"


# What the messages name

COMMAND_OPTIONS = {flag for name in cli.main.commands for option in cli.main.commands[name].params
                   for flag in (*option.opts, *option.secondary_opts)} | {"--list", "--help"}  # fmt: skip
PARAMETERS = {name for _, function in public_functions(sg) for name in inspect.signature(function).parameters}
METHODS = {name for one in (sg.Graph, np.ndarray, np.ma.MaskedArray, sg.IndependentSet) for name in dir(one)}


def unknown_names(text):
    """Yield the options, functions and extras in a message that do not exist."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra in re.findall(r"stablegraph\[(\w+)\]", text):
        if extra not in extras:
            yield extra
    for option in re.findall(r"(?<![\w-])--\w[\w-]*", text.replace("pip install --force-reinstall", "")):
        if option not in COMMAND_OPTIONS:
            yield option
    for name in re.findall(r"(?<![\w.])(\w+)=(?!=)", re.sub(r"STABLEGRAPH_\w+=|\w+(\.\w+)+\(.*?\)", "", text)):
        if name not in PARAMETERS | OTHER_OPTIONS:
            yield f"{name}="
    for name in re.findall(r"(?<![\w.])((?:\w+\.)*[a-z]\w*)\(", text):
        module, _, function = name.rpartition(".")
        if module in ("", "sg"):
            exists = function in sg.__all__ or function in OWN
        elif module in ("graph", "table", "matrix", "value", ""):
            exists = function in METHODS | {"get"}
        else:
            try:
                exists = hasattr(importlib.import_module(module), function)
            except ImportError:  # of an optional package
                exists = importlib.util.find_spec(module.split(".")[0]) is None
        if not exists:
            yield f"{name}()"


# Functions and options that are not this package's: of Python, of the user, of JAX, and of the declaration of a kernel.
OWN = {"fun", "len", "range", "help", "read"}
OTHER_OPTIONS = {"n_batch", "n_dense", "types"}


def test_names_in_messages_exist():
    unknown = {text: [*unknown_names(text)] for _, text in messages()}
    assert {text: names for text, names in unknown.items() if names} == {}
