"""``stablegraph warmup``: everything compiled ahead."""

from __future__ import annotations

import click

from .options import json_option
from .terminal import Facts, byte_size, console_for, duration, show


@click.command("warmup")
@click.option("--wide", is_flag=True, help="Also for graphs with 2**31 entries or vertices; takes three times as long.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), help="Processes that compile.  [default: as many as threads, at most 8]"
)
@json_option
def command(wide: bool, jobs: int | None, as_json: bool) -> None:
    """Compile everything now, so that no later call has to wait."""
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
