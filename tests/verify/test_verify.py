"""The verifiers compared with brute force: they accept correct answers, reject every mutant, and name the culprits."""

import inspect
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import verify
from stablegraph.verify import checks, components, independent_set, searches, traversal
from stablegraph.verify.independent_set import _is_right
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import graphs


def path(n):
    return sg.from_edges(np.arange(n - 1), np.arange(1, n), n=n, symmetrize=True)


def members(n, *vertices):
    mask = np.zeros(n, bool)
    mask[list(vertices)] = True
    return mask


@given(graphs(), st.integers(1, 5), st.data())
def test_any_mask_on_any_graph(thing, k, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    sparse = st.sampled_from([False, False, False, True])
    mask = np.array(data.draw(st.lists(sparse, min_size=n, max_size=n)), bool)
    excluded = np.array(data.draw(st.lists(sparse, min_size=n, max_size=n)), bool)
    banned = np.flatnonzero(excluded).tolist()
    assert sg.is_independent_set(graph, mask, k) == naive.is_independent(graph, mask, k)
    assert sg.is_maximal_independent_set(graph, mask, k) == naive.is_maximal_independent(graph, mask, k)
    assert sg.is_maximal_independent_set(graph, mask, k, exclude=excluded) == naive.is_maximal_independent(
        graph, mask, k, banned
    )


@given(graphs(), st.data())
def test_sets_by_sums_over_rows(thing, data):
    """Run the GPU method with NumPy."""
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    sparse = st.lists(st.sampled_from([False, False, False, True]), min_size=n, max_size=n)
    mask, excluded = (np.array(data.draw(sparse), bool) for _ in range(2))
    excluded &= ~mask
    for k in (1, 2):
        assert _is_right(graph, mask, None, k) == naive.is_independent(graph, mask, k)
        expected = naive.is_maximal_independent(graph, mask, k, np.flatnonzero(excluded).tolist())
        assert _is_right(graph, mask, excluded, k) == expected


@given(thing=graphs(), piece=st.integers(1, 9))
def test_ends_of_entries_in_pieces(thing, piece):
    """Run the GPU method with NumPy."""
    graph = sg.as_graph(thing)
    rows, columns = checks.ends_of_entries(graph)
    for start in range(0, graph.num_entries, piece):
        some, others = checks.ends_of_some(graph, start, min(start + piece, graph.num_entries))
        assert some.dtype == rows.dtype
        assert some.tolist() == rows[start : start + piece].tolist()
        assert others.tolist() == columns[start : start + piece].tolist()


def answers_of_all_kinds(graph):
    """Return the predicates that support a GPU, each with correct and wrong answers."""
    mask, colors, sources = (
        sg.maximal_independent_set(graph),
        sg.vertex_coloring(graph),
        np.arange(graph.num_vertices)[:1],
    )
    distance, parent = sg.breadth_first_search(graph, sources)
    for k in ((), (2,)):
        for predicate in (sg.is_independent_set, sg.is_maximal_independent_set):
            yield from ((predicate, (marked, *k)) for marked in (mask, np.roll(mask, 1), ~mask))
        yield from ((sg.is_proper_coloring, (some, *k)) for some in (colors, np.roll(colors, 1), -colors))
    for steps, above in ((distance, parent), (np.roll(distance, 1), parent), (distance, np.roll(parent, 1))):
        yield sg.is_bfs_tree, (sources, steps, above)


def test_the_same_sentences_in_pieces(zoo_graph, monkeypatch):
    expected = [sg.explain(predicate, zoo_graph, *answer) for predicate, answer in answers_of_all_kinds(zoo_graph)]

    def pieces(graph):
        m = graph.num_entries
        return (checks.ends_of_some(graph, start, min(start + 5, m)) for start in range(0, m, 5))

    for module in (checks, traversal):
        monkeypatch.setattr(module, "pieces_of_entries", pieces)
    result = [sg.explain(predicate, zoo_graph, *answer) for predicate, answer in answers_of_all_kinds(zoo_graph)]
    assert result == expected


@pytest.mark.gpu
@each(piece=[50, 1 << 25])
def test_the_same_sentences_on_a_gpu(zoo_graph, piece, monkeypatch):
    """The arrays of an answer may be on the GPU or not."""
    monkeypatch.setattr(checks, "_PIECE", piece)
    monkeypatch.setattr(independent_set, "_PIECE", piece)
    gpu_side = zoo_graph.to("cuda")
    for predicate, answer in answers_of_all_kinds(zoo_graph):
        expected = sg.explain(predicate, zoo_graph, *answer)
        assert sg.explain(predicate, gpu_side, *answer) == expected
        on_gpu = (gpu_side.xp.asarray(part) if isinstance(part, np.ndarray) else part for part in answer)
        assert sg.explain(predicate, gpu_side, *on_gpu) == expected


@each(priority=["degree", "natural"])
def test_right_answers_are_accepted_and_every_mutant_refused(zoo_graph, priority):
    mask = naive.greedy_independent_set(zoo_graph, naive.priority_key(zoo_graph, priority))
    assert sg.is_maximal_independent_set(zoo_graph, mask)
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, mask) is None
    assert _is_right(zoo_graph, mask, np.zeros(mask.size, bool), 1)
    for v in range(0, mask.size, max(1, mask.size // 40)):
        mutant = mask.copy()
        mutant[v] ^= True
        assert not _is_right(zoo_graph, mutant, np.zeros(mask.size, bool), 1)
        # a removed vertex, or a vertex next to it, can join; an added vertex has a neighboring member
        assert not sg.is_maximal_independent_set(zoo_graph, mutant)
        assert sg.is_independent_set(zoo_graph, mutant) == (not mutant[v])


def greedy_at_distance(graph, k):
    neighbors = naive.simple_adjacency(graph)
    mask = np.zeros(graph.num_vertices, bool)
    for v in range(mask.size):
        mask[v] = not any(mask[u] for u in naive.distances_within(neighbors, v, k))
    return mask


@each(k=[2, 3, 4, 10**9])
def test_distance_k(zoo_graph, k):
    mask = greedy_at_distance(zoo_graph, min(k, zoo_graph.num_vertices))
    assert sg.is_maximal_independent_set(zoo_graph, mask, k)
    assert k != 2 or _is_right(zoo_graph, mask, np.zeros(mask.size, bool), 2)
    for v in np.flatnonzero(mask)[:5]:
        mutant = mask.copy()
        mutant[v] = False
        assert not sg.is_maximal_independent_set(zoo_graph, mutant, k)
        assert sg.is_independent_set(zoo_graph, mutant, k)
    for v in np.flatnonzero(~mask)[:5]:
        mutant = mask.copy()
        mutant[v] = True
        assert not sg.is_independent_set(zoo_graph, mutant, k)
        assert k != 2 or not _is_right(zoo_graph, mutant, None, 2)


@pytest.mark.parametrize(
    ("chosen", "k", "sentence"),
    [
        ([0, 3, 4, 7], 1, "vertices 3 and 4 are adjacent and both in the set"),
        ([0, 2, 5, 7], 2, "vertices 0 and 2 are within distance 2 of each other and both in the set"),
        ([0, 5, 8], 3, "vertices 5 and 8 are within distance 3 of each other and both in the set"),
        ([0, 2, 7, 9], 1, "vertex 4 could join: it is not in the set and has no neighbor in it"),
        ([0, 9], 2, "vertex 3 could join: it is not in the set and has no vertex within distance 2 in it"),
        ([0, 3, 5, 7, 9], 1, None),
        ([1, 4, 7], 2, "vertex 10 could join: it is not in the set and has no vertex within distance 2 in it"),
        ([1, 4, 7, 10], 2, None),
    ],
)
def test_the_sentence_names_the_first_violation(chosen, k, sentence):
    graph = path(11) if k == 2 and 4 in chosen else path(10)
    n = graph.num_vertices
    assert sg.explain(sg.is_maximal_independent_set, graph, members(n, *chosen), k) == sentence
    assert sg.explain(sg.is_maximal_independent_set, graph, chosen, distance=k) == sentence


def test_of_several_violations_the_first_vertex_that_has_one_is_told():
    star = sg.from_edges([0, 1], [2, 2], symmetrize=True)
    tells("vertices 0 and 2 are adjacent", sg.is_independent_set, star, [0, 1, 2])
    tells("vertices 0 and 2 are within distance 2", sg.is_proper_coloring, path(5), [0, 1, 0, 1, 2], 2)
    behind = sg.from_edges([0, 1, 2], [1, 2, 1], directed=True)  # from vertex 0 a cycle is reached
    tells("vertices 1 and 2 can be reached from each", sg.is_strong_component_labeling, behind, [0, 1, 2])
    triangles = sg.from_edges([0, 1, 0, 3, 4, 3], [1, 2, 2, 4, 5, 5], [1, 2, 3, 4, 5, 6], symmetrize=True)
    heavy = sp.csr_array(([1, 3, 4, 6], ([0, 0, 3, 3], [1, 2, 4, 5])), shape=(6, 6))
    sentence = r"edge \(1, 2\) has weight 2 and is not in the forest, but edge \(0, 2\) of weight 3 is"
    tells(sentence, sg.is_minimum_spanning_forest, triangles, heavy)


def test_excluded_vertices():
    graph = path(5)
    assert sg.explain(sg.is_maximal_independent_set, graph, [0, 2], exclude=[4]) is None
    assert sg.explain(sg.is_maximal_independent_set, graph, [0, 2], exclude=members(5, 4)) is None
    assert sg.explain(sg.is_maximal_independent_set, graph, [0, 2], exclude=[3]).startswith("vertex 4 could join")
    assert sg.explain(sg.is_maximal_independent_set, graph, [0, 2, 4], exclude=[2]) == (
        "vertex 2 is excluded but in the set"
    )
    assert sg.is_maximal_independent_set(graph, [], exclude=np.arange(5))


def test_the_empty_set():
    assert sg.is_independent_set(path(3), [])
    assert not sg.is_maximal_independent_set(path(3), np.zeros(3, bool))
    assert sg.is_maximal_independent_set(sg.as_graph((np.zeros(1, np.int32), np.zeros(0, np.int32))), np.zeros(0, bool))


def test_integers_are_vertices_of_any_integer_type():
    for dtype in (np.int8, np.uint16, np.int32, np.uint64):
        assert sg.is_independent_set(path(5), np.array([4, 0, 2], dtype))
        assert not sg.is_independent_set(path(5), np.array([4, 0, 3], dtype))


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (np.zeros(4, bool), ValueError, r" is a mask of shape \(4,\), but there are 5 vertices"),
        (np.zeros((5, 1), bool), ValueError, r" is a mask of shape \(5, 1\)"),
        (np.zeros(5), TypeError, r" must be numbers of vertices or a mask of bool, got float64"),
        (np.array(["a"]), TypeError, r" must be .*, got 'a': the vertices of this graph can be passed only by number"),
        ([0, 5], ValueError, r" names vertex 5, but there are 5 vertices, numbered from 0"),
        ([-1], ValueError, r" names vertex -1"),
        ([[0, 2]], TypeError, r" must be .*, got int64 of shape \(1, 2\)"),
        ([1, 0, 1, 0, 1], ValueError, r".*\.astype\(bool\)"),
    ],
)
def test_what_is_no_mask_is_an_error_not_a_sentence(wrong, error, words):
    with pytest.raises(error, match="^mask" + words):
        sg.is_independent_set(path(5), wrong)
    with pytest.raises(error, match="^mask" + words):
        sg.explain(sg.is_maximal_independent_set, path(5), wrong)
    with pytest.raises(error, match="^exclude" + words):
        sg.is_maximal_independent_set(path(5), [0], exclude=wrong)


