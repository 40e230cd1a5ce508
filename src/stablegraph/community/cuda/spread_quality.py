"""Modularity on several GPUs: sums of integers over the rows of each card; see quality.py for the rule.

Cost: that of quality.py for the entries of a card. Work memory on each card: 8 bytes per entry for weights, and 20
bytes per vertex.
"""

from __future__ import annotations

from typing import Any

from ..._core.runtime.cuda.cards import finish, moved
from ..._core.unknown_options import UnsupportedOnCards
from ..._core.validation import ON_CARDS
from ...forest.cuda.spread_forest import checked_orders
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..quality import Score, Sums, digits, largest_of, score_of, shift_for, shifted, with_fixed_weights


def exact_score(graph: SpreadGraph, labels: Any, objective: str) -> Score:
    """Return the integers of the modularity."""
    if objective != "modularity":
        raise UnsupportedOnCards
    if graph.has_duplicates:
        raise ValueError(f"repeated entries are not supported{ON_CARDS}")
    xp, like, entries, shift = graph.xp, graph.parts[0].weights, graph.num_entries, 0
    if like is not None:
        checked_orders(graph, False)
        extremes = graph._on_each_card(lambda k, part, *_: (largest_of(part.weights), bool((part.weights < 0).any())))
        if any(negative for _, negative in extremes) or max(largest for largest, _ in extremes) == float("inf"):
            with_fixed_weights(graph.to("cpu"))  # raises an error with the first wrong weight
        shift = shift_for(like, entries, max(largest for largest, _ in extremes))
    finish()  # before other cards copy the labels

    def sums_on(k: int, part: Graph, *_: int) -> list[Sums]:
        values = part.indices[:0].astype("int64") if like is None else part.weights
        weights = values if like is None else shifted(values, shift)
        return digits(part, moved(labels, xp), values, weights, shift, entries)

    def sums_of_cards(digit: tuple[Sums, ...]) -> Sums:
        masses = sum(moved(masses, xp) for *_, masses in digit)
        return sum(links for links, *_ in digit), sum(inside for _, inside, _ in digit), masses

    sums = graph._on_each_card(sums_on)
    return score_of([sums_of_cards(digit) for digit in zip(*sums, strict=True)], graph, labels, objective, shift)
