"""Tables, Jacobians, graphs in partitions, the gallery, and global settings: the remaining public names."""

from __future__ import annotations

import zlib
from random import Random
from typing import Any

import numpy as np

from tests.support import naive

from .cases import Code, Numbers, Options, Targets, equal, must
from .input_graphs import InputGraph

TARGETS = Targets()


# --------------------------------------------------------------------------------------------------------------- tables


def _draw_table(random: Random, input_graph: InputGraph) -> Options:
    kind = random.choice(["numbers", "far", "texts", "bytes"])
    name = {
        "numbers": "v",
        "far": "7 * v - 3",
        "texts": "f'{{v:0{width}d}}'",
        "bytes": "b'%0{width}d' % v",
    }[kind].replace("{width}", str(random.choice([3, 20])))
    name = name.replace("{{", "{").replace("}}", "}")
    weights = Numbers(random.randint(-5, 5) for _ in input_graph.edges) if random.random() < 0.5 else None
    merge = random.choice(["min", "max", "sum"]) if weights is not None and not input_graph.directed else None
    return {
        "edges": Code(repr(input_graph.edges)),
        "name": Code(name),
        "directed": input_graph.directed,
        "w": weights,
        "merge": merge,
    }


@TARGETS.of(
    "from_table",
    _draw_table,
    code="import pyarrow as pa\n"
    "names = [{name} for v in range(sg.as_graph(graph, directed=True).num_vertices)]\nedges = {edges}\n"
    "kind = pa.array(names).type if names else pa.int64()\n"
    "columns = {{'source': pa.array([names[u] for u, _ in edges], kind),"
    " 'target': pa.array([names[v] for _, v in edges], kind)}}\n"
    "w = {w}\nif w is not None:\n    columns['w'] = pa.array(w)\n"
    "made = sg.from_table(pa.table(columns), weight=None if w is None else 'w', directed={directed}, merge={merge})\n"
    "answer = made, names, sg.to_table(made, degree=made.degrees).to_pydict()".replace("{{", "{").replace("}}", "}"),
    directed=True,
)
def _check_table(graph: Any, options: Options, answer: Any) -> None:
    result, names, table = answer
    edges, weights = eval(options["edges"]), options["w"]
    used = sorted({v for edge in edges for v in edge})
    equal(result.num_vertices, len(used), "vertices")
    must(table["id"] == [names[v] for v in used], f"ids {table['id']}")
    equal(table["degree"], result.degrees, "degrees")
    number = {v: i for i, v in enumerate(used)}
    expected: dict[tuple[int, int], list[Any]] = {}
    for place, (u, v) in enumerate(edges):
        weight = None if weights is None else weights[place]
        for arc in {(u, v)} if options["directed"] else {(u, v), (v, u)}:
            expected.setdefault((number[arc[0]], number[arc[1]]), []).append(weight)
    rows = np.repeat(np.arange(result.num_vertices), np.diff(result.indptr)).tolist()
    must(sorted(set(zip(rows, result.indices.tolist(), strict=True))) == sorted(expected), "other entries")
    if weights is not None and options["merge"]:
        combine = {"min": min, "max": max, "sum": sum}[options["merge"]]
        for u, v, w in zip(rows, result.indices.tolist(), result.weights.tolist(), strict=True):
            equal(w, combine(expected[u, v]), f"weight of ({u}, {v})")


@TARGETS.of(
    "cluster_table",
    lambda random, input_graph: {"shift": random.choice([0, -3, 10**12])},
    code="count, labels = sg.connected_components(graph)\n"
    "answer = labels, sg.cluster_table(sg.as_graph(graph), labels.astype(np.int64) + {shift}).to_pydict()",
)
def _check_clusters(graph: Any, options: Options, answer: Any) -> None:
    """Check that each cluster is called by its smallest vertex."""
    labels, table = answer[0].tolist(), answer[1]
    equal(table["id"], list(range(len(labels))), "ids")
    equal(table["cluster"], [labels.index(label) for label in labels], "clusters")
    equal(table["size"], [labels.count(label) for label in labels], "sizes")


def _draw_pairs(random: Random, input_graph: InputGraph) -> Options:
    count, n = random.choice([0, 3, 12]), random.choice([1, 4, 9])
    scores = [random.choice([-1.5, -0.0, 0.0, 0.25, 1e300]) for _ in range(count)]
    return {
        "pairs": [(random.randrange(n), random.randrange(n), score) for score in scores],
        "records": n,
        "origin": [random.choice([0, 62, 1, 1000]) for _ in range(n)],
        "threshold": random.choice([-2, 0, 0.1]),
        "first": random.randint(0, count),
        "prefix": random.choice(["", "id-", "a long beginning "]),
    }


