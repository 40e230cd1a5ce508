"""Check in a headless browser whether pages of the built site can be read on a phone and on a desktop.

python docs/checks/browser.py SITE [--screenshots FOLDER]

Chromium opens each page in frames of two widths. A page must not scroll sideways. Each picture must have been loaded
and have an alternative text (except for the thumbnails of the gallery, which are in a link with a title). Each text
must have the contrast ratio to its background that WCAG 2 requires (4.5, large text 3), in light and in dark colors.
Print all problems; the exit code is 1 if there are any, and 77 if there is no browser.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PAGES = (
    "index.html",
    "getting-started.html",
    "guide.html",
    "gallery/index.html",
    "gallery/counties.html",
    "api/generated/stablegraph.maximal_independent_set.html",
    "api/generated/stablegraph.Graph.html",
    "theory/ecl-mis.html",
    "coloring.html",
    "measured.html",
)
WIDTHS = {"phone": 390, "desk": 1280}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = 77
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
CHECK = Path(__file__).with_name("browser.js")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site and the page that checks it, and receives the results."""

    pages: Sequence[str]
    found: dict[str, Any]
    done: threading.Event

    def do_GET(self) -> None:
        """Send a file of the site, or the page that checks all other pages."""
        if self.path != "/looking":
            return super().do_GET()
        script = CHECK.read_text(encoding="utf-8")
        given = json.dumps({"pages": self.pages, "widths": list(WIDTHS.values())})
        body = f"<!DOCTYPE html><body><script>const GIVEN = {given};\n{script}</script>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """What was found."""
        self.found.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()
        self.done.set()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def installed() -> str | None:
    """The browser's program, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def look(site: Path, browser: str, pages: Sequence[str] = PAGES, seconds: float = 180) -> dict[str, Any]:
    """What the browser found: the problems, and how many frames and texts it looked at."""
    found: dict[str, Any] = {}
    done = threading.Event()
    handler = type("SiteHandler", (Handler,), {"pages": pages, "found": found, "done": done})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        url = f"http://127.0.0.1:{server.server_port}/looking"
        own = ["--remote-debugging-port=0", f"--user-data-dir={profile}", "--window-size=1400,1000", url]
        process = subprocess.Popen([browser, *OPTIONS, *own], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if not done.wait(seconds):
                return {"problems": [f"{browser} did not answer in {seconds:.0f} s"], "frames": 0, "texts": 0}
        finally:
            process.terminate()
            process.wait()
            server.shutdown()
            server.server_close()
    return found


def screenshots(site: Path, browser: str, folder: Path) -> None:
    """A picture of each page in each width."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        for name, width in WIDTHS.items():
            picture = folder / f"{page.removesuffix('.html').replace('/', '-')}-{name}.png"
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                own = [f"--user-data-dir={profile}", f"--window-size={width},2000", f"--screenshot={picture}"]
                subprocess.run(
                    [browser, *OPTIONS, *own, (site / page).as_uri()],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=120,
                    check=True,
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    browser = installed()
    if browser is None:
        print(f"not looked at: none of {', '.join(BROWSERS)} is installed")
        return NO_BROWSER
    if given.screenshots:
        screenshots(given.site.resolve(), browser, given.screenshots)
    found = look(given.site.resolve(), browser)
    print("\n".join(found["problems"]) or f"{found['frames']} frames with {found['texts']:,} texts: nothing is wrong")
    return int(bool(found["problems"]))


if __name__ == "__main__":
    sys.exit(main())
