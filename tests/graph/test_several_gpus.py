"""Graphs on several GPUs, emulated: answers equal to those of the CPU; moves, errors, threads."""

import pickle
import threading

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery, spread_graph
from stablegraph._core.runtime.cuda import cards, exchange
from stablegraph._core.runtime.cuda.exchange import VertexExchange
from stablegraph.components.cuda import spread_components
from stablegraph.independent_set.greedy import priority as greedy
from stablegraph.independent_set.greedy.order import NAMED_ORDERS
from stablegraph.matching import rounds as matching_rounds
from stablegraph.traversal.cuda import spread_search
from stablegraph.verify import checks, independent_set
from stablegraph.verify.coloring import explain_coloring
from stablegraph.verify.components import explain_component_labeling
from stablegraph.verify.independent_set import explain_independent_set, explain_maximal_independent_set
from stablegraph.verify.traversal import explain_bfs_tree
from tests.support.cases import each
from tests.support.emulated_cuda import _Emulated, emulated_cuda, needs_a_compiler
from tests.support.zoo import ZOO

pytestmark = needs_a_compiler
COUNTS = pytest.mark.parametrize("counts", [(3,), pytest.param((2, 4), marks=pytest.mark.slow)])  # of GPUs


def same(function, graph, *arguments, counts=(3,), seeds=(0,), **options):
    """Check that a function returns the same on several emulated GPUs as on the CPU."""
    expected = function(graph, *arguments, **options)
    for count in counts:
        for seed in seeds:
            with emulated_cuda(seed, cards=count):
                spread = graph.to("cuda:all")
                assert spread.device == "cuda:" + ",".join(map(str, range(count)))
                result = function(spread, *arguments, **options)
            pairs = zip(expected, result, strict=True) if isinstance(expected, tuple) else [(expected, result)]
            for wanted, found in pairs:
                assert np.asarray(found).dtype == np.asarray(wanted).dtype
                np.testing.assert_array_equal(found, wanted)


def with_info(function):
    """Return a function that also returns the statistics, except for the seconds of each phase."""

    def call(graph, **options):
        answer, info = function(graph, return_info=True, **options)
        return answer, list(info), list(info.pop("seconds", ())), *info.values()

    return call


counted_set = with_info(sg.maximal_independent_set)


@COUNTS
@each(order=NAMED_ORDERS)
def test_sets(hard_graph, order, counts, monkeypatch):
    monkeypatch.setattr(greedy, "_SERIAL_BELOW_VERTICES", 5)
    same(sg.maximal_independent_set, hard_graph, counts=counts, priority=order, seed=3)
    same(sg.maximal_independent_set, hard_graph, counts=counts, priority=order, synchronous=True)
    same(counted_set, hard_graph, counts=counts, priority=order, seed=3)
    same(counted_set, hard_graph, counts=counts, priority=order, synchronous=True)


def test_rounds_of_sets(monkeypatch):
    """Rounds skip long rows at first, and stop when they stall."""
    monkeypatch.setattr(greedy, "_SERIAL_BELOW_VERTICES", 5)
    graph = gallery.rmat(9, 8)
    found = sg.maximal_independent_set(graph, return_info=True)[1]
    assert found["rounds"] > 1
    same(counted_set, graph, counts=(2, 4))
    path = gallery.grid((300,))
    assert sg.maximal_independent_set(path, priority=range(300), return_info=True)[1]["undecided"][-1] > 5
    same(counted_set, path, counts=(2, 4), priority=range(300))


def test_sets_by_weights_and_numbers(hard_graph):
    weights = np.random.default_rng(0).integers(0, 5, hard_graph.num_vertices)
    same(counted_set, hard_graph, weights=weights / 2)
    same(sg.maximal_independent_set, hard_graph, weights=weights)
    same(sg.maximal_independent_set, hard_graph, weights=weights / 2, priority="weight", counts=(2,))
    same(sg.maximal_independent_set, hard_graph, priority=weights, counts=(4,))


@COUNTS
def test_sets_with_conditions(hard_graph, counts):
    n = hard_graph.num_vertices
    chosen = sg.maximal_independent_set(hard_graph, priority="random", seed=5)
    options = {"include": np.flatnonzero(chosen)[::3], "exclude": np.flatnonzero(~chosen)[::2]}
    same(sg.maximal_independent_set, hard_graph, counts=counts, **options)
    same(counted_set, hard_graph, counts=counts, synchronous=True, **options)
    same(sg.maximal_independent_set, hard_graph, counts=counts, exclude=range(0, n, 2), priority="natural")


