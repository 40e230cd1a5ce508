"""Communities: compared with plain Python, on every schedule; guarantees, known answers, objectives, the verifier."""

import threading
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names
from stablegraph._core.runtime import use_target
from stablegraph.community import api, classes, coarse_level, hierarchy, moving, rules
from stablegraph.community.quality import fixed_point
from tests.support import naive_communities as naive
from tests.support.remember import remember
from tests.support.zoo import ZOO, graphs, preferential, symmetric_csr

ALGORITHMS = get_args(names.CommunityAlgorithm)
OBJECTIVES = [("modularity", 1.0), ("modularity", 0.3), ("modularity", 3.0), ("cpm", 0.5), ("cpm", 0.05)]


def found(graph, **options):
    count, labels = sg.communities(graph, **options)
    assert labels.dtype == np.int32
    return count, labels.tolist()


@pytest.fixture
def in_parts(monkeypatch):
    """Run every pass as a kernel of its own, also on small levels."""
    monkeypatch.setattr(rules, "ALONE", 0)
    monkeypatch.setattr(rules, "ALONE_ON_ONE", 0)


def planted(n):
    """Return a graph with hubs, weights and planted groups."""
    rng = np.random.default_rng(7)
    u, v = np.array(preferential(n, 4)).T
    group = rng.integers(0, 40, n)
    kept = (group[u] == group[v]) | (rng.random(u.size) < 0.4)
    return sg.from_edges(u[kept], v[kept], rng.integers(1, 9, kept.sum()), n=n, symmetrize="sum", drop_loops=True)


@pytest.fixture(scope="module")
def larger():
    return planted(3000)


def weighted(graph, seed=0, kind=float):
    """Return the graph with random weights of a few sizes, equal in both directions, and some zeros."""
    u, v = graph._rows(), graph.indices
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v)
    values = (low * 7919 + high * 104729 + seed) % 5
    values = values if kind is int else values * 0.37
    return sg.as_graph((graph.indptr, graph.indices, values))


# ------------------------------------------------------------------------------------------------------ right answers


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("objective", "resolution"), OBJECTIVES)
def test_zoo(hard_graph, algorithm, objective, resolution):
    options = {"algorithm": algorithm, "objective": objective, "resolution": resolution}
    graphs = [weighted(hard_graph)]
    if resolution in (1.0, 0.5):  # the first one of each objective
        graphs += [hard_graph, hard_graph._replace(weights=None)]
    for graph in graphs:
        assert found(graph, **options) == naive.communities(graph, **options)


@given(
    graphs(),
    st.sampled_from(ALGORITHMS),
    st.sampled_from(OBJECTIVES),
    st.sampled_from([1, 3, None]),
    st.sampled_from([None, 1, 2, 5]),
    st.sampled_from([None, None, 1, 2, 3, 100]),
    st.integers(0, 9),
)
def test_any_graph(thing, algorithm, objective, iterations, max_size, min_size, seed):
    graph = sg.as_graph(thing, weights=False)
    n = graph.num_vertices
    options = {
        "algorithm": algorithm,
        "objective": objective[0],
        "resolution": objective[1],
        "iterations": iterations,
        "seed": seed,
    }
    if max_size is None and seed % 2:
        options |= {"start": np.arange(n) % 3, "fixed": np.arange(0, n, 4)}
    else:
        options["max_size"] = max_size
    options["min_size"] = min_size and min(min_size, max_size or min_size)
    answer = found(graph, **options)
    assert answer == naive.communities(graph, **options)
    checks = {key: options[key] for key in ("fixed", "max_size", "min_size") if key in options}
    if iterations is None and min_size is None:
        checks |= {"objective": objective[0], "resolution": objective[1]}
    assert sg.explain(sg.is_community_labeling, graph, answer[1], **checks) is None


@pytest.mark.parametrize("kind", [int, float])
def test_larger_graph_like_plain_python(kind):
    graph = weighted(planted(1000), kind=kind)
    assert found(graph, iterations=1, seed=5) == naive.communities(graph, iterations=1, seed=5)


