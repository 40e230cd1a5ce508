"""Fixed, allowed and forbidden colors in tables, of ``stablegraph color`` and ``verify --as coloring``."""

from __future__ import annotations

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery

from .invoking import facts, ok, refused

EXAMS = "source,target\nmath,art\nart,law\nlaw,math\nlaw,music\n"


def test_limits_by_name(folder):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "fixed.csv").write_text("id,color\nart,2\n")
    (folder / "allowed.tsv").write_text("id\tcolor\nmath\t0\nmath\t3\n\nlaw\t1\n")
    limits = ["--fixed", "fixed.csv", "--allowed", "allowed.tsv"]
    result = facts("color", "exams.csv", *limits, "-o", "slots.csv")
    graph = sg.read_graph("exams.csv")
    colors = sg.vertex_coloring(graph, reduce="quick", fixed={"art": 2}, allowed={"math": [0, 3], "law": [1]})
    rows = "".join(f"{name},{color}\n" for name, color in zip(graph.nodes, colors, strict=True))
    assert (folder / "slots.csv").read_text() == "id,color\n" + rows
    assert (result["verified"], result["fixed"], result["allowed"]) == (True, "fixed.csv", "allowed.tsv")
    assert facts("verify", "exams.csv", "slots.csv", "--as", "coloring", *limits)["verified"] is True
    (folder / "forbidden.csv").write_text("id,color\nart,2\n")
    wrong = facts("verify", "exams.csv", "slots.csv", "--as", "coloring", "--forbidden", "forbidden.csv", code=1)
    assert "'art'" in wrong["reason"] and "2" in wrong["reason"]
    assert facts("color", "exams.csv", "--forbidden", "forbidden.csv")["verified"] is True
    # A coloring in a file, as it was written, fixes all vertices.
    again = facts("color", "exams.csv", "--fixed", "slots.csv")
    assert again["crc32"] == result["crc32"]


def test_limits_by_number_and_gaps(folder):
    graph = gallery.uniform_random(60, 3)
    sg.write_graph("random.npz", graph)
    fixed = np.full(60, -1)
    fixed[:2] = [7, 9]
    np.savetxt("fixed.txt", fixed, fmt="%d")
    (folder / "fixed.csv").write_text("id,color\n0,7\n1,9\n")
    results = [facts("color", "random.npz", "--fixed", f"fixed.{kind}") for kind in ("txt", "csv")]
    colors = sg.vertex_coloring(graph, fixed=fixed, reduce="quick")
    assert results[0]["crc32"] == results[1]["crc32"] == facts("color", "random.npz", "--fixed", "fixed.txt")["crc32"]
    assert results[0]["colors"] == np.unique(colors).size  # gaps are no colors
    assert "color sizes  0 to" not in ok("color", "random.npz", "--fixed", "fixed.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,color\nart,2\nart,3\n", "line 3: a second line for vertex art"),
        ("id,color\nhistory,2\n", "line 2: the graph has no vertex history"),
        ("id,color\nart,-1\n", "line 2: expected an id and a color from 0 on, got 'art,-1'"),
        ("id,hour,room\nart,1,2\n", "line 1: the columns must be id and color, got 'id,hour,room'"),
    ],
)
def test_refused_tables(folder, text, message):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "fixed.csv").write_text(text)
    assert message in refused("color", "exams.csv", "--fixed", "fixed.csv")


def test_refused_limits(folder):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "none.csv").write_text("art 3\n")
    assert "expected a table with the columns id and color" in refused("color", "exams.csv", "--allowed", "none.csv")
    (folder / "one.csv").write_text("id,color\nart,0\nlaw,0\n")
    assert "both fixed to color 0" in refused("color", "exams.csv", "--fixed", "one.csv", code=3)
    assert "has no option --fixed" in refused("color", "exams.csv", "--algorithm", "mis", "--fixed", "one.csv")
    assert "--fixed goes with --as coloring" in refused("verify", "path.mtx", "path.mtx", "--fixed", "one.csv")


