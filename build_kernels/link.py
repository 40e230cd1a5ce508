"""Linking the objects of all forms with `runtime.c` to one shared library.

The C compiler of the system links for this machine. `zig cc`, from the package ziglang, is used if there is none, and
for other systems and old C libraries.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from stablegraph._core.runtime.jit.targets import HOST

from .compile import symbol
from .forms import Form, kinds_of
from .hatch_build import ZIG, system_compiler

_RUNTIME = Path(__file__).with_name("runtime.c")
# The same codes as in runtime.c.
_ELEMENTS = {
    "bool": 0x31, "int8": 0x11, "uint8": 0x21, "int16": 0x12, "uint16": 0x22, "int32": 0x14, "uint32": 0x24,
    "int64": 0x18, "uint64": 0x28, "float16": 0x42, "float32": 0x44, "float64": 0x48, "complex64": 0x58,
    "complex128": 0x50,
}  # fmt: skip


def compiler(target: Any, *, old: bool) -> list[str]:
    """Return the command that compiles and links; with `old` against an old C library, for a wheel."""
    system = None if old or target is not HOST else system_compiler()
    if system is not None:
        return system
    if importlib.util.find_spec("ziglang") is None:
        reason = "Zig links libraries for wheels" if old else "No C compiler works (tried CC, cc, gcc, clang)"
        raise RuntimeError(f"{reason}: pip install ziglang=={ZIG['ziglang']}")
    return [sys.executable, "-m", "ziglang", "cc", "-target", target.zig]


def table(kernels: dict[str, Any], objects: dict[Form, dict[int, Path]], source_hash: str) -> str:
    """Return the C source of the table of kernels, which `runtime.c` includes."""
    by_name: dict[tuple[str, tuple[int, ...]], list[Form]] = {}
    for form in objects:
        by_name.setdefault((form.kernel, form.constants), []).append(form)
    lines, rows, max_words, max_arrays = [], [], 1, 1
    for number, ((name, constants), forms) in enumerate(sorted(by_name.items())):
        forms_in_c = []
        for k, form in enumerate(sorted(forms, key=lambda form: form.types)):
            arrays = [word.partition("[")[0] for word in form.types if "[" in word]
            codes = ", ".join(hex(_ELEMENTS[element]) for element in arrays) or "0"
            entries = {level: symbol(path.name.partition("-")[0]) for level, path in objects[form].items()}
            lines += [f"extern void {entry}(int64_t, const int64_t *);" for entry in entries.values()]
            lines.append(f"static const uint8_t c{number}_{k}[] = {{{codes}}};")
            by_level = ", ".join(f"[{level}] = {entry}" for level, entry in entries.items())
            forms_in_c.append(f"{{c{number}_{k}, {{{by_level}}}}}")
            max_arrays = max(max_arrays, len(arrays))
            max_words = max(max_words, 2 + sum(2 + word.count(",") if "[" in word else 1 for word in form.types))
        lines.append(f"static const Form f{number}[] = {{{', '.join(forms_in_c)}}};")
        kinds = kinds_of(kernels[name], forms[0].types, constants)
        rows.append(f'{{"{" ".join([name, *map(str, constants)])}", "{kinds}", {len(forms)}, f{number}}}')
    lines.append("static const Kernel kernels[] = {\n" + ",\n".join(rows) + "};")
    lines.append(f"static const int kernel_count = {len(rows)};")
    lines.append(f'static const char source_hash[] = "stablegraph-sources:{source_hash}";')
    return "\n".join([f"#define MAX_WORDS {max_words}", f"#define MAX_ARRAYS {max_arrays}", *lines]) + "\n"


def link(command: list[str], text: str, objects: list[Path], target: Any) -> bytes:
    """Compile `runtime.c` with a table, link it with the objects, and return the library."""
    flags = ["-std=gnu11", "-O2", "-shared", "-fvisibility=hidden", "-s"]
    if "apple" in target.triple:
        flags += [f"-Wl,-install_name,@rpath/{target.library}"]
    if "windows" in target.triple:
        flags += ["-lapi-ms-win-core-synch-l1-2-0"]
    else:
        flags += ["-fPIC", "-pthread", "-lm"]
    if "linux" in target.triple:
        flags += ["-Wl,-z,now", "-Wl,--no-undefined", "-Wl,--hash-style=gnu"]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "library")
        Path(folder, "table.h").write_text(text)
        Path(folder, "objects").write_text("\n".join(f'"{path.as_posix()}"' for path in objects))
        whole = [*command, f"-I{folder}", "-o", str(output), str(_RUNTIME), f"@{folder}/objects", *flags]
        done = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed to link the kernels:\n{done.stderr.strip()[-2000:]}")
        return output.read_bytes()
