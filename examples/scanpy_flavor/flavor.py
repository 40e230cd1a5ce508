"""A flavor "stablegraph" of ``scanpy.tl.leiden``, ready to be proposed to scanpy.

Until scanpy has it, call `leiden` below instead of ``sc.tl.leiden``; it stores the same fields.

In scanpy, the flavor is one branch of ``scanpy/tools/_leiden.py``, before "store output into adata.obs"::

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


def leiden(
    adata,
    resolution=1,
    *,
    random_state=0,
    key_added="leiden",
    adjacency=None,
    use_weights=True,
    n_iterations=-1,
    neighbors_key=None,
    obsp=None,
    copy=False,
    **options,
):
    """Cluster cells into subgroups, as ``scanpy.tl.leiden`` does; its docstring describes the parameters.

    ``adata.obs[key_added]`` receives the groups, and ``adata.uns[key_added]["params"]`` the parameters.
    """
    import pandas as pd

    adata = adata.copy() if copy else adata
    if adjacency is None:
        if obsp is not None and neighbors_key is not None:
            raise ValueError("obsp and neighbors_key both name a matrix; pass one of them")
        key = "connectivities" if neighbors_key is None else adata.uns[neighbors_key]["connectivities_key"]
        adjacency = adata.obsp[key if obsp is None else obsp]
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
    adata.uns[key_added] = {"params": params}
    return adata if copy else None
