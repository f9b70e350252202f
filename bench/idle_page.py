"""The processor time that a server spends on a page that is open while nothing happens.

    python -m bench.idle_page [--seconds 60] [--check] [--save]

The repository has 10,000 files, 1,000 of them with comments, and tasks. The page is open in Chromium, and no
file changes. With --check the exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench._results import Results, arguments
from tests.comments.making import PYTHON, annotate, comment
from tests.faces.web.conftest import CHROMIUM, OPTIONS
from tests.faces.web.site import Site, served

FILES = 10_000
ANNOTATED = 1_000
FILES_IN_A_FOLDER = 20
MAX_PERCENT = 0.2
QUIET_SECONDS = 15
"""Meanwhile the page's last requests are answered, and the watcher's checks after the writes end."""

VIEWS = {"no page": None, "Today": "/", "Board": "/board", "Review": "/review"}


def main() -> None:
    options = arguments(__doc__, seconds=60)
    rows = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        results = Results("bench.idle_page", versions={"Chromium": browser.version})
        with served(Path(folder) / "large") as site:
            fill(site)
            context = browser.new_context()
            page = context.new_page()
            page.goto(site.link)
            for name, path in VIEWS.items():
                if path is None:
                    page.goto("about:blank")
                else:
                    page.goto(f"{site.url}{path}")
                    page.wait_for_selector("main[data-ready]")
                    page.wait_for_selector(".live.connected", state="attached")
                time.sleep(QUIET_SECONDS)
                rows.append((name, percent_of_a_core(site.server.process.pid, options.seconds)))
        browser.close()
    for name, percent in rows[1:]:
        results.bar(f"{name} open and idle, 10,000 files, % of a core", percent, MAX_PERCENT)
    results.table("idle", ("view", "% of a core"), rows)
    sys.exit(results.finish(options))


def fill(site: Site) -> None:
    """Write and commit the files, and begin with tasks."""
    for number in range(FILES):
        path = f"folder-{number // FILES_IN_A_FOLDER}/module_{number}.py"
        if number % (FILES // ANNOTATED) == 0:
            (site.root / path).parent.mkdir(exist_ok=True)
            annotate(site.root, path, PYTHON, comment(number + 1, 4, "why it is so"))
        else:
            site.write(path, PYTHON)
    site.commit("10,000 files")
    site.holdfast("tasks", "init")
    site.holdfast("tasks", "add", "Something to show on the board")


def percent_of_a_core(process: int, seconds: int) -> float:
    """Return the processor time of all threads of a process, as a percentage of the time that passes."""
    began, before = time.monotonic(), busy_nanoseconds(process)
    time.sleep(seconds)
    return (busy_nanoseconds(process) - before) / (time.monotonic() - began) / 1e7


def busy_nanoseconds(process: int) -> int:
    """Return the processor time of the threads of a process that exist, from the scheduler's statistics."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads)


if __name__ == "__main__":
    main()
