"""A substitute for CuPy that records the operations which CuPy would compile, on NumPy arrays, without a GPU.

    with recorded_operations(monkeypatch) as operations:
        answer = function(graph.to("cuda"))        # by the form for a GPU, emulated

CuPy compiles element-wise operations, reductions, conversions, and indexing by arrays for each type, and even copies.
Not recorded are new arrays, views, copies of memory by assignment between equal contiguous arrays, transfers to the
host, sorting a contiguous array in place, products of matrices, and the calls of cuSOLVER that inverses and singular
values consist of: CuPy contains them compiled.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from types import MappingProxyType, SimpleNamespace

import numpy as np
import scipy.sparse as sp

from stablegraph._core.runtime import device

from .emulated_cuda import emulated_cuda

_PLACE = -7  # the number of the device
_COMPILED = ("all", "any", "argmax", "argmin", "argsort", "clip", "compress", "copy", "cumsum", "dot", "flatten", "max")
_COMPILED += ("mean", "min", "nonzero", "prod", "repeat", "round", "searchsorted", "sum", "take")
_VIEWS = {
    "broadcast_to",
    "result_type",
    "shape",
    "ndim",
    "size",
    "expand_dims",
    "squeeze",
    "transpose",
    "shares_memory",
}
_VIEWS |= {"inv", "cholesky", "svd", "matmul", "may_share_memory", "empty", "zeros", "empty_like", "zeros_like"}
_operations: list[str] = []


def _note(name):
    frames = [frame for frame in traceback.extract_stack() if "/stablegraph/" in frame.filename]
    users = [frame for frame in frames if not frame.filename.endswith(("cuda/elements.py", "cuda/functions.py"))]
    place = users[-1] if users else None
    _operations.append(f"{name} at {place.filename.rpartition('/stablegraph/')[2]}:{place.lineno}" if place else name)


def _bare(value):
    if isinstance(value, tuple | list):
        return type(value)(map(_bare, value))
    if type(value) is np.ndarray and value.ndim:
        raise TypeError("an array of the host among those of a GPU")
    return value.view(np.ndarray) if isinstance(value, OnDevice) else value


def _wrapped(value):
    if isinstance(value, tuple):
        return tuple(map(_wrapped, value))
    return np.asarray(value).view(OnDevice) if isinstance(value, np.ndarray | np.generic) else value


class OnDevice(np.ndarray):
    """A NumPy array that is used like a CuPy array."""

    __module__ = "cupy"

    device = SimpleNamespace(id=_PLACE)

    @property
    def __cuda_array_interface__(self):
        return self.__array_interface__

    @property
    def data(self):
        """The address."""
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self):
        """Return a copy in host memory."""
        return np.array(self.view(np.ndarray))

    def item(self):
        """Return the only element as a number of Python."""
        return self.view(np.ndarray).item()

    def tolist(self):
        """Return the elements in lists."""
        return self.view(np.ndarray).tolist()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if ufunc.__name__ not in _VIEWS:
            _note(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")
        if out is not None:
            options["out"] = _bare(out)
        result = getattr(ufunc, method)(*map(_bare, inputs), **options)
        return out[0] if out is not None else _wrapped(result)

    def __array_function__(self, function, types, arguments, options):
        name = function.__name__
        is_view = name == "ascontiguousarray" and arguments[0].flags.c_contiguous
        if name not in _VIEWS and not is_view:
            _note(name)
        return _wrapped(function(*map(_bare, arguments), **{key: _bare(value) for key, value in options.items()}))

    def __getitem__(self, place):
        if any(isinstance(one, np.ndarray | list) for one in (place if isinstance(place, tuple) else (place,))):
            _note("getitem")
            return _wrapped(self.view(np.ndarray)[_bare(place)])
        result = super().__getitem__(place)
        if isinstance(result, np.ndarray):
            return result
        start = np.ndarray.__getitem__(self, (*(place if isinstance(place, tuple) else (place,)), ...))
        return start.view(type(self))

    def __setitem__(self, place, value):
        bare = self.view(np.ndarray)
        target = bare[_bare(place)]
        is_view = isinstance(target, np.ndarray) and (not target.size or np.shares_memory(target, bare))
        is_set = is_view and target.flags.c_contiguous and np.isscalar(value) and value == 0
        is_copy = is_view and isinstance(value, OnDevice) and target.flags.c_contiguous and value.flags.c_contiguous
        if not (is_set or (is_copy and (target.shape, target.dtype) == (value.shape, value.dtype))):
            _note("setitem")
        bare[_bare(place)] = _bare(value)

    def astype(self, dtype, copy=True, **options):
        """Convert the array."""
        if copy or self.dtype != dtype:
            _note("astype")
        return _wrapped(self.view(np.ndarray).astype(dtype, copy=copy, **options))

    def fill(self, value):
        """Set all elements."""
        if value != 0 or not self.flags.c_contiguous:
            _note("fill")
        self.view(np.ndarray).fill(value)

    def sort(self, axis=-1):
        """Sort in place."""
        assert self.flags.c_contiguous
        if self.ndim != 1:
            _note("sort")
        self.view(np.ndarray).sort()

    def ravel(self):
        """Return one row."""
        if not self.flags.c_contiguous:
            _note("ravel")
        return super().ravel()

    def reshape(self, *shape, **options):
        """Return the elements in another shape."""
        result = super().reshape(*shape, **options)
        if self.size and not np.shares_memory(result.view(np.ndarray), self.view(np.ndarray)):
            _note("reshape")
        return result


def _recorded(name):
    def method(self, *arguments, **options):
        if self.size:  # nothing is done with no elements
            _note(name)
        return _wrapped(getattr(self.view(np.ndarray), name)(*map(_bare, arguments), **options))

    return method


for _name in _COMPILED:
    setattr(OnDevice, _name, _recorded(_name))


class _Runtime:
    @staticmethod
    def free(address):
        assert address == 0

    @staticmethod
    def getDevice():
        return _PLACE

    @staticmethod
    def getDeviceCount():
        return 1

    @staticmethod
    def memGetInfo():
        return 1 << 30, 1 << 30


class _Stream:
    ptr = 0

    @staticmethod
    def synchronize():
        pass


class _Device:
    attributes = MappingProxyType({"MultiProcessorCount": 1, "MaxThreadsPerMultiProcessor": 5})
    compute_capability = "90"

    def __init__(self, place=_PLACE):
        pass


class _Pool:
    @staticmethod
    def free_all_blocks():
        pass


class FakeCupy:
    """Replaces the module `cupy`: its functions are NumPy's, and record what CuPy's would compile."""

    ndarray = OnDevice
    cuda = SimpleNamespace(runtime=_Runtime, Device=_Device, get_current_stream=lambda: _Stream)
    get_default_memory_pool = _Pool

    def __getattr__(self, name):
        function = getattr(np, name)
        if isinstance(function, type) or not callable(function):
            return function

        def call(*arguments, **options):
            if name not in _VIEWS:
                _note(name)
            options = {key: _bare(value) for key, value in options.items()}
            return _wrapped(function(*map(_bare, arguments), **options))

        return call

    @staticmethod
    def asarray(value, dtype=None):
        """Return an array on the device."""
        if not isinstance(value, OnDevice):
            return np.array(value, dtype).view(OnDevice)
        return value if dtype is None else value.astype(dtype, copy=False)

    from_dlpack = asarray


class FakeMatrix:
    """Replaces the class `cupyx.scipy.sparse.csr_matrix`."""

    __module__ = "cupyx.scipy.sparse"
    format, ndim = "csr", 2

    def __init__(self, given, shape=None, dtype=None):
        if sp.issparse(given):
            given, shape = (given.data, given.indices.astype(np.int32), given.indptr.astype(np.int32)), given.shape
        if isinstance(given[0], int):
            shape = given
            given = (np.empty(0, dtype), np.empty(0, np.int32), np.zeros(shape[0] + 1, np.int32))
        self.data, self.indices, self.indptr = map(FakeCupy.asarray, given)
        self.shape = shape

    nnz = property(lambda self: int(self.data.size))
    dtype = property(lambda self: self.data.dtype)

    def tocsr(self):
        """Return this matrix."""
        return self

    def get(self):
        """Return the matrix in host memory."""
        return sp.csr_array((self.data.get(), self.indices.get(), self.indptr.get()), shape=self.shape)


def on_device_as_matrix(A):
    """A CuPy matrix that is none."""
    return FakeMatrix(sp.csr_array(A))


def on_device(array):
    """An array on the device that is none."""
    return np.array(array).view(OnDevice)


@contextlib.contextmanager
def recorded_operations(monkeypatch):
    """Run forms for a GPU; the list of the names of what CuPy would compile, each with its place in the package."""
    with emulated_cuda(), monkeypatch.context() as patch:
        patch.setitem(sys.modules, "cupy", FakeCupy())
        for name in ("cupyx", "cupyx.scipy", "cupyx.scipy.sparse"):
            patch.setitem(sys.modules, name, SimpleNamespace(csr_matrix=FakeMatrix))
        device.cupy_module.cache_clear()
        _operations.clear()
        try:
            yield _operations
        finally:
            device.cupy_module.cache_clear()
