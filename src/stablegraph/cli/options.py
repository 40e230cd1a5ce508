"""Options and arguments that several commands share; frame.py stores their values in a `Job`.

Words in a name, of an option's value or of a command, may be joined by hyphens or by underscores. The error for an
unknown name suggests the closest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args

import click
from click.shell_completion import CompletionItem

import stablegraph as sg

from .._core.option_names import Device, Merge

_OTHER_NAMES = {  # of commands, in other libraries and in the literature
    "aggregate": "aggregation aggregates coarsen",
    "bench": "benchmark time",
    "bfs": "search breadth-first-search shortest-path shortest-paths distances hops sssp",
    "color": "coloring colors graph-coloring vertex-coloring greedy-color schedule timetable",
    "communities": "community community-detection leiden louvain modularity",
    "components": "cc wcc component connected-components cluster clusters cluster-pairs dedup dedupe deduplicate "
    "deduplication union-find",
    "convert": "export write",
    "forest": "mst msf tree minimum-spanning-tree minimum-spanning-forest spanning-tree spanning-forest kruskal",
    "generate": "gallery",
    "info": "stats describe show summary",
    "matching": "match mates maximal-matching max-weight-matching",
    "mis": "independent-set set maximal-independent-set maximum-independent-set stable-set",
    "report": "plot draw",
    "scc": "strong strong-components strongly-connected-components",
    "solve": "cg amg multigrid linsolve spsolve",
    "verify": "check validate",
}
_CALLED = {name: command for command, names in _OTHER_NAMES.items() for name in names.split()}
_NUMBER_OF_COLORS = ("k", "num_colors", "n_colors", "max_colors")  # its names in other libraries
_ON_A_GPU = ("--gpu", "--cuda")  # other names for --device cuda


class NamedCommands(click.Group):
    """A group of commands whose error for an unknown command suggests the closest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if not (name.startswith("-") or name in known or ctx.resilient_parsing):
            called = _CALLED.get(name.lower().replace("_", "-"))
            hint = f"; did you mean {called!r}?" if called else _meant(name, [*known, "--help", "--version"])
            raise click.UsageError(f"No such command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


class Name(click.Choice):  # type: ignore[type-arg]
    """One of the library's names, with hyphens or underscores; the value is the name as the library spells it."""

    def __init__(self, known: Any, files: bool = False) -> None:
        """Accept the names `known`, one of the Literals in _core/option_names.py or any names, and @FILE if `files`."""
        super().__init__(get_args(known) or list(known))
        self.files = files
        self._known = {_with_underscores(name): name for name in self.choices}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self.files and str(value).startswith("@"):
            return str(value)
        return super().convert(self._known.get(_with_underscores(str(value)), value), param, ctx)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        known = [str(name) for name in self.choices]
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + _meant(_with_underscores(str(value)), known)


class FileName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file, unchanged; the shell's completion offers existing files.

    `writes` is empty for a file that is read, and otherwise says what a command writes to it: an "answer", a "graph", a
    "picture" or a "page". `files_of` uses it to protect the inputs of all commands.
    """

    name = "file"

    def __init__(self, writes: str = "") -> None:
        self.writes = writes

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


class Vertices(click.ParamType):  # type: ignore[type-arg]
    """Vertices as a text, or @FILE."""

    name, files = "text", True


def files_of(ctx: click.Context) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Return the files that a command reads, with their options, and those that it writes, with their contents, too."""
    inputs, outputs = [], []
    for parameter in ctx.command.params:
        option = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name.strip("[]")
        kind, value = parameter.type, ctx.params.get(parameter.name or "")
        for text in filter(None, value if isinstance(value, tuple) else (value,)):
            if isinstance(kind, FileName) and kind.writes:
                outputs.append((option, text, kind.writes))
            elif isinstance(kind, FileName):
                inputs.append((option, text))
            elif getattr(kind, "files", False) and text.startswith("@"):
                inputs.append((option, text[1:]))
    return inputs, outputs


def about_unknown_option(error: click.NoSuchOption) -> str:
    """Return the message about an option that a command does not have."""
    options = [flag for parameter in error.ctx.command.params for flag in parameter.opts] if error.ctx else []
    if error.option_name in _ON_A_GPU and "--device" in options:
        return f"No such option '{error.option_name}'; did you mean '--device cuda'?"
    if error.option_name in ("--weight", "--no-weights") and error.ctx:
        threshold = "; for a threshold, pass --where 'COLUMN >= NUMBER'"
        return (
            f"No such option '{error.option_name}'; {error.ctx.command.name} reads no weights, so leave it out"
            f"{threshold if error.ctx.command.name == 'components' else ''}"
        )
    word = _with_underscores(error.option_name.removeprefix("--"))
    if word in _NUMBER_OF_COLORS and "--colors" in options:
        return f"No such option '{error.option_name}'; use '--colors'"
    if word in ("kind", "type") and "--as" in options:
        return f"No such option '{error.option_name}'; use '--as'"
    from .._core.unknown_options import SYNONYMS

    same = f"--{SYNONYMS.get(word)}"  # the option of this library with the same meaning
    if same in options:
        return f"No such option '{error.option_name}'; use '{same}'"
    return error.format_message()


def _meant(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name."""
    from .._core.unknown_options import nearest

    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def _with_underscores(name: str) -> str:
    return name.replace("-", "_")


Decorator = Callable[..., Any]

_FORMATS = "mtx, snap, csv, tsv, dimacs, metis, egr, npz, parquet or feather"
ANSWER_FORMS = ("text", "csv", "tsv", "parquet", "feather", "npz", "npy")
_PICTURES = (".html", ".jpg", ".json", ".pdf", ".png", ".svg", ".xls", ".xlsx")  # suffixes that no answer has


def combine(*several: Decorator) -> Decorator:
    """Combine several options or arguments to one decorator."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def flag(name: str, help: str, **settings: Any) -> Decorator:
    """Return an option without a value."""
    return click.option(name, is_flag=True, help=help, **settings)


def choice(name: str, known: Any, default: str, help: str) -> Decorator:
    """Return an option whose value is one of the names."""
    return click.option(name, type=Name(known), default=default, show_default=True, help=help)


def number_option(name: str, minimum: int, default: float | None, help: str, maximum: int | None = None) -> Decorator:
    """Return an option whose value is a number in a range, an integer unless the default is none."""
    kind = click.FloatRange if isinstance(default, float) else click.IntRange
    return click.option(name, type=kind(minimum, maximum), default=default, show_default=True, help=help)


def text(name: str, metavar: str, help: str) -> Decorator:
    """Return an option whose value is a text."""
    return click.option(name, metavar=metavar, help=help)


def file_option(name: str, help: str) -> Decorator:
    """Return an option whose value is the name of a file that is read."""
    return click.option(name, type=FileName(), metavar="FILE", help=help)


def algorithm(known: Any) -> Decorator:
    """Return ``--algorithm`` for commands whose algorithms all return the same answer."""
    help = "Algorithm to use; it changes the time, not the answer."
    return choice("--algorithm", known, get_args(known)[0], help)


def vertices(name: str, help: str, **settings: Any) -> Decorator:
    """Return an option whose value is a list of vertices."""
    help += ": 3,7,10-12, names, or @FILE."
    return click.option(name, type=Vertices(), metavar="VERTICES", help=help, **settings)


def max_distance(help: str) -> Decorator:
    """Return ``--max-distance`` of a search."""
    return click.option("--max-distance", type=click.IntRange(min=0), metavar="N", help=help)


def strength_option(help: str) -> Decorator:
    """Return ``--strength`` of aggregation."""
    return click.option("--strength", type=float, metavar="THETA", help=help)


def output(help: str, writes: str, **settings: Any) -> Decorator:
    """Return ``-o``, which names the file that a command writes."""
    return click.option("-o", "--output", type=FileName(writes), metavar="FILE", help=help, **settings)


def answer_output(what: str, text: str) -> Decorator:
    """Return ``--verify`` and ``-o`` for an answer with values for each vertex."""
    tables = ".csv, .tsv, .parquet or .feather (with the file's ids)"
    forms = f"Write the {what}: {tables}, .npz (with ids and options), .npy, or else {text}."
    to = click.option(
        "--to", "target_format", type=Name(ANSWER_FORMS), help="Form of the answer, whatever the suffix; for -o - too."
    )
    return combine(verify, output(forms, "answer", callback=_check_suffix), to)


def _check_suffix(ctx: click.Context, param: click.Parameter, output: str | None) -> str | None:
    """Return the name of an answer's file; raise BadParameter for a suffix whose format cannot contain an answer."""
    suffix = Path(output or "").suffix.lower()
    if suffix in _PICTURES:
        plot = "--plot, or " if any("--plot" in option.opts for option in ctx.command.params) else ""
        raise click.BadParameter(
            f"an answer is written as .csv, .tsv, .parquet, .feather, .npz, .npy or text, not as {suffix} (for "
            f"pictures: {plot}stablegraph report)"
        )
    return output


def plot(what: str) -> Decorator:
    """Return ``--plot``, which draws an answer."""
    help = f"Draw {what} (.png, .svg or .pdf)."
    return click.option("--plot", "picture", type=FileName("picture"), metavar="FILE", help=help)


def _set_threads(ctx: click.Context, parameter: click.Parameter, count: int | None) -> None:
    if count is not None:
        sg.set_num_threads(count)


def _column_option(name: str, help: str) -> Decorator:
    return click.option(f"--{name}", f"{name}_column", metavar="COLUMN", help=help)


file = click.argument("file", type=FileName())
json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
threads = click.option(
    "--threads",
    type=click.IntRange(1),
    callback=_set_threads,
    expose_value=False,
    help="Number of threads; the answer is the same.",
)
device = choice("--device", Device, "cpu", "Where to compute: CPU threads, or the GPU; the answer is the same.")
trusted = flag(
    "--trusted", "Read FILE even if it expands to far more memory than its size (skips the decompression-bomb check)."
)
seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")
symmetrize = flag(
    "--symmetrize",
    "Make edges of the arcs of a directed graph, or of the entries of an unsymmetric matrix. Edge lists and tables "
    "have edges without it.",
)
directed = flag("--directed", "The lines of an edge list, or the rows of a table, are arcs.  [default: edges]")
merge = click.option(
    "--merge",
    type=Name(Merge),
    help="Like --symmetrize, and how the weights of an edge are merged where they differ.",
)
weights = combine(
    _column_option("weight", "Column of the weights in a table.  [default: the column weight or w]"),
    flag("--no-weights", "Read FILE as if it had no weights."),
)
merged_weights = combine(weights, merge)
input_format = combine(
    click.option(
        "--from", "source_format", metavar="FORMAT", help=f"Format of FILE ({_FORMATS}), if it is not to be detected."
    ),
    _column_option("source", "Column of one end of each edge in a table.  [default: source, u, from or src]"),
    _column_option("target", "Column of the other end.  [default: target, v, to or dst]"),
)
target_format = click.option(
    "--to", "target_format", metavar="FORMAT", help=f"Format to write ({_FORMATS}), whatever the suffix."
)
verify = click.option(
    "--verify/--no-verify", default=True, show_default=True, help="Check the answer with an independent verifier."
)
edges_input = combine(input_format, symmetrize, directed)
graph = combine(file, edges_input, trusted, threads, json)
graph_on_device = combine(graph, device)
labels_output = answer_output("labels", "one label a line")
cluster = combine(
    click.option(
        "--dask",
        "cluster",
        metavar="ADDRESS",
        help="Compute on a Dask cluster: the address of its scheduler, or 'local' for processes on this machine. FILE "
        "is an .npz file or a folder of Parquet files, and -o names a folder. Only for graphs that do not fit in the "
        "memory of one machine: a smaller graph takes 4 to 6 times the CPU time of the command without --dask.",
    ),
    click.option("--partitions", type=click.IntRange(1), help="For --dask: ranges of vertices.  [default: 2 a worker]"),
)
records = file_option(
    "--records", "A table with the ids of all vertices, also of those without edges, in its column id."
)
pairs = combine(
    text(
        "--where",
        "CONDITION",
        "Use only the pairs of a table that fulfil a condition: a column, one of < <= > >= == != and a number, such as "
        "'score >= 0.6'.",
    ),
    records,
)
COLOR_FILES = ("sizes", "fixed", "allowed", "forbidden", "rooms")
COLOR_LIMITS = ("capacity", "gap", *COLOR_FILES)  # constraints of colorings


color_limits = combine(
    click.option(
        "--capacity",
        type=click.IntRange(min=0),
        metavar="N",
        help="Maximum number of vertices of a color, or of their total size with --sizes.",
    ),
    file_option(
        "--sizes", "Sizes of the vertices, integers: a table with the columns id and size, or a number per vertex."
    ),
    file_option(
        "--fixed",
        "Colors chosen in advance: a table with the columns id and color, a row for each such vertex; or a color per "
        "vertex, -1 for none. With rooms, a column room also fixes the rooms.",
    ),
    file_option(
        "--allowed",
        "Colors that vertices may have: a table with the columns id and color, a row for each permitted color of a "
        "vertex. Vertices without a row may have all colors.",
    ),
    file_option("--forbidden", "Colors that vertices must not have: a table with the columns id and color."),
    file_option(
        "--rooms",
        "Rooms: a table with the columns room and seats. Each vertex of a color needs a room of its own that is large "
        "enough for its size: --sizes, or one seat without it.",
    ),
    click.option(
        "--gap",
        type=click.IntRange(min=1),
        metavar="N",
        help="Smallest difference of the colors of neighbors.  [default: 1]",
    ),
)
