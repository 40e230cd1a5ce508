"""A substitute for CuPy and its arrays, based on NumPy; mixing its arrays with those of the host is an error.

Kernels run on the CPU. So device-independent code is tested without a GPU: operations that mix arrays of both devices
fail, and so do some calls that CuPy does not support.
"""

from functools import partial

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from stablegraph._core.runtime import Kernel, device
from stablegraph.cluster import gpu_execution

WORKERS = 5  # of kernels

# The functions that CuPy has under NumPy's names, as far as the package calls them.
_KNOWN = {
    *("append", "argmax", "bincount", "concatenate", "cumsum", "diff", "empty_like", "flatnonzero", "isin", "packbits"),
    *("searchsorted", "sort", "stack", "unique", "unpackbits", "where"),
}
_KNOWN_UFUNCS = {
    *("add", "subtract", "multiply", "negative", "divmod", "floor_divide", "minimum", "equal", "not_equal"),
    *("less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or", "bitwise_xor", "invert"),
    "right_shift",
}


def _bare(value):
    """Return the wrapped NumPy array; reject arrays of the host."""
    if isinstance(value, FakeArray):
        return value._array
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("an array of the host among those of a GPU")
    if isinstance(value, list | tuple):
        items = [_bare(one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _wrapped(value):
    if isinstance(value, tuple):
        items = [_wrapped(one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return FakeArray(value) if isinstance(value, np.ndarray | np.generic) else value


def _call(function, *arguments, **options):
    return _wrapped(function(*map(_bare, arguments), **{name: _bare(value) for name, value in options.items()}))


class FakeArray(NDArrayOperatorsMixin):
    """A device array."""

    def __init__(self, array):
        self._array = np.asarray(array)

    @property
    def __cuda_array_interface__(self):
        return self._array.__array_interface__

    def __array__(self, *_, **__):
        raise TypeError("an array of a GPU is not turned into one of the host by itself")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        assert ufunc.__name__ in _KNOWN_UFUNCS, f"is {ufunc.__name__} in the earliest CuPy? If so, name it"
        if out is not None:
            options["out"] = _bare(out)
        result = getattr(ufunc, method)(*map(_bare, inputs), **options)
        return out[0] if out is not None else _wrapped(result)

    def __array_function__(self, function, types, arguments, options):
        assert function.__name__ in _KNOWN, f"is {function.__name__} in CuPy? If so, name it"
        return _call(function, *arguments, **options)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        result = getattr(self._array, name)
        if callable(result):
            return partial(_call, result)
        return _wrapped(result) if isinstance(result, np.ndarray) else result

    def tolist(self):
        return self._array.tolist()

    def get(self):
        """Return a copy in host memory."""
        return self._array.copy()

    def __getitem__(self, place):
        return _wrapped(self._array[_bare(place)])

    def __setitem__(self, place, value):
        self._array[_bare(place)] = _bare(value)

    def __len__(self):
        return len(self._array)

    def __int__(self):
        return int(self._array)

    __index__ = __int__

    def __bool__(self):
        return bool(self._array)


def _asarray(array):
    return array if isinstance(array, FakeArray) else FakeArray(np.array(array))


class Runtime:
    memory = 1 << 30

    @staticmethod
    def getDevice():
        return 0

    @staticmethod
    def free(address):
        assert address == 0

    @staticmethod
    def getDeviceCount():
        return 1

    @classmethod
    def memGetInfo(cls):
        return cls.memory, cls.memory


class Module:
    """Replaces the module `cupy`."""

    ndarray = FakeArray
    asarray = staticmethod(_asarray)

    class cuda:
        runtime = Runtime

    class _Pool:
        def free_all_blocks(self):
            pass

    get_default_memory_pool = _Pool

    def __getattr__(self, name):
        return partial(_call, getattr(np, name))


def _is_fake(value):
    return isinstance(value, FakeArray) or (isinstance(value, tuple) and any(map(_is_fake, value)))


def install_fake_cupy(monkeypatch):
    """Install the substitute GPU, also for workers; return a list that collects the names of its kernels."""
    module, ran, call = Module(), [], Kernel.__call__

    def run(kernel, *arguments):
        if any(map(_is_fake, arguments)):
            ran.append(kernel.__name__)
            arguments = map(_bare, arguments)
        call(kernel, *arguments)

    for place in (device, gpu_execution):
        monkeypatch.setattr(place, "cupy_module", lambda: module)
    monkeypatch.setattr(device, "_device_functions", lambda: module)
    monkeypatch.setattr(device, "resident_threads", lambda: WORKERS)
    monkeypatch.setattr(Kernel, "__call__", run)
    monkeypatch.setattr(gpu_execution, "has_gpu", lambda: True)
    return ran
