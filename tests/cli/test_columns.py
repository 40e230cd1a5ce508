"""Columns of tables of vertices: any titles, the kinds of answers that they show, and names of earlier versions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.cli.answers import KINDS
from stablegraph.cli.vertex_tables import _EARLIER, LABELS

from .invoking import facts, ok, refused, run

EXAMS = "source,target\nmath,art\nart,law\nlaw,math\nlaw,music\n"
COMMANDS = {
    **{"set": ["mis"], "coloring": ["color"], "communities": ["communities"], "components": ["components"]},
    **{"scc": ["scc"], "aggregation": ["aggregate"], "forest": ["forest"], "matching": ["matching"]},
    "bfs": ["bfs", "--sources", "0"],
}
SUFFIXES = [".csv", ".tsv", ".npz", ".parquet", ".feather", ".csv.gz", ".mtx"]


@pytest.fixture
def exams(folder):
    (folder / "exams.csv").write_text(EXAMS)
    return folder


def write(path, rows, separator=",", end="\n", quote=""):
    path.write_bytes("".join(separator.join(f"{quote}{x}{quote}" for x in row) + end for row in rows).encode())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_auxiliary_files_have_any_two_columns(exams, separator, end):
    """The first column is the id, the other one the value, whatever their titles; CRLF and quotes change nothing."""
    how = {"separator": separator, "end": end, "quote": '"' if end == "\r\n" else ""}
    write(exams / "fixed", [("exam", "slot"), ("art", 2)], **how)
    write(exams / "allowed", [("exam", "slots"), ("math", 0), ("math", 3)], **how)
    write(exams / "forbidden", [("Prüfung", "x"), ("law", 0)], **how)
    write(
        exams / "sizes", [("exam", "students"), *zip(("music", "law", "art", "math"), range(1, 5), strict=True)], **how
    )
    write(exams / "start", [("name", "group"), ("math", "a"), ("new", "a")], **how)
    limits = [
        "--fixed",
        "fixed",
        "--allowed",
        "allowed",
        "--forbidden",
        "forbidden",
        "--sizes",
        "sizes",
        "--capacity",
        9,
    ]
    result = facts("color", "exams.csv", *limits, "-o", "slots.csv")
    colors = sg.vertex_coloring(
        sg.read_graph("exams.csv"),
        reduce="quick",
        fixed={"art": 2},
        allowed={"math": [0, 3]},
        forbidden={"law": [0]},
        sizes=[3, 2, 4, 1],
        capacity=9,
    )
    assert result["crc32"] == sg.fingerprint(colors)
    assert facts("verify", "exams.csv", "slots.csv", *limits)["verified"] is True
    weights = np.array([3, 2, 4, 1])
    mask = sg.maximal_independent_set(sg.read_graph("exams.csv"), weights=weights)
    assert facts("mis", "exams.csv", "--weights", "sizes")["crc32"] == sg.fingerprint(mask)
    mask = sg.maximal_independent_set(sg.read_graph("exams.csv"), priority=weights)
    assert facts("mis", "exams.csv", "--priority", "@sizes")["crc32"] == sg.fingerprint(mask)
    assert facts("components", "exams.csv", "--start", "start")["vertices"] == 5


@pytest.mark.parametrize(
    ("option", "value", "other"),
    [
        ("fixed", "color", "2"),
        ("allowed", "color", "2"),
        ("sizes", "size", "2"),
        ("weights", "weight", "2"),
        ("start", "cluster", "a"),
    ],
)
def test_other_titles_are_in_the_message(exams, option, value, other):
    command = {"weights": "mis", "start": "components"}.get(option, "color")
    capacity = ["--capacity", "9"] if option == "sizes" else []

    def refusal(text):
        (exams / "file.csv").write_bytes(text.replace("\n", "\r\n").encode())
        line = refused(command, "exams.csv", f"--{option}", "file.csv", *capacity)
        assert "\\r" not in line
        return line

    assert f"the columns must be id and {value}, got 'exam,hour,room'" in refusal(f"exam,hour,room\nart,{other},3\n")
    if option != "start":  # which adds vertices
        assert "the graph has no vertex history (column 'exam')" in refusal(f"exam,slot\nhistory,{other}\n")
        assert "put a title such as" in refusal(f"art,{other}\nlaw,{other}\n")  # no row is lost
        assert "put a title such as" in refusal(f"Art,{other}\nlaw,{other}\n")
    assert "expected 2 values, got 3" in refusal(f"exam,slot\nart,{other},4\n")


def test_the_named_column_of_several(exams):
    rows = [
        "exam,room,color,size",
        *(f"{name},x,{k},{k + 1}" for k, name in enumerate(("art", "law", "math", "music"))),
    ]
    (exams / "table.csv").write_text("\n".join(rows))
    result = facts("color", "exams.csv", "--fixed", "table.csv", "--sizes", "table.csv", "--capacity", 9, "-o", "c.csv")
    assert (exams / "c.csv").read_text() == "id,color\nart,0\nlaw,1\nmath,2\nmusic,3\n"
    assert result["verified"] is True


def written(exams, kind, suffix, options=()):
    if suffix in (".csv", ".tsv", ".parquet", ".feather", ".csv.gz"):
        pytest.importorskip("pyarrow")
    name = f"{kind}{suffix}"
    ok(COMMANDS[kind][0], "exams.csv", *COMMANDS[kind][1:], "-o", name, *options)
    return name


def test_verify_recognizes_every_kind_by_its_columns(exams):
    assert set(COMMANDS) == set(KINDS)
    for kind, suffix in itertools.product(KINDS, SUFFIXES):
        if suffix == ".mtx" and kind != "forest":
            continue
        result = facts("verify", "exams.csv", written(exams, kind, suffix))
        assert result["verified"] is True and kind in result, (kind, suffix, result)
        assert result == facts("verify", "exams.csv", f"{kind}{suffix}", "--as", kind) | {"seconds": result["seconds"]}
    for kind in set(KINDS) - {"forest"}:  # text names its columns if the vertices have names
        assert kind in facts("verify", "exams.csv", written(exams, kind, ".txt"))
    ok("components", "exams.csv", "--label", "smallest", "-o", "clusters.csv")
    assert "components" in facts("verify", "exams.csv", "clusters.csv")


def test_columns_have_distinct_names():
    columns = [kind.columns for kind in KINDS.values()]
    assert len(set(columns)) == len(columns)


@pytest.mark.parametrize("suffix", ["txt", "npy"])
def test_what_cannot_be_a_set_names_as(folder, suffix):
    """The kinds that are written without names, for a graph without names; also 0 and 1 that are no set."""
    sg.write_graph("graph.mtx", sg.gallery.uniform_random(30, 6))
    for kind, (name, *options) in COMMANDS.items():
        if kind != "forest":
            ok(name, "graph.mtx", *options, "-o", f"{kind}.{suffix}")
            result = run("verify", "graph.mtx", f"{kind}.{suffix}")
            assert (result.exit_code == 0) == (kind == "set"), kind
            assert ("read as a set: pass --as for another kind" in result.output) == (kind != "set"), kind
    stated = run("verify", "graph.mtx", f"components.{suffix}", "--as", "components")
    assert stated.exit_code == 0 and "--as" not in stated.output
    np.save("empty.npy", np.zeros(30, bool))
    stated = facts("verify", "graph.mtx", "empty.npy", "--as", "set", code=1)["reason"]
    assert facts("verify", "graph.mtx", "empty.npy", code=1)["reason"].startswith(f"{stated}; without names of columns")


def test_a_file_without_names_is_a_set(folder):
    ok("mis", "path.mtx", "-o", "set.npy")
    assert facts("verify", "path.mtx", "set.npy")["size"] == 3
    ok("color", "path.mtx", "-o", "colors.txt")
    assert facts("verify", "path.mtx", "colors.txt", "--as", "coloring")["colors"] == 2


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_names_of_earlier_versions_are_read(exams, suffix):
    for kind, one in KINDS.items():
        names = one.columns.split()
        earlier = [_EARLIER.get(name, "labels" if name in LABELS else name) for name in names]
        if not names or earlier == names:
            continue
        file = written(exams, kind, suffix)
        renamed(exams, file, dict(zip(names, earlier, strict=True)))
        assert facts("verify", "exams.csv", file, "--as", kind)["verified"] is True
        if earlier == ["labels"]:
            line = refused("verify", "exams.csv", file)
            assert "it may be communities or components or scc or aggregation" in line
        else:
            assert kind in facts("verify", "exams.csv", file)
    if suffix != ".npz":  # which has no ids where components start
        file = written(exams, "components", suffix)
        renamed(exams, file, {"component": "labels"})
        assert facts("components", "exams.csv", "--start", file)["components"] == 1
    file = written(exams, "coloring", suffix)
    renamed(exams, file, {"color": "colors"})
    assert facts("color", "exams.csv", "--fixed", file)["verified"] is True


def renamed(folder, file, names):
    """Give other names to columns of a file."""
    if file.endswith(".npz"):
        with np.load(file) as arrays:
            changed = {names.get(name, name): arrays[name] for name in arrays.files}
        np.savez(file, **changed)
    elif file.endswith(".csv"):
        title, *rows = (folder / file).read_text().splitlines()
        title = ",".join(names.get(name, name) for name in title.split(","))
        (folder / file).write_text("\n".join([title, *rows]))
    else:
        import pyarrow.parquet as pq

        table = pq.read_table(file)
        pq.write_table(table.rename_columns([names.get(name, name) for name in table.column_names]), file)


def test_a_column_of_another_kind_is_refused(exams):
    written(exams, "coloring", ".csv")
    for kind in set(KINDS) - {"coloring", "forest"}:
        line = refused("verify", "exams.csv", "coloring.csv", "--as", kind)
        assert "got id,color; pass --as coloring" in line
    (exams / "own.csv").write_text("exam,slot\nart,0\nlaw,1\nmath,2\nmusic,0\n")
    assert facts("verify", "exams.csv", "own.csv", "--as", "coloring")["verified"] is True
    line = refused("verify", "exams.csv", "own.csv")
    assert "own.csv: name the kind of answer by --as; by its columns exam,slot, they are those of no answer" in line
    assert "use '--as'" in refused("verify", "exams.csv", "own.csv", "--kind", "coloring")
    (exams / "untitled.csv").write_text("art,1\nlaw,0\nmath,0\nmusic,1\n")
    assert "put a title such as 'id,mask'" in refused("verify", "exams.csv", "untitled.csv", "--as", "set")


def test_recognition_of_standard_input(exams):
    file = written(exams, "coloring", ".csv")
    result = run("verify", "exams.csv", "-", input=(exams / file).read_text())
    assert result.exit_code == 0 and "yes: a proper coloring" in result.stdout