@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (-1, ValueError), (1.0, TypeError), (True, TypeError)])
def test_a_distance_is_a_positive_integer(k, error):
    with pytest.raises(error, match=f"distance must be .* got {re.escape(str(k))}"):
        sg.is_independent_set(path(5), [0], k)
    with pytest.raises(error, match="distance must be"):
        sg.is_maximal_independent_set(path(5), [0], k)
    with pytest.raises(error, match="distance must be"):
        sg.is_proper_coloring(path(5), [0, 1, 0, 1, 0], k)


def test_weights_that_are_no_numbers_do_not_matter_where_arcs_are_followed():
    arcs = np.array([0, 1, 2]), np.array([1, 0]), np.array(["far", "near"])
    assert sg.is_strong_component_labeling(arcs, [0, 0]) and sg.is_bfs_tree(arcs, 0, [0, 1], [0, 0])


def test_a_directed_graph_is_an_error_with_the_cure():
    arcs = sg.from_edges([0, 1], [1, 2], directed=True)
    with pytest.raises(ValueError, match="symmetrize=True"):
        sg.is_independent_set(arcs, [0])


def test_explain_says_what_it_knows():
    with pytest.raises(ValueError, match="is_independent_set, is_matching, is_maximal_independent_set"):
        sg.explain(sorted, path(3), [0])


