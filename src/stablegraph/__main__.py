"""The door of the command line: ``stablegraph`` and ``python -m stablegraph`` both begin here.

It opens also where the command line's own packages are missing, to say how to get them.
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
