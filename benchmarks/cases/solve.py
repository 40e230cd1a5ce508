"""Which method for which matrix: `solve`, multigrid, conjugate gradients, factorizations and PyAMG.

"definite": symmetric positive definite matrices of several kinds with more than 1,000 rows, and grids. PyAMG's methods
are smoothed aggregation with prolongations smoothed by Jacobi and by energy minimization, root node, Ruge-Stueben, and
adaptive smoothed aggregation, all with their defaults and conjugate gradients. "generated": families that no constant
of the choice was adjusted to, and graph Laplacians with 1e-6 added to the diagonal. "unsymmetric": convection with a
circular wind on a 100 x 100 grid, by upwind differences, for Peclet numbers (speed times width over diffusion) of 100
and 1,000; and unsymmetric matrices. Setup and solution together, to 1e-8 for a random right-hand side with a fixed
seed, with the largest number of threads in --threads. If a method stops early, the table shows the true residual that
it reached.
"""

from __future__ import annotations

import pkgutil
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import bicgstab, gmres, spilu, splu

import stablegraph as sg
from stablegraph import gallery
from stablegraph.solvers.elimination_work import elimination_work

from .. import data
from ..graphs import laplacian_of
from ..judges import residual_of
from ..machine import installed_version
from ..study import SMALL_MARK, Best, Case, Graphs, Options, Part, Study
from ..tables import Line, figures, graphs_in, markdown, with_provenance

TOLERANCE = 1e-8
MAX_MULTIPLICATIONS, MAX_ENTRIES = 1e10, 20_000_000  # of a factorization; more takes longer than 20 seconds
DEFINITE = (*("bcsstk13", "bcsstk16", "mhd4800b", "C9840", "edgeamg-HCurl", "fem-stanford-bunny-cotlap"),)
UNSYMMETRIC = ("sherman5", "cryg2500", "orani678", "nnc1374")
PECLET = (100, 1000)
RESTART, RESTARTS = 50, 6
PYAMG: dict[str, tuple[str, dict[str, Any]]] = {
    "Jacobi": ("aggregation.smoothed_aggregation_solver", {}),
    "energy": ("aggregation.smoothed_aggregation_solver", {"smooth": "energy"}),
    "root node": ("aggregation.rootnode_solver", {}),
    "Ruge-Stueben": ("classical.ruge_stuben_solver", {}),
    "adaptive": ("aggregation.adaptive_sa_solver", {}),
}
Method = Callable[[Any, Any], tuple[Any, int, str]]  # returns x, the iterations, and a note


