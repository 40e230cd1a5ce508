"""The gallery: every rule compared with a plain implementation, and with published numbers."""

import itertools
import zlib
from importlib import resources

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import hash32
from stablegraph._core.runtime.arithmetic import hash_seed
from stablegraph.gallery import regular
from tests.support import naive
from tests.support.cases import each

SHAPES = [(0,), (1,), (5,), (3, 4), (1, 6), (2, 2), (4, 0), (2, 3, 4), (3, 1, 2), (1, 1, 1), (2, 2, 3, 2)]


def is_plain(graph):
    """Return whether a graph is undirected and sorted, without loops, duplicates or weights."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    rising = (np.diff(graph.indices) > 0) | (np.diff(rows) > 0)
    pattern = sp.csr_array((np.ones(rows.size), graph.indices, graph.indptr), shape=(graph.num_vertices,) * 2)
    symmetric = (pattern != pattern.T).nnz == 0
    return not graph.directed and graph.weights is None and rising.all() and (rows != graph.indices).all() and symmetric


def fingerprint(graph):
    return zlib.crc32(graph.indices.astype(np.int64).tobytes(), zlib.crc32(graph.indptr.astype(np.int64).tobytes()))


@each(shape=SHAPES, box=[False, True])
def test_grid_joins_what_is_near(shape, box):
    graph = gallery.grid(shape, 3 ** len(shape) if box else None)
    points = list(itertools.product(*map(range, shape)))
    expected = []
    for p in points:
        steps = [np.abs(np.subtract(p, q)) for q in points]
        expected.append({v for v, s in enumerate(steps) if s.max() == 1 and (box or s.sum() == 1)})
    assert naive.simple_adjacency(graph) == expected
    assert is_plain(graph)
    assert graph.indptr.dtype == graph.indices.dtype == np.int32


@each(shape=SHAPES, box=[False, True])
def test_laplacian_has_the_grids_pattern_and_is_positive_definite(shape, box):
    stencil = 3 ** len(shape) if box else 2 * len(shape) + 1
    matrix = gallery.laplacian(shape, stencil)
    graph = gallery.grid(shape, stencil)
    assert matrix.dtype == np.float64 and matrix.indices.dtype == np.int32
    dense = matrix.toarray()
    assert (np.diag(dense) == stencil - 1).all()
    off_diagonal = dense - np.diag(np.diag(dense))
    assert (off_diagonal == -graph.to_scipy().toarray().astype(bool).astype(float)).all()
    if dense.size:
        assert np.linalg.eigvalsh(dense)[0] > 0


def test_laplacian_is_a_sum_of_kronecker_products():
    line = [sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)) for n in (4, 5, 6)]
    one = [sp.eye_array(n) for n in (4, 5, 6)]
    expected = sum(
        sp.kron(sp.kron(*(line[a] if a == axis else one[a] for a in (0, 1))), line[2] if axis == 2 else one[2])
        for axis in range(3)
    )
    assert abs(gallery.laplacian((4, 5, 6)) - expected).max() == 0


@pytest.mark.parametrize("make", [gallery.grid, gallery.laplacian])
def test_grid_errors(make):
    with pytest.raises(ValueError, match=r"stencil of a grid of shape \(3, 3\) must be 5 or 9 points, got 7"):
        make((3, 3), 7)
    with pytest.raises(ValueError, match=r"of shape \(40,\) must be 3 points, got 40"):
        make(40, 40)
    with pytest.raises(ValueError, match="shape must be the points along one or more axes, got none"):
        make(())


# ------------------------------------------------------------------------------------------------------ elasticity


def test_a_floating_block_is_at_rest_under_rigid_motion_and_nothing_else():
    matrix, modes = gallery.elasticity_3d((3, 4, 2), clamped=False)
    assert abs(matrix - matrix.T).max() == 0
    assert np.abs(matrix @ modes).max() < 1e-13
    assert np.linalg.matrix_rank(modes) == 6
    eigenvalues = np.linalg.eigvalsh(matrix.toarray())
    assert np.abs(eigenvalues[:6]).max() < 1e-13 < 1e-3 < eigenvalues[6]


def test_a_clamped_block_is_the_floating_one_with_its_first_layer_eliminated():
    shape = (3, 2, 4)
    matrix, modes = gallery.elasticity_3d(shape)
    longer, _ = gallery.elasticity_3d((4, 2, 4), clamped=False)
    layer = 3 * 2 * 4
    assert abs(longer.tocsr()[layer:, layer:] - matrix).max() == 0
    assert abs(matrix - matrix.T).max() == 0
    assert np.linalg.eigvalsh(matrix.toarray())[0] > 1e-3
    assert np.abs((matrix @ modes)[layer:]).max() < 1e-13


def test_stretching_and_shearing_store_the_energy_of_the_textbook():
    shape, young, poisson = (3, 4, 5), 2.0, 0.25
    matrix, _ = gallery.elasticity_3d(shape, young=young, poisson=poisson, clamped=False)
    lame, shear = young * poisson / (1 + poisson) / (1 - 2 * poisson), young / 2 / (1 + poisson)
    volume = 2 * 3 * 4
    place = np.argwhere(np.ones(shape))
    for axis in range(3):
        stretch = np.zeros_like(place, float)
        stretch[:, axis] = place[:, axis]
        assert stretch.ravel() @ matrix @ stretch.ravel() == pytest.approx((lame + 2 * shear) * volume)
        slide = np.zeros_like(place, float)
        slide[:, axis] = place[:, axis - 1]
        assert slide.ravel() @ matrix @ slide.ravel() == pytest.approx(shear * volume)


def elasticity_entries(shape):
    return int(np.prod([3 * extent - 2 for extent in shape])) * 9


def test_elasticity_keeps_its_structural_zeros():
    matrix, _ = gallery.elasticity_3d((30, 30, 30))
    assert matrix.shape == (81000, 81000)
    assert matrix.nnz == elasticity_entries((30, 30, 30)) == 6_133_248
    assert matrix.indices.dtype == np.int32
    untrusting = sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    assert untrusting.has_canonical_format


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "entries"), [((30, 30, 60), 12_405_888), ((30, 60, 60), 25_093_728), ((60, 60, 60), 50_757_768)]
)
def test_elasticity_at_the_published_sizes(shape, entries):
    matrix, modes = gallery.elasticity_3d(shape)
    assert matrix.nnz == entries
    inner = np.zeros(shape, bool)
    inner[1:] = True
    assert np.abs((matrix @ modes)[np.repeat(inner.ravel(), 3)]).max() < 1e-11


@pytest.mark.parametrize("arguments", [{"shape": (3, 3)}, {"shape": (1, 3, 3)}, {"poisson": 0.5}, {"young": 0}])
def test_elasticity_errors(arguments):
    with pytest.raises(ValueError, match=r"three extents|poisson must be .* below 0.5|young must be above 0"):
        gallery.elasticity_3d(**{"shape": (2, 2, 2), **arguments})


# --------------------------------------------------------------------------------------------------- random graphs


RANDOM = {
    "uniform": (lambda seed: gallery.uniform_random(500, 4, seed), 500),
    "rmat": (lambda seed: gallery.rmat(9, 8, seed=seed), 512),
    "kronecker": (lambda seed: gallery.kronecker(8, seed=seed), 256),
    "delaunay": (lambda seed: gallery.delaunay(300, seed), 300),
    "regular": (lambda seed: gallery.random_regular(300, 6, seed), 300),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_graphs_follow_their_seed(name):
    make, n = RANDOM[name]
    graph = make(3)
    assert graph.num_vertices == n
    assert is_plain(graph)
    assert fingerprint(graph) == fingerprint(make(3)) != fingerprint(make(4))


def test_uniform_random_is_its_rule():
    picked = np.random.default_rng(7).integers(0, 50, (50, 3))
    expected = [set() for _ in range(50)]
    for v, row in enumerate(picked.tolist()):
        for u in set(row) - {v}:
            expected[v].add(u)
            expected[u].add(v)
    assert naive.simple_adjacency(gallery.uniform_random(50, 3, seed=7)) == expected


@each(n=[0, 1, 2, 5, 64, 100], degree=[0, 2, 6])
def test_random_regular_is_its_rule(n, degree):
    def network(x, permutation):
        half = max(1, -(-max(n - 1, 0).bit_length() // 2))
        left, right = divmod(x, 2**half)
        for k in range(4):
            key = hash32((hash_seed(-3) + 4 * permutation + k) % 2**32)
            left, right = right, left ^ hash32(right ^ key) % 2**half
        return right * 2**half + left

    expected = [set() for _ in range(n)]
    for permutation in range(degree // 2):
        for v in range(n):
            u = network(v, permutation)
            while u >= n:
                u = network(u, permutation)
            if u != v:
                expected[v].add(u)
                expected[u].add(v)
    graph = gallery.random_regular(n, degree, seed=-3)
    assert naive.simple_adjacency(graph) == expected
    assert is_plain(graph)


def test_random_regular_in_pieces(monkeypatch):
    expected = gallery.random_regular(300, 6)
    monkeypatch.setattr(regular, "_ROWS_AT_ONCE", 7)
    assert gallery.random_regular(300, 6) == expected
    assert np.bincount(expected.degrees)[6] > 280


def test_random_regular_errors():
    with pytest.raises(ValueError, match=r"degree must be even, .* got 3"):
        gallery.random_regular(9, 3)
    with pytest.raises(ValueError, match="device must be"):
        gallery.random_regular(9, device="gpu")


def test_rmat_is_its_rule():
    a, b, c, scale, edges = 0.5, 0.2, 0.1, 5, 2 * 32
    rng = np.random.default_rng(11)
    draws = [rng.random(edges) for _ in range(scale)]
    name = rng.permutation(32)
    expected = [set() for _ in range(32)]
    for e in range(edges):
        u = v = 0
        for draw in draws:
            quadrant = (draw[e] >= a) + int(draw[e] >= a + b) + int(draw[e] >= a + b + c)
            u, v = 2 * u + quadrant // 2, 2 * v + quadrant % 2
        u, v = int(name[u]), int(name[v])
        if u != v:
            expected[u].add(v)
            expected[v].add(u)
    assert naive.simple_adjacency(gallery.rmat(scale, 2, a, b, c, seed=11)) == expected


def test_delaunay_of_points_in_plane_and_space():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.4]])
    assert naive.simple_adjacency(gallery.delaunay(square))[4] == {0, 1, 2, 3}
    assert gallery.delaunay(np.random.default_rng(2).random((60, 2))) == gallery.delaunay(60, seed=2)
    tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert gallery.delaunay(tetrahedron).num_edges == 6


def test_extremes():
    assert gallery.uniform_random(0).num_vertices == 0
    assert gallery.uniform_random(5, 0).num_edges == 0
    assert gallery.uniform_random(1).num_edges == 0
    assert gallery.rmat(0).num_vertices == 1
    assert gallery.rmat(4, 0).num_edges == 0


def test_random_graph_errors():
    with pytest.raises(ValueError, match="add up to at most 1"):
        gallery.rmat(3, a=0.9)
    with pytest.raises(ValueError, match="b must be at least 0, got nan"):
        gallery.rmat(3, b=float("nan"))
    with pytest.raises(ValueError, match="scale must be at most 40, got 41"):
        gallery.rmat(41)
    with pytest.raises(ValueError, match="3 points in the plane"):
        gallery.delaunay(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="point 2 is not"):
        gallery.delaunay(np.array([[0, 0], [1, 0], [0, np.inf]]))


# ------------------------------------------------------------------------------------------------ integer parameters

INTEGERS = {  # the name in messages, a valid value, and the function
    "grid": ("each extent of shape", 5, gallery.grid),
    "grid axes": ("each extent of shape", 3, lambda x: gallery.grid((2, x))),
    "grid stencil": ("stencil", 9, lambda x: gallery.grid((3, 3), x)),
    "laplacian": ("each extent of shape", 5, gallery.laplacian),
    "laplacian stencil": ("stencil", 9, lambda x: gallery.laplacian((3, 3), x)),
    "elasticity_3d": ("each extent of shape", 2, lambda x: gallery.elasticity_3d((x, 2, 2))),
    "uniform_random n": ("n", 9, gallery.uniform_random),
    "uniform_random picks": ("picks", 2, lambda x: gallery.uniform_random(9, x)),
    "uniform_random seed": ("seed", 2, lambda x: gallery.uniform_random(9, seed=x)),
    "rmat scale": ("scale", 3, gallery.rmat),
    "rmat edges": ("edges_per_vertex", 2, lambda x: gallery.rmat(3, x)),
    "rmat seed": ("seed", 2, lambda x: gallery.rmat(3, seed=x)),
    "kronecker scale": ("scale", 3, gallery.kronecker),
    "kronecker edges": ("edges_per_vertex", 2, lambda x: gallery.kronecker(3, x)),
    "kronecker seed": ("seed", 2, lambda x: gallery.kronecker(3, seed=x)),
    "delaunay points": ("points", 9, gallery.delaunay),
    "delaunay seed": ("seed", 2, lambda x: gallery.delaunay(9, x)),
}


@pytest.mark.parametrize("parameter", INTEGERS)
def test_only_integers_will_do(parameter):
    name, good, make = INTEGERS[parameter]
    make(np.int32(good))
    make(np.uint64(good))
    for wrong in (float(good), 0.7, float("nan"), str(good), True, None):
        if wrong is not None or name != "stencil":  # it has a default
            with pytest.raises(TypeError, match=f"^{name} must be an integer, got {wrong!r}$"):
                make(wrong)
    with pytest.raises(ValueError, match=f"^{name} .*must be .*, got -1$"):
        make(-1)


# --------------------------------------------------------------------------------------------------------- by name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "greedy"),
    [("G2", 524288), ("G3", 500000), ("R4", 269619), ("DE", 257579), ("RM", 601931), ("KR", 180198)],
)
def test_benchmark_graphs_give_the_published_sizes_of_the_natural_greedy_set(name, greedy):
    assert sg.maximal_independent_set(gallery.benchmark_graph(name), priority="natural").sum() == greedy


def test_the_shipped_graph():
    graph = gallery.load("us-counties")
    assert (graph.num_vertices, graph.num_edges) == (3234, 9483)
    assert is_plain(graph)
    vertex = {name: v for v, name in enumerate(graph.nodes)}
    assert len(vertex) == 3234
    neighbors = naive.simple_adjacency(graph)
    assert vertex["Cook County, IL"] in neighbors[vertex["Lake County, IN"]]
    assert vertex["Cook County, IL"] not in neighbors[vertex["Los Angeles County, CA"]]


def test_the_shipped_positions_are_a_map():
    graph, where = gallery.load("us-counties"), gallery.positions("us-counties")
    vertex = {name: v for v, name in enumerate(graph.nodes)}
    assert where.shape == (3234, 2) and np.isfinite(where).all()
    west, east = where[vertex["Los Angeles County, CA"]], where[vertex["Suffolk County, MA"]]
    north, south = where[vertex["Cook County, MN"]], where[vertex["Miami-Dade County, FL"]]
    assert west[0] < north[0] < east[0] and south[1] < west[1] < north[1]
    rows = np.repeat(np.arange(3234), np.diff(graph.indptr))
    assert np.linalg.norm(where[rows] - where[graph.indices], axis=1).max() < 400  # miles


def test_what_ships_says_where_it_comes_from():
    folder = resources.files("stablegraph").joinpath("data")
    text = folder.joinpath("README.md").read_text()
    for file in folder.iterdir():
        if file.name.endswith(".npz"):
            assert file.name in text
            assert len(file.read_bytes()) < 500_000
    assert "Public domain" in text


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match="G2, G3, R4, DE, RM, KR"):
        gallery.benchmark_graph("G4")
    for ask in (gallery.load, gallery.positions):
        with pytest.raises(ValueError, match="us-counties"):
            ask("us-states")


@pytest.mark.parametrize(
    ("function", "argument", "said"),
    [
        (gallery.benchmark_graph, [], r"the benchmark graphs are G2, .*, not \[\]"),
        (gallery.load, {}, r"the graphs that ship with the package are us-counties, not \{\}"),
        (gallery.with_directions, 3, "cannot make a graph of int"),
        (gallery.with_directions, sp.csr_array(np.eye(3, k=1)), "has no partner"),
    ],
)
def test_what_is_no_name_and_no_graph_is_refused(function, argument, said):
    with pytest.raises((ValueError, TypeError), match=said):
        function(argument)
