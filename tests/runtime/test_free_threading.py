"""Eight Python threads call at the same time, and get the pinned answers.

With a free-threaded Python (3.13t, 3.14t), as `.ci/platform free-threaded` uses it, the threads really run at the same
time. Otherwise the GIL changes hands as often as possible.
"""

from __future__ import annotations

import random
import sys
import threading
import warnings

import pytest

from tests.pins.calls import CALLS
from tests.pins.graphs import LISTS, Subject
from tests.pins.lists import WITH_LAPACK, fitting, kept, pin_of
from tests.support.processes import run_python

THREADS = 8
ROUNDS = 2  # each with new graphs, whose first use is a race


def all_at_once(calls):
    """Run each call in a thread of its own, started together; raise the first error."""
    ready, errors = threading.Barrier(len(calls)), []

    def run(call):
        try:
            ready.wait(60)
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def check_some_answers(subjects: list[Subject], expected: dict[tuple[str, str], str], seed: int) -> int:
    """Compare a random part of the answers with the pinned ones, in a random order; return their number."""
    entries = [(subject, call) for subject in subjects for call in CALLS if fitting(call, subject)]
    entries = [(subject, call) for subject, call in entries if not call.name.startswith(WITH_LAPACK)]
    random.Random(seed).shuffle(entries)
    chosen = entries[: len(entries) // 4]
    for subject, call in chosen:
        found = pin_of(call, subject)
        assert found == expected[subject.name, call.name], f"{subject.name}: {call.name}: {found}"
    return len(chosen)


def stress() -> None:
    """Let threads share graphs and call different functions; the first calls also load the library."""
    warnings.simplefilter("ignore")  # `catch_warnings` changes the filters of all threads before Python 3.14
    sys.setswitchinterval(1e-6)
    before = getattr(sys, "_is_gil_enabled", lambda: True)()
    expected, numbers = kept("zoo"), [0] * THREADS
    for number in range(ROUNDS):
        subjects = list(LISTS["zoo"]())

        def part(thread, number=number, subjects=subjects):
            numbers[thread] += check_some_answers(subjects, expected, THREADS * number + thread)

        all_at_once([lambda thread=thread: part(thread) for thread in range(THREADS)])
    after = getattr(sys, "_is_gil_enabled", lambda: True)()
    assert after == before, "a module that was imported enabled the GIL"
    print("GIL" if after else "no GIL", sum(numbers))


@pytest.mark.slow
def test_threads_get_the_pinned_answers():
    shown = run_python("from tests.runtime.test_free_threading import stress\nstress()", timeout=3600).stdout.split()
    assert int(shown[-1]) > 10_000


def test_an_error_of_a_thread_is_raised():
    with pytest.raises(ZeroDivisionError):
        all_at_once([lambda: 1 // 0, lambda: None])
    subject = next(subject for subject in LISTS["zoo"]() if subject.entries)
    wrong = {(subject.name, call.name): "another answer" for call in CALLS}
    with pytest.raises(AssertionError, match=f"{subject.name}: .*: [0-9a-f]{{8}}"):
        check_some_answers([subject], wrong, seed=0)
