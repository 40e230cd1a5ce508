"""Generation of LLVM code for a kernel and argument types, with one entry point that C can call.

The entry is ``void entry(int64_t worker, const int64_t *words)``. The words are the number of workers, followed by the
arguments. A number takes one word. An array takes its address and its shape; arrays are C-contiguous. The entry unpacks
them into the form that Numba uses for arguments. All other functions of the module become internal, so that only
reachable code remains.

Types are words: "int", "float" and "bool" are numbers, "int32[]" and "float64[,]" arrays.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba import types as numba_types

from ..declaration import Declaration
from .shares import compiled_share

_NUMBERS = {
    "int": (numba_types.int64, "i64"),
    "float": (numba_types.float64, "double"),
    "bool": (numba_types.boolean, "i8"),
}


def numba_type(word: str) -> Any:
    """Return the Numba type of a word."""
    if word in _NUMBERS:
        return _NUMBERS[word][0]
    element, _, dimensions = word.partition("[")
    return numba_types.Array(getattr(numba_types, {"bool": "boolean"}.get(element, element)), len(dimensions), "C")


def module_with_entry(kernel: Declaration, words: tuple[str, ...], constants: tuple[int, ...], symbol: str) -> Any:
    """Return an LLVM module of a kernel for these types, with the entry `symbol`; it is not optimized."""
    leading = () if kernel.by in ("workers", "single") else ("int",)
    types = tuple(numba_type(word) for word in ("int", "int", *leading, *words))  # the first two: worker, workers
    dispatcher = compiled_share(kernel, constants)
    dispatcher.get_call_template(types, {})
    overload = dispatcher.overloads[types]
    module = overload.library._final_module.clone()
    text = _entry(module, symbol, overload.fndesc.mangled_name, ("int", *leading, *words))
    module.link_in(binding.parse_assembly(text))
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != symbol:
            value.linkage = "internal"
    return module


def _entry(module: Any, symbol: str, share: str, words: tuple[str, ...]) -> str:
    """Return the LLVM code of the entry."""
    lines: list[str] = []
    passed = ["i64 %worker"]
    position = 0

    def load(kind: str) -> str:
        nonlocal position
        lines.append(f"  %p{position} = getelementptr i64, ptr %words, i64 {position}")
        lines.append(f"  %w{position} = load {kind}, ptr %p{position}")
        position += 1
        return f"%w{position - 1}"

    for word in words:
        if word in _NUMBERS:
            kind = _NUMBERS[word][1]
            passed.append(f"{kind} {load(kind)}")
            continue
        array = numba_type(word)
        width = 1 if str(array.dtype) == "bool" else array.dtype.bitwidth // 8
        data = load("ptr")
        shape = [load("i64") for _ in range(array.ndim)]
        strides = [str(width)]  # of the last dimension; each earlier stride is the next one times the next length
        sizes = [shape[-1]]
        for axis in reversed(range(array.ndim - 1)):
            name = f"{position}.{axis}"
            lines.append(f"  %stride{name} = mul i64 {strides[0]}, {shape[axis + 1]}")
            lines.append(f"  %size{name} = mul i64 {sizes[0]}, {shape[axis]}")
            strides.insert(0, f"%stride{name}")
            sizes.insert(0, f"%size{name}")
        # Numba's array: two pointers to its owner, which kernels do not use, its size, its item size, its data.
        passed += ["ptr null", "ptr null", f"i64 {sizes[0]}", f"i64 {width}", f"ptr {data}"]
        passed += [f"i64 {number}" for number in (*shape, *strides)]
    formal = ", ".join(["ptr", "ptr", *(part.split()[0] for part in passed)])
    body = "\n".join(lines)
    return f"""
target triple = "{module.triple}"
target datalayout = "{module.data_layout}"
declare i32 @"{share}"({formal})
define void @{symbol}(i64 %worker, ptr noalias readonly %words) {{
  %result = alloca ptr
  %error = alloca ptr
{body}
  %status = call i32 @"{share}"(ptr %result, ptr %error, {", ".join(passed)})
  ret void
}}
"""


def optimize(module: Any, machine: Any) -> None:
    """Optimize a module as Numba does for the host processor: first with cheap passes, then with all passes."""
    for thorough in (False, True):  # the second run vectorizes loops of functions that the first one inlined
        options = binding.create_pipeline_tuning_options(speed_level=3 if thorough else 0)
        options.loop_vectorization = thorough
        options.slp_vectorization = False
        builder = binding.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
        if not thorough:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.run(module, builder)
