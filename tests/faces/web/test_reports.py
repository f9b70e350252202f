"""Reports as one HTML file, opened from the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.analysis.render.test_html_page import report
from tests.faces.web.conftest import Axe

pytestmark = pytest.mark.chromium


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    file = tmp_path / "report.html"
    file.write_text(report(), encoding="utf-8")
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(file.as_uri())
    yield page
    context.close()


def names(page: Page) -> list[str]:
    return [cell[:1] for cell in page.locator("tbody td:first-child").all_inner_texts()]


def test_tables_are_sorted_by_a_click_or_a_key(opened: Page) -> None:
    assert names(opened) == ["b", "<", "a"]
    opened.get_by_role("button", name="Count").click()
    assert names(opened) == ["a", "<", "b"]
    opened.get_by_role("button", name="Count").press("Enter")
    assert names(opened) == ["b", "<", "a"]
    assert opened.locator("th[aria-sort=ascending]").all_inner_texts() == ["Count"]
    opened.get_by_role("button", name="Name").click()
    assert names(opened) == ["<", "a", "b"]


def test_a_narrow_window_shows_it_in_both_themes(opened: Page, axe: Axe) -> None:
    for theme in ("light", "dark"):
        opened.emulate_media(color_scheme=theme)
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
        axe(opened)


def test_paper_shows_whole_tables_in_dark_on_light(opened: Page) -> None:
    opened.emulate_media(media="print", color_scheme="dark")
    overflow, text = opened.evaluate(
        "[getComputedStyle(document.querySelector('.wide')).overflowX, getComputedStyle(document.body).color]"
    )
    assert overflow == "visible"
    assert text == "rgb(19, 35, 32)"
