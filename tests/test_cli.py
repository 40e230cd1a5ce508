"""The command line: results, JSON, exit codes, one line for every failure, pipes."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery

pytest.importorskip("click")
pytest.importorskip("rich")

from click.testing import CliRunner

from stablegraph import __main__, cli
from stablegraph.cli import answer_files, demo, mis, terminal

# A path of five vertices: 0 - 1 - 2 - 3 - 4.
PATH = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n"
DIRECTED = "# arcs\n3 30\n30 7\n7 3\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "path.mtx").write_text(PATH)
    (tmp_path / "arcs.txt").write_text(DIRECTED)
    return tmp_path


def run(*arguments, **options):
    threads = sg.num_threads()
    try:
        return CliRunner().invoke(cli.main, [str(argument) for argument in arguments], **options)
    finally:
        sg.set_num_threads(threads)


def ok(*arguments, **options):
    result = run(*arguments, **options)
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    return result.stdout


def facts(*arguments, **options):
    """The JSON that a command prints; nothing else may stand beside it."""
    return json.loads(ok(*arguments, "--json", **options))


def refused(*arguments, code=2, **options):
    """The one line on standard error with which a command refuses; nothing may stand on standard output."""
    result = run(*arguments, **options)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert result.stderr.startswith("stablegraph: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "stablegraph", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


# ------------------------------------------------------------------------------------------------------- the commands


def test_version_and_help():
    assert ok("--version") == f"stablegraph {sg.__version__}\n"
    overview = ok()
    for name in cli.main.commands:
        assert name in overview
        assert "Usage:" in ok(name, "--help")
    assert "..." not in ok("--help").replace("[ARGS]...", "") + ok("generate", "--help").replace("[ARGS]...", "")
    assert "100x100" in ok("generate", "grid", "--help")


def test_every_option_is_explained():
    options = [
        (name, option)
        for name, command in cli.main.commands.items()
        for option in command.params
        if option.param_type_name == "option"
    ]
    assert [(name, option.name) for name, option in options if not option.help] == []


def test_info(folder):
    found = facts("info", "path.mtx")
    assert (found["vertices"], found["edges"], found["entries"], found["directed"]) == (5, 4, 8, False)
    assert (found["degree_min"], found["degree_max"], found["degree_mean"]) == (1, 2, 1.6)
    assert (found["loops"], found["weights"], found["isolated_vertices"]) == (0, None, 0)
    assert found["file_bytes"] == len(PATH)
    assert "5" in ok("info", "path.mtx")


def test_info_of_a_directed_graph(folder):
    assert facts("info", "arcs.txt")["directed"] is True
    found = facts("info", "arcs.txt", "--symmetrize")
    assert (found["directed"], found["edges"]) == (False, 3)


def test_info_of_weights_and_loops(folder):
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 -1.5\n2 2 4\n")
    found = facts("info", "w.mtx")
    assert (found["loops"], found["weights"], found["edges"]) == (2, "float64", 1)
    assert "-1.5 to 4" in ok("info", "w.mtx")


def test_merge_says_what_becomes_of_weights(folder):
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 5\n")
    (folder / "out").mkdir()
    ok("convert", "w.mtx", "out/w.mtx", "--merge", "max")
    assert sg.read_graph("out/w.mtx").weights.tolist() == [5, 5]


def test_info_of_an_empty_graph(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    assert facts("info", "empty.mtx")["vertices"] == 0
    assert facts("mis", "empty.mtx")["size"] == 0
    ok("info", "empty.mtx")
    ok("mis", "empty.mtx", "-o", "set.txt")
    ok("verify", "empty.mtx", "set.txt")


def test_mis_prints_what_it_found(folder):
    found = facts("mis", "path.mtx")
    mask = sg.maximal_independent_set(sg.read_graph("path.mtx"))
    assert (found["size"], found["share"], found["verified"]) == (int(mask.sum()), mask.mean(), True)
    assert found["crc32"] == answer_files.fingerprint(mask)
    assert set(found["seconds"]) == {"read", "compile", "compute", "verify"}
    told = ok("mis", "path.mtx")
    assert f"{mask.sum()}" in told and "yes: independent and maximal" in told


@pytest.mark.parametrize("priority", mis.PRIORITIES)
@pytest.mark.parametrize("seed", [0, 7])
def test_mis_by_each_order(folder, priority, seed):
    graph = gallery.uniform_random(500, 3)
    sg.write_graph("random.npz", graph)
    ok("mis", "random.npz", "--priority", priority, "--seed", seed, "-o", "set.npy")
    assert np.array_equal(np.load("set.npy"), sg.maximal_independent_set(graph, priority=priority, seed=seed))


def test_mis_in_rounds_to_the_end_and_told(folder):
    graph = gallery.grid((30, 30))
    sg.write_graph("grid.npz", graph)
    found = facts("mis", "grid.npz", "--synchronous", "--info")
    _, info = sg.maximal_independent_set(graph, synchronous=True, return_info=True)
    assert {**found["info"], "seconds": 0} == {**info, "seconds": 0}
    assert f"{info['rounds']}, looking at {info['edges']:,} entries" in ok("mis", "grid.npz", "--synchronous", "--info")
    drawn = [
        facts("mis", "grid.npz", "--algorithm", "luby-select", how)["crc32"] for how in ("--adaptive", "--no-adaptive")
    ]
    assert drawn[0] != drawn[1]
    assert "has no option synchronous" in refused("mis", "grid.npz", "--algorithm", "luby", "--synchronous")


def test_mis_at_distance_two(folder):
    graph = gallery.grid((20, 20))
    sg.write_graph("grid.npz", graph)
    found = facts("mis", "grid.npz", "--distance", "2", "--info", "-o", "set.npy")
    assert np.array_equal(np.load("set.npy"), sg.maximal_independent_set(graph, k=2))
    assert (found["verified"], found["distance"], found["priority"]) == (True, 2, "random")
    assert facts("verify", "grid.npz", "set.npy", "--distance", "2")["verified"]
    assert run("verify", "grid.npz", "set.npy").exit_code == 1  # at distance 1 more could join
    assert "for k = 2" in refused("mis", "grid.npz", "--distance", "2", "--algorithm", "luby")


def test_mis_include_and_exclude(folder):
    ok("mis", "path.mtx", "--include", "1", "--exclude", "3-4", "-o", "set.npy")
    assert np.load("set.npy").tolist() == [False, True, False, False, False]
    np.save("two.npy", np.array([3, 4]))
    ok("mis", "path.mtx", "--include", "1", "--exclude", "@two.npy", "-o", "again.npy")
    assert np.load("again.npy").tolist() == [False, True, False, False, False]
    ok("mis", "path.mtx", "--include", "1", "--exclude", " 3 - 4 ", "-o", "blanks.npy")
    assert np.load("blanks.npy").tolist() == [False, True, False, False, False]


def test_mis_without_verifying(folder):
    found = facts("mis", "path.mtx", "--no-verify")
    assert found["verified"] is None and "verify" not in found["seconds"]


def test_threads_do_not_change_the_set(folder):
    sg.write_graph("random.npz", gallery.uniform_random(5000, 3))
    found = [facts("mis", "random.npz", "--threads", threads) for threads in (1, 2)]
    assert [each["threads"] for each in found] == [1, 2]
    assert found[0]["crc32"] == found[1]["crc32"]


def test_mis_symmetrizes(folder):
    assert "--symmetrize" in refused("mis", "arcs.txt")
    assert facts("mis", "arcs.txt", "--symmetrize")["size"] == 1


@pytest.mark.parametrize("name", ["set.txt", "set", "set.npy", "set.npz", "set.txt.gz"])
def test_verify_reads_what_mis_writes(folder, name):
    ok("mis", "path.mtx", "-o", name)
    found = facts("verify", "path.mtx", name)
    assert (found["verified"], found["reason"], found["size"]) == (True, None, 3)
    assert [path for path in os.listdir(folder) if path.endswith(".part")] == []


def test_text_has_one_line_a_vertex(folder):
    ok("mis", "path.mtx", "--include", "0,2,4", "-o", "set.txt")
    assert (folder / "set.txt").read_text() == "1\n0\n1\n0\n1\n"


def test_npz_holds_the_names_and_how_it_was_made(folder):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    ok("mis", "gaps.txt", "-o", "set.npz", "--seed", 3)
    with np.load("set.npz") as arrays:
        assert arrays["nodes"].tolist() == [10, 20, 40]
        assert arrays["mask"].tolist() == [True, False, True]
        assert json.loads(str(arrays["about"]))["seed"] == 3


def test_text_of_vertices_with_names_says_that_it_has_none(folder):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    title = "one line a vertex, the first for 10, the last for 40: numbers, not names (.npz has both)\n"
    ok("mis", "gaps.txt", "-o", "set.txt")
    assert (folder / "set.txt").read_text() == f"# mask, {title}1\n0\n1\n"
    ok("verify", "gaps.txt", "set.txt")
    ok("bfs", "gaps.txt", "--sources", "1", "-o", "tree.txt")
    assert (folder / "tree.txt").read_text() == f"# distances parents, {title}1 1\n0 1\n1 1\n"
    ok("verify", "gaps.txt", "tree.txt", "--as", "bfs")
    (folder / "set.txt").write_text(f"# {title}1\n10\n1\n")
    assert "line 3: expected 0 or 1" in refused("verify", "gaps.txt", "set.txt")
    assert "line 2: expected 2 numbers" in refused("verify", "gaps.txt", "set.txt", "--as", "bfs")


@pytest.mark.parametrize(
    ("members", "reason"), [([0, 1], "vertices 0 and 1 are adjacent"), ([0, 2], "4"), ([], "vertex 0")]
)
def test_verify_says_what_is_wrong(folder, members, reason):
    np.save("set.npy", np.array(members, np.int64))
    result = run("verify", "path.mtx", "set.npy")
    assert result.exit_code == 1 and result.stderr == ""
    assert reason in result.stdout
    found = run("verify", "path.mtx", "set.npy", "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["verified"] is False and reason in json.loads(found.stdout)["reason"]


def test_verify_with_exclude(folder):
    np.save("set.npy", np.array([0, 2]))
    assert run("verify", "path.mtx", "set.npy").exit_code == 1
    assert facts("verify", "path.mtx", "set.npy", "--exclude", "4")["verified"] is True


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_sets_with_other_line_ends(folder, ends):
    (folder / "set.txt").write_bytes(ends.join("10101").encode())
    if ends == "\r\n":
        ok("verify", "path.mtx", "set.txt")
    else:
        assert "set.txt, line 2: expected 0 or 1" in refused("verify", "path.mtx", "set.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\n0\n1\n", "a set of 3 vertices, but the graph has 5"),
        (b"1\n0\nx\n0\n1\n", "line 3: expected 0 or 1"),
        (b"", "a set of 0 vertices, but the graph has 5"),
        (b"\x93NUMPY\x01", "damaged"),
        (b"PK\x03\x04broken", "damaged"),
        (b"\x1f\x8b\x08\x00", "cut short"),
    ],
)
def test_broken_sets(folder, content, message):
    (folder / "set").write_bytes(content)
    assert message in refused("verify", "path.mtx", "set")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([0, 5]), "vertex 5 is not one of the graph's 5 vertices"),
        (np.array([-1, 2]), "vertex -1 is not"),
        (np.zeros(4, bool), "a set of 4 vertices"),
        (np.zeros((5, 1), bool), "array of shape (5, 1)"),
        (np.array([0.5]), "array of float64"),
        (np.array([None]), "no plain array"),
    ],
)
def test_arrays_that_are_no_sets(folder, array, message):
    np.save("set.npy", array)
    assert message in refused("verify", "path.mtx", "set.npy")


def test_npz_without_a_mask(folder):
    np.savez("set.npz", other=np.zeros(5))
    assert "no array 'mask'" in refused("verify", "path.mtx", "set.npz")


@pytest.mark.parametrize(
    "target", ["g.mtx", "g.mtx.gz", "g.txt", "g.col", "g.graph", "g.egr", "g.npz", "g.gr", "g.parquet"]
)
def test_convert_keeps_the_graph(folder, target):
    if target == "g.parquet":
        pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow; install the extra 'io'")
    found = facts("convert", "path.mtx", target)
    assert found["output_bytes"] == os.path.getsize(target)
    there, back = sg.read_graph("path.mtx"), sg.read_graph(target)
    assert np.array_equal(there.indptr, back.indptr) and np.array_equal(there.indices, back.indices)


def test_convert_with_stated_formats(folder):
    (folder / "text").write_text("1 2\n")
    ok("convert", "text", "other", "--from", "snap", "--to", "metis", "--symmetrize")
    assert (folder / "other").read_text().split() == ["2", "1", "2", "1"]
    assert "--to" in refused("convert", "path.mtx", "no.suffix")
    assert "unknown" in refused("convert", "path.mtx", "x.mtx", "--from", "bogus")


@pytest.mark.parametrize(
    ("arguments", "vertices"),
    [
        (["grid", "4x5"], 20),
        (["grid", "3x3x3", "--stencil", "27"], 27),
        (["laplacian", "4x4"], 16),
        (["elasticity", "2x2x2"], 24),
        (["uniform", "100", "--picks", "3", "--seed", "1"], 100),
        (["rmat", "6", "--edges-per-vertex", "4"], 64),
        (["kronecker", "6"], 64),
        (["delaunay", "50"], 50),
        (["real", "us-counties"], 3234),
    ],
)
def test_generate(folder, arguments, vertices):
    found = facts("generate", *arguments, "-o", "g.npz")
    assert (found["vertices"], found["kind"]) == (vertices, arguments[0])
    assert sg.read_graph("g.npz").num_vertices == vertices


def test_generate_is_the_gallery(folder):
    ok("generate", "rmat", "7", "--seed", "5", "-o", "g.npz")
    assert np.array_equal(sg.read_graph("g.npz").indices, gallery.rmat(7, seed=5).indices)


def test_generate_lists_its_kinds(folder):
    told = ok("generate", "--list")
    for kind in ("grid SHAPE", "elasticity SHAPE", "rmat SCALE", "delaunay POINTS"):
        assert kind in told
    assert "say what to make: grid" in refused("generate")
    assert "100x100" in refused("generate", "grid", "3by3", "-o", "g.npz")
    assert "--output" in refused("generate", "grid", "3x3")
    assert "No such command" in refused("generate", "pyramid")


def test_bench(folder):
    found = facts("bench", "path.mtx", "--repeat", "1")
    assert [row["priority"] for row in found["results"]] == list(mis.PRIORITIES)
    assert all(row["seconds"] > 0 and row["sweeps"] > 0 and row["size"] >= 2 for row in found["results"])
    assert found["sweep_seconds"] > 0
    assert "edge sweeps" in ok("bench", "path.mtx", "--repeat", "1")
    assert "not both" in refused("bench", "path.mtx", "--graph", "G2")
    assert "G3" in refused("bench", "--graph", "bogus")


def test_demo_draws_and_verifies(folder):
    pytest.importorskip("matplotlib")
    found = facts("demo")
    cpu = {row["step"]: row for row in found["results"] if row["device"] == "cpu"}
    assert found["verified"] and list(cpu) == list(demo.STEPS)
    mask = sg.maximal_independent_set(gallery.load("us-counties"))
    known = cpu["maximal set"]
    assert (known["size"], known["crc32"]) == (int(mask.sum()), answer_files.fingerprint(mask))
    assert known["size"] < cpu["large set"]["size"] <= cpu["large set"]["upper_bound"]
    assert cpu["coloring"]["colors"] == cpu["coloring"]["lower_bound"] == 5
    assert (cpu["components"]["components"], cpu["spanning forest"]["edges"]) == (17, 3234 - 17)
    assert cpu["strong components"]["largest"] < cpu["components"]["largest"] == cpu["search"]["reached"]
    assert cpu["aggregates"]["aggregates"] == sg.aggregate(gallery.load("us-counties"))[0]
    assert cpu["multigrid"]["ohms"] == pytest.approx(3.404, abs=1e-3)
    assert found["pictures"] == [demo.PICTURE, "stablegraph-demo-colors.png"]
    for picture in found["pictures"]:
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")
    told = ok("demo", "-o", "other.svg")
    assert "other.svg" in told and "compute" in told
    assert (folder / "other.svg").read_text().startswith("<?xml")
    assert "a picture can be" in refused("demo", "-o", "picture.bogus")


def test_demo_without_a_picture(folder, monkeypatch):
    assert facts("demo", "--no-picture")["pictures"] == []
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 'pip install "stablegraph[plot]"' in ok("demo")
    assert sorted(os.listdir(folder)) == ["arcs.txt", "path.mtx"]


def test_large_sets(folder):
    graph = gallery.uniform_random(400, 8)
    sg.write_graph("random.npz", graph)
    found = facts("mis", "random.npz", "--large", "--rounds", 3, "--seed", 5, "--include", 7, "-o", "set.npy")
    known = sg.large_independent_set(graph, rounds=3, seed=5, include=[7])
    assert np.array_equal(np.load("set.npy"), known.mask)
    assert (found["size"], found["upper_bound"], found["rounds"]) == (known.size, known.upper_bound, 3)
    assert (found["optimal"], found["stopped"], found["verified"]) == (False, False, True)
    told = ok("mis", "random.npz", "--large", "--rounds", 0)
    assert f"gap {found['gap']:.1%}"[:4] in told and "0 of 0 rounds" in told
    assert "a maximum independent set" in ok("mis", "path.mtx", "--large")


def test_a_search_that_is_stopped_gives_its_best_set(folder, monkeypatch):
    graph = gallery.uniform_random(400, 8)
    sg.write_graph("random.npz", graph)

    @contextlib.contextmanager
    def impatient(rounds):
        def progress(done, size, bound):
            if done == 2:
                raise KeyboardInterrupt

        yield progress

    monkeypatch.setattr(mis, "searching", impatient)
    found = facts("mis", "random.npz", "--large", "-o", "set.txt")
    assert (found["stopped"], found["verified"], found["rounds"]) == (True, True, 2)
    assert facts("verify", "random.npz", "set.txt")["size"] == found["size"]
    assert "(stopped)" in ok("mis", "random.npz", "--large")


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ([], {}),
        (
            ["--order", "smallest_last", "--ties", "hash", "--seed", 3],
            {"order": "smallest_last", "ties": "hash", "seed": 3},
        ),
        (["--order", "natural", "--order", "random"], {"order": ["natural", "random"]}),
        (["--distance", 2, "--reduce", "none"], {"distance": 2, "reduce": "none"}),
        (["--algorithm", "mis", "--balance"], {"algorithm": "mis", "balance": True}),
    ],
)
def test_color(folder, options, known):
    graph = gallery.uniform_random(400, 8)
    sg.write_graph("random.npz", graph)
    found = facts("color", "random.npz", *options, "-o", "colors.npz")
    colors = sg.vertex_coloring(graph, **known)
    with np.load("colors.npz") as arrays:
        assert np.array_equal(arrays["colors"], colors)
        assert json.loads(str(arrays["about"]))["colors"] == colors.max() + 1
    assert (found["colors"], found["crc32"]) == (colors.max() + 1, answer_files.fingerprint(colors))
    assert found["class_sizes"] == np.bincount(colors).tolist() and found["verified"] is True
    assert found["lower_bound"] <= found["colors"]
    distance = known.get("distance", 1)
    assert facts("verify", "random.npz", "colors.npz", "--as", "coloring", "--distance", distance)["verified"] is True


def test_color_says_when_fewer_are_impossible(folder):
    assert "2  (the fewest possible)" in ok("color", "path.mtx")
    sg.write_graph("cycle.mtx", sg.from_edges(range(5), [1, 2, 3, 4, 0], symmetrize=True))
    found = facts("color", "cycle.mtx")
    assert (found["colors"], found["lower_bound"], found["upper_bound"], found["optimal"]) == (3, 2, 3, False)
    assert "fewest" not in ok("color", "cycle.mtx")
    assert facts("color", "cycle.mtx", "--distance", 2)["lower_bound"] == 3


@pytest.mark.parametrize("name", ["c.txt", "c", "c.npy", "c.npz", "c.txt.gz"])
def test_verify_reads_what_color_writes(folder, name):
    ok("color", "path.mtx", "-o", name)
    found = facts("verify", "path.mtx", name, "--as", "coloring")
    assert (found["verified"], found["reason"], found["colors"]) == (True, None, 2)


def test_colors_in_files(folder):
    (folder / "same.txt").write_text("0\r\n1\r\n1\r\n0\r\n12\r\n")
    result = run("verify", "path.mtx", "same.txt", "--as", "coloring")
    assert result.exit_code == 1 and "vertices 1 and 2 are adjacent, but both have color 1" in result.stdout
    for text, message in (
        ("0\n1\n", "2 colors, but the graph has 5 vertices"),
        ("0\n1\nred\n", "line 3: expected a number (one line for each vertex), got 'red'"),
        ("9" * 30, "line 1: expected a number"),
        ("", "0 colors"),
    ):
        (folder / "bad.txt").write_text(text)
        assert message in refused("verify", "path.mtx", "bad.txt", "--as", "coloring")
    np.save("bad.npy", np.zeros(5))
    assert "expected integers" in refused("verify", "path.mtx", "bad.npy", "--as", "coloring")
    np.savez("set.npz", mask=np.zeros(5, bool))
    assert "no array 'colors'" in refused("verify", "path.mtx", "set.npz", "--as", "coloring")


def test_color_draws(folder):
    pytest.importorskip("matplotlib")
    assert facts("color", "path.mtx", "--plot", "colors.png")["picture"] == "colors.png"
    assert (folder / "colors.png").read_bytes().startswith(b"\x89PNG")
    assert "a picture can be" in refused("color", "path.mtx", "--plot", "colors.bogus")


def test_colors_of_an_empty_graph(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    assert facts("color", "empty.mtx", "-o", "colors.txt")["colors"] == 0
    ok("verify", "empty.mtx", "colors.txt", "--as", "coloring")
    assert facts("mis", "empty.mtx", "--large")["optimal"] is True


@pytest.mark.parametrize(
    ("command", "find", "algorithms"),
    [
        ("components", sg.connected_components, ["union", "fastsv"]),
        ("scc", sg.strongly_connected_components, ["auto", "tarjan", "forward-backward", "cfhp"]),
    ],
)
def test_components(folder, command, find, algorithms):
    graph = gallery.with_directions(gallery.uniform_random(300, 1))
    sg.write_graph("random.npz", graph)
    count, labels = find(graph)
    for algorithm in algorithms:
        found = facts(command, "random.npz", "--algorithm", algorithm, "-o", "labels.npz")
        assert (found["components"], found["largest"]) == (count, np.bincount(labels).max())
        assert (found["verified"], found["crc32"]) == (True, answer_files.fingerprint(labels))
    with np.load("labels.npz") as arrays:
        assert np.array_equal(arrays["labels"], labels)
    assert facts("verify", "random.npz", "labels.npz", "--as", command)["labels"] == count
    np.savetxt("wrong.txt", np.zeros(300), fmt="%d")
    assert "no: vertices 0 and" in run("verify", "random.npz", "wrong.txt", "--as", command).stdout


def test_components_tell_weak_from_strong(folder):
    (folder / "arcs.txt").write_text("# arcs\n0 1\n1 0\n1 2\n")
    assert facts("components", "arcs.txt")["components"] == 1
    found = facts("scc", "arcs.txt")
    assert (found["components"], found["single_vertices"]) == (2, 1)
    assert "2  (1 of a single vertex)" in ok("scc", "arcs.txt")
    assert run("scc", "arcs.txt", "-o", "-").stdout == "0\n0\n1\n"


@pytest.mark.parametrize("algorithm", ["auto", "boruvka", "filter-kruskal", "awerbuch-shiloach"])
@pytest.mark.parametrize("maximum", [False, True])
def test_forest(folder, algorithm, maximum):
    heaviest = ["--maximum"] if maximum else []
    triangle = sg.from_edges([0, 1, 2], [1, 2, 0], [5, 0, 2**62], n=4, symmetrize=True)
    sg.write_graph("triangle.npz", triangle)
    found = facts("forest", "triangle.npz", "--algorithm", algorithm, "-o", "forest.mtx", *heaviest)
    assert (found["forest_edges"], found["trees"], found["verified"]) == (2, 2, True)
    assert found["weight"] == (2**62 + 5 if maximum else 5)
    forest = sg.read_graph("forest.mtx")
    assert (forest.num_vertices, forest.num_edges, forest.directed) == (4, 2, False)
    assert facts("verify", "triangle.npz", "forest.mtx", "--as", "forest", *heaviest)["weight"] == found["weight"]
    other_way = [] if maximum else ["--maximum"]
    result = run("verify", "triangle.npz", "forest.mtx", "--as", "forest", *other_way)
    assert result.exit_code == 1 and "and is not in the forest, but edge" in result.stdout


def test_forests_without_weights_and_with_weights_that_differ(folder):
    assert facts("forest", "path.mtx", "-o", "forest.npz")["weight"] == 4
    assert sg.read_graph("forest.npz") == sg.read_graph("path.mtx")
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 5.5\n")
    refused("forest", "w.mtx")
    assert facts("forest", "w.mtx", "--merge", "max", "-o", "forest.npz")["weight"] == 5.5
    assert "5.5" in ok("verify", "w.mtx", "forest.npz", "--as", "forest", "--merge", "max")


@pytest.mark.parametrize("name", ["tree.npy", "tree.npz", "tree.txt"])
def test_bfs(folder, name):
    graph = gallery.uniform_random(300, 3)
    sg.write_graph("random.npz", graph)
    tree = np.stack(sg.breadth_first_search(graph, [3, 7]), axis=1)
    found = facts("bfs", "random.npz", "--sources", "3,7", "-o", name)
    assert (found["reached"], found["farthest"]) == ((tree[:, 0] >= 0).sum(), tree[:, 0].max())
    assert (found["verified"], found["crc32"]) == (True, answer_files.fingerprint(tree))
    assert np.array_equal(answer_files.read_numbers(name, "distances parents", 300), tree)
    for sources in ([], ["--sources", "3,7"]):
        assert facts("verify", "random.npz", name, "--as", "bfs", *sources)["reached"] == found["reached"]
    assert run("verify", "random.npz", name, "--as", "bfs", "--sources", "3").exit_code == 1


@pytest.mark.parametrize(
    ("distances", "parents", "reason"),
    [
        ([0, 1, 2, 3, -1], [0, 0, 1, 2, -1], "but an edge leads there"),
        ([0, 1, 2, 3, 4], [0, 0, 3, 2, 3], "one step nearer"),
        ([0, 1, 2, 3, 0], [0, 0, 1, 2, 4], "is no source"),
        ([0, 1, 2, 3, 3], [0, 0, 1, 2, 2], "no edge leads from there"),
        ([0, 1, 2, 3, 4], [0, 0, 1, 2, 7], "which is no vertex"),
    ],
)
def test_verify_says_what_is_wrong_with_a_search(folder, distances, parents, reason):
    np.savez("tree.npz", distances=distances, parents=parents)
    result = run("verify", "path.mtx", "tree.npz", "--as", "bfs", "--sources", "0")
    assert result.exit_code == 1 and "no: vertex" in result.stdout and reason in result.stdout, result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"0 0\n1 0\n2\n3 2\n4 3\n", "line 3: expected 2 numbers"),
        (b"0 0\n1 0\n", "2 distances and parents, but the graph has 5 vertices"),
        (b"PK\x03\x04broken", "damaged"),
    ],
)
def test_broken_searches(folder, content, message):
    (folder / "tree").write_bytes(content)
    assert message in refused("verify", "path.mtx", "tree", "--as", "bfs")


def test_searches_need_two_columns(folder):
    np.save("parents.npy", np.array([0, 0, 1, 2, 3]))
    assert "columns of distances and parents" in refused("verify", "path.mtx", "parents.npy", "--as", "bfs")
    np.savez("parents.npz", parents=np.array([0, 0, 1, 2, 3]))
    assert "no array 'distances' or 'parents'" in refused("verify", "path.mtx", "parents.npz", "--as", "bfs")


def test_bfs_follows_arcs_and_may_begin_nowhere(folder):
    (folder / "arcs.txt").write_text("# arcs\n0 1\n1 2\n")
    assert facts("bfs", "arcs.txt", "--sources", "1")["reached"] == 2
    (folder / "nobody.txt").write_text("0\n0\n0\n")
    assert "reached   0 vertices" in ok("bfs", "arcs.txt", "--sources", "@nobody.txt")
    ok("bfs", "arcs.txt", "--sources", "1", "-o", "tree.txt")
    assert (folder / "tree.txt").read_text() == "-1 -1\n0 1\n1 1\n"
    assert facts("verify", "arcs.txt", "tree.txt", "--as", "bfs")["verified"] is True


def test_an_empty_graph_has_no_components(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    (folder / "nobody.txt").write_text("")
    nobody = ["--sources", "@nobody.txt"]
    for command, options in (("components", []), ("scc", []), ("bfs", nobody), ("forest", ["--to", "npz"])):
        assert facts(command, "empty.mtx", *options, "-o", "answer")["verified"] is True
        assert facts("verify", "empty.mtx", "answer", "--as", command)["verified"] is True


# ------------------------------------------------------------------------------------------- standard input and output


def test_standard_input(folder):
    assert facts("info", "-", input=PATH)["vertices"] == 5
    assert facts("info", "-", input=gzip.compress(PATH.encode()))["vertices"] == 5
    assert facts("verify", "path.mtx", "-", input="1\n0\n1\n0\n1\n")["verified"] is True
    assert "standard input" in refused("info", "-", input="this is no graph\n")
    assert "both" in refused("verify", "-", "-", input=PATH)


def test_standard_output_holds_the_set_alone(folder):
    result = run("mis", "path.mtx", "--include", "0,2,4", "-o", "-")
    assert (result.exit_code, result.stdout) == (0, "1\n0\n1\n0\n1\n")
    assert "verified" in result.stderr


def test_standard_output_holds_the_graph_alone(folder):
    result = run("generate", "grid", "2x2", "-o", "-", "--to", "metis")
    assert (result.exit_code, result.stdout) == (0, "4 4\n2 3\n1 4\n1 4\n2 3\n")
    result = run("convert", "path.mtx", "-")
    assert result.stdout.startswith("%%MatrixMarket")


@pytest.mark.parametrize("command", [["mis", "path.mtx"], ["color", "path.mtx"], ["generate", "grid", "2x2"]])
def test_json_and_a_result_do_not_mix(folder, command):
    assert "both want standard output" in refused(*command, "-o", "-", "--json")


def test_commands_in_a_pipe(folder):
    made = process("generate", "grid", "9x9", "-o", "-", "--to", "snap")
    solved = process("mis", "-", "-o", "-")
    graph, _ = made.communicate()
    mask, _ = solved.communicate(graph)
    assert (made.returncode, solved.returncode) == (0, 0)
    (folder / "grid.txt").write_bytes(graph)
    checked = process("verify", "grid.txt", "-", "--json")
    told, _ = checked.communicate(mask)
    assert checked.returncode == 0 and json.loads(told)["verified"] is True


# ----------------------------------------------------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bogus"], "No such command 'bogus'"),
        (["mis"], "Missing argument 'FILE'"),
        (["mis", "path.mtx", "--bogus"], "No such option"),
        (["mis", "path.mtx", "--priority", "bogus"], "degree"),
        (["mis", "path.mtx", "--algorithm", "bogus"], "bogus"),
        (["mis", "path.mtx", "--algorithm", "luby", "--priority", "ecl"], "has no option priority"),
        (["mis", "path.mtx", "--large", "--priority", "ecl"], "--large has no option --priority; it has --rounds"),
        (["mis", "path.mtx", "--large", "--no-adaptive"], "--large has no option --adaptive"),
        (["mis", "path.mtx", "--large", "--rounds", "-1"], "x>=0"),
        (["mis", "path.mtx", "--rounds", "5"], "--rounds is an option of --large"),
        (["color", "path.mtx", "--order", "bogus"], "largest_first"),
        (["color", "path.mtx", "--distance", "3"], "1<=x<=2"),
        (["color", "path.mtx", "--algorithm", "mis", "--order", "natural"], "--algorithm mis has no option --order"),
        (["color", "path.mtx", "-o", "path.mtx"], "name another file"),
        (["color", "arcs.txt"], "entry (3, 30) has no partner (30, 3); pass --symmetrize"),
        (["verify", "path.mtx", "x", "--as", "scc", "--distance", "2"], "--distance goes with --as set or coloring"),
        (["verify", "path.mtx", "x", "--as", "coloring", "--exclude", "1"], "--exclude goes with --as set"),
        (["verify", "path.mtx", "x", "--as", "bfs", "--maximum"], "--maximum goes with --as forest"),
        (["forest", "arcs.txt"], "--symmetrize"),
        (["forest", "path.mtx", "-o", "path.mtx"], "name another file"),
        (["bfs", "path.mtx"], "--sources"),
        (["bfs", "path.mtx", "--sources", "5"], "5 is not among the graph's 5 vertices"),
        (["mis", "path.mtx", "--seed", "x"], "'x' is not a valid integer"),
        (["mis", "path.mtx", "--threads", "0"], "between 1 and"),
        (["mis", "path.mtx", "--include", "0,1"], "0 and 1"),
        (["mis", "path.mtx", "--include", "7"], "7 is not among the graph's 5 vertices"),
        (["mis", "path.mtx", "--include", "a"], "expected vertex numbers such as"),
        (["mis", "path.mtx", "--exclude", "3-1"], "3-1 is not"),
        (["mis", "path.mtx", "--include", ""], "--include: expected vertex numbers such as 3,7,10-12 or @FILE, got ''"),
        (["mis", "path.mtx", "--exclude", "1,,3"], "--exclude: expected vertex numbers"),
        (["mis", "path.mtx", "--include", "1 3"], "--include: expected vertex numbers"),
        (["mis", "path.mtx", "--include", "9" * 5000], "--include: expected vertex numbers"),
        (["bfs", "path.mtx", "--sources", ""], "--sources: expected vertex numbers"),
        (["bfs", "path.mtx", "--sources", " , "], "--sources: expected vertex numbers"),
        (["bfs", "path.mtx", "--sources", "@"], "'': No such file or directory"),
        (["mis", ""], "'': No such file or directory"),
        (["mis", "path.mtx", "-o", ""], "'': Is a directory"),
        (["bench", "--graph", ""], "the benchmark graphs are G2"),
        (["mis", "path.mtx", "--exclude", "@nothing"], "nothing: No such file"),
        (["info", "nothing.mtx"], "nothing.mtx: No such file or directory"),
        (["info", "."], ".: Is a directory"),
        (["verify", "path.mtx", "nothing"], "nothing: No such file or directory"),
        (["mis", "path.mtx", "-o", "nowhere/set.txt"], "nowhere/set.txt: No such file or directory"),
        (["mis", "path.mtx", "-o", "."], ".: Is a directory"),
        (["convert", "path.mtx", "nowhere/g.mtx"], "nowhere/g.mtx: No such file or directory"),
        (["demo", "-o", "nowhere/demo.png"], "nowhere/demo.png: No such file or directory"),
    ],
)
def test_bad_input_gets_one_line(folder, arguments, message):
    if arguments[0] == "demo":
        pytest.importorskip("matplotlib")
    assert message in refused(*arguments)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x01\x02\x03" * 50,
        PATH[:-3].encode(),
        PATH.replace("2 1", "9 1").encode(),
        PATH.replace("2 1", "two one").encode(),
        gzip.compress(PATH.encode() * 100)[:-20],
    ],
    ids=["empty", "binary", "cut", "out of range", "letters", "cut gz"],
)
@pytest.mark.parametrize("command", ["info", "mis"])
def test_broken_files_get_one_line(folder, command, content):
    (folder / "broken.mtx").write_bytes(content)
    assert "broken.mtx" in refused(command, "broken.mtx")


def test_a_folder_that_cannot_be_written(folder):
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("everything can be written here")
    os.chmod(folder, 0o555)
    assert "set.txt: Permission denied" in refused("mis", "path.mtx", "-o", "set.txt")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk(folder):
    assert "/dev/full: No space left on device" in refused("mis", "path.mtx", "-o", "/dev/full")
    assert os.path.exists("/dev/full")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "not enough memory"),
        (MemoryError("Unable to allocate 9 TiB"), 2, "Unable to allocate 9 TiB"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
        (ModuleNotFoundError('figures need Matplotlib: pip install "stablegraph[plot]"'), 2, "stablegraph[plot]"),
        (ValueError("two\nlines; pass symmetrize=True"), 2, "two lines; pass --symmetrize"),
        (KeyError("x"), 2, "unexpected KeyError"),
    ],
)
def test_every_failure_gets_one_line_and_a_code(folder, monkeypatch, error, code, message):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("stablegraph.io.read_graph", fail)
    assert message in refused("info", "path.mtx", code=code)


def test_traceback_on_request(folder, monkeypatch):
    monkeypatch.setenv("STABLEGRAPH_TRACEBACK", "1")
    result = run("info", "nothing.mtx")
    assert isinstance(result.exception, FileNotFoundError)


def test_an_interrupted_write_leaves_what_stood_there(folder, monkeypatch):
    (folder / "set.npy").write_text("old")

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", interrupt)
    refused("mis", "path.mtx", "-o", "set.npy", code=130)
    assert (folder / "set.npy").read_text() == "old"
    assert sorted(os.listdir(folder)) == ["arcs.txt", "path.mtx", "set.npy"]


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_control_c_on_a_running_command(folder):
    reading = process("info", "-")
    reading.stdin.write(b"% a file that never ends\n" * 100_000)  # more than a pipe holds: it is being read
    reading.stdin.flush()
    reading.send_signal(signal.SIGINT)
    _, told = reading.communicate(timeout=30)
    assert (reading.returncode, told) == (130, b"stablegraph: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
def test_a_reader_that_leaves_is_no_error(folder):
    writing = process("generate", "grid", "200x200", "-o", "-", "--to", "snap")
    writing.stdout.read(10)
    writing.stdout.close()
    writing.stdin.close()
    assert writing.wait(60) == 141
    assert writing.stderr.read() == b""


def in_a_shell(redirections, *arguments, unbuffered=""):
    """The exit code of a command whose streams a shell has redirected, and what it says on standard error."""
    command = f'exec "$0" -m stablegraph "$@" {redirections}'
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return done.returncode, done.stderr


# Help and version are printed while arguments are read, results by a console or by print; a failure shows at once, or
# when Python flushes.
OUTPUTS = [(["--help"], "1"), (["--version"], ""), (["info", "path.mtx"], ""), (["info", "path.mtx", "--json"], "")]


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
@pytest.mark.parametrize(("arguments", "unbuffered"), OUTPUTS)
def test_a_reader_that_never_reads_is_no_error(folder, arguments, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "stablegraph", *arguments],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(("arguments", "unbuffered"), OUTPUTS)
def test_standard_output_on_a_full_disk(folder, arguments, unbuffered):
    code, told = in_a_shell("> /dev/full", *arguments, unbuffered=unbuffered)
    assert code == 2 and told.endswith("No space left on device\n") and told.count("\n") == 1, told


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell closes streams")
@pytest.mark.parametrize(
    ("redirections", "arguments", "message"),
    [
        (">&-", ["mis", "path.mtx"], "standard output is closed; send it to a file, or to /dev/null"),
        (">&-", ["--version"], "standard output is closed; send it to a file, or to /dev/null"),
        ("<&-", ["mis", "-"], "standard input is closed; name a file in place of -"),
    ],
)
def test_streams_that_are_closed(folder, redirections, arguments, message):
    assert in_a_shell(redirections, *arguments) == (2, f"stablegraph: {message}\n")


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell closes streams")
def test_an_error_that_nobody_can_see_does_not_go_among_the_results(folder):
    command = ["sh", "-c", 'exec "$0" -m stablegraph bogus 2>&-', sys.executable]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
def test_progress_is_shown_on_a_terminal_only(folder):
    terminal_side, program_side = os.openpty()
    command = [sys.executable, "-m", "stablegraph", "mis", "path.mtx", "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=program_side, env=environment
    )
    os.close(program_side)
    shown = os.read(terminal_side, 1_000_000)
    os.close(terminal_side)
    assert done.returncode == 0 and json.loads(done.stdout)["verified"] is True
    assert b"reading path.mtx" in shown


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_missing_extras_are_named(monkeypatch, capsys, missing):
    for name in [name for name in sys.modules if name.startswith("stablegraph.") or name.split(".")[0] == missing]:
        if name.startswith("stablegraph.cli") or name.split(".")[0] == missing:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f'stablegraph: the command line needs {missing}: pip install "stablegraph[cli]"\n'
    )


# ----------------------------------------------------------------------------------------------- warmup and the words


@pytest.mark.slow
def test_after_warmup_nothing_is_compiled(tmp_path):
    """In a fresh cache: files are written by warmup alone."""
    environment = {**os.environ, "STABLEGRAPH_CACHE_DIR": str(tmp_path)}
    warm = process("warmup", "--json", env=environment)
    told, errors = warm.communicate()
    assert (warm.returncode, errors) == (0, b"")
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert json.loads(told)["files"] == len(files) > 0
    work = """
