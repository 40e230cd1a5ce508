"""Modularity and the Potts objective on several GPUs; see quality.py for the rule.

Idea: all sums are integers, so those over the rows of each card are added.

Cost: that of quality.py for the entries of a card. Work memory on each card: 20 bytes per vertex, and with weights
the copies of them that quality.py makes.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..._core.csr.merge import merged_rows
from ..._core.runtime.cuda.cards import finish, moved
from ...conversion import in_order
from ...forest.cuda.spread_forest import checked_orders
from ...forest.weights import check_type
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..quality import Score, Sums, digits, largest_of, score_of, shift_for, shifted, with_fixed_weights


def exact_score(graph: SpreadGraph, labels: Any, objective: str) -> Score:
    """Return the integers of an objective."""
    xp, like, shift = graph.xp, graph.parts[0].weights, 0
    if like is None and graph.has_duplicates:
        graph = cast(SpreadGraph, in_order(graph))
    entries = graph.num_entries
    finish()  # before other cards copy the labels

    def values_on(k: int, part: Graph, *_: int) -> Any:
        if like is None:
            return part.indices[:0].astype("int64")
        if objective == "modularity":
            return part.weights
        own = moved(labels, xp)
        return xp.where(own[part._rows()] == own[part.indices], part.weights, like.dtype.type(0))

    values = graph._on_each_card(values_on)
    if like is not None:
        _check_weights(graph)
        shift = shift_for(like, entries, max(graph._on_each_card(lambda k, *_: largest_of(values[k]))))

    def sums_on(k: int, part: Graph, *_: int) -> list[Sums]:
        weights = values[k] if like is None else shifted(values[k], shift)
        return digits(part, moved(labels, xp), values[k], weights, shift, entries)

    def sums_of_cards(digit: tuple[Sums, ...]) -> Sums:
        masses = sum(moved(masses, xp) for *_, masses in digit)
        return sum(links for links, *_ in digit), sum(inside for _, inside, _ in digit), masses

    sums = graph._on_each_card(sums_on)
    return score_of([sums_of_cards(digit) for digit in zip(*sums, strict=True)], graph, labels, objective, shift)


def _check_weights(graph: SpreadGraph) -> None:
    """Raise an error for weights that are not finite, negative, or not equal in both directions."""
    check_type(graph.parts[0].weights.dtype)
    if not all(graph._on_each_card(lambda k, part, *_: bool(((part.weights >= 0) & (part.weights < np.inf)).all()))):
        with_fixed_weights(graph.to("cpu"))  # raises an error with the first wrong weight
    fixed = graph
    if graph.has_duplicates:
        largest = max(graph._on_each_card(lambda k, part, *_: largest_of(part.weights)))
        shift = shift_for(graph.parts[0].weights, graph.num_entries, largest)
        fixed = graph._rebuilt(
            lambda part: Graph._trusted(*merged_rows(part._replace(weights=shifted(part.weights, shift)), "sum"))
        )
    checked_orders(fixed, False)
