"""The script that counts files, calls and launches."""

from __future__ import annotations

import pytest

from stablegraph._core.runtime.kernel import Kernel
from tests.house import walks


def test_a_walk_is_the_second_call():
    calls = []

    def call():
        calls.append(walks.sg.from_edges([0], [1], symmetrize=True))

    walk = walks.trace(call)
    assert len(calls) == 2
    assert {"conversion.py", "_core/csr/arrays.py"} <= set(walk.files)
    files, functions, count, changes, launches = walk.row()
    assert files <= functions <= count and changes < count == sum(walk.files.values())
    assert launches == sum(code is Kernel.__call__.__code__ for code in walk.calls) > 0


@pytest.mark.parametrize(
    ("name", "package", "file"),
    [
        ("command_line", "rich", "cli/commands/labels.py"),
        ("partitions", "distributed", "cluster/supersteps.py"),
    ],
)
def test_walks_that_need_other_packages(name, package, file):
    pytest.importorskip(package)
    with walks.WALKS[name]() as call:
        assert file in walks.trace(call).files