@pytest.mark.parametrize("name", [name for name in verify.__all__ if name.startswith("is_")])
def test_every_predicate_has_an_explanation_that_takes_the_same(name):
    predicate, explanations = getattr(sg, name), [n for n in verify.__all__ if n.startswith("explain_")]
    explanation = verify._EXPLANATIONS[predicate]
    assert explanation.__name__ in explanations and len(explanations) == len(verify._EXPLANATIONS)
    assert inspect.signature(explanation).parameters == inspect.signature(predicate).parameters
    assert predicate(path(1), *TRIVIAL[name]) and explanation(path(1), *TRIVIAL[name]) is None


NO_EDGE = sp.csr_array((1, 1))
TRIVIAL = {  # correct answers for a graph of one vertex
    "is_independent_set": ([0],),
    "is_maximal_independent_set": ([0],),
    "is_proper_coloring": ([0],),
    "is_matching": ([-1],),
    "is_maximal_matching": ([-1],),
    "is_community_labeling": ([0],),
    "is_component_labeling": ([0],),
    "is_strong_component_labeling": ([0],),
    "is_core_labeling": ([0],),
    "is_bridge_list": (np.zeros((0, 2), int),),
    "is_one_per_source": ([0], [0]),
    "is_aggregation": ([0],),
    "is_star_coloring": ([0],),
    "is_acyclic_coloring": ([0],),
    "is_compression_plan": (sg.jacobian_coloring(sp.csr_array((1, 1))),),
    "is_bfs_tree": (0, [0], [0]),
    "is_shortest_path_tree": (0, [0], [0]),
    "is_spanning_forest": (NO_EDGE,),
    "is_minimum_spanning_forest": (NO_EDGE,),
}


