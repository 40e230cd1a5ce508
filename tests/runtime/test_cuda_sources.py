"""CUDA sources: each compiles by NVRTC without a GPU, for all index types; shared code is also emulated."""

from __future__ import annotations

import importlib
import pkgutil
from functools import partial

import numpy as np
import pytest

import stablegraph
from stablegraph._core.runtime import CudaSource
from tests.support.cases import each
from tests.support.stored_code import stored_code

INDEX_TYPES = {"narrow": ("int32", "int32"), "mixed": ("int32", "int64"), "wide": ("int64", "int64")}
MOSTLY_SLOW = ["narrow", *(pytest.param(types, marks=pytest.mark.slow) for types in ("mixed", "wide"))]


def sources():
    for module in pkgutil.walk_packages(stablegraph.__path__, "stablegraph."):
        if ".cuda." in module.name:
            importlib.import_module(module.name)
    return {source.path.stem: source for source in CudaSource.registry}


SOURCES = sources()


@each(name=SOURCES)
def test_sources_keep_to_the_width_of_the_house(name):
    for file in SOURCES[name].files:
        assert [line for line in file.read_text().splitlines() if len(line) > 120] == [], file


@pytest.mark.parametrize(
    "types", [t if t == "narrow" else pytest.param(t, marks=pytest.mark.slow) for t in INDEX_TYPES]
)
@each(name=SOURCES)
def test_sources_compile_for_a_gpu(name, types):
    pytest.importorskip("cuda.bindings.nvrtc", reason="install the extra 'ptx'")
    from build_kernels.gpu import assemble, compile_source

    source = SOURCES[name]
    for macros in source.variants:
        vertex, offset = map(np.dtype, INDEX_TYPES[types])
        defined = source.defined(macros | {"VERTEX": vertex, "OFFSET": offset})
        ptx = stored_code(partial(compile_source, source, defined, "compute_90"), source.text, defined)
        assert b".entry" in ptx
    assert stored_code(partial(assemble, ptx, 90), ptx).startswith(b"\x7fELF")
