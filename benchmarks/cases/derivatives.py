"""Colorings for Jacobians and Hessians: times and numbers of colors, and times of the recovery from products.

The matrix has the pattern of the graph and a full diagonal. "columns" is the coloring that ignores symmetry, a
distance-2 coloring of the graph. "jax": the Hessian of the sum of (x_u - x_v)**4 over the edges and of cos(x_u), with
sparsejac, asdex and jax.hessian; "setup" is the coloring and the first call with its compilation, "call" a further call
under `jit`. All get the pattern. `jax.hessian` needs n**2 numbers, so it is measured on small graphs only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

from ..graphs import rows_of, six_graphs
from ..machine import installed_version
from ..peers import module
from ..study import Case, Graphs, Options, Part, Study

_MAX_PRODUCTS = 2 * 10**8  # elements
_MAX_DENSE = 5_000  # vertices


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


def energy(graph: sg.Graph) -> Any:
    """Return the function of JAX."""
    import jax.numpy as jnp

    rows = rows_of(graph)
    once = rows < graph.indices
    u, v = jnp.array(rows[once]), jnp.array(graph.indices[once])
    return lambda x: ((x[u] - x[v]) ** 4).sum() + jnp.cos(x).sum()


def hessians(graph: sg.Graph) -> dict[str, Any]:
    """Return functions that set up a Hessian under `jit`."""
    import jax
    import jax.numpy as jnp
    from jax.experimental.sparse import BCOO

    f = energy(graph)
    pattern = sp.csr_array(graph.to_scipy() + sp.eye_array(graph.num_vertices, format="csr"))
    makes: dict[str, Any] = {"stablegraph": lambda: sg.sparse_hessian(f, pattern)}
    if asdex := module("asdex"):
        coo = sp.coo_array(pattern)
        rows, columns = (ends.astype(np.int32) for ends in coo.coords)

        def by_asdex() -> Any:
            known = asdex.SparsityPattern.from_coo(rows, columns, pattern.shape)
            return asdex.hessian_from_coloring(f, asdex.hessian_coloring_from_sparsity(known))

        makes["asdex"] = by_asdex
    if sparsejac := module("sparsejac"):
        ones = sp.coo_array(pattern)
        known = BCOO((jnp.ones(ones.nnz), jnp.stack(ones.coords, axis=1)), shape=pattern.shape)
        makes["sparsejac"] = lambda: sparsejac.jacfwd(jax.grad(f), known)
    if graph.num_vertices <= _MAX_DENSE:
        makes["jax.hessian"] = lambda: jax.hessian(f)
    return makes


def hessian_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the setup and the further calls of each library; the quality is the sum of the entries."""
    import jax
    import jax.numpy as jnp

    x = jnp.linspace(-1.0, 1.0, graph.num_vertices)

    def judge(H: Any) -> dict[str, Any]:
        values = np.asarray(H.data if hasattr(H, "indices") else H, float)
        return {"norm": float(np.linalg.norm(values))}

    for library, make in hessians(graph).items():
        kept: list[Any] = []

        def setup(_: Any, make: Any = make, kept: list[Any] = kept) -> Any:
            kept[:] = [jax.jit(make())]
            return jax.block_until_ready(kept[0](x))

        def call(_: Any, kept: list[Any] = kept) -> Any:
            return jax.block_until_ready(kept[0](x))

        yield Case("Hessian", f"{library}, setup", setup, judge, max(options.threads), warm=True)
        yield Case("Hessian", f"{library}, call", call, judge, max(options.threads))


def hessian_graphs(options: Options) -> Graphs:
    """Yield a small grid, and with 10^5 unknowns a grid and a triangulation; none without JAX."""
    if not installed_version("jax"):
        return
    yield "grid 64 x 64", lambda: gallery.grid((64, 64))
    if not options.quick:
        yield "grid 316 x 316", lambda: gallery.grid((316, 316))
        yield "Delaunay 10^5", lambda: gallery.delaunay(100_000, seed=0)


PARTS = (Part("six", six_graphs, cases), Part("jax", hessian_graphs, hessian_cases))
STUDY = Study(__name__, PARTS, peers=("jax", "asdex", "sparsejac"), longest=10.0, fewest=1)
