"""Judges: each new answer is checked by the public verifier, and the quality of the answer is returned."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import stablegraph as sg

from .study import Judge, WrongResult


def judge_by(
    verify: Callable[[Any], str | None], contents: Callable[[Any], bytes], quality: Callable[[Any], dict[str, Any]]
) -> Judge:
    """Return a judge: `verify` returns the error in an answer or None, once for all answers with equal `contents`."""
    accepted: set[int] = set()

    def judge(answer: Any) -> dict[str, Any]:
        checksum = zlib.crc32(contents(answer))
        if checksum not in accepted:
            if wrong := verify(answer):
                raise WrongResult(wrong)
            accepted.add(checksum)
        return {**quality(answer), "crc32": f"{checksum:08x}"}

    return judge


def judge_of_sets(graph: sg.Graph, distance: int = 1) -> Judge:
    """Return a judge of maximal sets, given as masks; the size is the quality."""
    return judge_by(
        lambda mask: sg.explain(sg.is_maximal_independent_set, graph, np.asarray(mask, dtype=bool), distance),
        lambda mask: np.packbits(np.asarray(mask, dtype=bool)).tobytes(),
        lambda mask: {"size": int(np.asarray(mask, dtype=bool).sum())},
    )


def judge_of_colors(graph: sg.Graph) -> Judge:
    """Return a judge of colorings; the number of colors is the quality."""
    return judge_by(
        lambda colors: sg.explain(sg.is_proper_coloring, graph, np.asarray(colors)),
        lambda colors: np.ascontiguousarray(colors, np.int32).tobytes(),
        lambda colors: {"colors": int(np.unique(np.asarray(colors)).size)},
    )


def judge_of_labels(
    graph: sg.Graph, verifier: Callable[..., bool], called: str = "components", dtype: Any = None
) -> Judge:
    """Return a judge of (count, labels); the count is the quality, and `dtype` that of labels for the checksum."""
    return judge_by(
        lambda answer: sg.explain(verifier, graph, np.asarray(answer[1])),
        lambda answer: np.ascontiguousarray(answer[1], dtype).tobytes(),
        lambda answer: {called: int(answer[0])},
    )


def judge_of_trees(graph: sg.Graph, source: int) -> Judge:
    """Return a judge of (distance, parent); the number of levels is the quality."""

    def judge(answer: Any) -> dict[str, Any]:
        if wrong := sg.explain(sg.is_bfs_tree, graph, source, *answer, smallest=True):
            raise WrongResult(wrong)
        return {"levels": int(answer[0].max()), "crc32": f"{zlib.crc32(answer[1].tobytes()):08x}"}

    return judge


def judge_of_forests(graph: sg.Graph) -> Judge:
    """Return a judge of spanning forests, given as matrices; the total weight is the quality."""
    return judge_by(
        lambda forest: sg.explain(sg.is_minimum_spanning_forest, graph, forest),
        lambda forest: forest.indptr.tobytes() + forest.indices.tobytes() + forest.data.tobytes(),
        lambda forest: {"edges": int(forest.nnz), "weight": sg.total_weight(forest)},
    )


def residual_of(A: Any, x: Any, b: Any) -> float:
    """Return the norm of a solution's residual relative to the right-hand side."""
    return float(np.linalg.norm(b - A @ x) / np.linalg.norm(b))
