"""The facts in every line about the measurement: versions, commit, processor."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_MEASURED = ("src", "build_kernels", "benchmarks", "pyproject.toml", ":!benchmarks/results")  # for the mark "-dirty"


def machine_facts(peers: tuple[str, ...], checkout: Path = ROOT) -> dict[str, Any]:
    """Return the facts that are the same for a whole run; `checkout` is the folder of the measured package."""
    from stablegraph._core.runtime.config import configuration

    facts = configuration()
    for own_to_this_account_or_case in ("compiled code", "gpu code", "threads"):
        facts.pop(own_to_this_account_or_case, None)
    if facts["gpu"] != "none":
        import cupy

        facts["gpu"] = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    facts["commit"] = commit_of(checkout)
    facts["processor"] = _processor()
    facts["processors"] = os.cpu_count()
    facts["peers"] = {peer: installed_version(peer) or "missing" for peer in peers if peer not in facts}
    return facts


@cache
def commit_of(checkout: Path) -> str | None:
    """Return the commit of a checkout, with the mark "-dirty" if sources differ from it; None outside of git."""
    commit = _git(checkout, "rev-parse", "--short=12", "HEAD")
    if commit is None:
        return None
    return commit.strip() + ("-dirty" if _git(checkout, "status", "--porcelain", "--", *_MEASURED) else "")


def _git(checkout: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, text=True)
    except OSError:  # git is not installed
        return None
    return done.stdout if done.returncode == 0 else None


@cache
def installed_version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