@COUNTS
def test_sets_at_distance_two(hard_graph, counts):
    same(sg.maximal_independent_set, hard_graph, 2, counts=counts, seed=1)
    same(sg.maximal_independent_set, hard_graph, 2, counts=counts, priority="degree")
    same(sg.maximal_independent_set, hard_graph, 2, counts=counts, exclude=range(0, hard_graph.num_vertices, 3))


@COUNTS
@each(options=[{}, {"priority": "degree"}, {"priority": "numbers"}, {"weights": "ints"}, {"weights": "floats"}])
def test_conditions_orders_and_statistics_at_distance_two(hard_graph, options, counts):
    n, rng = hard_graph.num_vertices, np.random.default_rng(4)
    numbers = {"numbers": rng.integers(0, 9, n), "ints": rng.integers(0, 9, n), "floats": rng.random(n)}
    options = {name: numbers.get(value, value) for name, value in options.items()}

    def find(graph, **conditions):
        mask, info = sg.maximal_independent_set(graph, 2, return_info=True, **options, **conditions)
        return mask, info["undecided"], list(info), list(info["seconds"])

    same(find, hard_graph, counts=counts)
    chosen = np.flatnonzero(sg.maximal_independent_set(hard_graph, 2, seed=8))[::2]
    same(find, hard_graph, counts=counts, include=chosen)
    same(find, hard_graph, counts=counts, include=chosen[1:], exclude=np.setdiff1d(range(0, n, 3), chosen))


def test_an_order_without_parallelism_at_distance_two():
    graph = gallery.grid((300,))
    found = sg.maximal_independent_set(graph, 2, priority=range(300), return_info=True)[1]["undecided"]
    assert found[-1] > 0
    same(sg.maximal_independent_set, graph, 2, priority=range(300), exclude=[298])


@COUNTS
@each(algorithm=["mis2", "mis2_basic", "kokkos"], priority=["random", "degree"])
def test_aggregates(hard_graph, algorithm, priority, counts):
    same(sg.aggregate, hard_graph, counts=counts, algorithm=algorithm, priority=priority, return_roots=True)


def test_aggregates_that_move():
    """Vertices move to an aggregate whose root is on another GPU."""
    graph = gallery.uniform_random(400, 3)
    same(sg.aggregate, graph, algorithm="kokkos", counts=(2, 4))
    for algorithm in ("kokkos", "mis2", "mis2_basic"):
        numbers = np.random.default_rng(0).integers(0, 9, 400)
        same(sg.aggregate, graph, algorithm=algorithm, priority=numbers, return_roots=True)
    with emulated_cuda(cards=3):
        spread = graph.to("cuda:all")
        count, labels, roots = sg.aggregate(spread, return_roots=True)
        assert sg.is_aggregation(spread, labels, connected=True, roots=roots)
        assert not sg.is_aggregation(spread, (labels + 1) % count, roots=roots)


@COUNTS
@each(weights=[None, "int8", "float64", "uint64"])
def test_forests(hard_graph, weights, counts):
    graph = hard_graph.simple()
    if weights is not None:
        u, v = graph.edge_index
        graph = graph._replace(weights=(np.minimum(u, v) * 7 + np.maximum(u, v) * 5 % 11).astype(weights))
    for count in counts:
        expected = sg.minimum_spanning_forest(graph, maximum=weights == "int8")
        with emulated_cuda(cards=count):
            spread = graph.to("cuda:all")
            forest = sg.minimum_spanning_forest(spread, maximum=weights == "int8")
            assert sg.is_spanning_forest(spread, forest)
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(forest, name), getattr(expected, name))
            assert getattr(forest, name).dtype == getattr(expected, name).dtype


