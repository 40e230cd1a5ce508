"""Python in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]  # of the repository


def run_interpreter(
    *arguments: str, check: bool = True, timeout: float = 300, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments and return the completed process; with `check`, require success."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
    )
    if check:
        assert done.returncode == 0, done.stderr
    return done


def run_python(program: str, **options) -> subprocess.CompletedProcess[str]:
    """Run a program given as text; options are those of `run_interpreter`."""
    return run_interpreter("-c", textwrap.dedent(program), **options)
