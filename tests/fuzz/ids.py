"""A fuzzer for vertex ids: one table of edges through every interface that accepts one, with equal graphs.

    python -m tests.fuzz.ids                          half a minute
    python -m tests.fuzz.ids --seconds 3600 --seed 7 --counts counts.jsonl
    python -m tests.fuzz.ids --jobs 16                in 16 processes, with the seeds 0 to 15
    python -m tests.fuzz.ids --seed 7 --case 1234     repeat one case

A case is a table of edges between ids of one kind: integers of every size, strings that look like integers
(zero-padded, hexadecimal, with signs or blanks, beyond 64 bits), other strings, or bytes. The table is passed to
`from_table` (as pyarrow, and as pandas and polars if they are installed, with plain and categorical columns), to files
of every table format, to the command line, and to partitions. Each of these must return the same names and edges, or
reject the table with a one-sentence message where the rule requires it, and must find its names in every container. The
rule for delimited text is implemented in this module in plain Python: ids are integers only if each of them is a
canonical integer.

A case depends only on the seed and its number. The exit code is 1 if a case failed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import io
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import stablegraph as sg

from ..support.containers import contained
from ..support.jobs import in_processes, prepare
from .run import until

CANONICAL = re.compile(r"0|-?[1-9][0-9]*")
LETTERS = "abzAZ09 _-.,;:#%'\"é日\u00a0\U0001f600\t"


class Case(NamedTuple):
    """Edges between ids of one kind."""

    kind: str
    u: list[Any]
    v: list[Any]
    random: Random  # for the choices of the interfaces


def drawn(seed: int, number: int) -> Case:
    """Draw the case of a number."""
    random = Random(f"{seed} {number}")
    kind = random.choice(list(KINDS))
    ids = list(dict.fromkeys(KINDS[kind](random) for _ in range(random.randint(1, 12))))
    if kind == "0 .. n - 1":
        ids = list(range(len(ids)))
    elif ids and isinstance(ids[0], str) and random.random() < 0.5:
        ids += [text for text in map(str, range(random.randint(1, 4))) if text not in ids]
    rows = random.randint(1, 20)
    return Case(kind, random.choices(ids, k=rows), random.choices(ids, k=rows), random)


def _near(random: Random, *places: int) -> int:
    return random.choice(places) + random.randint(-2, 2)


def _text(random: Random, largest: int) -> str:
    return "".join(random.choices(LETTERS, k=random.randint(0, largest)))


KINDS: dict[str, Callable[[Random], Any]] = {
    "0 .. n - 1": lambda random: random.randint(0, 2**60),
    "integers": lambda random: random.randint(0, 40),
    "negative": lambda random: random.randint(-10, 10),
    "near the limits": lambda random: min(max(_near(random, -(2**63), 2**63 - 1, 0, -(2**31)), -(2**63)), 2**63 - 1),
    "beyond 63 bits": lambda random: min(max(_near(random, 2**63, 2**64 - 1, 2, 2**32), 0), 2**64 - 1),
    "all 65 bits": lambda random: random.choice([-1, 0, 1, -(2**63), 2**63, 2**64 - 1]),
    "beyond 64 bits": lambda random: str(_near(random, 2**64, -(2**63), 2**63, 2**70, 10**19)),
    "zero-padded": lambda random: str(random.randint(0, 20)).zfill(random.randint(1, 4)),
    "hexadecimal": lambda random: random.choice(["0x{:x}", "0X{:X}", "{:x}", "0x{:08X}"]).format(
        random.randint(0, 300)
    ),
    "signs": lambda random: random.choice(["+{}", "-{}", "{}", "--{}", "+-{}", "{}-"]).format(random.randint(0, 3)),
    "blanks": lambda random: random.choice([" {}", "{} ", "{}", "\t{}", "{}\u00a0"]).format(random.randint(0, 9)),
    "decimals": lambda random: random.choice(["{}.0", "{}e1", "{}_0", "{},5", "{}.", "{}"]).format(
        random.randint(0, 9)
    ),
    "words of values": lambda random: random.choice(["NA", "nan", "null", "None", "true", "inf", "-", "N/A", "1"]),
    "texts": lambda random: _text(random, 6),
    "long texts": lambda random: "x" * random.choice([10, 40, 3000]) + _text(random, 9),
    "bytes": lambda random: random.randbytes(random.randint(0, 20)),
    "bytes of one width": lambda random: random.randbytes(2),
}


# ------------------------------------------------------------------------------------------------------- the oracle


def as_delimited(texts: Iterable[str]) -> dict[str, Any] | str:
    """Map each field of delimited text to its value (integers if all are canonical), or return why it is rejected."""
    texts = set(texts)
    if all(CANONICAL.fullmatch(text) for text in texts):
        numbers = {text: int(text) for text in texts}
        smallest, largest = min(numbers.values()), max(numbers.values())
        if (smallest >= -(2**63) and largest < 2**63) or (smallest >= 0 and largest < 2**64):
            return numbers
    if len({text.strip() for text in texts}) < len(texts):
        return "differ only in the blanks"
    return {text: text for text in texts}


def expected_graph(u: list[Any], v: list[Any]) -> tuple[list[Any], set[tuple[Any, Any]]]:
    """Return the names in ascending order, and the edges between them."""
    return sorted({*u, *v}), {(min(edge), max(edge)) for edge in zip(u, v, strict=True)}


def components(names: list[Any], edges: set[tuple[Any, Any]]) -> list[int]:
    """Return the component of each name; components are numbered by their smallest names."""
    smallest = {name: name for name in names}
    for _ in names:
        for a, b in edges:
            smallest[a] = smallest[b] = min(smallest[a], smallest[b])
    numbers = {name: k for k, name in enumerate(sorted(set(smallest.values())))}
    return [numbers[smallest[name]] for name in names]


def answer_of(graph: sg.Graph) -> tuple[list[Any], set[tuple[Any, Any]]]:
    """Return the names and edges of a graph, after checking its lookup of names and its table of answers."""
    names = sg.to_table(graph, degree=graph.degrees)["id"].to_pylist()
    if names:
        every = list(range(graph.num_vertices))
        assert graph.index(names).tolist() == every, "names do not lead back to vertices"
        for container, listed, in_order in contained(names):
            found = np.atleast_1d(graph.index(listed)).tolist()
            assert found == [names.index(name) for name in in_order], f"names in another container: {container}"
            _, listed, _ = next(one for one in contained(names) if one[0] == container)  # an iterator is read once
            part = graph.subgraph(listed) if isinstance(names[0], (str, bytes)) else graph.subgraph(found)
            assert part.num_entries == graph.num_entries, f"another subgraph of the names: {container}"
    assert graph.nodes is None or list(graph.nodes) == names, "graph.nodes differ from the ids of to_table"
    rows, columns = graph.to_scipy().nonzero()
    return names, {
        (min(a, b), max(a, b)) for a, b in ((names[i], names[j]) for i, j in zip(rows, columns, strict=True))
    }


# ---------------------------------------------------------------------------------------------------------- interfaces


def _arrow_type(random: Random, values: list[Any]) -> Any:
    """Draw a type that can store these values; return None if there is none."""
    import pyarrow as pa

    if isinstance(values[0], int):
        smallest, largest = min(values), max(values)
        kinds = [
            getattr(pa, f"{sign}int{bits}")()
            for bits in (8, 16, 32, 64)
            for sign, low, high in (("", -(2 ** (bits - 1)), 2 ** (bits - 1)), ("u", 0, 2**bits))
            if low <= smallest and largest < high
        ]
        kinds += [pa.dictionary(pa.int8(), kind) for kind in kinds]
    elif isinstance(values[0], str):
        kinds = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    else:
        kinds = [pa.binary(), pa.large_binary(), pa.binary_view()]
        if values[0] and len({len(value) for value in values}) == 1:  # Parquet has no width 0
            kinds += [pa.binary(len(values[0]))] * 3
    kinds = [kind for kind in kinds if _fits_parquet(kind)]
    return random.choice(kinds) if kinds else None


@cache
def _fits_parquet(kind: Any) -> bool:
    """Return whether this version of PyArrow writes the type to Parquet files; old ones do not write views."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        parquet.write_table(pa.table({"column": pa.array([], kind)}), io.BytesIO())
    except pa.ArrowNotImplementedError:
        return False
    return True


