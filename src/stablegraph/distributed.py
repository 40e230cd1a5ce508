"""Graphs in partitions on the workers of a Dask cluster, with the functions and bit-identical results of one machine.

Every result of this package is a function of graph, options and seed only. Another schedule may therefore compute it:
this subpackage uses supersteps, on a graph that no single machine has to hold completely.

**Data.** The vertices are split into contiguous ranges with even numbers of vertices and entries. A partition
(partition.py) has the rows of one range, as a Graph of its own with ghosts: the neighbors that other partitions own. A
`DistributedGraph` (graph.py) consists of the futures of its partitions and a few numbers for each.

**Supersteps.** A superstep (supersteps.py) is one task per partition, a pure function::

    (state, message, counts) = step(partition, state, messages of the neighboring partitions)

A partition computes until every remaining vertex waits for data of another partition. Its message then contains,
packed, the changed values of its boundary vertices. The client receives the counts, which are a few numbers, and
submits the next round. No data whose size grows with the graph passes through the client or the scheduler. When little
work remains, one task finishes it with the algorithm of one machine, so the number of rounds does not depend on the
last few vertices.

**Dask.** Dask provides scheduling, transfer, spilling, dashboards, deployment, and recovery. Steps are pure, so if a
worker is lost, Dask recomputes its states from partitions and messages, and its partitions from their edges. A killed
worker costs time but never changes a result. If all workers die at once, a plugin of the scheduler (workers.py)
lets the next worker that joins run their tasks.

=====================  =============================================================  =================================
function               one round                                                      rounds
=====================  =============================================================  =================================
sets, distance 1       decides all vertices that do not wait for a ghost              chains of waits, then 3
sets, distance 2       half a round of Luby's algorithm (by degrees: a quarter)       about 20 (40)
colorings              colors all vertices that do not wait for a ghost               chains of waits, then 3
components             joins inside partitions; matches groups at shared vertices     4 or 5 (smallest labels: 7 or 8)
strong components      propagates the largest ancestor and the largest descendant     paths across partitions, then 6
searches               one level                                                      levels + 2
aggregates             two sets at distance 2; roots, members, merged aggregates      those of the sets, and 8
forests                filters inside; one task joins trees, bucket by bucket         5, and 2 for each further bucket
=====================  =============================================================  =================================
"""

from importlib.util import find_spec

if find_spec("distributed") is None:
    raise ModuleNotFoundError('graphs in partitions need Dask: pip install "stablegraph[dask]"', name="distributed")

from ._core.dispatch import FORMS, Form
from .cluster.building import from_edges, from_graph, read_graph
from .cluster.gallery import grid, rmat, uniform_random
from .cluster.graph import DistributedForest, DistributedGraph
from .cluster.problems.aggregation import aggregate
from .cluster.problems.coloring import vertex_coloring
from .cluster.problems.components import connected_components
from .cluster.problems.forest import minimum_spanning_forest
from .cluster.problems.search import breadth_first_search
from .cluster.problems.sets import maximal_independent_set
from .cluster.problems.strong_components import strongly_connected_components
from .cluster.problems.subgraph import subgraph
from .cluster.tables import forest_to_parquet, from_table, to_parquet
from .cluster.verify import aggregation, forest, local_checks, strong_components

__all__ = [
    "DistributedForest",
    "DistributedGraph",
    "forest_to_parquet",
    "from_edges",
    "from_graph",
    "from_table",
    "grid",
    "read_graph",
    "rmat",
    "to_parquet",
    "uniform_random",
]

# The forms for undirected graphs, and those that also accept directed ones.
_OF_EDGES = (
    *(maximal_independent_set, vertex_coloring, minimum_spanning_forest, aggregate, subgraph),
    *(local_checks.explain_independent_set, local_checks.explain_maximal_independent_set),
    *(local_checks.explain_coloring, aggregation.explain_aggregation),
    *(forest.explain_spanning_forest, forest.explain_minimum_spanning_forest),
)
_OF_ARCS = (
    *(connected_components, strongly_connected_components, breadth_first_search, local_checks.explain_bfs_tree),
    *(local_checks.explain_component_labeling, strong_components.explain_strong_component_labeling),
)
_WITH_INFO = (
    *(connected_components, strongly_connected_components, breadth_first_search),
    *(minimum_spanning_forest, aggregate),
)
for _public in (DistributedForest, DistributedGraph):  # so that a process that unpickles one imports this module
    _public.__module__ = __name__
FORMS.update({form.__name__: Form(form, form in _OF_ARCS, form in _WITH_INFO) for form in _OF_EDGES + _OF_ARCS})
