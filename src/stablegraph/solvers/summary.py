"""The table of a hierarchy: its levels, what they take, and where the time of the setup went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .hierarchy import Level


def table(levels: Sequence[Level], operator_complexity: float, seconds: Mapping[str, float]) -> str:
    """The levels of a hierarchy as lines of text; `seconds` are those of its setup, by phase."""
    count = f"{len(levels)} levels" if len(levels) > 1 else "1 level"
    lines = [
        f"Multigrid, {count}, operator complexity {operator_complexity:.2f}",
        "  level     unknowns       entries   a row   share        MB",
    ]
    total = max(sum(level.A.nnz for level in levels), 1)
    for number, level in enumerate(levels):
        n, entries = level.A.shape[0], level.A.nnz
        row = f"{number:7d} {n:12,d} {entries:13,d} {entries / max(n, 1):7.1f} {entries / total:7.1%}"
        lines.append(f"{row} {level_bytes(level) / 1e6:9.1f}")
    if levels[-1].note is not None:
        lines.append(f"  the last level is the last because {levels[-1].note}")
    phases = ", ".join(f"{phase} {part:.3f}" for phase, part in seconds.items())
    lines.append(f"  setup {sum(seconds.values()):.3f} s: {phases}")
    return "\n".join(lines)


def level_bytes(level: Level) -> int:
    """Bytes of a level's matrix and of what leads to the next level."""
    arrays = {}
    for matrix in (level.A, level.P, level.R):
        if matrix is not None:
            arrays.update({id(array): array.nbytes for array in (matrix.indptr, matrix.indices, matrix.data)})
    return sum(arrays.values())