def test_one_sub_round():
    graph = sg.from_edges(*np.array(preferential(300, 3)).T, symmetrize=True)
    n = graph.num_vertices
    base = naive.first_level(graph, "modularity")[0]
    scale = 1 / float(sum(base.mass))
    expected, total = list(range(n)), naive.totals(base, list(range(n)), base.mass)
    active, slack = set(range(n)), {}
    naive.sub_round(base, range(0, n, 2), expected, total, active, slack, scale, 0, False)
    naive.sub_round(base, range(1, n, 2), expected, total, active, slack, scale, 0, False)

    weights = np.empty(0, np.int64)
    fast = rules.Level(graph.indptr, graph.indices, weights, np.array(base.mass), weights)
    label, masses = np.arange(n, dtype=np.int32), np.array(base.mass)
    groups, terms = rules.Communities(label, masses, weights), rules.Terms(scale, 0, 0)
    moves = moving.no_moves(np.ones(n, np.uint8), terms)
    workers, tables = rules.Workspace().tables(n, n, n)
    vertices, moved = np.r_[np.arange(0, n, 2), np.arange(1, n, 2)], np.empty(n, np.uint8)
    for first, end in ((0, n // 2), (n // 2, n)):
        span = classes.Span(vertices, first, end, 0)
        moving.propose_moves(workers, fast, groups, moves, terms, rules.ready(tables), span)
        moving.relabel(2, groups, fast.mass, moves, terms, span, moved)
        moving.wake(workers, fast, label, moves, rules.ready(tables), span, moved)
    assert label.tolist() == expected
    assert masses.tolist() == [total[c] for c in range(n)]
    assert set(np.flatnonzero(moves.active).tolist()) == active
    assert [moves.slack[v] for v in range(n) if v not in active] == [slack[v] for v in range(n) if v not in active]


def test_coarse_level_in_pieces():
    """Several shares have vertices of a large part; the rows are those of the product of matrices."""
    rng = np.random.default_rng(3)
    for n, parts in ((400, 3), (400, 60), (50, 1), (7, 7)):
        graph = planted(n)
        weights = np.asarray(graph.weights, np.int64)
        level = rules.Level(graph.indptr, graph.indices, weights, graph.degrees.astype(np.int64), weights[:0])
        drawn = np.minimum(rng.geometric(0.2, n) - 1, parts - 1)
        drawn[rng.permutation(n)[:parts]] = np.arange(parts)
        part = drawn.astype(np.int32)
        member = sp.csr_array((np.ones(n, np.int64), (part, np.arange(n))), shape=(parts, n))
        expected = (member @ sp.csr_array((weights, graph.indices, graph.indptr)) @ member.T).toarray()
        np.fill_diagonal(expected, 0)
        for workers in (1, 2, 7, 40):
            with use_target("cpu", workers=workers):
                coarse = coarse_level.coarse_level(level, parts, part, rules.Workspace())
            rows = sp.csr_array((coarse.weights, coarse.indices, coarse.indptr), shape=(parts, parts))
            assert rows.nnz == np.count_nonzero(expected)
            assert np.array_equal(rows.toarray(), expected)
            assert np.array_equal(coarse.mass, member @ level.mass)


# --------------------------------------------------------------------------------------------------------- determinism


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_threads(larger, threads, in_parts, algorithm):
    with sg.threads(1):
        expected = sg.communities(larger, algorithm=algorithm)[1]
    for workers in (None, 16):
        with use_target("cpu", workers=workers):
            assert np.array_equal(sg.communities(larger, algorithm=algorithm)[1], expected)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_any_schedule(request, algorithm, seed):
    graph = weighted(sg.as_graph(ZOO["skewed"], weights=False), seed)
    expected, two = (found(graph, algorithm=algorithm, seed=seed, iterations=count) for count in (None, 2))
    request.getfixturevalue("in_parts")
    assert found(graph, algorithm=algorithm, seed=seed, iterations=None) == expected
    with use_target("python", seed=seed):
        assert found(graph, algorithm=algorithm, seed=seed, iterations=2) == two


def test_dtypes_and_order_of_entries(larger):
    expected = found(larger)
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        assert found(larger._with_dtypes(*types)) == expected
    for dtype in (np.float32, np.float64, np.uint8, np.uint64):
        assert found(larger._replace(weights=larger.weights.astype(dtype))) == expected
    assert found(larger._replace(weights=larger.weights * 0.25)) == expected
    shuffled = np.random.default_rng(1).permutation(larger.num_entries)
    rows = larger._rows()[shuffled]
    order = shuffled[np.argsort(rows, kind="stable")]
    mixed = sg.as_graph((larger.indptr, larger.indices[order], larger.weights[order]))
    assert not mixed.is_sorted
    assert found(mixed) == expected
    for options in ({"max_size": 50}, {"iterations": None}, {"objective": "cpm", "resolution": 0.1}):
        assert found(mixed, **options) == found(larger, **options)  # also vertices that move one after another
    unit = larger._replace(weights=None)
    assert found(unit) == found(larger._replace(weights=np.ones(larger.num_entries)))


def test_seeds_and_iterations(larger):
    graph = larger
    values = [sg.modularity(graph, sg.communities(graph, iterations=k)[1]) for k in (1, 3, None)]
    assert values == sorted(values)
    assert found(graph, seed=1) != found(graph, seed=2)
    assert found(graph, seed=-(2**70)) == found(graph, seed=-(2**70))


# ----------------------------------------------------------------------------------------------------------- guarantees


@pytest.mark.parametrize(("objective", "resolution"), OBJECTIVES)
def test_until_nothing_changes(larger, objective, resolution):
    labels = sg.communities(larger, objective=objective, resolution=resolution, iterations=None)[1]
    why = sg.explain(sg.is_community_labeling, larger, labels, objective=objective, resolution=resolution)
    assert why is None


def test_fixed_vertices_stay_together_and_apart(larger):
    n = larger.num_vertices
    start = np.arange(n) % 17
    fixed = np.arange(0, n, 10)
    for iterations in (2, None):
        labels = sg.communities(larger, start=start, fixed=fixed, iterations=iterations)[1]
        pairs = {(a, b) for a, b in zip(start[fixed].tolist(), labels[fixed].tolist(), strict=True)}
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) == np.unique(start[fixed]).size
        checks = {} if iterations else {"objective": "modularity"}
        assert sg.explain(sg.is_community_labeling, larger, labels, fixed=fixed, **checks) is None


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_max_size(larger, limit):
    for iterations in (2, None):
        labels = sg.communities(larger, max_size=limit, iterations=iterations)[1]
        assert np.bincount(labels).max() <= limit
        checks = {} if iterations else {"objective": "modularity"}
        assert sg.explain(sg.is_community_labeling, larger, labels, max_size=limit, **checks) is None


@pytest.mark.parametrize(("objective", "resolution"), [("modularity", 20.0), ("cpm", 3.0)])
def test_small_communities_join_their_neighbors(objective, resolution):
    graph, options = planted(300), {"objective": objective, "resolution": resolution}
    count, labels = sg.communities(graph, **options)
    base, shift, links = naive.first_level(graph, objective)
    scale = resolution / links if objective == "modularity" else naive._scaled(resolution, shift)
    for minimum in (2, 7, 300):
        fewer, joined = sg.communities(graph, min_size=minimum, **options)
        assert joined.tolist() == naive.join_small(base, labels.tolist(), (), scale, 0, minimum)
        assert fewer < count
        assert sg.explain(sg.is_community_labeling, graph, joined, min_size=minimum) is None
        assert not sg.is_community_labeling(graph, labels, min_size=minimum)
    assert np.array_equal(joined, sg.connected_components(graph)[1])  # none is left to join


def test_ties_and_limits_of_joins():
    star = symmetric_csr(5, [(0, 1), (0, 2), (0, 3), (0, 4)])
    apart = {"start": [9, 8, 7, 6, 5], "fixed": [1, 2, 3, 4], "objective": "cpm", "resolution": 100}
    assert found(star, **apart) == (5, [0, 1, 2, 3, 4])
    assert found(star, min_size=2, **apart) == (4, [0, 0, 1, 2, 3])  # the leaves may not join each other
    assert found(star, min_size=2, objective="cpm", resolution=100) == (1, [0] * 5)
    assert found(star, min_size=2, max_size=3, objective="cpm", resolution=100)[1] == [0, 0, 0, 1, 2]
    assert found(symmetric_csr(3, [(0, 1)]), min_size=3) == (2, [0, 0, 1])  # no neighbors


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda values: np.array(values, np.float32)])
def test_several_resolutions_are_single_calls(threads, form):
    graph, values = planted(400), [0.5, 1, 4.0, 0.5]
    options = {"min_size": 3, "return_info": True}
    together = sg.communities(graph, resolution=form(values), **options)
    assert len(together) == 4
    for value, (count, labels, info) in zip(values, together, strict=True):
        again, alone, facts = sg.communities(graph, resolution=value, **options)
        assert (again, alone.tolist()) == (count, labels.tolist())
        assert info["objective"] == facts["objective"] == sg.modularity(graph, labels, resolution=value)
        assert [level.tolist() for level in info["levels"]] == [level.tolist() for level in facts["levels"]]


