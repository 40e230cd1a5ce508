"""Before and after: two measurements of the same cases, as ratios of their shortest times; two runs of a release.

Times are in edge sweeps, so that files of different days can be compared. Where two checkouts alternated, both have the
same sweep. Of two complete runs of a release on one machine, the speed-ups over peers are compared.
"""

from __future__ import annotations

from pathlib import Path
from statistics import geometric_mean, median

from .best import ratio_text, rows_of
from .cases import NAMES, load
from .results import read_release
from .tables import Line, in_order, markdown, provenance, table_of_times

SIDES = ("before", "after")
WORST = 5  # number of cases that are listed
CHANGED = 10  # percent by which two speed-ups of a release may differ before both are shown
Key = tuple[str, int, str]


def report(lines: list[Line]) -> str:
    """Show the times; if two checkouts alternated, compare the second with the first."""
    sides = [[line for line in lines if line.get("side") == side] for side in SIDES]
    if all(sides):
        return comparison(*sides)
    return f"{table_of_times(lines)}\n\n{provenance(lines)}"


def comparison(before: list[Line], after: list[Line]) -> str:
    """Show the ratio after : before of each common case, their geometric mean, and the worst cases."""
    times = _least(before), _least(after)
    ratios = {key: times[1][key] / times[0][key] for key in times[0] if key in times[1]}
    if not ratios:
        return "The two have no case in common."
    others = changed_answers(before, after)
    graphs = in_order(graph for _, _, graph in ratios)
    rows = []
    for name, threads in in_order((name, threads) for name, threads, _ in ratios):
        result = {graph: ratios.get((name, threads, graph)) for graph in graphs}
        mean = geometric_mean(ratio for ratio in result.values() if ratio)
        cells = [
            f"{ratio:.2f}{' ≠' if (name, threads, graph) in others else ''}" if ratio else ""
            for graph, ratio in result.items()
        ]
        rows.append([f"{name}, {threads} thr", *cells, f"{mean:.3f}"])
    worst = sorted(ratios, key=lambda key: -ratios[key])[:WORST]
    reported = ", ".join(f"{name} on {graph} {ratios[name, threads, graph]:.2f}" for name, threads, graph in worst)
    equal = "all answers are equal" if not others else f"{len(others)} answers differ (≠)"
    facts = [
        f"{len(ratios)} cases, geometric mean {geometric_mean(ratios.values()):.3f}; {equal}.",
        f"Worst: {reported}.",
        *(f"{side}: {provenance(lines)}" for side, lines in zip(SIDES, (before, after), strict=True)),
    ]
    alone = sorted(set(times[0]) ^ set(times[1]))
    if alone:
        facts.insert(2, f"Not in both: {', '.join(f'{name} on {graph}' for name, _, graph in alone)}.")
    return "\n\n".join([markdown(["after : before", *graphs, "mean"], rows), *facts])


def changed_ratios(paths: list[Path]) -> tuple[int, dict[str, list[float]]]:
    """Return the number of speed-ups that several runs of a release have in common, and those that changed."""
    runs = []
    for path in paths:
        lines: dict[str, list[Line]] = {name: [] for name in NAMES}
        for line in read_release(path):
            lines[line["study"]].append(line)
        rows = ((name, row) for name in NAMES for row in rows_of(load(name).best, lines[name], {}))
        runs.append({f"{name}: {row.key}": row.ratio for name, row in rows})
    common = {key: [run[key] for run in runs] for key in runs[0] if all(key in run for run in runs)}
    return len(common), {key: some for key, some in common.items() if max(some) > (1 + CHANGED / 100) * min(some)}


def table_of_changes(count: int, changed: dict[str, list[float]]) -> str:
    """Show the speed-ups that changed, the largest changes first."""
    order = sorted(changed, key=lambda key: min(changed[key]) / max(changed[key]))
    rows = [[key, *map(ratio_text, changed[key]), ratio_text(median(changed[key]))] for key in order]
    head = ["problem, graph", *(f"run {i + 1}" for i in range(len(rows[0]) - 2 if rows else 2)), "median"]
    return f"{markdown(head, rows)}\n\n{len(changed)} of {count} speed-ups differ by more than {CHANGED} %."


def changed_answers(before: list[Line], after: list[Line]) -> list[Key]:
    """Return the cases whose checksums differ."""
    sums = [{_key(line): line["quality"].get("crc32") for line in lines} for lines in (before, after)]
    return [key for key, checksum in sums[0].items() if key in sums[1] and sums[1][key] != checksum]


def _key(line: Line) -> Key:
    return line["algorithm"], line["threads"], line["graph"]


def _least(lines: list[Line]) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for line in lines:
        found[_key(line)] = min(line["sweeps"]["min"], found.get(_key(line), float("inf")))
    return found