def _arrow(case: Case) -> Any:
    """Return the table, each column in chunks and with its own type; None if a column has no type."""
    import pyarrow as pa

    columns = {}
    for name, values in (("source", case.u), ("target", case.v)):
        kind = _arrow_type(case.random, values)
        if kind is None:
            return None
        cut = case.random.randint(0, len(values))
        columns[name] = pa.chunked_array([pa.array(values[:cut], kind), pa.array(values[cut:], kind)], kind)
    return pa.table(columns)


def through_pyarrow(case: Case, folder: Path) -> Any:
    """Pass a pyarrow table to `from_table`."""
    return sg.from_table(_arrow(case))


def through_pandas(case: Case, folder: Path) -> Any:
    """Pass a pandas DataFrame to `from_table`, perhaps with categories."""
    import pandas as pd

    frame = pd.DataFrame({"source": case.u, "target": case.v})
    return sg.from_table(frame.astype("category") if case.random.random() < 0.5 else frame)


def through_polars(case: Case, folder: Path) -> Any:
    """Pass a polars DataFrame to `from_table`, perhaps with categories."""
    import polars as pl

    frame = pl.DataFrame({"source": case.u, "target": case.v}, infer_schema_length=None)
    if isinstance(case.u[0], str):
        kind = case.random.choice([pl.String, pl.Categorical, pl.Enum(sorted({*case.u, *case.v}))])
        frame = frame.with_columns(pl.col(case.random.choice([["source"], ["source", "target"]])).cast(kind))
    return sg.from_table(frame)


