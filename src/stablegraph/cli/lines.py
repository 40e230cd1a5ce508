"""The lines that people read, made from the facts of a command: for each command a table of labels and formats.

A format names facts, as in `str.format`, with these further forms. A line is omitted if one of its facts is missing or
None; of several formats, the first without a missing fact applies. Labels are formats, too.

    {share:share}        in percent, in parentheses, nothing if missing; {share:share of the vertices} says of what
    {optimal:?TEXT}      TEXT with the value instead of #, nothing if it is missing or False
    {loops:+TEXT}        the same; nothing for 0, too
    {weight:total}       all digits of an integer, ten digits of other numbers
    {bytes:bytes}        an amount of memory
"""

from __future__ import annotations

from string import Formatter
from typing import Any

from .terminal import Facts, byte_size

Lines = dict[str, str | tuple[str, ...]]

_ALGORITHM: Lines = {"algorithm": "{algorithm}"}
_LARGEST: Lines = {"largest": "{largest:,} vertices{largest_share:share}"}
_OF_ONE = "({single_vertices:,} of a single vertex)"
_COMPONENTS: Lines = {"components": "{components:,}  " + _OF_ONE, **_LARGEST, **_ALGORITHM}
_SET: Lines = {"set size": "{size:,}{share:share of the vertices}"}
_WEIGHT: Lines = {"weight": "{weight:total}"}

LINES: dict[str, Lines] = {
    "aggregate": {
        "aggregates": "{aggregates:,}",
        "sizes": (
            "{smallest:,} to {largest:,} vertices, {mean_size:.2f} on average; "
            "10% have at most {tenth:,}, half {half:,}, 90% {nine_tenths:,}",
            "none",
        ),
        "algorithm": "{algorithm}{strength:?, strength #}",
    },
    "bfs": {
        "reached": "{reached:,} vertices{share:share}",
        "farthest": ("vertex {farthest_vertex}{name:? (# in the file)}, at distance {farthest:,}", "none"),
    },
    "color": {
        "colors": "{colors:,}{optimal:?  (the fewest possible)}",
        "bounds": (
            "{reason}",
            "at least {lower_bound:,}: a clique; at most {upper_bound:,} are needed: degeneracy + 1",
            "at least {lower_bound:,}: a vertex and its neighbors",
        ),
        "to try": "{to_try}{effect}",
        "color sizes": ("{smallest:,} to {largest:,} vertices", "none"),
        "order": "{shown_order}, seed {seed}",
    },
    "communities": {
        "communities": "{communities:,}  " + _OF_ONE,
        "{objective_name}": "{objective_value:.6g}",
        **_LARGEST,
        "algorithm": ("{algorithm}, {iterations} iterations, seed {seed}", "{algorithm}, until stable, seed {seed}"),
    },
    "components": _COMPONENTS,
    "forest": {"forest": "{forest_edges:,} edges, {trees_with_noun}", **_WEIGHT, **_ALGORITHM},
    "graph file": {"written": "{output}  ({output_bytes:bytes})", "times": "{times}"},
    "info": {
        "vertices": "{vertices:,}{node_names:?  (with names)}",
        "{arcs_or_edges}": "{edges:,}",
        "kind": "{kind}",
        "{degrees}": "{degree_min:,} to {degree_max:,}, mean {degree_mean:.3g}",
        "isolated": "{isolated_vertices:,}",
        "entries": "{entries:,}{loops:+, # loops}{duplicates:+, # duplicates}",
        "weights": ("{weights}, {lightest:g} to {heaviest:g}", "{weights}", "none"),
        "memory": "{bytes:bytes}  (indptr {indptr_dtype}, indices {indices_dtype})",
        "times": "{times}",
    },
    "large set": {
        **_SET,
        **_WEIGHT,
        "upper bound": "{upper_bound:,}  ({proof})",
        "search": "{rounds:,} of {limit:,} rounds, seed {seed}{stopped:?  (stopped)}",
    },
    "matching": {
        "matching": "{matched_edges:,} edges{share:share of the vertices}",
        "weight": "{total:total}",
        "rounds": "{rounds:,}, seed {seed}",
    },
    "mis": {
        **_SET,
        "order": ("{priority}, seed {seed}", "{algorithm}, seed {seed}"),
        **_WEIGHT,
        "rounds": ("{info[rounds]:,}, {info[edges]:,} entries read", "{info[rounds]:,}"),
    },
    "scc": _COMPONENTS,
    "solve": {
        "method": "{method}: {reason}{eliminated:+, # unknowns eliminated first}",
        "levels": "{unknowns} unknowns, operator complexity {operator_complexity:.2f}",
        "smoother": "{smoother}, {cycle}-cycle",
        "right side": ("{source}", "random, seed {seed}"),
        "iterations": "{iterations:,}, residual {size}",
    },
    "verify": {
        **_SET,
        "colors": "{colors:,}",
        "labels": "{labels:,}",
        **_WEIGHT,
        "matching": "{matched_edges:,} edges",
        "reached": "{reached:,} vertices",
    },
}


def lines_of(name: str, values: Facts) -> dict[str, str]:
    """Return the labeled lines of a table for these facts, and further values."""
    lines, text = {}, _Text()
    for label, formats in LINES[name].items():
        for form in (formats,) if isinstance(formats, str) else formats:
            try:
                lines[text.vformat(label, (), values)] = text.vformat(form, (), values)
                break
            except (LookupError, TypeError):  # a fact is missing
                continue
    return lines


class _Text(Formatter):
    """A formatter with the forms of this module."""

    def get_value(self, key: Any, args: Any, kwargs: Any) -> Any:
        return kwargs.get(key)

    def format_field(self, value: Any, form: str) -> str:
        if form.startswith("share"):
            return "" if value is None else f"  ({value:.1%}{form.removeprefix('share')})"
        if form[:1] in ("?", "+"):
            shown = f"{value:g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
            is_absent = value is None or value is False or (form[0] == "+" and not value)
            return "" if is_absent else form[1:].replace("#", shown)
        if value is None:
            raise LookupError
        special = {"total": shown_weight, "bytes": byte_size}
        return special[form](value) if form in special else format(value, form)


def shown_weight(weight: float) -> str:
    """Return a total weight as text: all digits of an integer, ten digits of other numbers."""
    return f"{weight:,}" if isinstance(weight, int) else f"{weight:,.10g}"
