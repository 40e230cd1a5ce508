"""The lists of pinned answers: computed, stored in files, compared."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Iterator
from pathlib import Path

import scipy

from .calls import CALLS, WITHOUT_GRAPH, Call
from .checksums import checksum
from .graphs import LISTS, Subject

FOLDER = Path(__file__).parent
NO_GRAPH = "-"
_LAPACK = f"# SciPy {scipy.__version__}, {platform.machine()}"
HEADING = f"""\
# Pinned answers: graph, call, and the crc32 of its result or the error that it raises; see __init__.py.
# A change of an answer is a decision that CHANGELOG.md names: then python -m tests.pins --write makes this file.
{_LAPACK}
"""
WITH_LAPACK = "smoothed_aggregation "  # their last bits depend on the version of SciPy and on the processor

_DIFFERENT_IN_PARTITIONS = "subgraph", "return_info"  # a subgraph is not fetched; rounds are supersteps

Pins = dict[tuple[str, str], str]


def answers(name: str, device: str = "cpu", part: tuple[int, int] = (0, 1)) -> Iterator[tuple[str, str, str]]:
    """Yield the graph, the call, and the pin of its answer for each entry of one list.

    `part` (i, k) selects every k-th call of a graph, from the i-th on.
    """
    for subject in LISTS[name]():
        subject.device = device
        fits = [call for call in CALLS if fitting(call, subject)]
        for call in fits[part[0] :: part[1]]:
            pin = pin_of(call, subject)
            is_unsupported = pin in ("NotImplementedError", "UnsupportedOnCards", "ValueError")  # an option or function
            if device not in ("partitions", "cards") or not is_unsupported:
                yield subject.name, call.name, pin
    if name == "zoo" and device == "cpu":
        for call in WITHOUT_GRAPH:
            yield NO_GRAPH, call.name, pin_of(call, None)


def fitting(call: Call, subject: Subject) -> bool:
    """Return whether a call is made for a graph of this size on its device."""
    supported = subject.device == "cpu" or call.on_gpu
    if subject.device == "partitions":
        supported &= not any(word in call.name for word in _DIFFERENT_IN_PARTITIONS)
    return supported and call.least <= subject.entries <= call.limit


def pin_of(call: Call, subject: Subject | None) -> str:
    try:
        return checksum(call.answer(subject))
    except (ValueError, ArithmeticError, NotImplementedError) as error:  # a graph that the call rejects
        return type(error).__name__


def computed(name: str, device: str = "cpu", part: tuple[int, int] = (0, 1), until: float = math.inf) -> Pins:
    """Compute a list; return the part that is complete when the clock (`time.monotonic`) reaches `until`."""
    pins: Pins = {}
    for graph, call, pin in answers(name, device, part):
        if time.monotonic() > until:
            print(f"{name}: the time is over, at {graph}: {call}")
            break
        assert (graph, call) not in pins, f"two calls are named {call!r}"
        pins[graph, call] = pin
    return pins


def _file(name: str) -> Path:
    return FOLDER / f"{name}.tsv"


def kept(name: str) -> Pins:
    """Read a list from its file."""
    lines = _file(name).read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    return {(graph, call): pin for graph, call, pin in fields}


def keep(name: str, pins: Pins) -> None:
    """Write a list to its file, sorted."""
    lines = [f"{graph}\t{call}\t{pin}\n" for (graph, call), pin in sorted(pins.items())]
    _file(name).write_text(HEADING + "".join(lines), encoding="utf-8")


def differences(name: str, result: Pins, *, partly: bool = False) -> list[str]:
    """Return a line for each answer that differs or is on one side only; with `partly`, missing ones are ignored."""
    expected, lines = kept(name), []
    if partly:
        expected = {key: pin for key, pin in expected.items() if key in result}
    same_bits = _LAPACK in _file(name).read_text(encoding="utf-8").splitlines()
    for graph, call in sorted(expected.keys() | result.keys()):
        before, now = expected.get((graph, call), "missing"), result.get((graph, call), "missing")
        if before != now and (same_bits or "missing" in (before, now) or not call.startswith(WITH_LAPACK)):
            lines.append(f"{graph}: {call}: was {before}, is {now}")
    return lines
