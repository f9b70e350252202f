"""From a measured place to work: the panel of a file, and tasks, remarks and notes on what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.analysis.polyglot import COPIES, TANGLE
from tests.faces.web.conftest import WAIT_MS, Axe
from tests.faces.web.site import Site, served

HOT = f"def tangle(a, b):\n{TANGLE}    return a\n"
CONTRASTS = """
steps => steps.map((step) => {
  const tile = document.querySelector(".map").appendChild(document.createElement("a"));
  tile.className = `tile heat-${step}`;
  const style = getComputedStyle(tile);
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [luminance(style.backgroundColor), luminance(style.color)];
  tile.remove();
  return found;
})
"""
"""The relative luminance of each step's background and text (WCAG 2.2)."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("work") / "repository") as site:
        site.write("src/hot.py", HOT)
        site.write("src/cold.py", "def cold():\n    return 1\n")
        for name in ("a", "c"):
            site.write(f"copies/{name}.py", COPIES[f"copies/{name}.py"])
        site.commit("All")
        site.write("src/hot.py", f"{HOT}\n\nLAST = 1\n")
        site.commit("Hotter")
        site.call("taskpilot_init", project_name="kelp")
        yield site


def opened(page: Page, site: Site, query: str = "") -> None:
    page.goto(f"{site.url}/health{query}")
    expect(page.locator(".map a").first).to_be_visible(timeout=WAIT_MS)


def test_a_file_on_the_map_opens_its_panel_by_pointer_keys_and_address(
    page: Page, site: Site, axe: Axe
) -> None:
    opened(page, site, "?folder=src")
    panel = page.get_by_role("region", name="The selected file")
    expect(panel).to_be_hidden()
    page.locator('.map [data-path="src/hot.py"]').focus()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("heading", name="hot.py")).to_be_focused()
    expect(page).to_have_url(f"{site.url}/health?folder=src&file=src%2Fhot.py")
    figures = panel.get_by_role("table", name="Figures")
    expect(figures.get_by_role("row", name=re.compile("^Complexity"))).to_contain_text(
        "cyclomatic, of all functions; more than any other file"
    )
    functions = panel.get_by_role("region", name="Functions by heat")
    expect(functions.get_by_role("link", name="tangle")).to_have_attribute(
        "href", re.compile(r"^/code/src/hot\.py#L1-L\d+$")
    )
    expect(panel.get_by_role("region", name="History").get_by_role("link")).to_have_text(["Hotter", "All"])
    expect(panel.get_by_role("region", name="Findings")).to_contain_text(
        "cyclomatic complexity of 16 is over 10"
    )
    axe(page)
    page.get_by_role("heading", name="hot.py").focus()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator('.map [data-path="src/hot.py"]')).to_be_focused()
    opened(page, site, "?file=src%2Fcold.py")
    expect(panel.get_by_role("heading", name="cold.py")).to_be_visible()
    expect(page.locator('.map [aria-current="true"]')).to_have_attribute("data-path", "src/cold.py")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_task_a_remark_and_a_note_keep_the_place(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site, "?file=src%2Fhot.py")
    finding = page.get_by_role("region", name="Findings").locator(".finding").first
    finding.get_by_role("button", name="Create a task").click()
    dialog = page.get_by_role("dialog", name="New task")
    expect(dialog.get_by_label("Title")).to_have_value(re.compile("complexity of 16 is over 10"))
    expect(dialog.get_by_label("Description")).to_have_value(re.compile("Place: src/hot.py:1"))
    axe(page)
    dialog.get_by_role("button", name="Add").click()
    link = finding.get_by_role("link", name="TP-1")
    expect(link).to_be_visible()
    task = site.call("taskpilot_show", task_id="TP-1", whole=True)["task"]
    assert [item["path"] for item in task["connected_files"]] == ["src/hot.py"]
    [kept] = task["links"]
    assert (kept["kind"], kept["ref"]) == ("finding", "src/hot.py#cyclomatic-complexity:1")

    panel = page.get_by_role("region", name="The selected file")
    panel.get_by_role("button", name="Ask the agent: Improve hot.py").click()
    page.get_by_role("dialog").get_by_label("Remark").fill("Can this be simpler?")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(panel.get_by_text("Sent to the agent.")).to_be_visible()
    [message] = site.call("list_messages")["messages"]
    assert (message["file"], message["line"], message["comment"]) == (
        "src/hot.py",
        "1",
        "Can this be simpler?",
    )

    panel.get_by_role("button", name="Leave a note: Improve hot.py").click()
    page.get_by_role("dialog").get_by_label("Note").fill("Known to be hot.")
    page.keyboard.press("Control+Enter")
    panel.get_by_role("link", name="line 1", exact=True).click()
    expect(page).to_have_url(f"{site.url}/code/src/hot.py#L1")
    expect(page.locator("article.note")).to_contain_text("Known to be hot.")


def test_a_group_of_copies_and_a_failed_check_lead_to_work(page: Page, site: Site) -> None:
    opened(page, site)
    copies = page.get_by_role("region", name="Duplicates", exact=True).locator("details").first
    copies.get_by_role("button", name="Create a task").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    expect(copies.get_by_role("link", name=re.compile(r"^TP-\d+$"))).to_be_visible()
    listed = site.call("taskpilot_list", query="Merge the copies")["tasks"]
    task = site.call("taskpilot_show", task_id=listed[0]["id"], whole=True)["task"]
    assert sorted(link["ref"] for link in task["links"]) == ["copies/a.py", "copies/c.py"]
    gate = page.get_by_role("region", name="Quality gate", exact=True)
    rule = gate.locator("details.rule", has_text="complexity").first
    rule.locator("summary").click()
    rule.locator(".finding").get_by_role("button", name="Ask the agent").first.click()
    expect(page.get_by_role("dialog").get_by_label("Remark")).to_have_value(re.compile("complexity of 16"))
    page.keyboard.press("Escape")
    rule.get_by_role("button", name="Create a task: Satisfy the check of complexity").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    link = rule.get_by_role("link", name=re.compile(r"^TP-\d+$"))
    expect(link).to_be_visible()
    task = site.call("taskpilot_show", task_id=link.inner_text(), whole=True)["task"]
    assert [item["ref"] for item in task["links"]] == ["src/hot.py#cyclomatic-complexity:1"]


def test_a_folder_leads_to_work_too(page: Page, site: Site) -> None:
    opened(page, site, "?folder=src")
    page.get_by_role("button", name="Ask the agent: Improve src/").click()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_text("Sent to the agent.")).to_be_visible()
    asked = site.call("list_messages")["messages"][-1]
    assert (asked["file"], asked["comment"][:13]) == (".", "src: 2 files,")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lightness_alone_tells_the_steps_of_heat_apart(page: Page, site: Site, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    opened(page, site)
    found = page.evaluate(CONTRASTS, [0, 1, 2, 3, 4])

    def contrast(one: float, other: float) -> float:
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)

    backgrounds = [background for background, _ in found]
    assert backgrounds == sorted(backgrounds, reverse=scheme == "light")
    neighbours = pairwise(backgrounds)
    assert min(contrast(one, other) for one, other in neighbours) >= 1.15
    assert min(contrast(background, text) for background, text in found) >= 4.5