def test_weights_of_forests_that_are_refused():
    graph = gallery.grid((4, 4))
    weights = np.arange(graph.num_entries) / 1
    with emulated_cuda(cards=3):
        for values, message in ((weights, "has weight"), (weights * np.nan, "is NaN")):
            with pytest.raises(ValueError, match=message):
                sg.minimum_spanning_forest(graph._replace(weights=values).to("cuda:all"))
        named = sg.from_edges(
            list("dcbab"), list("cbaac"), [1, 2, 3, np.nan, 5], symmetrize=True, drop_duplicates=False
        )
        with pytest.raises(ValueError, match=r"the weight of entry \('a', 'a'\) is NaN"):
            sg.minimum_spanning_forest(named.to("cuda:all"))
        with pytest.raises(ValueError, match="algorithm must be one of auto, boruvka for a graph on several GPUs"):
            sg.minimum_spanning_forest(graph.to("cuda:all"), algorithm="filter_kruskal")


@COUNTS
def test_matchings(hard_graph, counts):
    same(sg.maximal_matching, hard_graph, counts=counts, seed=2)
    same(with_info(sg.maximal_matching), hard_graph, counts=counts)


@COUNTS
@each(weights=[None, "int64", "float32"])
def test_modularity(hard_graph, weights, counts):
    graph, rng = hard_graph.simple(), np.random.default_rng(1)
    if weights is not None:
        u, v = graph.edge_index
        graph = graph._replace(weights=((u + v) / 7 % 5 * 2**40 + 1).astype(weights))
    labels = rng.integers(0, 9, graph.num_vertices)
    same(sg.modularity, graph, labels, counts=counts, resolution=0.7)
    same(sg.potts, graph, labels, counts=counts, resolution=0.7)


def arrays_of(graph):
    """Return the arrays of a graph or a sparse matrix."""
    matrix = graph.to("cpu").to_scipy() if isinstance(graph, sg.Graph) else graph
    return matrix.indptr, matrix.indices, matrix.data


@each(weights=[None, "int8", "float64"], edges=[300, 20])
def test_unsorted_rows_with_loops_and_repeated_entries(weights, edges):
    rng = np.random.default_rng(edges)
    u, v = rng.integers(0, 50, (2, edges))
    u, v = np.stack([[*u, *v, 7], [*v, *u, 7]])[:, np.argsort([*u, *v, 7], kind="stable")]
    values = None if weights is None else (np.minimum(u, v) * 7 + np.maximum(u, v) * 5 % 11) / 3 % 9
    csr = (np.searchsorted(u, np.arange(53)), v)
    graph = sg.as_graph(csr if values is None else (*csr, values.astype(weights)), directed=False)
    assert not graph.is_sorted and graph.has_loops and graph.has_duplicates == (edges == 300)
    labels = rng.integers(0, 9, 52)
    same(lambda graph: arrays_of(graph.simple()), graph)
    same(lambda graph: arrays_of(sg.minimum_spanning_forest(graph)), graph)
    same(sg.aggregate, graph)
    same(sg.aggregate, graph, strength=0)
    same(sg.modularity, graph, labels)
    same(sg.potts, graph, labels)
    same(sg.core_numbers, graph)
    same(with_info(sg.weighted_matching), graph, seed=2)
    mate = sg.maximal_matching(graph)
    same(lambda graph: sg.explain(sg.is_maximal_matching, graph, mate, weighted=True) or "", graph)


def test_modularities_that_are_refused():
    graph = gallery.grid((4, 4))
    with emulated_cuda(cards=2):
        with pytest.raises(ValueError, match=r"is -1.0, but communities need finite weights"):
            sg.modularity(graph._replace(weights=-np.ones(graph.num_entries)).to("cuda:all"), [0] * 16)
        for call in (sg.modularity, sg.potts):
            with pytest.raises(ValueError, match="has weight"):
                call(graph._replace(weights=np.arange(graph.num_entries)).to("cuda:all"), [0] * 16)


def test_a_matching_that_is_finished_on_the_host(monkeypatch):
    monkeypatch.setattr(matching_rounds, "_STALLED", 1)
    graph = gallery.uniform_random(120, 3)
    assert sg.maximal_matching(graph, return_info=True)[1]["undecided"][-1] > 0
    same(sg.maximal_matching, graph, counts=(2, 4))
    path = gallery.grid((120,))
    path = path._replace(weights=np.minimum(*path.edge_index) / 1)
    assert sg.weighted_matching(path, return_info=True)[1]["undecided"][-1] > 0
    same(with_info(sg.weighted_matching), path, counts=(2, 4))


