"""Reviewing in the page: what differs, remarks on its lines, and what becomes of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.faces.web.conftest import Axe, Held, watched
from tests.faces.web.site import Site, served

FIRST = "".join(f"line {number}\n" for number in range(1, 31))
BLOCK = "".join(f"def kelp_{number}(water):\n    return water + {number}\n" for number in range(3))
HOSTILE = "<img src=x onerror=alert(1)>.py"


@pytest.fixture(scope="module")
def repository(site: Site) -> Site:
    """Commits on two branches, and a file that was renamed."""
    site.write("src/tide.py", FIRST)
    site.write("old name.txt", "kept\n" * 9)
    site.write("from.py", BLOCK + "end = 1\n")
    site.commit("Begin")
    site.git("checkout", "-q", "-b", "work")
    site.write("branch.py", "on a branch\n")
    site.commit("Add <b>branch</b>")
    site.git("tag", "start")
    return site


@pytest.fixture(autouse=True)
def work_tree(repository: Site) -> Iterator[None]:
    """One change of each kind. What the test did is undone, since the tests run in any order."""
    site = repository
    site.git("mv", "old name.txt", "new name.txt")
    site.write("src/tide.py", FIRST.replace("line 5\n", "line five\n").replace("line 25\n", ""))
    site.write("from.py", "end = 1\n")
    site.write("to.py", "begin = 1\n" + BLOCK)
    site.write(HOSTILE, "<script>alert(1)</script>\n</td></table>\u202ex\n")
    (site.root / "picture.bin").write_bytes(b"\0\1")
    yield
    site.call("check_lazygit_messages")
    site.git("reset", "--quiet", "--hard", "start")
    site.git("clean", "--quiet", "-d", "--force")


def opened(page: Page, site: Site, query: str = "") -> Page:
    page.goto(f"{site.url}/review{query}")
    page.wait_for_selector("main[data-ready]")
    return page


def file(page: Page, path: str) -> Locator:
    return page.get_by_role("region", name=path, exact=True)


def line(page: Page, path: str, text: str) -> Locator:
    return file(page, path).locator("tr.line").filter(has=page.get_by_text(text, exact=True))


def thread_with(page: Page, text: str) -> Locator:
    """Return the one remark with this text: those of earlier tests are still there."""
    return page.get_by_role("article", name=re.compile("Remark on")).filter(has_text=text)


def remark(page: Page, path: str, row: str, text: str) -> None:
    file(page, path).scroll_into_view_if_needed()  # lines come when they are near
    line(page, path, row).locator(".line-number").last.click()
    page.get_by_role("textbox", name=re.compile("Remark on line")).fill(text)


def test_every_way_to_review_shows_its_files_and_has_its_address(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site)
    expect(file(page, "new name.txt")).to_contain_text("old name.txt → new name.txt")
    expect(file(page, "picture.bin")).to_contain_text("It is binary.")
    expect(file(page, "src/tide.py").locator("mark").first).to_have_text("5")
    expect(file(page, "src/tide.py").locator("mark").last).to_have_text("five")
    expect(file(page, "to.py")).to_contain_text("moved from from.py:1")
    expect(file(page, "to.py").locator(".added .is-keyword").first).to_have_text("def")
    expect(file(page, "from.py")).to_contain_text("moved to to.py:2")
    expect(file(page, HOSTILE)).to_contain_text("<script>alert(1)</script>")
    expect(file(page, HOSTILE)).to_contain_text("hidden characters")
    expect(file(page, "src/tide.py").locator(".hunk a").first).to_have_attribute(
        "href", "/code/src/tide.py#L2-L8"
    )
    axe(page)
    picker = page.get_by_label("What to review")
    for what, shown in {
        "unstaged": "src/tide.py",
        "staged": "new name.txt",
        "commit": "branch.py",
        "branch": "branch.py",
    }.items():
        picker.select_option(what)
        expect(page).to_have_url(re.compile(f"what={what}"))
        expect(file(page, shown)).to_be_visible()
    picker.select_option("commit")
    expect(page.get_by_text("“Add <b>branch</b>”")).to_be_visible()
    picker.select_option("range")
    expect(page.get_by_role("alert")).to_contain_text("A range needs its base.")
    page.get_by_label("From").fill("main")
    page.keyboard.press("Enter")
    expect(file(page, "branch.py")).to_be_visible()
    page.get_by_label("Commit").fill("nowhere")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no commit 'nowhere'.")


def test_side_by_side_and_more_lines_are_a_press_away(page: Page, site: Site) -> None:
    site.write("gap.py", FIRST * 3)
    site.git("add", "gap.py")
    site.git("commit", "--quiet", "--message", "A gap", "gap.py")
    site.write("gap.py", "first\n" + FIRST * 3 + "last\n")
    opened(page, site)
    gap = file(page, "gap.py")
    gap.scroll_into_view_if_needed()
    expect(gap.locator("tr.line")).to_have_count(8)
    gap.get_by_role("button", name="↓ 20 lines").click()
    expect(gap.locator("tr.line")).to_have_count(28)
    gap.get_by_role("button", name="↑ 20 lines").click()
    expect(gap.locator("tr.line")).to_have_count(48)
    gap.get_by_role("button", name="All 44 lines").click()
    expect(gap.locator("tr.line")).to_have_count(92)
    expect(file(page, "src/tide.py").locator("tr.line")).to_have_count(15)
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile("layout=split"))
    expect(file(page, "to.py").locator(".split .is-keyword").first).to_have_text("def")
    changed = file(page, "src/tide.py").locator("tr.line").nth(3).locator("td")
    expect(changed).to_have_text(["5", "line 5", "5", "line five"])
    shown = file(page, "src/tide.py")
    shown.get_by_role("button", name="Show 1 line", exact=True).click()
    expect(shown.locator("tr.line")).to_have_count(15)  # 14 pairs and one more
    expect(shown.get_by_role("button", name="Show 13 lines")).to_be_visible()
    shown.get_by_role("button", name="All lines").click()
    expect(file(page, "src/tide.py").locator("tr.line")).to_have_count(30)
    page.set_viewport_size({"width": 360, "height": 740})
    expect(file(page, "src/tide.py").locator("tr.line").nth(4).locator("td")).to_have_text(
        ["5", "", "−", "line 5"]
    )
    assert page.evaluate(
        "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"
    )


def test_a_remark_reaches_the_agent_and_its_answer_comes_back_by_itself(
    page: Page, site: Site, axe: Axe
) -> None:
    opened(page, site)
    remark(page, "src/tide.py", "line five", "Why in words? <i>x</i>")
    page.get_by_role("button", name="Send", exact=True).click()
    thread = thread_with(page, "Why in words? <i>x</i>")
    expect(thread).to_contain_text("waiting")
    [message] = site.call("check_lazygit_messages")["messages"]
    assert (message["file"], message["line"]) == ("src/tide.py", "5")
    assert message["comment"] == "About the work tree, line 5:\n> line five\n\nWhy in words? <i>x</i>"
    expect(thread).to_contain_text("with the agent")
    site.holdfast("inbox", "reply", message["id"], "--text", "Because it reads well.")
    expect(thread).to_contain_text("answered")
    expect(thread).to_contain_text("Because it reads well.")
    thread.get_by_role("button", name="Reply").click()
    page.get_by_role("textbox", name="Reply to the thread").fill("Then say so there.")
    page.get_by_role("button", name="Send reply").click()
    expect(thread).to_contain_text("waiting")
    expect(thread).to_contain_text("Then say so there.")
    told = json.loads(site.holdfast("inbox", "check", "--json"))["messages"][0]
    assert told["comment"] == f"In reply to {message['id']}:\n\nThen say so there."
    assert told["line"] == "5"
    expect(thread).to_contain_text("with the agent")
    expect(page.get_by_text("changed since your remark")).to_have_count(0)
    site.write("src/tide.py", "begin\n" + FIRST.replace("line 5\n", "line 5, in words\n"))
    expect(thread).to_contain_text("the line has changed since")
    expect(file(page, "src/tide.py").get_by_text("changed since your remark")).to_be_visible()
    axe(page)
    site.write("src/tide.py", "begin\n" + FIRST.replace("line 5\n", "line five\n"))
    expect(page.get_by_text("the line has changed since")).to_have_count(0)
    site.holdfast("inbox", "reply", told["id"], "--text", "Said there.")
    thread.get_by_role("button", name="Done").click()
    expect(thread).to_have_count(0)


def test_a_reply_is_shown_although_its_news_arrive_before_its_response(page: Page, site: Site) -> None:
    site.holdfast("send", "--anyway", "--file", "src/tide.py", "--line", "5", "--comment", "Why so?")
    opened(page, site)
    file(page, "src/tide.py").scroll_into_view_if_needed()
    thread = thread_with(page, "Why so?")
    thread.get_by_role("button", name="Reply").click()
    page.get_by_role("textbox", name="Reply to the thread").fill("Then say so there.")

    def hold(route: Route) -> None:
        with page.expect_response("**/api/inbox/list_messages*"):
            answer = route.fetch()
        route.fulfill(response=answer)

    page.route("**/api/inbox/send_message", hold)
    page.get_by_role("button", name="Send reply").click()
    expect(thread).to_contain_text("Then say so there.")


def test_a_click_on_code_selects_its_line_for_the_remark(page: Page, site: Site) -> None:
    opened(page, site)
    target = line(page, "src/tide.py", "line 7")
    target.get_by_text("line 7").click()
    expect(target).to_have_class(re.compile("selected"))
    expect(page.locator("tr.selected")).to_have_count(1)
    expect(page.get_by_role("textbox", name=re.compile("Remark on line"))).to_have_count(0)
    page.keyboard.press("r")
    page.get_by_role("textbox", name="Remark on line 7").fill("On the seventh")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(thread_with(page, "On the seventh")).to_contain_text("waiting")
    [message] = site.call("check_lazygit_messages")["messages"]
    assert (message["line"], "> line 7" in message["comment"]) == ("7", True)


def test_code_that_was_marked_selects_its_lines_and_stays_marked(page: Page, site: Site) -> None:
    site.git("add", "--all")
    site.write("marked.py", FIRST)
    opened(page, site, "?what=unstaged")  # one file without remarks: nothing loads that would move its lines
    first, last = (line(page, "marked.py", text).locator(".code") for text in ("line 6", "line 8"))
    first.hover(position={"x": 10, "y": 8})
    page.mouse.down()
    last.hover(position={"x": 60, "y": 8})
    page.mouse.up()
    expect(page.locator("tr.selected")).to_have_count(3)
    assert "line 7" in page.evaluate("getSelection().toString()")


def test_a_plus_in_the_margin_starts_a_remark_with_the_mouse_and_by_key(page: Page, site: Site) -> None:
    opened(page, site)
    line(page, "src/tide.py", "line 3").hover()
    page.get_by_role("button", name="Write a remark on this line").click()
    expect(page.get_by_role("textbox", name="Remark on line 3")).to_be_focused()
    page.get_by_role("button", name="Cancel").click()
    line(page, "src/tide.py", "line 4").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Remark on line 4")).to_be_focused()
    page.get_by_role("button", name="Cancel").click()


def test_totals_are_those_of_git_and_name_what_they_leave_out(page: Page, site: Site) -> None:
    opened(page, site, "?what=commit&revision=start")
    counts = site.git("show", "--numstat", "--format=", "start").split()
    expect(page.get_by_role("status").locator(".counts").first).to_have_text(f"+{counts[0]} −{counts[1]}")
    opened(page, site)
    expect(page.get_by_role("status").filter(has_text="files")).to_contain_text(
        "without 1 file that cannot be counted"
    )


def test_files_are_a_tree_with_a_filter_and_those_of_holdfast_come_last(page: Page, site: Site) -> None:
    for number in range(9):
        site.write(f"src/deep/er/file_{number}.py", "x = 1\n")
    site.write(".task/extra.md", "Once\n")
    opened(page, site)
    tree = page.get_by_role("navigation", name="Files")
    expect(tree.locator("summary").filter(has_text="deep/er")).to_be_visible()
    own = file(page, ".task/extra.md")
    expect(page.locator("section.file").last).to_have_attribute("aria-label", ".task/extra.md")
    own.get_by_role("button", name="Show 1 changed line").click()
    expect(own.locator("tr.line")).to_have_count(1)
    tree.locator("summary").filter(has_text="deep/er").click()
    expect(tree.get_by_role("button", name="file_3.py")).to_be_hidden()
    tree.get_by_role("searchbox", name="Filter files").fill("FILE_3")
    expect(tree.get_by_role("button")).to_have_count(1)
    tree.get_by_role("button", name="file_3.py").click()
    expect(file(page, "src/deep/er/file_3.py").locator("tr.selected")).to_be_visible()
    tree.get_by_role("searchbox", name="Filter files").fill("")
    page.locator("section.file").last.scroll_into_view_if_needed()
    expect(tree.get_by_role("searchbox", name="Filter files")).to_be_in_viewport()


def test_a_bar_shows_what_is_left_and_leads_from_remark_to_remark(page: Page, site: Site, axe: Axe) -> None:
    ids = {}
    for text in ("First", "Second", "Third"):
        site.write(f"bar/{text.lower()}.py", FIRST)
    site.git("stash", "--quiet")  # the commit has these files only
    site.git("add", "bar")
    site.git("commit", "--quiet", "--message", "Three files")
    site.git("stash", "pop", "--quiet", "--index")
    for text in ("Third", "Second", "First"):
        site.holdfast(
            "send", "--file", f"bar/{text.lower()}.py", "--line", "3", "--comment", f"{text} of three"
        )
        ids[text] = site.call("check_lazygit_messages")["messages"][0]["id"]
    site.holdfast("inbox", "reply", ids["Second"], "--text", "Done so.")
    opened(page, site, "?what=commit")
    bar = page.get_by_role("group", name="What is left to review")
    page.get_by_label("Seen bar/second.py").check()  # its remark is reached all the same
    expect(bar.get_by_role("progressbar")).to_have_attribute("aria-valuenow", re.compile(r"^[1-9]"))
    expect(bar).to_contain_text(re.compile("1 of [0-9]+ files seen"))
    expect(bar).to_contain_text("2 remarks open")
    expect(bar).to_contain_text("1 answered")
    threads = [thread_with(page, f"{text} of three") for text in ("First", "Second", "Third")]
    page.get_by_role("heading", name="Review").focus()
    for thread in (*threads, threads[0]):
        page.keyboard.press("n")
        expect(thread).to_be_focused()
        expect(thread).to_be_in_viewport()
    page.keyboard.press("p")
    expect(threads[2]).to_be_focused()
    site.holdfast("inbox", "reply", ids["Third"], "--text", "This too.")
    expect(bar).to_contain_text("2 answered")
    expect(threads[2]).to_be_focused()  # although the remarks were drawn again
    bar.get_by_role("button", name="Previous remark").click()
    expect(threads[1]).to_be_focused()
    axe(page)
    page.set_viewport_size({"width": 360, "height": 740})
    expect(bar).to_be_in_viewport()
    assert page.evaluate(
        "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"
    )


def test_changed_notes_are_shown_as_notes(page: Page, site: Site, axe: Axe) -> None:
    site.write("notes.py", FIRST)
    place = {"filePath": "notes.py", "author": "Grace"}
    for number, text in ((2, "Stays"), (4, "Rewritten"), (6, "Deleted <b>note</b>"), (8, "Resolved")):
        site.call("add_comment", **place, line=number, text=text, tag="NOTE")
    notes = site.call("get_file_comments", filePath="notes.py")["comments"]
    ids = {note["text"]: note["id"] for note in notes}
    site.commit("Notes")
    one = {"filePath": "notes.py"}
    site.call("edit_comment", **one, commentId=ids["Rewritten"], text="In other words")
    site.call("delete_comment", **one, commentId=ids["Deleted <b>note</b>"])
    site.call("resolve_comment", **one, commentId=ids["Resolved"])
    site.call("reply_to_comment", **one, commentId=ids["Rewritten"], text="Because", author="Ada")
    site.call("add_comment", **place, line=10, text="New here", tag="TODO")
    opened(page, site)
    changed = file(page, "notes.py.comments")
    changed.scroll_into_view_if_needed()
    expect(changed.get_by_role("listitem")).to_have_count(4)
    rewritten = changed.get_by_role("listitem").filter(has_text="In other words")
    expect(rewritten).to_contain_text("note changed")
    expect(rewritten).to_contain_text("Grace")
    expect(rewritten.locator("del")).to_have_text("Rewritten")
    expect(rewritten).to_contain_text("Because")
    expect(rewritten.get_by_role("link")).to_have_attribute("href", "/code/notes.py#L4")
    expect(changed).to_contain_text("note resolved")
    added = changed.get_by_role("listitem").filter(has_text="New here")
    expect(added).to_contain_text("note added")
    deleted = changed.get_by_role("listitem").filter(has_text="note deleted")
    expect(deleted).to_contain_text("Deleted <b>note</b>")
    expect(changed).not_to_contain_text("ghostMarkers")
    axe(page)
    changed.get_by_role("button", name="Show as lines").click()
    expect(changed.locator("tr.line").filter(has_text='"text": "New here"')).to_be_visible()
    site.write("damaged.py.comments", '{"comments": [')
    expect(file(page, "damaged.py.comments").locator("tr.line")).to_have_count(1)


def test_remarks_are_collected_in_a_review_that_outlives_the_page(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site)
    remark(page, "to.py", "begin = 1", "First of two")
    page.get_by_role("button", name="Start a review").click()
    expect(page.get_by_role("article", name="Draft on to.py")).to_contain_text("not sent")
    expect(page.locator("#repository")).to_have_text("repository")
    assert "First of two" in page.evaluate("localStorage.getItem('review drafts repository')")
    remark(page, "from.py", "def kelp_1(water):", "Second of two")
    expect(page.get_by_role("button", name="Start a review")).to_have_count(0)
    page.reload()
    file(page, "from.py").scroll_into_view_if_needed()
    half = page.get_by_role("textbox", name=re.compile("Remark on line"))
    expect(half).to_have_value("Second of two")  # although it was not added yet
    expect(page.get_by_role("button", name="Send 1 remark")).to_be_visible()
    page.get_by_role("button", name="Add to review").click()
    file(page, "to.py").scroll_into_view_if_needed()
    expect(page.get_by_role("article", name="Draft on to.py")).to_contain_text("First of two")
    axe(page)
    page.get_by_role("button", name="Send 2 remarks").click()
    expect(thread_with(page, "First of two")).to_contain_text("waiting")
    expect(page.get_by_role("article", name=re.compile("Draft"))).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Send .* remark"))).to_be_hidden()
    told = site.call("check_lazygit_messages")["messages"]
    assert [(one["file"], one["line"]) for one in told] == [("to.py", "1"), ("from.py", "1")]
    assert told[1]["comment"] == "About the work tree, removed line 3:\n> def kelp_1(water):\n\nSecond of two"


def test_a_review_is_written_by_keys_and_what_was_deleted_comes_back(page: Page, site: Site) -> None:
    opened(page, site)
    line(page, "to.py", "begin = 1").get_by_text("begin = 1").click()
    page.keyboard.press("r")
    page.keyboard.type("Kept by Esc")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.keyboard.type("Added by key")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Send 2 remarks")).to_be_visible()
    draft = page.get_by_role("article", name="Draft on to.py").filter(has_text="Added by key")
    draft.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Send 1 remark")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(draft).to_be_visible()
    page.get_by_label("What to review").select_option("commit")  # the files of the drafts are not there
    elsewhere = page.get_by_role("region", name="Remarks elsewhere")
    expect(elsewhere.get_by_role("article", name="Draft on to.py")).to_have_count(2)
    for _ in range(2):
        elsewhere.get_by_role("button", name="Delete").first.click()
    expect(page.get_by_role("button", name=re.compile("^Send .* remark"))).to_be_hidden()


def test_a_review_has_a_summary_and_remarks_on_whole_files(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site)
    remark(page, "to.py", "begin = 1", "On a line")
    page.keyboard.press("Escape")  # collects it
    line(page, "to.py", "begin = 1").get_by_text("begin = 1").click()
    page.keyboard.press("R")
    page.get_by_role("textbox", name="Remark on the file to.py").fill("Split this module")
    page.keyboard.press("Control+Enter")
    binary = file(page, "picture.bin")
    binary.get_by_role("button", name="Remark").click()
    page.get_by_role("textbox", name="Remark on the file picture.bin").fill("Is this needed?")
    page.get_by_role("button", name="Add to review").click()
    page.keyboard.press("s")
    page.get_by_role("textbox", name="Summary of the review").fill("Nearly done <b>so far</b>")
    page.reload()
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("textbox")).to_have_value("Nearly done <b>so far</b>")
    page.get_by_role("button", name="Add to review").click()
    expect(file(page, "to.py").locator("header + .head")).to_contain_text("Split this module")
    axe(page)
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate(
        "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"
    )
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Send 4 remarks").click()
    expect(summary).to_contain_text("waiting")
    expect(summary).to_contain_text("Nearly done <b>so far</b>")
    expect(binary).to_contain_text("waiting")
    told = site.call("check_lazygit_messages")["messages"]
    assert [(one["file"], one["line"], one["changed_lines"], one["comment"]) for one in told] == [
        (".", None, None, "About the work tree, as a whole:\n\nNearly done <b>so far</b>"),
        ("to.py", "1", None, "About the work tree, line 1:\n> begin = 1\n\nOn a line"),
        ("to.py", None, None, "About the work tree, the whole file:\n\nSplit this module"),
        ("picture.bin", None, None, "About the work tree, the whole file:\n\nIs this needed?"),
    ]
    site.holdfast("inbox", "reply", told[0]["id"], "--text", "Done now.")
    expect(summary).to_contain_text("Done now.")
    page.get_by_label("What to review").select_option("commit")
    expect(summary).to_have_count(0)  # it is about something else
    expect(page.get_by_role("region", name="Remarks elsewhere")).to_contain_text("Done now.")


def test_a_suggestion_is_written_read_and_applied(page: Page, site: Site, axe: Axe) -> None:
    opened(page, site)
    first, last = (line(page, "src/tide.py", text) for text in ("line 6", "line 7"))
    first.get_by_text("line 6").click()
    last.get_by_text("line 7").click(modifiers=["Shift"])
    page.keyboard.press("r")
    page.keyboard.type("One is enough:")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # on "Suggest a change"
    area = page.get_by_role("textbox", name="Remark on lines 6–7")
    expect(area).to_have_value("One is enough:\n```suggestion\nline 6\nline 7\n```\n")
    page.keyboard.type("line 6 and 7")  # the lines were selected
    page.keyboard.press("Control+Enter")
    thread = thread_with(page, "One is enough:")
    diff = thread.get_by_role("table", name="Suggested change")
    expect(diff.locator("tr")).to_have_text(["−line 6", "−line 7", "+line 6 and 7"])
    axe(page)
    [message] = site.call("check_lazygit_messages")["messages"]
    assert message["suggestion"] == {
        "first_line": 6,
        "last_line": 7,
        "original": "line 6\nline 7\n",
        "replacement": "line 6 and 7\n",
    }
    site.write("src/tide.py", (site.root / "src/tide.py").read_text().replace("line 7\n", "line seven\n"))
    thread.get_by_role("button", name="Apply").click()
    expect(thread.get_by_role("alert")).to_contain_text("src/tide.py no longer has the lines")
    assert "line seven\n" in (site.root / "src/tide.py").read_text()
    site.write("src/tide.py", FIRST)
    thread.get_by_role("button", name="Apply").click()
    expect(thread).to_contain_text("Applied the suggestion.")
    assert (site.root / "src/tide.py").read_text() == FIRST.replace("line 6\nline 7\n", "line 6 and 7\n")
    expect(line(page, "src/tide.py", "line 6 and 7")).to_be_visible()


def test_a_remark_is_withdrawn_before_an_agent_gets_it(page: Page, site: Site) -> None:
    site.holdfast("send", "--anyway", "--file", "src/tide.py", "--line", "5", "--comment", "Not worth it")
    opened(page, site)
    thread = thread_with(page, "Not worth it")
    thread.get_by_role("button", name="Withdraw").click()
    expect(thread.get_by_text("withdrawn", exact=True)).to_be_visible()
    expect(thread.get_by_role("button", name="Withdraw")).to_have_count(0)
    assert site.call("check_lazygit_messages")["messages"] == []


def test_what_was_typed_is_kept_while_the_server_does_not_answer(page: Page, site: Site) -> None:
    site.holdfast("send", "--anyway", "--file", "src/tide.py", "--line", "5", "--comment", "Why at all?")
    opened(page, site)
    page.route("**/api/inbox/send_message", lambda route: route.abort())
    for path, row, text in (("to.py", "begin = 1", "One of two"), ("from.py", "end = 1", "Two of two")):
        remark(page, path, row, text)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Send 2 remarks").click()
    alert = page.get_by_role("alert").filter(has_text="The server could not be reached.")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("holdfast open")
    expect(page.get_by_role("button", name="Send 2 remarks")).to_be_visible()
    file(page, "src/tide.py").scroll_into_view_if_needed()
    thread = thread_with(page, "Why at all?")
    thread.get_by_role("button", name="Reply").click()
    page.get_by_role("textbox", name="Reply to the thread").fill("An answer")
    page.get_by_role("button", name="Send reply").click()
    expect(thread.get_by_role("alert")).to_contain_text("The server could not be reached.")
    page.reload()
    file(page, "src/tide.py").scroll_into_view_if_needed()
    expect(page.get_by_role("textbox", name="Reply to the thread")).to_have_value("An answer")
    page.unroute("**/api/inbox/send_message")
    page.get_by_role("button", name="Send reply").click()
    page.get_by_role("button", name="Send 2 remarks").click()
    expect(page.get_by_role("article", name=re.compile("Draft"))).to_have_count(0)
    told = [one["comment"].rpartition("\n")[2] for one in site.call("check_lazygit_messages")["messages"]]
    assert sorted(told) == ["An answer", "One of two", "Two of two", "Why at all?"]


def test_a_remark_that_is_sent_twice_in_a_hurry_arrives_once(page: Page, site: Site) -> None:
    opened(page, site)
    remark(page, "to.py", "begin = 1", "Said once")
    held = Held(page, "**/api/inbox/send_message")
    with page.expect_request("**/api/inbox/send_message"):
        page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Send", exact=True).click()
    held.let_go()
    expect(thread_with(page, "Said once")).to_have_count(1)
    assert len(held.routes) == 1
    assert [one["comment"][-9:] for one in site.call("check_lazygit_messages")["messages"]] == ["Said once"]


def test_who_writes_is_not_disturbed_and_lines_change_when_they_are_done(page: Page, site: Site) -> None:
    site.holdfast("send", "--anyway", "--file", "other.py", "--line", "1", "--comment", "Go on")
    opened(page, site)
    remark(page, "to.py", "begin = 1", "Begin ")
    page.keyboard.press("End")
    site.write("to.py", "begin = 2\n" + BLOCK)
    site.write("late.py", "late\n")
    expect(file(page, "late.py")).to_be_attached()
    page.keyboard.type("with more")
    expect(page.get_by_role("textbox", name="Remark on line 1 of to.py")).to_have_value("Begin with more")
    page.keyboard.press("Escape")
    expect(line(page, "to.py", "begin = 2")).to_be_visible()
    page.get_by_role("button", name="Delete").click()

    elsewhere = page.get_by_role("region", name="Remarks elsewhere")
    thread = elsewhere.get_by_role("article").filter(has_text="Go on")
    thread.get_by_role("button", name="Reply").click()
    page.keyboard.type("Half of it")
    page.locator("main").click(position={"x": 1, "y": 20})
    site.holdfast("send", "--anyway", "--file", "to.py", "--line", "2", "--comment", "Meanwhile")
    expect(file(page, "to.py").get_by_text("Meanwhile")).to_be_visible()
    expect(page.get_by_role("textbox", name="Reply to the thread")).to_have_value("Half of it")


def test_drafts_of_two_windows_do_not_replace_each_other(
    page: Page, context: BrowserContext, site: Site
) -> None:
    other = opened(context.new_page(), site)
    opened(page, site)
    remark(page, "to.py", "begin = 1", "In one window")
    page.keyboard.press("Escape")
    file(other, "to.py").scroll_into_view_if_needed()
    expect(other.get_by_role("article", name="Draft on to.py")).to_contain_text("In one window")
    remark(other, "from.py", "def kelp_1(water):", "In the other")
    other.keyboard.press("Escape")
    other.close()
    page.reload()
    page.get_by_role("button", name="Send 2 remarks").click()
    expect(page.get_by_role("button", name=re.compile("^Send .* remark"))).to_be_hidden()
    told = site.call("check_lazygit_messages")["messages"]
    assert [one["comment"].rpartition("\n")[2] for one in told] == ["In one window", "In the other"]


def test_a_slow_answer_is_waited_for_before_the_next_question(page: Page, site: Site) -> None:
    opened(page, site)
    held = Held(page, "**/api/source/read_diff*")
    with page.expect_request("**/api/source/read_diff*"):
        site.write("to.py", "begin = 2\n" + BLOCK)
    for number in (3, 4, 5):
        site.write("to.py", f"begin = {number}\n" + BLOCK)
    site.holdfast("send", "--file", "to.py", "--comment", "Told later")
    expect(thread_with(page, "Told later")).to_be_visible()
    assert len(held.routes) == 1
    with page.expect_request("**/api/source/read_diff*"):
        held.let_go()
    file(page, "to.py").scroll_into_view_if_needed()
    expect(line(page, "to.py", "begin = 5")).to_be_visible()


def test_a_file_that_changed_is_read_once_so_that_its_lines_stay(page: Page, site: Site) -> None:
    opened(page, site)
    file(page, "to.py").scroll_into_view_if_needed()
    expect(line(page, "to.py", "begin = 1")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "file=to.py" in request.url else None)
    for number in (2, 3, 4):
        site.write("to.py", f"begin = {number}\n" + BLOCK)
        expect(line(page, "to.py", f"begin = {number}")).to_be_visible()
    assert len(asked) <= 3  # fewer if one that was asked before saw the change already


def test_a_tick_stays_until_the_file_differs_otherwise(page: Page, site: Site) -> None:
    opened(page, site)
    tick = page.get_by_label("Seen to.py")
    tick.check()
    expect(page.get_by_text("1 of ")).to_be_visible()
    tree = page.get_by_role("navigation", name="Files")
    expect(tree.get_by_role("button", name="to.py")).to_contain_text("seen")
    page.reload()
    expect(tick).to_be_checked()
    expect(file(page, "to.py").locator("tr.line")).to_have_count(0)
    site.write("to.py", "begin = 2\n" + BLOCK)
    expect(tick).not_to_be_checked()
    file(page, "to.py").scroll_into_view_if_needed()
    expect(file(page, "to.py")).to_contain_text("begin = 2")


def test_keys_alone_are_enough(page: Page, site: Site) -> None:
    site.write("src/tide.py", FIRST.replace("line 5\n", "line five\n").replace("line 9\n", "line nine\n"))
    opened(page, site, "?what=unstaged")
    expect(line(page, "from.py", "end = 1")).to_be_visible()
    file(page, "src/tide.py").scroll_into_view_if_needed()
    expect(line(page, "src/tide.py", "line nine")).to_be_visible()
    page.keyboard.press("v")
    expect(page.get_by_label(f"Seen {HOSTILE}")).to_be_checked()
    for _ in range(2):  # from.py, and then the tide: there is no line between them
        page.keyboard.press("]")
    page.keyboard.press("[")
    page.keyboard.press("]")
    for key in "jjjJJr":
        page.keyboard.press(key)
    page.keyboard.type("Both at once")
    page.keyboard.press("Control+Enter")
    thread = thread_with(page, "Both at once")
    expect(thread).to_be_visible()
    told = site.call("check_lazygit_messages")["messages"][-1]
    assert (told["file"], told["comment"].partition("\n")[0]) == (
        "src/tide.py",
        "About the work tree, lines 5-6:",
    )
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Write a remark on the selected lines")


def test_remarks_on_other_files_are_listed_and_a_refused_one_says_why(page: Page, site: Site) -> None:
    site.holdfast("send", "--anyway", "--file", "branch.py", "--line", "1", "--comment", "From a shell")
    site.write("to.py", "begin = 2\n" + BLOCK)
    opened(page, site)
    elsewhere = page.get_by_role("region", name="Remarks elsewhere")
    expect(elsewhere).to_contain_text("From a shell")
    expect(elsewhere.get_by_role("link", name="branch.py:1")).to_have_attribute("href", "/code/branch.py#L1")
    remark(page, "to.py", "begin = 2", "x" * 10_001)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(file(page, "to.py").get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()


def test_lines_that_are_scrolled_far_away_are_removed_until_they_are_near(page: Page, site: Site) -> None:
    site.git("add", "--all")
    names = [f"long_{number:02}.py" for number in range(12)]
    for name in names:
        site.write(name, FIRST * 5)
    opened(page, site, "?what=unstaged")
    first, second = (file(page, name) for name in names[:2])
    second.get_by_role("button", name="Remark").click()
    page.get_by_role("textbox", name=f"Remark on the file {names[1]}").fill("Stays")
    page.keyboard.press("Escape")
    expect(first.locator("tr.line")).to_have_count(150)
    height = first.evaluate("file => file.offsetHeight")
    for name in names:
        file(page, name).scroll_into_view_if_needed()
        expect(file(page, name).locator("tr.line")).to_have_count(150)
    expect(first.locator("tr.line")).to_have_count(0)
    assert first.evaluate("file => file.offsetHeight") == height
    expect(second.locator("tr.line")).to_have_count(150)  # there is a remark on it
    first.scroll_into_view_if_needed()
    expect(first.locator("tr.line")).to_have_count(150)


def test_far_too_much_is_asked_for_piece_by_piece(page: Page, site: Site) -> None:
    site.write("long.txt", "x\n" * 6000)
    opened(page, site)
    expect(file(page, "long.txt").locator("tr.line")).to_have_count(0)
    file(page, "long.txt").get_by_role("button", name="Show 6,000 changed lines").click()
    expect(file(page, "long.txt")).to_contain_text("Only the first 5000 lines are shown.")
    (site.root / "long.txt").unlink()
    expect(file(page, "long.txt")).to_have_count(0)
    for number in range(600):
        site.write(f"many/{number:03}.txt", "x\n")
    expect(page.get_by_text("the first 500 are listed")).to_be_visible()
    page.get_by_role("button", name="List all").click()
    expect(file(page, "to.py")).to_be_attached()
    expect(page.get_by_text("the first 500 are listed")).to_have_count(0)


def test_a_repository_without_commits_shows_its_new_files(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "repository") as site:
        context = browser.new_context(viewport={"width": 360, "height": 740})
        page = context.new_page()
        complaints = watched(page, site)
        page.goto(site.link)
        page.wait_for_selector("main[data-ready]")
        opened(page, site)
        expect(page.get_by_text("Nothing has been committed yet.")).to_be_visible()
        expect(page.get_by_role("link", name="See the last commit")).to_have_count(0)
        site.write("first.py", "one\n")
        expect(line(page, "first.py", "one")).to_be_visible()
        opened(page, site, "?what=commit")
        expect(page.get_by_role("alert")).to_contain_text("Make a first commit.")
        context.close()
        assert complaints == []


def test_nothing_to_review_says_what_belongs_there(page: Page, site: Site) -> None:
    site.commit("All of it")
    opened(page, site)
    expect(page.get_by_text("Nothing has changed since the last commit.")).to_be_visible()
    expect(page.get_by_text("0 files")).to_be_visible()
    page.get_by_role("link", name="See the last commit").click()
    expect(page.get_by_role("main")).to_contain_text("“All of it”")


def test_a_kind_of_review_that_does_not_exist_shows_the_work_tree(page: Page, site: Site) -> None:
    opened(page, site, "?what=toString")
    expect(page.get_by_label("What to review")).to_have_value("worktree")
    expect(file(page, "src/tide.py")).to_be_visible()
