"""The page in Chromium: how soon it shows something, how it holds up with 1,500 cards, how soon it hears.

    python -m bench.page [--rounds 9] [--check] [--save]

Each figure stands beside a plain page of the same bytes, or a plain list of the same cards, in the same
browser and run. With --check the exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench._results import Results, arguments, shown
from tests.faces.http.running import HOLDFAST
from tests.faces.web.conftest import CHROMIUM, OPTIONS
from tests.faces.web.site import Site, demonstrated
from tests.wire.client import wire_client

CARDS = 1500
MAX_BYTES = 100_000
MAX_TIMES_PLAIN = 1.5
MAX_TIMES_LIST = 2.0
MAX_SECONDS = 1.0

# When the view's own title is there and something was painted.
CONTENT = """() => new Promise((resolve) => {
  const done = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    if (!paint || !document.querySelector("h1") || !window.contentAt) return setTimeout(done, 5);
    resolve([paint.startTime, Math.max(paint.startTime, window.contentAt)]);
  };
  done();
})"""
WATCH_CONTENT = """new MutationObserver((_, observer) => {
  const title = document.querySelector("main h1");
  if (title) { window.contentAt = performance.now(); observer.disconnect(); }
}).observe(document, {childList: true, subtree: true});"""
# The answers of the server are taken from memory, so that only making and laying out nodes is compared.
KEEP_ANSWERS = """() => {
  const ask = window.fetch, kept = window.kept = new Map();
  window.fetch = async (url, options) => {
    if (!String(url).startsWith("/api/tasks/taskpilot_board")) return ask(url, options);
    if (!kept.has(url)) kept.set(url, await (await ask(url, {credentials: "same-origin"})).text());
    return new Response(kept.get(url), {headers: {"Content-Type": "application/json"}});
  };
}"""
SHOW_BOARD = """() => new Promise((resolve) => {
  const main = document.getElementById("main");
  const started = performance.now();
  const observer = new MutationObserver(() => {
    if (main.dataset.ready === undefined || !main.querySelector(".task")) return;
    observer.disconnect();
    document.body.offsetHeight;
    resolve(performance.now() - started);
  });
  document.querySelector('#rail a[href="/board"]').click();
  observer.observe(main, {attributes: true, childList: true, subtree: true});
})"""
SHOW_LIST = """() => {
  const main = document.getElementById("main");
  main.replaceChildren();
  const started = performance.now();
  const list = document.createElement("ul");
  for (const text of window.kept.values()) {
    for (const card of JSON.parse(text).cards) {
      const item = document.createElement("li");
      item.textContent = `${card.id} ${card.title}`;
      list.append(item);
    }
  }
  main.append(list);
  document.body.offsetHeight;
  const took = performance.now() - started;
  return [took, list.children.length];
}"""
COUNT_TOUCHED = """() => {
  window.touched = new Set();
  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of [record.target, ...record.addedNodes, ...record.removedNodes]) {
        const card = node.closest?.("[data-id]") ?? node.parentElement?.closest("[data-id]");
        if (card) window.touched.add(card.dataset.id);
      }
    }
  }).observe(document.getElementById("main"),
    {childList: true, subtree: true, characterData: true, attributes: true});
}"""
WAIT_FOR = """(text) => new Promise((resolve) => {
  const names = () => [...document.querySelectorAll(".task .name")];
  const look = () => names().some((node) => node.textContent.includes(text));
  const done = () => resolve(performance.timeOrigin + performance.now());
  if (look()) return done();
  const observer = new MutationObserver(() => { if (look()) { observer.disconnect(); done(); } });
  observer.observe(document.getElementById("main"), {childList: true, subtree: true, characterData: true});
})"""


def main() -> None:
    options = arguments(__doc__, rounds=9)
    rows: list[Row] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        results = Results("bench.page", versions={"Chromium": browser.version})
        with demonstrated(Path(folder) / "tidepool") as site:
            kept = signed_in(browser, site)
            rows += first_view(browser, site, kept, options.rounds)
            rows += many_cards(browser, site, kept, options.rounds)
        browser.close()
    bars = [results.bar(what, figure, most, against=against) for what, against, _, _, figure, most in rows]
    cells = [
        (what, beside, ours, figure if beside else "", f"{shown(most)} {bar.verdict}")
        for (what, _, beside, ours, figure, most), bar in zip(rows, bars, strict=True)
    ]
    results.table("page", ("", "beside it", "holdfast", "ratio", "bar"), cells)
    sys.exit(results.finish(options))


Row = tuple[str, str | None, str, str, float, float]
"""What, against what, both sides in words, the figure and its bar."""


def first_view(browser: Browser, site: Site, kept: Any, rounds: int) -> Iterator[Row]:
    """The first view in a browser that knows nothing yet, beside a plain page of as many bytes."""
    size = loaded_bytes(browser, site, kept)
    yield "first view, bytes, data included", None, "", f"{size:,}", size, MAX_BYTES
    ours, plain = [], []
    with plain_page(size) as address:
        for _ in range(rounds):
            plain.append(content_time(browser, address))
            ours.append(content_time(browser, f"{site.url}/", kept))
    for place, what in enumerate(("something is painted", "the title of the view is painted")):
        beside = statistics.median(times[place] for times in plain)
        own = statistics.median(times[place] for times in ours)
        sides = f"{beside:.0f} ms", f"{own:.0f} ms"
        yield f"first view, {what}", "a plain page of as many bytes", *sides, own / beside, MAX_TIMES_PLAIN


def signed_in(browser: Browser, site: Site) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.link)
    page.wait_for_selector("main[data-ready]")
    kept = context.storage_state()
    context.close()
    return kept


def loaded_bytes(browser: Browser, site: Site, kept: Any) -> int:
    """Return how many bytes of bodies a browser loads for the first view, data included."""
    context = browser.new_context(storage_state=kept)
    page = context.new_page()
    bodies: list[int] = []
    page.on("requestfinished", lambda request: bodies.append(request.sizes()["responseBodySize"]))
    page.goto(f"{site.url}/")
    page.wait_for_selector("main[data-ready]")
    page.wait_for_timeout(500)
    context.close()
    return sum(bodies)


def content_time(browser: Browser, address: str, kept: Any = None) -> tuple[float, float]:
    """Return the milliseconds until something is painted, and until the title of the view is."""
    context = browser.new_context(storage_state=kept)
    context.add_init_script(WATCH_CONTENT)
    page = context.new_page()
    page.goto(address)
    painted, titled = page.evaluate(CONTENT)
    context.close()
    return painted, titled


@contextmanager
def plain_page(size: int) -> Iterator[str]:
    """Serve one page of so many bytes: a title and text."""
    words = "A line of text such as any page has, with a few words in it. "
    head = b'<!doctype html><html lang="en"><meta charset="utf-8"><title>Plain</title><main><h1>Plain</h1><p>'
    body = (head + (words * (size // len(words) + 1)).encode())[:size]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(BrokenPipeError):
                self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


def many_cards(browser: Browser, site: Site, kept: Any, rounds: int) -> Iterator[Row]:
    """A board of 1,500 cards: shown, changed by others, and told by another process."""
    site.write("many.md", "\n".join(f"- [ ] Task number {number}" for number in range(CARDS)))
    site.call("taskpilot_import", path="many.md", format="todo")
    context = browser.new_context(storage_state=kept, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{site.url}/activity")
    page.wait_for_selector("main[data-ready]")
    page.evaluate(KEEP_ANSWERS)
    boards, lists = [], []
    page.evaluate(SHOW_BOARD)  # once to load the modules and the answers
    for _ in range(rounds):
        page.locator('#rail a[href="/activity"]').click()
        page.wait_for_selector("main[data-ready]")
        boards.append(page.evaluate(SHOW_BOARD))
        took, count = page.evaluate(SHOW_LIST)
        assert count >= CARDS, count
        lists.append(took)
    beside, own = statistics.median(lists), statistics.median(boards)
    sides = f"{beside:.0f} ms", f"{own:.0f} ms"
    yield f"{CARDS:,} cards, first render", "as many plain `<li>`", *sides, own / beside, MAX_TIMES_LIST
    yield from others_changes(page, site, rounds)
    context.close()


def others_changes(page: Page, site: Site, rounds: int) -> Iterator[Row]:
    page.goto(f"{site.url}/board")
    page.wait_for_selector("main[data-ready]")
    page.wait_for_selector(".live.connected")
    changed = page.locator('.cards[data-column="ready"] .task').first.get_attribute("data-id")
    page.evaluate(COUNT_TOUCHED)
    seconds = []
    with wire_client([HOLDFAST, "serve"], cwd=site.root) as client:
        client.initialize()
        client.notify("notifications/initialized")
        client.call("warm", "taskpilot_status")
        for number in range(rounds):
            text = f"Renamed for the {number}th time"
            began = time.time()
            client.start_call(f"write {number}", "taskpilot_update", task_id=changed, set={"title": text})
            seconds.append(page.evaluate(WAIT_FOR, text) / 1000 - began)
            client.answer(f"write {number}")
    touched = page.evaluate("[...window.touched]")
    assert changed in touched
    yield "cards repainted when another process changes one", None, "", str(len(touched)), len(touched), 1
    took = statistics.median(seconds)
    what = "seconds from a write over MCP in another process to the page"
    yield what, None, "", f"{took:.2f} s", took, MAX_SECONDS


if __name__ == "__main__":
    main()
