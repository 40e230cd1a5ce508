"""The entry point of the command line, for both ``stablegraph`` and ``python -m stablegraph``.

It also runs when the packages that the command line needs are missing, to print how to install them.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, then end the process with its exit code."""
    try:
        from .cli import main as command_line
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("click", "rich"):
            raise
        print(f'stablegraph: the command line needs {missing}: pip install "stablegraph[cli]"', file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stablegraph: interrupted", file=sys.stderr)
        sys.exit(130)
    command_line(prog_name="stablegraph")


if __name__ == "__main__":
    main()
