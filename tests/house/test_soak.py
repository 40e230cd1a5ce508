"""Some seconds of the soak test; it detects wrong answers, rising memory, and calls that slow down."""

import pytest

from tests.soak import RISE_OF_MEMORY, RISE_OF_TIME, Job, Sample, Soak, chosen_jobs
from tests.support.processes import ROOT, run_python

MIXED_CALLS = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests import soak
sys.argv[1:] = "--calls 200 --threads 8 --pairs 40".split()
sys.exit(soak.main())
"""


@pytest.mark.slow
def test_eight_threads_with_mixed_calls():
    output = run_python(MIXED_CALLS).stdout.split()
    assert " ".join(output[:5]) == "40 different calls, 8 threads"
    assert " ".join(output[-4:]) == "200 calls: 0 failed"


def test_a_wrong_answer_is_seen():
    job = chosen_jobs(1, 0)[0]
    soak = Soak([Job(job.subject, job.call, "0" * 8)], threads=2, calls=6, seed=0)
    soak.run(60, every=30)
    assert sum(soak.done) == 6
    assert soak.verdict() == [f"{job.subject.name}: {job.call.name}: was 00000000, is {job.right}"]


@pytest.mark.parametrize(
    ("memory", "time", "wrong"),
    [
        (0.5 * RISE_OF_MEMORY, 1.0, []),
        (1.5 * RISE_OF_MEMORY, 1.0, ["memory rose by 24.0 MiB"]),
        (0.0, 1.1 * RISE_OF_TIME, ["a call takes 1.65 times as long"]),
    ],
)
def test_what_rises_is_seen(memory, time, wrong):
    """Compare the second third with the last, and the first with the last."""
    soak = Soak([], threads=1, calls=0, seed=0)
    processor = 0.0
    for k in range(90):
        last = k >= 60
        processor += 0.1 * (time if last else 1.0)
        soak.samples.append(Sample(float(k), 100 * k, 300.0 + memory * last, processor, 0.01))
    assert soak.verdict() == wrong
