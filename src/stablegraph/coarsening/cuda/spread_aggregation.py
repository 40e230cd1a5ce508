"""Aggregation around distance-2 independent sets on several GPUs; see aggregation.py for the rule.

Idea: each card runs the kernels for one GPU on its rows. After the roots have taken their neighbors, cards exchange the
labels and sizes: at most one card has set a label, and all other cards have `FREE`, which is smaller; for roots of
other cards, which have no entries, a card counts a size of 1. So the largest values are the right ones. Each card then
finds the labels of the remaining vertices among its rows. Vertices that may move are sent to all cards, and only the
card with the row of such a vertex finds links.

Cost: that of aggregation.py for the rows of a card; two or three exchanges of all labels and sizes. Work memory on each
card: as for all vertices on one GPU.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core.csr.arrays import on_host
from ..._core.runtime.cuda.cards import finish, joined, moved
from ...independent_set.cuda.spread_two import set_among
from ...independent_set.distance import two
from ...independent_set.greedy.order import Choice
from ...spread_graph import SpreadGraph
from ..aggregation import Answer, second_set
from . import aggregation as one_card


class _SpreadPhases:
    """The phases of all cards."""

    def __init__(self, graph: SpreadGraph) -> None:
        self._graph = graph
        self._cards = graph._on_each_card(lambda k, part, *_: one_card.Phases(part))

    @property
    def labels(self) -> Any:
        """The aggregates of all vertices, on the current GPU."""
        return moved(self._cards[0].labels, self._graph.xp)

    def make_aggregates(self, members: Any, moves: bool = False) -> None:
        """Number the members of a set, and gather their free neighbors."""
        graph, xp, phases = self._graph, self._graph.xp, self._cards
        finish()  # before other cards copy the members
        graph._on_each_card(lambda k, *_: phases[k].make_aggregates(moved(members, xp), moves))
        graph._combine([one.labels for one in phases], xp.maximum)
        graph._combine([one.sizes for one in phases], xp.maximum)
        if moves:
            lengths = graph._on_each_card(lambda k, *_: int(phases[k].movers[-1][0]))
            pieces = [[one.movers[i][:length] for one, length in zip(phases, lengths, strict=True)] for i in range(2)]

            def all_movers(*_: Any) -> tuple[Any, ...]:
                return *(joined(graph.cards, piece, xp) for piece in pieces), xp.full(1, sum(lengths), "int64")

            for one, movers in zip(phases, graph._on_each_card(all_movers), strict=True):
                one.movers = movers

    def drop_small(self, members: Any) -> Any:
        """Return the members whose aggregates would not be too small."""
        finish()
        masks = self._graph._on_each_card(lambda k, *_: self._cards[k].drop_small(moved(members, self._graph.xp)))
        return self._graph._joined_rows(masks)

    def join_first(self) -> None:
        """Let the free vertices join the aggregate of their first neighbor."""
        self._graph._on_each_card(lambda k, *_: self._cards[k].join_first())

    def join_most_linked(self, moves: bool) -> None:
        """Let the free vertices join the aggregate with most of their neighbors; other vertices move."""
        self._graph._on_each_card(lambda k, *_: self._cards[k].join_most_linked(moves))

    def answer(self) -> Answer:
        """Return the answer on the current GPU."""
        graph, numbers = self._graph, []

        def roots_on_first(part: Any) -> list[Any]:
            count, _, roots = self._cards[0].answer()
            numbers.append(count)
            return list(roots)

        roots = graph._computed_by(0, roots_on_first)
        return numbers[0], graph._joined_rows([one.after for one in self._cards]), roots


def _second_set(find: one_card.FindSet, graph: SpreadGraph, free: Any, induced: bool, priority: Choice) -> Any:
    """Return the mask of the set of phase 2 as `second_set` does; for numbers it is found in host memory."""
    if isinstance(priority, str) or not induced:
        return find(graph, free, induced=induced, priority=priority)
    host = second_set(two.set_among, graph.to("cpu"), on_host(free), induced, priority)
    return graph.xp.asarray(host)


around_one_set = partial(one_card.around_one_set, phases_of=_SpreadPhases, find=set_among)
around_two_sets = partial(one_card.around_two_sets, phases_of=_SpreadPhases, find=set_among, find_second=_second_set)
