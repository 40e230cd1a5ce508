"""Color classes: each vertex is once in its own class. Rounds have no internal conflicts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph.coloring.schedule import color_classes, schedule, schedule_table
from tests.support.zoo import graphs


@given(st.lists(st.integers(0, 9), max_size=40))
def test_classes(colors):
    offsets, vertices = color_classes(colors)
    number = max(colors, default=-1) + 1
    assert offsets.size == number + 1
    for c in range(number):
        assert vertices[offsets[c] : offsets[c + 1]].tolist() == [v for v, color in enumerate(colors) if color == c]


def test_threads_change_nothing(threads):
    colors = np.random.default_rng(0).integers(0, 300, 200_000).astype(np.int32)
    offsets, vertices = color_classes(colors)
    assert np.array_equal(vertices, np.argsort(colors, kind="stable"))
    assert np.array_equal(np.diff(offsets), np.bincount(colors))
    with use_target("cpu", workers=5):
        assert np.array_equal(color_classes(colors)[1], vertices)


def test_what_is_no_color_is_refused():
    with pytest.raises(ValueError, match="position 2 has color -1"):
        color_classes([0, 1, -1])
    with pytest.raises(TypeError, match="float64"):
        color_classes(np.ones(3))
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        color_classes(np.ones((2, 2), int))


@given(graphs())
def test_rounds_have_no_conflicts(thing):
    graph = sg.as_graph(thing)
    rounds = schedule(thing)
    assert sorted(np.concatenate([*rounds, np.empty(0, int)]).tolist()) == list(range(len(graph)))
    for tasks in rounds:
        assert tasks.size
        assert np.all(np.diff(tasks) > 0)
        assert graph.subgraph(tasks).num_edges == 0


def test_directed_conflicts_are_refused():
    with pytest.raises(ValueError, match="symmetrize=True"):
        schedule(sg.from_edges([0], [1], directed=True))


@pytest.mark.parametrize(
    "options",
    [
        {"balance": True},
        {"order": "smallest_last"},
        {"order": ["natural", "random"], "seed": 5},
        {"distance": 2},
        {"reduce": "thorough", "seed": 3},
    ],
)
def test_rounds_are_the_colors_of_the_options(options):
    graph = sg.gallery.uniform_random(300, 12)
    rounds, colors = schedule(graph, **options), sg.vertex_coloring(graph, **options)
    assert len(rounds) == colors.max() + 1
    assert all(np.array_equal(tasks, np.flatnonzero(colors == c)) for c, tasks in enumerate(rounds))


def test_a_balanced_schedule_has_rounds_of_equal_size():
    graph = sg.from_edges([0], [1], n=6, symmetrize=True)
    assert [len(tasks) for tasks in schedule(graph, balance=True)] == [3, 3]


def test_a_timetable_needs_fourteen_rounds(data_file):
    conflicts = sg.read_graph(data_file("school1_nsh.col.gz"))
    rounds = schedule(conflicts, reduce="thorough", balance=True)
    assert len(rounds) == 14 == sg.color_bounds(conflicts)[0]
    assert all(conflicts.subgraph(tasks).num_edges == 0 for tasks in rounds)


def test_options_of_a_schedule_are_checked():
    with pytest.raises(ValueError, match="reduce must be one of none, quick, thorough; got 'through'"):
        schedule(sg.gallery.grid((2, 2)), reduce="through")
    with pytest.raises(TypeError, match="balance must be True or False, got 1"):
        schedule(sg.gallery.grid((2, 2)), balance=1)


# ----------------------------------------------------------------------------------------------------------- the table

EXAMS = sg.from_edges(["Math", "Math", "Art"], ["Art", "Music", "Law"], symmetrize=True)
SEATS = {"hall": 120, "aula": 60, "annex": 60, "lab": 25}


@given(graphs(), st.data())
def test_each_task_has_the_smallest_free_room(thing, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    sizes = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    rooms = dict(enumerate(data.draw(st.lists(st.integers(0, 6), max_size=3)) + [5]))
    large = [room for room, seats in rooms.items() if n and seats >= sizes[0]]
    fixed = (
        {0: (data.draw(st.integers(0, 2)), data.draw(st.sampled_from(large)))} if n and data.draw(st.booleans()) else {}
    )
    rounds = schedule(graph, rooms=rooms, sizes=sizes, fixed=fixed)
    rows = schedule_table(graph, rounds, rooms=rooms, sizes=sizes, fixed=fixed).to_pylist()
    assert sorted(row["id"] for row in rows) == list(range(n))
    free = [dict(rooms) for _ in rounds]  # the definition, task by task
    for v, place in fixed.items():
        assert (rows[v]["slot"], rows[v]["room"]) == place
        del free[place[0]][place[1]]
    for v in sorted(set(range(n)) - fixed.keys(), key=lambda v: (-sizes[v], v)):
        assert v in rounds[rows[v]["slot"]]
        left = free[rows[v]["slot"]]
        assert rows[v]["room"] == min((seats, room) for room, seats in left.items() if seats >= sizes[v])[1]
        del left[rows[v]["room"]]


def test_a_table_has_names():
    pytest.importorskip("pyarrow")
    limits = {"rooms": SEATS, "sizes": {"Math": 100, "Art": 60, "Music": 60, "Law": 9}}
    rounds = sg.schedule(EXAMS, **limits)
    table = schedule_table(EXAMS, rounds, **limits)
    assert table.column_names == ["id", "slot", "room"]
    assert {row["id"]: row["room"] for row in table.to_pylist()} == {
        **{"Math": "hall", "Art": "aula", "Music": "aula" if len(rounds) == 3 else "annex", "Law": "lab"}
    }
    assert table.select(["id", "slot"]).equals(schedule_table(EXAMS, sg.vertex_coloring(EXAMS, **limits)))
    assert schedule_table(sg.from_edges([], [], n=0), []).num_rows == 0


def test_the_rooms_of_an_earlier_plan_are_kept():
    """Law keeps a large room that it does not need, so Music, which needs it, gets another round."""
    limits = {"rooms": {"hall": 120, "lab": 25}, "sizes": {"Math": 20, "Art": 20, "Music": 60, "Law": 9}}
    fixed = {"Music": 0, "Law": (0, "lab")}
    for kept, slots in [({"Law": (0, "lab")}, 0), ({"Law": (0, "hall")}, 1)]:
        colors = sg.vertex_coloring(EXAMS, allowed={"Music": [0, 1]}, fixed=kept | {"Math": 2}, **limits)
        assert colors[EXAMS.index("Music")] == slots
        assert sg.is_proper_coloring(EXAMS, colors, fixed=kept, **limits)
    with pytest.raises(sg.ImpossibleColoring, match="to color 0, 2 vertices need or keep a room with 60 seats or more"):
        sg.schedule(EXAMS, fixed=fixed | {"Law": (0, "hall")}, **limits)
    rounds = sg.schedule(EXAMS, fixed=fixed, **limits)
    with pytest.raises(ValueError, match="'Law' has the fixed round 1, but is in round 0: pass fixed to schedule, too"):
        schedule_table(EXAMS, rounds, fixed={"Law": (1, "lab")}, **limits)
    plan = schedule_table(EXAMS, rounds, fixed=fixed, **limits).to_pylist()
    again = {row["id"]: (row["slot"], row["room"]) for row in plan}
    rounds = sg.schedule(EXAMS, fixed=again, **limits)
    assert schedule_table(EXAMS, rounds, fixed=again, **limits).to_pylist() == plan


def test_tables_of_other_rounds_are_refused():
    for rounds, words in [
        ([[0, 1], [3]], "rounds must contain each of the 4 vertices once"),
        ([[0, 1], [1, 2, 3]], "rounds must contain each of the 4 vertices once"),
        ([0, 1], r"one color for each of the 4 vertices, got shape \(2,\)"),
        ([0, 1, 2, -1], "position 3 has color -1"),
    ]:
        with pytest.raises(ValueError, match=words):
            schedule_table(EXAMS, rounds)
    with pytest.raises(ValueError, match="no room for vertex 'Law' of size 1 is free in round 0"):
        schedule_table(EXAMS, [0, 0, 0, 0], rooms={"hall": 3, "lab": 1, "annex": 1})
    with pytest.raises(TypeError, match="rooms must be a dict"):
        schedule_table(EXAMS, [0, 1, 1, 0], rooms=[3])
    with pytest.raises(TypeError, match="takes a Graph first"):
        schedule_table([[0, 1], [1, 0]], [0, 1])
