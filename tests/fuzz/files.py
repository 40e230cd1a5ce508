"""A fuzzer for the readers: files of every format, damaged by bytes and by words, plain and compressed.

    python -m tests.fuzz.files                         half a minute
    python -m tests.fuzz.files --seconds 3600 --seed 7 --counts counts.jsonl
    python -m tests.fuzz.files --jobs 16               in 16 processes, with the seeds 0 to 15
    python -m tests.fuzz.files --seed 7 --case 1234    repeat one file: print its bytes and what is wrong

The only correct outcomes are a complete graph or a GraphFileError with a one-sentence message. Any other exception is a
failure, as is a file that takes longer than `LONGEST` seconds or more memory than `MOST` (where the system has limits).
If the format of a text is stated, the graph is compared with the result of a reader of a few lines, and with that of
the text without its last line end. Without weights, each file that is read has the same pattern. Every hundredth case
calls a command with one of its inputs as its output, under a random name: the input must remain.

The outcomes guide the fuzzer: a file with a new outcome (a message that differs from all earlier ones in more than its
numbers and quotations, or a graph of a new kind) is added to the files that are damaged further. A case depends on the
seed and on all cases before it, so `--case` also runs these, without checking them.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import importlib.util
import io
import json
import lzma
import os
import re
import signal
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import stablegraph as sg
from stablegraph.io import GraphFileError

from ..support.jobs import in_processes, prepare
from .plain_readers import TEXTS, edges_of
from .run import until

LONGEST = 20  # seconds of CPU time, for files of a few kilobytes
MOST = 6 << 30  # bytes of address space, of which libraries take about three GiB
CORPUS = 300  # maximum number of files per format that are damaged further
LARGEST = 20_000  # bytes

WORDS = [
    *(b"0", b"1", b"-1", b"+2", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807"),
    *(b"9223372036854775808", b"-9223372036854775808", b"1000000000000", b"99999999999999999999999", b"1e5"),
    *(
        b"1e400",
        b"1e-400",
        b"0.1",
        b".5",
        b"5.",
        b"nan",
        b"inf",
        b"-Infinity",
        b"(1+2j)",
        b"0x10",
        b"1_000",
        b"\xd9\xa1",
        b"",
        b"%",
        b"#",
        b"c",
    ),
    *(b"p", b"e", b"a", b"sp", b"edge", b"tw", b"%%MatrixMarket matrix coordinate", b"array", b"pattern", b"real"),
    *(b"integer", b"complex", b"symmetric", b"skew-symmetric", b"general", b"hermitian", b"# Nodes: 5 Edges: 3"),
    *(b"# Undirected graph", b"# Directed graph", b"source,target,weight", b'"', b"'", b",,", b";", b"\t", b"\r\n"),
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"011", b"100", b"PK\x03\x04", b"PAR1", b"ARROW1", b"\x93NUMPY"),
]
NUMBERS = [0, 1, 2, -1, 3, 127, 255, 2**15, 2**31 - 1, -(2**31), 10**6, 10**9]
PACKERS: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]


class File(NamedTuple):
    """A file: its uncompressed bytes, and the format that is stated, or None."""

    data: bytes
    format: str | None


def seeds() -> list[File]:
    """Return intact files of every format and variant."""
    plain = sg.from_edges([0, 0, 1, 3], [1, 2, 2, 4], n=6, symmetrize=True)
    weighted = sg.from_edges([0, 0, 1, 3], [1, 2, 2, 4], [1.5, -2.0, 1e300, 0.1], symmetrize=True)
    counted = sg.from_edges([0, 1, 2], [1, 2, 2], [7, 8, 9], directed=True)
    named = sg.from_edges([0, 1, 1], [1, 2, 3], nodes=[10, 20, 35, 40], directed=True)
    files = []
    for format in ("mtx", "snap", "csv", "tsv", "dimacs", "metis", "egr", "npz", "parquet", "feather"):
        for graph in (plain, weighted, counted, named):
            stream = io.BytesIO()
            with contextlib.suppress(
                ValueError, ModuleNotFoundError
            ):  # the format cannot store the graph, or needs pyarrow
                sg.write_graph(stream, graph, format=format)
                files.append(File(stream.getvalue(), format))
    import scipy.sparse as sp

    stream = io.BytesIO()
    sp.save_npz(stream, plain.to_scipy())
    files.append(File(stream.getvalue(), "npz"))
    with contextlib.suppress(ModuleNotFoundError):
        files += tables_without_rows()
    texts = {
        "mtx": [
            "%%MatrixMarket matrix array real general\n% c\n2 2\n0\n1.5\n2.5\n0\n",
            "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -4\n",
            "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
            "%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n2 1 5 1\n3 2 -4 0\n",
        ],
        "snap": [
            "# Nodes: 4 Edges: 3\n0 1\n1 2\n2 0\n",
            "# Undirected graph\n0,1,2.5\n1,2,3\n",
            "% bip unweighted\n1 3\n1 4\n2 4\n",
            "source,target,weight\n1,2,3\n2,5,1\n",
            "u;v\nAnn;Bob\nBob;'C y'\n",
            "source,target,weight\n",
            "\ufeff5 7\n7 5\n",
        ],
        "dimacs": [
            "c x\np edge 3 2\nn 1 5\ne 1 2\nn 3 -2\ne 2 3\n",
            "p tw 3 2\n1 2\n2 3\n",
            "p sp 3 2\na 1 2 5\na 2 1 5\n",
        ],
        "hb": [
            f"{'t':72}k\n{3:14}{1:14}{1:14}{1:14}\nRUA{2:25}{2:14}{3:14}\n{'(4I3)':16}{'(4I3)':16}(3E9.2)\n"
            "  1  3  4\n  1  2  1\n 1.00E+00-2.50E+00 3.00D-01\n",
            f"{'t':72}k\n{2:14}{1:14}{1:14}{0:14}{0:14}\nPSA{2:25}{2:14}{2:14}\n{'(4I3)':16}{'(4I3)':16}\n"
            "  1  3  3\n  1  2\n",
        ],
        "metis": [
            "2 1 010\n-4 2\n9 1\n",
            "3 2 11 1\n5 2 7\n6 1 7 3 8\n7 2 8\n",
            "2 1 100\n3 2\n4 1\n",
            "% c\n2 1\n2\n1\n",
            "0 0\n",
            "3 1\n2\n1\n\n",
        ],
    }
    return files + [
        File(text.encode(), format if format != "hb" else None) for format, several in texts.items() for text in several
    ]


def tables_without_rows() -> list[File]:
    """Return tables without rows, whose columns have no types, or other types than ids."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    files = []
    for kind in (pa.null(), pa.float64(), pa.string()):
        table = pa.table({name: pa.array([], kind) for name in ("source", "target", "weight")})
        for format, write in (("parquet", pyarrow.parquet.write_table), ("feather", pyarrow.feather.write_feather)):
            stream = io.BytesIO()
            write(table, stream)
            files.append(File(stream.getvalue(), format))
    return files


