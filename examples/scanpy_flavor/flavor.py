"""A flavor "stablegraph" of ``scanpy.tl.leiden``, ready to be proposed to scanpy.

Until scanpy has it, call `leiden` below instead of ``sc.tl.leiden``; it stores the same fields.

In scanpy, the flavor is one branch of ``scanpy/tools/_leiden.py``, before "store output into adata.obs", where
`restrict_to` has already selected the cells::

    elif flavor == "stablegraph":
        groups = groups_of_cells(
            adjacency, resolution=resolution, random_state=random_state, n_iterations=n_iterations,
            use_weights=use_weights, **clustering_args,
        )

The sentence for the parameter `flavor` in its docstring:

    `'stablegraph'` calls :func:`stablegraph.communities`, which uses all processor cores; its clusters are the same for
    every number of threads and on every machine.

`test_flavor.py` is the test for its suite, `times.py` compares the flavors.
"""

from numbers import Integral, Real

import numpy as np

import stablegraph as sg


def groups_of_cells(adjacency, *, resolution=1.0, random_state=0, n_iterations=-1, use_weights=True, **options):
    """Return the group of each cell, numbered by size: 0 is the largest one, of equal ones that of the first cell.

    Parameters
    ----------
    adjacency : sparse matrix
        A symmetric matrix of similarities, such as ``adata.obsp["connectivities"]``.
    resolution : float
        Larger values give more and smaller groups.
    random_state : int
        The seed.
    n_iterations : int
        The number of iterations; -1 repeats them until no cell can improve the modularity by moving.
    use_weights : bool
        Whether the values of the matrix count, or only its pattern.
    **options
        Other options of `stablegraph.communities`, for example ``min_size=10`` or ``objective="cpm"``.
    """
    iterations = None if n_iterations == -1 else n_iterations
    graph = sg.as_graph(adjacency, weights=use_weights)
    count, labels = sg.communities(graph, resolution=resolution, seed=random_state, iterations=iterations, **options)
    order = np.argsort(-np.bincount(labels, minlength=count), kind="stable")
    rank = np.empty(count, int)
    rank[order] = np.arange(count)
    return rank[labels]


def check_arguments(flavor, directed, partition_type, restrict_to, resolution, random_state):
    """Raise an error for values of scanpy's parameters that this flavor does not have."""
    if flavor != "stablegraph":
        raise ValueError(f"flavor must be 'stablegraph', got {flavor!r}: for other flavors, call scanpy.tl.leiden")
    if directed:
        raise ValueError("the flavor 'stablegraph' is for undirected graphs: pass directed=False, or leave it out")
    if partition_type is not None:
        raise ValueError(
            "the flavor 'stablegraph' has no partition_type: pass objective='modularity' (the default, "
            "RBConfigurationVertexPartition of leidenalg) or objective='cpm' (CPMVertexPartition)"
        )
    if restrict_to is not None:
        raise ValueError(
            "this function does not support restrict_to: select the cells, such as "
            "part = adata[adata.obs[key].isin(categories)].copy(), and call leiden(part)"
        )
    if not isinstance(resolution, Real):
        raise TypeError(
            f"resolution must be a number, got {resolution!r}: for several resolutions, call leiden once for each, "
            "with another key_added"
        )
    if not isinstance(random_state, Integral):
        raise TypeError(
            f"random_state must be an integer, got {random_state!r}: groups are a function of the matrix and this seed"
        )


def chosen_matrix(adata, obsp, neighbors_key):
    """Return the matrix in `adata` that the arguments name."""
    if obsp is not None and neighbors_key is not None:
        raise ValueError("obsp and neighbors_key both name a matrix; pass one of them")
    try:
        key = "connectivities" if neighbors_key is None else adata.uns[neighbors_key]["connectivities_key"]
        return adata.obsp[key if obsp is None else obsp]
    except KeyError as error:
        advice = "call scanpy.pp.neighbors(adata) first" if obsp is None else f"adata.obsp has {[*adata.obsp]}"
        raise KeyError(f"adata has no matrix {error}: {advice}") from None


def leiden(
    adata,
    resolution=1,
    *,
    restrict_to=None,
    random_state=0,
    key_added="leiden",
    adjacency=None,
    directed=None,
    use_weights=True,
    n_iterations=-1,
    partition_type=None,
    neighbors_key=None,
    obsp=None,
    copy=False,
    flavor="stablegraph",
    **options,
):
    """Cluster cells into subgroups, as ``scanpy.tl.leiden`` does; its docstring describes the parameters.

    ``adata.obs[key_added]`` receives the groups. ``adata.uns[key_added]`` receives the parameters as "params", and the
    modularity of the groups at this resolution as "modularity". Directed graphs, types of partitions, `restrict_to`,
    several resolutions and ``random_state=None`` are refused.
    """
    check_arguments(flavor, directed, partition_type, restrict_to, resolution, random_state)
    adata = adata.copy() if copy else adata
    if adjacency is None:
        adjacency = chosen_matrix(adata, obsp, neighbors_key)
    import pandas as pd

    groups = groups_of_cells(
        adjacency,
        resolution=resolution,
        random_state=random_state,
        n_iterations=n_iterations,
        use_weights=use_weights,
        **options,
    )
    names = [str(group) for group in range(groups.max(initial=-1) + 1)]
    adata.obs[key_added] = pd.Categorical.from_codes(groups, names)
    params = {"resolution": resolution, "random_state": random_state, "n_iterations": n_iterations}
    modularity = sg.modularity(sg.as_graph(adjacency, weights=use_weights), groups, resolution=resolution)
    adata.uns[key_added] = {"params": params, "modularity": modularity}
    return adata if copy else None
