"""No command replaces a file that it reads, and everything that can be refused is refused before a file is written.

Commands and options are taken from the command line itself, so later options are tested, too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import click
import pytest

import stablegraph as sg
from stablegraph import cli
from stablegraph.cli.answers import KINDS
from stablegraph.cli.options import FileName

from .invoking import PATH, ok, refused, run


def _commands(command=cli.main, names=()):
    """Yield the names and the parameters of each command."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from _commands(command.get_command(click.Context(command), name), (*names, name))
    else:
        yield names, command.params


COMMANDS = dict(_commands())


def _reads(parameter):
    is_list = getattr(parameter.type, "files", False)
    return is_list or (isinstance(parameter.type, FileName) and not parameter.type.writes)


def _writes(parameter):
    return isinstance(parameter.type, FileName) and bool(parameter.type.writes)


def complete_call(names, **files):
    """Return a complete call of a command, with the given files as the values of some parameters."""
    arguments, options = [], []
    for parameter in COMMANDS[names]:
        value = files.get(parameter.name)
        if isinstance(parameter, click.Argument):
            wanted = parameter.required or parameter.name in files
            default = "output.mtx" if _writes(parameter) else "path.mtx" if _reads(parameter) else "3"
            arguments += [value or {"name": "DE", "shape": "3x3"}.get(parameter.name, default)] if wanted else []
        elif value is not None:
            options += [parameter.opts[0], "@" * (not isinstance(parameter.type, FileName)) + value]
        elif parameter.required:
            options += [parameter.opts[0], "output.mtx" if _writes(parameter) else "0"]
    return [*names, *arguments, *options]


PAIRS = [
    (names, one, other)
    for names, parameters in COMMANDS.items()
    for one in parameters
    for other in parameters
    if _reads(one) and _writes(other)
]
OUTPUTS = [(names, one) for names, parameters in COMMANDS.items() for one in parameters if _writes(one)]
ids = [f"{' '.join(names)}-{one.name}-{other.name}" for names, one, other in PAIRS]


def _contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_each_option_for_a_file_has_a_type_that_says_whether_it_is_read_or_written():
    assert len(PAIRS) >= 25 and len(OUTPUTS) >= 22
    for names, parameters in COMMANDS.items():
        for parameter in parameters:
            text = f"{parameter.metavar} {getattr(parameter, 'help', '')} {parameter.name}"
            if parameter.metavar in ("FILE", "VERTICES") or re.search("@FILE|file|folder", text.lower().split()[-1]):
                assert _reads(parameter) or _writes(parameter), (names, parameter.name)
            if "@FILE" in text:
                assert _reads(parameter), (names, parameter.name)


@pytest.mark.parametrize(("names", "source", "output"), PAIRS, ids=ids)
def test_no_output_replaces_an_input(folder, names, source, output):
    """An input keeps its contents under each name of the output: the same, a path, links, a member of a folder."""
    place = folder / "input.npz"
    place.write_text("an input")
    (folder / "parts").mkdir()
    (folder / "parts" / "part.parquet").write_text("a part")
    tried = {"input.npz": ["input.npz", "./input.npz", str(place), "parts/../input.npz"]}
    if os.name == "posix":
        os.link(place, folder / "hard.npz")
        (folder / "link.npz").symlink_to("input.npz")
        (folder / "folder.npz").symlink_to("parts")
        tried["input.npz"] += ["hard.npz", "link.npz"]
        tried["link.npz"] = ["input.npz", "hard.npz"]
        tried["folder.npz"] = ["parts/new.npz"]
    tried["parts"] = ["parts/part.parquet", "parts/new.npz", str(folder / "parts" / "new.npz")]
    before = _contents(folder)
    for read, written in tried.items():
        for name in written:
            message = refused(*complete_call(names, **{source.name: read, output.name: name}))
            assert re.search(r"is read \(.*name another file|is in the folder of .*another folder", message), message
            assert _contents(folder) == before


def test_redirected_streams_do_not_replace_an_input_either(folder):
    """A shell opens the files, so the check compares open files."""
    source = folder / "path.mtx"
    for arguments, name, mode, message in (
        (["mis", "-", "-o", "path.mtx"], "stdin", "r", "-o path.mtx is read (FILE)"),
        (["info", "path.mtx"], "stdout", "a", "standard output would change the file of FILE"),
    ):
        command = [sys.executable, "-m", "stablegraph", *arguments]
        with source.open(mode) as stream:
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **{name: stream})
        assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert source.read_text() == PATH


