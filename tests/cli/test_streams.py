"""Standard input, output and error: pipes, closed streams, terminals."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys

import pytest

from stablegraph.cli import terminal

from .invoking import PATH, facts, process, refused, run


def test_standard_input(folder):
    assert facts("info", "-", input=PATH)["vertices"] == 5
    assert facts("info", "-", input=gzip.compress(PATH.encode()))["vertices"] == 5
    assert facts("verify", "path.mtx", "-", input="1\n0\n1\n0\n1\n")["verified"] is True
    assert "standard input" in refused("info", "-", input="this is no graph\n")
    assert "both" in refused("verify", "-", "-", input=PATH)


def test_standard_output_holds_the_set_alone(folder):
    result = run("mis", "path.mtx", "--include", "0,2,4", "-o", "-")
    assert (result.exit_code, result.stdout) == (0, "1\n0\n1\n0\n1\n")
    assert "verified" in result.stderr


def test_standard_output_holds_the_graph_alone(folder):
    result = run("generate", "grid", "2x2", "-o", "-", "--to", "metis")
    assert (result.exit_code, result.stdout) == (0, "4 4\n2 3\n1 4\n1 4\n2 3\n")
    result = run("convert", "path.mtx", "-")
    assert result.stdout.startswith("%%MatrixMarket")


@pytest.mark.parametrize("command", [["mis", "path.mtx"], ["color", "path.mtx"], ["generate", "grid", "2x2"]])
def test_json_and_a_result_do_not_mix(folder, command):
    result = run(*command, "-o", "-", "--json")
    assert result.exit_code == 2 and "both want standard output" in json.loads(result.stdout)["error"]


def test_commands_in_a_pipe(folder):
    result = process("generate", "grid", "9x9", "-o", "-", "--to", "snap")
    solved = process("mis", "-", "-o", "-")
    graph, _ = result.communicate()
    mask, _ = solved.communicate(graph)
    assert (result.returncode, solved.returncode) == (0, 0)
    (folder / "grid.txt").write_bytes(graph)
    checked = process("verify", "grid.txt", "-", "--json")
    output, _ = checked.communicate(mask)
    assert checked.returncode == 0 and json.loads(output)["verified"] is True


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_control_c_on_a_running_command(folder):
    reading = process("info", "-")
    reading.stdin.write(b"% a file that never ends\n" * 100_000)  # more than a pipe can buffer: it is being read
    reading.stdin.flush()
    reading.send_signal(signal.SIGINT)
    _, output = reading.communicate(timeout=30)
    assert (reading.returncode, output) == (130, b"stablegraph: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
def test_a_reader_that_leaves_is_no_error(folder):
    with process("generate", "grid", "200x200", "-o", "-", "--to", "snap") as writing:
        writing.stdout.read(10)
        writing.stdout.close()
        writing.stdin.close()
        assert writing.wait(60) == 141
        assert writing.stderr.read() == b""


def in_a_shell(redirections, *arguments, unbuffered=""):
    """Return the exit code and the standard error of a command whose streams a shell has redirected."""
    command = f'exec "$0" -m stablegraph "$@" {redirections}'
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return done.returncode, done.stderr


# Help and version are printed while arguments are parsed, results by a console or by print. A failure occurs at once,
# or when Python flushes.
OUTPUTS = [(["--help"], "1"), (["--version"], ""), (["info", "path.mtx"], ""), (["info", "path.mtx", "--json"], "")]


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
@pytest.mark.parametrize(("arguments", "unbuffered"), OUTPUTS)
def test_a_reader_that_never_reads_is_no_error(folder, arguments, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "stablegraph", *arguments],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(("arguments", "unbuffered"), OUTPUTS)
def test_standard_output_on_a_full_disk(folder, arguments, unbuffered):
    code, output = in_a_shell("> /dev/full", *arguments, unbuffered=unbuffered)
    assert code == 2 and output.endswith("No space left on device\n") and output.count("\n") == 1, output


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell closes streams")
@pytest.mark.parametrize(
    ("redirections", "arguments", "message"),
    [
        (">&-", ["mis", "path.mtx"], "standard output is closed; send it to a file, or to /dev/null"),
        (">&-", ["--version"], "standard output is closed; send it to a file, or to /dev/null"),
        ("<&-", ["mis", "-"], "standard input is closed; name a file instead of -"),
    ],
)
def test_streams_that_are_closed(folder, redirections, arguments, message):
    assert in_a_shell(redirections, *arguments) == (2, f"stablegraph: {message}\n")


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell closes streams")
def test_an_error_that_nobody_can_see_does_not_go_among_the_results(folder):
    command = ["sh", "-c", 'exec "$0" -m stablegraph bogus 2>&-', sys.executable]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
def test_progress_is_shown_on_a_terminal_only(folder):
    terminal_side, program_side = os.openpty()
    command = [sys.executable, "-m", "stablegraph", "mis", "path.mtx", "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=program_side, env=environment
    )
    os.close(program_side)
    shown = os.read(terminal_side, 1_000_000)
    os.close(terminal_side)
    assert done.returncode == 0 and json.loads(done.stdout)["verified"] is True
    assert b"reading path.mtx" in shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0000123, "12 us"), (0.9994, "999 ms"), (0.01234, "12.3 ms"), (2.5, "2.5 s"), (150, "2.5 min")],
)
def test_durations(seconds, text):
    assert terminal.duration(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0 bytes"), (999, "999 bytes"), (12_345, "12.3 kB"), (5e13, "50 TB")])
def test_byte_sizes(count, text):
    assert terminal.byte_size(int(count)) == text
