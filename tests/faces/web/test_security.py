"""Hostile text through every operation that writes, and then every view: nothing of it ever acts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import holdfast.faces.web
from tests.contract.prepared import environment, prepare
from tests.faces.http.running import running_server
from tests.faces.web.conftest import WAIT_MS, watched
from tests.faces.web.hostile import (
    WRITES,
    Place,
    Stored,
    commit_everything,
    free_texts,
    is_prose,
    store_everything,
)
from tests.faces.web.payloads import PAYLOADS
from tests.faces.web.site import Site

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SOME = 40
REFLECTED = 'javascript:pwned()"><img src=x onerror=pwned()><xss-probe onclick=pwned()>'
VIEWS = Path(holdfast.faces.web.__file__).parent / "static" / "views"
WITHOUT_TEXT = {
    "check_lazygit_messages": "takes nothing",
    "withdraw_message": "takes only an id",
    "check_stores": "takes nothing",
    "delete_comment": "takes a path and the name of a comment",
    "drain_messages": "takes numbers and switches",
    "git_mile_init": "takes the name of a remote that exists",
    "git_mile_sync": "takes the name of a remote that exists",
    "taskpilot_audit": "takes switches and the name of a session",
    "taskpilot_update_flow": "takes the name of a flow that exists",
}
WATCH = """() => {
  window.pwned = () => { window.wasPwned = true; };
  addEventListener("securitypolicyviolation", (event) => { window.wasPwned = event.violatedDirective; });
}"""
UNEXPECTED = """() => {
  const found = [];
  const banned = "xss-probe, iframe, object, embed, frame, frameset, portal, marquee, base, math, video, "
    + "audio, style, bgsound, foreignObject, use, animate, set, image, meta[http-equiv], a[ping], [srcdoc], "
    + "[background]";
  const note = (node) => found.push(node.cloneNode().outerHTML);
  document.querySelectorAll(banned).forEach(note);
  for (const node of document.querySelectorAll("*")) {
    const name = node.localName;
    const address = node.getAttribute("src") ?? node.getAttribute("href") ?? node.getAttribute("xlink:href");
    const ours = address === null || /^(\\/(?!\\/)|#)/.test(address);
    if (["script", "img", "link"].includes(name) && !(ours && address)) note(node);
    if (name === "a" && !ours && !["http:", "https:"].includes(new URL(address, location.href).protocol)) {
      note(node);
    }
    if (/url\\(/.test(node.getAttribute("style") ?? "")) note(node);
    for (const attribute of node.attributes) if (/^on/i.test(attribute.name)) note(node);
  }
  if (window.wasPwned) found.push(`ran: ${window.wasPwned}`);
  return found;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A repository of which every room holds something, as the contract's cases expect it."""
    folder = tmp_path_factory.mktemp("hostile")
    root = prepare(folder / "kelp", folder / "home")
    with running_server(root, environment=environment(folder / "home")) as server:
        yield Site(server, root)


@pytest.fixture(scope="module")
def stored(site: Site) -> Stored:
    stored = store_everything(site)
    commit_everything(site)
    return stored


@pytest.fixture
def page(context: BrowserContext, site: Site) -> Iterator[Page]:
    page = context.new_page()
    page.add_init_script(f"({WATCH})()")
    complaints = watched(page, site)
    yield page
    assert complaints == []


@pytest.mark.evidence("F4", "page", "payloads stored through every write, every view")
def test_every_operation_that_writes_took_every_payload(stored: Stored) -> None:
    assert len(PAYLOADS) >= 300
    without = {name for name in WRITES if not stored.places.get(name)}
    assert without == WITHOUT_TEXT.keys(), "give each a case in tests/contract, or say why it takes no text"
    unsent = {name: len(missing(texts)) for name, texts in stored.offered.items() if missing(texts)}
    assert unsent == {}
    prose = {
        name
        for name in stored.places
        if any(is_prose(place, schema) for place, schema in accepted(stored, name) if place != ("title",))
    }
    refused = {name: missing(stored.taken.get(name, set())) for name in prose}
    # Prompts that hold a placeholder of no meaning are refused; everything else is somebody's text.
    assert {name for name, payloads in refused.items() if payloads} <= {"taskpilot_update_steps"}
    assert all(len(payloads) < SOME for payloads in refused.values())
    assert len(prose) > 12


def missing(texts: set[str]) -> list[str]:
    together = "\n".join(texts)
    return [payload for payload in PAYLOADS if payload not in together]


def accepted(stored: Stored, name: str) -> list[tuple[Place, dict[str, Any]]]:
    return [item for item in free_texts(WRITES[name]).items() if item[0] in stored.places[name]]


def addresses(site: Site) -> Iterator[tuple[str, str]]:
    tasks = site.call("taskpilot_list", sort="updated", limit=100)["tasks"]
    issues = site.call("git_mile_list", entity="issue", limit=100)["items"]
    hostile_files = [
        path.name for path in site.root.iterdir() if "xss-probe" in path.name or "pwned" in path.name
    ]
    yield "today", "/"
    yield "board", "/board"
    for task in tasks[:3]:
        yield "task", f"/task/{task['id']}"
    yield "code", "/code"
    for name in ("src/main.py", *sorted(hostile_files)[:2]):
        yield "code", f"/code/{quote(name)}"
    yield "review", "/review?what=worktree"
    yield "review", f"/review?{quote('<xss-probe>')}={quote(PAYLOADS[0])}"
    yield "issues", "/issues"
    for issue in issues[:2]:
        yield "issues", f"/issues/{issue['id']}"
    yield "health", "/health"
    yield "activity", "/activity"
    # What an address says is shown, too: in fields, in failures, in titles.
    text = quote(REFLECTED, safe="")
    for view, query in (("board", "query"), ("issues", "filter"), ("activity", "actor")):
        yield view, f"/{view}?{query}={text}"
    for view in ("task", "code", "issues"):
        yield view, f"/{view}/{text}"


@pytest.mark.evidence("F4", "page", "payloads stored through every write, every view")
def test_no_view_lets_any_of_it_act(stored: Stored, page: Page, site: Site) -> None:
    shown = set()
    for view, path in addresses(site):
        page.goto(f"{site.url}{path}")
        page.wait_for_selector("main[data-ready]")
        if view not in shown:
            # Parts of a view come after it; the first address of each view shows something hostile.
            expect(page.locator("main")).to_contain_text("pwned()", timeout=WAIT_MS)
            shown.add(view)
        assert page.evaluate(UNEXPECTED) == [], path
    without_stored_text = {"api"}
    views = {path.stem for path in VIEWS.glob("*.js")}
    assert shown == views - without_stored_text, "a view showed none of it"
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Search or jump")
    box.fill("<img src=x onerror=pwned()>")
    expect(box).to_have_value("<img src=x onerror=pwned()>")
    assert page.evaluate(UNEXPECTED) == []


@pytest.mark.evidence("F4", "page", control="a page on which something acts")
def test_the_search_notices_what_acts(context: BrowserContext, site: Site) -> None:
    page = context.new_page()
    page.add_init_script(f"({WATCH})()")
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    assert page.evaluate(UNEXPECTED) == []
    page.evaluate("document.body.append(document.createElement('xss-probe'))")
    page.evaluate("document.body.lastChild.setAttribute('onclick', '')")
    assert len(page.evaluate(UNEXPECTED)) >= 2
    page.evaluate("document.body.lastChild.remove(); pwned()")
    assert page.evaluate(UNEXPECTED) == ["ran: true"]


def test_the_watch_notices_what_a_page_must_not_do(context: BrowserContext, site: Site) -> None:
    page = context.new_page()
    complaints = watched(page, site)
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    assert complaints == []
    for act, noticed in (
        ("fetch('http://elsewhere.invalid/').catch(() => {})", "error: Connecting to"),
        ("document.body.append(Object.assign(document.createElement('script'), {text: '1'}))", "error: "),
        ("setTimeout(() => { throw new Error('a fault') })", "error: a fault"),
        ("setTimeout(() => alert('here'))", "dialog: here"),
        ("location.assign('http://elsewhere.invalid/')", "request: http://elsewhere.invalid/"),
    ):
        complaints.clear()
        page.evaluate(f"void {act}")
        deadline = time.monotonic() + WAIT_MS / 1000
        while not any(told.startswith(noticed) for told in complaints):
            assert time.monotonic() < deadline, (act, complaints)
            page.wait_for_timeout(20)


@pytest.mark.parametrize("path", ["/", "/board", "/nowhere", "/static/frame.js", "/static/style.css"])
def test_every_answer_of_the_page_has_exactly_the_strict_policy(site: Site, path: str) -> None:
    stranger = {"Authorization": None, "Accept": "text/html"}
    answered = site.server.ask("GET", path, headers=stranger)
    assert answered.status == 200
    assert answered.headers["content-security-policy"] == POLICY
    assert answered.headers["x-content-type-options"] == "nosniff"
    assert answered.headers["referrer-policy"] == "no-referrer"
    for others in ({"Host": "evil.invalid"}, {"Origin": "http://evil.invalid"}):
        refused = site.server.ask("GET", path, headers=stranger | others)
        assert refused.status in (403, 421)
        assert b"<html" not in refused.body


@pytest.mark.parametrize(
    "path",
    [
        "/static/../site.py",
        "/static/..%2fsite.py",
        "/static/%2e%2e/%2e%2e/http/serve.py",
        "/static/views/../../__init__.py",
        "/static/..\\site.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/views/",
        "/static/__init__.py",
    ],
)
def test_nothing_but_the_files_of_the_page_is_served(site: Site, path: str) -> None:
    answered = site.server.ask("GET", path, headers={"Authorization": None})
    assert answered.status in (401, 404)
    assert b"import" not in answered.body


def test_a_stranger_learns_how_to_sign_in_and_nothing_else(browser, site: Site) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.url}/board")
    expect(page.get_by_role("heading", level=1)).to_have_text("This browser is not signed in")
    assert "TP-" not in page.content()
    assert "pwned" not in page.content()
    for path in ("/api/tasks/taskpilot_list", "/api/markdown", "/api/events", "/mcp"):
        assert site.server.ask("GET", path, headers={"Authorization": None}).status == 401
    context.close()
