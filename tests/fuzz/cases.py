"""Targets, cases, and the execution of a case: its program is executed, and printed if it fails."""

from __future__ import annotations

import math
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.runtime import use_target

from ..pins.checksums import checksum
from .input_graphs import InputGraph, draw_form
from .shapes import draw_input_graph, with_weights

PACKAGE = str(Path(sg.__file__).parent)


class Numbers(list[Any]):
    """An option with a number or a boolean for each vertex."""


class Vertices(list[int]):
    """An option that lists vertices."""


class Edges(list[tuple[int, int, Any]]):
    """An option that lists edges with weights."""


class Code(str):
    """An option that is a piece of a program, such as an argument that must be rejected."""


Options = dict[str, Any]
_INTERPRETED = 100  # maximum number of vertices for runs without a compiler
Check = Callable[[Any, Options, Any], None]  # receives the graph as oracles read it, the options, and the answer


def must(truth: Any, what: str) -> None:
    """Raise an AssertionError with this message unless `truth` is true."""
    if not truth:
        raise AssertionError(what)


def is_too_large(weights: Iterable[Any]) -> bool:
    """Return whether the exact sum of finite weights is beyond the range of float64."""
    numbers = [float(weight) for weight in weights]
    limit = Fraction(2) ** 1024 - Fraction(2) ** 970  # sums of this size or more are rounded to infinity
    return all(map(math.isfinite, numbers)) and abs(sum(map(Fraction, numbers))) >= limit


def equal(result: Any, expected: Any, what: str) -> None:
    """Fail unless two arrays, lists or numbers are equal."""
    result, expected = np.asarray(result), np.asarray(expected)
    if result.shape != expected.shape or not (result == expected).all():
        raise AssertionError(f"{what}: {result.tolist()}, expected {expected.tolist()}")


@dataclass(frozen=True)
class Target:
    """A public function: how its options are drawn, the check of its answers, and the kinds of its arguments."""

    name: str
    draw: Callable[[Random, InputGraph], Options]
    check: Check
    kinds: dict[str, str]  # of arguments that can be wrong; see invalid_arguments.py
    directed: bool  # whether the graph may be directed
    weights: bool = False  # whether the graph may have weights
    code: str = ""  # a program that sets `answer`; {option} is replaced by a value, {options} by all remaining ones
    stable: Callable[[Options], bool] = lambda options: True  # whether the answer is the same in every run

    def input_graph(self, random: Random) -> InputGraph:
        """Draw a random graph."""
        directed = self.directed and random.random() < 0.7
        return draw_input_graph(random, directed=directed, weights=self.weights and random.random() < 0.8)

    def made_of(self, random: Random, input_graph: InputGraph) -> InputGraph | None:
        """Draw a form and perhaps weights for a graph; return None if it is directed and the function rejects that."""
        if input_graph.directed and not self.directed:
            return None
        weighted = self.weights and random.random() < 0.8
        return draw_form(random, with_weights(random, input_graph) if weighted else input_graph)

    def program(self, options: Options) -> str:
        """Return the program of the call."""
        code = self.code or f"answer = sg.{self.name}(graph, {{options}})"
        remaining = []
        for option, value in options.items():
            if f"{{{option}}}" in code:
                code = code.replace(f"{{{option}}}", text_of(value))
            else:
                remaining.append(f"{option}={text_of(value)}")
        return code.replace("{options}", ", ".join(remaining)).replace(", )", ")")


class Targets(list[Target]):
    """The targets of a file: one for each check of an answer that is decorated with `of`."""

    def of(
        self,
        name: str,
        draw: Callable[[Random, InputGraph], Options] = lambda random, input_graph: {},
        *,
        graph: str = "",
        wrong: str = "",
        directed: bool = False,
        **how: Any,
    ) -> Callable[[Check], Check]:
        """Return a decorator that adds the public function whose answers a check judges.

        `graph` and `wrong` are the kinds of its arguments: "any" or "undirected", and text such as "seed: seed, side:
        choice". A graph of kind "any" may be directed; for other kinds set `directed`. The other parameters are those
        of `Target`.
        """
        kinds = dict(argument.split(": ") for argument in wrong.split(", ") if argument)
        kinds |= {"graph": graph} if graph else {}

        def add(check: Check) -> Check:
            self.append(Target(name, draw, check, kinds, directed or graph == "any", **how))
            return check

        return add


def algorithm_of(known: Any) -> Callable[[Random, InputGraph], Options]:
    """Return a generator that draws one of the algorithms of a Literal."""
    return lambda random, input_graph: {"algorithm": random.choice(get_args(known))}


_LISTS = (  # programs of containers with the vertices of a list
    *("{}", "tuple({})", "set({})", "frozenset({})", "dict.fromkeys({}).keys()", "dict(enumerate({})).values()"),
    *("iter({})", "(v for v in {})", "np.array({}, object)", "np.array({}, np.int64)", "np.array({}, np.uint8)"),
)


