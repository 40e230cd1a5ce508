"""Messages of the command line name its options, not the arguments of the library."""

from __future__ import annotations

import re
import warnings

import click
import numpy as np
import pytest

import stablegraph as sg
from stablegraph import cli, gallery
from stablegraph.cli.messages import as_options

from .invoking import refused, run

COMMANDS = {name: command for name, command in cli.main.commands.items() if name != "generate"} | {
    f"generate {name}": cli.main.commands["generate"].get_command(None, name)
    for name in cli.main.commands["generate"].list_commands(None)
}
OPTIONS = [
    (name, parameter)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
]


def test_each_option_of_each_command_replaces_its_keyword():
    assert len(OPTIONS) > 150
    for command, option in OPTIONS:
        spelling = max(option.opts, key=len)
        if spelling in ("--symmetrize", "--merge", "--help"):
            continue  # below
        keyword = spelling.lstrip("-").replace("-", "_")
        for message, expected in (
            (f"try another {keyword}=, or more", f"try another {spelling}, or more"),
            (f"a reason (pass {keyword}=)", f"a reason (pass {spelling})"),
            (f"file.mtx: pass {keyword}='x'", f"file.mtx: pass {spelling}" + ("" if option.is_flag else " x")),
            (
                f"{keyword}=3 is too small",
                f"{spelling} is too small" if option.is_flag else f"{spelling} 3 is too small",
            ),
        ):
            assert as_options(message, COMMANDS[command]) == expected, command


@pytest.mark.parametrize(
    ("command", "message", "expected"),
    [
        ("solve", "A maps constants to zero: pass nullspace=numpy.ones(144)", "zero: pass --floating"),
        ("solve", "blocks of 3; pass B= or block_size=3", "blocks of 3; pass B= or --block-size 3 (B= in Python)"),
        ("solve", "complex: pass weights=False to read it", "complex: pass --no-weights to read it"),
        ("mis", "an order by weights; pass weights=, too", "an order by weights; pass --weights, too"),
        ("color", "pass reduce='none' and balance=False", "pass --reduce none and no --balance"),
        ("mis", "algorithm 'x' has no option seed; it has k, include", "has no option --seed; it has k, --include"),
        ("info", "name it by format= or by the suffix", "name it by --from or by the suffix"),
        ("convert", "pass format=, one of 'mtx'", "pass --to, one of 'mtx'"),
        ("info", "pass format='snap' (--from snap) if", "pass --from snap if"),
        (
            "info",
            "in Python, as_graph(f(x, source=int, n=(1))) does",
            "in Python, as_graph(f(x, source=int, n=(1))) does",
        ),
        ("forest", "pass symmetrize=True to as_graph", "pass --symmetrize (without --directed)"),
        ("forest", "pass symmetrize='min', 'max' or 'sum' to as_graph", "pass --merge min, max or sum"),
        ("mis", "the file seed=3.txt is empty", "the file seed=3.txt is empty"),
        ("mis", "such as source='the end' and target=\"b\"", "such as --source 'the end' and --target b"),
        ("mis", "seed=3.txt: the file is empty", "seed=3.txt: the file is empty"),
    ],
)
def test_keywords_with_other_names(command, message, expected):
    assert as_options(message, COMMANDS[command]).endswith(expected)


def test_real_messages_have_no_keywords(folder):
    sg.write_graph("laplacian.mtx", _laplacian())
    np.save("sizes.npy", np.ones(5, int))
    (folder / "weights.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 2\n")
    (folder / "complex.mtx").write_text("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n")
    (folder / "words.csv").write_text("Ann,Bob\nBob,Cy\n")
    (folder / "several.csv").write_text("a,b,c\n1,2,3\n2,3,4\n")
    for arguments in (
        ["mis", "path.mtx", "--priority", "weight"],
        ["color", "path.mtx", "--sizes", "sizes.npy"],
        ["solve", "laplacian.mtx", "--method", "multigrid"],
        ["forest", "weights.mtx"],
        ["info", "complex.mtx"],
        ["mis", "words.csv"],
        ["mis", "several.csv"],
        ["forest", "several.csv", "--source", "a"],
        ["forest", "path.mtx", "--source", "a"],
        ["convert", "path.mtx", "path.xyz"],
        ["color", "arcs.txt"],
    ):
        line = refused(*arguments)
        assert not re.search(r"(?<![-\w])[a-z]\w*=", re.sub(r"\w+\(.*\)", "", line)), line


def _laplacian():
    matrix = gallery.laplacian((5, 5)).tolil()
    matrix.setdiag(-(matrix.sum(axis=1) - matrix.diagonal()))
    return sg.as_graph(matrix.tocsr())


def test_warnings_name_options(folder, monkeypatch):
    from stablegraph.cli import job

    def read(*arguments, **options):
        warnings.warn("the first is taken; pass source= to choose", UserWarning, stacklevel=1)
        return sg.from_edges([0], [1], symmetrize=True)

    monkeypatch.setattr(job.sg, "read_graph", read)
    assert run("info", "path.mtx").stderr == "stablegraph: warning: the first is taken; pass --source to choose\n"
