"""List the kernels that the calls of each public function launch, on threads and in partitions, while they run.

    python -m tests.house.engines

A row is a public function with one of its algorithms, with the calls of the table of pinned answers. Graphs are one of
the zoo and a larger random one; four workers run on any machine, so that the forms for several threads are reached.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph._core.runtime.kernel import Kernel
from tests.pins.calls import CALLS, Call
from tests.pins.graphs import LISTS, Subject
from tests.pins.lists import fitting, pin_of

_WORKERS = 4
_DEVICES = {"cpu": "on threads", "partitions": "in partitions"}


def rows() -> dict[str, list[Call]]:
    """Return the calls by function and algorithm."""
    result = defaultdict(list)
    for call in CALLS:
        function, *options = call.name.split()
        result[" ".join([function, *(o for o in options if o.startswith("algorithm="))])].append(call)
    return result


@contextmanager
def _recorded() -> Iterator[set[str]]:
    """Collect the names of all kernels that are launched meanwhile."""
    names: set[str] = set()
    original = Kernel.__call__

    def noted(kernel: Kernel, *arguments: Any) -> None:
        names.add(kernel.name.removeprefix("stablegraph."))
        original(kernel, *arguments)

    Kernel.__call__ = noted  # type: ignore[method-assign]
    try:
        yield names
    finally:
        Kernel.__call__ = original  # type: ignore[method-assign]


def kernels(calls: list[Call], subjects: list[Subject]) -> dict[str, set[str]]:
    """Return the kernels that calls launch, by device."""
    result = {}
    for device in _DEVICES:
        with _recorded() as names, use_target("cpu", workers=_WORKERS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for subject in subjects:
                subject.device = device
                for call in calls:
                    if fitting(call, subject):
                        pin_of(call, subject)
        result[device] = names
    return result


def report() -> Iterator[str]:
    """Yield a line for each row, with the modules whose kernels run and their numbers."""
    subjects = [next(LISTS["zoo"]()), Subject("random", sg.gallery.uniform_random(3000, 4))]
    total = Counter[str]()
    for row, calls in rows().items():
        found = kernels(calls, subjects)
        total.update({device: len(names) for device, names in found.items()})
        parts = []
        for device, place in _DEVICES.items():
            modules = Counter(name.rpartition(".")[0] for name in found[device])
            listed = ", ".join(f"{module} {count}" for module, count in sorted(modules.items()))
            parts += [f"{len(found[device])} {place} ({listed})"] * bool(listed)
        yield f"{row}: {'; '.join(parts) or 'no kernel'}"
    yield f"{sum(total.values())} pairs of a row and a kernel in {len(rows())} rows"


if __name__ == "__main__":
    print(*report(), sep="\n")
