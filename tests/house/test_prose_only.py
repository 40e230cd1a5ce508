"""The distinction between changes of code and changes of prose."""

import pytest

from tests.house.prose_only import c_code, python_code

PYTHON = '"""A module."""\n\n\ndef f(x):\n    """Return x."""\n    # a comment\n    return f"{x} is" "x"\n'


@pytest.mark.parametrize(
    ("old", "new", "same", "same_but_for_strings"),
    [
        ("A module", "The module", True, True),
        ("Return x", "Give x", True, True),
        ("a comment", "another", True, True),
        ('    """Return x."""\n', "", True, True),
        ("} is", "} was", False, True),
        ("return f", "yield f", False, False),
        ("{x}", "{y}", False, False),
    ],
)
def test_python(old, new, same, same_but_for_strings):
    changed = PYTHON.replace(old, new)
    assert changed != PYTHON
    assert (python_code(changed, False) == python_code(PYTHON, False)) == same
    assert (python_code(changed, True) == python_code(PYTHON, True)) == same_but_for_strings


CUDA = '// A source.\nint f(int x) { /* a\ncomment */ return g("//", x) + 1; }  // its end\n'


@pytest.mark.parametrize(
    ("old", "new", "same", "same_but_for_strings"),
    [
        ("A source", "The source", True, True),
        ("/* a\ncomment */", "", True, True),
        ("int f(int x) {", "int f(int x)\n{", True, True),
        ('"//"', '"/"', False, True),
        ("+ 1", "+ 2", False, False),
    ],
)
def test_cuda(old, new, same, same_but_for_strings):
    changed = CUDA.replace(old, new)
    assert changed != CUDA
    assert (c_code(changed, False) == c_code(CUDA, False)) == same
    assert (c_code(changed, True) == c_code(CUDA, True)) == same_but_for_strings