def damaged(random: Random, file: File, others: list[File]) -> File:
    """Return a file with one to four changes."""
    data = bytearray(file.data)
    for _ in range(random.choice([1, 1, 1, 2, 3, 4])):
        data = random.choice(_CHANGES)(random, data, others)[:LARGEST] or bytearray(b"\n")
    format = random.choice([file.format, file.format, None, *(random.choice(others).format,)])
    return File(bytes(data), format)


def _flip(random: Random, data: bytearray, others: list[File]) -> bytearray:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data


def _byte(random: Random, data: bytearray, others: list[File]) -> bytearray:
    data[random.randrange(len(data))] = random.choice([0, 9, 10, 32, 44, 45, 46, 48, 49, 57, 101, 127, 255])
    return data


def _cut(random: Random, data: bytearray, others: list[File]) -> bytearray:
    return data[: random.randrange(len(data) + 1)]


def _left_out(random: Random, data: bytearray, others: list[File]) -> bytearray:
    start = random.randrange(len(data))
    return data[:start] + data[start + random.choice([1, 1, 2, 4, 8, 40]) :]


def _word_put_in(random: Random, data: bytearray, others: list[File]) -> bytearray:
    start = random.randrange(len(data) + 1)
    return data[:start] + random.choice([b"", b" ", b"\n"]) + random.choice(WORDS) + data[start:]


