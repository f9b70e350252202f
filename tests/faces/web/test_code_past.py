"""What the Code view tells about lines beside their text: history, reasons, uses, documents and images."""

from __future__ import annotations

import base64
import re

import pytest
from playwright.sync_api import Page, expect

from tests.faces.web.conftest import Axe
from tests.faces.web.site import Site

KELP = '''"""Kelp."""


def grow(tide, light):
    depth = tide * light + 3
    return depth


class Forest:
    def spread(self, tide):
        return grow(tide, 1)

    def shrink(self):
        return None
'''
USER = """from src.kelp import grow


def harvest(tide):
    return grow(tide, 2)
"""
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
README = """# Kelp forest

![the logo](pictures/logo.png) Read [the code](../src/kelp.py#L4) and <b onclick="x()">grow</b>.

<script>document.title = "harm"</script>
"""
FILE = "src/kelp.py"


@pytest.fixture(scope="module", autouse=True)
def filled(site: Site) -> None:
    site.write(FILE, KELP.replace("+ 3", "+ 1"))
    site.commit("begin")
    site.call("taskpilot_init", project_name="kelp")
    issue = site.call("git_mile_create", entity="issue", title="Kelp stays low")["id"]
    draft = {"title": "Make it deep", "connected_files": [FILE], "links": [{"kind": "issue", "ref": issue}]}
    site.call("taskpilot_add", tasks=[draft])
    site.write(FILE, KELP.replace("+ 3", "+ 2"))
    site.commit("make it 2\n\nBecause TP-1 wants more depth.")
    site.write("src/user.py", USER)
    site.write("docs/README.md", README)
    (site.root / "docs/pictures").mkdir()
    (site.root / "docs/pictures/logo.png").write_bytes(PIXEL)
    site.write(FILE, KELP)
    site.commit("make it 3")
    site.call("add_comment", filePath=FILE, line=5, tag="NOTE", text="Three is **measured**.", author="Grace")
    remark = site.call("send_message", file=FILE, line="5", comment="Why three?")
    site.call("reply_to_message", message_id=remark["id"], text="It was measured.")
    site.call("send_message", file=FILE, line="13", comment="About something else")


def opened(page: Page, site: Site, path: str) -> None:
    page.goto(f"{site.url}/code/{path}")
    page.wait_for_selector("main[data-ready]")


