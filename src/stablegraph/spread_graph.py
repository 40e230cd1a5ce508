"""SpreadGraph: a graph whose rows are split over several GPUs, and `Graph.to` for their names.

Result: a Graph without arrays of its own: part k, on card k, has the rows `bounds[k]` to `bounds[k + 1]`, and its other
rows are empty (_core/csr/spread.py). Functions that do not support it raise `UnsupportedOnCards`, which they meet when
they read an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np

from ._core.csr.arrays import ARRAYS, on_host
from ._core.csr.facts import Scan, total_scan
from ._core.csr.spread import joined_rows, pointers_on_card, row_bounds, rows_on_card
from ._core.runtime.arrays import differences
from ._core.runtime.cuda.cards import PREFIX, Card, card_numbers, choose_cards, copy, finish, joined, moved, wait
from ._core.runtime.device import array_module, current_gpu, is_emulated, wait_for
from ._core.unknown_options import UnsupportedOnCards
from .graph import Graph


class SpreadGraph(Graph):
    """A graph whose rows are split over several GPUs: part k has rows `bounds[k]` to `bounds[k + 1]`, on card k."""

    __slots__ = ("_pointers", "bounds", "cards", "parts")
    bounds: list[int]
    cards: list[Card]
    parts: list[Graph]
    _pointers: list[Any] | None

    @classmethod
    def _split(cls, graph: Graph, cards: list[Card]) -> SpreadGraph:
        """Split the rows of a graph on one device over cards."""
        scan, parts, xp = graph._scanned(), [], array_module(_name_of(cards))
        bounds = row_bounds(graph.indptr, graph.num_entries, len(cards), graph.xp)
        entries = graph.indptr[bounds].tolist()
        for card, ends, own in zip(cards, pairwise(bounds), pairwise(entries), strict=True):
            with card:
                parts.append(Graph._trusted(*rows_on_card(graph, ends, own, xp), directed=True))
        wait(cards)
        return cls._joined(
            cards, bounds, parts, directed=graph.directed, nodes=graph.nodes, facts=graph._facts, scan=scan
        )

    @classmethod
    def _of_rows(cls, cards: list[Card], rule: Any) -> SpreadGraph:
        """Compute the rows of an undirected graph on cards, by a rule of gallery/rows.py."""
        xp, pointers, parts, scans = array_module(_name_of(cards)), [], [], []
        for card in cards:
            with card:
                pointers.append(rule.pointers(xp))
        with cards[0]:
            bounds = row_bounds(pointers[0], int(pointers[0][-1]), len(cards), xp)
            entries = pointers[0][bounds].tolist()
        for k, (ends, own) in enumerate(zip(pairwise(bounds), pairwise(entries), strict=True)):
            with cards[k]:
                indptr = pointers_on_card(pointers[k], ends, own, xp)
                pointers[k] = None
                parts.append(Graph._trusted(indptr, rule.indices(indptr, xp, *ends), directed=True))
        for card, part in zip(cards, parts, strict=True):
            with card:
                scans.append(part._scanned())
        return cls._joined(cards, bounds, parts, directed=False, nodes=None, facts={}, scan=total_scan(scans))

    @classmethod
    def _joined(
        cls, cards: list[Card], bounds: list[int], parts: list[Graph], *, facts: Any, scan: Scan, **contents: Any
    ) -> SpreadGraph:
        """Return the graph of parts that are on cards."""
        result, device = object.__new__(cls), _name_of(cards)
        contents |= {"device": device, "xp": array_module(device), "_scan": scan, "_facts": dict(facts)}
        contents |= {"num_vertices": bounds[-1], "num_entries": sum(part.num_entries for part in parts)}
        contents |= {"bounds": bounds, "cards": cards, "parts": parts}
        for name, value in (
            contents | dict.fromkeys(("_degrees", "_known_transpose", "_numbers", "_pointers"))
        ).items():
            result._keep(name, value)
        return result

    def __getattr__(self, name: str) -> Any:
        if name in ARRAYS:
            raise UnsupportedOnCards
        raise AttributeError(f"a Graph has no attribute {name!r}")

    def _moved(self, device: str) -> Graph:
        xp, fetch = (np, on_host) if device == "cpu" else (self.xp, partial(moved, xp=self.xp))
        arrays = joined_rows(self.parts, self.bounds, xp, fetch)
        finish()
        return Graph._trusted(*arrays, directed=self.directed, nodes=self.nodes, facts=self._facts, scan=self._scan)

    def _no_vertices(self) -> Any:
        return self.xp.empty(0, self.parts[0].indices.dtype)

    def _rebuilt(self, rebuild: Callable[[Graph], Graph]) -> SpreadGraph:
        """Return the graph whose parts a function makes from the rows of this graph's parts, on the same cards."""

        def rebuilt(k: int, part: Graph, *_: int) -> Graph:
            result = rebuild(part._replace(nodes=self.nodes))._with_dtypes(part.indptr.dtype, part.indices.dtype)
            return result._replace(directed=True, nodes=None)

        parts = self._on_each_card(rebuilt)
        scan = total_scan(self._on_each_card(lambda k, *_: parts[k]._scanned()))
        contents = {"directed": self.directed, "nodes": self.nodes}
        return self._joined(self.cards, self.bounds, parts, facts={}, scan=scan, **contents)

    def simple(self) -> Graph:
        """Return the same vertices and edges without loops, repeated entries and weights, on the same GPUs."""
        if self.has_loops or self.has_duplicates:
            return self._with_sorted_rows(drop_loops=True)
        return self if self.parts[0].weights is None else self._rebuilt(Graph.simple)

    def _with_sorted_rows(self, *, drop_loops: bool = False) -> Graph:
        return self._rebuilt(lambda part: part._with_sorted_rows(drop_loops=drop_loops))

    def _on_each_card(self, function: Callable[..., Any]) -> list[Any]:
        """Call a function with the number, the part and the ends of the rows of each card, as the current device."""
        results = []
        for k, (card, part, ends) in enumerate(zip(self.cards, self.parts, pairwise(self.bounds), strict=True)):
            with card:
                results.append(function(k, part, *ends))
        return results

    def _all_cards(self, check: Callable[..., Any], *masks: Any) -> bool:
        """Return whether a check is true on each card: of its part, the range of its rows, and masks or None."""
        finish()  # before other cards copy the masks

        def checked(_: int, part: Graph, *ends: int) -> Any:
            copies = [None if mask is None else moved(mask, self.xp) for mask in masks]
            return check(part, slice(*ends), *copies).reshape(1)

        return bool(joined(self.cards, self._on_each_card(checked), self.xp).all())

    def _joined_rows(self, arrays: Sequence[Any]) -> Any:
        """Return on the current device an array of n elements: each card's own rows of its array of n elements."""
        own = [array[first:end] for array, (first, end) in zip(arrays, pairwise(self.bounds), strict=True)]
        return joined(self.cards, own, self.xp)

    def _reduce_rows(self, arrays: Sequence[Any], combine: Callable[..., Any]) -> None:
        """Combine arrays of n elements, one on each card, element by element into each card's own rows."""
        wait(self.cards)

        def reduce_own(k: int, part: Graph, *ends: int) -> None:
            own = arrays[k][slice(*ends)]
            for other in [*arrays[:k], *arrays[k + 1 :]]:
                combine(own, moved(other[slice(*ends)], self.xp), out=own)

        self._on_each_card(reduce_own)

    def _combine(self, arrays: Sequence[Any], combine: Callable[..., Any]) -> None:
        """Combine arrays of n elements, one on each card, element by element; all of them get the result."""
        self._reduce_rows(arrays, combine)
        wait(self.cards)

        def copy_others(k: int, *_: Any) -> None:
            for i, ends in enumerate(pairwise(self.bounds)):
                if i != k:
                    copy(arrays[k][slice(*ends)], arrays[i][slice(*ends)])

        self._on_each_card(copy_others)
        wait(self.cards)

    def _computed_by(self, k: int, function: Callable[..., Sequence[Any]], *arguments: int) -> list[Any]:
        """Return the arrays that a function computes from part k on its card, on the current device."""
        with self.cards[k]:
            arrays = function(self.parts[k], *arguments)
            finish()
        results = [moved(array, self.xp) for array in arrays]
        finish()  # before the memory on the card is used again
        return results

    def _degree_pointers(self) -> tuple[list[Any], int]:
        """Return on each card the pointers from which kernels compute degrees, and the number to subtract from them."""
        offset = self._simple_degree_offset()
        if self._pointers is None:

            def own_degrees(k: int, part: Graph, *ends: int) -> Any:
                return (part.degrees if offset is None else differences(part.indptr))[slice(*ends)]

            own = self._on_each_card(own_degrees)

            def pointers_on(k: int, part: Graph, *ends: int) -> Any:
                pointers = self.xp.zeros(part.indptr.size, part.indptr.dtype)
                self.xp.cumsum(joined(self.cards, own, self.xp), out=pointers[1:])
                return pointers

            self._keep("_pointers", self._on_each_card(pointers_on))
            wait(self.cards)
            if offset is None:
                self._remember(duplicates=sum(part.facts["duplicates"] for part in self.parts))
        return cast("list[Any]", self._pointers), offset or 0

    @property
    def degrees(self) -> Any:
        """The number of distinct neighbors of every vertex, as for a graph on one GPU, on the current GPU."""
        if self._degrees is None:
            pointers, offset = self._degree_pointers()
            self._keep("_degrees", differences(moved(pointers[0], self.xp), offset))
        return self._degrees

    def __eq__(self, other: object) -> bool:
        return self.to("cpu") == (other.to("cpu") if isinstance(other, SpreadGraph) else other)

    __hash__ = Graph.__hash__