@TARGETS.of(
    "cluster_pairs",
    _draw_pairs,
    code="import pyarrow as pa\n"
    "named = lambda ids: pa.array([{prefix} + str(v) for v in ids], pa.string())\n"
    "u, v, scores = zip(*{pairs}) if {pairs} else ((), (), ())\n"
    "table = pa.table(dict(u=named(u), v=named(v), score=pa.array(scores, pa.float64())))\n"
    "records = pa.table(dict(id=named(range({records})), origin=pa.array({origin}, pa.int64())))\n"
    "how = dict(records=records, threshold={threshold})\n"
    "start = sg.cluster_pairs(table[: {first}], **how, id='id')\n"
    "answer = [sg.cluster_pairs(table, **how, id='id', facts=True).to_pydict(),\n"
    "    sg.cluster_pairs(table[{first} :], **how, id='id', start=start).to_pydict(),\n"
    "    sg.cluster_pairs(table, **how, sources='origin').to_pydict()]",
)
def _check_pairs(_: Any, options: Options, answer: Any) -> None:
    """Compare with sets, for clusters with and without sources, and for added pairs."""
    n, kept = options["records"], [pair for pair in options["pairs"] if pair[2] >= options["threshold"]]
    names = [options["prefix"] + str(v) for v in range(n)]
    for table, origin in zip(answer, (range(n), range(n), options["origin"]), strict=True):
        clusters = naive.one_per_source(n, kept, origin)
        named = [sorted(names[v] for v in cluster) for cluster in clusters]
        expected = sorted((name, cluster[0], len(cluster)) for cluster in named for name in cluster)
        found = list(zip(table["id"], table["cluster"], table["size"], strict=True))
        must(found == expected, f"clusters {found}, expected {expected}")
    edges = {frozenset(pair[:2]) for pair in kept if pair[0] != pair[1]}
    for name, count in zip(answer[0]["id"], answer[0]["edges"], strict=True):
        cluster = next(one for one in naive.one_per_source(n, kept, range(n)) if names.index(name) in one)
        equal(count, sum(edge <= cluster for edge in edges), f"edges of {name}")


@TARGETS.of(
    "block_diagonal",
    lambda random, input_graph: {"copies": random.randint(0, 3)},
    code="part = sg.as_graph(graph, weights=False)\n"
    "answer = part, *sg.block_diagonal([part] * {copies} + [sg.gallery.grid((3,))])",
)
def _check_blocks(_: Any, options: Options, answer: Any) -> None:
    """Check the entries of each block."""
    part, whole, offsets = answer
    n, copies = part.num_vertices, options["copies"]
    equal(offsets, [*(n * i for i in range(copies + 1)), n * copies + 3], "offsets")
    matrix, expected = whole.to_scipy().toarray() != 0, part.to_scipy().toarray() != 0
    for start in offsets[:copies]:
        equal(matrix[start : start + n, start : start + n], expected, "block")
        must(not matrix[start : start + n, start + n :].any(), "an edge between blocks")
    equal(matrix[offsets[-2] :].sum(), 4, "entries of the last block")


# ---------------------------------------------------------------------------------------------------------- aggregation


def _draw_aggregates(random: Random, input_graph: InputGraph) -> Options:
    """Draw the aggregates of an algorithm, sometimes with one vertex moved to another aggregate."""
    labels, roots = map(list, naive.aggregates_and_roots(input_graph.plain(), "mis2"))
    if labels and random.random() < 0.6:
        labels[random.randrange(len(labels))] = random.randint(-1, max(labels) + 1)
    if labels and random.random() < 0.3:
        roots[random.randrange(len(roots))] = random.randrange(len(labels))
    if random.random() < 0.5 or sorted({*labels}) != [*range(len(roots))]:
        roots = None
    return {"labels": Numbers(labels), "connected": random.random() < 0.5, "roots": roots and Numbers(roots)}


@TARGETS.of(
    "is_aggregation",
    _draw_aggregates,
    code="answer = sg.is_aggregation(graph, {labels}, connected={connected}, roots={roots}), "
    "sg.explain(sg.is_aggregation, graph, {labels}, connected={connected}, roots={roots})",
    wrong="labels: verified, connected: truth",
    graph="undirected",
)
def _check_aggregation(graph: Any, options: Options, answer: Any) -> None:
    """Check that labels have no gaps and each aggregate is connected, by steps of one edge or of up to two."""
    labels, neighbors = list(options["labels"]), naive.simple_adjacency(graph)
    steps = [naive.distances_within(neighbors, v, 1 if options["connected"] else 2) for v in range(len(neighbors))]
    pieces = naive.components([{u for u in near if labels[u] == labels[v]} for v, near in enumerate(steps)])
    right = sorted(set(labels)) == list(range(len(pieces)))
    if options["roots"] is not None:
        roots = list(options["roots"])
        right &= all(labels[root] == label for label, root in enumerate(roots))
        right = right and all(
            roots[labels[v]] in {v, *naive.distances_within(neighbors, v, 2)} for v in range(len(labels))
        )
    verdict, sentence = answer
    must(verdict == right, f"is_aggregation says {verdict}, expected {right}")
    must((sentence is None) == right, f"explain says {sentence!r}")


