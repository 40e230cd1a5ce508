#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The checks of the project as sessions of nox, for people and tools that look for them here: `nox -l` lists them.

The scripts in .ci/ make their own environments, so these sessions only start them. Arguments after `--` are passed on.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types, spelling and the workflows."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("typos")
    session.run("zizmor", "--offline", ".github")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the quick tests; `-- -m slow` runs the long ones."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site, in site/; a warning is an error."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", *session.posargs, "docs", "site")


@nox.session(venv_backend="none", default=False)
def run(session: nox.Session) -> None:
    """Run everything that a change must pass."""
    session.run(".ci/run", external=True)


@nox.session(venv_backend="none", default=False)
def package(session: nox.Session) -> None:
    """Build the wheel and the sdist, and test both in empty environments."""
    session.run(".ci/package", *session.posargs, external=True)


@nox.session(venv_backend="none", default=False)
def nightly(session: nox.Session) -> None:
    """Run all checks on the oldest and the newest Python and packages."""
    session.run(".ci/nightly", *session.posargs, external=True)


if __name__ == "__main__":
    nox.main()