@pytest.mark.parametrize(("names", "output"), OUTPUTS, ids=[f"{' '.join(n)}-{o.name}" for n, o in OUTPUTS])
def test_outputs_that_cannot_be_written_are_refused_before_anything_is_read_or_written(
    folder, monkeypatch, names, output
):
    def read(*arguments, **options):
        raise AssertionError("the graph was read, although an output is to be refused")

    monkeypatch.setattr(sg, "read_graph", read)
    (folder / "folder.png").mkdir()
    content = output.type.writes
    suffix = {"answer": ".npz", "graph": ".mtx", "page": ".html"}.get(content, ".png")
    wrong = [f"nowhere/x{suffix}", f"path.mtx/x{suffix}", "folder.png", "."]
    wrong += {"picture": ["x.csv"], "pictures": ["x.csv"], "graph": ["x.bogus"], "answer": ["x.png"]}.get(content, [])
    others = {one.name: f"{one.name}.png" for one in COMMANDS[names] if _writes(one) and one is not output}
    others = {name: "output.npz" if name == "output" else file for name, file in others.items()}
    calls = [complete_call(names, **{**others, output.name: name}) for name in wrong]
    calls += [[*complete_call(names, **{output.name: "x.npz"}), "--to", "bogus"]] if content == "graph" else []
    calls += [complete_call(names, **dict.fromkeys([output.name, *others], "same.png"))] if others else []
    if content in ("answer", "graph"):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        calls.append(complete_call(names, **{**others, output.name: "x.parquet"}))
    before = sorted(folder.rglob("*"))
    for call in calls:
        assert refused(*call) and sorted(folder.rglob("*")) == before, call
    if content in ("picture", "page"):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        assert "stablegraph[plot]" in refused(*complete_call(names, **{**others, output.name: f"x{suffix}"}))
        assert sorted(folder.rglob("*")) == before


def test_a_picture_that_cannot_be_drawn_is_an_error_before_the_answer_is_written(folder, monkeypatch):
    pytest.importorskip("matplotlib")

    def draw(*arguments, **options):
        raise ValueError("it cannot be drawn")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", draw)
    before = sorted(os.listdir(folder))
    assert "cannot be drawn" in refused("color", "path.mtx", "-o", "colors.csv", "--plot", "colors.png")
    assert "cannot be drawn" in refused("demo")
    assert sorted(os.listdir(folder)) == before


def test_files_of_other_names_are_written_as_before(folder):
    """Devices are no files that could be lost, and an existing file that is no input is replaced."""
    (folder / "set.csv").write_text("old")
    ok("mis", "path.mtx", "-o", "set.csv")
    assert (folder / "set.csv").read_text().startswith("id,mask\n")
    if os.path.exists("/dev/null"):
        ok("mis", "path.mtx", "-o", "/dev/null")
    ok("convert", "path.mtx", "copy.mtx")
    assert run("demo", "--no-picture", "-o", "nowhere/x.bogus").exit_code == 0


def test_a_mapped_graph_is_written_over_its_own_file(folder):
    graph = sg.gallery.grid((9, 9))
    sg.write_graph("grid.npz", graph)
    mapped = sg.read_graph("grid.npz", mmap=True)
    sg.write_graph("grid.npz", mapped)
    for copy in (mapped, sg.read_graph("grid.npz")):
        assert (copy.to_scipy() != graph.to_scipy()).nnz == 0
    again = sg.read_graph("grid.npz", mmap=True)
    with open("grid.npz", "r+b") as file, pytest.raises(ValueError, match=r"mapped from this file, .*; pass the path"):
        sg.write_graph(file, again, format="npz")
    with open("other.npz", "wb") as file:
        sg.write_graph(file, again, format="npz")
    for name in ("grid.npz", "other.npz"):
        assert (sg.read_graph(name).to_scipy() != graph.to_scipy()).nnz == 0


# ---- Contents of inputs: unwanted values, line ends, tables without rows, texts that are not UTF-8

READING = {names: parameters for names, parameters in COMMANDS.items() if any(one.name == "file" for one in parameters)}
UNWANTED = {  # with two values, and the name of the file
    "g.mtx": "%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n2 1 {0} {1}\n3 2 {1} {0}\n",
    "s.mtx": "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 {}\n3 2 {}\n",
    "g.txt": "0 1 {}\n1 2 {}\n",
    "g.csv": "source,target,weight\n0,1,{}\n1,2,{}\n",
    "g.gr": "p sp 3 4\na 1 2 {0}\na 2 1 {0}\na 2 3 {1}\na 3 2 {1}\n",
    "g.graph": "3 2 1\n2 {0}\n1 {1} 3 {1}\n2 {0}\n",
}


@pytest.mark.parametrize("names", READING, ids=map(" ".join, READING))
def test_a_command_does_not_interpret_values_that_it_does_not_need(folder, names):
    """With other values it has the same answer, or it needs them: then it has options for weights."""
    pytest.importorskip("pyarrow")
    has_weights = any("--no-weights" in one.opts for one in COMMANDS[names])
    (folder / "set.txt").write_text("1\n0\n1\n")
    always = {"answer": "set.txt"} if names == ("verify",) else {}
    options = ["--repeat", "1"] if names == ("bench",) else []
    shown = 1 if names in (("bench",), ("report",)) else None  # these take long
    for name, text in list(UNWANTED.items())[:shown]:
        for values in (("nan", "x"), ("1e999", "é"), ("(1+2j)", "9" * 30))[:shown]:
            (folder / name).write_text(text.format(*values), encoding="utf-8")
            call = [*complete_call(names, file=name, **always), *options]
            result = run(*call)
            if names == ("solve",):
                assert result.exit_code == 2
            elif has_weights and names not in (("verify",), ("aggregate",)):
                assert result.exit_code == 2 and result.stderr.count("\n") == 1, (call, result.output)
                assert run(*call, "--no-weights").exit_code == 0, call
            else:
                assert result.exit_code == 0, (call, result.stderr)


