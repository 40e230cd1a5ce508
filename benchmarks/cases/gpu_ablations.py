"""Ablations of ECL-MIS on a GPU: its kernel, and variants of it with one change each.

The kernel is that of `maximal_independent_set(priority="ecl")`, independent_set/cuda/priority.cu. A change replaces a
line or two of its text. Only the rounds are timed, after the states have been written. All variants must return the
same mask. The serial greedy pass by id is timed on one thread of the same machine's CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph._core.runtime import CudaSource
from stablegraph._core.runtime.cuda.gpu_code import cuda_available
from stablegraph._core.runtime.cuda.source import report as told
from stablegraph._core.runtime.device import wait_for
from stablegraph.independent_set.cuda import priority as priority_cuda
from stablegraph.independent_set.greedy import order

from ..graphs import six_graphs
from ..study import Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Line, figures, graphs_in, markdown, provenance

_LOOK = "    if (ahead | is_ahead(c, v, own, words, order) | is_ahead(d, v, own, words, order)) return WAITS;\n"
_TURNS = "#define MAX_TURNS 4096"
# The changes, as pairs of texts, and their effect in the paper: percent of throughput on a K40 and a Titan X.
VARIANTS: dict[str, tuple[dict[str, str], tuple[float, float] | None]] = {
    "ECL-MIS": ({}, None),
    "4-byte words": (
        {
            "return relaxed(words + (v >> 2)) >> (v & 3) * 8 & 255u;": "return relaxed(words + v);",
            "atomicAnd(words + (v >> 2), ~(255u << (v & 3) * 8));": "store_relaxed((u32*)words + v, OUT);",
            "atomicOr(words + (v >> 2), IN << (v & 3) * 8);": "store_relaxed((u32*)words + v, IN);",
        },
        (-18.9, -31.6),
    ),
    "single bytes": (
        {
            "return relaxed(words + (v >> 2)) >> (v & 3) * 8 & 255u;": "return ((const volatile u8*)words)[v];",
            "atomicAnd(words + (v >> 2), ~(255u << (v & 3) * 8));": "((volatile u8*)words)[v] = OUT;",
            "atomicOr(words + (v >> 2), IN << (v & 3) * 8);": "((volatile u8*)words)[v] = IN;",
        },
        None,
    ),
    "a launch a turn": ({_TURNS: "#define MAX_TURNS 1"}, None),
    "synchronous": (
        {
            _TURNS: "#define MAX_TURNS 1",
            "atomicAnd(words + (v >> 2),": "atomicAnd(words + BEHIND + (v >> 2),",
            "atomicOr(words + (v >> 2),": "atomicOr(words + BEHIND + (v >> 2),",
        },
        (-20.4, -25.5),
    ),
    "all neighbors": (
        {
            "  for (; end - e >= 4; e": "  bool any = false;\n  for (; end - e >= 4; e",
            _LOOK: "    any |= ahead | is_ahead(c, v, own, words, order) | is_ahead(d, v, own, words, order);\n",
            "if (is_ahead(indices[e], v, own, words, order)) return WAITS;\n  return end": (
                "any |= is_ahead(indices[e], v, own, words, order);\n  if (any) return WAITS;\n  return end"
            ),
        },
        (-52.2, -56.1),
    ),
}


def source_of(variant: str) -> CudaSource:
    """Return the source with the changes of a variant."""
    source = CudaSource(priority_cuda.__file__, "priority.cu", also=("order.cuh",))
    text = source.text
    for before, after in VARIANTS[variant][0].items():
        if before not in text:
            raise ValueError(f"{variant}: {before!r} is not in {source.path.name} any more")
        text = text.replace(before, after)
    source.__dict__["text"] = text
    return source


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all variants, and one CPU thread."""
    xp, n, places = graph.xp, graph.num_vertices, order.make_order(graph, "ecl", 0)
    length = n // 4 + 1
    words = xp.zeros(length, np.uint32)
    state = words.view(np.uint8)[:n]
    plain = priority_cuda.SOURCE.for_graph(graph, BY=order.BY_ID)
    of = priority_cuda.arguments_of(places)
    plain("write_bytes", n, n, *of, *priority_cuda.scale_of(graph, places), state)
    expected = sg.maximal_independent_set(graph, priority="ecl").get()
    arguments = (n, graph.indptr, graph.indices, *of, places.values)

    def fresh(variant: str) -> Any:
        if variant == "4-byte words":
            return state.astype(np.uint32)
        return xp.concatenate([words, words]) if variant == "synchronous" else words.copy()

    def run(states: Any, *, variant: str, program: Any) -> Any:
        remaining = 1
        while remaining:
            program("decide", n, *arguments, states, told.blank())
            if variant == "synchronous":
                states[:length] = states[length:]
            remaining = told.read()[0]
        wait_for("cuda")
        return states

    def judge(states: Any, *, variant: str) -> dict[str, Any]:
        result = states if variant == "4-byte words" else states[:length].view(np.uint8)[:n]
        if ((result == order.IN).get() != expected).any():
            raise WrongResult("another set")
        return {"size": int(expected.sum())}

    for variant in VARIANTS:
        macros = {"BY": order.BY_ID, **({"BEHIND": length} if variant == "synchronous" else {})}
        program = source_of(variant).for_graph(graph, **macros)
        yield Case(
            "ablations",
            variant,
            partial(run, variant=variant, program=program),
            partial(judge, variant=variant),
            prepare=partial(fresh, variant),
        )
    on_cpu = graph.to("cpu")
    serial = partial(sg.maximal_independent_set, on_cpu, priority="natural")
    yield Case("ablations", "serial, by id", lambda _: serial(), lambda mask: {"size": int(mask.sum())})