def test_several_resolutions_at_the_same_time(larger, monkeypatch):
    monkeypatch.setattr(api, "_TOGETHER", 0)
    values = np.linspace(0.3, 3, 9)
    expected = [found(larger, resolution=value) for value in values]
    used = set()

    def noted(problem, *rest):
        used.add((threading.get_ident(), sg.num_threads()))
        return hierarchy.find_communities(problem, *rest)

    monkeypatch.setattr(api, "find_communities", noted)
    with sg.threads(2):
        together = sg.communities(larger, resolution=values)
    assert [(count, labels.tolist()) for count, labels in together] == expected
    assert {threads for _, threads in used} == {1}
    assert threading.get_ident() not in {thread for thread, _ in used}


def test_start(larger):
    graph = larger
    best = sg.communities(graph, iterations=None)[1]
    again = sg.communities(graph, start=best, iterations=None, seed=9)[1]
    assert sg.modularity(graph, again) >= sg.modularity(graph, best)
    assert found(graph, start=best * 10 - 7) == found(graph, start=best)
    two = symmetric_csr(6, [(0, 1), (1, 2), (3, 4), (4, 5)])
    assert found(two, start=[0] * 6) == (2, [0, 0, 0, 1, 1, 1])  # a community that is not connected


def test_info(larger):
    for algorithm in ALGORITHMS:
        _, labels, info = sg.communities(larger, algorithm=algorithm, return_info=True)
        assert info["objective"] == sg.modularity(larger, labels)
        assert info["iterations"] <= 3
        assert info["moves"] > 0
        assert info["rounds"] > 0
        assert info["objectives"] == sorted(info["objectives"])
        assert np.array_equal(info["levels"][-1], labels)
        for finer, coarser in zip(info["levels"], info["levels"][1:], strict=False):
            assert finer.max() > coarser.max()
            assert np.unique(finer.astype(np.int64) * labels.size + coarser).size == finer.max() + 1
            assert sg.is_community_labeling(larger, finer)


