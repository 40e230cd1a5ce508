"""Graphs whose rows are computed independently of each other, in host memory, on a GPU or on several GPUs.

Result: the same graph on every device. On several GPUs each one computes its rows, so no other memory holds the graph.

Cost: two passes over all entries; several GPUs each count the entries of all rows, and then write their own ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime.cuda.cards import PREFIX, card_numbers, choose_cards
from .._core.runtime.device import array_module
from .._core.validation import one_device
from ..conversion import as_graph
from ..graph import Graph
from ..spread_graph import SpreadGraph

# Writes the entries of the rows from `first` to `end` - 1 in ascending order, of row v from position pointers[v] on. If
# there is no space for entries, it writes the length of row v to pointers[v] instead.
WriteRows = Callable[[int, int, Any, Any], None]


class RowRule(NamedTuple):
    """The rows of an undirected graph, as functions of their numbers."""

    n: int
    entries: int  # at most
    on: Callable[[Any], WriteRows]  # receives the array module of the current device

    def pointers(self, xp: Any) -> Any:
        """Return the row pointers of the whole graph on the current device."""
        offsets = index_type(self.entries)
        pointers, lengths = xp.zeros(self.n + 1, offsets), xp.empty(self.n, offsets)
        self.on(xp)(0, self.n, lengths, xp.empty(0, index_type(self.n)))
        xp.cumsum(lengths, out=pointers[1:])
        return pointers

    def indices(self, pointers: Any, xp: Any, first: int = 0, end: int | None = None) -> Any:
        """Return the entries of some rows, or of all, on the current device; they begin at their pointers."""
        last = self.n if end is None else end
        indices = xp.empty(int(pointers[last]), index_type(self.n))
        if indices.size:
            self.on(xp)(first, last, pointers, indices)
        return indices

    def arrays(self, device: str) -> tuple[Any, Any]:
        """Return `indptr` and `indices` of the whole graph on one device."""
        xp = array_module(device)
        pointers = self.pointers(xp)
        return pointers, self.indices(pointers, xp)

    def graph(self, device: str | Sequence[int]) -> Graph:
        """Return the graph on a device as in `Graph.to`."""
        if (known := one_device(device)) is not None:
            return as_graph(self.arrays(known))
        pointer, index = (np.dtype(index_type(largest)).itemsize for largest in (self.entries, self.n))
        cards = choose_cards(card_numbers(device), 2 * (self.n + 1) * pointer, self.entries * index)
        if len(cards) > 1:
            return SpreadGraph._of_rows(cards, self)
        with cards[0]:
            return as_graph(self.arrays(PREFIX))