def test_included_neighbors():
    with emulated_cuda(cards=3):
        graph = gallery.grid((40,)).to("cuda:all")
        with pytest.raises(ValueError, match="vertices 30 and 31 are in include, but are adjacent"):
            sg.maximal_independent_set(graph, include=[3, 31, 5, 30])
        with pytest.raises(ValueError, match="vertices 14 and 16 are in include, but are within distance 2"):
            sg.maximal_independent_set(graph, 2, include=[3, 14, 16])


@COUNTS
def test_components(hard_graph, counts):
    same(sg.connected_components, hard_graph, counts=counts)
    same(sg.connected_components, hard_graph, counts=counts, label="smallest")


@COUNTS
def test_searches(hard_graph, counts):
    for source in {0, hard_graph.num_vertices - 1} & set(range(hard_graph.num_vertices)):
        same(sg.breadth_first_search, hard_graph, source, counts=counts)
    same(sg.breadth_first_search, hard_graph, list(range(0, hard_graph.num_vertices, 5)), counts=counts, max_distance=2)


def test_searches_with_divided_rows(monkeypatch):
    """Rows of hubs are read in pieces; many vertices of the frontier fit into no list."""
    monkeypatch.setattr(spread_search, "_CUT", 6)
    kernels, call = set(), _Emulated.__call__
    monkeypatch.setattr(
        _Emulated, "__call__", lambda self, name, *rest: (kernels.add(name), call(self, name, *rest))[1]
    )
    for graph in (gallery.rmat(7, 5), gallery.uniform_random(300, 2)):
        same(sg.breadth_first_search, graph, int(graph.degrees.argmax()), counts=(2, 4))
    assert kernels >= {"outward", "outward_by_pieces", "inward", "take_bits", "take_list", "tell_frontier"}


@COUNTS
@each(options=[{"order": "random"}, {"ties": "hash", "seed": 2}, {"order": "natural"}, {"order": "largest_log_first"}])
def test_first_fit(hard_graph, options, counts):
    same(with_info(sg.vertex_coloring), hard_graph, counts=counts, reduce="none", **options)


def test_first_fit_with_long_rows_and_numbers():
    graph = gallery.rmat(7, 16)
    numbers = np.random.default_rng(0).integers(0, 5, graph.num_vertices)
    assert graph.facts["longest_row"] > 64
    same(sg.vertex_coloring, graph, order="random", reduce="none")
    same(sg.vertex_coloring, graph, order=numbers, reduce="none", counts=(4,))


@each(order=["smallest_last", "smallest_last_in_rounds", "saturation", ["random", "incidence"]], ties=["id", "hash"])
def test_orders_that_are_computed_first(hard_graph, order, ties):
    same(sg.vertex_coloring, hard_graph, order=order, ties=ties, reduce="none")


@each(
    options=[
        *({"colors": 40}, {"capacity": 20, "reduce": "none"}, {"gap": 2}, {"forbidden": {0: [1]}, "distance": 2}),
        *({"rooms": dict.fromkeys(range(60), 1)}, {"fixed": {0: 3}, "reduce": "quick"}, {"reduce": "thorough"}),
    ]
)
def test_colorings_that_are_found_in_host_memory(options):
    same(with_info(sg.vertex_coloring), gallery.uniform_random(60, 3), **options)


def directed_graph():
    u, v = np.random.default_rng(1).integers(0, 90, (2, 200))
    return sg.from_edges(u, v, n=95, directed=True)


def test_directed_graphs():
    graph = directed_graph()
    same(sg.connected_components, graph)
    same(sg.breadth_first_search, graph, 3)
    same(sg.reachable, graph, [3, 50], max_distance=4)


def explanations(graph, answer, *arguments, explain):
    """Return what a verifier says about an answer, and about answers with a wrong value at one vertex."""
    found = [explain(graph, *arguments, answer)]
    for v in range(0, graph.num_vertices, 3):
        wrong = answer.copy()
        wrong[v] = 1 - wrong[v] if wrong.dtype != bool else not wrong[v]
        found.append(explain(graph, *arguments, wrong))
    return found


