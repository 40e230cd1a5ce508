"""How arguments are packed for kernels on a GPU: compared with what compiled code says that it takes."""

import numpy as np
import pytest

from stablegraph.parallel import device, kernel, launching

ARRAYS = ((np.dtype(np.int32), 1, True), (np.dtype(np.uint8), 2, True))
NUMBERS = (int, float, bool, np.dtype(np.float32), np.dtype(np.uint16))


@kernel
def of_many_kinds(i, values, table, n, x, flag, short, small):
    values[i] = table[i, 0] + n + x + flag + short + small


@pytest.mark.jit
@pytest.mark.skipif(device.cuda_package() is None, reason="no CUDA compiler for Python; install the extra 'ptx'")
def test_arguments_are_packed_as_compiled_code_takes_them():
    kinds = (int, *ARRAYS, *NUMBERS)
    text = launching._ptx_file(of_many_kinds, kinds, (9, 0)).read_text()
    name, widths = launching._entry(text)
    assert "of_many_kinds" in name
    # The count; two pointers, items, bytes, address, and shape and stride of each dimension; the numbers.
    assert widths == ["64"] + 7 * ["64"] + 9 * ["64"] + ["64", "64", "8", "32", "16"]
    packed = launching._packer(kinds, widths).pack(3, *range(16), 2, 0.5, True, 0.25, 7)
    assert packed[:8] == np.int64(3).tobytes()
    # A number is aligned to its own size: behind the single byte three are free.
    assert packed[-10:] == b"\x01" + 3 * b"\0" + np.float32(0.25).tobytes() + np.uint16(7).tobytes()


@pytest.mark.parametrize("widths", [["64"], ["64", "32"], ["64", "64", "64"]])
def test_parameters_that_are_something_else_are_refused(widths):
    with pytest.raises(RuntimeError, match="bits, but qd are packed"):
        launching._packer((int, float), widths)


def test_launches_of_nothing_need_no_gpu():
    launching.launch(of_many_kinds, 0, ())
