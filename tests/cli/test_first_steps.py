"""First steps of a new user: greeting, working examples, completion, suggestions for typing mistakes, the doctor."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest

import stablegraph as sg
from stablegraph import cli, gallery, write_graph
from stablegraph._core.runtime import threads
from stablegraph._core.runtime.config import configuration
from stablegraph.cli import options as choices
from stablegraph.cli.commands import machine
from tests.support.processes import run_interpreter

from .invoking import facts, ok, refused, run


def test_without_arguments_it_greets_and_shows_three_commands_that_there_are():
    greeting = ok()
    shown = re.findall(r"^  stablegraph (\w+)", greeting, re.MULTILINE)
    assert len(shown) == 3 and set(shown) <= set(cli.main.commands)
    assert "stablegraph --help" in greeting and "stablegraph doctor" in greeting


def test_the_overview_names_all_commands():
    overview = ok("--help")
    assert [name for name in cli.main.commands if not re.search(rf"^  {name}\b", overview, re.MULTILINE)] == []


def example(name):
    """Return the example at the end of a command's help, without the name of the program."""
    result = re.search(r"Example: (?:eval \"\$\()?stablegraph (.*?)(?:\)\")?\n\n?", ok(name, "--help"), re.DOTALL)
    assert result, f"the help of {name} has no example"
    return shlex.split(result[1])


@pytest.mark.parametrize("name", list(cli.main.commands))
def test_each_help_has_an_example_that_runs(folder, name):
    if name in ("aggregate", "solve", "report"):
        pytest.importorskip("matplotlib")
    graph = gallery.grid((12, 12))
    for file in ("graph.mtx.gz", "graph.npz"):
        write_graph(file, graph)
    from scipy.io import mmwrite

    mmwrite("matrix.mtx", gallery.laplacian((12, 12)), symmetry="symmetric")
    subprocess.run(["gzip", "matrix.mtx"], check=True)
    ok("mis", "graph.mtx.gz", "-o", "set.txt")
    ok(*example(name))


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["culor", "x"], "'culor'; did you mean 'color'?"),
        (["Mis", "x"], "did you mean 'mis'?"),
        (["generate", "gird", "3", "-o", "x"], "did you mean 'grid'?"),
        (["mis", "x", "--priority", "degre"], "did you mean 'degree'?"),
        (["color", "x", "--order", "smalest-last"], "did you mean 'smallest_last'?"),
        (["mis", "x", "--device", "cda"], "did you mean 'cuda'?"),
        (["mis", "x", "--prioritty", "degree"], "--priority"),
        (["mis", "x", "--device", "gpu"], "did you mean 'cuda'?"),
        (["mis", "x", "--gpu"], "did you mean '--device cuda'?"),
        (["mis", "x", "--k", "2"], "No such option '--k'; use '--distance'"),
        (["color", "x", "--k", "3"], "No such option '--k'; use '--colors'"),
        (["color", "x", "--num-colors", "3"], "use '--colors'"),
        (["color", "x", "--strategy", "dsatur"], "No such option '--strategy'; use '--order'"),
        (["mis", "x", "--random-state", "1"], "No such option '--random-state'; use '--seed'"),
        (["mst", "x"], "did you mean 'forest'?"),
        (["maximal_independent_set", "x"], "did you mean 'mis'?"),
        (["help"], "did you mean '--help'?"),
        (["version"], "did you mean '--version'?"),
    ],
)
def test_what_is_misspelled_is_answered_with_the_nearest(arguments, near):
    assert near in refused(*arguments)


def test_names_of_elsewhere_lead_to_commands_that_there_are():
    assert set(choices._CALLED.values()) <= set(cli.main.commands)
    assert not set(choices._CALLED) & set(cli.main.commands)


def test_an_answer_is_not_written_into_a_file_that_is_called_a_picture(tmp_path):
    picture = tmp_path / "set.pdf"
    assert "not as .pdf (for pictures: stablegraph report)" in refused("mis", "x", "-o", str(picture))
    assert "not as .pdf (for pictures: --plot" in refused("color", "x", "-o", str(picture))
    assert not picture.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_the_command_line(shell):
    script = ok("completion", shell)
    assert f"_STABLEGRAPH_COMPLETE={shell}_complete" in script
    assert "did you mean 'fish'?" in refused("completion", "fsh")


def completion_of(*words):
    """Return the variables with which a shell requests the completion of the last word."""
    return {
        "_STABLEGRAPH_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["stablegraph", *words]),
        "COMP_CWORD": str(len(words)),
    }


def completed(*words):
    return ok(prog_name="stablegraph", env=completion_of(*words)).split()


def test_commands_options_values_and_files_are_completed():
    commands = ["plain,communities", "plain,completion", "plain,components"]
    assert completed("com") == commands == run_interpreter("-m", "stablegraph", **completion_of("com")).stdout.split()
    assert "plain,--priority" in completed("mis", "--p")
    assert completed("color", "--order", "smallest") == ["plain,smallest_last", "plain,smallest_last_in_rounds"]
    assert completed("mis", "gra") == ["file,gra"] == completed("convert", "x", "gra")
    assert completed("mis", "x", "-o", "se") == ["file,se"] == completed("mis", "x", "--plot", "se")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_the_script(tmp_path):
    (tmp_path / "script").write_text(ok("completion", "bash"))
    done = subprocess.run(
        ["bash", "-c", ". ./script && complete -p stablegraph"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0 and "_stablegraph_completion" in done.stdout, done.stderr


# The doctor


def findings(**options):
    return {finding["about"]: finding for finding in facts("doctor", **options)["findings"]}


def test_the_doctor_looks_at_everything_and_finds_a_working_package_well():
    result = findings()
    assert set(result) == {"package", *machine._EXTRAS, "compiled code", "threads", "GPU"}
    assert result["compiled code"]["state"] == "ok" and "click" in result["cli"]["found"]
    assert result["compiled code"]["found"].startswith(configuration()["compiled code"])
    shown = ok("doctor")
    assert all(f" {about} " in shown for about in result)


def test_the_doctor_names_the_extra_that_is_missing(monkeypatch):
    known = machine.version_of
    monkeypatch.setattr(machine, "version_of", lambda name: None if name == "pyarrow" else known(name))
    result = findings()
    assert result["io"]["state"] == "note" and result["io"]["cure"] == 'pip install "stablegraph[io]"'
    assert result["plot"]["cure"] == ""


@pytest.mark.parametrize(
    ("quota", "used", "cure"),
    [(50_000, 2, 1), (150_000, 2, 1), (50_000, 1, None), (200_000, 2, None), ("max", 2, None)],
)
def test_the_doctor_reads_the_quota_of_a_container(monkeypatch, tmp_path, quota, used, cure):
    """The doctor recommends fewer threads, or nothing."""
    monkeypatch.setattr(machine, "_QUOTA", tmp_path / "cpu.max")
    (tmp_path / "cpu.max").write_text(f"{quota} 100000\n")
    with threads(used):
        result = machine._threads()
    assert ("may use" in result.found) == (cure is not None)
    assert cure is None or result.cure == f"export STABLEGRAPH_NUM_THREADS={cure}"


def test_a_wrong_answer_is_a_problem(monkeypatch):
    monkeypatch.setattr(sg, "is_maximal_independent_set", lambda *arguments: False)
    result = {finding["about"]: finding for finding in facts("doctor", code=1)["findings"]}
    assert result["compiled code"]["state"] == "problem"
    assert result["compiled code"]["cure"].startswith("pip install")


def test_no_gpu_is_no_problem(monkeypatch):
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    assert run("doctor").exit_code == 0