def test_verifiers(monkeypatch):
    monkeypatch.setattr(checks, "_PIECE", 7)  # entries
    monkeypatch.setattr(independent_set, "_PIECE", 7)
    graph = sg.from_edges([0, 1, 2, 3, 4, 5, 5, 8, 2], [1, 2, 3, 4, 5, 0, 7, 7, 2], n=11, symmetrize=True)
    distance, parent = sg.breadth_first_search(graph, 3)
    cases = [
        (explain_maximal_independent_set, sg.maximal_independent_set(graph)),
        (explain_independent_set, sg.maximal_independent_set(graph)),
        (explain_coloring, sg.vertex_coloring(graph)),
        (explain_component_labeling, sg.connected_components(graph)[1]),
        (explain_bfs_tree, parent, [3], distance),
    ]
    for explain, answer, *arguments in cases:
        expected = explanations(graph, answer, *arguments, explain=explain)
        assert expected[0] is None
        assert any(expected)
        with emulated_cuda(cards=3):
            assert explanations(graph.to("cuda:all"), answer, *arguments, explain=explain) == expected
    with emulated_cuda(cards=3):
        members = sg.maximal_independent_set(graph, 2)
        assert explain_maximal_independent_set(graph.to("cuda:all"), members, 2) is None


@COUNTS
def test_schedules_and_messages_of_both_kinds(counts, monkeypatch):
    """Bits and lists occur in the same call; some cards report nothing, and long chains lead through all cards."""
    kinds = set()
    deliver = VertexExchange.deliver

    def record(exchange, take):
        def taken(k, messages, bits, listed, vertices):
            kinds.add((messages > 0, listed > 0))
            take(k, messages, bits, listed, vertices)

        deliver(exchange, taken)

    monkeypatch.setattr(VertexExchange, "deliver", record)
    graph = gallery.uniform_random(600, 3)
    same(sg.maximal_independent_set, graph, counts=counts, seeds=range(len(counts)))
    same(sg.breadth_first_search, graph, 5, counts=counts)
    path = sg.from_edges(np.arange(199), np.arange(1, 200), symmetrize=True)
    same(sg.maximal_independent_set, path, counts=counts, priority="natural")
    same(sg.breadth_first_search, path, 100, counts=counts)
    assert {(True, False), (False, True), (False, False)} <= kinds


def test_components_whose_largest_trees_differ():
    """No vertex may be skipped if each GPU has another largest component."""
    paths = np.arange(300).reshape(3, 100)
    u, v = paths[:, :-1].ravel(), paths[:, 1:].ravel()
    same(sg.connected_components, sg.from_edges(np.r_[u, 299], np.r_[v, 0], symmetrize=True))
    same(sg.connected_components, sg.from_edges(u, v, symmetrize=True))


@pytest.mark.parametrize("types", [(np.int64, np.int32), pytest.param((np.int64, np.int64), marks=pytest.mark.slow)])
def test_index_types(types):
    graph = gallery.uniform_random(150, 3)._with_dtypes(*types)
    same(sg.maximal_independent_set, graph)
    same(counted_set, graph, synchronous=True)
    same(with_info(sg.weighted_matching), graph)
    same(sg.connected_components, graph)
    same(sg.breadth_first_search, graph, 0)


def test_moves_and_facts(hard_graph):
    weights = np.arange(hard_graph.num_entries) % 7 + 0.5
    for graph in (hard_graph, hard_graph._replace(weights=weights)):
        with emulated_cuda(cards=3):
            spread = graph.to([2, 0, 1])
            assert spread.device == "cuda:2,0,1"
            assert spread.to("cuda:2,0,1") is spread
            assert spread == graph == spread.to("cpu") == spread.to("cuda") == spread.to("cuda:0,1").to("cuda:1")
            assert pickle.loads(pickle.dumps(spread)) == spread
            assert (len(spread), spread.num_entries) == (len(graph), graph.num_entries)
            assert spread.num_edges == graph.num_edges
            np.testing.assert_array_equal(spread.degrees, graph.degrees)
            assert spread.has_duplicates == graph.has_duplicates
            assert spread.facts["symmetric"]
            assert "cuda:2,0,1" in repr(spread)


@each(rule=["grid", "grid 27", "regular", "empty", "tiny"], count=[1, 2, 3])
def test_graphs_that_are_made_on_their_gpus(rule, count):
    make = {
        "grid": lambda **place: gallery.grid((7, 11), **place),
        "grid 27": lambda **place: gallery.grid((3, 5, 4), 27, **place),
        "regular": lambda **place: gallery.random_regular(150, 6, seed=2, **place),
        "empty": lambda **place: gallery.grid(0, **place),
        "tiny": lambda **place: gallery.random_regular(3, 2, **place),
    }[rule]
    expected = make()
    with emulated_cuda(cards=count):
        graph = make(device="cuda:all")
        assert graph == expected
        if count > 1:
            copied = expected.to("cuda:all")
            assert (graph.device, graph.bounds, graph._scan) == (copied.device, copied.bounds, expected._scanned())
            assert graph.parts == copied.parts
            assert graph.facts["symmetric"]
            mask = sg.maximal_independent_set(graph)
            np.testing.assert_array_equal(mask, sg.maximal_independent_set(expected))