# -------------------------------------------------------------------------------------------------------- known answers


def ring_of_cliques(cliques, size):
    edges = [(c * size + i, c * size + j) for c in range(cliques) for i in range(size) for j in range(i)]
    edges += [(c * size, (c + 1) % cliques * size + 1) for c in range(cliques)]
    return symmetric_csr(cliques * size, edges)


def test_ring_of_cliques():
    thirty = ring_of_cliques(30, 5)
    expected = np.repeat(np.arange(30), 5)
    for options in ({"resolution": 5.0}, {"objective": "cpm", "resolution": 0.5}):
        assert found(thirty, iterations=None, **options) == (30, expected.tolist())
    count, labels = sg.communities(thirty, iterations=None)  # the resolution limit: pairs of cliques are better
    assert count < 30
    assert sg.modularity(thirty, labels) > sg.modularity(thirty, expected)


def test_planted_partition():
    rng = np.random.default_rng(4)
    truth = np.repeat(np.arange(8), 60)
    u, v = np.triu_indices(truth.size, 1)
    kept = rng.random(u.size) < np.where(truth[u] == truth[v], 0.3, 0.01)
    graph = sg.from_edges(u[kept], v[kept], n=truth.size, symmetrize=True)
    assert found(graph) == (8, truth.tolist())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_extreme_resolutions(zoo_graph, algorithm):
    graph = zoo_graph._replace(weights=None)
    n = graph.num_vertices
    for objective in ("modularity", "cpm"):
        for resolution in (1e20, 1e308):
            options = {"algorithm": algorithm, "objective": objective, "resolution": resolution, "iterations": None}
            assert found(graph, **options) == (n, list(range(n)))
        count, labels = sg.communities(graph, algorithm=algorithm, objective=objective, resolution=0, iterations=None)
        expected = sg.connected_components(graph)
        assert count == expected[0]
        assert np.array_equal(labels, expected[1])


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 1, 1e30, 1e300])
def test_extreme_weights(factor):
    graph = weighted(sg.as_graph(ZOO["skewed"], weights=False))
    scaled = graph._replace(weights=graph.weights * factor)
    labels = sg.communities(scaled, iterations=None)[1]
    assert sg.is_community_labeling(scaled, labels, objective="modularity")
    exact = sg.modularity(graph, labels)
    assert abs(sg.modularity(scaled, labels) - exact) < 1e-12


