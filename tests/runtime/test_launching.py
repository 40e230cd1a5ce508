"""Packing of the arguments of GPU kernels, compared with the parameters of compiled code."""

from types import SimpleNamespace

import numpy as np
import pytest

from stablegraph._core.runtime import kernel, launching
from stablegraph._core.runtime.cuda import gpu_code

WORDS = ("int32[]", "uint8[,]", "int", "float", "bool", "int")


@kernel
def of_many_kinds(i, values, table, n, x, flag, short):
    values[i] = table[i, 0] + n + x + flag + short


@pytest.mark.jit
@pytest.mark.skipif(not gpu_code.can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'")
def test_arguments_are_packed_as_compiled_code_takes_them():
    from stablegraph._core.runtime.jit.cuda import compile_to_ptx

    name, widths = launching._entry_point(compile_to_ptx(of_many_kinds, WORDS, 90).encode())
    assert name.startswith("of_many_kinds")
    # The count; two pointers, items, bytes, address, and shape and stride of each dimension; the numbers.
    assert widths == ["64"] + 7 * ["64"] + 9 * ["64"] + ["64", "64", "8", "64"]
    packed = launching._packer(("int", *WORDS), widths).pack(3, *range(16), 2, 0.5, True, np.int32(7))
    assert packed[:8] == np.int64(3).tobytes()
    # A number is aligned to its own size: seven bytes after the single byte are unused.
    assert packed[-16:] == b"\x01" + 7 * b"\0" + np.int64(7).tobytes()


@pytest.mark.parametrize("widths", [["64"], ["64", "32"], ["64", "64", "64"]])
def test_parameters_that_are_something_else_are_refused(widths):
    with pytest.raises(RuntimeError, match="bits, but qd are packed"):
        launching._packer(("int", "float"), widths)


def test_launches_of_nothing_need_no_gpu():
    array = SimpleNamespace(__cuda_array_interface__={})
    of_many_kinds(0, array, array, 1, 0.5, True, 2)
