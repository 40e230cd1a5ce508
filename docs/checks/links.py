"""Check that every link inside the built site has a target, and that the site works without a network.

python docs/checks/links.py SITE

Only files are read: each `href` and `src` inside the site must name a file and, if it has an anchor, an anchor of that
file. Scripts, styles and pictures must be files of the site. Print all problems; the exit code is 1 if there are any.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src"}
NOT_LOADED = {"canonical", "index", "search", "next", "prev", "author", "copyright"}  # relations of <link>


class Page(HTMLParser):
    """The anchors of a page, its links, and what a browser loads with it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Record ids, links and loaded files."""
        found = {name: value or "" for name, value in attributes}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        target = found.get(LOADED.get(tag, ""))
        if target and not (tag == "link" and found.get("rel") in NOT_LOADED):
            self.loaded.append(target)


def problems(site: Path) -> list[str]:
    """Return the problems of a site, one line each."""
    of_theme = site / "_static"
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if of_theme not in path.parents}
    told = [] if pages else [f"{site} has no pages"]
    for path, page in pages.items():
        name = path.relative_to(site)
        told += [f"{name} loads {target}" for target in page.loaded if urlsplit(target).netloc]
        for target in (*page.links, *page.loaded):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.exists():
                told.append(f"{name} links to {target}, which is not there")
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors:
                told.append(f"{name} links to {target}, which has no such anchor")
    return sorted(set(told))


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "all links inside the site have targets, and nothing is loaded from another site")
    sys.exit(bool(wrong))