def _word_replaced(random: Random, data: bytearray, others: list[File]) -> bytearray:
    words = list(re.finditer(rb"[^\s,;]+", data))
    if not words:
        return data
    place = random.choice(words)
    return data[: place.start()] + random.choice(WORDS) + data[place.end() :]


def _lines(random: Random, data: bytearray, others: list[File]) -> bytearray:
    lines = data.split(b"\n")
    k, j = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines[k], lines[j] = lines[j], lines[k]
        case 1:
            lines.insert(j, lines[k])
        case 2:
            del lines[k]
        case _:
            lines[k:k] = [lines[j]] * random.randint(2, 200)
    return bytearray(b"\n".join(lines))


def _repeated(random: Random, data: bytearray, others: list[File]) -> bytearray:
    start = random.randrange(len(data))
    piece = data[start : start + random.randint(1, 30)]
    return data[:start] + piece * random.choice([2, 3, 50, 500]) + data[start:]


def _spliced(random: Random, data: bytearray, others: list[File]) -> bytearray:
    other = random.choice(others).data
    return data[: random.randrange(len(data) + 1)] + other[random.randrange(len(other) + 1) :]


def _number(random: Random, data: bytearray, others: list[File]) -> bytearray:
    """Replace four or eight bytes by a number, as stored in binary formats."""
    width = random.choice([4, 8])
    start = random.randrange(max(len(data) - width, 0) + 1) // random.choice([1, 4]) * random.choice([1, 4])
    data[start : start + width] = random.choice(NUMBERS).to_bytes(width, "little", signed=True)
    return data


