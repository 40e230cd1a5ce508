"""CUDA sources without a GPU: compiled by the host's C++ compiler, run on NumPy arrays (emulated_cuda.h and .cpp).

    with emulated_cuda(seed=3):
        mask = maximal_independent_set(graph)       # by the form for a GPU

On small graphs, this tests the logic of a source, including its warps and barriers. It does not test the speed, nor the
additional behavior that the memory model of a GPU allows.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import platform
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stablegraph._core.runtime import use_target
from stablegraph._core.runtime.cuda import source as cuda_source


def _compiler() -> str | None:
    """Return a C++ compiler for the processor of this Python: if it is emulated, g++ is one for another."""
    found = shutil.which("g++") or shutil.which("c++")
    if found is None:
        return None
    made_for = subprocess.run([found, "-dumpmachine"], capture_output=True, text=True).stdout
    return found if made_for.startswith(platform.machine()) else None


COMPILER = _compiler()
needs_a_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to emulate CUDA with")
_HEADER = Path(__file__).with_name("emulated_cuda.h")
_SCHEDULER = Path(__file__).with_name("emulated_cuda.cpp")
_BLOCK = 64  # threads: two warps
_MAX_BLOCKS = 3
_MAX_ARGUMENTS = 26  # of a kernel, as in the header
_COMMAND = [
    str(COMPILER),
    "-std=c++17",
    "-O1",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fPIC",
    "-DEMULATED",
]
_COMMAND += ["-Wall", "-Wno-unused", "-Wno-unknown-pragmas", "-Wno-unused-function"]
_one_at_a_time = threading.Lock()  # the scheduler's state belongs to the process
_libraries = Path(tempfile.gettempdir()) / "stablegraph-emulated-cuda"
_seed = 0


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _compile(arguments: list[str], result: Path, text: str) -> None:
    """Run the compiler, and move its output into its place at once, because other processes may look for it."""
    result.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=result.parent) as folder:
        output = Path(folder) / result.name
        done = subprocess.run([*_COMMAND, *arguments, "-o", str(output)], input=text, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"the source of {result.name} does not compile:\n{done.stderr[:5000]}")
        output.replace(result)


@functools.cache
def _prepared_folder() -> Path:
    """Return a folder with the header as GCC parsed it and the compiled scheduler, which all sources share."""
    folder = _libraries / _digest(_COMMAND, _HEADER.read_text(), _SCHEDULER.read_text())
    header, scheduler = folder / f"{_HEADER.name}.gch", folder / "scheduler.so"
    if not header.exists():
        _compile(["-x", "c++-header", str(_HEADER)], header, "")
    if not scheduler.exists():
        _compile(["-O2", "-shared", str(_SCHEDULER)], scheduler, "")
    return folder


class _Emulated:
    """A source compiled for the host; calls run its kernels."""

    def __init__(self, source: cuda_source.CudaSource, macros: dict[str, str]) -> None:
        self._block = min(source.block, _BLOCK)
        text = f'#include "{_HEADER.name}"\n' + source.text
        options = [f"-D{name}={value}" for name, value in (macros | {"BLOCK": str(self._block)}).items()]
        folder = _prepared_folder()
        library = folder / f"{source.path.stem}-{_digest(text, options)}.so"
        if not library.exists():
            scheduler = str(folder / "scheduler.so")  # the library stores this path
            arguments = [f"-I{folder}", f"-I{_HEADER.parent}", "-x", "c++", "-", "-x", "none", scheduler]
            linking = ["-shared", "-nodefaultlibs"]  # the scheduler is linked to C++'s library, which is slow to search
            _compile([*options, *linking, *arguments, "-lgcc", "-lm", "-lc"], library, text)
        self._library = ctypes.CDLL(str(library))

    def __call__(self, name: str, threads: int, *arguments: Any) -> None:
        words = [_word(argument) for argument in arguments]
        assert len(words) <= _MAX_ARGUMENTS, "a kernel with more parameters than the emulator passes on"
        blocks = cuda_source.wanted_blocks(threads, self._block, _MAX_BLOCKS)
        values = (ctypes.c_ulonglong * _MAX_ARGUMENTS)(*words)
        kernel = ctypes.cast(getattr(self._library, name), ctypes.c_void_p)
        with _one_at_a_time:
            self._library.emulated_launch(kernel, blocks, self._block, values, len(words), ctypes.c_ulonglong(_seed))


def _word(argument: Any) -> int:
    """Return a kernel's parameter as 64 bits."""
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous, "a kernel got an array that is not contiguous"
        return argument.ctypes.data
    assert type(argument) is int, f"a kernel got {argument!r}: pass Python's integers, and arrays"
    return argument & (2**64 - 1)


cuda_source._EMULATORS.append(_Emulated)


@contextlib.contextmanager
def emulated_cuda(seed: int = 0, threads: int | None = None, cards: int | None = None) -> Iterator[None]:
    """Run algorithms in their GPU forms on NumPy arrays; `seed` determines the order of threads."""
    global _seed
    before, _seed = _seed, seed
    try:
        with use_target("emulated", workers=threads, cards=cards):
            yield
    finally:
        _seed = before