@pytest.mark.parametrize("distance", [1, 2])
def test_numbers_in_a_file_are_an_order(folder, distance):
    graph = gallery.uniform_random(90, 3)
    sg.write_graph("random.npz", graph)
    numbers = np.random.default_rng(0).random(90)
    np.save("numbers.npy", numbers)
    rows = "".join(f"{v},{number}\n" for v, number in reversed(list(enumerate(numbers.tolist()))))
    (folder / "numbers.csv").write_text("id,score\n" + rows)
    mask = sg.maximal_independent_set(graph, distance, priority=numbers)
    colors = sg.vertex_coloring(graph, distance=distance, order=numbers, reduce="none")
    for file in ("@numbers.npy", "@numbers.csv"):
        result = facts("mis", "random.npz", "--distance", distance, "--priority", file)
        assert (result["crc32"], result["priority"]) == (sg.fingerprint(mask), file)
        result = facts("color", "random.npz", "--distance", distance, "--order", file, "--reduce", "none")
        assert (result["crc32"], result["order"]) == (sg.fingerprint(colors), file)


ROOMS = "room,seats\nhall,120\nlab,30\n"
SIZES = "id,students\nmath,100\nart,20\nlaw,30\nmusic,90\n"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_rooms_and_gaps(folder, suffix):
    for name, text in (("exams.csv", EXAMS), ("rooms.csv", ROOMS), ("sizes.csv", SIZES)):
        (folder / name).write_text(text)
    limits = ["--rooms", "rooms.csv", "--sizes", "sizes.csv", "--gap", 2]
    result = facts("color", "exams.csv", *limits, "-o", f"slots.{suffix}")
    assert (result["verified"], result["rooms"], result["gap"], result["lower_bound"]) == (True, "rooms.csv", 2, 5)
    graph = sg.read_graph("exams.csv")
    named = {"rooms": {"hall": 120, "lab": 30}, "sizes": {"math": 100, "art": 20, "law": 30, "music": 90}}
    colors = sg.vertex_coloring(graph, gap=2, **named)
    assert result["crc32"] == sg.fingerprint(colors) and result["colors"] == len(sg.schedule(graph, gap=2, **named))
    table = sg.schedule_table(graph, colors, **named)
    if suffix == "csv":
        rows = "".join(f"{row['id']},{row['slot']},{row['room']}\n" for row in table.to_pylist())
        assert (folder / "slots.csv").read_text() == "id,slot,room\n" + rows
    # The kind of the answer follows from its columns; the rooms are checked, too.
    assert facts("verify", "exams.csv", f"slots.{suffix}", *limits)["verified"] is True
    assert facts("color", "exams.csv", *limits, "--fixed", f"slots.{suffix}")["crc32"] == result["crc32"]
    (folder / "rooms.csv").write_text(ROOMS.replace("hall", "barn"))
    assert (
        "the room 'hall', which does not" in facts("verify", "exams.csv", f"slots.{suffix}", *limits, code=1)["reason"]
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_rooms_of_an_earlier_plan_stay(folder, suffix):
    """Art stays in the hall, although the lab has enough seats; music has only a slot, and gets a room."""
    for name, text in (("exams.csv", EXAMS), ("rooms.csv", ROOMS), ("sizes.csv", SIZES)):
        (folder / name).write_text(text)
    (folder / "plan.csv").write_text("id,slot,room\nart,1,hall\nmusic,0,\n")
    if suffix == "parquet":
        plan = {"id": ["art", "music"], "slot": [1, 0], "room": ["hall", None]}
        pytest.importorskip("pyarrow.parquet").write_table(pytest.importorskip("pyarrow").table(plan), "plan.csv")
    limits = ["--rooms", "rooms.csv", "--sizes", "sizes.csv", "--fixed", "plan.csv"]
    result = facts("color", "exams.csv", *limits, "-o", f"slots.{suffix}", "--plot", "slots.svg")
    graph = sg.read_graph("exams.csv")
    named = {"rooms": {"hall": 120, "lab": 30}, "sizes": {"math": 100, "art": 20, "law": 30, "music": 90}}
    named["fixed"] = {"art": (1, "hall"), "music": 0}
    colors = sg.vertex_coloring(graph, **named, reduce="quick")
    assert (result["verified"], result["crc32"]) == (True, sg.fingerprint(colors))
    rows = sg.schedule_table(graph, colors, **named).to_pylist()
    assert [row for row in rows if row["id"] in named["fixed"]] == [
        {"id": "art", "slot": 1, "room": "hall"}, {"id": "music", "slot": 0, "room": "hall"}
    ]  # fmt: skip
    if suffix == "csv":
        found = (folder / "slots.csv").read_text().split()
        assert found == ["id,slot,room", *(",".join(map(str, row.values())) for row in rows)]
    assert facts("verify", "exams.csv", f"slots.{suffix}", *limits)["verified"] is True
    (folder / "plan.csv").write_text("id,slot,room\nart,1,lab\n")
    wrong = facts("verify", "exams.csv", f"slots.{suffix}", *limits, code=1)
    assert wrong["reason"] == "vertex 'art' is fixed in room 'lab', but has the room 'hall'"
    for plan, message, code in [
        ("math,1,lab\n", "vertex 'math' needs 100 seats, but is fixed in room 'lab', which has 30", 3),
        ("music,1,hall\nart,1,hall\n", "vertices 'music' and 'art' are both fixed to color 1 and room 'hall'", 3),
        ("music,1,\nart,1,hall\n", "2 vertices need or keep a room with 90 seats or more, and there is 1", 3),
        ("art,1,barn\n", "vertex 'art' is fixed in room 'barn', which is not in --rooms; fix only its color", 2),
    ]:
        (folder / "plan.csv").write_text("id,slot,room\n" + plan)
        assert message in refused("color", "exams.csv", *limits, code=code)
    assert facts("color", "exams.csv", "--fixed", "plan.csv")["verified"] is True  # without --rooms, only the slots


def test_rooms_that_are_too_small_and_files_without_rooms(folder):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "sizes.csv").write_text(SIZES)
    limits = ["--rooms", "rooms.csv", "--sizes", "sizes.csv"]
    for text, message, code in [
        ("room,seats\nlab,30\n", "vertex 'math' needs 100 seats, but the largest room has 30", 3),
        ("hall,120\nlab,30\n", "line 1: expected a title with the columns room and seats, got 'hall,120'", 2),
        ("room,floor,chairs\nhall,1,2\n", "expected a title with the columns room and seats", 2),
        ("room\nhall\n", "expected a title with the columns room and seats, got 'room'", 2),
        ("room,seats\nhall,many\n", "line 2: expected a room and its seats, got 'hall,many'", 2),
        ("room,seats\nhall,9\nhall,8\n", "line 3: a second line for room hall", 2),
        ("", "expected a title with the columns room and seats, got ''", 2),
    ]:
        (folder / "rooms.csv").write_text(text)
        assert message in refused("color", "exams.csv", *limits, code=code)
    (folder / "rooms.csv").write_text("seats,floor,room\n120,1,hall\n\n30,2,lab\n")
    assert facts("color", "exams.csv", *limits, "-o", "slots.txt")["verified"] is True
    assert facts("verify", "exams.csv", "slots.txt", "--as", "coloring", *limits)["verified"] is True
    (folder / "twice.csv").write_text("id,slot,room\nmath,0,hall\nart,1,hall\nlaw,2,hall\nmusic,0,hall\n")
    assert "the same room 'hall'" in facts("verify", "exams.csv", "twice.csv", code=1)["reason"]