def _member(random: Random, data: bytearray, others: list[File]) -> bytearray:
    """Change a member of an archive, and keep the checksums correct."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {
                info.filename: archive.read(info) for info in archive.infolist()[:20] if info.file_size < LARGEST
            }
    except Exception:  # it is not an archive, or too damaged to be opened
        return _byte(random, data, others)
    name = random.choice(list(members) or ["indptr.npy"])
    content = bytearray(members.get(name, b"\x93NUMPY"))
    change = random.choice([_flip, _byte, _word_replaced, _left_out, _number, _repeated, _header])
    content = change(random, content or bytearray(1), others)
    if random.random() < 0.1:
        name = random.choice(["../" + name, "weights.npy", "nodes.npy", "format.npy", "shape.npy"])
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for other, old in {**members, name: bytes(content)}.items():
            archive.writestr(other, old)
    return bytearray(stream.getvalue())


def _header(random: Random, data: bytearray, others: list[File]) -> bytearray:
    """Write an array header with another type or shape, for example for objects, which only pickles store."""
    stream = io.BytesIO()
    descr = random.choice(["<i4", "<i8", ">i8", "<f8", "|O", "<U3", "|V8", "|b1", "<c16", "|S0"])
    shape: Any = random.choice([(), (0,), (3,), (7,), (2, 3), (10**12,), (-1,), (2**62, 4), (0, 10**18)])
    header = {"descr": descr, "fortran_order": random.random() < 0.2, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return bytearray(stream.getvalue()) + data[-random.randint(1, 200) :]


_CHANGES = [
    *(_flip, _byte, _cut, _left_out, _word_put_in, _word_replaced, _word_replaced),
    *(_lines, _repeated, _spliced, _number, _member),
]


def failure(file: File, packed: bytes) -> tuple[str | None, str]:
    """Return the error in the outcome of a file, or None; and the kind of the outcome."""
    try:
        with within(LONGEST), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy, for types in damaged arrays
            graph = sg.read_graph(io.BytesIO(packed), format=file.format)
    except GraphFileError as error:
        text = str(error)
        if not text or "\n" in text or len(text) > 600 or not text.isprintable():
            return f"no sentence: {text!r}", "no sentence"
        return None, re.sub(r"'[^']*'|\d+|\([^)]*\)", "", text)[:70]
    except ModuleNotFoundError as error:
        return (None if error.name == "pyarrow" else f"{error!r}"), "a library is missing"
    except TooLong:
        return f"longer than {LONGEST} seconds", "long"
    except Exception as error:
        return f"{type(error).__name__}: {error}", type(error).__name__
    other = file._replace(data=packed)  # the same for another way to read it
    if (wrong := _other_pattern(other, graph)) or (
        file.data is packed and file.format in TEXTS and (wrong := _other_without_line_end(other, graph))
    ):
        return wrong, "another graph"
    kind = (
        f"{graph.directed} {graph.weights is None} {graph.nodes is None} {graph.num_vertices > 2} {sorted(graph.facts)}"
    )
    try:
        graph.check()
        assert graph.indptr[-1] == graph.indices.size
        assert not graph.indices.size or 0 <= graph.indices.min() <= graph.indices.max() < graph.num_vertices
        expected = edges_of(file.data, file.format) if file.format in TEXTS else None
    except (AssertionError, ValueError) as error:
        return f"no graph: {error}", kind
    if expected is not None and (result := _edges(graph)) != expected:
        return f"other edges: {sorted(result ^ expected, key=str)[:4]}", kind
    return None, f"{file.format} {kind}"


def _read(file: File, **options: Any) -> Any:
    """Return the graph of a file, or the error."""
    try:
        with within(LONGEST), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy, for types in damaged arrays
            return sg.read_graph(io.BytesIO(file.data), format=file.format, **options)
    except Exception as error:
        return error


def _pairs(graph: Any) -> tuple[int, set[tuple[Any, Any]]]:
    return graph.num_vertices, {(u, v) for u, v, _ in _edges(graph)}


def _other_pattern(file: File, graph: Any) -> str | None:
    """Return why a file has another pattern if its weights are not wanted, or None."""
    other = _read(file, weights=False)
    if isinstance(other, Exception):
        return f"without weights: {other!r}"
    return None if other.weights is None and _pairs(other) == _pairs(graph) else "another pattern without weights"


def _other_without_line_end(file: File, graph: Any) -> str | None:
    """Return why a text is another graph without its last line end, or None."""
    if not file.data.endswith(b"\n") or file.data.endswith((b"\n\n", b"\n\r\n")):
        return None  # after an empty line, the last line may be one that is empty and has no end
    other = _read(file._replace(data=file.data[:-1]))
    if isinstance(other, Exception):
        return f"without the last line end: {other!r}"
    return None if _pairs(other) == _pairs(graph) else "another graph without the last line end"


def input_as_output(random: Random) -> str | None:
    """Call a command with an input as its output, under another name; return why the input did not remain, or None."""
    from click.testing import CliRunner

    from stablegraph import cli

    from ..cli.test_inputs_and_outputs import PAIRS, complete_call

    names, source, output = random.choice(PAIRS)
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name)
        whole = random.choice([file for file in seeds() if file.format not in ("parquet", "feather")])
        place = folder / random.choice(["a b.csv", "x.npz", "graph.mtx", "é.txt"])
        place.write_bytes(whole.data)
        (folder / "path.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")
        (folder / "inner").mkdir()
        (folder / "link").symlink_to(place)
        (folder / "inner" / "back").symlink_to(folder)
        (folder / "hard").hardlink_to(place)
        aliases = [
            place.name,
            f"./{place.name}",
            str(place),
            "link",
            "hard",
            f"inner/back/{place.name}",
            "inner/../link",
        ]
        arguments = complete_call(names, **{source.name: random.choice(aliases), output.name: random.choice(aliases)})
        result = CliRunner().invoke(cli.main, arguments)
        if result.exit_code != 2 or place.read_bytes() != whole.data or not (folder / "link").is_symlink():
            return f"stablegraph {' '.join(arguments)}: exit code {result.exit_code}, {result.output[:200]}"
    return None


def _edges(graph: Any) -> set[tuple[Any, Any, Any]]:
    """Return pairs of names with their weights, smaller names first."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)).tolist()
    names = range(graph.num_vertices) if graph.nodes is None else np.asarray(graph.nodes).tolist()
    weights = [None] * len(rows) if graph.weights is None else map(float, graph.weights.tolist())
    ends = ((names[u], names[v]) for u, v in zip(rows, graph.indices.tolist(), strict=True))
    return {(min(end), max(end), w) for end, w in zip(ends, weights, strict=True)}


