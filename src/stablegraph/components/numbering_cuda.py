"""Component labels from trees on a GPU; algorithm in numbering.cu, result as in numbering.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import CudaSource, array_module, device_of, report

SOURCE = CudaSource(__file__, "numbering.cu", variants=({"LABEL": np.dtype(np.int32)}, {"LABEL": np.dtype(np.int64)}))

_MAX_SHARES = 1024  # each adds up the counts of all shares before it
_MIN_SHARE = 512  # vertices


def number_components(parent: Any, labels: Any) -> tuple[int, Any]:
    """Return the number of trees, and for each vertex the number of its tree, in `labels`. Flattens the trees.

    No parent may be larger than its vertex; a root is its own parent.
    """
    n, xp = int(parent.size), array_module(device_of(parent))
    if n == 0:
        return 0, labels
    run = SOURCE.compiled(LABEL=parent.dtype)
    shares = min(_MAX_SHARES, -(-n // _MIN_SHARE))
    counts = xp.empty(shares, parent.dtype)
    run("flatten_trees", shares * SOURCE.block, n, shares, parent, counts)
    run("number_roots", shares * SOURCE.block, n, shares, parent, counts, labels, report.blank())
    run("copy_from_roots", n, n, parent, labels)
    return report.read()[0], labels
