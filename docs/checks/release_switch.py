"""What the first pages say about the installation, before the first release and after it.

    python docs/checks/release_switch.py     write the blocks between the markers `install:begin` and `install:end`

RELEASED is the switch: set it to True in the commit that is tagged as the first release, and run this program. A test
compares the pages with it, and checks both positions.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RELEASED = False
FIRST, LAST = "<!-- install:begin -->", "<!-- install:end -->"

README = """With Python 3.11 or newer, tested on Linux only. In a copy of the repository, the build [compiles the
kernels](docs/install.md#build-from-source), which takes a few minutes, like the tests.

```sh
{}pip install ".[cli,plot]" && stablegraph demo
pip install ".[test]" && pytest
stablegraph report FILE -o report.html    # a graph of your own: its contents, as a page with pictures
```"""
INSTALL = 'pip install "stablegraph[cli,plot]"       # the newest release; or only: pip install stablegraph\n'

# For each page: the block before the first release, and after it.
PAGES: dict[str, tuple[str, str]] = {
    "README.md": (README.format(""), README.format(INSTALL)),
    "docs/index.md": (
        """```sh
pip install ".[cli,plot]"                    # in a copy of the repository: there has been no release yet
stablegraph demo                             # a real graph: computed, verified, drawn
stablegraph report FILE -o report.html       # a graph of your own, as a page with pictures
```""",
        """```sh
pip install "stablegraph[cli,plot]"
stablegraph demo                             # a real graph: computed, verified, drawn
stablegraph report FILE -o report.html       # a graph of your own, as a page with pictures
```""",
    ),
    "docs/getting-started.md": (
        """```sh
pip install ".[cli,plot]"    # in a copy of the repository; there has been no release yet
stablegraph demo             # a real graph that comes with it: computed, verified, drawn
```""",
        """```sh
pip install "stablegraph[cli,plot]"
stablegraph demo     # a real graph that comes with it: computed, verified, drawn
```""",
    ),
    "docs/install.md": (
        """```sh
pip install .                # in a copy of the repository, with Python 3.11 or newer; needs NumPy and SciPy
pip install ".[cli,plot]"    # with the command `stablegraph`, and with pictures
```

There has been no release yet, so an installation [compiles the kernels](#build-from-source). Where a page or a message
says `pip install "stablegraph[...]"`, run `pip install ".[...]"` in the copy.""",
        """```sh
pip install stablegraph                # Python 3.11 or newer; needs NumPy and SciPy
pip install "stablegraph[cli,plot]"    # with the command `stablegraph`, and with pictures
```

Released wheels contain the compiled kernels; nothing is compiled on your machine.""",
    ),
    "docs/stability.md": (
        """There has been no release yet. Until the first one, anything may change without compatibility. From then on,
this page applies.""",
        """This page applies from version 0.1.0 on.""",
    ),
}


def with_block(page: str, text: str, released: bool) -> str:
    """Return the text of a page with the block for this position of the switch."""
    block = f"{FIRST}\n{PAGES[page][released]}\n{LAST}"
    new, count = re.subn(f"{FIRST}.*?{LAST}", lambda _: block, text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{page} must have the markers {FIRST} and {LAST} once, but has them {count} times")
    return new


if __name__ == "__main__":
    for name in PAGES:
        path = ROOT / name
        path.write_text(with_block(name, path.read_text(encoding="utf-8"), RELEASED), encoding="utf-8")