@pytest.mark.parametrize("names", READING, ids=map(" ".join, READING))
def test_a_table_without_rows_is_a_graph_without_vertices_for_each_command(folder, names):
    """The exit code is 0, or one line says why there is no answer, never an unexpected error."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    (folder / "t.csv").write_text("source,target,weight")
    for kind, name in ((pa.null(), "n"), (pa.string(), "s"), (pa.float64(), "f")):
        columns = {column: pa.array([], kind) for column in ("source", "target", "weight")}
        pyarrow.parquet.write_table(pa.table(columns), folder / f"{name}.parquet")
    (folder / "set.txt").write_text("")
    always = {"answer": "set.txt"} if names == ("verify",) else {}
    options = ["--repeat", "1"] if names == ("bench",) else []
    tables = ("t.csv", "n.parquet") if names == ("report",) else ("t.csv", "n.parquet", "s.parquet", "f.parquet")
    results = [run(*complete_call(names, file=name, **always), *options) for name in tables]
    for result in results:
        assert result.exit_code in (0, 2) and "unexpected" not in result.stderr, result.output
        assert result.exit_code == results[0].exit_code
    assert results[0].exit_code == (2 if names == ("bfs",) else 0), results[0].output


def test_answers_without_a_last_line_end_are_the_same(folder):
    """In each form of text, for each kind of answer; auxiliary files, too."""
    pytest.importorskip("pyarrow")
    (folder / "names.csv").write_text("source,target,weight\nAnn,Bob,5\nBob,Cy,7\n")
    commands = {"mis": "set", "color": "coloring", "components": "components", "scc": "scc", "aggregate": "aggregation"}
    commands |= {"communities": "communities", "forest": "forest", "matching": "matching", "bfs": "bfs"}
    assert set(commands.values()) == set(KINDS)
    for command, kind in commands.items():
        options = ["--sources", "1"] if command == "bfs" else []
        for graph, ending in (("path.mtx", ".txt"), ("path.mtx", ".csv"), ("names.csv", ".tsv")):
            suffix = ".mtx" if (command, ending) == ("forest", ".txt") else ending
            ok(command, graph, *options, "--no-verify", "-o", f"answer{suffix}")
            text = (folder / f"answer{suffix}").read_bytes()
            for data in (text[:-1], text.replace(b"\n", b"\r\n")[:-2]):
                (folder / f"other{suffix}").write_bytes(data)
                ok("verify", graph, f"other{suffix}", "--as", kind)
    tables = {
        "--sizes": "id,size\n0,2\n1,1\n2,1\n3,1\n4,1\n",
        "--fixed": "id,color\n0,1\n",
        "--allowed": "id,color\n0,1\n",
    }
    for option, text in (*tables.items(), ("--forbidden", "id,color\n0,0\n"), ("--sizes", "2\n1\n1\n1\n1\n")):
        for data in (text, text[:-1], "\ufeff" + text):
            (folder / "limits.csv").write_text(data, encoding="utf-8")
            ok("color", "path.mtx", "--colors", "5", "--capacity", "9", option, "limits.csv")
    for data in (b"1\n2\n3\n4\n5\n", b"1\n2\n3\n4\n5", b"id,weight\n0,1\n1,2\n2,3\n3,4\n4,5", b"# w\n1\n2\n3\n4\n5"):
        (folder / "w.csv").write_bytes(data)
        ok("mis", "path.mtx", "--weights", "w.csv")
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0")
    for text in ("", "# nothing\n", "# nothing"):
        (folder / "none.txt").write_text(text)
        ok("verify", "empty.mtx", "none.txt", "--as", "coloring")


def test_texts_that_are_not_utf8_are_one_line_with_the_place(folder):
    pytest.importorskip("pyarrow")
    (folder / "g.csv").write_bytes(b"source,target\nAnn,Bob\nBob,Andr\xe9\n")
    assert "g.csv, line 3: the byte 0xe9 is not UTF-8; convert the file, for example by iconv" in refused(
        "mis", "g.csv"
    )
    (folder / "c.csv").write_bytes(b"id,color\n0,1\n\xe9,2\n")
    for option in ("--fixed", "--allowed", "--forbidden"):
        message = refused("color", "path.mtx", "--colors", "3", option, "c.csv")
        assert "c.csv, line 3: the byte 0xe9 is not UTF-8" in message
    assert "c.csv, line 3: the byte 0xe9" in refused("verify", "path.mtx", "c.csv", "--as", "coloring")
