"""Calls of the command line, in this process or in another, and their output."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

from click.testing import CliRunner

import stablegraph as sg
from stablegraph import cli

# A path of five vertices: 0 - 1 - 2 - 3 - 4.
PATH = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n"
DIRECTED = "# Directed graph\n3 30\n30 7\n7 3\n"


def run(*arguments, **options):
    """Run a command in this process; like a user's, it shows warnings and does not raise them."""
    threads = sg.num_threads()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            return CliRunner().invoke(cli.main, [str(argument) for argument in arguments], **options)
    finally:
        sg.set_num_threads(threads)


def ok(*arguments, **options):
    result = run(*arguments, **options)
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    return result.stdout


def facts(*arguments, code=0, **options):
    """Return the JSON that a command prints; any other output is an error."""
    result = run(*arguments, "--json", **options)
    assert (result.exit_code, result.stderr) == (code, ""), result.stderr
    return json.loads(result.stdout)


def refused(*arguments, code=2, **options):
    """Return the single line on standard error that rejects a command; standard output must be empty."""
    result = run(*arguments, **options)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert result.stderr.startswith("stablegraph: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "stablegraph", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )
