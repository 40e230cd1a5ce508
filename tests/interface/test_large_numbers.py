"""Numbers that are too large, for every numeric option of every public function: an answer, or a clear error."""

import inspect
import re
import sys
import warnings
from fractions import Fraction

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery, plot
from tests.interface.test_extreme_weights import arguments_of

NUMBERS = {
    "2**63": 2**63,
    "2**64": 2**64,
    "2**70": 2**70,
    "-2**70": -(2**70),
    "10**400": 10**400,
    "-10**400": -(10**400),
    "a fraction": Fraction(10**400, 3),
    "1e308": 1e308,
    "inf": float("inf"),
    "uint64": np.uint64(2**64 - 1),
}
GRAPH = gallery.grid((3, 3))
WEIGHTED = GRAPH._replace(weights=np.ones(GRAPH.num_entries))
MATRIX = gallery.laplacian((3, 3))
REQUIRED = {
    **{"A": MATRIX, "b": np.ones(9), "pattern": MATRIX, "u": [0, 1], "v": [1, 2], "parent": [-1, 0, 1], "n": 2},
    **{"residuals": [1.0, 0.1], "shape": (2, 2), "scale": 2, "points": 9, "labels": np.zeros(9, int)},
    **{"edges": np.zeros((0, 2), int), "origins": np.arange(9)},
    **{"colors": np.arange(9), "mate": np.full(9, -1), "path": "", "fun": sum, "pairs": [(0, 1)], "csgraph": MATRIX},
}
UNCLEAR = "too large to convert|Exceeds the limit|cannot convert|out of bounds|int too big|broadcast"


def numeric_options():
    """Yield (name, function, option, kind) of the public interface, except for records such as CompressionPlan."""
    modules = {"": sg, "csgraph.": sg.csgraph, "verify.": sg.verify, "gallery.": gallery, "plot.": plot}
    for prefix, module in modules.items():
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and (module is not sg.verify or name not in sg.__all__):
                for option in inspect.signature(function).parameters.values():
                    words = set(re.findall(r"\w+", str(option.annotation)))
                    if words & {"int", "float", "Numbers", "ArrayLike"} or option.name in ("capacity", "sizes"):
                        yield prefix + name, function, option.name


OPTIONS = list(numeric_options())


def call(function, option, value):
    """Call a function with one option; the other required ones have small values."""
    parameters = inspect.signature(function).parameters.values()
    required = [p.name for p in parameters if p.default is p.empty and p.kind < 3]
    arguments = {name: REQUIRED[name] for name in required if name in REQUIRED}
    if required and required[0] in ("graph", "conflicts"):
        graph = WEIGHTED if option == "strength" else GRAPH
        more = [] if "pairs" in required else arguments_of(function, GRAPH)
        arguments |= dict(zip(required, (graph, *more), strict=False))
    if option == "start":
        arguments |= {"fixed": [0]}
    function(**{**arguments, option: value})


def values_of(function, option):
    """Yield numbers, and lists of them where the option may be an array."""
    annotation = str(inspect.signature(function).parameters[option].annotation)
    for name, number in NUMBERS.items():
        yield name, number
        if re.search("ArrayLike|Sequence|Numbers|Any", annotation):
            yield f"a list of {name}", [number] * 9


@pytest.mark.parametrize(("name", "function", "option"), [pytest.param(*o, id=f"{o[0]}-{o[2]}") for o in OPTIONS])
def test_numbers_that_are_too_large(name, function, option):
    threads = sg.num_threads()
    if function.__module__.startswith("stablegraph.plot"):
        pytest.importorskip("matplotlib").use("Agg")
    for label, value in values_of(function, option):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", ".* fewer than min_samples")  # of mutual_reachability
            warnings.simplefilter("ignore", sg.ConvergenceWarning)
            warnings.filterwarnings("ignore", "requested .* threads")
            warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, "matplotlib")
            warnings.filterwarnings("ignore", "invalid value encountered", RuntimeWarning, "matplotlib")  # before 3.10
            try:
                call(function, option, value)
            except (ValueError, TypeError, MemoryError) as error:
                is_vector = option in ("b", "nullspace") or "fraction" in label  # their dtype may be named
                unclear = UNCLEAR if is_vector else rf"{UNCLEAR}|object\b"
                assert not re.search(unclear, str(error)), f"{name}({option}={label}): {error}"
                assert len(str(error)) < 1000, f"{name}({option}={label}): {error}"
            except BaseException as error:
                error.add_note(f"{name}({option}={label})")
                raise
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    sg.set_num_threads(threads)
