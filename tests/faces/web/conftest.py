"""The page in a real browser: Debian's Chromium, driven by Playwright; no complaint is forgiven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from tests.conftest import NODE_HOME
from tests.faces.web.site import Site, served

AXE = NODE_HOME / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = "/usr/bin/chromium"
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MS = 30_000
expect.set_options(timeout=WAIT_MS)

Axe = Callable[..., None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/faces/web/" in str(item.path) and {"page", "context"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.chromium)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A repository of its own for each module of tests, served by a process of its own."""
    with served(tmp_path_factory.mktemp("page") / "repository") as site:
        yield site


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for the tests of this folder; while it is open, no other test could run an event loop."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def signed_in(browser: Browser, site: Site) -> Any:
    """What a browser keeps after it has opened the site's link, which works once."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.link)
    page.wait_for_selector("main[data-ready]")
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def context(browser: Browser, signed_in: Any) -> Iterator[BrowserContext]:
    """A signed-in browser window of its own."""
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, site: Site) -> Iterator[Page]:
    """A tab of the page, which must say nothing on the console and ask nobody else for anything."""
    page = context.new_page()
    complaints = watched(page, site)
    yield page
    assert complaints == []


def watched(page: Page, site: Site) -> list[str]:
    """Return a list that fills with what a page must not do."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def said(message: Any) -> None:
        # A refusal that the page shows in words is also a line on the console; nobody can prevent that.
        refused = "Failed to load resource" in message.text and "/api/" in message.location.get("url", "")
        if message.type in ("error", "warning") and not refused:
            complaints.append(f"{message.type}: {message.text} {message.location}")

    def asked(request: Any) -> None:
        if not request.url.startswith((f"{site.url}/", "data:", "blob:")):
            complaints.append(f"request: {request.url}")

    page.on("console", said)
    page.on("request", asked)
    return complaints


class Held:
    """Requests that wait, as behind a slow line, until they are let go."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.routes: list[Route] = []
        self.is_open = False
        page.route(pattern, lambda route: route.continue_() if self.is_open else self.routes.append(route))

    def let_go(self) -> None:
        """Let those that wait and all that follow reach the server."""
        self.is_open = True
        for route in self.routes:
            route.continue_()


@pytest.fixture
def axe() -> Axe:
    """Fails where somebody would be kept out: labels, roles, contrast, structure."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; ./scripts/test installs it where npm works")

    def check(page: Page) -> None:
        # Running it inside a page needs a way round the page's own policy, which forbids foreign scripts.
        page.evaluate(AXE.read_text())
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        told = [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
        assert told == []

    return check