# Names


FRIENDS = sg.as_graph([("Ann", "Bob"), ("Bob", "Cy"), ("Cy", "Dan")], symmetrize=True)
FOLLOWERS = sg.as_graph([("Ann", "Bob"), ("Bob", "Cy"), ("Cy", "Ann"), ("Cy", "Dan")], directed=True)


def test_a_set_is_given_by_names():
    assert sg.is_independent_set(FRIENDS, ["Dan", "Bob"]) and sg.is_independent_set(FRIENDS, "Bob")
    assert not sg.is_independent_set(FRIENDS, np.array(["Cy", "Bob"]))
    assert sg.is_maximal_independent_set(FRIENDS, ["Bob"], exclude=["Dan"])
    assert sg.is_bfs_tree(FRIENDS, "Bob", [1, 0, 1, 2], [1, 1, 1, 2])
    assert sg.is_bfs_tree(FRIENDS, ["Ann", "Dan"], [0, 1, 1, 0], [0, 0, 3, 3])
    with pytest.raises(ValueError, match="no vertex is named 'Eve'"):
        sg.is_independent_set(FRIENDS, ["Eve"])
    with pytest.raises(ValueError, match="mask names vertex 1 2 times"):
        sg.is_independent_set(FRIENDS, ["Bob", "Bob"])


def forest(*ends):
    return sp.csr_array((np.ones(len(ends)), np.array(ends).T), shape=(4, 4))


def tells(sentence, predicate, graph, *answer, **options):
    assert re.match(sentence, sg.explain(predicate, graph, *answer, **options))


