"""The Task view: every value is changed where it stands, and nothing that somebody typed is lost."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.faces.web.conftest import Axe, Held
from tests.faces.web.site import Site

HOSTILE = "**Bold**<script>window.hit=1</script><img src=x onerror=window.hit=1> [x](javascript:window.hit=1)"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def task(site: Site) -> str:
    site.write("src/lamp.py", "def burn():\n    return 1\n")
    site.commit()
    site.holdfast("tasks", "init", "--done-gate", "evidence")
    site.holdfast("comments", "add", "src/lamp.py", "2", "Why 1?", "--tag", "NOTE", "--author", "lin")
    added = site.call(
        "taskpilot_add",
        tasks=[
            {
                "title": "Light the lamp",
                "task_description": HOSTILE,
                "criteria": ["It burns", "It is bright"],
                "connected_files": ["src/lamp.py:1-2"],
                "labels": ["harbour"],
            }
        ],
    )
    return str(added["tasks_created"][0]["id"])


def stored(site: Site, task: str) -> Any:
    """What another process reads."""
    return json.loads(site.holdfast("tasks", "show", task, "--json"))["task"]


def part(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def add(page: Page, name: str, text: str) -> None:
    part(page, name).get_by_role("button", name="Add to").click()
    part(page, name).get_by_role("textbox").fill(text)
    page.keyboard.press("Enter")


def test_text_and_properties_are_changed_where_they_stand(
    page: Page, site: Site, task: str, axe: Axe
) -> None:
    page.goto(f"{site.url}/task/{task}")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{task} Light the lamp")
    text = part(page, "Description")
    expect(text.locator("strong")).to_have_text("Bold")
    assert page.evaluate("window.hit") is None
    expect(text.locator("script, img, a[href^='javascript']")).to_have_count(0)
    expect(part(page, "Files")).to_contain_text("note at 2 lin: Why 1?")
    axe(page)
    page.keyboard.press("e")
    axe(page)
    text.get_by_label("Title").fill("Light the great lamp")
    text.get_by_label("Description, in Markdown").fill("It stands *high*.")
    text.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{task} Light the great lamp")
    expect(text.locator("em")).to_have_text("high")
    page.get_by_role("combobox", name="Priority").select_option("low")
    add(page, "Labels", "night")
    expect(part(page, "Labels").get_by_text("night")).to_be_visible()
    part(page, "Labels").get_by_role("button", name="Remove harbour").click()
    expect(part(page, "Labels").get_by_text("harbour")).to_have_count(0)
    oil = site.call("taskpilot_create_task", title="Buy oil")["task"]["id"]
    add(page, "Waits for", oil.lower())
    expect(part(page, "Waits for").get_by_role("link", name=oil)).to_have_attribute("href", f"/task/{oil}")
    add(page, "Files", "src/wick.py")
    expect(part(page, "Files").get_by_role("link", name="src/wick.py")).to_be_visible()
    add(page, "Links", "https://example.org/lamp")
    link = part(page, "Links").get_by_role("link", name="https://example.org/lamp")
    expect(link).to_have_attribute("href", "https://example.org/lamp")
    part(page, "Milestone").get_by_role("button", name="Change milestone").click()
    part(page, "Milestone").get_by_role("textbox").fill("spring")
    page.keyboard.press("Enter")
    expect(part(page, "Milestone")).to_contain_text("spring")
    found = stored(site, task)
    assert (found["title"], found["description"]) == ("Light the great lamp", "It stands *high*.")
    assert (found["priority"], found["labels"], found["milestone"]) == ("low", ["night"], "spring")
    assert [item["id"] for item in found["depends_on"]] == [oil]
    assert [item["path"] for item in found["connected_files"]] == ["src/lamp.py", "src/wick.py"]
    assert [item["uri"] for item in found["links"]] == ["https://example.org/lamp"]
    part(page, "Waits for").get_by_role("button", name=f"Remove {oil}").click()
    expect(part(page, "Waits for")).to_contain_text("No other task.")
    expect(part(page, "History")).to_contain_text("Ada changed dependencies of it")


def test_a_conflict_tells_what_changed_and_keeps_what_was_typed(page: Page, site: Site, task: str) -> None:
    site.holdfast("tasks", "update", task, "--field", "description", "--value", "Hung *high*.")
    page.goto(f"{site.url}/task/{task}")
    expect(page.locator(".live.connected")).to_be_visible()
    text = part(page, "Description")
    expect(text.locator("em")).to_have_text("high")
    page.keyboard.press("e")
    text.get_by_label("Description, in Markdown").fill("Typed for minutes.")
    site.holdfast("tasks", "update", task, "--field", "priority", "--value", "high")
    expect(page.get_by_role("combobox", name="Priority")).to_have_value("high")  # live, from a second process
    expect(text.get_by_label("Description, in Markdown")).to_have_value("Typed for minutes.")
    text.get_by_role("button", name="Save").click()
    expect(text.get_by_role("alert")).to_contain_text("Priority is now “high”")
    expect(text.get_by_label("Description, in Markdown")).to_have_value("Typed for minutes.")
    text.get_by_role("button", name="Save").click()
    expect(text.get_by_text("Typed for minutes.")).to_be_visible()
    expect(text.get_by_role("alert")).to_have_count(0)
    assert stored(site, task)["description"] == "Typed for minutes."

    # While the page hears nothing, what is clicked is compared with what was shown.
    page.evaluate(
        "() => { Object.defineProperty(document, 'hidden', {value: true});"
        " document.dispatchEvent(new Event('visibilitychange')) }"
    )
    site.holdfast("tasks", "update", task, "--field", "title", "--value", "Light every lamp")
    page.get_by_role("combobox", name="Priority").select_option("medium")
    expect(part(page, "Priority").get_by_role("alert")).to_contain_text("Title is now “Light every lamp”")
    expect(page.get_by_role("combobox", name="Priority")).to_have_value("high")
    page.get_by_role("combobox", name="Priority").select_option("medium")
    expect(part(page, "Priority").get_by_role("alert")).to_have_count(0)
    assert (stored(site, task)["title"], stored(site, task)["priority"]) == ("Light every lamp", "medium")
    page.locator("main").click(position={"x": 1, "y": 20})
    page.keyboard.press("Escape")
    expect(page).to_have_url(f"{site.url}/board")


def test_a_task_is_claimed_handed_over_and_done_only_as_the_rules_allow(
    page: Page, site: Site, task: str
) -> None:
    page.goto(f"{site.url}/task/{task}")
    holder, criteria = part(page, "Holder"), part(page, "Criteria")
    status = page.get_by_role("combobox", name="Status")
    expect(status.locator("option")).to_have_text(["backlog", "in-progress", "blocked", "dropped"])
    holder.get_by_role("button", name="Claim").click()
    expect(holder.get_by_role("progressbar", name="Lease left")).to_be_visible()
    holder.get_by_role("button", name="Hand over").click()
    holder.get_by_label("Note for the next holder").fill("The wick is <i>wet</i>")
    holder.get_by_role("button", name="Hand over").last.click()
    expect(holder).to_contain_text("Nobody.")
    expect(part(page, "Notes")).to_contain_text("The wick is <i>wet</i>")
    site.call("taskpilot_claim", action="take", task_id=task, agent="grace")
    expect(holder).to_contain_text("Only the holder can change its state and criteria")
    holder.get_by_role("button", name="Take over").click()
    expect(part(page, "History")).to_contain_text("Ada took over it")
    status.select_option("blocked")
    part(page, "Status").get_by_label("Why is it blocked?").fill("No oil")
    page.keyboard.press("Enter")
    expect(part(page, "History")).to_contain_text("moved it to blocked — No oil")
    status.select_option("in-progress")
    expect(part(page, "Status")).to_contain_text("Before it is done: criterion 1 is not checked")
    status.select_option("done")
    expect(part(page, "Status").get_by_role("alert")).to_contain_text("is not done: criterion 1 is not")
    expect(part(page, "Status").get_by_role("alert")).to_contain_text("move the task to Review")
    expect(status).to_have_value("in-progress")

    criteria.get_by_role("checkbox", name="It burns").click()
    criteria.get_by_label("Evidence").select_option("note")
    expect(criteria.get_by_label("Exit status of the command")).to_be_hidden()
    criteria.get_by_label("Evidence").select_option("test")
    criteria.get_by_label("The command, commit or note (optional)").fill("make light")
    criteria.get_by_role("button", name="Check").click()
    expect(criteria.get_by_role("listitem").first).to_contain_text("test passed: make light")
    criteria.get_by_role("button", name="Add a criterion").click()
    criteria.get_by_label("What must be true").fill("It is seen")
    page.keyboard.press("Enter")
    criteria.get_by_role("button", name="Remove criterion: It is bright").click()
    expect(criteria.get_by_text("1 of 2")).to_be_visible()
    criteria.get_by_role("checkbox", name="It is seen").click()
    criteria.get_by_role("button", name="Check").click()
    expect(criteria.get_by_text("2 of 2")).to_be_visible()
    criteria.get_by_role("checkbox", name="It burns").click()
    expect(criteria.get_by_text("1 of 2")).to_be_visible()
    assert [(item["text"], item["checked"]) for item in stored(site, task)["criteria"]] == [
        ("It burns", False),
        ("It is seen", True),
    ]
    criteria.get_by_role("checkbox", name="It burns").click()
    criteria.get_by_role("button", name="Check").click()
    expect(criteria.get_by_text("2 of 2")).to_be_visible()
    status.select_option("done")
    expect(part(page, "History")).to_contain_text("moved it to done")
    found = stored(site, task)
    proof = {"kind": "test", "ref": "make light", "exit_status": 0, "criterion": "It burns"}
    assert (found["status"], found["evidence"]) == ("done", [proof])


def test_a_check_that_is_still_on_its_way_survives_that_another_is_taken_away(
    page: Page, site: Site, task: str
) -> None:
    found = site.call("taskpilot_create_task", title="Trim the wick", criteria=["It is short", "It is dry"])
    task = found["task"]["id"]
    site.call("taskpilot_update", task_id=task, check=["It is short"])
    page.goto(f"{site.url}/task/{task}")
    criteria = part(page, "Criteria")
    expect(page.locator("main[data-ready]")).to_be_visible()
    criteria.get_by_role("checkbox", name="It is dry").click()
    held = Held(page, "**/api/tasks/taskpilot_update")
    criteria.get_by_label("The command, commit or note (optional)").fill("make dry")
    criteria.get_by_role("checkbox", name="It is dry").click()  # what was typed stays
    with page.expect_request("**/api/tasks/taskpilot_update"):
        criteria.get_by_role("button", name="Check").dblclick()
    criteria.get_by_role("checkbox", name="It is short").click()
    held.let_go()
    expect(criteria.get_by_role("checkbox", name="It is dry")).to_be_checked()
    expect(criteria.get_by_role("checkbox", name="It is short")).not_to_be_checked()
    expect(criteria.get_by_text("1 of 2")).to_be_visible()
    found = stored(site, task)
    assert [(item["text"], item["checked"]) for item in found["criteria"]] == [
        ("It is short", False),
        ("It is dry", True),
    ]
    assert [item["ref"] for item in found["evidence"]] == ["make dry"]


def test_evidence_is_asked_for_also_before_it_is_known_that_it_is_needed(
    page: Page, site: Site, task: str
) -> None:
    task = site.call("taskpilot_create_task", title="Polish the lens", criteria=["It is clear"])["task"]["id"]
    held = Held(page, "**/api/tasks/taskpilot_focus")
    with page.expect_request("**/api/tasks/taskpilot_focus"):
        page.goto(f"{site.url}/task/{task}")
    criteria = part(page, "Criteria")
    criteria.get_by_role("checkbox", name="It is clear").click()
    held.let_go()
    criteria.get_by_label("The command, commit or note (optional)").fill("make clear")
    criteria.get_by_role("button", name="Check").click()
    expect(criteria.get_by_text("1 of 1")).to_be_visible()
    assert [item["ref"] for item in stored(site, task)["evidence"]] == ["make clear"]


def test_a_button_that_is_clicked_twice_does_it_once(page: Page, site: Site, task: str) -> None:
    task = site.call("taskpilot_create_task", title="Fetch the oil")["task"]["id"]
    page.goto(f"{site.url}/task/{task}")
    claims: list[Request] = []
    page.on("request", lambda request: claims.append(request) if "_claim" in request.url else None)
    held = Held(page, "**/api/tasks/taskpilot_claim")
    with page.expect_request("**/api/tasks/taskpilot_claim"):
        part(page, "Holder").get_by_role("button", name="Claim").dblclick()
    held.let_go()
    part(page, "Holder").get_by_role("button", name="Release").click()
    expect(part(page, "Holder").get_by_role("button", name="Claim")).to_be_visible()
    assert [claim.post_data_json["action"] for claim in claims] == ["take", "release"]


def test_files_are_attached_and_opened_and_the_focus_is_copied(
    page: Page, site: Site, task: str, tmp_path: Path
) -> None:
    page.goto(f"{site.url}/task/{task}")
    attachments = part(page, "Attachments")
    for name, content in (("lamp.png", PIXEL), ("log.txt", b"It <b>burns</b>"), ("oil.bin", b"\x00\x01")):
        (tmp_path / name).write_bytes(content)
        attachments.get_by_label("Attach a file").set_input_files(tmp_path / name)
        expect(attachments.get_by_role("button", name=f"Open {name}")).to_be_visible()
    (tmp_path / "great.bin").write_bytes(bytes(600 * 1024))
    attachments.get_by_label("Attach a file").set_input_files(tmp_path / "great.bin")
    expect(attachments.get_by_role("alert")).to_contain_text(
        "great.bin has 600 kB; attachments have at most 512 kB"
    )
    attachments.get_by_role("button", name="Open lamp.png").click()
    expect(attachments.get_by_role("img", name="lamp.png")).to_have_js_property("naturalWidth", 1)
    attachments.get_by_role("button", name="Open log.txt").click()
    expect(attachments.locator("pre")).to_have_text("It <b>burns</b>")
    attachments.get_by_role("button", name="Open oil.bin").click()
    with page.expect_download() as download:
        attachments.get_by_role("link", name="Save oil.bin").click()
    assert download.value.path().read_bytes() == b"\x00\x01"
    assert [item["name"] for item in stored(site, task)["attachments"]] == ["lamp.png", "log.txt", "oil.bin"]

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    prompt = page.evaluate("navigator.clipboard.readText()")
    peeked = site.call("taskpilot_focus", task_id=task, peek=True, response_format="detailed")
    assert json.loads(prompt[prompt.index("{") :]) == peeked
    assert "claim" not in stored(site, task)
    page.context.clear_permissions()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    page.keyboard.press("p")
    expect(page.get_by_role("textbox", name="Prompt")).to_have_value(prompt)


def test_a_narrow_screen_shows_all_of_it_and_a_task_that_is_not_there_says_so(
    page: Page, site: Site, task: str, axe: Axe
) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{site.url}/task/{task}")
    expect(part(page, "Files")).to_contain_text("note at 2")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate("(main => main.scrollWidth <= main.clientWidth)(document.querySelector('main'))")
    axe(page)
    page.goto(f"{site.url}/task/TP-999")
    expect(page.get_by_role("alert")).to_contain_text("TP-999")