def _written(case: Case, folder: Path) -> Path:
    """Write the table to a Parquet or Feather file."""
    import pyarrow.feather as feather
    import pyarrow.parquet as parquet

    suffix = case.random.choice(["parquet", "feather"])
    path = folder / f"edges.{suffix}"
    table = _arrow(case)
    if suffix == "parquet":
        parquet.write_table(table, path, row_group_size=case.random.choice([3, 100]))
    else:
        feather.write_feather(table, str(path))
    return path


def through_table_files(case: Case, folder: Path) -> Any:
    """Read a Parquet or Feather file with `read_graph`."""
    return sg.read_graph(_written(case, folder), symmetrize=True)


def _delimited(case: Case, folder: Path) -> Path:
    """Write the table to a .csv or .tsv file, perhaps compressed."""
    random = case.random
    suffix, separator = random.choice([("csv", ","), ("csv", ";"), ("tsv", "\t")])
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if "" in (*case.u, *case.v) else random.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    writer = csv.writer(text, delimiter=separator, lineterminator=random.choice(["\n", "\r\n"]), quoting=quoting)
    writer.writerows([("source", "target"), *zip(case.u, case.v, strict=True)])
    data = text.getvalue().encode()
    path = folder / f"edges.{suffix}"
    if random.random() < 0.2:
        path, data = folder / f"edges.{suffix}.gz", gzip.compress(data)
    path.write_bytes(data)
    return path


def through_text_files(case: Case, folder: Path) -> Any:
    """Read delimited text with `read_graph`."""
    return sg.read_graph(_delimited(case, folder), symmetrize=True)


def through_command_line(case: Case, folder: Path, written: Callable[[Case, Path], Path]) -> Any:
    """Return the ids and components that the command `components` writes, or the message of a rejection."""
    import pyarrow.parquet as parquet
    from click.testing import CliRunner

    from stablegraph import cli

    answer = folder / "answer.parquet"
    result = CliRunner().invoke(cli.main, ["components", str(written(case, folder)), "--symmetrize", "-o", str(answer)])
    if result.exit_code == 2:
        raise ValueError(result.stderr.strip())
    assert result.exit_code == 0, f"exit code {result.exit_code}: {result.stderr} {result.exception!r}"
    ids, labels = parquet.read_table(answer).to_pydict().values()
    return ids, labels


def through_partitions(case: Case, folder: Path) -> Any:
    """Read a Parquet file with `distributed.from_table`, and gather it into one graph."""
    import pyarrow.parquet as parquet

    from ..support.serial_client import SerialClient

    path = folder / "parts.parquet"
    parquet.write_table(_arrow(case), path, row_group_size=case.random.choice([2, 5, 100]))
    graph = sg.distributed.from_table(path, partitions=case.random.choice([1, 2, 3]), client=SerialClient())
    names = None if graph.nodes is None else graph.nodes.compute(scheduler="sync").tolist()
    whole = graph.to_graph()
    assert (whole.nodes is None) == (names is None), "names in partitions, but none at one place, or the reverse"
    assert names is None or list(whole.nodes) == names, "other names in partitions"
    return whole


TYPED: dict[str, Callable[[Case, Path], Any]] = {
    "pyarrow": through_pyarrow,
    "pandas": through_pandas,
    "polars": through_polars,
    "table files": through_table_files,
    "command line, table": partial(through_command_line, written=_written),
    "partitions": through_partitions,
}
DELIMITED: dict[str, Callable[[Case, Path], Any]] = {
    "text files": through_text_files,
    "command line, text": partial(through_command_line, written=_delimited),
}
NEEDED = {"pandas": "pandas", "polars": "polars", "partitions": "distributed"}
ONLY_ARROW = ("bytes", "bytes of one width")