def test_numbers_of_colors_with_gaps(folder):
    """`color` and `verify` print the same number; an option that may need fewer colors is named as without limits."""
    sg.write_graph("graph.mtx", sg.gallery.uniform_random(40, 8, seed=1))
    result = facts("color", "graph.mtx", "--gap", 3, "-o", "colors.npy")
    colors = np.load("colors.npy")
    assert result["colors"] == colors.max() + 1 > np.unique(colors).size
    checked = facts("verify", "graph.mtx", "colors.npy", "--as", "coloring", "--gap", 3)
    assert (checked["colors"], checked["in_use"]) == (result["colors"], np.unique(colors).size)
    line = f"colors    {result['colors']}, {checked['in_use']} of them in use\n"
    assert line in ok("verify", "graph.mtx", "colors.npy", "--as", "coloring", "--gap", 3)
    _, info = sg.vertex_coloring(sg.read_graph("graph.mtx"), gap=3, reduce="quick", return_info=True)
    assert (result["to_try"], info["suggestion"]) == ("--reduce thorough", "reduce='thorough'")
    assert "to try       --reduce thorough: takes longer" in ok("color", "graph.mtx", "--gap", 3)
    assert facts("color", "graph.mtx", "--gap", 3, "--reduce", "thorough")["to_try"] is None
    assert facts("color", "graph.mtx", "--colors", 20)["to_try"] is None
    assert "in_use" not in facts("verify", "graph.mtx", "colors.npy", "--as", "coloring", "--gap", 1)


