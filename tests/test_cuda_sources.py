"""CUDA sources: each compiles by NVRTC without a GPU, for all index types; shared code is also emulated."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

import stablegraph
from stablegraph.parallel.cuda_source import CudaSource

INDEX_TYPES = {"narrow": ("int32", "int32"), "mixed": ("int32", "int64"), "wide": ("int64", "int64")}
MOSTLY_SLOW = ["narrow", *(pytest.param(types, marks=pytest.mark.slow) for types in ("mixed", "wide"))]


def sources():
    for module in pkgutil.walk_packages(stablegraph.__path__, "stablegraph."):
        if module.name.endswith("_cuda"):
            importlib.import_module(module.name)
    return {source.path.stem: source for source in CudaSource.registry}


SOURCES = sources()


def compile_by_nvrtc(source: CudaSource, macros: dict[str, str]) -> str:
    """Return the PTX; fail with NVRTC's messages if the source does not compile."""
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="install the extra 'ptx'")

    def ask(done):
        assert done[0] == nvrtc.nvrtcResult.NVRTC_SUCCESS, done[0]
        return done[1:]

    (program,) = ask(nvrtc.nvrtcCreateProgram(source.text.encode(), source.path.name.encode(), 0, [], []))
    options = [b"-arch=sm_90", b"-std=c++17", *(f"-D{name}={value}".encode() for name, value in macros.items())]
    compiled = nvrtc.nvrtcCompileProgram(program, len(options), options)[0]
    (size,) = ask(nvrtc.nvrtcGetProgramLogSize(program))
    log = b" " * (size + 1)  # not a single byte: Python shares such objects, and NVRTC writes into it
    ask(nvrtc.nvrtcGetProgramLog(program, log))
    assert compiled == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode()
    (size,) = ask(nvrtc.nvrtcGetPTXSize(program))
    ptx = b" " * size
    ask(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx.decode()


@pytest.mark.parametrize("name", SOURCES)
def test_sources_keep_to_the_width_of_the_house(name):
    for file in SOURCES[name].files:
        assert [line for line in file.read_text().splitlines() if len(line) > 120] == [], file


@pytest.mark.parametrize(
    "types", [t if t == "narrow" else pytest.param(t, marks=pytest.mark.slow) for t in INDEX_TYPES]
)
@pytest.mark.parametrize("name", SOURCES)
def test_sources_compile_for_a_gpu(name, types):
    source = SOURCES[name]
    for macros in source.variants:
        vertex, offset = map(np.dtype, INDEX_TYPES[types])
        ptx = compile_by_nvrtc(source, source.defined(macros | {"VERTEX": vertex, "OFFSET": offset}))
        assert ".entry" in ptx
