"""Graphs in partitions, on the workers of a Dask cluster: the same functions, and the same answers bit for bit.

Every answer of this package is a function of graph, options and seed alone. So another schedule may compute it: here
one of supersteps on a graph that no machine need hold whole.

**What is where.** The vertices are split into contiguous ranges with even numbers of vertices and entries; a partition
(partition.py) has the rows of one range, as a Graph of its own with ghosts: the neighbors that others own. A
`DistributedGraph` (graph.py) is the futures of its partitions, and some numbers for each.

**What runs.** A superstep (supersteps.py) is one task a partition, a pure function::

    (state, box, counts) = step(partition, state, boxes of the neighbors)

Within a partition work goes on until only vertices wait that have to hear from others; then its box tells, packed, what
has changed of its boundary. The client is told the counts, a few numbers, and submits the next round. Nothing that
grows with the graph goes through client or scheduler. When little is left, one task finishes it with the algorithm of
one machine, so the number of rounds does not depend on the last few vertices.

**What Dask does.** Scheduling, transfer, spilling, dashboards, deployment, and recovery: as steps are pure, a state is
made again from the partition and the boxes when the worker that had it is lost, and a partition from its edges. A
killed worker costs time, never the answer. If all workers die at once, a plugin of the scheduler (lost_workers.py) lets
the next one take their tasks.

=====================  =============================================================  =================================
function               what a round does                                              rounds
=====================  =============================================================  =================================
sets, distance 1       decides all that does not wait for a ghost                     chains of waits, then 3
sets, distance 2       half of one of Luby's rounds (by degrees: a quarter)           about 20 (40)
colorings              colors all that does not wait for a ghost                      chains of waits, then 3
components             unites inside; groups meet at shared vertices; labels           4 or 5
strong components      hands on the largest vertex that reaches one, and is reached   ways through partitions, then 6
searches               one level                                                      levels + 2
aggregates             two sets at distance 2; roots, who joins, what that makes      those of the sets, and 8
forests                filters inside; one task joins trees, bucket by bucket         5, and 2 for each further bucket
=====================  =============================================================  =================================
"""

from importlib.util import find_spec

if find_spec("distributed") is None:
    raise ModuleNotFoundError('graphs in partitions need Dask: pip install "stablegraph[dask]"', name="distributed")

from .building import from_edges, from_graph, read_graph
from .forest import DistributedForest
from .gallery import grid, rmat, uniform_random
from .graph import DistributedGraph
from .tables import forest_to_parquet, from_table, to_parquet

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
