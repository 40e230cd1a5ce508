"""Updates of a few values that lie side by side, by vector instructions: for small dense blocks.

The compiler makes vector instructions of long loops alone. Results are those of the plain loop: each value is updated
by one multiplication and one addition. Vector instructions are for float64; of complex numbers it is the plain loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .kernel import Rule, rule


def _add_two(target, to, factor, source, at):  # type: ignore[no-untyped-def]
    for lane in range(2):
        target[to + lane] += factor * source[at + lane]


def _add_four(target, to, factor, source, at):  # type: ignore[no-untyped-def]
    for lane in range(4):
        target[to + lane] += factor * source[at + lane]


def _cpu_form(lanes: int, plain: Callable[..., None]) -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    from .atomics import element_pointer

    @intrinsic
    def add(typing_context, target, to, factor, source, at):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            kinds = signature.args
            if kinds[0].dtype != types.float64:
                return context.compile_internal(builder, plain, signature, arguments)
            vector, lane = ir.VectorType(ir.DoubleType(), lanes), ir.IntType(32)
            first_of_target = element_pointer(context, builder, kinds[0], *arguments[:2])
            first_of_source = element_pointer(context, builder, kinds[3], *arguments[3:])
            place = builder.bitcast(first_of_target, vector.as_pointer())
            added = builder.load(builder.bitcast(first_of_source, vector.as_pointer()), align=8)
            factors = ir.Constant(vector, ir.Undefined)
            for number in range(lanes):
                factors = builder.insert_element(factors, arguments[2], lane(number))
            total = builder.fadd(builder.load(place, align=8), builder.fmul(factors, added))
            builder.store(total, place, align=8)
            return context.get_dummy_value()

        return types.none(target, types.intp, target.dtype, source, types.intp), generate

    return add


add_two = Rule(_add_two, cpu=lambda: _cpu_form(2, _add_two))
add_four = Rule(_add_four, cpu=lambda: _cpu_form(4, _add_four))


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