@pytest.mark.parametrize("title", ["id", "exam"])
def test_exams_without_conflicts(folder, title):
    """--records adds vertices without edges, as `nodes` does in Python; --sizes does not."""
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "rooms.csv").write_text(ROOMS)
    (folder / "sizes.csv").write_text(f"{title},students\nmath,100\nart,20\nlaw,30\nmusic,90\npottery,25\n")
    limits = ["--rooms", "rooms.csv", "--sizes", "sizes.csv"]
    assert "the graph has no vertex pottery" in (line := refused("color", "exams.csv", *limits))
    assert "--records FILE adds vertices without edges" in line
    result = facts("color", "exams.csv", *limits, "--records", "sizes.csv", "-o", "slots.csv")
    pa = pytest.importorskip("pyarrow")
    u, v = zip(*(line.split(",") for line in EXAMS.split()[1:]), strict=True)
    graph = sg.from_table(pa.table({"source": u, "target": v}), directed=False, nodes=["pottery"])
    sizes = dict(zip(graph.nodes, [20, 30, 100, 90, 25], strict=True))
    colors = sg.vertex_coloring(graph, rooms={"hall": 120, "lab": 30}, sizes=sizes, reduce="quick")
    assert (result["vertices"], result["crc32"]) == (5, sg.fingerprint(colors))
    assert facts("verify", "exams.csv", "slots.csv", *limits, "--records", "sizes.csv")["verified"] is True
    (folder / "lists.csv").write_text("exam,room,seats\npottery,lab,1\n")
    assert "lists.csv: rename the column of the ids to 'id'" in refused("color", "exams.csv", "--records", "lists.csv")
    assert "--records goes with --as coloring or components" in refused(
        "verify", "exams.csv", "slots.csv", "--as", "set", "--records", "sizes.csv"
    )
    (folder / "weights.csv").write_text("id,weight\nmath,1\npottery,1\n")
    assert "--records" not in refused("mis", "exams.csv", "--weights", "weights.csv")  # which has no such option


def test_a_schedule_is_drawn_slot_by_slot(folder, monkeypatch):
    pytest.importorskip("matplotlib")
    from stablegraph.plot import timetables

    (folder / "exams.csv").write_text(EXAMS)
    drawn = []

    def recorded(name, draw):
        return lambda *arguments, **options: (drawn.append(name), draw(*arguments, **options))[1]

    for name in ("schedule_figure", "coloring_figure"):
        monkeypatch.setattr(sg.plot, name, recorded(name, getattr(sg.plot, name)))
    (folder / "rooms.csv").write_text(ROOMS)
    for options in (["--capacity", 2], ["--rooms", "rooms.csv"], []):
        ok("color", "exams.csv", *options, "--plot", "slots.png")
    assert drawn == ["schedule_figure", "schedule_figure", "coloring_figure"]
    monkeypatch.setattr(timetables, "MAX_BOXES", 3)
    ok("color", "exams.csv", "--capacity", 2, "--plot", "slots.png")
    assert drawn[3:] == ["coloring_figure"]
