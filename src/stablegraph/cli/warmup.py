"""``stablegraph warmup``: everything compiled ahead, or what was compiled removed."""

from __future__ import annotations

import click

from .options import given, json_option
from .terminal import Facts, byte_size, console_for, duration, show


@click.command("warmup")
@click.option("--wide", is_flag=True, help="Also for graphs with 2**31 entries or vertices; takes three times as long.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), help="Processes that compile.  [default: as many as threads, at most 8]"
)
@click.option("--clear", is_flag=True, help="Remove what is kept, of all versions, and compile nothing.")
@json_option
def command(wide: bool, jobs: int | None, clear: bool, as_json: bool) -> None:
    """Compile everything now, so that no later call has to wait.

    Example: stablegraph warmup --jobs 2
    """
    if clear:
        if strange := given("wide", "jobs"):
            raise click.UsageError(f"--clear compiles nothing, so it has no option {strange}")
        _clear(as_json)
    else:
        _compile(wide, jobs, as_json)


def _clear(as_json: bool) -> None:
    from ..parallel.cache import cache_root, generations, remove_generations

    root, folders = cache_root(), generations()
    size = remove_generations()
    facts: Facts = {"folder": str(root), "removed": [folder.name for folder in folders], "bytes": size}
    lines = {"removed": f"{len(folders)} folders, {byte_size(size)}" if folders else "nothing: there was nothing"}
    show(as_json, facts, lines, title=f"Compiled code in {root}")


def _compile(wide: bool, jobs: int | None, as_json: bool) -> None:
    from ..parallel.cache import cache_folder
    from ..precompile import warmup as compile_all

    console = console_for(stderr=True)
    if console.is_terminal:
        with console.status("compiling") as status:
            seconds = compile_all(wide=wide, jobs=jobs, progress=lambda name: status.update(f"compiling: {name}"))
    else:
        seconds = compile_all(wide=wide, jobs=jobs)
    folder = cache_folder()
    facts: Facts = {"seconds": seconds, "folder": None if folder is None else str(folder)}
    kept = "nowhere: no folder can be written (STABLEGRAPH_CACHE_DIR names another)" if folder is None else str(folder)
    lines = {"took": duration(seconds), "kept in": kept}
    if folder is not None:
        files = [path for path in folder.rglob("*") if path.is_file()]
        facts["files"], facts["bytes"] = len(files), sum(path.stat().st_size for path in files)
        lines["size"] = f"{byte_size(facts['bytes'])} in {facts['files']} files"
    show(as_json, facts, lines, title="All kernels are ready")