def _name_of(cards: list[Card]) -> str:
    """Return the name of a device that consists of cards."""
    return PREFIX + ",".join(str(card.number) for card in cards)


def on_cards(graph: Graph, device: str | Sequence[int]) -> Graph:
    """Return a graph on some of the named GPUs: as many as its memory needs."""
    numbers = card_numbers(device)
    if isinstance(graph, SpreadGraph):
        if numbers[: len(graph.cards)] == [card.number for card in graph.cards]:
            return graph
        graph = graph.to("cpu")
    entry = sum(array.dtype.itemsize for array in (graph.indices, graph.weights) if array is not None)
    shared, divided = graph.indptr.nbytes, graph.num_entries * entry
    is_there = not is_emulated() and graph.device == "cuda" and graph.indices.device.id == Card(numbers[0]).place
    cards = choose_cards(numbers, shared, divided, is_there * (shared + divided))
    wait_for(graph.device)
    if len(cards) > 1:
        return SpreadGraph._split(graph, cards)
    with cards[0]:
        if is_emulated() or (graph.device == "cuda" and graph.indices.device.id == current_gpu()):
            return graph
        move = partial(moved, xp=array_module("cuda"))
        arrays = {name: None if (a := getattr(graph, name)) is None else move(a) for name in ARRAYS}
        finish()
        return graph._replace(**arrays)
