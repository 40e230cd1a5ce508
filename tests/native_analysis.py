"""Static analysis of the C and CUDA sources: clang-tidy looks for faults on every path, without running anything.

    python -m tests.native_analysis                  runtime.c and all CUDA sources, with each of their usual macros
    python -m tests.native_analysis union rows       the sources whose names contain one of the words

`pip install clang-tidy` installs the program. CUDA sources are analyzed as C++ of the host, with the header by which
the tests emulate them. The exit code is 1 if there is a finding that EXPECTED does not list.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from build_kernels.gpu import _sources

ROOT = Path(__file__).parents[1]
RUNTIME = ROOT / "build_kernels" / "runtime.c"
EMULATION = ROOT / "tests" / "support" / "emulated_cuda.h"

# Not used: checks of names and parentheses, and of conversions between integers, which the sources make on purpose.
CHECKS = [
    *("-*", "clang-analyzer-*", "bugprone-*"),
    *("-bugprone-reserved-identifier", "-bugprone-macro-parentheses", "-bugprone-easily-swappable-parameters"),
    *("-bugprone-signed-bitwise", "-bugprone-narrowing-conversions", "-bugprone-suspicious-string-compare"),
    "-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling",  # asks for functions that glibc lacks
    *("-bugprone-implicit-widening-of-multiplication-result", "-bugprone-derived-method-shadowing-base-method"),
]
EXPECTED = {
    ("rows.cu", "clang-analyzer-security.ArrayBound"): "16 classes of 4 tiers are MAX_BINS bins at most",
    ("union.cu", "clang-analyzer-core.DivideZero"): "a graph without vertices launches no kernel",
    ("boruvka.cu", "clang-analyzer-core.NullDereference"): "the driver always passes `marks`",
    ("strong.cu", "clang-analyzer-core.NullPointerArithm"): "only `before` may be null, and it is tested",
    ("priority.cu", "clang-analyzer-deadcode.DeadStores"): "orders without hashes do not read the hash",
    ("priority.cu", "bugprone-integer-division"): "large ratios are divided as integers, to keep their order",
    ("jones_plassmann.cu", "clang-analyzer-deadcode.DeadStores"): "read if HAS_LONG is true",
}
_FINDING = re.compile(r"^(/\S+?):(\d+):\d+: (?:warning|error): (.*) \[([\w.,-]+)\]$", re.MULTILINE)


class Unit(NamedTuple):
    """A text to analyze, the files that it consists of, and the compiler's options."""

    name: str
    text: str
    files: list[Path]
    options: list[str]


def units() -> Iterator[Unit]:
    """Yield runtime.c and every CUDA source with its macros."""
    yield Unit("runtime.c", RUNTIME.read_text("utf-8"), [RUNTIME], ["-std=c11", f"-I{ROOT / 'tests' / 'runtime'}"])
    emulated = ["-std=c++17", "-DEMULATED", "-include", str(EMULATION)]
    for source in _sources():
        for variant in source.variants:
            macros = source.defined({"VERTEX": np.dtype(np.int32), "OFFSET": np.dtype(np.int64)} | variant)
            options = [f"-D{name}={value}" for name, value in macros.items()]
            yield Unit(source.path.name, source.text, source.files, [*emulated, *options])


def place(unit: Unit, line: int) -> tuple[str, int]:
    """Return the file and the line of a line of the whole text, in which each file begins with a directive."""
    if len(unit.files) == 1:
        return unit.files[0].name, line
    lines = unit.text.splitlines()[:line]
    start = max(k for k, text in enumerate(lines) if text.startswith("#line 1 "))
    return lines[start].split('"')[1], line - start - 1


def analyze(program: str, unit: Unit) -> list[tuple[str, str]]:
    """Return the findings in a text: the check, and a sentence with the place."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(unit.name).with_suffix(".cpp" if unit.name.endswith(".cu") else ".c")
        path.write_text(unit.text, encoding="utf-8")
        command = [program, str(path), "--quiet", f"--checks={','.join(CHECKS)}", "--", *unit.options]
        done = subprocess.run(command, capture_output=True, text=True)
    findings = [(m[4], *place(unit, int(m[2])), m[3]) for m in _FINDING.finditer(done.stdout) if Path(m[1]) == path]
    if done.returncode and not findings:
        raise RuntimeError(f"clang-tidy failed on {unit.name}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return [(check, f"{file}:{line}: {text} [{check}]") for check, file, line, text in findings]


def main() -> int:
    """Print all findings; return 1 if there is one that is not expected."""
    program = shutil.which("clang-tidy")
    if program is None:
        print("clang-tidy is missing: pip install clang-tidy", file=sys.stderr)
        return 1
    words = sys.argv[1:]
    chosen = [unit for unit in units() if not words or any(word in unit.name for word in words)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda unit: analyze(program, unit), chosen))
    new = set()
    for unit, findings in zip(chosen, results, strict=True):
        new |= {sentence for check, sentence in findings if (unit.name, check) not in EXPECTED}
    print(*sorted(new), sep="\n", end="\n" if new else "")
    print(f"{len(chosen)} texts of {len({unit.name for unit in chosen})} files: {len(new)} findings")
    return 1 if new or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