def test_sentences_call_vertices_by_their_names():
    tells("vertices 'Ann' and 'Bob' are adjacent and both in the set", sg.is_independent_set, FRIENDS, [0, 1])
    tells("vertex 'Cy' could join", sg.is_maximal_independent_set, FRIENDS, [0])
    tells("vertex 'Ann' is excluded but in the set", sg.is_maximal_independent_set, FRIENDS, [0], exclude=["Ann"])
    tells("vertices 'Bob' and 'Cy' are adjacent, but both have", sg.is_proper_coloring, FRIENDS, [0, 1, 1, 0])
    tells("vertex 'Cy' has no color", sg.is_proper_coloring, FRIENDS, [0, 1, -1, 0])
    tells("vertex 'Dan' is in no aggregate", sg.is_aggregation, FRIENDS, [0, 0, 0, -1])
    tells("no vertex has label 1, but vertex 'Dan' has label 2", sg.is_aggregation, FRIENDS, [0, 0, 0, 2])
    tells("vertices 'Ann' and 'Dan' are both in aggregate 0", sg.is_aggregation, FRIENDS, [0, 1, 1, 0])


def test_sentences_about_components_name_vertices():
    tells("vertices 'Bob' and 'Cy' are adjacent", sg.is_component_labeling, FRIENDS, [0, 0, 1, 1])
    apart = FRIENDS.subgraph(["Ann", "Dan"])
    tells("vertices 'Ann' and 'Dan' both have label 0, but are not", sg.is_component_labeling, apart, [0, 0])
    strong = sg.is_strong_component_labeling
    tells("vertices 'Ann' and 'Dan' both .* from 'Dan' to 'Ann' along", strong, FOLLOWERS, [0, 0, 0, 0])
    tells("vertices 'Ann' and 'Bob' can be reached from each other", strong, FOLLOWERS, [0, 1, 2, 3])


def test_sentences_about_forests_name_vertices():
    tells("the forest has a loop at vertex 'Ann'", sg.is_spanning_forest, FRIENDS, forest((0, 0)))
    tells("edge .'Bob', 'Dan'. is in the forest, but not", sg.is_spanning_forest, FRIENDS, forest((0, 1), (1, 3)))
    tells("vertices 'Bob' and 'Cy' are adjacent, but not", sg.is_spanning_forest, FRIENDS, forest((0, 1), (2, 3)))
    heavy = 2 * forest((0, 1), (1, 2), (2, 3))
    tells("edge .'Ann', 'Bob'. has weight 2.0 in", sg.is_minimum_spanning_forest, FRIENDS, heavy)


def test_sentences_about_searches_name_vertices_and_parents():
    for distance, parent, sentence in (
        ([0, 1, 2, 2], [0, 0, 1, 2], "vertex 'Dan' has distance 2 and parent 'Cy', which is not one step nearer"),
        ([0, 1, 2, 3], [0, 0, 1, 9], "vertex 'Dan' has distance 3 and parent 9, which is no vertex"),
        ([0, 1, 2, -1], [0, 0, 1, -1], "vertex 'Dan' has .* and parent -1, but an edge leads there from vertex 'Cy'"),
    ):
        tells(sentence, sg.is_bfs_tree, FRIENDS, "Ann", distance, parent)
    cycle = sg.as_graph([("Ann", "Bob"), ("Bob", "Cy"), ("Cy", "Dan"), ("Dan", "Ann")], symmetrize=True)
    nearest = [0, 1, 2, 1], [0, 0, 3, 0]
    tells("vertex 'Cy' .*, but vertex 'Bob' is smaller", sg.is_bfs_tree, cycle, "Ann", *nearest, smallest=True)


def test_searches_that_end_at_a_distance():
    near = [0, 1, 2, -1], [0, 0, 1, -1]
    assert sg.is_bfs_tree(FRIENDS, "Ann", *near, max_distance=2, smallest=True)
    tells("vertex 'Dan' .*, but an edge leads there from vertex 'Cy'", sg.is_bfs_tree, FRIENDS, "Ann", *near)
    tells("vertex 'Dan' .*, but an edge leads", sg.is_bfs_tree, FRIENDS, "Ann", *near, max_distance=3)
    tells("vertex 'Cy' .*, but the search ends at dist", sg.is_bfs_tree, FRIENDS, "Ann", *near, max_distance=1)
    with pytest.raises(ValueError, match="max_distance must be at least 0"):
        sg.is_bfs_tree(FRIENDS, "Ann", *near, max_distance=-1)


# The results of SciPy that verifiers use


def test_searches_have_the_indices_that_scipy_takes():
    ends = np.arange(3, dtype=np.int64)
    arcs = searches.adjacency(4, ends, ends + 1)
    assert arcs.indices.dtype == arcs.indptr.dtype == np.int32