def test_the_panel_tells_why_a_line_is_as_it_is(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site, f"{FILE}#L5")
    page.keyboard.press("w")
    story = page.get_by_role("region", name="Why line 5?")
    expect(story.get_by_role("heading", name="Why line 5?")).to_be_focused()
    expect(story.get_by_role("region", name="Notes").locator("strong")).to_have_text("measured")
    remarks = story.get_by_role("region", name="Remarks")
    expect(remarks).to_contain_text("Why three?")
    expect(remarks.locator(".reply")).to_contain_text("It was measured.")
    expect(remarks).not_to_contain_text("something else")
    tasks = story.get_by_role("region", name="Tasks")
    expect(tasks).to_contain_text("Make it deep")
    expect(tasks).to_contain_text("named in")
    expect(story.get_by_role("region", name="Issues").get_by_role("link")).to_have_text("Kelp stays low")
    commits = story.get_by_role("region", name="Commits").get_by_role("link")
    expect(commits).to_have_text(["make it 3", "make it 2", "begin"])
    axe(page)
    page.keyboard.press("Escape")
    expect(story).to_be_hidden()
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Why?").click()
    expect(story.get_by_role("region", name="Tasks")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_lines_functions_and_files_have_their_history(page: Page, site: Site) -> None:
    opened(page, site, f"{FILE}#L6")
    page.keyboard.press("h")
    links = page.locator(".story .commit > a")
    expect(links).to_have_text(["begin"])
    page.get_by_role("button", name="History of grow").click()
    expect(links).to_have_text(["make it 3", "make it 2", "begin"])
    expect(page.get_by_role("heading", name="History of grow")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="History", exact=True).first.click()
    expect(page.get_by_role("heading", name="History of the file")).to_be_visible()
    page.locator(".commit").filter(has_text="make it 2").get_by_role("link", name="the file then").click()
    expect(page.locator('.line[data-line="5"]')).to_contain_text("+ 2")
    page.get_by_role("link", name="Show the current file").click()
    expect(page.locator('.line[data-line="5"]')).to_contain_text("+ 3")


def test_definitions_and_uses_are_found_with_their_confidence(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site, f"{FILE}#L4")
    page.keyboard.press("g")
    uses = page.get_by_role("region", name="Uses of grow")
    expect(uses.get_by_role("link", name="Forest.spread")).to_be_visible()
    expect(uses.get_by_role("listitem").filter(has_text="harvest")).to_contain_text("src/user.py:4")
    expect(uses.get_by_role("listitem").filter(has_text="harvest")).to_contain_text("1 place, exact")
    axe(page)
    opened(page, site, "src/user.py#L5")
    called = page.locator('.line[data-line="5"] code')
    box = called.bounding_box()
    assert box is not None
    column = called.evaluate(
        "node => { const range = document.createRange();"
        " const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT); let text;"
        " while ((text = texts.nextNode()) && !text.data.includes('grow'));"
        " range.setStart(text, text.data.indexOf('grow') + 2);"
        " return range.getBoundingClientRect().x - node.getBoundingClientRect().x; }"
    )
    called.click(modifiers=["Control"], position={"x": column, "y": 10})
    expect(page).to_have_url(f"{site.url}/code/{FILE}#L4")
    page.go_back()
    page.wait_for_selector("main[data-ready]")
    page.get_by_role("button", name="Uses").click()
    page.get_by_role("region", name="Defined elsewhere").get_by_role("link", name="grow").click()
    expect(page).to_have_url(f"{site.url}/code/{FILE}#L4")
    expect(page.locator('.line[data-line="4"]')).to_have_class(re.compile("selected"))


def test_a_permanent_link_names_the_commit_and_its_lines(page: Page, site: Site) -> None:
    site.write("moved.py", "one = 1\n")
    site.commit("add")
    commit = site.git("rev-parse", "HEAD").strip()
    site.write("moved.py", "zero = 0\none = 1\n")
    opened(page, site, "moved.py#L2")
    page.keyboard.press("y")
    expect(page).to_have_url(f"{site.url}/code/moved.py?revision={commit}#L1")
    expect(page.locator(".line.selected")).to_contain_text("one = 1")
    opened(page, site, "moved.py#L1")
    page.get_by_role("button", name="Permalink").last.click()
    expect(page.locator(".story")).to_contain_text("No commit has line 1 of moved.py yet.")


def test_the_outline_follows_what_is_in_view(page: Page, site: Site) -> None:
    site.write(
        "tall.py",
        "".join(f"def part_{n}():\n{'    pass' + chr(10)}" * 1 + "    pass\n" * 40 for n in range(30)),
    )
    opened(page, site, "tall.py")
    current = page.locator(".outline [aria-current]")
    expect(current).to_have_text("part_0")
    page.locator(".code-box").evaluate("box => { box.scrollTop = 20 * 42 * 10 + 5; }")
    expect(current).to_have_text("part_10")
    page.locator(".outline").get_by_role("link", name="part_20").click()
    expect(current).to_have_text("part_20")
    expect(current).to_be_in_viewport()


def test_documents_are_rendered_and_images_shown(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site, "docs")
    readme = page.get_by_role("region", name="README.md")
    expect(readme.get_by_role("heading", name="Kelp forest")).to_be_visible()
    opened(page, site, "docs/README.md")
    document = page.get_by_role("article", name="docs/README.md")
    expect(document.get_by_role("heading", name="Kelp forest")).to_be_visible()
    image = document.get_by_role("img", name="the logo")
    expect(image).to_have_js_property("naturalWidth", 1)
    expect(document).not_to_contain_text("harm")
    expect(page.locator(".code-box")).to_be_hidden()
    axe(page)
    page.keyboard.press("m")
    expect(page.locator(".line").first).to_contain_text("# Kelp forest")
    page.get_by_role("button", name="Rendered").click()
    document.get_by_role("link", name="the code").click()
    expect(page).to_have_url(f"{site.url}/code/{FILE}#L4")
    opened(page, site, "docs/README.md#L3")
    expect(page.locator(".line.selected")).to_contain_text("the logo")
    opened(page, site, "docs/pictures/logo.png")
    expect(page.get_by_role("img", name="docs/pictures/logo.png")).to_have_js_property("naturalWidth", 1)
