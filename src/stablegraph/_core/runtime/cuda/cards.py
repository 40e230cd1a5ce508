"""The GPUs (cards) that hold the parts of one graph: their numbers, their memory, and copies between them.

One Python thread launches the work of all cards, because a launch takes microseconds and returns at once. Work of a
card is in the order of the thread's current stream on it. Cards are synchronized by the host: `wait` returns when the
work of all cards has finished, and only then one card reads memory that another one wrote.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...texts import short_repr
from .. import device
from .source import Report

ROOM = 2  # times the memory of a graph should be free on its cards: calls need the rest
PREFIX = "cuda:"


_entered = threading.local()  # `before`: the devices that were current before a Python thread entered cards


class Card:
    """A GPU by the number that the user gave; in a with statement it is the current device."""

    def __init__(self, number: int) -> None:
        self.number, self.report = number, Report()
        self.place = -1 if device.is_emulated() else number % _gpu_count()

    def __enter__(self) -> None:
        if self.place >= 0:
            runtime = device.cupy_module().cuda.runtime
            vars(_entered).setdefault("before", []).append(runtime.getDevice())
            runtime.setDevice(self.place)

    def __exit__(self, *_: object) -> None:
        if self.place >= 0:
            device.cupy_module().cuda.runtime.setDevice(_entered.before.pop())


def _gpu_count() -> int:
    return int(device.gpu_module().cuda.runtime.getDeviceCount())


def _known_gpus() -> int:
    """Return how many GPUs may be named."""
    if device.forced.cards is not None:
        return int(device.forced.cards)
    return 1 if device.is_emulated() else _gpu_count()


def card_numbers(wanted: str | Sequence[int]) -> list[int]:
    """Return the numbers of the GPUs that "cuda:0,1", "cuda:all" or a sequence of numbers names."""
    listed: Sequence[Any] = wanted
    if isinstance(wanted, str):
        text = wanted.removeprefix(PREFIX)
        listed = range(_known_gpus()) if text == "all" else [int(x) if x.isdecimal() else x for x in text.split(",")]
    for number in listed:
        if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer):
            raise ValueError(
                f'device must name GPUs by number, like "cuda:0,1", or be "cuda:all"; got {short_repr(wanted)}'
            )
    if len(set(listed)) < len(listed) or not listed:
        raise ValueError(f"device must name one or more different GPUs, got {short_repr(wanted)}")
    count = _known_gpus()
    for number in listed:
        if not 0 <= number < count:
            known = "GPU 0" if count == 1 else f"GPUs 0 to {count - 1}"
            raise ValueError(
                f"device names GPU {short_repr(int(number))}, but this machine has {known if count else 'no GPU'}"
            )
    return list(map(int, listed))


def choose_cards(numbers: Sequence[int], shared: int, divided: int, present: int = 0) -> list[Card]:
    """Return the cards that hold a graph: the first of the given ones, as few as have room for it and for calls.

    Each card needs `shared` bytes, and all cards together `divided` bytes; `present` are already on the first one. If
    no number of cards has that room, as many as can hold the graph. More cards would make most calls slower.
    """
    cards = [Card(number) for number in numbers]
    if device.forced.cards is not None:
        return cards
    free = [free_bytes(card) for card in cards]
    free[0] += present

    def holding(times: int) -> list[int]:
        return [u for u in range(1, len(cards) + 1) if min(free[:u]) * u >= times * (shared * u + divided)]

    if used := holding(ROOM)[:1] or holding(1)[-1:]:
        return cards[: used[0]]
    least = min(free)
    wanted = f"{-int(-divided // (least - shared))} such GPUs suffice" if least > shared else "use graphs in partitions"
    raise MemoryError(
        f"the graph needs {(shared + divided / len(cards)) / 1e9:.3g} GB on each of {len(cards)} GPUs, but GPU "
        f"{cards[free.index(least)].number} has {least / 1e9:.3g} GB free; {wanted}"
    )


def free_bytes(card: Card) -> float:
    """Return the bytes that an allocation on a card may take."""
    if device.is_emulated():
        return float("inf")
    with card:
        cupy = device.cupy_module()
        return float(cupy.cuda.runtime.memGetInfo()[0] + cupy.get_default_memory_pool().free_bytes())


def wait(cards: Sequence[Card]) -> None:
    """Wait until the work of all cards has finished."""
    for card in cards:
        with card:
            finish()


def copy(target: Any, source: Any) -> None:
    """Copy an array of another card into an array of the current card; both have the same number of bytes."""
    if device.is_emulated():
        target[...] = source
    elif target.size:
        stream = device.cupy_module().cuda.get_current_stream()
        target.data.copy_from_device_async(source.data, source.nbytes, stream)


def moved(array: Any, xp: Any) -> Any:
    """Return a copy of an array of host memory or another card in the memory of the current card."""
    if isinstance(array, np.ndarray) and not device.is_emulated():
        return xp.asarray(array)
    result = xp.empty(array.shape, array.dtype)
    copy(result, array)
    return result


def joined(cards: Sequence[Card], pieces: Sequence[Any], xp: Any) -> Any:
    """Return on the current device an array that consists of one piece of each card."""
    wait(cards)
    result, place = xp.empty(sum(int(piece.size) for piece in pieces), pieces[0].dtype), 0
    for piece in pieces:
        copy(result[place : place + int(piece.size)], piece)
        place += int(piece.size)
    finish()
    return result


def finish() -> None:
    """Wait until the work of the current device has finished."""
    if not device.is_emulated():
        device.wait_for("cuda")
