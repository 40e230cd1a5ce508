"""The prose of docstrings, comments, messages and pages has no phrase of the old dialect (`tests/house/english.py`)."""

import re

import pytest

from tests.house.english import ALLOWED, PATTERNS, ROOMS, allowed, hits_of_room, prose

_MAX_ALLOWED = 200


@pytest.fixture(scope="module")
def all_hits():
    return [hit for room in ROOMS for hit in hits_of_room(room)]


def test_no_phrase_is_new(all_hits):
    known = allowed()
    new = [str(hit) for hit in all_hits if (hit.path, hit.phrase.strip()) not in known]
    advice = "rewrite these phrases, or list them with a reason in tests/house/english_allowed.tsv:"
    assert not new, "\n".join([advice, *new])


def test_every_allowed_phrase_occurs(all_hits):
    superfluous = allowed().keys() - {(hit.path, hit.phrase.strip()) for hit in all_hits}
    assert not superfluous, f"remove these lines from tests/house/english_allowed.tsv: {sorted(superfluous)}"


def test_the_list_of_allowed_phrases_is_short():
    lines = [line for line in ALLOWED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(allowed()) <= _MAX_ALLOWED, "a phrase is listed twice, or there are too many"
    assert all(reason.strip() for reason in allowed().values())


REWRITTEN = [
    ("What is left is finished by one thread.", "One thread finishes the remaining vertices."),
    ("What one had, and what it is called here.", "What you used before, and its name in stablegraph."),
    ("What counts is the first of these that says something", "The first of these that is set applies"),
    ("What has been spilled is then states and boxes only.", "Dask then spills only states and messages."),
    ("the least is that which comes first", "the first minimum is used"),
    ("nobody reads it", "it is never read"),
    ("Whoever adds a kernel adds a test.", "When you add a kernel, also add a test."),
    ("a worker is told", "a worker receives"),
    ("seconds of processors tell more than those of the clock", "CPU time is more meaningful than wall time"),
    ("the least time of each is told", "the minimum of each is reported"),
    ("an array of NumPy's", "a NumPy array"),
    ("got no array of NumPy's or CuPy's", "expected at least one NumPy or CuPy array"),
    ("none of NVIDIA's is known to this system", "no NVIDIA GPU found"),
    ("others than a Graph", "anything but a Graph"),
    ("as many as there can be", "the maximum"),
    ("of so many rows", "of at most 500 rows"),
    ("pass the graph in it alone", "pass only its graph element"),
    ("vertex 3 stands both in include and in exclude", "vertex 3 is in both include and exclude"),
    ("the array lies at this address", "the array is stored at this address"),
    ("{n} threads are more than there can be here, so {limit} will work", "requested {n} threads; using {limit}"),
    ("Times that are not good are on [Measured], beside those that are.", "[Measured] also lists the slower cases."),
    ("all but for one", "all except for one"),
    ("any integer, 0 unless stated", "any integer, 0 by default"),
    ("in place of", "instead of"),
    ("the matrix is turned round", "the matrix is transposed"),
    ("taken apart, put together", "unpacked, packed"),
    ("some twenty seconds", "about 20 seconds"),
    ("mended", "fixed"),
    ("the parts that hang together", "connected components"),
    ("the door to other libraries", "the conversion to other libraries"),
    ("the workers go on", "the workers continue"),
]


@pytest.mark.parametrize(("old", "new"), REWRITTEN)
def test_a_phrase_is_found_and_its_alternative_is_not(old, new):
    assert any(re.search(pattern, old) for pattern in PATTERNS)
    assert not [pattern for pattern in PATTERNS if re.search(pattern, new)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_pattern_finds_an_example(pattern):
    assert any(re.search(pattern, old) for old, _ in REWRITTEN)


@pytest.mark.parametrize(
    "text",
    ["sixteen times as many unknowns", "as many of them as memory allows", "after all others", "says what is wrong"],
)
def test_good_english_is_not_found(text):
    assert not [pattern for pattern in PATTERNS if re.search(pattern, text)]


PYTHON = '''\
"""The docstring of a module."""


def f(told):
    """Return `told`.

    >>> f(told)
    ... # told
    """
    # a comment with `told`
    others = told["others"]  # the end of a line
    program = "told = f({told})\\nfor one in told:\\n    print(one)"
    template = f"if {others}:\\n    g(told, there, lies, alone)"
    raise ValueError(f"a message with {others} that has enough words", "others", program, template)
'''


def _prose(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return sorted((line, shown.strip()) for line, shown in prose(tmp_path / name) if shown.strip())


def test_prose_of_python(tmp_path):
    assert _prose(tmp_path, "a.py", PYTHON) == [
        (1, "The docstring of a module."),
        (5, "Return  ."),
        (10, "a comment with"),
        (11, "the end of a line"),
        (14, "that has enough words"),
    ]
    assert _prose(tmp_path, "b.py", '"""Return `told`.\n\nTell\nthe others.\n"""\n') == [
        (1, "Return  ."),
        (3, "Tell"),
        (4, "the others."),
    ]


def test_prose_of_markdown(tmp_path):
    text = "# A title\n\n```python\ntold = others\n```\nA `told` and [a link](others.md)\n"
    text += "<!-- table:begin -->\nothers\n<!-- table:end -->\nthe end\n"
    assert _prose(tmp_path, "a.md", text) == [(1, "# A title"), (6, "A   and [a link"), (10, "the end")]


@pytest.mark.parametrize("name", ["a.cu", "a.cuh", "a.c", "a.h"])
def test_prose_of_c(name, tmp_path):
    text = "int told;  // a `told` line\n/* several\n   lines */\nint others = told;\n"
    assert _prose(tmp_path, name, text) == [(1, "// a   line"), (2, "/* several"), (3, "lines */")]
