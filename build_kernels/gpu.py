"""The archive of GPU code: every form of every kernel and every CUDA source as PTX, and frequent ones as machine code.

The compilers are those of CUDA 12.0; all drivers that the extras `cuda12` and `cuda13` support accept its PTX. A newer
assembler makes machine code from it. No GPU is necessary. Code is cached under a hash of all its inputs, like objects
(compile.py).
"""

from __future__ import annotations

import functools
import io
import site
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stablegraph._core.runtime.cuda.gpu_code import MACHINE_CODE, OLDEST, machine_code

from . import cache
from .compile import in_processes, kernels_of_package, texts_of
from .forms import INDEX_TYPES, forms_of
from .hatch_build import CUDA_ASSEMBLER, CUDA_COMPILERS

_TIME = (1980, 1, 1, 0, 0, 0)  # of all members, so that equal sources give equal archives
_FOLDER = cache.FOLDER / "gpu"
# Files whose kernels never run on a GPU: a CUDA source replaces them, or the graph is in host memory.
ONLY_ON_CPU = (
    "components.forward_backward", "components.tarjan", "forest.linkage", "forest.unweighted", "traversal.bipartition",
    "traversal.breadth_first", "traversal.queue_order",
)  # fmt: skip


class Member(NamedTuple):
    """A kernel with its types, or a CUDA source with its macros."""

    name: str
    key: str
    kernel: str  # empty for a source
    types: tuple[str, ...]
    source: int = 0  # index of the source among all sources
    macros: tuple[tuple[str, str], ...] = ()
    machine: int = 0  # compute capability of the machine code, or 0 for PTX
    ptx: str = ""  # key of the PTX of a kernel, from which its machine code is made


def build_archive(source_hash: str, jobs: int) -> bytes:
    """Return the archive; only code that is not in the cache is compiled."""
    members = [*_kernel_members(), *_source_members()]
    kept = cache.read(_FOLDER, ".code")
    wanted = [member for member in members if member.key not in kept]
    if wanted:
        print(f"compiling {len(wanted)} of {len(members)} members of the archive with {jobs} processes", flush=True)
        kept.update(in_processes(_compile_member, [member for member in wanted if not member.ptx], jobs, at_once=8))
        translated = [(member, kept[member.ptx]) for member in wanted if member.ptx]
        kept.update(in_processes(_assemble_kernel, translated, jobs, at_once=8))
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w") as archive:
        archive.comment = source_hash.encode()
        for member in members:
            entry = zipfile.ZipInfo(member.name, _TIME)
            entry.compress_type = zipfile.ZIP_LZMA
            archive.writestr(entry, kept[member.key].read_bytes())
    cache.remove_old(_FOLDER, ".code", {kept[member.key] for member in members})
    return contents.getvalue()


def _kernel_members() -> list[Member]:
    from stablegraph._core.runtime import arithmetic, atomics
    from stablegraph._core.runtime.jit import cuda
    from stablegraph._core.runtime.launching import member_name

    # In these files, some rules have a separate form for GPUs.
    layer = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (arithmetic, atomics, cuda)]
    members = []
    for name, kernel in kernels_of_package().items():
        if kernel.function.__module__.removeprefix("stablegraph.") in ONLY_ON_CPU:
            continue
        frequent = forms_of(kernel, INDEX_TYPES[:1])
        for form in forms_of(kernel):
            if not form.constants:
                key = _key(kernel.by, form.types, *layer, *texts_of(kernel.function))
                full = member_name(name, form.types)
                members.append(Member(full, key, name, form.types))
                for machine in MACHINE_CODE if form in frequent else ():
                    translated, of_machine = machine_code(full, machine), _key(key, machine, *CUDA_ASSEMBLER.items())
                    members.append(Member(translated, of_machine, name, form.types, machine=machine, ptx=key))
    return members


