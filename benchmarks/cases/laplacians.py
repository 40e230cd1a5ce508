"""Resistances, spectral embeddings and Fiedler vectors: SciPy, PyAMG, NetworkX and scikit-learn.

Grids, road networks and social networks without weights, of each its largest component. "resistances": 10 random pairs,
exact to about 1e-10; the peers solve the same grounded systems, which are made outside the timer. "embedding": the
first 5 eigenvalues and vectors of L x = lambda D x after the constant one; "Fiedler vector": the first one of L x =
lambda x. All methods have their default tolerances. A table shows the largest relative deviation of a resistance, or of
an eigenvalue (the Rayleigh quotient of the returned vector), from the first method of its row that has a result from a
factorization or from ARPACK. Peers that would take minutes are left out, by the limits in this file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, eigsh, lobpcg, splu

import stablegraph as sg
from stablegraph import gallery
from stablegraph.solvers.elimination_work import elimination_work

from .. import data
from ..graphs import laplacian_of
from ..machine import installed_version
from ..study import SMALL_MARK, Best, Case, Graphs, Options, Part, Study
from ..tables import Line, figures, graphs_in, markdown, with_provenance

PAIRS, COLUMNS = 10, 5
REAL = ("facebook_combined", "luxembourg_osm", "ca-AstroPh")
GRIDS = (30, 200)
MAX_MULTIPLICATIONS, MAX_ENTRIES = 5e10, 50_000_000  # of a factorization
DENSE, SLOW, NETWORKX = 1_000, 100_000, 50_000  # vertices, for pinv, LOBPCG without preconditioner, and NetworkX
SHIFT, RESTARTS = 1e-9, 2000  # of ARPACK
REFERENCES = ("SciPy splu", "scikit-learn arpack", "SciPy eigsh, shifted", "SciPy eigsh")
EXACT = {
    "embedding": "scikit-learn arpack;SciPy*",
    "Fiedler vector": "SciPy*;NetworkX",
}  # the other results may be far off
Call = Callable[[], Any]


def may_factor(A: Any) -> bool:
    """Return whether a factorization takes less than about a minute."""
    return bool(elimination_work(A, MAX_MULTIPLICATIONS, MAX_ENTRIES)[0] < np.inf)


def factored(A: Any) -> Any:
    """Return SciPy's factors with the options for symmetric matrices."""
    options = {"SymmetricMode": True}
    return splu(sp.csc_array(A), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def resistances(graph: sg.Graph) -> Iterator[tuple[str, Call]]:
    """Yield the methods for effective resistances."""
    n = graph.num_vertices
    pairs = np.random.default_rng(0).integers(0, n, (PAIRS, 2))
    yield "stablegraph", lambda: sg.effective_resistance(graph, pairs)
    L = laplacian_of(graph, 0.0)
    ground = int(np.diff(graph.indptr).argmax())
    kept = np.arange(n) != ground
    A = sp.csr_array(L[kept][:, kept])

    def by_solutions(solve: Callable[[Any], Any]) -> Any:
        result = []
        for u, v in pairs:
            b = np.zeros(n)
            b[u] += 1
            b[v] -= 1
            result.append(solve(b[kept]) @ b[kept])
        return np.array(result)

    if may_factor(A):
        yield "SciPy splu", lambda: by_solutions(factored(A).solve)
    if installed_version("pyamg"):
        from pyamg import smoothed_aggregation_solver

        def by_pyamg() -> Any:
            hierarchy = smoothed_aggregation_solver(sp.csr_array(A))
            return by_solutions(lambda b: hierarchy.solve(b, tol=1e-10, accel="cg", maxiter=500))

        yield "PyAMG", by_pyamg
    if installed_version("networkx") and n <= DENSE:
        import networkx

        nodes = graph.to_networkx()
        yield "NetworkX", lambda: np.array([networkx.resistance_distance(nodes, u, v) for u, v in pairs.tolist()])


def embeddings(graph: sg.Graph) -> Iterator[tuple[str, Call]]:
    """Yield the methods for spectral embeddings; a result is a block of vectors."""
    n = graph.num_vertices
    yield "stablegraph", lambda: sg.spectral_embedding(graph, COLUMNS)[1]
    L = laplacian_of(graph, 0.0)
    root = np.sqrt(L.diagonal())
    scale = sp.diags_array(1 / root)
    normal = sp.csr_array(scale @ L @ scale)
    if may_factor(L):
        names = ["arpack", "amg", "lobpcg"]
    else:
        names = ["amg", "lobpcg"]

        def by_scipy() -> Any:
            _, vectors = eigsh(2 * sp.eye_array(n) - normal, COLUMNS + 1, which="LA", v0=np.cos(np.arange(n)))
            return (vectors / root[:, None])[:, :-1]

        yield "SciPy eigsh", by_scipy
    if not installed_version("scikit-learn"):
        return
    from sklearn.manifold import spectral_embedding

    W = sp.csr_array(sp.diags_array(L.diagonal()) - L)
    W.eliminate_zeros()
    for name in names:
        if name != "lobpcg" or n <= SLOW:
            call = partial(spectral_embedding, W, n_components=COLUMNS, eigen_solver=name, random_state=0)
            yield f"scikit-learn {name}", call


def fiedler_vectors(graph: sg.Graph) -> Iterator[tuple[str, Call]]:
    """Yield the methods for Fiedler vectors; a result is one vector."""
    n = graph.num_vertices
    yield "stablegraph", lambda: sg.fiedler_vector(graph)[1]
    shifted = laplacian_of(graph, SHIFT)
    start = np.cos(np.arange(n) ** 2 / 7.0)

    if may_factor(shifted):

        def by_arpack() -> Any:
            factors = factored(shifted)
            inverse = sp.linalg.LinearOperator((n, n), factors.solve, dtype=float)
            values, vectors = eigsh(shifted, 2, sigma=0, OPinv=inverse, v0=start)
            return vectors[:, values.argmax()]

        yield "SciPy eigsh, shifted", by_arpack
    else:

        def without_inverse() -> Any:
            largest = 2.0 * shifted.diagonal().max()
            try:
                return eigsh(largest * sp.eye_array(n) - shifted, 2, which="LA", v0=start, maxiter=RESTARTS)[1][:, 0]
            except ArpackNoConvergence:
                return np.full(n, np.nan)

        yield "SciPy eigsh", without_inverse
    if installed_version("pyamg"):
        from pyamg import smoothed_aggregation_solver

        def by_pyamg() -> Any:
            M = smoothed_aggregation_solver(sp.csr_array(laplacian_of(graph, 1e-5))).aspreconditioner()
            block = np.random.default_rng(0).standard_normal((n, 3))
            values, vectors = lobpcg(shifted, block, M=M, Y=np.ones((n, 1)), largest=False, maxiter=100)
            return vectors[:, values.argmin()]

        yield "PyAMG, SciPy lobpcg", by_pyamg
    if installed_version("networkx") and n <= NETWORKX and may_factor(shifted):
        import networkx

        nodes = graph.to_networkx()
        yield "NetworkX", lambda: networkx.fiedler_vector(nodes, method="tracemin_lu", seed=0)


PROBLEMS: dict[str, Callable[[sg.Graph], Iterator[tuple[str, Call]]]] = {
    "resistances": resistances,
    "embedding": embeddings,
    "Fiedler vector": fiedler_vectors,
}


def judged(problem: str, graph: sg.Graph, result: Any) -> dict[str, Any]:
    """Return the resistances, or the Rayleigh quotients of vectors."""
    values = np.asarray(result, float)
    if problem != "resistances":
        L = laplacian_of(graph, 0.0)
        X = values.reshape(graph.num_vertices, -1)
        X = X - (X.T @ L.diagonal() / L.diagonal().sum() if problem == "embedding" else X.mean(axis=0))
        B = L.diagonal() if problem == "embedding" else np.ones(graph.num_vertices)
        values = np.sort(np.einsum("ij,ij->j", X, L @ X) / np.einsum("ij,i,ij->j", X, B, X))
    return {"values": values.tolist()}


def quietly(call: Call, _: Any) -> Any:
    """Run a method without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def cases(problem: str, _: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all methods for one problem."""
    for name, call in PROBLEMS[problem](graph):
        run, judge = partial(quietly, call), partial(judged, problem, graph)
        warm = graph.num_vertices > DENSE or name == "NetworkX"  # the small graphs have run the same code
        yield Case(problem, name, run, judge, max(options.threads), warm=warm)


def simple(graph: sg.Graph) -> sg.Graph:
    """Return the largest component without loops and weights."""
    W = sp.csr_array(graph.to_scipy(), dtype=float)
    W.setdiag(0.0)
    W.eliminate_zeros()
    return sg.largest_component(sg.as_graph(W, weights=False))[0]


def graphs(options: Options) -> Graphs:
    """Yield grids and real graphs; a small grid with --quick."""
    for side in GRIDS[: 1 if options.quick else None]:
        mark = SMALL_MARK if options.quick else ""
        yield f"grid {side} x {side}{mark}", lambda side=side: gallery.grid((side, side))
    known = {} if options.quick else data.files()
    for name in REAL:
        if name in known:
            yield name, lambda name=name: simple(data.undirected(known[name][0]))


def tables(lines: list[Line]) -> str:
    """Show one table per problem: a row per graph, a column per method."""
    parts = []
    for problem in PROBLEMS:
        chosen = [line for line in lines if line["problem"] == problem]
        shown = {(graph, name): figure for (name, _, graph), figure in figures(chosen).items()}
        methods = dict.fromkeys(name for _, name in shown)
        rows = []
        for graph, n in graphs_in(chosen).items():
            known = [shown[graph, name].quality["values"] for name in REFERENCES if (graph, name) in shown]
            exact = next((values for values in known if np.isfinite(values).all()), None)
            cells = (_cell(shown.get((graph, name)), exact, name in REFERENCES) for name in methods)
            rows.append([graph, f"{n:,}", *cells])
        if rows:
            parts.append(markdown([f"{problem}, seconds (deviation)", "vertices", *methods], rows))
    return "\n\n".join(parts)


def _cell(figure: Any, exact: list[float] | None, is_reference: bool) -> str:
    if figure is None:
        return "-"
    seconds = f"{figure.seconds:.2f}"
    if exact is None or is_reference:
        return seconds
    values, expected = np.array(figure.quality["values"]), np.array(exact)
    if values.shape != expected.shape or not np.isfinite(values).all():
        return f"{seconds} (no result)"
    sizes = np.where(expected > 0, expected, 1.0)
    return f"{seconds} ({np.abs((values - expected) / sizes).max():.0e})"


PARTS = tuple(Part(problem, graphs, partial(cases, problem)) for problem in PROBLEMS)
STUDY = Study(
    __name__,
    PARTS,
    peers=("pyamg", "networkx", "scikit-learn"),
    data=", ".join(REAL),
    repeats=5,
    turns=True,
    best=tuple(Best(problem, problem, "stablegraph", EXACT.get(problem, "[PNS]*")) for problem in PROBLEMS),
    report=with_provenance(tables),
)
