"""The lowest versions that pyproject.toml permits for this Python, as pip constraints: one line ``name==version`` each.

All requirements are covered: for building, for running, and for every extra; also the compilers that
build_kernels/hatch_build.py requests. A requirement without a lowest version is an error, since users might get a
version that was never tested.
"""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from build_kernels.hatch_build import COMPILERS, CUDA_ASSEMBLER, CUDA_COMPILERS, ZIG  # noqa: E402

pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
project = pyproject["project"]
lines = [*pyproject["build-system"]["requires"], *project["dependencies"]]
lines += [line for extra in project["optional-dependencies"].values() for line in extra]
lines += [f"{name}=={version}" for name, version in (COMPILERS | CUDA_COMPILERS | CUDA_ASSEMBLER | ZIG).items()]

lowest: dict[str, list[Version]] = {}
for requirement in map(Requirement, lines):
    if requirement.name != project["name"] and (requirement.marker is None or requirement.marker.evaluate()):
        minima = [Version(s.version) for s in requirement.specifier if s.operator in (">=", "==")]
        lowest.setdefault(canonicalize_name(requirement.name), []).extend(minima)

for name, minima in sorted(lowest.items()):
    if not minima:
        sys.exit(f"pyproject.toml names no lowest version of {name} for this Python; write {name}>=version there")
    print(f"{name}=={max(minima)}")
