"""Every view with data, light and dark, wide and narrow: usable by everybody, nothing beside the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import holdfast.faces.web
from tests.faces.web.conftest import Axe, Held
from tests.faces.web.site import Site, demonstrated, served

VIEWS = Path(holdfast.faces.web.__file__).parent / "static" / "views"
ADDRESSES = {
    "today": "/",
    "board": "/board",
    "task": "/task/TP-5",
    "code": "/code/src/tidepool/leases.py",
    "review": "/review?what=worktree",
    "issues": "/issues",
    "health": "/health",
    "api": "/api",
    "activity": "/activity",
}
WIDE, NARROW = 1440, 360
HAVE_ACTION = (
    "/board",
    "/task/TP-1",
    "/issues",
    "/issues?kind=milestone",
    "/health",
    "/activity",
    "/board?query=no",
)
AGENTS = [
    "claude",
    "Claude Code",
    "codex-mcp-client",
    "worker-3",
    "renovate[bot]",
    "the agent",
    "cursor-vscode",
]
PEOPLE = ["Ada", "Claude Shannon", "Claudette", "Abbot", "Ampère", "Ada <ada@example.org>"]
SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifts += entry.value;
}).observe({type: "layout-shift", buffered: true});"""
MOST_SHIFTED = 0.02
"""A fifth of 0.1, from which web.dev calls the stability of a page in need of improvement."""
CUT_OFF = """() => [...document.querySelectorAll(".empty, .empty *")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
  .map((node) => node.textContent)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with demonstrated(tmp_path_factory.mktemp("page") / "demo") as site:
        yield site


def test_the_demonstration_shows_something_in_every_room(site: Site, page: Page) -> None:
    for address, shown in (
        ("/", "Say how many writers."),
        ("/board", "Flush the folder after a pool is replaced"),
        ("/task/TP-5", "A test pulls the plug"),
        ("/code/src/tidepool/store.py", "First the content, then the name"),
        ("/review?what=worktree", "Why 80?"),
        ("/issues", "A power cut loses the newest pool"),
        ("/activity", "claude"),
    ):
        page.goto(f"{site.url}{address}")
        expect(page.get_by_role("main")).to_contain_text(shown)


def test_the_check_notices_who_would_be_kept_out(site: Site, page: Page, axe: Axe) -> None:
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    with pytest.raises(AssertionError, match="label"):
        axe(page)


@pytest.mark.parametrize("view", [name for name in ADDRESSES if (VIEWS / f"{name}.js").exists()])
def test_a_view_is_usable_by_everybody(site: Site, page: Page, axe: Axe, view: str) -> None:
    page.goto(f"{site.url}{ADDRESSES[view]}")
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
            page.wait_for_selector("main[data-ready]")
            axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.getElementById('main').scrollWidth") <= width
    assert page.locator("h1").count() == 1
    assert page.locator(".problem").all_inner_texts() == []


def test_an_empty_view_shows_the_next_command_whole_on_a_small_screen(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path / "repository") as site:
        context = browser.new_context(viewport={"width": NARROW, "height": 740})
        page = context.new_page()
        page.goto(site.link)
        page.wait_for_selector("main[data-ready]")
        for address in ("/", "/board", "/task/TP-1", "/code", "/issues", "/health", "/activity"):
            page.goto(f"{site.url}{address}")
            expect(page.locator(".empty").first).to_be_visible()
            expect(page.locator(".empty .icon").first).to_be_visible()
            assert page.evaluate(CUT_OFF) == [], address
        for address in HAVE_ACTION:
            page.goto(f"{site.url}{address}")
            expect(page.locator(".empty").first.locator(".button")).to_have_count(1)
        page.get_by_role("link", name="Board").click()
        command = page.get_by_text("holdfast tasks init").bounding_box()
        assert command is not None
        assert command["height"] < 30, "the command stands in one line"
        context.close()


def test_the_bar_of_a_selection_stands_at_the_edge_of_a_small_screen(site: Site, page: Page) -> None:
    page.set_viewport_size({"width": NARROW, "height": 740})
    page.goto(f"{site.url}/code/src/tidepool/store.py#L3")
    expect(page.locator(".selection-bar")).to_be_visible()
    bar, rail = (page.locator(name).bounding_box() for name in (".selection-bar", ".rail"))
    assert bar is not None
    assert rail is not None
    assert abs(bar["y"] + bar["height"] - rail["y"]) <= 1, "no line of the code shows below it"


def test_agents_differ_from_people_by_shape_mark_and_name_for_screen_readers(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/activity")
    avatar = {name: page.locator(f'.person[title="{name}"] .avatar').first for name in ("Ada", "claude")}
    for node in avatar.values():
        expect(node).to_be_visible()
    style = "(node) => getComputedStyle(node).borderRadius"
    assert avatar["Ada"].evaluate(style) == "50%"
    assert avatar["claude"].evaluate(style) != "50%"
    antenna = "(node) => getComputedStyle(node, '::before').content"
    assert [avatar[name].evaluate(antenna) for name in avatar] == ["none", '""']
    expect(page.locator('.person[title="claude"]').first.get_by_role("img", name="agent")).to_be_visible()
    expect(page.locator('.person[title="Ada"]').get_by_role("img")).to_have_count(0)
    is_agent = "(names) => import('/static/people.js').then(({isAgent}) => names.filter(isAgent))"
    assert page.evaluate(is_agent, [*AGENTS, *PEOPLE]) == AGENTS


def test_what_loads_late_is_announced_by_bars_and_moves_nothing(site: Site, page: Page) -> None:
    page.add_init_script(SHIFTS)
    late = Held(page, "**/api/inbox/**")
    page.goto(site.url)
    mine = page.get_by_role("region", name="For you")
    expect(page.get_by_role("region", name="Agents").get_by_text("codex")).to_be_visible()
    bars = "(node) => getComputedStyle(node, '::after').content"
    assert mine.evaluate(bars) == '""'
    expect(mine.get_by_role("link")).to_have_count(0)
    late.let_go()
    expect(mine.get_by_text("It is ignored there now, with a test.")).to_be_visible()
    assert mine.evaluate(bars) == "none"
    expect(page.get_by_role("region", name="Since yesterday").get_by_role("link").first).to_be_visible()
    assert page.evaluate("window.shifts") < MOST_SHIFTED
