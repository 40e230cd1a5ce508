"""Targets, cases, and how a case is run: its program is what is executed, and what is printed if it fails."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.parallel import use_target

from ..pins.checksums import checksum
from .given import Given, draw_form
from .shapes import draw_given, with_weights

PACKAGE = str(Path(sg.__file__).parent)


class Numbers(list[Any]):
    """An option with a number, or a truth, for each vertex."""


class Vertices(list[int]):
    """An option that names vertices."""


class Edges(list[tuple[int, int, Any]]):
    """An option that is edges with weights."""


class Code(str):
    """An option that is a piece of program, such as an argument that must be refused."""


Options = dict[str, Any]
_INTERPRETED = 100  # vertices at most, where kernels run without a compiler
Check = Callable[[Any, Options, Any], None]  # of the graph as oracles read it, the options, the answer


def must(truth: Any, what: str) -> None:
    """Fail, and say what is wrong, unless it is true."""
    if not truth:
        raise AssertionError(what)


def equal(found: Any, expected: Any, what: str) -> None:
    """Fail unless two arrays, lists or numbers are equal."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or not (found == expected).all():
        raise AssertionError(f"{what}: {found.tolist()}, expected {expected.tolist()}")


@dataclass(frozen=True)
class Target:
    """A public function: how its options are drawn, what is right, and what its arguments are."""

    name: str
    draw: Callable[[Random, Given], Options]
    check: Check
    kinds: dict[str, str]  # of arguments that can be wrong: see wrong.py
    directed: bool  # whether the graph may be
    weights: bool = False  # whether it may have some
    code: str = ""  # a program that leaves `answer`; {option} stands for its value, {options} for all that is left
    stable: Callable[[Options], bool] = lambda options: True  # whether the answer is the same however it is run

    def given(self, random: Random) -> Given:
        """A random graph."""
        directed = self.directed and random.random() < 0.7
        return draw_given(random, directed=directed, weights=self.weights and random.random() < 0.8)

    def made_of(self, random: Random, given: Given) -> Given | None:
        """A graph with what else is drawn: a form, and perhaps weights. None if it has arcs, but must not."""
        if given.directed and not self.directed:
            return None
        weighted = self.weights and random.random() < 0.8
        return draw_form(random, with_weights(random, given) if weighted else given)

    def program(self, options: Options) -> str:
        """The call."""
        code = self.code or f"answer = sg.{self.name}(graph, {{options}})"
        rest = []
        for option, value in options.items():
            if f"{{{option}}}" in code:
                code = code.replace(f"{{{option}}}", told(value))
            else:
                rest.append(f"{option}={told(value)}")
        return code.replace("{options}", ", ".join(rest)).replace(", )", ")")


class Targets(list[Target]):
    """The targets of a file, one for each check of an answer that is decorated with `of`."""

    def of(
        self,
        name: str,
        draw: Callable[[Random, Given], Options] = lambda random, given: {},
        *,
        graph: str = "",
        wrong: str = "",
        directed: bool = False,
        **how: Any,
    ) -> Callable[[Check], Check]:
        """Add the public function whose answers a check judges.

        `graph` and `wrong` have the kinds of its arguments: "any" or "undirected", and such as "seed: seed, side:
        choice". A graph of any kind may be directed, others with `directed`. All else is as in `Target`.
        """
        kinds = dict(argument.split(": ") for argument in wrong.split(", ") if argument)
        kinds |= {"graph": graph} if graph else {}

        def add(check: Check) -> Check:
            self.append(Target(name, draw, check, kinds, directed or graph == "any", **how))
            return check

        return add


def algorithm_of(known: Any) -> Callable[[Random, Given], Options]:
    """Draws one of the algorithms of a Literal."""
    return lambda random, given: {"algorithm": random.choice(get_args(known))}


def told(value: Any) -> str:
    """A value as a program has it."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, Numbers):
        return f"np.array({list(value)})" if value else "np.array([], int)"
    if isinstance(value, (Vertices, Edges)):
        return str(list(value))
    return repr(value)


@dataclass(frozen=True)
class Run:
    """How kernels run: on threads, with more workers than these, or shuffled and without a compiler."""

    threads: int = 1
    workers: int | None = None
    shuffled: int | None = None

    def code(self) -> tuple[str, str]:
        """Lines before the call, and how far it is indented."""
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
    """How to run on a graph of n vertices: without a compiler only if it is small."""
    kind = random.random() * (1 if n <= _INTERPRETED else 0.8)
    if kind < 0.6:
        return Run(random.randint(1, 3))
    workers = random.choice([1, 2, 5, 40])
    return Run(random.randint(1, 3), workers, None if kind < 0.8 else random.randint(0, 999))


@dataclass(frozen=True)
class Case:
    """A call on a graph, run in two ways. With `wrong`, an option (or "graph") that must be refused."""

    target: Target
    given: Given
    options: Options
    runs: tuple[Run, Run] = (Run(), Run())
    wrong: str | None = None

    def program(self, run: Run | None = None) -> str:
        """What is run; with a `run`, all that a file of its own needs."""
        graph = f"graph = {self.options['graph']}" if self.wrong == "graph" else self.given.code()
        options = {key: value for key, value in self.options.items() if key != "graph"}
        call = self.target.program(options)
        if run is None:
            return f"{graph}\n{call}\n"
        before, indent = run.code()
        libraries = "import networkx as nx\n" if "nx." in graph else ""
        libraries += "import io\n" if "io." in call else ""
        libraries += "import numpy as np\nimport scipy.sparse as sp\n\nimport stablegraph as sg\n"
        libraries += "from stablegraph.parallel import use_target\n" if indent else ""
        call = "".join(f"{indent}{line}\n" for line in call.splitlines())
        return f"{libraries}\n{graph}\n{before}{call}print(answer)\n"


def execute(program: str) -> Any:
    """What a program leaves as `answer`."""
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
    """What is wrong with a case's answer, if anything: a word for the kind, and what was found."""
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
        case.target.check(case.given.plain(), case.options, answer)
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
        return f"{type(error).__name__} in place of a refusal: {error}\n{_where(error)}"
    return f"not refused: {case.wrong}={told(case.options[case.wrong])}"


def _where(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-3:]
    return "\n".join(f"  {Path(frame.filename).name}:{frame.lineno} {frame.line}" for frame in last)