import io, numpy as np, stablegraph as sg
from stablegraph import gallery
graph = gallery.uniform_random(50_000, 3, seed=9)
for priority in ("degree", "ecl", "random", "natural"):
    sg.maximal_independent_set(graph, priority=priority, seed=2)
    sg.maximal_independent_set(gallery.grid(300), priority=priority)
sg.maximal_independent_set(graph.to_scipy(), priority=np.arange(50_000), include=[3], exclude=[9])
sg.read_graph(io.BytesIO(b"1 2\\n2 1\\n"))
"""
    subprocess.run([sys.executable, "-c", work], env=environment, check=True)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == files


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0000123, "12 us"), (0.9994, "999 ms"), (0.01234, "12.3 ms"), (2.5, "2.5 s"), (150, "2.5 min")],
)
def test_durations(seconds, text):
    assert terminal.duration(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0 bytes"), (999, "999 bytes"), (12_345, "12.3 kB"), (5e13, "50 TB")])
def test_byte_sizes(count, text):
    assert terminal.byte_size(int(count)) == text


def test_a_set_never_replaces_its_graph(folder):
    assert "name another file" in refused("mis", "path.mtx", "-o", folder / "path.mtx")
    assert (folder / "path.mtx").read_text() == PATH


def test_a_vertex_that_arcs_lead_to_is_not_isolated(folder):
    (folder / "arcs.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n4 4 2\n1 2\n2 3\n")
    assert facts("info", "arcs.mtx")["isolated_vertices"] == 1


# ---------------------------------------------------------------------------------------------------------- aggregates


@pytest.mark.parametrize("method", ["mis2", "mis2-basic", "kokkos"])
def test_aggregate(folder, method):
    graph = gallery.uniform_random(300, 1)
    sg.write_graph("random.npz", graph)
    count, labels = sg.aggregate(graph, method=method)
    found = facts("aggregate", "random.npz", "--method", method, "-o", "labels.npz")
    assert (found["aggregates"], found["verified"]) == (count, True)
    assert found["aggregates_of_size"] == np.bincount(np.bincount(labels)).tolist()
    assert found["crc32"] == answer_files.fingerprint(labels)
    connected = [] if method == "kokkos" else ["--connected"]
    assert facts("verify", "random.npz", "labels.npz", "--as", "aggregation", *connected)["labels"] == count


def test_aggregate_by_strength(folder):
    sg.write_graph("laplacian.mtx", sg.as_graph(gallery.laplacian((5, 5))))
    assert facts("aggregate", "laplacian.mtx", "--strength", "0.26")["aggregates"] == 25
    assert facts("aggregate", "laplacian.mtx", "--strength", "0.25")["aggregates"] < 10
    assert "at least 0 and below 1" in refused("aggregate", "laplacian.mtx", "--strength", "2")
    assert "has no weights" in refused("aggregate", "path.mtx", "--strength", "0.1")


def test_wrong_aggregates(folder):
    (folder / "torn.txt").write_text("0\n1\n0\n1\n1\n")
    ok("verify", "path.mtx", "torn.txt", "--as", "aggregation")
    torn = run("verify", "path.mtx", "torn.txt", "--as", "aggregation", "--connected")
    assert torn.exit_code == 1 and "vertices 0 and 2 are both in aggregate 0" in torn.stdout
    assert "--connected goes with --as aggregation" in refused("verify", "path.mtx", "torn.txt", "--connected")


def test_aggregates_of_an_empty_graph(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    assert facts("aggregate", "empty.mtx", "-o", "labels.txt", "--plot", "empty.png")["aggregates"] == 0
    ok("verify", "empty.mtx", "labels.txt", "--as", "aggregation")


def test_picture_of_aggregates(folder):
    told = ok("aggregate", "path.mtx", "--plot", "path.png")
    assert "1 to" not in told and "picture" in told
    assert (folder / "path.png").read_bytes().startswith(b"\x89PNG")
