"""Health in Chromium: when the map of a repository can be used, in a server that has measured it before.

    python -m bench.health_map REPOSITORY [--rounds 7] [--check] [--save]

The repository is cloned, and its trends are measured, as the page does once. Then the view is opened anew,
in a browser that has the page's files. The map can be used when its tiles are painted. With --check the exit
status is 1 when the bar is missed.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench._results import Results, parser
from bench.page import signed_in
from tests.faces.http.running import running_server
from tests.faces.web.conftest import CHROMIUM, OPTIONS
from tests.faces.web.site import Site

MAX_SECONDS = 1.0

# When the tiles have been painted: in the frame after the one in which they are there.
WATCH_TILES = """new MutationObserver((_, observer) => {
  if (!document.querySelector(".map a")) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.tilesAt = performance.now(); }));
}).observe(document, {childList: true, subtree: true});"""
TILES_PAINTED = """() => new Promise((resolve) => {
  const look = () => (window.tilesAt ? resolve(window.tilesAt) : setTimeout(look, 5));
  look();
})"""
WAITED_FOR = """() => {
  const [entry] = performance.getEntriesByType("resource").filter(({name}) => name.includes("measure_files"));
  return [entry.startTime, entry.responseEnd];
}"""


def main() -> None:
    options = parser(__doc__, rounds=7)
    options.add_argument("repository", type=Path)
    given = options.parse_args()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", given.repository, root], check=True)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        corpus = f"The repository of {given.repository.resolve().name}"
        results = Results("bench.health_map", corpus, versions={"Chromium": browser.version})
        with running_server(root) as server:
            site = Site(server, root)
            site.call("record_trend", backfill=30)
            rounds, files = measured(browser, site, signed_in(browser, site), given.rounds)
        browser.close()
    names = ("until the files are asked for", "until they are answered", "until the tiles are painted")
    seconds = [statistics.median(one) / 1000 for one in zip(*rounds, strict=True)]
    results.bar(f"Health, the map of {files:,} files, s", seconds[-1], MAX_SECONDS)
    results.table("health-map", (f"{files:,} files", "s"), list(zip(names, seconds, strict=True)))
    sys.exit(results.finish(given))


def measured(browser: Browser, site: Site, kept: Any, rounds: int) -> tuple[list[list[float]], int]:
    """Return the milliseconds of each step in each round, and the number of files."""
    context = browser.new_context(storage_state=kept, viewport={"width": 1440, "height": 900})
    context.add_init_script(WATCH_TILES)
    page = context.new_page()
    opened(page, site)  # once, so that the server has read the files and the browser the page
    steps = [opened(page, site) for _ in range(rounds)]
    files = site.call("measure_files", limit=1)["files_analyzed"]
    context.close()
    return steps, files


def opened(page: Page, site: Site) -> list[float]:
    page.goto("about:blank")
    page.goto(f"{site.url}/health", wait_until="commit")
    painted = page.evaluate(TILES_PAINTED)
    asked, answered = page.evaluate(WAITED_FOR)
    page.wait_for_selector("main[data-ready]")
    page.locator("#gate h2").wait_for()  # the other sections have been answered
    return [asked, answered, painted]


if __name__ == "__main__":
    main()