def graphs(options: Options) -> Graphs:
    """Yield the six graphs, on the GPU."""
    if not cuda_available():
        print("left out: no CUDA device, or CuPy is not installed", file=sys.stderr)
        return
    for name, make in six_graphs(options):
        yield name, lambda make=make: make().to("cuda")


def report(lines: list[Line]) -> str:
    """Show the change of throughput in percent, next to that in the paper."""
    if not lines:
        return ""
    shown, names = figures(lines), list(graphs_in(lines))
    seconds = {
        variant: {name: figure.seconds for name in names if (figure := shown.get((variant, 1, name)))}
        for variant in [*VARIANTS, "serial, by id"]
    }
    base, sizes = seconds["ECL-MIS"], graphs_in(lines)
    speed = [f"{sizes[name] / base[name] / 1e6:,.0f}" if name in base else "" for name in names]
    rows = [["*ECL-MIS, million vertices a second*", "", "", "", *speed]]
    for variant, (changes, paper) in VARIANTS.items():
        ratios = {name: base[name] / result for name, result in seconds[variant].items() if name in base}
        if not changes or not ratios:
            continue
        told_there = [f"{percent:+.1f}" for percent in paper] if paper else ["", ""]
        mean = geometric_mean(ratios.values())
        rows.append([variant, *told_there, *(_percent(ratios.get(name)) for name in ("", *names))])
        rows[-1][3] = _percent(mean)
    faster = [
        f"{result / base[name]:,.0f} x" if name in base else "" for name, result in seconds["serial, by id"].items()
    ]
    rows.append(["*over the serial pass by id, one CPU thread*", "", "", "", *faster])
    return (
        markdown(["change of throughput, %", "K40", "Titan X", "mean here", *names], rows) + "\n\n" + provenance(lines)
    )


def _percent(ratio: float | None) -> str:
    return "" if ratio is None else f"{(ratio - 1) * 100:+.0f}"


STUDY = Study(
    __name__,
    (Part("variants", graphs, cases),),
    repeats=15,
    longest=1.0,
    yardsticks_last=10.0,
    report=report,
)
