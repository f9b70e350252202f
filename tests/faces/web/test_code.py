"""The code in a browser: lines in colour, heat, notes that follow their code, and files that mean harm."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.faces.web.conftest import Axe
from tests.faces.web.site import Site

KELP = '''"""Kelp."""
import os


def first(a):
    return os.path.join(a, "kelp")


def grow(tide, light):
    depth = tide * light + 3  # deep
    if depth > 10:
        depth = depth - light
    return depth
'''
GROW = KELP[KELP.index("def grow") :]
HOSTILE = '<img src=x onerror="document.title=1">.py'
FILE = "src/deep/kelp.py"


@pytest.fixture(scope="module", autouse=True)
def filled(site: Site) -> None:
    site.write(FILE, KELP.replace("+ 3", "+ 1"))
    site.commit("begin")
    for number in (2, 3):
        site.write(FILE, KELP.replace("+ 3", f"+ {number}"))
        site.commit(f"make it {number}")
    site.write(f"odd/{HOSTILE}", 'x = "<img src=x onerror=alert(1)><script>alert(2)</script>"\n')
    site.write("long.py", "".join(f"line_{number} = {number}\n" for number in range(1, 20_001)))
    site.write("picture.png", "\0\0")
    site.write("data.bin", "\0\0")


def opened(page: Page, site: Site, path: str) -> None:
    page.goto(f"{site.url}/code/{path}")
    page.wait_for_selector("main[data-ready]")


def test_a_file_is_reached_by_the_tree_and_shown_in_colour_with_its_heat(
    page: Page, site: Site, axe: Axe
) -> None:
    page.goto(f"{site.url}/issues")  # whose looks must not reach the code
    page.wait_for_selector("main[data-ready]")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Code").click()
    expect(page.get_by_role("row", name="src/")).to_be_visible()
    tree = page.locator(".tree")
    tree.get_by_text("src", exact=True).click()
    tree.get_by_text("deep", exact=True).click()
    tree.get_by_role("link", name="kelp.py").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("kelp.py")
    expect(page.get_by_role("navigation", name="Folders")).to_have_text("root/src/deep")
    line = page.locator('.line[data-line="9"]')
    expect(line.locator(".is-keyword")).to_have_text("def")
    expect(line.locator(".number")).to_be_visible()
    expect(line.locator(".is-function")).to_have_text("grow")
    expect(page.locator('.line[data-line="10"] .is-comment')).to_have_text("# deep")
    told = "grow: complexity 2 × 3 changes in 90 days, heat 2 of 5"
    expect(line.locator(".heat")).to_have_attribute("title", told)
    expect(page.locator('.line[data-line="6"] .heat')).to_have_attribute("data-step", "2")
    expect(page.locator('.line[data-line="2"] .heat')).to_have_attribute("data-step", "0")
    expect(page.locator(".facts")).to_contain_text("complexity up to 2")
    expect(page.locator(".facts")).to_contain_text("changed 3× in 90 days")
    page.locator(".outline").get_by_role("link", name="grow").click()
    expect(page).to_have_url(f"{site.url}/code/{FILE}#L9")
    expect(line).to_have_class(re.compile("selected"))
    axe(page)


def test_a_file_is_shown_as_a_commit_has_it(page: Page, site: Site) -> None:
    opened(page, site, f"{FILE}?revision=HEAD~1")
    expect(page.locator('.line[data-line="10"]')).to_contain_text("light + 2")
    expect(page.locator(".facts")).to_contain_text("as of")
    expect(page.get_by_role("list", name="Notes")).to_have_count(0)


def test_the_margin_says_who_last_changed_each_line_on_request(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site, FILE)
    expect(page.locator(".blame")).to_have_count(0)
    page.get_by_role("button", name="Blame").click()
    expect(page).to_have_url(re.compile("blame=true"))
    expect(page.locator(".blame a").first).to_have_text("Ada")
    changed = page.locator(".line").filter(has_text="# deep").locator(".blame a")
    expect(changed).to_have_attribute("title", "make it 3\nAda")
    axe(page)
    page.keyboard.press("b")
    expect(page.locator(".blame")).to_have_count(0)
    opened(page, site, f"{FILE}?blame=true")
    page.locator(".line").filter(has_text="# deep").locator(".blame a").click()
    expect(page.get_by_text("“make it 3”")).to_be_visible()


def test_a_note_written_by_keyboard_follows_an_edit_made_elsewhere(page: Page, site: Site) -> None:
    site.write("tide.py", KELP)
    opened(page, site, "tide.py#L10")
    page.keyboard.press("J")
    expect(page.locator(".selection-bar")).to_contain_text("Lines 10–11")
    page.keyboard.press("c")
    expect(page.locator(".note.writing")).to_be_in_viewport(ratio=1)
    page.get_by_label("Note on line 10").fill("Why **three**?")
    expect(page.get_by_label("Your name")).to_have_value("Ada")
    page.get_by_label("Your name").fill("Grace")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+Enter")
    card = page.locator("article.note", has_text="Why three?")
    expect(card.locator("strong", has_text="three")).to_be_visible()
    expect(card).to_contain_text("Grace")
    expect(card).to_contain_text("line 10")
    expect(card).to_contain_text("exact place")
    [kept] = site.call("get_file_comments", filePath="tide.py")["comments"]
    assert (kept["line"], kept["text"], kept["author"]) == (10, "Why **three**?", "Grace")
    site.write("tide.py", "# one\n# two\n" + KELP)
    expect(card).to_contain_text("line 12")
    expect(page.locator('.line[data-line="1"]')).to_contain_text("# one")
    expect(page.locator('.line[data-line="12"] .number')).to_have_attribute("data-noted", "1")
    card.get_by_role("button", name="Reply").click()
    card.get_by_label("Reply").fill("Because of the tide.")
    card.get_by_role("button", name="Reply").last.click()
    expect(card.locator(".reply")).to_contain_text("Because of the tide.")
    site.holdfast("comments", "reply", "tide.py", kept["id"], "From another process", "--author", "ada")
    expect(card).to_contain_text("From another process")
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    expect(page.locator(".line.selected")).to_have_attribute("data-line", "12")
    card.get_by_role("button", name="Resolve").click()
    expect(card).to_contain_text("resolved")
    expect(page.locator(".facts")).to_contain_text("0 notes")
    card.get_by_role("button", name="Reopen").click()
    expect(page.locator(".facts")).to_contain_text("1 note")
    assert site.call("get_file_comments", filePath="tide.py")["comments"][0]["status"] == "open"


def test_who_writes_a_note_is_not_disturbed_by_another_one(page: Page, site: Site) -> None:
    site.write("calm.py", KELP)
    opened(page, site, "calm.py#L5")
    page.keyboard.press("c")
    page.keyboard.type("Only the ")
    site.call("add_comment", filePath="calm.py", line=2, text="From elsewhere", tag="NOTE")
    expect(page.locator("article.note")).to_contain_text("From elsewhere")
    page.keyboard.type("first")
    expect(page.get_by_label("Note on line 5")).to_have_value("Only the first")
    page.locator('.line[data-line="6"] .number').click()
    page.get_by_role("button", name="Write a note").click()
    expect(page.get_by_label("Note on line 6")).to_have_value("Only the first")
    page.reload()
    page.wait_for_selector("main[data-ready]")
    page.keyboard.press("c")
    expect(page.get_by_label("Note on line 6")).to_have_value("Only the first")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.get_by_label("Note on line 6")).to_have_value("")


def test_a_note_is_shown_as_it_is_once_an_answer_to_it_was_left(page: Page, site: Site) -> None:
    site.write("still.py", KELP)
    site.call("add_comment", filePath="still.py", line=5, text="As it was", tag="NOTE")
    [note] = site.call("get_file_comments", filePath="still.py")["comments"]
    opened(page, site, "still.py")
    card = page.locator('article.note[data-line="5"]')
    card.get_by_role("button", name="Reply").click()
    card.get_by_label("Reply").fill("Half of an answer")
    site.call("edit_comment", filePath="still.py", commentId=note["id"], text="As it is now")
    site.call("add_comment", filePath="still.py", line=2, text="Comes later", tag="NOTE")
    expect(page.get_by_text("Comes later")).to_be_visible()
    expect(card.get_by_label("Reply")).to_have_value("Half of an answer")
    card.get_by_role("button", name="Cancel").click()
    expect(card).to_contain_text("As it is now")
    expect(card.get_by_label("Reply")).to_have_count(0)


def test_a_remark_on_lines_goes_to_the_inbox(page: Page, site: Site) -> None:
    opened(page, site, f"{FILE}#L5-L6")
    page.keyboard.press("r")
    page.get_by_label("Remark to the agent on lines 5-6").fill("Join is not needed.")
    page.get_by_role("button", name="Send remark").click()
    expect(page.get_by_label(re.compile("Remark"))).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("The remark was sent to the agent")
    sent = site.call("list_messages")["messages"]
    assert [(one["file"], one["line"], one["comment"]) for one in sent] == [
        (FILE, "5-6", "Join is not needed.")
    ]


def test_a_note_that_lost_its_code_is_put_where_the_code_went(page: Page, site: Site) -> None:
    drift = (
        "def drift(harbour, wind):\n    reach = [harbour.rope(one) for one in wind]\n    return max(reach)\n"
    )
    site.write("lost.py", KELP.replace(GROW, drift))
    site.commit("lose")
    site.call("add_comment", filePath="lost.py", line=10, text="Follow me", tag="NOTE")
    site.call("add_comment", filePath="lost.py", line=6, text="Keep me", tag="NOTE")
    site.write("lost.py", KELP.replace(GROW, "# nothing is left\n"))
    site.write("sea.py", '"""The sea."""\n\n\n' + drift)
    opened(page, site, "lost.py")
    lost = page.locator(".orphan", has_text="Follow me")
    expect(lost).to_contain_text("was on line 10")
    expect(lost.get_by_role("link", name="sea.py:5")).to_have_attribute("href", "/code/sea.py#L5")
    expect(lost.locator(".excerpt")).to_contain_text("reach = [harbour.rope")
    expect(lost.get_by_role("button", name="Move it to the selected line")).to_be_disabled()
    lost.get_by_role("button", name="Move it here").click()
    expect(page.locator(".orphan")).to_have_count(0)
    expect(page.locator("article.note")).to_have_count(1)
    [moved] = site.call("get_file_comments", filePath="sea.py")["comments"]
    assert (moved["line"], moved["text"], moved["orphaned"]) == (5, "Follow me", False)


def test_a_note_that_is_not_sure_shows_where_it_may_be_before_one_chooses(page: Page, site: Site) -> None:
    site.write("unsure.py", KELP)
    site.commit("doubt")
    site.call("add_comment", filePath="unsure.py", line=10, text="Which one?", tag="QUESTION")
    site.write(
        "unsure.py",
        KELP.replace(GROW, "def shrink(tide, light):\n    total = tide * light + 4\n    return total\n\n\n"
                     "def other(tide, light):\n    deep = tide * light + 5\n    return deep\n"),
    )  # fmt: skip
    opened(page, site, "unsure.py")
    card = page.locator("article.note.uncertain", has_text="Which one?")
    expect(card).to_contain_text("likely place")
    card.get_by_role("link", name="line 10", exact=True).click()
    expect(page.locator(".line.selected")).to_have_attribute("data-line", "10")
    card.get_by_role("listitem").filter(has_text="line 10").get_by_role("button", name="Move it here").click()
    expect(page.locator("article.note:not(.uncertain)", has_text="Which one?")).to_contain_text("line 10")


def test_long_files_have_few_rows_and_a_link_to_a_line_marks_it(page: Page, site: Site) -> None:
    opened(page, site, "long.py#L15000-L15002")
    marked = page.locator(".line.selected")
    expect(marked).to_have_text([re.compile(f"line_{number} = {number}") for number in (15000, 15001, 15002)])
    expect(marked.first).to_be_in_viewport()
    assert page.locator(".line").count() < 200
    page.locator(".code-box").evaluate("box => { box.scrollTop = box.scrollHeight; }")
    expect(page.get_by_text("line_20000")).to_be_visible()
    assert page.locator(".line").count() < 200
    page.locator('.line[data-line="20000"] .number').click()
    page.locator('.line[data-line="19998"] .number').click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile("#L19998-L20000$"))
    page.keyboard.press("Escape")
    expect(marked).to_have_count(0)
    page.locator('.line[data-line="19997"] .number').hover()
    page.mouse.down()
    page.locator('.line[data-line="19995"]').hover()
    page.mouse.up()
    page.locator('.line[data-line="19999"]').hover()  # which is no part of it any more
    expect(page).to_have_url(re.compile("#L19995-L19997$"))


def test_hostile_names_and_contents_stay_text(page: Page, site: Site) -> None:
    opened(page, site, "odd")
    page.locator(".folder").get_by_role("link", name=HOSTILE).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.locator('.line[data-line="1"] .is-string')).to_have_text(
        '"<img src=x onerror=alert(1)><script>alert(2)</script>"'
    )
    assert page.locator("main img, main script").count() == 0
    opened(page, site, "data.bin")
    expect(page.get_by_text("This file is binary")).to_be_visible()
    opened(page, site, "picture.png")
    expect(page.get_by_text("picture.png is no image")).to_be_visible()
    opened(page, site, "nowhere.py")
    expect(page.get_by_role("alert")).to_contain_text("nowhere.py")


def test_the_code_is_usable_on_a_small_screen(page: Page, site: Site, axe: Axe) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    site.write("small.py", KELP + "wide = " + "1 + " * 100 + "1\n")
    site.call("add_comment", filePath="small.py", line=5, text="Mind the tide", tag="NOTE")
    opened(page, site, "small.py#L5")
    expect(page.locator("article.note")).to_contain_text("Mind the tide")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("document.querySelector('main').scrollWidth") <= 360
    page.keyboard.press("c")
    expect(page.get_by_label("Note on line 5")).to_be_focused()
    axe(page)


def test_a_date_of_a_note_that_is_none_is_shown_as_it_is(page: Page, site: Site) -> None:
    site.write("dated.py", "tide = 1\n")
    site.holdfast("comments", "add", "dated.py", "1", "Who knows when")
    sidecar = site.server.repository / "dated.py.comments"
    undated = re.sub(r'"(created|updated)": "[^"]*"', r'"\1": "at low tide"', sidecar.read_text("utf-8"))
    sidecar.write_text(undated, "utf-8")
    opened(page, site, "dated.py")
    expect(page.get_by_text("Who knows when")).to_be_visible()
    expect(page.locator("time", has_text="at low tide").first).to_be_visible()
