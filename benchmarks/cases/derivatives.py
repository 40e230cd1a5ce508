"""Colorings for Jacobians and Hessians: times and numbers of colors, and times of the recovery from products.

The matrix has the pattern of the graph and a full diagonal. "columns" is the coloring that ignores symmetry, a
distance-2 coloring of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg

from ..graphs import six_graphs
from ..study import Case, Options, Part, Study

_MAX_PRODUCTS = 2 * 10**8  # elements


def _judge(pattern: Any, plan: sg.CompressionPlan) -> dict[str, Any]:
    assert sg.is_compression_plan(pattern, plan)
    return {"colors": plan.num_colors}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield colorings of all modes, and the recovery by both methods for symmetric matrices."""
    pattern = sp.csr_array(graph.to_scipy() + sp.eye_array(graph.num_vertices, format="csr"))
    calls: dict[str, Any] = {
        "columns": lambda _: sg.jacobian_coloring(pattern),
        "columns and rows": lambda _: sg.jacobian_coloring(pattern, "both"),
    }
    for mode in ("star", "acyclic"):
        calls[mode] = lambda _, mode=mode: sg.hessian_coloring(pattern, mode)
        for order in ("natural", "largest_first", "smallest_last"):
            calls[f"{mode}, {order}"] = lambda _, mode=mode, order=order: sg.hessian_coloring(
                pattern, mode, order=order
            )
    for title, call in calls.items():
        for count in options.threads:
            yield Case("colors", title, call, lambda plan: _judge(pattern, plan), count)
    for mode in ("star", "acyclic"):
        plan = sg.hessian_coloring(pattern, mode)
        if plan.num_colors * graph.num_vertices > _MAX_PRODUCTS:
            continue
        products = plan.compress(pattern)

        def judge(values: Any) -> dict[str, Any]:
            return {"largest error": float(np.abs(values - pattern.data).max(initial=0))}

        yield Case(
            "recovery", f"recovery, {mode}", lambda _, plan=plan, products=products: plan.values(products), judge, 1
        )


STUDY = Study(__name__, (Part("six", six_graphs, cases),))
