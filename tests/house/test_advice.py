"""Advice in messages works: it is extracted from the message for an input, followed, and its result is checked."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.io.foreign import FOREIGN
from tests.cli.invoking import facts, ok, refused
from tests.support.cases import each

ROOT = Path(__file__).parents[2]
NAMES = {name: getattr(sg, name) for name in sg.__all__} | {"numpy": np, "scipy": scipy, "np": np}


def message(call, *arguments, **options):
    """Return the message of the error that a call raises."""
    with pytest.raises((ValueError, TypeError, RuntimeError)) as caught:
        call(*arguments, **options)
    return str(caught.value)


def follow(code, **values):
    """Evaluate code from a message."""
    return eval(code, NAMES | values)


def advised(text, before="pass "):
    """Return the call or the list in a message, after the given words."""
    start = text.index(before) + len(before)
    start = start if "as_graph(" not in text[start:] else text.index("as_graph(", start)
    depth = 0
    for end in range(start, len(text)):
        depth += (text[end] in "([") - (text[end] in ")]")
        if depth == 0 and text[end] in ")]":
            return text[start : end + 1]
    raise AssertionError(f"no code after {before!r}: {text}")


# Graphs that are not symmetric, for each function of undirected graphs

KNN = sp.random_array((40, 40), density=0.1, rng=np.random.default_rng(5), format="csr")  # like nearest neighbors
OPTIONS = {"schedule": {"capacity": 3}, "effective_resistance": {"u": 0, "v": 1}, "coarse_graph": {"labels": [0] * 40}}
OTHERS = {"as_graph"}  # its message names its own options


def _asks_for_symmetry(name):
    try:
        getattr(sg, name)(KNN, **OPTIONS.get(name, {}))
    except Exception as error:
        return "entry (" in str(error) and "has no partner" in str(error)
    return False


UNDIRECTED = [name for name in sg.__all__ if name not in OTHERS and _asks_for_symmetry(name)]
FORMS = {
    "matrix": lambda: KNN,
    "pattern": lambda: sp.csr_array((np.ones(KNN.nnz), KNN.indices, KNN.indptr), shape=KNN.shape),
    "directed": lambda: sg.as_graph(KNN, directed=True),
    "pairs": lambda: [(0, 1), (1, 2)],
}


def test_functions_of_undirected_graphs_are_found():
    assert len(UNDIRECTED) > 15 and {"communities", "maximal_independent_set", "minimum_spanning_forest"} <= {
        *UNDIRECTED
    }


@each(name=UNDIRECTED, form=FORMS)
def test_unsymmetric_input_of_a_function_for_undirected_graphs(name, form):
    graph, function, options = FORMS[form](), getattr(sg, name), OPTIONS.get(name, {})
    if form == "pairs" and name == "hessian_coloring":
        return  # for it, a list of pairs is a dense matrix
    if form == "pairs" and name == "coarse_graph":
        options = {"labels": [0, 0, 0]}
    text = message(function, graph, **options)
    assert "directed=True" not in text
    function(follow(advised(text), graph=graph), **options)


@each(form=FORMS)
def test_unsymmetric_input_of_as_graph(form):
    graph = FORMS[form]()
    text = message(sg.as_graph, graph)
    option = re.search(r"pass (symmetrize=\S+) to as_graph", text)[1]
    assert not follow(f"as_graph(graph, {option})", graph=graph).directed
    assert follow("as_graph(graph, directed=True)", graph=graph).directed


def test_sparse_ids_are_numbered():
    u, v = np.array([3 * 10**9, 5]), np.array([5, 2**40])
    for heads in (v, np.array([5, 7])):
        text = message(sg.from_edges, u, heads, symmetrize=True)
        assignment, call = re.search(r"number the ids: (.*), then (from_edges\(.*\))$", text).groups()
        space = NAMES | {"u": u, "v": heads}
        exec(assignment, space)
        graph = eval(call.replace(", nodes", ", symmetrize=True, nodes"), space)
        assert (graph.num_edges, list(graph.nodes)) == (2, sorted({*u, *heads}))


def test_columns_with_numbers_as_names():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"0": [1, 2], "1": [2, 3]})
    text = message(sg.from_table, table, 0, 1)
    assert re.search(r"no column 0; pass '0'; ", text)
    assert sg.from_table(table, "0", "1").num_edges == 2


# Files of other formats


def _written_by_networkx(write):
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("0", "1"), ("1", "2")])
    networkx.set_edge_attributes(graph, 4.0, "weight")
    stream = io.BytesIO()
    getattr(networkx, write)(graph, stream)
    return stream.getvalue()


def _saved(save, *arguments):
    stream = io.BytesIO()
    save(stream, *arguments)
    return stream.getvalue()


MATRIX = np.array([[0, 2.0, 0], [2, 0, 3], [0, 3, 0]])
EXAMPLES = {  # of each format in the table: the name of a file, its contents, and the number of edges
    "GraphML": ("g.graphml", lambda: _written_by_networkx("write_graphml_xml"), 2),
    "GEXF": ("g.txt", lambda: _written_by_networkx("write_gexf"), 2),
    "GML": ("g.gml", lambda: _written_by_networkx("write_gml"), 2),
    "Pajek": ("g.net", lambda: b"*vertices 3\n1 a\n2 b\n3 c\n*edges\n1 2 4\n2 3 4\n", 2),
    "graph6": ("g.txt", lambda: _written_by_networkx("write_graph6"), 2),
    "sparse6": ("g.txt", lambda: _written_by_networkx("write_sparse6"), 2),
    "LEDA": ("g.lgr", lambda: b"LEDA.GRAPH\nstring\nint\n-2\n3\n|{a}|\n|{b}|\n|{c}|\n2\n1 2 0 |{4}|\n2 3 0 |{5}|\n", 2),
    "DOT": ("g.txt", lambda: b"graph G {\n a -- b;\n b -- c;\n}\n", 2),
    "an edge list of NetworkX": ("g.edgelist", lambda: _written_by_networkx("write_edgelist"), 2),
    "NCOL": ("g.ncol", lambda: b"a b 1.5\nb c 2\n", 2),
    "LGL": ("g.lgl", lambda: b"# a\nb 1.5\n# b\nc 2\n", 2),
    "lists of neighbors": ("g.adjlist", lambda: b"# lists\n0 1 2 3\n1 2\n2\n3\n", 4),
    "a NumPy array": ("g.npy", lambda: _saved(np.save, MATRIX), 2),
    "a MATLAB file": ("g.mat", lambda: _saved(scipy.io.savemat, {"A": sp.csc_array(MATRIX)}), 2),
}


def test_every_foreign_format_has_an_example():
    assert EXAMPLES.keys() == {format.name for format in FOREIGN}


@each(name=EXAMPLES)
def test_files_of_other_formats_are_read_by_the_code_in_the_message(tmp_path, name):
    networkx = pytest.importorskip("networkx")
    file, contents, edges = EXAMPLES[name]
    path = tmp_path / file
    path.write_bytes(contents())
    text = message(sg.read_graph, path)
    if name == "DOT":
        pytest.importorskip("pydot")
    igraph = pytest.importorskip("igraph") if name == "LGL" else None
    if name == "a MATLAB file":
        assert scipy.io.whosmat(path)[0][0] == "A" and f"scipy.io.whosmat({str(path)!r})" in text
    graph = follow(advised(text, "in Python, "), networkx=networkx, igraph=igraph, name="A")
    assert graph.num_edges == edges
    assert str(path) in refused("mis", path) and "as_graph(" in refused("mis", path)


def test_names_in_an_edge_list_of_networkx(tmp_path):
    networkx = pytest.importorskip("networkx")
    path = tmp_path / "names.txt"
    path.write_text("ann bob {'weight': 2.5}\nbob eve {'weight': 4.0}\n")
    graph = follow(advised(message(sg.read_graph, path), "in Python, "), networkx=networkx)
    assert (graph.nodes, sorted(graph.weights)) == (["ann", "bob", "eve"], [2.5, 2.5, 4.0, 4.0])


@each(contents=["0 1 2\n1 2 3 0\n2\n3\n", "0 1 2 3\n1 2\n2\n3\n"])
def test_lists_of_neighbors_and_dense_matrices(tmp_path, contents):
    networkx = pytest.importorskip("networkx")
    path = tmp_path / "g.txt"
    path.write_text(contents)
    text = message(sg.read_graph, path)
    assert follow(advised(text, "in Python, "), networkx=networkx).num_vertices == 4
    np.savetxt(path, np.eye(5, k=1) + np.eye(5, k=-1), fmt="%d")
    assert follow(advised(message(sg.read_graph, path), "reads lists of neighbors, and ")).num_edges == 4


TIMES = {  # lists with weights and times, as KONECT and networkrepository publish them
    "out.konect": "% sym positive\n% 3 3 3\n1 2 1 1082040961\n2 3 1 1082155839\n1 3 1 1082414391\n",
    "soc.edges": "% made\n1,2,1,1082040961\n2,3,0.5,1082155839\n1,3,1,1082414391\n",
    "out.tabs": "% asym weighted\n1\t2\t1\t9\n2\t3\t1\t9\n3\t1\t1\t9\n",
}


@each(file=TIMES)
def test_lists_with_times(tmp_path, file):
    path = tmp_path / file
    path.write_text(TIMES[file])
    text = message(sg.read_graph, path)
    assert follow(advised(text, "in Python, ")).num_edges == 3
    assert advised(refused("mis", path), "in Python, ") == advised(text, "in Python, ")
    path.write_text(re.sub(r"[\t ,]\d+$", "", TIMES[file], flags=re.MULTILINE).replace("% 3 3", "% 3 3 3"))
    assert sg.read_graph(path).num_entries == (3 if "asym" in TIMES[file] else 6)  # without times


def test_matlab_files_that_scipy_does_not_read(tmp_path):
    path = tmp_path / "g.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + bytes(384) + b"\x89HDF")
    with pytest.raises(NotImplementedError, match=r"v7\.3"):
        scipy.io.loadmat(path, spmatrix=False)
    for text in (message(sg.read_graph, path), refused("mis", path)):
        assert text.strip().endswith("in MATLAB, save it by save(..., '-v7')")


@each(contents=["% bip unweighted\n% 3 2 2\n1 1\n2 1\n2 2\n", "% bip positive\n1 1 5 1082\n2 1 1 1083\n2 2 1 1084\n"])
def test_bipartite_lists_whose_sides_share_ids(tmp_path, contents):
    """The vertices of the table are those of both sides; a list whose sides share no id is read."""
    path = tmp_path / "out.bip"
    path.write_text(contents)
    text = message(sg.read_graph, path)
    assert text.partition(": ")[2] in refused("matching", path)
    command = re.search(r"make a table of them: (.*)$", text)[1].replace("FILE", "out.bip")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    graph = sg.read_graph(tmp_path / "edges.csv")
    assert (graph.nodes, graph.num_edges, sg.is_bipartite(graph)) == (["u1", "u2", "v1", "v2"], 3, True)
    path.write_text("% bip unweighted\n1 11\n2 11\n2 12\n")
    assert [len(side) for side in map(np.unique, sg.read_graph(path, symmetrize=True).edge_index)] == [4, 4]


def test_archives(tmp_path):
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    for mode, name in (("w", "g.tar"), ("w:gz", "g.tar.gz")):
        with tarfile.open(tmp_path / name, mode) as archive:
            archive.add(tmp_path / "g.txt", arcname="inner.txt")
        text = message(sg.read_graph, tmp_path / name)
        subprocess.run(re.search(r"unpack it first: (tar -xf .*)$", text)[1].split(), cwd=tmp_path, check=True)
        assert sg.read_graph(tmp_path / "inner.txt").num_edges == 2
        (tmp_path / "inner.txt").unlink()


def test_compressed_by_zstandard(tmp_path):
    if not shutil.which("zstd"):
        pytest.skip("there is no zstd")
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    subprocess.run(["zstd", "-q", "g.txt"], cwd=tmp_path, check=True)
    (tmp_path / "g.txt").unlink()
    text = message(sg.read_graph, tmp_path / "g.txt.zst")
    whole, piped = re.search(r": (zstd -d .*), or in a pipe: (zstd -dc .*)$", text).groups()
    subprocess.run(whole.split(), check=True, capture_output=True)
    assert sg.read_graph(tmp_path / "g.txt").num_edges == 2
    stream = subprocess.run(piped.split(), check=True, capture_output=True).stdout
    assert facts("info", "-", input=stream)["edges"] == 2


# The command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.csv").write_text("source,target\nart,bio\nbio,chem\n")
    return tmp_path


def test_a_table_from_a_pipe(folder):
    text = b"first,second\nart,bio\nbio,chem\n"
    assert "name the columns of the two ends by --source and --target; if" in refused("mis", "-", input=text)
    assert facts("mis", "-", "--source", "first", "--target", "second", input=text)["vertices"] == 3
    names = re.search(
        r"such as --source (\w+) and --target (\w+)$", refused("mis", "-", "--from", "csv", input=text).strip()
    )
    assert facts("mis", "-", "--source", names[1], "--target", names[2], input=text)["vertices"] == 3


KINDS = {
    "mis": "mask",
    "color": "color",
    "components": "component",
    "matching": "mate",
    "bfs --sources art": "distance parent",
    "aggregate": "aggregate",
    "communities": "community",
}


@each(command=KINDS, suffix=["csv", "npz"])
def test_answers_of_other_kinds_are_verified_by_the_option_in_the_message(folder, command, suffix):
    name, *options = command.split()
    file = f"{name}.{suffix}"
    ok(name, "g.csv", *options, "-o", file)
    wrong = "coloring" if name != "color" else "set"
    text = refused("verify", "g.csv", file, "--as", wrong)
    kinds = re.search(r"pass --as (.*)$", text.strip())[1].split(" or ")
    own = {"mis": "set", "color": "coloring", "aggregate": "aggregation"}.get(name, name)
    assert own in kinds
    assert facts("verify", "g.csv", file, "--as", own)["verified"] is True
    assert "use '--as'" in refused("verify", "g.csv", file, "--kind", own)


TABLES = {"--sizes": "size", "--fixed": "color", "--allowed": "color", "--forbidden": "color", "--order": "order"}


@each(option=TABLES)
def test_files_of_the_command_line_have_the_columns_in_the_message(folder, option):
    rows = "art,0\r\nbio,1\r\nchem,2\r\n"
    arguments = ["color", "g.csv", option, "@v.csv" if option == "--order" else "v.csv"]
    arguments += ["--capacity", 5] if option == "--sizes" else []
    (folder / "v.csv").write_text(f"id,when,where\r\n{rows}")
    text = refused(*arguments)
    assert "\\r" not in text
    columns = re.search(r"line 1: the columns must be (.*), got", text)[1].split(" and ")
    assert columns == ["id", TABLES[option]]
    (folder / "v.csv").write_text(rows)
    columns = re.search(r"put a title such as '(.*)' before the first row", refused(*arguments))[1].split(",")
    assert columns == ["id", TABLES[option]]
    (folder / "v.csv").write_text(",".join(columns) + "\r\n" + rows)
    assert facts(*arguments)["verified"] is True


def test_ids_of_a_file_that_are_no_numbers_of_vertices(folder):
    (folder / "ids.txt").write_text("10 20\n20 30\n")
    text = refused("bfs", "ids.txt", "--sources", 20)
    number = re.search(r"for the vertex with the id 20 in the file, pass (\d+)$", text.strip())[1]
    assert facts("bfs", "ids.txt", "--sources", number)["farthest"] == 1
    assert sg.read_graph("ids.txt").nodes[int(number)] == 20


@each(option=["--weight", "--no-weights"])
def test_components_of_the_pairs_above_a_threshold(folder, option):
    pytest.importorskip("pyarrow")
    (folder / "p.csv").write_text("source,target,probability\na,b,0.9\nb,c,0.2\nc,d,0.8\n")
    value = ["probability"] if option == "--weight" else []
    text = refused("components", "p.csv", option, *value)
    assert "leave it out; for a threshold, pass --where 'COLUMN >= NUMBER'" in text
    assert facts("components", "p.csv")["components"] == 1
    assert facts("components", "p.csv", "--where", "probability >= 0.5")["components"] == 2
