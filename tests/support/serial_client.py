"""A client that runs each task at once, in this process: what a cluster does, without one."""

import pickle

from dask._task_spec import DataNode
from dask.delayed import Delayed


class SerialClient:
    """Has those methods of Dask's client that the package uses. With `twice`, tasks run twice on the same arguments.

    A task must not change what it is given, and give the same whenever it runs: a cluster runs it again when a worker
    is lost.
    """

    def __init__(self, twice=False):
        self._values, self._twice = {}, twice

    def submit(self, function, *arguments, key=None, pure=None):
        key = key or f"task-{len(self._values)}"
        assert key not in self._values, f"{key} names two tasks"
        given = self._unwrapped(arguments)
        if self._twice:
            first, before = function(*given), pickle.dumps(given)
            value = function(*given)
            assert pickle.dumps(given) == before, f"{key} changed its arguments"
            assert pickle.dumps(value) == pickle.dumps(first), f"{key} gave something else the second time"
        else:
            value = function(*given)
        self._values[key] = value
        return Delayed(key, {key: DataNode(key, value)})

    def map(self, function, *columns, key, pure=None):
        return [self.submit(function, *row, key=k) for k, row in zip(key, zip(*columns, strict=True), strict=True)]

    def _unwrapped(self, argument):
        if isinstance(argument, Delayed):
            return self._values[argument.key]
        if type(argument) in (list, tuple):
            return type(argument)(map(self._unwrapped, argument))
        return argument

    def gather(self, futures):
        return self._unwrapped(futures)

    def compute(self, delayed):
        return [self.submit(lambda one=one: one.compute(scheduler="sync")) for one in delayed]

    def scheduler_info(self):
        return {"workers": {}}
