"""Updates of a few adjacent values with vector instructions, for small dense blocks.

The compiler generates vector instructions only for long loops. Results equal those of the plain loop: each value is
updated by one multiplication and one addition. Vector instructions are used for float64, and the plain loop for complex
numbers.
"""

from __future__ import annotations

from .declaration import Rule, rule


def _add_two(target, to, factor, source, at):
    for lane in range(2):
        target[to + lane] += factor * source[at + lane]


def _add_four(target, to, factor, source, at):
    for lane in range(4):
        target[to + lane] += factor * source[at + lane]


add_two, add_four = Rule(_add_two), Rule(_add_four)


@rule
def add_scaled(target, to, factor, source, at, count):
    """Set ``target[to + c] += factor * source[at + c]`` for c = 0 .. count - 1, which should be a constant."""
    fours = count - count % 4
    for c in range(0, fours, 4):
        add_four(target, to + c, factor, source, at + c)
    for c in range(fours, count - count % 2, 2):
        add_two(target, to + c, factor, source, at + c)
    for c in range(count - count % 2, count):
        target[to + c] += factor * source[at + c]