def test_one_weight_far_above_all_others():
    graph = sg.as_graph(ZOO["grid"], weights=False)
    values = np.ones(graph.num_entries)
    values[graph.indptr[0]] = values[
        graph.indptr[1] + (graph.indices[graph.indptr[1] : graph.indptr[2]] == 0).argmax()
    ] = 2.0**80
    graph = graph._replace(weights=values)  # in fixed point, all other weights are 0
    count, labels = sg.communities(graph)
    assert count == graph.num_vertices - 1
    assert sg.is_community_labeling(graph, labels, objective="modularity")


# ----------------------------------------------------------------------------------------------------------- objectives


@remember
def exact_objective(graph, labels, objective, resolution):
    """Return the objective as a fraction, from the definition."""
    u, v = graph._rows().tolist(), graph.indices.tolist()
    weights = [1] * len(v) if graph.weights is None else [Fraction(w) for w in graph.weights.tolist()]
    pairs = {}
    for a, b, w in zip(u, v, weights, strict=True):
        pairs[a, b] = pairs.get((a, b), 0) + w if graph.weights is not None else 1
    entries = [(a, b, 2 * w if a == b else w) for (a, b), w in pairs.items()]
    inside = sum(w for a, b, w in entries if labels[a] == labels[b])
    whole, degrees, sizes = sum(w for *_, w in entries), {}, {}
    for a, _, w in entries:
        degrees[labels[a]] = degrees.get(labels[a], 0) + w
    for c in labels:
        sizes[c] = sizes.get(c, 0) + 1
    if objective == "cpm":
        return Fraction(inside) / 2 - Fraction(resolution) * sum(Fraction(s * (s - 1), 2) for s in sizes.values())
    if whole == 0:
        return Fraction(0)
    return (
        Fraction(inside) / whole
        - Fraction(resolution) * sum(Fraction(d) ** 2 for d in degrees.values()) / Fraction(whole) ** 2
    )


def test_objectives(zoo_graph, threads):
    labels = (np.arange(zoo_graph.num_vertices) * 7919 % 5 - 2).tolist()
    for graph in (zoo_graph, zoo_graph._replace(weights=None), weighted(zoo_graph)):
        for resolution in (0.0, 1.0, 1 / 3):
            modularity, potts = (exact_objective(graph, labels, name, resolution) for name in ("modularity", "cpm"))
            assert abs(sg.modularity(graph, labels, resolution=resolution) - modularity) < 1e-14
            assert abs(sg.potts(graph, labels, resolution=resolution) - potts) <= 1e-13 * max(abs(potts), 1)


def test_modularity_of_weights_of_all_sizes():
    rng = np.random.default_rng(0)
    u, v = np.triu_indices(60, 1)
    weights = 10.0 ** rng.uniform(-30, 30, u.size)
    graph = sg.from_edges(u, v, weights, symmetrize=True)
    labels = rng.integers(0, 4, 60)
    assert abs(sg.modularity(graph, labels) - exact_objective(graph, labels.tolist(), "modularity", 1)) < 1e-12


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, np.float64])
def test_fixed_point(kind):
    rng = np.random.default_rng(2)
    for size in (1, 2, 3, 1000):
        values = (rng.random(size) * 100).astype(kind)
        fast, shift = fixed_point(values)
        slow, expected = naive.fixed_point(values)
        assert (fast.tolist(), shift) == (slow, expected)
        assert int(fast.max()) * size <= 2**44


# --------------------------------------------------------------------------------------------- the verifier and errors


def test_the_verifier_refuses_mutants(larger):
    count, labels = sg.communities(larger, iterations=None)
    rng = np.random.default_rng(3)
    checks = {"objective": "modularity"}
    for v in rng.choice(larger.num_vertices, 30, replace=False):
        if not larger.degrees[v]:
            continue
        wrong = labels.copy()
        wrong[v] = (labels[v] + 1) % count
        assert not sg.is_community_labeling(larger, wrong, **checks)
        wrong[v] = count
        assert not sg.is_community_labeling(larger, wrong, **checks)
    merged = np.where(labels == 1, 0, labels)
    assert not sg.is_community_labeling(larger, merged, **checks)


