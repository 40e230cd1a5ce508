"""Long test campaigns in several processes: division of work, crashes, and cleanup.

Tests import the campaigns, so that processes which run a function of this file do not.
"""

import os

import pytest

from tests.support.jobs import in_processes
from tests.support.processes import ROOT, run_interpreter, run_python


def _square(share):
    if share == 1:
        os._exit(7)  # like a process that is ended by a signal or the system
    return share * share


def test_one_that_crashes_takes_no_other_with_it():
    assert in_processes(_square, 3) == ([0, 4], ["process 1 of 3 ended with exit code 7"])


def test_shares_are_all_cases_and_each_has_work_of_all_kinds():
    from tests.fuzz.run import share_of

    shares = [list(share_of(range(40), share, 3, turns=4)) for share in range(3)]
    assert sorted(number for share in shares for number in share) == list(range(40))
    assert all({number % 4 for number in share} == {0, 1, 2, 3} for share in shares)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["tests.fuzz", "tests.fuzz.files"])
def test_two_jobs_of_a_fuzzer(module, tmp_path):
    counts = tmp_path / "counts"
    done = run_interpreter("-m", module, "--seconds", "0.01", "--jobs", "2", "--counts", str(counts), cwd=ROOT)
    assert done.stdout.rstrip().endswith(" 0 failed")
    assert '"jobs": 2' in counts.read_text()


@pytest.mark.slow
def test_mutants_are_killed_and_survive(tmp_path):
    """Test one module with one test; both folders are restored after a mutant."""
    (tmp_path / "test_version.py").write_text(
        "import stablegraph\n\ndef test_version():\n    assert stablegraph.__version__ != 'other'\n"
    )
    done = run_python(
        f"""
        from pathlib import Path
        from tests import mutants

        folder = Path({str(tmp_path)!r})
        mutants.ROOMS["version"] = (["_version.py"], [str(folder / "test_version.py")])
        path = mutants.PACKAGE / "_version.py"
        sources = ["__version__ = 'other'", "__version__ = 'third'", "__version__ = ("]
        queue = [("version", mutants.Mutant(path, 1, source)) for source in sources] + [("version", None)] * 2
        folders = mutants.copies(folder, 2)
        mutants.load_libraries()
        found = [(trial.mutant and trial.mutant.source[-6:], how) for trial, how in mutants.trials(queue, folders)]
        print(sorted(found, key=str))
        """,
        cwd=ROOT,
    )
    killed = [("other'", "killed"), ("n__ = (", "killed"), ("third'", "survived")]
    assert done.stdout.strip() == str(
        sorted([(None, "survived")] * 2 + [(text[-6:], how) for text, how in killed], key=str)
    )


@pytest.mark.slow
def test_suites_are_compared(tmp_path, capsys):
    """The second suite has a weaker test; a sitting continues with the mutants that have no line yet."""
    from tests import suite_mutants

    for name, assertion in (("strong", "limit(5) == 6 and limit(6) == 7"), ("weak", "limit(5) > 0")):
        package = tmp_path / name / "src" / "stablegraph"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("def limit(n):\n    return n + 1\n")
        (tmp_path / name / "tests").mkdir()
        test = f"from stablegraph import limit\n\ndef test_limit():\n    assert {assertion}\n"
        (tmp_path / name / "tests" / "test_limit.py").write_text(test)
    results = str(tmp_path / "results.tsv")
    for name, count in (("strong", "1"), ("strong", "3"), ("weak", "3")):
        arguments = ["--tree", str(tmp_path / name), "--label", name, "--results", results, "--count", count]
        assert suite_mutants.main(arguments) == 0
    *_, strong, weak, common, _, _, _ = capsys.readouterr().out.splitlines()
    assert (strong, weak) == ("strong: 3 mutants; 3 killed", "weak: 3 mutants; 3 survived")
    assert common == "3 mutants have been tried by all suites"


def test_the_table_of_coverage():
    from tests import coverage

    counts = {"num_statements": 10, "covered_lines": 9, "num_branches": 4, "covered_branches": 1}
    none = dict.fromkeys(counts, 0)
    files = {
        "src/stablegraph/io/csr_files.py": counts,
        "src/stablegraph/io/edge_lists.py": counts,
        "src/stablegraph/graph.py": none,
    }
    output = coverage.table({"files": {path: {"summary": summary} for path, summary in files.items()}})
    rows = [line.split() for line in output.splitlines()]
    assert ["io", "20", "90.0%", "8", "25.0%"] in rows
    assert rows[-1] == ["all", "20", "90.0%", "8", "25.0%"]
    assert set(coverage.INTERPRETED) <= set(coverage.files_of(["tests"]))
