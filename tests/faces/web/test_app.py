"""The board as an MCP App: offered to hosts that can show it, whole in one document, at work in a sandbox."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from holdfast.faces.web.bundle import Bundle, static_text
from tests.faces.http.running import HOLDFAST, running_server
from tests.faces.web.conftest import watched
from tests.faces.web.site import Site
from tests.wire.client import ENVELOPE, wire_client

HANDSHAKE = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "host", "version": "1"}}
BOARD = "ui://holdfast/board"
MEDIA_TYPE = "text/html;profile=mcp-app"
APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MEDIA_TYPE]}}}
# What a host has to enforce where a resource names no domains.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
HOST = "http://host.example/"
HOST_PAGE = """<!doctype html><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
<iframe title="Board" sandbox="allow-scripts" width="1200" height="640"></iframe><script>
const frame = document.querySelector("iframe");
window.heard = [];
window.tell = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
addEventListener("message", async ({source, data}) => {
  if (source !== frame.contentWindow) return;
  window.heard.push(data);
  if (data.method === "ui/initialize") {
    const hostContext = {theme: "dark", containerDimensions: {width: 1200, maxHeight: 600}};
    tell({id: data.id, result: {protocolVersion: "2026-01-26", hostInfo: {name: "tests", version: "1"},
      hostCapabilities: {serverTools: {}}, hostContext}});
  } else if (data.method === "ui/notifications/initialized") {
    tell({method: "ui/notifications/tool-input", params: {arguments: {}}});
    tell({method: "ui/notifications/tool-result", params: {content: []}});
  } else if (data.method === "tools/call") {
    const refused = window.deaf && data.params.name === "taskpilot_events";
    tell({id: data.id, ...refused ? {error: {code: 1, message: "Not now"}} : await callServer(data.params)});
  }
});
shown().then((html) => { frame.srcdoc = html; });
</script>"""


def ask(site: Site, method: str, capabilities: dict[str, Any], **params: Any) -> dict[str, Any]:
    """Ask as a client with some capabilities; return the whole answer."""
    meta = ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": capabilities}
    named = {"Mcp_Name": name} if (name := params.get("name") or params.get("uri")) else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    answered = site.server.post_mcp(body, **named)
    data = re.search(rb"^data: (.*)$", answered.body, re.MULTILINE)
    answer: dict[str, Any] = json.loads(data.group(1) if data else answered.body)
    return answer


def tools(site: Site, capabilities: dict[str, Any]) -> dict[str, Any]:
    return {tool["name"]: tool for tool in ask(site, "tools/list", capabilities)["result"]["tools"]}


def test_only_hosts_that_show_apps_are_told_of_the_board(site: Site) -> None:
    plain, linked = tools(site, {}), tools(site, APPS)
    assert all("_meta" not in tool for tool in plain.values())
    assert linked["taskpilot_status"]["_meta"] == {"ui": {"resourceUri": BOARD}}
    added = linked.keys() - plain.keys()
    assert added == {"taskpilot_board", "taskpilot_create_task", "taskpilot_events", "taskpilot_show"}
    assert all(linked[name]["_meta"] == {"ui": {"visibility": ["app"]}} for name in added)
    others = plain.keys() - {"taskpilot_status"}
    assert {name: linked[name] for name in others} == {name: plain[name] for name in others}
    assert tools(site, {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/plain"]}}}) == plain


def test_hosts_that_shake_hands_are_told_too_and_others_beside_them_are_not(site: Site) -> None:
    for capabilities, linked in ((APPS, True), ({}, False)):
        with wire_client([HOLDFAST, "serve"], cwd=site.root) as client:
            client.ask(1, "initialize", {**HANDSHAKE, "capabilities": capabilities})
            client.notify("notifications/initialized")
            for number in (2, 3):  # the second answer is the first one, kept
                listed = {tool["name"]: tool for tool in client.ask(number, "tools/list")["result"]["tools"]}
                assert ("_meta" in listed["taskpilot_status"], "taskpilot_board" in listed) == (
                    linked,
                    linked,
                )


def test_a_server_of_one_specification_knows_nothing_of_it(site: Site) -> None:
    with running_server(site.root, "--profile", "taskpilot") as server:
        strict = Site(server, site.root)
        assert tools(strict, APPS) == tools(strict, {})
        assert "error" in ask(strict, "resources/read", APPS, uri=BOARD)


def test_the_document_needs_nothing_from_anywhere(site: Site) -> None:
    [contents] = ask(site, "resources/read", APPS, uri=BOARD)["result"]["contents"]
    assert (contents["uri"], contents["mimeType"]) == (BOARD, MEDIA_TYPE)
    assert contents["_meta"] == {"ui": {"prefersBorder": True}}
    text = contents["text"]
    assert text.startswith("<!doctype html>")
    assert re.findall(r"<(?:script|link|img|iframe)\b[^>]*", text) == ['<script type="module"']
    assert not re.search(r"^\s*(?:import|export)\b|url\(", text, re.MULTILINE)


def test_modules_that_cannot_be_put_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "app/a.js": 'import { b as c } from "../b.js";\nexport const a = c;\n',
        "b.js": 'import * as d from "./d.js";\nexport function b() { return d.e; }\n',
        "d.js": 'export const e = "</script>";\n',
    }
    monkeypatch.setattr("holdfast.faces.web.bundle.static_text", files.__getitem__)
    script = Bundle("app/a.js", {}).script
    assert script.index("const e = ") < script.index("function b()") < script.index("const a = c")
    assert "const { b: c } = module1;" in script
    assert "const d = module0;" in script
    assert "</script" not in script
    for text in ("export let b = 1;\n", "export { b };\n", 'const d = await import("./d.js");\n'):
        files["b.js"] = text
        with pytest.raises(ValueError, match=r"b\.js cannot be put into one document"):
            Bundle("app/a.js", {})
    files["b.js"] = 'import { a } from "./app/a.js";\nexport const b = a;\n'
    with pytest.raises(ValueError, match="is a circular import"):
        Bundle("app/a.js", {})


def test_every_module_of_the_board_is_the_page_s_own() -> None:
    script = Bundle("app/board.js", {"api.js": "app/api.js"}).script
    for name in ("views/board.js", "views/board/board.js", "dom.js", "app/host.js"):
        assert static_text(name).splitlines()[0] in script


@pytest.fixture
def host(context: BrowserContext, site: Site) -> Iterator[Page]:
    """A page that shows the board as the extension says, with calls passed on to the real server."""
    page = context.new_page()
    complaints = watched(page, site)
    page.route(HOST, lambda route: route.fulfill(content_type="text/html", body=HOST_PAGE))
    [contents] = ask(site, "resources/read", APPS, uri=BOARD)["result"]["contents"]
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    document = contents["text"].replace("<head>", f"<head>{policy}", 1)

    def call(params: dict[str, Any]) -> dict[str, Any]:
        answer = ask(site, "tools/call", APPS, **params)
        return {key: answer[key] for key in ("result", "error") if key in answer}

    site.call("taskpilot_init", project_name="Kelp")
    page.expose_function("callServer", call)
    page.expose_function("shown", lambda: document)
    page.goto(HOST)
    yield page
    ours = (HOST, "Blocked autofocusing")  # the page of the host itself, and what a browser says of frames
    assert [text for text in complaints if not any(part in text for part in ours)] == []


def test_the_board_works_inside_a_sandbox(host: Page, site: Site) -> None:
    first = site.call("taskpilot_create_task", title="Shown <b>inside</b>", criteria=["It shows"])["task"][
        "id"
    ]
    board = host.frame_locator("iframe")
    card = board.locator(f'[data-id="{first}"]')
    expect(card).to_contain_text("Shown <b>inside</b>")
    assert board.locator("html").get_attribute("data-theme") == "dark"

    card.locator(".name").focus()
    for key in ("Space", "ArrowRight", "ArrowRight"):
        host.keyboard.press(key)
    host.keyboard.press("Space")
    expect(in_column(board, "in-progress", first)).to_be_visible()
    assert site.call("taskpilot_show", task_id=first)["task"]["status"] == "in-progress"

    card.locator(".name").click()
    expect(board.get_by_role("dialog")).to_contain_text("☐ It shows")
    host.keyboard.press("Escape")

    board.get_by_role("button", name="New task").click()
    form = board.get_by_role("dialog", name="New task")
    form.get_by_label("Title").fill("Made inside")
    form.get_by_role("button", name="Add").click()
    expect(board.locator(".task", has_text="Made inside")).to_be_visible()

    site.call("taskpilot_update", task_id=first, set={"status": "review"})
    host.evaluate("tell({method: 'ui/notifications/tool-result', params: {content: []}})")
    expect(in_column(board, "review", first)).to_be_visible()
    host.evaluate("tell({id: 'bye', method: 'ui/resource-teardown', params: {reason: 'done'}})")
    host.wait_for_function("heard.some((message) => message.id === 'bye' && message.result)")
    sizes = host.evaluate(
        "heard.filter((one) => one.method === 'ui/notifications/size-changed').map((one) => one.params)"
    )
    assert sizes[-1]["height"] == 600


def test_a_move_that_the_server_refuses_goes_back_and_says_why(host: Page, site: Site) -> None:
    task = site.call("taskpilot_create_task", title="Changed by two")["task"]["id"]
    board = host.frame_locator("iframe")
    card = board.locator(f'[data-id="{task}"]')
    expect(card).to_be_visible()
    host.evaluate("window.deaf = true")  # so that nobody hears of the change before the move
    card.locator(".name").focus()
    host.keyboard.press("Space")
    site.call("taskpilot_update", task_id=task, set={"priority": "high"})
    host.keyboard.press("ArrowRight")
    host.keyboard.press("ArrowRight")
    host.keyboard.press("Space")
    expect(card.get_by_role("alert")).to_contain_text("Somebody else has changed this task.")
    expect(in_column(board, "ready", task)).to_be_visible()


def in_column(board: FrameLocator, column: str, task: str) -> Any:
    return board.locator(f'.cards[data-column="{column}"] [data-id="{task}"]')