# ----------------------------------------------------------------------------------------------------------- partitions


def _draw_partitions(random: Random, input_graph: InputGraph) -> Options:
    calls = [
        f"sg.maximal_independent_set(graph, priority={random.choice(['degree', 'random', 'high_degree'])!r}, seed=3)",
        "sg.maximal_independent_set(graph, 2)",
        "sg.connected_components(graph)",
        f"sg.vertex_coloring(graph, order={random.choice(['largest_first', 'natural', 'random'])!r}, reduce='none')",
        "sg.aggregate(graph)",
        f"sg.minimum_spanning_forest(graph, maximum={random.random() < 0.5})",
        f"sg.explain(sg.is_minimum_spanning_forest, graph, nearly_a_forest(graph, whole, {random.randrange(10**6)}), "
        f"maximum={random.random() < 0.5})",
    ]
    return {"call": Code(random.choice(calls)), "partitions": random.choice([1, 2, 3, 7])}


@TARGETS.of(
    "distributed",
    _draw_partitions,
    code="from stablegraph.cluster.workers import InProcess\n"
    "from tests.support.partitioned import fetched, nearly_a_forest, weighted\n"
    "whole = weighted(sg.as_graph(graph, weights=False))\ngraph = whole\nhere = {call}\n"
    "graph = sg.distributed.from_graph(whole, {partitions}, client=InProcess())\nanswer = here, fetched({call})",
)
def _check_partitions(graph: Any, options: Options, answer: Any) -> None:
    from tests.pins.checksums import checksum

    first, second = answer
    must(
        checksum(first) == checksum(second),
        f"{options['call']} differs in {options['partitions']} partitions",
    )


# --------------------------------------------------------------------------------------------------------- fingerprints


def _draw_fingerprint(random: Random, input_graph: InputGraph) -> Options:
    values = [random.choice([0, 1, -1, 5, 2**31 - 1, 2**31, -(2**40)]) for _ in range(random.randint(1, 6))]
    fits = all(-(2**31) <= value < 2**31 for value in values)
    return {"values": values, "dtype": random.choice(["int32", "int64"] if fits else ["int64"]), "fits": fits}


@TARGETS.of(
    "fingerprint",
    _draw_fingerprint,
    code="values = np.array({values}, {dtype})\nwide = np.repeat(values.astype(np.int64), 2)[::2]\n"
    "answer = sg.fingerprint(values), sg.fingerprint(wide), sg.fingerprint({values})",
)
def _check_fingerprint(graph: Any, options: Options, answer: Any) -> None:
    stored = np.array(options["values"], "<i4" if options["fits"] else "<i8").tobytes()
    equal(list(answer), [f"{zlib.crc32(stored):08x}"] * 3, "fingerprints")


# ------------------------------------------------------------------------------------------------ the gallery, settings

_GALLERY = [
    "sg.gallery.grid(({a}, {b}))",
    "sg.gallery.rmat({c}, seed={seed})",
    "sg.gallery.uniform_random({a} * {b}, seed={seed})",
    "sg.gallery.kronecker({c}, seed={seed})",
    "sg.gallery.delaunay({a} * {b} + 3, seed={seed})",
]


def _draw_gallery(random: Random, input_graph: InputGraph) -> Options:
    call = random.choice(_GALLERY)
    for name, value in {"a": random.randint(1, 9), "b": random.randint(1, 9), "c": random.randint(1, 6)}.items():
        call = call.replace("{" + name + "}", str(value))
    return {"call": Code(call.replace("{seed}", str(random.randint(0, 99)))), "threads": random.randint(1, 3)}


@TARGETS.of(
    "gallery",
    _draw_gallery,
    code="made = {call}\nwith sg.threads({threads}):\n    counted, again = sg.num_threads(), {call}\n"
    "answer = made == again, counted, made.check(), made.is_symmetric, made.has_loops, made.has_duplicates",
)
def _check_gallery(graph: Any, options: Options, answer: Any) -> None:
    same, threads, _, symmetric, loops, duplicates = answer
    must(same, f"{options['call']} is another graph the second time")
    equal(threads, options["threads"], "threads")
    must(symmetric and not loops and not duplicates, f"{options['call']} is not simple and undirected")
