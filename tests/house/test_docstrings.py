"""What `help` shows of public functions: readable signatures, and a short example after the first sentence."""

import inspect
import pydoc

import pytest

import stablegraph as sg

MODULES = {"": sg, "gallery.": sg.gallery, "csgraph.": sg.csgraph, "plot.": sg.plot}
FUNCTIONS = {
    f"{prefix}{name}": getattr(module, name)
    for prefix, module in MODULES.items()
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
MAX_WIDTH = 120


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_readable(name):
    """One line per parameter if the signature is long, and annotations without quotes."""
    text = pydoc.plain(pydoc.render_doc(FUNCTIONS[name]))
    summary = (inspect.getdoc(FUNCTIONS[name]) or "").partition("\n")[0]
    signature = text.partition(f"\n{name.rpartition('.')[2]}(")[2].partition(summary)[0]
    assert max(map(len, signature.splitlines()), default=0) <= MAX_WIDTH
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    for annotation in [parameter.annotation for parameter in parameters]:
        assert annotation is inspect.Parameter.empty or not repr(annotation).startswith(("'", '"'))
    if parameters:  # without parameters, the signature is short
        assert f"-> {FUNCTIONS[name].__annotations__['return']}" in text


def test_a_long_signature_has_one_line_per_parameter():
    lines = str(inspect.signature(sg.vertex_coloring)).splitlines()
    assert lines[:3] == ["(", "    graph: GraphLike,", "    *,"]
    assert len(lines) == len(inspect.signature(sg.vertex_coloring).parameters) + 3
    assert str(inspect.signature(sg.core_numbers)) == "(graph: GraphLike) -> Labels"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_short_example_follows_the_first_sentence(name):
    """An import, and one or two lines of which the last one has a result; doctests run them."""
    paragraphs = inspect.getdoc(FUNCTIONS[name]).split("\n\n")
    assert len(paragraphs) > 1 and paragraphs[0].rstrip().endswith("."), "a sentence, and an example after it"
    inputs = [line for line in paragraphs[1].splitlines() if line.startswith((">>> ", "... "))]
    results = [line for line in paragraphs[1].splitlines() if not line.startswith((">>> ", "... "))]
    assert inputs and inputs[0].startswith(">>> import ") and inputs[0].endswith("stablegraph as sg")
    assert 2 <= len(inputs) <= 3 and f"sg.{name}(" in " ".join(inputs)
    assert 1 <= len(results) <= 4, "a short result"
    assert max(map(len, inputs)) <= MAX_WIDTH - 4
