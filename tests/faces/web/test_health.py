"""The view of the repository's health: map and table, trends, copies, graph and gate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.analysis.polyglot import COPIES, TANGLE
from tests.faces.web.conftest import WAIT_MS, Axe, Held, watched
from tests.faces.web.site import Site, served

HOSTILE = "src/<img src=x onerror=alert(1)>&\"'#%.py"
TREE = {
    "src/hot.py": f"def tangle(a, b):\n    # TODO: untie\n{TANGLE}    return a\n",  # hygiene: to be found
    "src/a.py": "from src import b\n\n\ndef one():\n    return b\n",
    "src/b.py": "from src import a\n\n\ndef two():\n    return a\n",
    HOSTILE: "def three():\n    return 3\n",
    **{f"sizes/{lines}.py": "x = 1\n" * lines for lines in (400, 200, 100, 50)},
    "copies/one.py": COPIES["copies/a.py"],
    "copies/two.py": COPIES["copies/c.py"],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A repository with a hot file, a cycle, a copy, a hostile name, and a gate that fails."""
    with served(tmp_path_factory.mktemp("health") / "repository") as site:
        for path, text in TREE.items():
            site.write(path, text)
        site.commit("All")
        for number in range(3):
            site.write("src/hot.py", f"{TREE['src/hot.py']}\n\nLAST = {number}\n")
            site.commit("Hotter")
        yield site


def opened(page: Page, site: Site, query: str = "") -> Locator:
    """Show the view and return its map."""
    page.goto(f"{site.url}/health{query}")
    expect(page.locator(".map a").first).to_be_visible(timeout=WAIT_MS)
    return page.locator(".map")