def text_of(value: Any) -> str:
    """Return a value as source text."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, Numbers):
        return f"np.array({list(value)})" if value else "np.array([], int)"
    if isinstance(value, Vertices):
        text = _LISTS[(sum(value) + 5 * len(value)) % len(_LISTS)]
        text = text.replace("uint8", np.min_scalar_type(max(value, default=0)).name)
        return (text if "set(" not in text or list(set(value)) == value else "{}").format(list(value))
    if isinstance(value, Edges):
        return str(list(value))
    return repr(value)


@dataclass(frozen=True)
class Run:
    """How kernels run: on threads, with more workers than threads, or shuffled and without a compiler."""

    threads: int = 1
    workers: int | None = None
    shuffled: int | None = None

    def code(self) -> tuple[str, str]:
        """Return the lines before the call, and its indentation."""
        lines = f"sg.set_num_threads({self.threads})\n"
        if self.shuffled is not None:
            return lines + f'with use_target("python", seed={self.shuffled}, workers={self.workers}):\n', "    "
        if self.workers is not None:
            return lines + f'with use_target("cpu", workers={self.workers}):\n', "    "
        return lines, ""

    @contextmanager
    def __call__(self) -> Iterator[None]:
        sg.set_num_threads(self.threads)
        if self.shuffled is None and self.workers is None:
            yield
            return
        target = "cpu" if self.shuffled is None else "python"
        with use_target(target, seed=self.shuffled or 0, workers=self.workers):
            yield


def draw_run(random: Random, n: int) -> Run:
    """Draw how to run on a graph of n vertices: without a compiler only if the graph is small."""
    kind = random.random() * (1 if n <= _INTERPRETED else 0.8)
    if kind < 0.6:
        return Run(random.randint(1, 3))
    workers = random.choice([1, 2, 5, 40])
    return Run(random.randint(1, 3), workers, None if kind < 0.8 else random.randint(0, 999))


@dataclass(frozen=True)
class Case:
    """A call on a graph, run in two ways. `wrong` names an option (or "graph") that must be rejected."""

    target: Target
    input_graph: InputGraph
    options: Options
    runs: tuple[Run, Run] = (Run(), Run())
    wrong: str | None = None

    def program(self, run: Run | None = None) -> str:
        """Return the program; with a `run`, complete enough to be run as a file."""
        graph = f"graph = {self.options['graph']}" if self.wrong == "graph" else self.input_graph.code()
        options = {key: value for key, value in self.options.items() if key != "graph"}
        call = self.target.program(options)
        if run is None:
            return f"{graph}\n{call}\n"
        before, indent = run.code()
        libraries = "import networkx as nx\n" if "nx." in graph else ""
        libraries += "import io\n" if "io." in graph + call else ""
        libraries += "import numpy as np\nimport scipy.sparse as sp\n\nimport stablegraph as sg\n"
        libraries += "from stablegraph._core.runtime import use_target\n" if indent else ""
        call = "".join(f"{indent}{line}\n" for line in call.splitlines())
        return f"{libraries}\n{graph}\n{before}{call}print(answer)\n"


def execute(program: str) -> Any:
    """Run a program and return its variable `answer`."""
    names: dict[str, Any] = {"np": np, "sp": sp, "sg": sg}
    if "nx." in program:
        import networkx

        names["nx"] = networkx
    if "io." in program:
        import io

        names["io"] = io
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "<case>", "exec"), names)
    return names["answer"]


def failure(case: Case) -> str | None:
    """Return the error in a case's answer: the kind of failure and the details; None if the answer is correct."""
    try:
        return _refusal(case) if case.wrong else _wrong_answer(case)
    except AssertionError as error:
        return f"wrong answer: {error}"


def _wrong_answer(case: Case) -> str | None:
    program, sums = case.program(), []
    for run in case.runs:
        try:
            with run():
                answer = execute(program)
        except Exception as error:
            return f"{type(error).__name__}: {error}\n{_where(error)}"
        case.target.check(case.input_graph.plain(), case.options, answer)
        if case.target.stable(case.options):
            sums.append(checksum(answer))
    if len(set(sums)) > 1:
        return f"another answer: run as {case.runs[0]} and as {case.runs[1]}"
    return None


def _refusal(case: Case) -> str | None:
    try:
        with case.runs[0]():
            execute(case.program())
    except (ValueError, TypeError) as error:
        text = str(error)
        if not text or "\n" in text.strip() or len(text) > 500:
            return f"no sentence: {type(error).__name__}: {text!r}"
        innermost = traceback.extract_tb(error.__traceback__)[-1].filename
        if not innermost.startswith(PACKAGE):
            return f"refused elsewhere: {type(error).__name__}: {text}\n{_where(error)}"
        return None
    except Exception as error:
        return f"{type(error).__name__} instead of a refusal: {error}\n{_where(error)}"
    return f"not refused: {case.wrong}={text_of(case.options[case.wrong])}"


def _where(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-3:]
    return "\n".join(f"  {Path(frame.filename).name}:{frame.lineno} {frame.line}" for frame in last)