def by_solve(method: str, A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by `solve`; the note is the chosen method."""
    x, info = sg.solve(A, b, tol=TOLERANCE, method=method, maxiter=None, return_info=True)
    return x, info["iterations"], info["method"] if method == "auto" else ""


def by_default_multigrid(A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by the default of `smoothed_aggregation`."""
    residuals: list[float] = []
    return sg.smoothed_aggregation(A).solve(b, tol=TOLERANCE, residuals=residuals), len(residuals) - 1, ""


def by_superlu(A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by SciPy's factorization for symmetric matrices, unless it would take minutes."""
    if not elimination_work(A, MAX_MULTIPLICATIONS, MAX_ENTRIES)[0] < np.inf:
        return np.zeros_like(b), 0, "not run"
    options = {"SymmetricMode": True}
    factors = splu(sp.csc_array(A), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return factors.solve(b), 1, ""


def by_default_superlu(A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by SciPy's factorization with its default options."""
    return splu(sp.csc_array(A)).solve(b), 1, ""


def by_pyamg(setup: str, options: dict[str, Any], A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by conjugate gradients with a multigrid method of PyAMG."""
    np.random.seed(0)  # noqa: NPY002 - PyAMG draws from it
    hierarchy: Any = pkgutil.resolve_name(f"pyamg.{setup}")(sp.csr_array(A), **options)
    if setup.endswith("adaptive_sa_solver"):
        hierarchy = hierarchy[0]  # and its work
    steps: list[Any] = []
    x = hierarchy.solve(b, tol=TOLERANCE, accel="cg", maxiter=500, callback=steps.append)
    return x, len(steps), ""


def by_pyamg_unsymmetric(kind: str, A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by PyAMG with GMRES: smoothed aggregation for unsymmetric matrices, or AIR."""
    import pyamg

    matrix = sp.csr_array(A)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    if kind == "air":
        hierarchy = pyamg.air_solver(matrix)
    else:
        smoother = ("gauss_seidel_nr", {"sweep": "symmetric", "iterations": 2})
        hierarchy = pyamg.smoothed_aggregation_solver(
            matrix, symmetry="nonsymmetric", presmoother=smoother, postsmoother=smoother
        )
    return krylov(gmres, lambda _: hierarchy.aspreconditioner(), A, b)


def krylov(iteration: Any, preconditioner: Callable[[Any], Any], A: Any, b: Any) -> tuple[Any, int, str]:
    """Solve by a method of SciPy; the preconditioner is a function of the matrix."""
    steps: list[Any] = []
    options: dict[str, Any] = {"rtol": TOLERANCE, "callback": steps.append}
    if iteration is gmres:
        options |= {"restart": RESTART, "maxiter": RESTARTS, "callback_type": "pr_norm"}
    else:
        options["maxiter"] = RESTART * RESTARTS
    x, _ = iteration(A, b, M=preconditioner(A), **options)
    return x, len(steps), ""


def sweeps(A: Any) -> Any:
    """Return two forward Gauss-Seidel sweeps."""
    return sg.gauss_seidel(A, symmetric=False, sweeps=2).aspreconditioner()


def jacobi_multigrid(A: Any) -> Any:
    """Return a cycle with Jacobi sweeps."""
    return sg.smoothed_aggregation(A, smoother="jacobi").aspreconditioner()


def incomplete_lu(A: Any) -> Any:
    """Return SciPy's incomplete factorization."""
    from scipy.sparse.linalg import LinearOperator

    return LinearOperator(A.shape, spilu(sp.csc_array(A)).solve)


DEFINITE_METHODS: dict[str, Method] = {
    "solve": partial(by_solve, "auto"),
    "multigrid": by_default_multigrid,
    "CG, diagonal": partial(by_solve, "diagonal"),
    "SciPy splu": by_superlu,
}
UNSYMMETRIC_METHODS: dict[str, Method] = {
    "solve (direct)": partial(by_solve, "direct"),
    "GMRES, gauss_seidel": partial(krylov, gmres, sweeps),
    "GMRES, multigrid jacobi": partial(krylov, gmres, jacobi_multigrid),
    "BiCGSTAB, multigrid jacobi": partial(krylov, bicgstab, jacobi_multigrid),
    "GMRES, SciPy spilu": partial(krylov, gmres, incomplete_lu),
    "SciPy splu": by_default_superlu,
}
if installed_version("pyamg"):
    DEFINITE_METHODS |= {f"PyAMG {name}": partial(by_pyamg, *setup) for name, setup in PYAMG.items()}
    UNSYMMETRIC_METHODS["GMRES, PyAMG aggregation"] = partial(by_pyamg_unsymmetric, "aggregation")
    UNSYMMETRIC_METHODS["GMRES, PyAMG AIR"] = partial(by_pyamg_unsymmetric, "air")


def quietly(method: Method, A: Any, b: Any) -> tuple[Any, int, str]:
    """Run a method without its warnings; a refusal becomes a note."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return method(A, b)
        except (ValueError, RuntimeError, np.linalg.LinAlgError, MemoryError, ZeroDivisionError) as error:
            return np.zeros_like(b), 0, f"refused: {type(error).__name__}"


def judged(A: Any, b: Any, result: tuple[Any, int, str]) -> dict[str, Any]:
    """Return the true residual of whatever was reached."""
    x, iterations, note = result
    reached = residual_of(A, x, b) if np.isfinite(x).all() else np.inf
    return {"iterations": iterations, "reached": float(min(reached, 1e300)), "note": note}


def cases(problem: str, _: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield setup and solution by each method."""
    A = graph.to_scipy().astype(float)
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    for name, method in PROBLEMS[problem].items():
        run = partial(quietly, method, A, b)
        import_packages(method)  # instead of a whole run, because some take a minute
        yield Case(problem, name, lambda _, run=run: run(), partial(judged, A, b), max(options.threads), warm=True)


@cache
def import_packages(method: Method) -> None:
    """Run a method once, on a small matrix."""
    A = gallery.laplacian((20, 20))
    quietly(method, A, np.ones(A.shape[0]))


def convection(peclet: float, n: int) -> Any:
    """Return first-order upwind differences for a circular wind and diffusion, on n x n points."""
    x, y = np.meshgrid(*2 * [(np.arange(n) + 1) / (n + 1) * 2 - 1], indexing="ij")
    difference = sp.diags_array([-1.0, 1.0], offsets=[-1, 0], shape=(n, n))
    A = sp.csr_array(gallery.laplacian((n, n)))
    strength = peclet / (n + 1)
    for axis, wind in enumerate((2 * y * (1 - x**2), -2 * x * (1 - y**2))):
        down, up = (sp.kron(*(d, sp.eye_array(n))[:: 1 - 2 * axis]) for d in (difference, -difference.T))
        A += strength * (sp.diags_array(np.maximum(wind, 0).ravel()) @ down)
        A += strength * (sp.diags_array(np.minimum(-wind, 0).ravel() * -1) @ up)
    return sp.csr_array(A)


def definite_graphs(options: Options) -> Graphs:
    """Yield the definite matrices as graphs with weights; a small one with --quick."""
    if options.quick:
        yield f"laplacian{SMALL_MARK}", lambda: sg.as_graph(gallery.laplacian((30, 30)))
        return
    known = data.files()
    for name in DEFINITE:
        if name in known:
            yield name, partial(sg.read_graph, known[name][0])
    yield "Poisson 40^3", lambda: sg.as_graph(gallery.laplacian((40, 40, 40)))
    yield "Poisson 300^2", lambda: sg.as_graph(gallery.laplacian((300, 300)))


def rotated_diffusion(ratio: float, degrees: float, n: int) -> Any:
    """Return D' K D with forward differences D: diffusion that is `ratio` times as strong along a direction."""
    angle = np.deg2rad(degrees)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    K = np.outer(along, along) + np.outer(across, across) / ratio
    F = sp.diags_array([-1.0, 1.0], offsets=[0, 1], shape=(n, n))
    D = sp.vstack([sp.kron(F, sp.eye_array(n)), sp.kron(sp.eye_array(n), F)])
    return sp.csr_array(D.T @ sp.kron(K, sp.eye_array(n * n)) @ D)


def jumps(n: int) -> Any:
    """Return the Laplacian of a grid with random conductances between 1e-4 and 1e4, and 1e-4 on the diagonal."""
    W = sp.triu(gallery.laplacian((n, n)), 1).tocoo()
    W.data = 10 ** np.random.default_rng(1).uniform(-4, 4, W.nnz)
    W = sp.csr_array(W + W.T)
    return sp.csr_array(sp.diags_array(W.sum(axis=1) + 1e-4) - W)


def squared(A: Any) -> Any:
    """Return A A: of a Laplacian, the equation of a plate."""
    return sp.csr_array(A @ A)


def random_definite(n: int, per_row: int) -> Any:
    """Return R' R + 0.01 for a random sparse matrix R."""
    R = sp.random_array((n, n), density=per_row / n, rng=np.random.default_rng(2), format="csr")
    return sp.csr_array(R.T @ R + 0.01 * sp.eye_array(n))


GENERATED: dict[str, Callable[[], Any]] = {
    "diffusion 1:100 along x, 200^2": lambda: rotated_diffusion(100, 0, 200),
    "diffusion 1:1000 at 30 degrees, 150^2": lambda: rotated_diffusion(1000, 30, 150),
    "conductances 1e-4 to 1e4, 100^2": lambda: jumps(100),
    "plate, 100^2": lambda: squared(gallery.laplacian((100, 100))),
    "elasticity, 16^3": lambda: gallery.elasticity_3d((16, 16, 16))[0].tocsr(),
    "27-point Laplacian, 32^3": lambda: gallery.laplacian((32, 32, 32), 27),
    "R' R, 3 per row": lambda: random_definite(4_000, 3),
    "RMAT Laplacian, 2^12": lambda: laplacian_of(sg.largest_component(gallery.rmat(12, 8))[0], 1e-6),
    "uniform random Laplacian, 10,000": lambda: laplacian_of(gallery.uniform_random(10_000, 4), 1e-6),
    "triangulation Laplacian, 20,000": lambda: laplacian_of(gallery.delaunay(20_000, seed=3), 1e-6),
    "path Laplacian, 10,000": lambda: laplacian_of(gallery.grid((10_000,)), 1e-6),
}


def generated_graphs(options: Options) -> Graphs:
    """Yield the generated matrices as graphs with weights; none with --quick."""
    for name, make in {} if options.quick else GENERATED.items():
        yield name, lambda make=make: sg.as_graph(make())


def unsymmetric_graphs(options: Options) -> Graphs:
    """Yield the unsymmetric matrices as directed graphs with weights; a small one with --quick."""
    if options.quick:
        yield f"convection{SMALL_MARK}", lambda: sg.as_graph(convection(10, 20), directed=True)
        return
    for peclet in PECLET:
        yield f"convection, Peclet {peclet:g}", lambda p=peclet: sg.as_graph(convection(p, 100), directed=True)
    known = data.files()
    for name in UNSYMMETRIC:
        if name in known:
            yield name, partial(sg.read_graph, known[name][0])


def table(methods: list[str], lines: list[Line]) -> str:
    """Show one row per matrix and one column per method."""
    shown = {(graph, name): figure for (name, _, graph), figure in figures(lines).items()}
    methods = [name for name in methods if any(line["algorithm"] == name for line in lines)]
    rows = [
        [graph, f"{n:,}", *(_cell(shown[graph, name]) if (graph, name) in shown else "" for name in methods)]
        for graph, n in graphs_in(lines).items()
    ]
    return markdown(["milliseconds (iterations)", "unknowns", *methods], rows)


def _cell(figure: Any) -> str:
    quality = figure.quality
    if quality["note"].startswith("refused"):
        return "refused"
    if quality["note"] == "not run":
        return "> 20 s"
    note = f", {quality['note']}" if quality["note"] else ""
    short = "" if quality["reached"] <= 1.01 * TOLERANCE else f", only to {quality['reached']:.0e}"
    return f"{figure.seconds * 1e3:,.0f} ({quality['iterations']}{note}{short})"


PROBLEMS = {"definite": DEFINITE_METHODS, "generated": DEFINITE_METHODS, "unsymmetric": UNSYMMETRIC_METHODS}


def tables(lines: list[Line]) -> str:
    """Show the definite matrices, then the generated and the unsymmetric ones."""
    parts = []
    for part, methods in PROBLEMS.items():
        chosen = [line for line in lines if line["problem"] == part]
        if chosen:
            parts.append(table(list(methods), chosen))
    return "\n\n".join(parts)


GRAPHS = {"definite": definite_graphs, "generated": generated_graphs, "unsymmetric": unsymmetric_graphs}
PARTS = tuple(Part(problem, GRAPHS[problem], partial(cases, problem)) for problem in PROBLEMS)
STUDY = Study(
    __name__,
    PARTS,
    peers=("pyamg",),
    data=", ".join((*DEFINITE, *UNSYMMETRIC)),
    repeats=5,
    turns=True,
    best=(
        Best("definite systems", "definite", "solve", "SciPy*;PyAMG*"),
        Best("generated definite systems", "generated", "solve", "SciPy*;PyAMG*"),
    ),
    report=with_provenance(tables),
)