@contextmanager
def signed_in_tab(browser: Browser, site: Site) -> Iterator[Page]:
    """A tab of a browser that has opened the site's link."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = context.new_page()
    complaints = watched(tab, site)
    tab.goto(site.link)
    tab.wait_for_selector("main[data-ready]")
    yield tab
    assert complaints == []
    context.close()


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def tile(shown: Locator, path: str) -> Locator:
    return shown.locator(f'[data-path="{path}"]')


def heat(shown: Locator, path: str) -> int:
    found = re.search(r"heat-(\d)", tile(shown, path).get_attribute("class") or "")
    assert found is not None
    return int(found[1])


def colour(shown: Locator, path: str) -> Any:
    return tile(shown, path).evaluate("node => getComputedStyle(node).backgroundColor")


def test_areas_follow_lines_and_colours_follow_the_measure(page: Page, site: Site) -> None:
    shown = opened(page, site, "?folder=sizes")
    boxes = {lines: tile(shown, f"sizes/{lines}.py").bounding_box() for lines in (400, 200, 100, 50)}
    areas = {lines: box["width"] * box["height"] / lines for lines, box in boxes.items() if box}
    assert len(areas) == 4
    assert max(areas.values()) / min(areas.values()) < 1.02
    shown = opened(page, site, "?folder=src")
    assert heat(shown, "src/hot.py") > heat(shown, "src/a.py") > 0
    assert colour(shown, "src/hot.py") != colour(shown, "src/a.py")
    expect(tile(shown, "src/hot.py")).to_have_attribute(
        "title", re.compile(r"hot spot 64, complexity 16, changes 4, debt 1; 36 lines")
    )
    page.get_by_label("Colour by").select_option("Debt")
    expect(page).to_have_url(re.compile(r"measure=debt"))
    expect(tile(shown, "src/a.py")).to_have_class(re.compile("heat-0"))
    assert heat(shown, "src/hot.py") > 0
    page.get_by_label("Colour by").select_option("Duplication")
    expect(page.locator(".legend")).to_contain_text("%")
    shown = opened(page, site, "?measure=duplication&folder=copies")
    assert heat(shown, "copies/one.py") > 0
    page.get_by_label("Colour by").select_option("Coverage")
    expect(page.get_by_text("No coverage: no report found.")).to_be_visible()


def test_folders_open_and_close_by_pointer_keys_and_address(page: Page, site: Site) -> None:
    shown = opened(page, site)
    crumbs = page.get_by_role("navigation", name="Folder", exact=True)
    tile(shown, "src").click(position={"x": 8, "y": 8})
    expect(page).to_have_url(f"{site.url}/health?folder=src")
    expect(crumbs).to_have_text("all files/src")
    expect(page.get_by_role("table", name="Numbers of the files")).not_to_contain_text("sizes/")
    page.go_back()
    expect(page).to_have_url(f"{site.url}/health")
    expect(tile(shown, "sizes")).to_be_visible()
    shown.locator('[tabindex="0"]').focus()
    keys = cycle(("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowUp"))
    for _ in range(40):
        focused = page.evaluate("document.activeElement.dataset")
        if focused["kind"] == "folder" and focused["path"] != "sizes":
            break
        page.keyboard.press(next(keys))
    assert focused["kind"] == "folder"
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/health?folder={focused['path']}")
    expect(crumbs).to_have_text(f"all files/{focused['path']}")
    page.keyboard.press("Escape")
    expect(page).to_have_url(f"{site.url}/health")
    opened(page, site, "?folder=sizes")
    expect(page.locator('.map [data-kind="file"]')).to_have_count(4)
    page.get_by_label("Colour by").focus()
    page.get_by_label("Colour by").select_option("Complexity")
    expect(page.get_by_label("Colour by")).to_be_focused()
    expect(page.locator(".legend li").last).to_have_text("16")
    page.keyboard.press("Escape")
    expect(crumbs).to_have_text("all files")
    expect(tile(shown, "src")).to_be_visible()
    page.go_back()
    expect(page.locator('.map [data-kind="file"]')).to_have_count(4)
    crumbs.get_by_role("link", name="all files").click()
    expect(tile(shown, "src")).to_be_visible()
    opened(page, site, "?folder=src")
    expect(tile(shown, "src/hot.py")).to_have_attribute("href", "/health?folder=src&file=src%2Fhot.py")


def test_a_click_sorts_the_table_and_numbers_link_to_their_lines(page: Page, site: Site) -> None:
    opened(page, site)
    table = page.get_by_role("table", name="Numbers of the files")
    rows = table.locator("tbody tr")
    expect(rows.first).to_contain_text("src/hot.py")
    expect(rows.first.get_by_role("link", name="16", exact=True)).to_have_attribute(
        "href", "/code/src/hot.py#L1"
    )
    expect(rows.first.get_by_role("link", name="1", exact=True)).to_have_attribute(
        "href", "/code/src/hot.py#L2"
    )
    table.get_by_role("button", name="Lines").click()
    expect(rows.first).to_contain_text("sizes/400.py")
    expect(table.get_by_role("columnheader", name="Lines")).to_have_attribute("aria-sort", "descending")
    expect(page).to_have_url(re.compile("sort=lines"))
    table.get_by_role("button", name="Lines").press("Enter")
    expect(rows.last).to_contain_text("sizes/400.py")
    page.reload()
    expect(rows.last).to_contain_text("sizes/400.py")
    table.get_by_role("button", name="File").click()
    expect(rows.first).to_contain_text("copies/one.py")


def test_trends_are_drawn_once_past_commits_are_measured(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "trends") as other, signed_in_tab(browser, other) as page:
        for number in range(4):
            other.write("src/hot.py", f"{TREE['src/hot.py']}\n\nLAST = {number}\n")
            other.commit("Hotter")
        check_trends(page, other)


def check_trends(page: Page, site: Site) -> None:
    held = Held(page, "**/record_trend")
    opened(page, site)
    trends = section(page, "Trends")
    expect(trends.get_by_text("holdfast analyze record-trend --backfill 50")).to_be_visible()
    expect(trends.get_by_role("button", name="Measure the last 50 commits")).to_be_visible()
    expect(trends.get_by_text("Measuring the last 4 commits in the background…")).to_be_visible()
    held.let_go()
    lines = trends.get_by_role("img", name=re.compile("^code lines from .* over 4 commits"))
    expect(lines.locator("circle")).to_have_count(4)
    expect(lines.locator("polyline")).to_have_attribute("points", re.compile(r"(\d[\d.,]* ?){4}"))
    expect(trends.get_by_role("figure").filter(has_text="debt items")).to_contain_text("1")
    expect(trends).to_contain_text("4 of the last 4 commits are measured.")
    debt = trends.get_by_role("figure").filter(has_text="debt items")
    expect(debt.locator(".dates time")).to_have_count(2)
    expect(trends.locator(".axis").first.locator("span").last).to_have_text(re.compile(r"^(⌇ [\d,.]+|0)"))


def test_copies_stand_side_by_side_with_what_differs_marked(page: Page, site: Site) -> None:
    opened(page, site)
    pair = page.get_by_role("region", name=re.compile(r"copies.one\.py.* beside copies.two\.py"))
    expect(pair.locator("mark", has_text="accounts").first).to_be_visible()
    expect(pair.locator("mark", has_text="users").first).to_be_visible()
    expect(pair.get_by_role("link", name=re.compile(r"copies.two\.py"))).to_have_attribute(
        "href", re.compile(r"^/code/copies/two\.py#L\d+-L\d+$")
    )
    assert pair.locator("mark").count() < pair.locator("tbody tr").count() * 4
    page.get_by_label("Which copies").select_option("Word for word")
    expect(section(page, "Duplicates")).to_contain_text("50 lines, 4 times, 100 % similar: sizes/100.py:1–50")
    expect(page.locator(".pair mark")).to_have_count(0)
    expect(page).to_have_url(re.compile("copies=exact"))


def test_the_graph_zooms_and_its_cycle_is_named(page: Page, site: Site) -> None:
    opened(page, site)
    graph = page.get_by_role("region", name=re.compile("Graph of imports"))
    expect(graph).to_have_attribute("data-scale", "1.00")
    dependencies = section(page, "Dependencies")
    cycles, frame = dependencies.locator(".cycles").bounding_box(), graph.bounding_box()
    assert cycles is not None
    assert frame is not None
    assert cycles["y"] < frame["y"]
    expect(dependencies.get_by_role("listitem")).to_have_text(
        "2 files import each other when they are loaded: src/a.py, src/b.py"
    )
    expect(graph.locator(".node.ring")).to_have_count(2)
    dependencies.get_by_role("button", name="Zoom in").click()
    expect(graph).to_have_attribute("data-scale", "1.25")
    before = graph.locator("svg").get_attribute("width")
    graph.focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(graph).to_have_attribute("data-scale", "1.95")
    assert graph.locator("svg").get_attribute("width") != before
    page.keyboard.press("0")
    expect(graph).to_have_attribute("data-scale", "1.00")
    graph.hover()
    page.mouse.wheel(0, -100)
    expect(graph).to_have_attribute("data-scale", "1.25")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    node = graph.locator('[data-path="src/a.py"]')
    node.focus()
    expect(node).to_be_in_viewport(ratio=1)
    node.hover()
    expect(graph.locator(".node.lit")).to_have_count(2)
    expect(node).to_have_attribute("href", "/code/src/a.py")


def test_dependencies_are_drawn_by_folder_first_and_folders_open(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "layers") as other, signed_in_tab(browser, other) as tab:
        for user, used in (("faces/a", "rooms/a"), ("faces/b", "rooms/b"), ("rooms/a", "rooms/b")):
            other.write(f"app/{user}.py", f"from app.{used.replace('/', '.')} import x\n\n\nx = x\n")
        other.write("app/rooms/b.py", "x = 1\n")
        other.write("tests/test_a.py", "from app.faces.a import x\n\n\nx = x\n")
        other.commit("All")
        opened(tab, other)
        nodes = tab.locator(".graph .node text")
        expect(nodes).to_have_text(["tests/", "app/"])
        tab.locator('.graph [data-path="app"]').focus()
        tab.keyboard.press("Enter")
        expect(nodes).to_have_text(["app/faces/", "app/rooms/"])
        expect(tab).to_have_url(f"{other.url}/health?dependencies=app")
        tab.locator('.graph [data-path="app/rooms"]').click()
        expect(nodes).to_have_text(["app/rooms/a.py", "app/rooms/b.py"])
        crumbs = tab.get_by_role("navigation", name="Drawn folder")
        expect(crumbs).to_have_text("all files/app/rooms")
        crumbs.get_by_role("button", name="all files").click()
        expect(nodes).to_have_text(["tests/", "app/"])
        tab.get_by_label("What is drawn").select_option("Files, up to 60 boxes")
        expect(nodes).to_have_count(5)


def test_the_gate_names_each_rule_and_links_what_broke_it(page: Page, site: Site) -> None:
    opened(page, site, "#gate")
    gate = section(page, "Quality gate")
    expect(gate.get_by_text("✕ fails").first).to_be_in_viewport()
    rule = gate.locator(".rule", has_text="complexity").first
    expect(rule).to_contain_text("16 threshold 10")
    rule.locator("summary").click()
    link = rule.get_by_role("link", name="src/hot.py:1")
    expect(link).to_have_attribute("href", "/code/src/hot.py#L1")
    expect(gate.locator(".rule", has_text="coverage")).to_contain_text("not measured")
    told = page.evaluate(
        "async () => { const { healthOverview } = await import('/static/views/health/overview.js');"
        " return (await healthOverview(new AbortController().signal)).textContent; }"
    )
    assert "Hottest file: src/hot.py complexity 16, changed 4× in 90 days" in told


def test_hostile_names_a_small_dark_window_and_nobody_kept_out(page: Page, site: Site, axe: Axe) -> None:
    shown = opened(page, site)
    expect(page.get_by_role("link", name=HOSTILE, exact=True)).to_have_attribute(
        "href", "/code/src/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%26%22'%23%25.py"
    )
    assert page.locator("main img").count() == 0
    expect(section(page, "Quality gate").locator(".rule").first).to_be_visible()
    axe(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 740})
    expect(tile(shown, "src")).to_be_visible()
    assert page.evaluate("(node => node.scrollWidth <= node.clientWidth)(document.querySelector('main'))")
    axe(page)


def test_with_nothing_or_far_too_much_the_view_says_so(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "empty") as other:
        context = browser.new_context()
        page = context.new_page()
        complaints = watched(page, other)
        page.goto(other.link)
        page.wait_for_selector("main[data-ready]")
        page.goto(f"{other.url}/health")
        expect(page.get_by_text("this repository has none yet")).to_be_visible()
        expect(page.get_by_role("heading", level=2)).to_have_count(0)
        other.write("a.py", TREE["src/hot.py"])
        page.reload()
        expect(page.get_by_text("No hot spot: there is no commit.")).to_be_visible()
        expect(page.get_by_label("Colour by")).to_have_value("complexity")
        expect(page.locator(".map a")).to_have_count(1)
        expect(section(page, "Trends")).to_contain_text("A trend needs two commits; this branch has none.")
        expect(section(page, "Quality gate").locator(".rule").first).to_be_visible()
        for number in range(1010):
            other.write(f"many/{number % 2}/{number}.py", "x = 1\n")
        page.reload()
        expect(page.get_by_text("the 11 others as part of 1 folder.")).to_be_visible()
        tile(page.locator(".map"), "many/1").first.click(position={"x": 8, "y": 8})
        expect(page.get_by_text("505 files, 505 lines.", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page).to_have_url(f"{other.url}/health?folder=many")
        expect(page.get_by_text("1,010 files, 1,010 lines.")).to_be_visible()
        context.close()
        assert complaints == []


def test_a_measure_and_a_kind_of_copies_that_do_not_exist_are_ignored(page: Page, site: Site) -> None:
    opened(page, site, "?measure=toString&copies=toString")
    expect(page.get_by_label("Colour by")).to_have_value("hot_spot")
    expect(page.get_by_label("Which copies")).to_have_value("renamed", timeout=WAIT_MS)
