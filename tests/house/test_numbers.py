"""Numbers in README.md and docs/ are generated, sourced or checked: `python -m tests.house.numbers` lists them."""

import pytest

from benchmarks.best import ratio_text
from benchmarks.cases import NAMES, load
from benchmarks.numbers import tables
from benchmarks.report import blocks_of, overview_of
from tests.house import numbers
from tests.support.measured import RESULTS, needs_results

NOT_CONVERTED: set[str] = set()  # pages with numbers that have no mark; the list only shrinks
OTHER_BLOCKS = {"install", "name", "platforms"}  # blocks that are no tables of measurements


def problems(page):
    text = numbers.pages()[page]
    return [problem for paragraph in numbers.paragraphs(text) for problem in numbers.problems_of(paragraph)]


def test_measured_numbers_are_generated_or_sourced():
    wrong = {page: found for page in numbers.pages() if (found := problems(page))}
    assert {page: found for page, found in wrong.items() if page not in NOT_CONVERTED} == {}
    assert wrong.keys() == NOT_CONVERTED, "remove converted pages from the list"


@pytest.mark.parametrize(
    ("paragraph", "problem"),
    [
        ("It takes 3 s.", "no mark for 3"),
        ("It takes 2 to 3 minutes, 1,024 bytes and 1.5 times the memory.", "no mark for 2, 3, 1024, 1.5"),
        ("A grid of 1024 \u00d7 1024 points, 3 options, `4 s` and $5 s$.", ""),
        ("It is faster by a factor of 7. <!-- paper: Author -->", "a paper without a year: Author"),
        ("It is 7 times faster. <!-- paper: Author 2020 -->", ""),
        ("Stop after 60 s. <!-- example -->", ""),
        ("It needs 17 bytes. <!-- checked: no/such.py -->", "no/such.py does not exist"),
        ("It needs 987 bytes. <!-- checked: tests/house/counts.py::main -->", "not in the named sources: 987"),
        ("At most 300 lines. <!-- checked: tests/house/counts.py -->", ""),
        ("It takes 3 s. <!-- shown: nothing -->", "nothing does not exist"),
    ],
)
def test_numbers_and_marks_are_recognized(paragraph, problem):
    (found,) = numbers.paragraphs(paragraph)
    assert ", ".join(numbers.problems_of(found)).partition(", not in")[0] == problem


def test_a_mark_after_a_table_belongs_to_it():
    text = "| time | 3 s |\n\n<!-- example -->\n\nThen 4 s.\n\n    5 s of output\n\n```\n6 s of code\n```"
    assert [numbers.problems_of(paragraph) for paragraph in numbers.paragraphs(text)][:2] == [[], ["no mark for 4"]]
    assert sum(map(len, map(numbers.problems_of, numbers.paragraphs(text)))) == 1


@needs_results
@pytest.mark.slow
def test_blocks_are_made_from_the_results():
    """`python -m benchmarks report --all --write` writes them."""
    made = {**tables(), "overview": overview_of(RESULTS)}
    for name in NAMES:
        made |= blocks_of(load(name), RESULTS)
    for page, text in numbers.pages().items():
        for name, content in numbers.BLOCK.findall(text):
            if name not in OTHER_BLOCKS:
                assert name in made, f"{page}: no study makes the block {name}"
                assert content.strip() == made[name].strip(), f"{page}: {name}"


@pytest.mark.parametrize(("ratio", "text"), [(0.123, "0.12"), (1.26, "1.3"), (12.4, "12"), (1234.0, "1,234")])
def test_ratios_have_two_digits(ratio, text):
    assert ratio_text(ratio) == text