class TooLong(Exception):
    """The time limit was reached."""


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise after this CPU time of the process; on systems without such signals there is no limit."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def end(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(
    numbers: Iterable[int], seed: int, report_line: Callable[[str], object] = print, only: int | None = None
) -> tuple[Counter[str], set[str]]:
    """Test the files of these numbers.

    Return the number of files of each format, of compressed ones as "packed", and of failures as "failed"; and all
    kinds of outcomes.
    """
    random, whole = Random(seed), seeds()
    corpus: dict[str, list[File]] = {}
    for file in whole:
        corpus.setdefault(file.format or "", []).append(file)
    known: set[str] = set()
    counts: Counter[str] = Counter()
    reported = set()
    for number in numbers:
        parent = random.choice(corpus[random.choice(list(corpus))] if random.random() < 0.7 else whole)
        file, origin = damaged(random, parent, whole), corpus[parent.format or ""]
        packer = random.choice(PACKERS) if random.random() < 0.15 else None
        packed = file.data if packer is None else packer(file.data)
        if packer is not None and random.random() < 0.5:
            packed = bytes(_byte(random, bytearray(packed), whole))
            file = file._replace(format=None)  # the decompressed content is not compared
        wrong, kind = failure(file, packed)
        if number % 100 == 99 and os.name == "posix" and importlib.util.find_spec("click"):
            wrong, kind = wrong or input_as_output(random), kind
            counts["inputs as outputs"] += 1
        if number == only:
            report_line(f"{file.format} {packed!r}: {wrong or kind}")
        counts[file.format or "found"] += 1
        counts["packed"] += packer is not None
        if kind not in known and len(origin) < CORPUS:
            known.add(kind)
            origin.append(file._replace(format=parent.format))
        if wrong is not None:
            counts["failed"] += 1
            if (short := re.sub(r"['\"].*['\"]|\d+", "", wrong)[:70]) not in reported:
                reported.add(short)
                report_line(
                    f"# python -m tests.fuzz.files --seed {seed} --case {number}\n# {wrong}\n{file.format} {packed!r}"
                )
    return counts, known


def campaign(arguments: argparse.Namespace, share: int) -> tuple[Counter[str], set[str]]:
    """Test the files of one process, which has its own seed, until the time is up."""
    with contextlib.suppress(ImportError):  # on Windows
        import resource

        # pyarrow's default allocator reserves addresses by the GiB and keeps them.
        with contextlib.suppress(ImportError):
            import pyarrow

            pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST))
    numbers = until(arguments.seconds, count()) if arguments.case is None else range(arguments.case + 1)
    return run(numbers, arguments.seed + share, lambda text: print(text, flush=True), arguments.case)


def main() -> int:
    """Run the fuzzer; return exit code 1 if a file failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.files", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="how long (30)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other files (0)")
    parser.add_argument("--case", type=int, help="this file again")
    parser.add_argument("--counts", metavar="FILE", help="add a JSON line there: how many files of each format")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, of seeds that follow this one (1)")
    arguments = parser.parse_args()
    if arguments.case is not None and arguments.jobs > 1:
        parser.error("a case of one seed is tried by one job")
    started = time.monotonic()
    prepare()
    shares, crashed = in_processes(partial(campaign, arguments), arguments.jobs)
    counts = sum((counts for counts, _ in shares), Counter())
    kinds = len(set().union(*(known for _, known in shares)))
    failed, packed = counts.pop("failed", 0), counts.pop("packed", 0)
    if arguments.counts:
        line = {"what": "files", "seed": arguments.seed, "jobs": arguments.jobs}
        line |= {"seconds": round(time.monotonic() - started), "cases": counts, "failed": failed}
        with open(arguments.counts, "a") as file:
            print(json.dumps(line | {"crashed": len(crashed), "kinds": kinds, "packed": packed}), file=file)
    print(*crashed, sep="\n", end="\n" if crashed else "")
    print(f"{counts.total()} files, {packed} of them compressed, {kinds} kinds of answers: {failed} failed")
    return int(failed > 0 or bool(crashed))


if __name__ == "__main__":
    sys.exit(main())