def test_explanations():
    path = symmetric_csr(4, [(0, 1), (1, 2), (2, 3)])

    def why(labels, **checks):
        return sg.explain(sg.is_community_labeling, path, labels, **checks)

    assert why([5, 5, -1, -1], objective="modularity") is None
    assert why([0, 0, 1, 0]) == "vertices 0 and 3 are both in community 0, but no path inside it joins them"
    assert why([0, 0, 7, 7], min_size=2) is None
    assert why([0, 0, 0, 7], min_size=2) == (
        "community 7 has 1 vertices, fewer than min_size=2, but it may join community 0: an edge joins vertices 3 and 2"
    )
    assert why([0, 0, 0, 7], min_size=2, max_size=3) is None
    assert why([0, 0, 0, 7], min_size=2, fixed=[0, 3]) is None
    assert why([0, 0, 0, 1], max_size=2) == "community 0 of vertex 0 has 3 vertices, more than max_size=2"
    assert "vertex 2 can improve" in why([0, 0, 0, 1], objective="modularity")
    assert why([0, 0, 0, 1], objective="modularity", fixed=[2, 3]) is None
    assert (
        why([0, 0, 0, 0], objective="cpm", resolution=2.0)
        == "vertex 0 can improve the objective by becoming a singleton"
    )
    assert why([0, 0, 1, 0], fixed=[0, 3]) is None
    named = sg.from_edges(["a", "b"], ["b", "c"], symmetrize=True)
    assert "vertices 'a' and 'c'" in sg.explain(sg.is_community_labeling, named, [0, 1, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resolution": -1.0}, "resolution must be at least 0"),
        ({"resolution": np.inf}, "resolution must be"),
        ({"iterations": 0}, "iterations must be at least 1"),
        ({"max_size": 0}, "max_size must be at least 1"),
        ({"min_size": 0}, "min_size must be at least 1"),
        ({"min_size": 3, "max_size": 2}, "min_size must be at most max_size, got min_size=3 and max_size=2"),
        ({"resolution": []}, "at least one number"),
        ({"resolution": [1.0, np.nan]}, "resolution must be at least 0 and below inf, got nan"),
        ({"objective": "modular"}, "did you mean 'modularity'"),
        ({"algorithm": "leidan"}, "did you mean 'leiden'"),
        ({"fixed": [0]}, "pass start="),
        ({"start": [0, 1]}, "start must be one number for each of the 4 vertices"),
        ({"start": [3, 3, 3, 1], "max_size": 2}, "start has 3 vertices with label 3, but max_size is 2"),
    ],
)
def test_errors(options, message):
    with pytest.raises(ValueError, match=message):
        sg.communities(symmetric_csr(4, [(0, 1), (1, 2), (2, 3)]), **options)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_weights_that_are_not_valid(value):
    graph = sg.from_edges(["a", "b"], ["b", "c"], [1.0, value], symmetrize=True)
    for call in (sg.communities, lambda g: sg.modularity(g, [0, 0, 0])):
        with pytest.raises(ValueError, match=r"the weight of entry \('b', 'c'\) is"):
            call(graph)


def test_weights_that_differ_between_directions():
    with pytest.raises(ValueError, match="symmetrize="):
        sg.communities(sg.as_graph((np.array([0, 1, 2]), np.array([1, 0]), np.array([1.0, 2.0]))))
    twice = np.array([0, 2, 4]), np.array([1, 1, 0, 0])
    assert found(sg.as_graph((*twice, np.array([1.0, 2.0, 2.0, 1.0])))) == (1, [0, 0])
    with pytest.raises(ValueError, match="symmetrize="):
        sg.communities(sg.as_graph((*twice, np.array([1.0, 2.0, 2.0, 2.0]))))


def test_directed_graphs_are_refused():
    with pytest.raises(ValueError, match="directed"):
        sg.communities(sg.from_edges([0], [1], directed=True))


def test_matrices_with_negative_entries():
    with pytest.raises(ValueError, match="weights=False"):
        sg.communities(gallery.laplacian((3, 3)))
    assert found(sp.csr_array(abs(gallery.laplacian((3, 3)))))[0] > 1
