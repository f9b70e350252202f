"""Review in Chromium: when a diff of 470 files shows its first lines, beside one of 20, and how it scrolls.

    python -m bench.large_diff [--rounds 7] [--check] [--save]

Both diffs are of one generated repository, with equal changes in each file, in the same browser and run. Each
time the server has not compared them before, and the page is opened anew. Then the large diff is scrolled
through, while it loads, and after it a plain table of as many lines. A frame is late if it takes longer than
two of the display's 16.7 ms. With --check the exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench._results import Results, arguments
from tests.faces.web.conftest import CHROMIUM, OPTIONS
from tests.faces.web.site import Site, served

FILES, FEW_FILES = 470, 20
FUNCTIONS = 54
"""In each file, of four lines each."""
CHANGED_EVERY = 5
"""In every fifth function two lines are replaced: 20,680 lines are added or removed in all."""
LINES = 20_680
SCREENS = 40
MAX_TIMES_FEW = 1.5
MAX_LATE_PERCENT = 10
LATE_MS = 2 * 1000 / 60

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
PLAIN_TABLE = """(lines) => {
  const body = document.createElement("tbody");
  for (let line = 0; line < lines; line += 1) {
    body.insertRow().insertCell().textContent = `    tide = water * ${line}`;
  }
  const table = document.createElement("table");
  table.append(body);
  document.getElementById("main").replaceChildren(table);
}"""
# Scroll by most of a screen at a time, and return how long each frame took.
SCROLL = """async (screens) => {
  const main = document.getElementById("main");
  const frame = () => new Promise(requestAnimationFrame);
  const took = [];
  let last = await frame();
  for (let screen = 0; screen < screens; screen += 1) {
    for (let step = 0; step < 10; step += 1) {
      main.scrollBy(0, main.clientHeight * 0.08);
      const now = await frame();
      took.push(now - last);
      last = now;
    }
  }
  return took;
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
            diff, plain = scrolled(browser, site, kept)
        browser.close()
    beside, own = statistics.median(few), statistics.median(many)
    first = results.bar(
        "first lines of a diff of 470 files", own / beside, MAX_TIMES_FEW, against="one of 20 files"
    )
    smooth = results.bar(
        "frames of it that are late while scrolling, %", late_percent(diff), MAX_LATE_PERCENT
    )
    rows = [
        ("first lines are painted", "20 files", f"{beside:.0f} ms", f"{own:.0f} ms", first.verdict),
        (
            f"late frames of {len(diff)} while scrolling",
            "a plain table of as many lines",
            f"{late_percent(plain):.1f} %",
            f"{late_percent(diff):.1f} %",
            smooth.verdict,
        ),
    ]
    results.table("large-diff", ("", "beside", "there", "470 files, 20,000 lines", "bar"), rows)
    sys.exit(results.finish(options))


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


def signed_in(browser: Browser, site: Site) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.link)
    page.wait_for_selector("main[data-ready]")
    kept = context.storage_state()
    context.close()
    return kept


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


def scrolled(browser: Browser, site: Site, kept: Any) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each frame while the diff was scrolled, and then a plain table."""
    page = opened(browser, site, kept, "many")
    page.wait_for_selector("main[data-ready]")
    diff: list[float] = page.evaluate(SCROLL, SCREENS)
    page.goto(f"{site.url}/nowhere")
    page.wait_for_selector("main h1")
    page.evaluate(PLAIN_TABLE, LINES)
    plain: list[float] = page.evaluate(SCROLL, SCREENS)
    page.context.close()
    return diff, plain


def late_percent(frames: list[float]) -> float:
    return 100 * sum(frame > LATE_MS for frame in frames) / len(frames)


if __name__ == "__main__":
    main()
