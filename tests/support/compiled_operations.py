"""Record the operations that CuPy would compile in the first call of a process: on NumPy arrays, without a GPU.

    with recorded_operations(monkeypatch) as operations:
        answer = function(on_device(array))        # by its form for a GPU, emulated

CuPy compiles element-wise operations, reductions, conversions, and indexing by arrays for each type, and even copies.
Not recorded are new arrays, views, copies of memory by assignment between equal contiguous arrays, transfers to the
host, and operations that CuPy contains compiled: scans of int64, and the calls of cuSOLVER that inverses consist of.
Operations on single numbers of an array are not recorded.
"""

from __future__ import annotations

import contextlib

import numpy as np

from stablegraph._core.runtime import device

from .emulated_cuda import emulated_cuda

_FREE = {"empty_like", "zeros_like", "result_type", "inv", "cholesky"}
_COMPILED = ("argmax", "argmin", "argsort", "clip", "compress", "copy", "cumsum", "dot", "flatten", "nonzero", "repeat")
_COMPILED += ("round", "searchsorted", "sort", "take")
_operations: list[str] = []


def _bare(value):
    if isinstance(value, tuple | list):
        return type(value)(map(_bare, value))
    return value.view(np.ndarray) if isinstance(value, OnDevice) else value


def _wrapped(value):
    return value.view(OnDevice) if isinstance(value, np.ndarray) else value


class OnDevice(np.ndarray):
    """A NumPy array that is used like a CuPy array."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        _operations.append(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")
        if out is not None:
            options["out"] = _bare(out)
        result = getattr(ufunc, method)(*map(_bare, inputs), **options)
        return out[0] if out is not None else _wrapped(result)

    def __array_function__(self, function, types, arguments, options):
        name = function.__name__
        is_scan = name == "cumsum" and arguments[0] is options.get("out") and arguments[0].dtype == np.int64
        is_view = name == "ascontiguousarray" and arguments[0].flags.c_contiguous
        if name not in _FREE and not is_scan and not is_view:
            _operations.append(name)
        return _wrapped(function(*map(_bare, arguments), **{key: _bare(value) for key, value in options.items()}))

    def __getitem__(self, place):
        if any(isinstance(one, np.ndarray | list) for one in (place if isinstance(place, tuple) else (place,))):
            _operations.append("getitem")
            return _wrapped(self.view(np.ndarray)[_bare(place)])
        return super().__getitem__(place)

    def __setitem__(self, place, value):
        bare = self.view(np.ndarray)
        target = bare[_bare(place)]
        is_view = isinstance(target, np.ndarray) and (not target.size or np.shares_memory(target, bare))
        is_set = is_view and target.flags.c_contiguous and np.isscalar(value) and value == 0
        is_copy = is_view and isinstance(value, OnDevice) and target.flags.c_contiguous and value.flags.c_contiguous
        if not (is_set or (is_copy and (target.shape, target.dtype) == (value.shape, value.dtype))):
            _operations.append("setitem")
        bare[_bare(place)] = _bare(value)

    def astype(self, dtype, copy=True, **options):
        if copy or self.dtype != dtype:
            _operations.append("astype")
        return _wrapped(self.view(np.ndarray).astype(dtype, copy=copy, **options))

    def fill(self, value):
        if value != 0 or not self.flags.c_contiguous:
            _operations.append("fill")
        self.view(np.ndarray).fill(value)

    def ravel(self):
        if not self.flags.c_contiguous:
            _operations.append("ravel")
        return super().ravel()


def _recorded(name):
    def method(self, *arguments, **options):
        _operations.extend([name] * (self.size > 0))  # nothing is done with no elements
        return _wrapped(getattr(self.view(np.ndarray), name)(*map(_bare, arguments), **options))

    return method


for _name in _COMPILED:
    setattr(OnDevice, _name, _recorded(_name))


class _Module:
    """NumPy as a replacement for CuPy: it records new arrays, and arrays record all other operations."""

    def __getattr__(self, name):
        result = getattr(np, name)
        if name in ("arange", "eye", "full", "identity", "linspace", "ones", "tile"):
            return lambda *arguments, **options: _operations.append(name) or _wrapped(result(*arguments, **options))
        return result

    @staticmethod
    def empty(*arguments, **options):
        return on_device(np.empty(*arguments, **options))

    @staticmethod
    def zeros(*arguments, **options):
        return on_device(np.zeros(*arguments, **options))

    @staticmethod
    def asarray(value, dtype=None):
        if not isinstance(value, OnDevice):
            return on_device(np.array(value, dtype))
        return value if dtype is None else value.astype(dtype, copy=False)

    @staticmethod
    def array(value, dtype=None, **options):
        _operations.extend(["array"] * isinstance(value, OnDevice))
        return on_device(np.array(_bare(value), dtype, **options))


def on_device(array):
    """An array on the device that is none."""
    return array.view(OnDevice)


@contextlib.contextmanager
def recorded_operations(monkeypatch):
    """Run forms for a GPU; the list of the names of what CuPy would compile."""
    with emulated_cuda(), monkeypatch.context() as patch:
        patch.setattr(device, "np", _Module())
        _operations.clear()
        yield _operations