def available() -> set[str]:
    """Return the interfaces whose libraries are installed."""
    return {name for name in (*TYPED, *DELIMITED) if importlib.util.find_spec(NEEDED.get(name, "pyarrow"))}


def failure(case: Case, name: str) -> str | None:
    """Return the defect of the graph that an interface makes of a table; None if there is none."""
    u, v, refusal = case.u, case.v, None
    if name in DELIMITED:
        meanings = as_delimited(map(str, (*u, *v)))
        if isinstance(meanings, str):
            refusal = meanings
        else:
            u, v = ([meanings[str(x)] for x in end] for end in (u, v))
    elif isinstance(u[0], int) and min(*u, *v) < 0 and max(*u, *v) >= 2**63:
        refusal = "2\\*\\*63 or more"
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = (TYPED | DELIMITED)[name](case, Path(folder))
            answer = answer_of(result) if isinstance(result, sg.Graph) else result
    except ValueError as error:
        text = str(error)
        right = refusal is not None and re.search(refusal, text) and "\n" not in text
        return None if right else f"{type(error).__name__}: {text}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if refusal is not None:
        return f"not refused: {refusal}"
    expected: Any = expected_graph(u, v)
    if isinstance(answer[1], list):
        expected = expected[0], components(*expected)
    if answer[0] != expected[0] or list(map(type, answer[0])) != list(map(type, expected[0])):
        return f"names {answer[0]}, expected {expected[0]}"
    return None if answer[1] == expected[1] else f"edges or components {answer[1]}, expected {expected[1]}"


def applies(case: Case, name: str) -> bool:
    """Return whether an interface can store the ids of a case."""
    ids = (*case.u, *case.v)
    if name in DELIMITED:
        return not isinstance(ids[0], bytes)
    if isinstance(ids[0], int) and any(min(end) < 0 and max(end) >= 2**63 for end in (case.u, case.v)):
        return False  # no column type can store both
    if name == "pandas":
        return isinstance(ids[0], str) or max(ids) < 2**63 if case.kind not in ONLY_ARROW else True
    return True


def run(numbers: Iterable[int], seed: int, report_line: Callable[[str], object] = print) -> Counter[str]:
    """Run the cases of these numbers; return the number of tables per interface, and of failures as "failed"."""
    counts: Counter[str] = Counter()
    names = sorted(available())
    reported = set()
    for number in numbers:
        for name in names:
            case = drawn(seed, number)
            if not applies(case, name):
                continue
            counts[name] += 1
            wrong = failure(case, name)
            if wrong is None:
                continue
            counts["failed"] += 1
            if (name, case.kind, wrong[:12]) not in reported:
                reported.add((name, case.kind, wrong[:12]))
                again = f"python -m tests.fuzz.ids --seed {seed} --case {number}"
                report_line(f"# {again}\n# {name}, {case.kind}: {wrong[:600]}\n# {case.u} {case.v}"[:1500])
    return counts


def campaign(arguments: argparse.Namespace, share: int) -> Counter[str]:
    """Run the cases of one process, which has its own seed, until the time is up."""
    numbers = until(arguments.seconds, count()) if arguments.case is None else [arguments.case]
    return run(numbers, arguments.seed + share, lambda text: print(text, flush=True))


def main() -> int:
    """Run the fuzzer; return exit code 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.ids", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="how long (30)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other cases (0)")
    parser.add_argument("--case", type=int, help="this case again")
    parser.add_argument("--counts", metavar="FILE", help="add a JSON line there: how many tables each interface took")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, of seeds that follow this one (1)")
    arguments = parser.parse_args()
    if arguments.case is not None and arguments.jobs > 1:
        parser.error("a case of one seed is tried by one job")
    started = time.monotonic()
    prepare()
    shares, crashed = in_processes(partial(campaign, arguments), arguments.jobs)
    counts = sum(shares, Counter())
    failed = counts.pop("failed", 0)
    if arguments.counts:
        line = {"what": "ids", "seed": arguments.seed, "jobs": arguments.jobs}
        line |= {"seconds": round(time.monotonic() - started), "cases": counts, "failed": failed}
        with open(arguments.counts, "a") as file:
            print(json.dumps(line | {"crashed": len(crashed)}), file=file)
    print(*crashed, sep="\n", end="\n" if crashed else "")
    print(f"{counts.total()} tables through {len(counts)} interfaces, seed {arguments.seed}: {failed} failed")
    return int(failed > 0 or bool(crashed))


if __name__ == "__main__":
    sys.exit(main())
