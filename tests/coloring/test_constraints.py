"""Colorings with constraints: every constraint holds, and impossible constraints are refused with a reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.coloring import constrained
from stablegraph.coloring.constraints import ColoringNotFound, ImpossibleColoring
from stablegraph.coloring.reduction import tabu
from stablegraph.verify import is_proper_coloring
from tests.support import naive_colorings as naive
from tests.support.cases import each
from tests.support.zoo import graphs, preferential, symmetric_csr

CYCLE = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], symmetrize=True)
CLIQUE = sg.from_edges(*np.triu_indices(5, 1), symmetrize=True)
NAMED = sg.from_edges(["ann", "bob", "cid"], ["bob", "cid", "dan"], symmetrize=True)


@pytest.fixture(scope="module")
def crowd():
    return sg.as_graph(symmetric_csr(300, preferential(300, 5, seed=2)))


@st.composite
def constraints(draw, n):
    """Draw constraints for n vertices, as options of `vertex_coloring`."""
    k = draw(st.integers(1, 5))
    color = st.integers(0, k - 1)
    some = st.dictionaries(st.integers(0, max(n - 1, 0)), st.sets(color, max_size=k), max_size=n)
    options = {}
    if draw(st.booleans()):
        options["colors"] = k
    if draw(st.booleans()):
        options["capacity"] = draw(st.integers(0, n) | st.lists(st.integers(0, n), min_size=k, max_size=k))
    if draw(st.booleans()):
        options["rooms"] = dict(enumerate(draw(st.lists(st.integers(0, 4), max_size=5))))
    if {"capacity", "rooms"} & options.keys() and draw(st.booleans()):
        options["sizes"] = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    options["gap"] = draw(st.sampled_from([1, 1, 2, 3]))
    if draw(st.booleans()):
        options["allowed"] = draw(some)
    if draw(st.booleans()):
        options["forbidden"] = draw(some)
    if draw(st.booleans()):
        with_room = st.tuples(color, st.sampled_from(sorted(options.get("rooms") or [0])))
        values = color | with_room if options.get("rooms") else color
        options["fixed"] = draw(st.dictionaries(st.integers(0, max(n - 1, 0)), values, max_size=3))
    return {key: value for key, value in options.items() if n or key not in ("allowed", "forbidden", "fixed")}


@given(graphs(), st.sampled_from(["none", "quick", "thorough"]), st.booleans(), st.integers(1, 2), st.data())
def test_any_constraints(thing, reduce, balance, distance, data):
    graph = sg.as_graph(thing)
    options = data.draw(constraints(graph.num_vertices))
    exists = naive.constrained_coloring_exists(graph, distance, **options)
    try:
        colors = sg.vertex_coloring(graph, distance=distance, reduce=reduce, balance=balance, **options)
    except ValueError as error:
        assert exists is not True, error
        return
    assert exists is not False
    limits = {key: value for key, value in options.items() if key != "colors"}
    assert sg.explain(is_proper_coloring, graph, colors, distance, **limits) is None
    assert colors.dtype == np.int32
    assert colors.max(initial=-1) < options.get("colors", 2**31)


def test_threads_and_entry_order_change_nothing(crowd, threads):
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(300), np.diff(crowd.indptr)), crowd.indices
    order = rng.permutation(rows.size)
    order = order[np.argsort(rows[order], kind="stable")]
    mixed = sg.as_graph((crowd.indptr, columns[order]))
    options = {"capacity": 25, "allowed": {7: [1, 2], 8: [2]}, "fixed": {3: 5}, "reduce": "thorough", "balance": True}
    expected = sg.vertex_coloring(crowd, **options)
    assert np.array_equal(sg.vertex_coloring(mixed, **options), expected)
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        assert np.array_equal(sg.vertex_coloring(crowd._with_dtypes(*types), **options), expected)
    assert is_proper_coloring(crowd, expected, capacity=25, allowed=options["allowed"], fixed=options["fixed"])


def test_the_python_target_gives_the_same():
    graph = sg.as_graph(symmetric_csr(60, preferential(60, 4, seed=1)))
    options = {"colors": 7, "capacity": 9, "forbidden": {0: [0, 1]}}
    with use_target("python", seed=3):
        result = sg.vertex_coloring(graph, **options)
    assert np.array_equal(result, sg.vertex_coloring(graph, **options))


def test_a_search_in_short_steps(crowd, monkeypatch):
    options = {"capacity": 20, "reduce": "thorough"}
    expected = sg.vertex_coloring(crowd, **options)
    monkeypatch.setattr(tabu, "ENTRIES_PER_CALL", 2000)
    assert np.array_equal(sg.vertex_coloring(crowd, **options), expected)


# ------------------------------------------------------------------------------------------------------------ evenness


@pytest.mark.parametrize("k", [9, 16, 50])
def test_a_number_of_colors_is_used_evenly(crowd, k):
    colors, info = sg.vertex_coloring(crowd, colors=k, return_info=True)
    loads = np.bincount(colors, minlength=k)
    assert loads.size == k
    assert loads.max() - loads.min() <= 1
    assert (info["colors"], info["smallest"], info["largest"]) == (k, loads.min(), loads.max())
    assert is_proper_coloring(crowd, colors)


def test_sizes_are_distributed_evenly(crowd):
    sizes = np.random.default_rng(1).integers(1, 100, 300)
    colors, info = sg.vertex_coloring(crowd, colors=12, sizes=sizes, return_info=True)
    loads = np.bincount(colors, sizes)
    assert (info["smallest"], info["largest"]) == (loads.min(), loads.max())
    assert loads.max() <= 1.02 * sizes.sum() / 12
    within = sg.vertex_coloring(crowd, capacity=1500, sizes=sizes)
    assert is_proper_coloring(crowd, within, capacity=1500, sizes=sizes)
    assert within.max() + 1 == -(-sizes.sum() // 1500)


def test_more_colors_than_vertices():
    assert sorted(sg.vertex_coloring(CYCLE, colors=8)) == sorted(set(sg.vertex_coloring(CYCLE, colors=8)))


@pytest.mark.parametrize("k", [40, 90])
def test_evenness_without_tables_for_a_search(crowd, monkeypatch, k):
    monkeypatch.setattr(constrained, "_MAX_PAIRS", 10)
    colors = sg.vertex_coloring(crowd, colors=k, fixed={0: 1})
    assert is_proper_coloring(crowd, colors, fixed={0: 1})
    assert np.bincount(colors).max() <= 2 + 300 / k


def test_fixed_colors_go_with_reduce_and_balance(crowd):
    fixed = np.full(300, -1)
    fixed[[250, 260, 270]] = [0, 40, 7]
    plain = sg.vertex_coloring(crowd, fixed=fixed)
    for options in ({"reduce": "quick"}, {"reduce": "thorough", "balance": True}, {"balance": True}):
        colors = sg.vertex_coloring(crowd, fixed=fixed, **options)
        assert is_proper_coloring(crowd, colors, fixed=fixed)
        assert np.unique(colors).size <= np.unique(plain).size
    loads = np.bincount(sg.vertex_coloring(crowd, fixed=fixed, reduce="quick", balance=True))
    assert np.ptp(loads[loads > 0]) <= 1


# ------------------------------------------------------------------------------------------------------------- options


def test_names():
    colors = sg.vertex_coloring(NAMED, fixed={"bob": 1}, allowed={"ann": 2, "dan": [0, 3]}, forbidden={"cid": [0]})
    assert sg.explain(is_proper_coloring, NAMED, colors, fixed={"bob": 1}, allowed={"ann": [2]}) is None
    assert colors[1] == 1
    assert colors[0] == 2
    with pytest.raises(ValueError, match="no vertex is named 'eve'"):
        sg.vertex_coloring(NAMED, allowed={"eve": [0]})


def test_masks_are_lists():
    mask = np.ones((5, 3), bool)
    mask[0, 0] = mask[1, 1] = False
    colors = sg.vertex_coloring(CYCLE, allowed=mask)
    assert is_proper_coloring(CYCLE, colors, allowed=mask)
    assert np.array_equal(colors, sg.vertex_coloring(CYCLE, forbidden=~mask))


def test_schedule_has_the_constraints():
    rounds = sg.schedule(CYCLE, colors=4, capacity=2, fixed={0: 3}, allowed={1: [0]})
    assert len(rounds) == 4
    assert 0 in rounds[3]
    assert 1 in rounds[0]
    assert max(map(len, rounds)) <= 2


@pytest.mark.parametrize(
    ("graph", "options", "words"),
    [
        (CLIQUE, {"colors": 4}, r"4 colors are not enough: the 5 vertices 0, 1, 2, 3, 4 are pairwise adjacent"),
        (CLIQUE, {"allowed": dict.fromkeys(range(5), range(4))}, "4 colors are not enough"),
        (CYCLE, {"colors": 2}, "an exhaustive search found none"),
        (CYCLE, {"colors": 0}, "colors=0 is not enough"),
        (CYCLE, {"colors": 2, "capacity": 2}, "5 vertices exceed the total capacity of 2 colors, 4"),
        (CYCLE, {"capacity": [1, 1, 2]}, "5 vertices exceed the total capacity of 3 colors, 4"),
        (CYCLE, {"capacity": 2, "sizes": [1, 1, 3, 1, 1]}, "vertex 2 has size 3, but the largest capacity"),
        (CYCLE, {"allowed": {1: []}}, "vertex 1 has no allowed color"),
        (
            CYCLE,
            {"allowed": {1: [0, 1]}, "fixed": {0: 0, 2: 1}},
            r"vertex 1 has no color: .* \(0, 1\) are fixed at its",
        ),
        (CYCLE, {"allowed": {1: [0, 1]}, "fixed": {1: 2}}, "vertex 1 is fixed to color 2, which is not allowed"),
        (CYCLE, {"capacity": 1, "fixed": {0: 3, 2: 3}}, "fixed to color 3 have size 2 in total, but its capacity is 1"),
        (CYCLE, {"capacity": 1, "allowed": {0: [2], 2: [2]}}, "restricted to the colors 2 have size 2 in total"),
        (CYCLE, {"allowed": {0: 0, 1: 0}}, "exhaustive search found none"),
        (CYCLE, {"colors": 3, "fixed": {0: 3}}, "vertex 0 is fixed to color 3, but the colors are 0 to 2"),
        (CYCLE, {"fixed": {0: 3, 1: 3}}, "vertices 0 and 1 are both fixed to color 3"),
        (NAMED, {"allowed": {"cid": []}}, "vertex 'cid' has no allowed color"),
        (
            NAMED,
            {"rooms": {"hall": 250}, "sizes": [300, 1, 1, 9]},
            "'ann' needs 300 seats, but the largest room has",
        ),
        (NAMED, {"rooms": {}}, "vertex 'ann' needs 1 seats, but there are no rooms"),
        (
            CYCLE,
            {"rooms": {1: 20, 2: 15, 3: 1}, "sizes": [9, 11, 12, 9, 12], "colors": 2},
            "5 vertices need a room with 9 seats or more, and there are 2: at least 3 colors, but there are only 2",
        ),
        (
            CYCLE,
            {"rooms": {1: 5, 2: 9}, "sizes": [2, 1, 9, 1, 6], "fixed": {0: (3, 2), 2: 3}},
            "to color 3, 2 vertices need or keep a room with 9 seats or more, and there is 1",
        ),
        (
            NAMED,
            {"rooms": {"hall": 4}, "sizes": [5, 1, 1, 9], "fixed": {"ann": (1, "hall")}},
            "vertex 'ann' needs 5 seats, but is fixed in room 'hall', which has 4",
        ),
        (
            CYCLE,
            {"rooms": {"hall": 4, "lab": 4}, "fixed": {0: (1, "hall"), 2: (1, "hall")}},
            "vertices 0 and 2 are both fixed to color 1 and room 'hall'",
        ),
        (
            CYCLE,
            {"rooms": {1: 1}, "fixed": {0: 3, 2: 3}},
            "fixed to color 3, 2 vertices need a room with 1",
        ),
        (
            CYCLE,
            {"rooms": {1: 1}, "allowed": {0: [1, 2], 2: 1, 3: 2}},
            "to the colors 1, 2, 3 vertices need a room",
        ),
        (CYCLE, {"rooms": {1: 1, 2: 1}, "sizes": [0] * 5, "colors": 2}, "5 vertices need a room with 0 seats or more"),
        (CYCLE, {"gap": 3, "fixed": {0: 3, 1: 5}}, "nearer than the gap of 3: 0 to color 3, 1 to color 5"),
        (
            CLIQUE,
            {"gap": 3, "colors": 12},
            "12 colors are .*: the 5 .* adjacent and need 13 colors with a gap of 3",
        ),
        (CYCLE, {"gap": 2, "colors": 4}, "an exhaustive search found none"),
        (
            CYCLE,
            {"gap": 2, "allowed": {1: [0, 1]}, "fixed": {0: 0}},
            "are nearer than the gap of 2 to fixed colors of",
        ),
    ],
    ids=str,
)
def test_impossible_constraints(graph, options, words):
    with pytest.raises(ValueError, match=words):
        sg.vertex_coloring(graph, **options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"colors": 2.0}, TypeError, "colors must be an integer"),
        ({"colors": -1}, ValueError, "colors must be at least 0"),
        ({"capacity": -1}, ValueError, "capacity must be at least 0"),
        ({"capacity": [1, -1]}, ValueError, "capacity must not be negative, got -1 for color 1"),
        ({"capacity": [1.5, 1]}, TypeError, "capacity must be an integer or"),
        ({"capacity": [5, 5], "colors": 3}, ValueError, "colors describes 3 colors, but capacity describes 2"),
        ({"sizes": [1] * 5}, ValueError, "sizes need a capacity per color"),
        ({"sizes": [1] * 4, "capacity": 5}, ValueError, "for each of the 5 vertices"),
        ({"sizes": [0.5] * 5, "capacity": 5}, TypeError, "sizes must be integers"),
        ({"sizes": [1, -1, 1, 1, 1], "capacity": 5}, ValueError, "negative, got -1 at vertex 1"),
        ({"sizes": [2**62] * 5, "capacity": 5}, ValueError, "below 2"),
        ({"rooms": [3, 4]}, TypeError, "rooms must be a dict of seats, such as"),
        ({"fixed": {0: (1, "hall")}}, ValueError, "fixed has colors with rooms: pass rooms=, or fix only the colors"),
        (
            {"rooms": {"hall": 4}, "fixed": {0: (1, "lab")}},
            ValueError,
            "vertex 0 is fixed in room 'lab', which is not in rooms=; fix only its color",
        ),
        (
            {"rooms": {"hall": 4}, "fixed": {0: ("x", "hall")}},
            TypeError,
            "the fixed color of vertex 0 must be an integer",
        ),
        ({"rooms": {"hall": 4}, "fixed": {0: (1,)}}, TypeError, "the fixed color of vertex 0 must be an integer"),
        ({"rooms": {"hall": -1}}, ValueError, "the seats of room 'hall' must be at least 0, got -1"),
        ({"rooms": {"hall": 2.5}}, TypeError, "the seats of room 'hall' must be an integer, got 2.5"),
        ({"gap": 0}, ValueError, "gap must be at least 1, got 0"),
        ({"gap": 1.5}, TypeError, "gap must be an integer, got 1.5"),
        ({"gap": 2**62}, ValueError, "gap must be at most 1677721 for 5 vertices"),
        ({"algorithm": "mis", "gap": 2}, ValueError, "'mis' has no option gap"),
        ({"allowed": [[0]] * 5}, TypeError, "allowed must be a dict of vertices"),
        ({"allowed": {9: [0]}}, ValueError, "a vertex in allowed .* at most 4"),
        ({"allowed": {0: ["red"]}}, TypeError, "a color in allowed of vertex 0 must be an integer"),
        ({"forbidden": {0: -1}}, ValueError, "a color in forbidden of vertex 0 must be at least 0"),
        ({"algorithm": "mis", "colors": 3}, ValueError, "'mis' has no option colors"),
        ({"return_info": 1}, TypeError, "return_info must be True or False"),
    ],
    ids=str,
)
def test_bad_options(options, error, words):
    with pytest.raises(error, match=words):
        sg.vertex_coloring(CYCLE, **options)


def test_a_search_without_result_is_an_error(crowd, monkeypatch):
    monkeypatch.setattr(constrained, "_MAX_PAIRS", 10)
    with pytest.raises(
        ColoringNotFound, match=r"found no coloring .* with 6 colors: first fit leaves \d+ of 300 vertices"
    ) as caught:
        sg.vertex_coloring(crowd, colors=6, capacity=50)
    assert not isinstance(caught.value, ImpossibleColoring)


# ------------------------------------------------------------------------------------------------------ rooms and gaps

ROOMS = {"hall": 90, "aula": 60, **{f"lab {i}": 20 for i in range(6)}}
STUDENTS = 1 + np.arange(300) * 7 % 20 + 60 * (np.arange(300) % 17 == 0)


@each(
    options=[
        {},
        {"reduce": "thorough", "balance": True},
        {"colors": 50, "capacity": 150, "fixed": {3: 7, 270: 7}},
        {"gap": 2, "allowed": {8: [2, 40]}},
        {"distance": 2, "gap": 2, "forbidden": {0: range(9)}},
    ]
)
def test_rooms_of_a_crowd(crowd, options):
    colors, info = sg.vertex_coloring(crowd, rooms=ROOMS, sizes=STUDENTS, return_info=True, **options)
    limits = {key: value for key, value in options.items() if key not in ("colors", "reduce", "balance")}
    assert sg.explain(is_proper_coloring, crowd, colors, rooms=ROOMS, sizes=STUDENTS, **limits) is None
    for color in range(colors.max() + 1):
        members = sorted(STUDENTS[colors == color].tolist(), reverse=True)
        assert naive.have_rooms(members, [*ROOMS.values()])
    assert info["colors"] >= info["lower_bound"] >= 38  # 300 vertices, 8 rooms
    with use_target("cpu", workers=5):
        assert np.array_equal(colors, sg.vertex_coloring(crowd, rooms=ROOMS, sizes=STUDENTS, **options))
    wide = crowd._with_dtypes(np.int64, np.int64)
    assert np.array_equal(colors, sg.vertex_coloring(wide, rooms=ROOMS, sizes=STUDENTS, **options))


def test_rooms_and_gaps_of_the_python_target():
    graph = sg.as_graph(symmetric_csr(40, preferential(40, 3, seed=1)))
    options = {"rooms": {1: 3, 2: 2, 3: 1}, "sizes": np.arange(40) % 4, "gap": 2, "balance": True}
    with use_target("python", seed=3):
        result = sg.vertex_coloring(graph, **options)
    assert np.array_equal(result, sg.vertex_coloring(graph, **options))


def test_the_fewest_slots_for_the_rooms():
    halls = {"hall": 120, "aula": 100, "lab": 30}
    sizes = [100] * 9 + [10] * 5
    _, info = sg.vertex_coloring(sg.from_edges([], [], n=14), rooms=halls, sizes=sizes, return_info=True)
    reason = "at least 5 colors: 9 vertices need a room with 100 seats or more, and there are 2"
    assert (info["colors"], info["optimal"], info["reason"]) == (5, True, reason)


@each(n=[2, 3, 4, 5], gap=[1, 2, 3])
def test_gaps_of_cliques_and_cycles(n, gap):
    clique = sg.from_edges(*np.triu_indices(n, 1), symmetrize=True)
    colors, info = sg.vertex_coloring(clique, gap=gap, return_info=True)
    assert sorted(colors) == [gap * i for i in range(n)]
    assert (info["colors"], info["optimal"]) == ((n - 1) * gap + 1, True)
    even = sg.from_edges(range(2 * n), [*range(1, 2 * n), 0], symmetrize=True)
    assert sg.vertex_coloring(even, gap=gap).max() == gap
    assert len(sg.schedule(even, gap=gap)) == gap + 1


# ---------------------------------------------------------------------------------------------------- info, verifier


def test_info():
    colors, info = sg.vertex_coloring(CYCLE, return_info=True)
    assert np.array_equal(colors, sg.vertex_coloring(CYCLE))
    assert info == {
        **{
            "colors": 3,
            "lower_bound": 2,
            "upper_bound": 3,
            "reason": "at least 2 colors: 2 vertices are pairwise adjacent",
        },
        **{"optimal": False, "smallest": 1, "largest": 2, "suggestion": None},
    }
    assert sg.vertex_coloring(CYCLE, distance=2, return_info=True)[1]["lower_bound"] == 3
    _, info = sg.vertex_coloring(gallery.grid((4, 5)), capacity=3, return_info=True)
    assert (info["colors"], info["lower_bound"], info["optimal"]) == (7, 7, True)
    assert info["reason"] == "at least 7 colors: fewer colors do not have the capacity for all vertices"
    assert sg.vertex_coloring(sg.from_edges([], [], n=0), colors=3, return_info=True)[1]["colors"] == 0


def test_info_suggests_an_order(data_file):
    graph = sg.read_graph(data_file("bcsstk18.mtx.gz"), weights=False, symmetrize=True)
    _, info = sg.vertex_coloring(graph, return_info=True)
    assert (info["colors"], info["upper_bound"], info["suggestion"]) == (13, 12, "order='smallest_last'")


def test_slots_of_a_real_timetable(data_file):
    """Fix 30 exams and restrict 40, drawn from a known solution."""
    graph = sg.read_graph(data_file("school1_nsh.col.gz"))
    rng, n = np.random.default_rng(0), graph.num_vertices
    known = rng.permutation(18)[sg.vertex_coloring(graph, colors=18, capacity=20)]
    drawn = rng.permutation(n)
    fixed = np.full(n, -1)
    fixed[drawn[:30]] = known[drawn[:30]]
    limits = {
        "capacity": 20,
        "fixed": fixed,
        "allowed": {v: {known[v], *rng.integers(0, 18, 3)} for v in drawn[30:70].tolist()},
    }
    for seed in range(3):
        colors = sg.vertex_coloring(graph, colors=18, **limits, seed=seed)
        assert sg.explain(is_proper_coloring, graph, colors, **limits) is None
        assert np.ptp(np.bincount(colors, minlength=18)) <= 1


@given(graphs(), st.data())
def test_the_verifier_agrees_with_the_definition(thing, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    options = data.draw(constraints(n))
    options.pop("colors", None)
    colors = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    right = naive.violates_no_constraint(graph, colors, **options)
    assert is_proper_coloring(graph, colors, **options) == right


def test_the_verifier_names_the_violation():
    colors = [0, 1, 0, 1, 2]
    for options, words in [
        ({"capacity": 1}, "color 0 has 2 vertices, but its capacity is 1"),
        ({"capacity": [2, 2]}, "color 2 is in use, but capacity has only 2 colors"),
        ({"capacity": 4, "sizes": [3, 0, 2, 0, 0]}, "color 0 has 5 in total size, but its capacity is 4"),
        ({"allowed": {3: [0, 2]}}, "vertex 3 has color 1, which is not allowed"),
        ({"forbidden": {3: 1}}, "vertex 3 has color 1, which is forbidden"),
        ({"forbidden": np.zeros((5, 2), bool)}, "vertex 4 has color 2, which is forbidden"),
        ({"fixed": [0, 1, 0, 1, 0]}, "vertex 4 is fixed to color 0, but has color 2"),
        ({"fixed": {1: 0}}, "vertex 1 is fixed to color 0, but has color 1"),
        ({"gap": 2}, "vertices 0 and 1 are adjacent, but their colors 0 and 1 differ by less than 2"),
        ({"distance": 2, "gap": 1}, "vertices 0 and 2 are within distance 2 of each other, but both have color 0"),
        ({"rooms": {1: 5}}, "vertex 2 of size 1 has no room in color 0: 1 of its vertices are not smaller"),
        (
            {"rooms": {1: 9, 2: 4}, "sizes": [5, 1, 5, 9, 9]},
            "vertex 2 of size 5 has no room in color 0: 1 of its vertices are not smaller",
        ),
    ]:
        assert sg.explain(is_proper_coloring, CYCLE, colors, **options) == words
    named = ["law", "hall", "lab", "lab", "law"]
    for assigned, options, words in [
        (named, {}, None),
        (dict(enumerate(named)), {"rooms": {"hall": 9, "lab": 4, "law": 2}, "sizes": [2, 9, 1, 4, 1]}, None),
        (["law", "hall", "law", "lab", "law"], {}, "vertices 0 and 2 have color 0 and the same room 'law'"),
        (named, {"rooms": {"hall": 9, "lab": 4}}, "vertex 0 has the room 'law', which does not exist"),
        (
            named,
            {"rooms": {"hall": 2, "lab": 4, "law": 9}, "sizes": [1, 3, 1, 2, 1]},
            "vertex 1 of size 3 has the room 'hall' with 2 seats",
        ),
        (named, {"fixed": {0: (0, "law"), 4: (2, "law")}}, None),
        (named, {"fixed": {2: (0, "hall")}}, "vertex 2 is fixed in room 'hall', but has the room 'lab'"),
        (None, {"fixed": {0: (0, "hall"), 2: (0, "hall")}}, "vertices 0 and 2 have color 0 and the same room 'hall'"),
        (None, {"fixed": {0: (0, "x")}, "rooms": {"hall": 9}}, "vertex 0 has the room 'x', which does not exist"),
        (
            None,
            {"fixed": {0: (0, "hall")}, "rooms": {"hall": 9, "lab": 4}, "sizes": [1, 1, 5, 1, 1]},
            "vertex 2 of size 5 has no room in color 0: 1 of its vertices are not smaller",
        ),
    ]:
        assert sg.explain(is_proper_coloring, CYCLE, colors, assigned=assigned, **options) == words
    with pytest.raises(ValueError, match="assigned must have a room for each of the 5 vertices, got 1"):
        is_proper_coloring(CYCLE, colors, assigned=["lab"])
    with pytest.raises(ValueError, match="sizes need a capacity"):
        is_proper_coloring(CYCLE, colors, sizes=[1] * 5)
    with pytest.raises(TypeError, match="capacity must be an integer"):
        is_proper_coloring(CYCLE, colors, capacity=1.5)
    with pytest.raises(ValueError, match="boolean array of shape"):
        is_proper_coloring(CYCLE, colors, allowed=[[1]] * 5)
    with pytest.raises(ValueError, match="a vertex in fixed must be at most 4, got 9"):
        is_proper_coloring(CYCLE, colors, fixed={9: 0})