def test_made_graphs_that_do_not_fit(monkeypatch):
    monkeypatch.setattr(cards, "free_bytes", lambda card: 1000.0)
    with emulated_cuda(), pytest.raises(MemoryError, match="GPU 0 has 1e-06 GB free"):
        gallery.random_regular(100, device="cuda:0")


@each(device=["cuda:0,4", "cuda:1,1", "cuda:", "cuda:x", "cuda:-1", [], [0, 0], [True, False], [0.0], ["0"], [-1]])
def test_devices_that_do_not_exist(device):
    with emulated_cuda(cards=4), pytest.raises(ValueError, match=r"^device .*GPU"):
        gallery.grid((3, 3)).to(device)


def test_without_the_cards_of_tests_only_one_is_emulated():
    graph = gallery.grid((3, 3))
    with emulated_cuda():
        assert graph.to("cuda:0") is graph
        with pytest.raises(ValueError, match="GPU 1, but this machine has GPU 0"):
            graph.to("cuda:0,1")


def test_functions_that_need_one_place():
    with emulated_cuda(cards=2):
        graph = gallery.grid((4, 4)).to("cuda:all")
        for call in (sg.bipartition, sg.communities):
            with pytest.raises(NotImplementedError, match=rf"^{call.__name__} does not support .*graph\.to\('cuda'\)"):
                call(graph)
        with pytest.raises(NotImplementedError, match="subgraph does not support"):
            graph.subgraph([0])
        with pytest.raises(NotImplementedError, match="strongly_connected_components does not support"):
            sg.strongly_connected_components(directed_graph().to("cuda:all"))


@each(weighted=[False, True])
def test_functions_that_run_on_the_cpu(weighted):
    u, v = np.random.default_rng(3).integers(0, 60, (2, 70))
    weights = (u + v) % 5 + 1.0 if weighted else None
    graph = sg.from_edges(u, v, weights, n=64, symmetrize="max" if weighted else True, drop_loops=True)
    labels = sg.aggregate(graph)[1]
    same(sg.shortest_paths, graph, 3)
    same(sg.acyclic_coloring, graph)
    same(sg.star_coloring, graph)
    same(sg.bridges, graph)
    same(lambda graph: sg.color_bounds(graph)[:2], graph)
    same(sg.maximal_independent_set, graph, algorithm="residual", exclude=[0])
    same(sg.connected_components, graph, start=sg.connected_components(graph)[1][:40], label="smallest")
    same(lambda graph: sg.large_independent_set(graph).mask, graph)
    same(lambda graph: sg.coarse_graph(graph, labels).to("cpu").indices, graph)


@each(options=[{"distance": 3}, {"algorithm": "luby"}])
def test_options_of_sets_that_are_not_supported(options):
    with (
        emulated_cuda(cards=2),
        pytest.raises(ValueError, match=r"several GPUs \(graph\.to\('cuda'\)"),
    ):
        sg.maximal_independent_set(gallery.grid((4, 4)).to("cuda:all"), **options)


@each(options=[{"strength": 0.5}])
def test_options_of_aggregates_that_are_not_supported(options):
    with emulated_cuda(cards=2), pytest.raises(ValueError, match=r"several GPUs \(graph\.to"):
        sg.aggregate(gallery.grid((4, 4)).to("cuda:all"), **options)


@each(options=[{}, {"distance": 2}, {"fixed": {0: 1}}, {"balance": True}, {"algorithm": "mis"}])
def test_options_of_colorings_that_are_not_supported(options):
    named = options if not options else {"reduce": "none"} | options
    with emulated_cuda(cards=2), pytest.raises(ValueError, match=r"several GPUs \(graph\.to"):
        sg.vertex_coloring(gallery.grid((4, 4)).to("cuda:all"), **named)