def _source_members() -> list[Member]:
    members: dict[str, Member] = {}
    for number, source in enumerate(_sources()):
        for variant in source.variants:
            for vertex, offset in INDEX_TYPES:
                macros = source.defined({"VERTEX": np.dtype(vertex), "OFFSET": np.dtype(offset)} | variant)
                name, values = source.member_name(macros), tuple(sorted(macros.items()))
                is_frequent = (vertex, offset) == INDEX_TYPES[0]
                for machine in (0, *MACHINE_CODE) if is_frequent else (0,):
                    full = machine_code(name, machine) if machine else name
                    key = _key(values, machine, *(CUDA_ASSEMBLER.items() if machine else ()), source.text)
                    members[full] = Member(full, key, "", (), number, values, machine)
    return list(members.values())


@functools.cache
def _sources() -> list[Any]:
    import importlib

    from stablegraph._core.runtime.cuda.source import CudaSource
    from stablegraph._core.runtime.sources import PACKAGE

    kernels_of_package()  # imports all modules with kernels; some of them have a source, too
    for path in sorted(PACKAGE.rglob("cuda/*.py")):
        importlib.import_module(".".join(["stablegraph", *path.relative_to(PACKAGE).with_suffix("").parts]))
    return sorted(CudaSource.registry, key=lambda source: source.path)


def _key(*parts: Any) -> str:
    return cache.key_of(*CUDA_COMPILERS.items(), OLDEST, *parts)


def _search_all_packages() -> None:
    """Let NVIDIA's packages find their libraries also in pip's isolated environment, which is no site folder."""
    site.getsitepackages = lambda prefixes=None: list(sys.path)


def _compile_member(member: Member) -> tuple[str, Path]:
    _search_all_packages()
    try:
        if member.kernel:
            code = _compile_kernel(member)
        else:
            target = f"compute_{member.machine or OLDEST}"
            code = compile_source(_sources()[member.source], dict(member.macros), target)
            if member.machine:
                code = assemble(code, member.machine)
    except Exception as error:  # Numba raises its own exceptions
        raise TypeError(f"{member.name} cannot be compiled for a GPU: {error}") from error
    return member.key, cache.write(_FOLDER, member.key, ".code", code)


def _assemble_kernel(task: tuple[Member, Path]) -> tuple[str, Path]:
    member, ptx = task
    _search_all_packages()  # a process may begin with this task if PTX is cached
    return member.key, cache.write(_FOLDER, member.key, ".code", assemble(ptx.read_bytes(), member.machine))


def _compile_kernel(member: Member) -> bytes:
    from stablegraph._core.runtime.jit.cuda import compile_to_ptx

    return compile_to_ptx(kernels_of_package()[member.kernel], member.types, OLDEST).encode()


def compile_source(source: Any, macros: dict[str, str], architecture: str) -> bytes:
    """Return the PTX of a CUDA source; NVRTC's messages are the error if it does not compile."""
    from cuda.bindings import nvrtc

    from stablegraph._core.runtime.cuda.source import STANDARD

    def results(done: Any) -> Any:
        if done[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise RuntimeError(str(done[0]))
        return done[1]

    options = [f"-arch={architecture}", STANDARD, *(f"-D{name}={value}" for name, value in macros.items())]
    program = results(nvrtc.nvrtcCreateProgram(source.text.encode(), source.path.name.encode(), 0, [], []))
    (ended,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    if ended != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = bytearray(results(nvrtc.nvrtcGetProgramLogSize(program)))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.decode())
    code = bytearray(results(nvrtc.nvrtcGetPTXSize(program)))
    results((*nvrtc.nvrtcGetPTX(program, code), None))
    return bytes(code)


def assemble(ptx: bytes, capability: int) -> bytes:
    """Return the machine code of a PTX text for GPUs of a compute capability.

    The assembler is newer than the compiler: that of CUDA 12.0 repeats up to three iterations of some unrolled loops.
    """
    from cuda.bindings import nvjitlink

    link = nvjitlink.create(1, [f"-arch=sm_{capability}"])
    nvjitlink.add_data(link, nvjitlink.InputType.PTX, ptx, len(ptx), "source")
    nvjitlink.complete(link)
    code = bytearray(nvjitlink.get_linked_cubin_size(link))
    nvjitlink.get_linked_cubin(link, code)
    nvjitlink.destroy(link)
    return bytes(code)