LIES = {  # routine, wrong result, misjudged answer; "nothing" and "none" are those of SciPy 1.11 for int64
    "nothing reached": ("breadth_first_order", lambda order: order[:0], [0, 0, 0, 3, 3]),
    "one too few reached": ("breadth_first_order", lambda order: order[:-1], [0, 0, 0, 3, 3]),
    "too many reached": ("breadth_first_order", lambda order: np.append(order, [3, 4]), [0, 0, 0, 0, 0]),
    "no components": ("connected_components", lambda found: (0, np.full(5, -9999)), [(0, 1)]),
    "too few components": ("connected_components", lambda found: (2, np.array([0, 0, 0, 1, 1])), [(0, 1), (3, 4)]),
    "too many components": ("connected_components", lambda found: (5, np.arange(5)), [(0, 1), (1, 2), (3, 4)]),
}


@pytest.mark.parametrize(("routine", "lie", "answer"), LIES.values(), ids=LIES)
def test_what_scipy_says_is_proved_before_it_is_believed(monkeypatch, routine, lie, answer):
    graph = sg.from_edges([0, 1, 3], [1, 2, 4], n=5, symmetrize=True)
    if routine == "breadth_first_order":
        predicates = (sg.is_component_labeling, sg.is_strong_component_labeling)
    else:
        predicates = (sg.is_spanning_forest, sg.is_minimum_spanning_forest)
        answer = sp.csr_array((np.ones(len(answer)), tuple(np.array(answer).T)), shape=(5, 5))
    verdicts = [predicate(graph, answer) for predicate in predicates]  # with the correct results of SciPy
    assert len(set(verdicts)) == 1
    if routine == "breadth_first_order" and verdicts[0]:
        predicates = predicates[1:]  # right labels of components are accepted without a search
    reported = getattr(sp.csgraph, routine)
    monkeypatch.setattr(sp.csgraph, routine, lambda *arguments, **options: lie(reported(*arguments, **options)))
    for predicate in predicates:
        with pytest.raises(RuntimeError, match=f"{routine} of SciPy .* gave a wrong answer"):
            predicate(graph, answer)


def test_a_source_that_nobody_else_is_next_to_has_no_distance_and_is_its_own_parent():
    """No neighbor reveals an error in them; this test detects a mutant that checked only one of the two."""
    lonely = sg.from_edges([1], [2], n=3, symmetrize=True)
    assert sg.is_bfs_tree(lonely, [0], [0, -1, -1], [0, -1, -1])
    assert not sg.is_bfs_tree(lonely, [0], [3, -1, -1], [0, -1, -1])
    assert not sg.is_bfs_tree(lonely, [0], [0, -1, -1], [1, -1, -1])


# Components


@given(graphs(), st.data())
def test_labels_of_components_in_rounds_of_trees(thing, data):
    """The quick test accepts exactly the right labels: of weak components, in any numbers, of every graph."""
    graph = sg.as_graph(thing)
    directed = sg.gallery.with_directions(graph)
    for one in (graph, directed):
        right = np.array(naive.connected_components(one)[1], np.int64)
        n = right.size
        other = np.array(data.draw(st.lists(st.integers(0, n), min_size=n, max_size=n)), np.int64)
        for labels in (right, right * 7 - 3, 10**12 - right, other, np.minimum(right, other)):
            same = (right[:, None] == right) == (labels[:, None] == labels)
            assert components._have_a_tree_each(one, labels, checks.ends_of_entries(one)[0]) == same.all()
            assert sg.is_component_labeling(one, labels) == same.all()


def test_trees_of_components_on_long_paths_and_hubs():
    draw = np.random.default_rng(5)
    order = draw.permutation(5000)
    hub = np.repeat(draw.permutation(5000)[:2], 2500)
    for u, v in ((order[:-1], order[1:]), (hub, order), draw.integers(0, 5000, (2, 4000))):
        graph = sg.from_edges(u, v, n=5000, symmetrize=True)
        labels = sg.connected_components(graph)[1]
        assert components._have_a_tree_each(graph, labels, checks.ends_of_entries(graph)[0])
        labels[labels == labels[u[0]]] = labels.max() + np.arange(np.count_nonzero(labels == labels[u[0]]))
        assert not sg.is_component_labeling(graph, labels)
