"""Review in Chromium: when a diff of 470 files shows its first lines, beside one of 20, and how it scrolls.

    python -m bench.large_diff [--rounds 7] [--check] [--save]

Both diffs are of one generated repository, with equal changes in each file, in the same browser and run.
Each time the server has not compared them before, and the page is opened anew. Then both are scrolled from
the first line to the last, once, by a quarter of the screen in each frame, while their files load. With
--check the exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench._results import Results, arguments
from bench.page import signed_in
from tests.faces.web.conftest import CHROMIUM, OPTIONS
from tests.faces.web.site import Site, served

FILES, FEW_FILES = 470, 20
FUNCTIONS = 54
"""In each file, of four lines each."""
CHANGED_EVERY = 5
"""In every fifth function two lines are replaced: 20,680 lines are added or removed in all."""
MAX_TIMES_FEW = 1.5
FRAME_MS = 1000 / 60

# When the first line of the diff has been painted: in the frame after the one in which it is there.
WATCH_LINES = """new MutationObserver((_, observer) => {
  if (!document.querySelector("tr.line")) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.linesAt = performance.now(); }));
}).observe(document, {childList: true, subtree: true});"""
LINES_PAINTED = """() => new Promise((resolve) => {
  const look = () => (window.linesAt ? resolve() : setTimeout(look, 5));
  look();
})"""
# Scroll to the end, until nothing has moved for 30 frames: files that load below make it move again.
SCROLL = """async () => {
  const main = document.getElementById("main"), frames = [], tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  observer.observe({entryTypes: ["longtask"]});
  let before = await new Promise(requestAnimationFrame);
  for (let still = 0; still < 30;) {
    const top = main.scrollTop;
    main.scrollBy(0, main.clientHeight / 4);
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - before);
    before = now;
    still = main.scrollTop === top ? still + 1 : 0;
  }
  return {frames, longest: Math.max(0, ...tasks.map(({duration}) => duration)),
    lines: document.querySelectorAll("tr.line").length};
}"""


def main() -> None:
    options = arguments(__doc__, rounds=7)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        results = Results("bench.large_diff", versions={"Chromium": browser.version})
        with served(Path(folder) / "tidepool") as site:
            fill(site)
            kept = signed_in(browser, site)
            few, many = [], []
            for number in range(options.rounds):
                few.append(first_lines(browser, site, kept, spelled("few", number)))
                many.append(first_lines(browser, site, kept, spelled("many", number)))
            scrolls = [scrolled(browser, site, kept, branch) for branch in ("few", "many")]
        browser.close()
    rows = [
        compared(results, "first lines are painted, ms", few, many),
        compared(
            results, "main thread busy in a frame of scrolling, ms", *([one.busy_ms] for one in scrolls)
        ),
        compared(results, "95 % of the frames take at most, ms", *([one.most(0.95)] for one in scrolls)),
        ("frames, each of a quarter of the screen", *(len(one.frames) for one in scrolls), "", ""),
        ("frames dropped, %", *(one.dropped_percent for one in scrolls), "", ""),
        ("longest task of the main thread, ms (0: none above 50)", *(one.longest for one in scrolls), "", ""),
        ("lines in the document at the end", *(one.lines for one in scrolls), "", ""),
    ]
    results.table("large-diff", ("", "20 files", "470 files, 20,000 lines", "ratio", "bar"), rows)
    sys.exit(results.finish(options))


def compared(results: Results, what: str, few: list[float], many: list[float]) -> tuple[str | float, ...]:
    """Return the row of a figure, and add its bar."""
    beside, own = statistics.median(few), statistics.median(many)
    bar = results.bar(f"large diff, {what}", own / beside, MAX_TIMES_FEW, against="one of 20 files")
    return what, beside, own, own / beside, f"{MAX_TIMES_FEW} {bar.verdict}"


def fill(site: Site) -> None:
    """Commit the files on `main`, and changes of a few and of all of them on two branches."""
    for number in range(FILES):
        site.write(path(number), source(number, changed=False))
    site.commit("Begin")
    for branch, count in (("few", FEW_FILES), ("many", FILES)):
        site.git("checkout", "--quiet", "-B", branch, "main")
        for number in range(count):
            site.write(path(number), source(number, changed=True))
        site.commit(f"Change {count} files")


def path(number: int) -> str:
    return f"package_{number // 20:02}/module_{number:03}.py"


def source(file: int, *, changed: bool) -> str:
    """Return the text of a file, with some functions changed or not."""
    functions = []
    for number in range(FUNCTIONS):
        is_new = changed and number % CHANGED_EVERY == 0
        head, end = ("water, moon", "moon") if is_new else ("water", str(file))
        functions.append(
            f"def kelp_{file}_{number}({head}):\n    tide = water * {number}\n    return tide + {end}\n\n"
        )
    return "".join(functions)


def spelled(branch: str, number: int) -> str:
    """Return another name of the branch's commit, so that the server has no comparison of it yet."""
    return branch + "~0" * number


def opened(browser: Browser, site: Site, kept: Any, revision: str) -> Page:
    context = browser.new_context(storage_state=kept, viewport={"width": 1440, "height": 900})
    context.add_init_script(WATCH_LINES)
    page = context.new_page()
    page.goto(f"{site.url}/review?what=range&base=main&revision={revision}")
    page.evaluate(LINES_PAINTED)
    return page


def first_lines(browser: Browser, site: Site, kept: Any, revision: str) -> float:
    """Return the milliseconds until the first line of a diff is painted."""
    page = opened(browser, site, kept, revision)
    took: float = page.evaluate("window.linesAt")
    page.wait_for_selector("main[data-ready]")
    page.context.close()
    return took


@dataclass(frozen=True)
class Scroll:
    """How a diff was scrolled, in milliseconds: each frame, the longest task, the main thread per frame."""

    frames: list[float]
    longest: float
    busy_ms: float
    lines: int

    def most(self, share: float) -> float:
        """Return what this share of the frames takes at most."""
        return sorted(self.frames)[int(share * (len(self.frames) - 1))]

    @property
    def dropped_percent(self) -> float:
        """Return the share of frames that the display would have shown but for those that took longer."""
        dropped = sum(round(took / FRAME_MS) - 1 for took in self.frames if took > 1.5 * FRAME_MS)
        return 100 * dropped / (dropped + len(self.frames))


def scrolled(browser: Browser, site: Site, kept: Any, revision: str) -> Scroll:
    """Scroll through a whole diff."""
    page = opened(browser, site, kept, revision)
    page.wait_for_selector("main[data-ready]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = task_seconds(session)
    told = page.evaluate(SCROLL)
    busy = task_seconds(session) - before
    page.context.close()
    return Scroll(told["frames"], told["longest"], 1000 * busy / len(told["frames"]), told["lines"])


def task_seconds(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


if __name__ == "__main__":
    main()
