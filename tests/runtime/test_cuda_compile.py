"""Compilation of every kernel of the package to CUDA code (PTX for sm_90), which needs no GPU.

The types are those that kernels declare.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

from build_kernels.compile import texts_of
from build_kernels.forms import all_kernels, forms_of
from stablegraph._core.runtime import Kernel
from stablegraph._core.runtime.cuda.gpu_code import can_compile
from tests.support.cases import each
from tests.support.every_call import NARROW, make_every_call
from tests.support.stored_code import stored_code

KERNELS = list(all_kernels().values())
FILES = {kernel.function.__module__.removeprefix("stablegraph."): [] for kernel in KERNELS}
for _kernel in KERNELS:
    FILES[_kernel.function.__module__.removeprefix("stablegraph.")].append(_kernel)
each_file = pytest.mark.parametrize("file", FILES)
with_a_cuda_compiler = pytest.mark.skipif(
    not can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'"
)


def check_cuda_code(kernel: Kernel, count: int | None) -> None:
    from stablegraph._core.runtime.jit.cuda import compile_to_ptx

    general = [form for form in forms_of(kernel) if not form.constants]
    for form in general[:count]:
        inputs = (kernel.name, kernel.by, form.types, *texts_of(kernel.function))
        ptx = stored_code(lambda form=form: compile_to_ptx(kernel, form.types, 90).encode(), *inputs).decode()
        assert ".entry" in ptx
        assert ".target sm_90" in ptx


@pytest.fixture(scope="module")
def called():
    """Return the kernels that the table of calls reaches."""
    make_every_call(NARROW)
    return {kernel for kernel in KERNELS if kernel._launchers}


def test_every_kernel_declares_types_and_is_reached(called):
    assert [kernel for kernel in KERNELS if not forms_of(kernel)] == []
    missing = [kernel for kernel in KERNELS if kernel not in called]
    assert not missing, f"nothing calls {missing}: add calls to tests/support/every_call.py"


@functools.cache
def functions_in(path: str) -> dict[int, ast.FunctionDef]:
    """Return the functions in a file, by the number of their first line."""
    nodes = ast.walk(ast.parse(Path(path).read_text(encoding="utf-8")))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return {min(part.lineno for part in (node, *node.decorator_list)): node for node in functions}


@each(kernel=KERNELS)
def test_kernels_return_nothing(kernel):
    code = kernel.function.__code__
    function = functions_in(code.co_filename)[code.co_firstlineno]
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    assert not any(values), "a result of a kernel is lost: write it into an array"


@pytest.mark.jit
@with_a_cuda_compiler
@each_file
def test_every_kernel_compiles_for_cuda(file):
    for kernel in FILES[file]:
        check_cuda_code(kernel, 1)


@pytest.mark.slow
@pytest.mark.jit
@with_a_cuda_compiler
@each_file
def test_every_form_compiles_for_cuda(file):
    for kernel in FILES[file]:
        check_cuda_code(kernel, None)
