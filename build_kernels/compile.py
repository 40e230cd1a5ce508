"""Compilation of forms to objects, in several processes, with a cache in the source tree.

The key of an object is a hash of all its inputs: the source texts of the kernel and of all rules that it uses, the
values of their globals, the types, the target, the versions of Numba and llvmlite, and the modules that call them. The
key does not contain the version of Python, so environments share objects. The file name also has a checksum of the
contents; a damaged file is compiled again.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import types
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from stablegraph._core.runtime.jit.targets import TARGETS

from . import cache
from .forms import Form, all_kernels
from .hatch_build import COMPILERS

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


Objects = dict[Form, dict[int, Path]]  # the objects of each form by level of processors
Keys = dict[Form, dict[int, str]]


def compile_forms(kernels: dict[str, Any], forms: list[Form], target: str, levels: list[int], jobs: int) -> Objects:
    """Return the objects of each form for some levels of processors, from the cache or compiled now."""
    folder = cache.FOLDER / target
    keys = {form: {level: _key(kernels[form.kernel], form, target, level) for level in levels} for form in forms}
    kept = cache.read(folder, ".o")
    objects = {form: {level: kept[key] for level, key in of.items() if key in kept} for form, of in keys.items()}
    wanted = [form for form in forms if len(objects[form]) < len(levels)]
    if wanted:
        tasks = _tasks(wanted)
        jobs = min(jobs, len(tasks))
        print(f"compiling {len(wanted)} of {len(forms)} forms of kernels with {jobs} processes", flush=True)
        work = functools.partial(_compile_task, target=target, folder=folder, keys=keys)
        for result in in_processes(work, tasks, jobs):
            objects.update(result)
    return objects


def in_processes(work: Callable[[Any], Any], tasks: list[Any], jobs: int, at_once: int = 1) -> list[Any]:
    """Return the results of all tasks, each process taking `at_once` tasks at a time."""
    if jobs == 1:
        return list(map(work, tasks))
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        return list(pool.map(work, tasks, chunksize=at_once))


def _tasks(forms: list[Form]) -> list[list[Form]]:
    """Group forms by the module of their kernels, so that they share the code of rules; the largest group first."""
    groups: dict[str, list[Form]] = {}
    for form in forms:
        groups.setdefault(form.kernel.rpartition(".")[0], []).append(form)
    return sorted(groups.values(), key=len, reverse=True)


def _compile_task(forms: list[Form], target: str, folder: Path, keys: Keys) -> Objects:
    from llvmlite import binding

    from stablegraph._core.runtime.jit.entry import module_with_entry, optimize

    kernels = kernels_of_package()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    chosen = TARGETS[target]
    machines = {level: chosen.machine(level) for level in next(iter(keys.values()))}
    objects: Objects = {form: {} for form in forms}
    for form in forms:
        try:
            bitcode = module_with_entry(kernels[form.kernel], form.types, form.constants, "entry").as_bitcode()
        except Exception as error:  # Numba raises its own exceptions
            raise TypeError(f"{form.kernel} cannot be compiled for {' '.join(form.types)!r}: {error}") from error
        for level, machine in machines.items():
            module, key = binding.parse_bitcode(bitcode), keys[form][level]
            module.triple, module.data_layout = chosen.triple, str(machine.target_data)
            _replace_system_functions(module)
            optimize(module, machine)
            entry = module.get_function("entry")
            entry.name, entry.visibility = symbol(key), "hidden"
            objects[form][level] = cache.write(folder, key, ".o", bytes(machine.emit_object(module)))
    return objects


def _replace_system_functions(module: Any) -> None:
    """Make a module for Windows call that system's function, also if another system compiles it."""
    if "windows" in module.triple:
        for function in module.functions:
            if function.name == "sched_yield":
                function.name = "SwitchToThread"


@functools.cache
def kernels_of_package() -> dict[str, Any]:
    """Return all kernels by name; they are imported once in each process."""
    return all_kernels()


def symbol(key: str) -> str:
    """Return the name of the entry in a form's object."""
    return f"sg_{key}"


# ---- Keys


def _key(kernel: Any, form: Form, target: str, level: int) -> str:
    from stablegraph._core.runtime.declaration import edge_split

    split = texts_of(edge_split.function) if kernel.by == "edges" else ()
    return cache.key_of(
        *_compiler(),
        TARGETS[target].triple,
        TARGETS[target].levels[level],
        kernel.by,
        form.types,
        form.constants,
        *split,
        *texts_of(kernel.function),
    )


@functools.cache
def _compiler() -> list[str]:
    """Return the inputs of all objects: the compilers' versions, and the source texts of the modules that call them."""
    import stablegraph._core.runtime

    folder = Path(stablegraph._core.runtime.__file__).parent
    files = ("entry.py", "intrinsics.py", "pipeline.py", "shares.py")
    texts = [(folder / "jit" / file).read_text(encoding="utf-8") for file in files]
    return [*COMPILERS.values(), *texts, *map(inspect.getsource, (_compile_task, _replace_system_functions))]


def check_versions(compilers: dict[str, str]) -> None:
    """Raise RuntimeError unless the installed compilers have the versions that the build requires."""
    for name, wanted in compilers.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            installed = "none"
        if installed != wanted:
            pins = " ".join(f"{name}=={wanted}" for name, wanted in compilers.items())
            raise RuntimeError(f"Compiling needs {name} {wanted}, found {installed}: pip install {pins}")


@functools.cache
def texts_of(function: Any) -> tuple[str, ...]:
    """Return the texts of a function and of all rules that it uses, and the values of their other globals."""
    from stablegraph._core.runtime.declaration import Rule, groups_of

    parts = [_code_of(function), repr(function.__defaults__)]
    if function.__name__ != function.__code__.co_name:  # a body of an engine: each problem has its own symbol
        parts.append(f"{function.__module__}.{function.__name__}")
    parts += [f"{name}: {_described(group)}" for name, group in groups_of(function).items()]
    for name in sorted(function.__code__.co_names):  # their order depends on the version of Python
        if name in function.__globals__:
            value = function.__globals__[name]
            if isinstance(value, Rule):
                parts += [name, str(value.inline), *texts_of(value.function)]
            else:
                parts.append(f"{name} = {_described(value)}")
    return tuple(parts)


def _code_of(function: Any) -> str:
    """Return the text of a function without comments, docstring, decorators and annotations, which change no code.

    The key has the division of work, the types and the inlining of rules on its own.
    """
    parsed = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(parsed):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.decorator_list, node.returns = [], None
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                del node.body[0]
    return ast.unparse(parsed)


def _described(value: Any) -> str:
    """Return a text for the value of a global; raise TypeError if its effect on compiled code is unknown."""
    from stablegraph._core.runtime.declaration import constants_of

    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return f"{array.dtype.str} {array.shape} {array.tobytes().hex()}"
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_described, value))})"
    if isinstance(value, types.ModuleType) and value.__name__ in ("math", "numpy"):
        return f"module {value.__name__}"
    if hasattr(value, "_fields"):
        return f"group {value.__name__} {value._fields} {constants_of(value)}"
    if isinstance(value, type | types.BuiltinFunctionType | np.ufunc):
        return f"{type(value).__name__} {value.__name__}"
    raise TypeError(f"a kernel uses a global of type {type(value).__name__}, whose part in compiled code is unknown")
