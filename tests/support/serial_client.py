"""A client that runs each task at once in this process, or twice to detect changes of its arguments."""

import pickle

from stablegraph.cluster.workers import InProcess


class SerialClient(InProcess):
    """With `twice`, tasks run twice on the same arguments.

    A task must not change its arguments, and must return the same result whenever it runs: a cluster repeats it when a
    worker is lost.
    """

    def __init__(self, twice=False):
        super().__init__()
        self._twice = twice

    def _run(self, key, function, arguments):
        assert key not in self._values, f"{key} names two tasks"
        if not self._twice:
            return function(*arguments)
        first, before = function(*arguments), pickle.dumps(arguments)
        value = function(*arguments)
        assert pickle.dumps(arguments) == before, f"{key} changed its arguments"
        assert pickle.dumps(value) == pickle.dumps(first), f"{key} gave something else the second time"
        return value
