"""Steps of the tests of messages: cause a message, and follow its advice."""

from __future__ import annotations

import functools
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import stablegraph as sg
from tests.cli.invoking import ok, run

pairs = functools.partial(sg.from_edges, symmetrize=True)
PATH = pairs([0, 1, 2], [1, 2, 3])
WEIGHTED = pairs([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.0])
ARCS = pairs([0, 1, 2], [1, 2, 3], directed=True, symmetrize=False)
NAMES = {name: getattr(sg, name) for name in sg.__all__} | {"numpy": np, "np": np}


def message_of(call):
    """Return the text of the error or the warning of a call, or the text that it returns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            return str(error)
    return str(caught[0].message) if caught else result


def said(text, pattern, /, **values):
    """Evaluate the code that a pattern finds in a message."""
    return eval(re.search(pattern, text)[1], NAMES | values)


def options_said(text, pattern):
    """Return the options that a pattern finds in a message, such as a=1 or a=1 and b=2, as a dict."""
    return eval(f"dict({re.search(pattern, text)[1].replace(' and ', ', ')})")


def command(*arguments, **options):
    """Return what a command prints on standard error."""
    return run(*arguments, **options).stderr


def write(name, text):
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def read(name, text, **options):
    return sg.read_graph(write(name, text), **options)


def written(graph, name, **options):
    sg.write_graph(name, graph, **options)
    return sg.read_graph(name)


def same(graph, other):
    return sg.fingerprint(graph) == sg.fingerprint(other)


def edges(graph):
    return graph.num_edges


def table(**columns):
    pa = pytest.importorskip("pyarrow")
    return pa.table(columns)


def done(*arguments):
    """Return whether a command succeeds without a message."""
    ok(*arguments)
    return True