def test_the_number_of_gpus_follows_from_memory(monkeypatch):
    free = {0: 100.0, 1: 100.0, 2: 40.0, 3: 100.0}
    monkeypatch.setattr(cards, "free_bytes", lambda card: free[card.number])

    def chosen(numbers, *sizes):
        with emulated_cuda():
            return [card.number for card in cards.choose_cards(numbers, *sizes)]

    assert chosen([0, 1, 3], 10, 40) == [0]
    assert chosen([0, 1, 3], 10, 41) == [0, 1]  # one GPU has no room for twice the graph
    assert chosen([3, 1, 0], 10, 81) == [3, 1, 0]
    assert chosen([0, 1, 3], 10, 270) == [0, 1, 3]  # no GPU is left that could make room
    assert chosen([0], 10, 90) == [0]
    assert chosen([0, 2], 10, 80) == [0]  # which holds the graph once, but the second one is nearly full
    assert chosen([0, 1, 3], 10, 80, 80) == [0]  # it is on that GPU already
    with pytest.raises(MemoryError, match=r"on each of 3 GPUs, but GPU 0 has 1e-07 GB free; 6 such GPUs suffice"):
        chosen([0, 1, 3], 10, 500)
    with pytest.raises(MemoryError, match=r"GPU 2 has 4e-08 GB free; use graphs in partitions"):
        chosen([0, 2], 40, 500)


@each(graph=["random", "repeated"])
def test_kernels_and_copies_use_the_memory_of_their_gpu(graph, monkeypatch):
    """Check that every array is only used on the GPU on which it was used first; messages are copied."""
    entered, owners = [-1], {}

    def use(array, what):
        while isinstance(array.base, np.ndarray):
            array = array.base
        place, known = owners.setdefault(id(array), (entered[-1], array))  # the array lives, so its id stays its own
        assert known is array
        assert place == entered[-1], f"{what} uses memory of GPU {place} on GPU {entered[-1]}"

    def launch(program, name, threads, *arguments):
        for array in arguments:
            if isinstance(array, np.ndarray):
                use(array, name)
        call(program, name, threads, *arguments)

    def copy(target, source):
        use(target, "a copy")
        copied(target, source)

    call, copied = _Emulated.__call__, cards.copy
    monkeypatch.setattr(cards.Card, "__enter__", lambda card: entered.append(card.number))
    monkeypatch.setattr(cards.Card, "__exit__", lambda card, *_: entered.pop() and None)
    monkeypatch.setattr(_Emulated, "__call__", launch)
    for module in (cards, exchange, spread_components, spread_graph):
        monkeypatch.setattr(module, "copy", copy)
    whole = {"random": gallery.uniform_random(200, 3), "repeated": sg.as_graph(ZOO["duplicates"])}[graph]
    with emulated_cuda(cards=4):
        spread = whole.to([2, 0, 3, 1])
        for options in ({}, {"priority": "random"}, {"weights": np.arange(len(spread))}):
            mask = sg.maximal_independent_set(spread, **options)
            assert sg.is_maximal_independent_set(spread, mask)
        sg.maximal_independent_set(spread, include=[len(spread) - 1], exclude=[0], return_info=True)
        sg.maximal_independent_set(spread, 2, priority="degree", include=[0], exclude=[1])
        sg.maximal_independent_set(spread, 2, weights=np.arange(len(spread)))
        if not spread.has_duplicates:
            sg.aggregate(spread, algorithm="kokkos")
        sg.maximal_matching(spread)
        sg.weighted_matching(spread, return_info=True)
        if not spread.has_duplicates:
            sg.minimum_spanning_forest(spread)
        sg.connected_components(spread, label="smallest")
        distance, parent = sg.breadth_first_search(spread, 0)
        assert sg.is_bfs_tree(spread, 0, distance, parent)
        assert spread.to("cuda") == spread
    assert {place for place, _ in owners.values()} == {-1, 0, 1, 2, 3}


def test_threads_with_different_gpus():
    """Emulated kernels run one after another; each thread enters and leaves its own devices."""
    graph, wrong = gallery.uniform_random(60, 3), []
    expected = sg.connected_components(graph)[1]

    def work(numbers):
        with emulated_cuda(cards=4):
            if (sg.connected_components(graph.to(numbers))[1] != expected).any():
                wrong.append(numbers)

    threads = [threading.Thread(target=work, args=(numbers,)) for numbers in ([0, 1], [3, 2], [1, 2])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
