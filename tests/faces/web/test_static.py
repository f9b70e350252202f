"""The page's files read as text: what they must not contain, and whether colours have enough contrast."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

import holdfast.faces.web
from tests.faces.web.site import Site

STATIC = Path(holdfast.faces.web.__file__).parent / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
MODULES = [path for path in FILES if path.suffix == ".js"]
BANNED = {
    "markup from text": r"\b(?:inner|outer)HTML\b|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe",
    "a document written to": r"document\.write",
    "text run as a program": r"\beval\s*\(|\bnew\s+Function\b|set(?:Timeout|Interval)\s*\(\s*[\"'`]",
    "a handler as an attribute": r"\.on[a-z]+\s*=\s*[\"'`]|setAttribute\(\s*[\"'`]on|[<\s]on[a-z]+=[\"']",
    "a style as an attribute": r"setAttribute\(\s*[\"'`]style|\sstyle=[\"']|\.cssText\b",
    "a script address": r"javascript:",
    "an address elsewhere": r"(?:https?:)?//(?!www\.w3\.org/2000/svg)[\w-]+\.\w+",
}
MAX_LINES = 400
LONGEST_LINE = 120
CONTRAST = 4.5


def comments_removed(text: str) -> str:
    return re.sub(r"/\*.*?\*/|^\s*//.*$", "", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(STATIC)))
def test_a_file_holds_nothing_that_could_run_or_load_what_is_not_ours(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [name for name, pattern in BANNED.items() if re.search(pattern, comments_removed(text))]
    assert found == []
    assert len(text.splitlines()) <= MAX_LINES


@pytest.mark.parametrize(
    "line",
    [
        "node.innerHTML = text",
        "document.write(text)",
        "setTimeout('f()', 1)",
        "node.onclick = 'f()'",
        'node.setAttribute("style", text)',
        '<p style="color: red">',
        "fetch('https://example.org/a')",
        "@import url(//example.org/a.css)",
    ],
)
def test_the_search_finds_what_it_is_for(line: str) -> None:
    assert [name for name, pattern in BANNED.items() if re.search(pattern, line)] != []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(STATIC)))
def test_a_module_begins_with_what_it_is(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"// [A-Z`].{15,140}[.:]", first), first


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(STATIC)))
def test_no_line_of_a_module_is_longer_than_a_screen_is_wide(path: Path) -> None:
    assert [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) > LONGEST_LINE] == []


def test_every_view_has_its_style_and_a_place_in_the_routes() -> None:
    routes = (STATIC / "router.js").read_text(encoding="utf-8")
    views = {path.stem for path in (STATIC / "views").glob("*.js")}
    assert views <= set(re.findall(r'view: "(\w+)"', routes))
    assert {path.stem for path in (STATIC / "views").glob("*.css")} == views


def test_a_document_names_at_once_all_that_its_view_loads_one_after_the_other(site: Site) -> None:
    html = {"Accept": "text/html", "Authorization": None}
    documents = {
        path: site.server.ask("GET", path, headers=html).body.decode() for path in ("/board", "/nowhere")
    }
    named = re.findall(r'href="/static/(views/[^"]+)"', documents["/board"])
    assert {"views/board.js", "views/board/board.js", "views/board/rules.js", "views/board.css"} <= set(named)
    assert len(named) == len(set(named))
    assert all(name.startswith("views/board") and (STATIC / name).is_file() for name in named)
    assert "/static/views/" not in documents["/nowhere"]


def test_a_file_is_compressed_only_for_clients_that_accept_it(site: Site) -> None:
    path, content = "/static/frame.js", (STATIC / "frame.js").read_bytes()
    tags = set()
    for accepted, is_compressed in (("br, gzip", True), ("gzip;q=0", False), (None, False)):
        headers = {"Accept-Encoding": accepted}
        answer = site.server.ask("GET", path, headers=headers)
        assert (answer.headers.get("content-encoding") == "gzip") == is_compressed
        assert (gzip.decompress(answer.body) if is_compressed else answer.body) == content
        tag = answer.headers["etag"]
        assert (
            site.server.ask("GET", path, headers={"Accept-Encoding": accepted, "If-None-Match": tag}).status
            == 304
        )
        tags.add(tag)
    assert len(tags) == 2


PAIRS = [
    *[
        (text, ground)
        for text in ("text", "quiet")
        for ground in ("background", "surface", "raised", "sunken")
    ],
    *[
        (state, ground)
        for state in ("accent", "agent", "ok", "attention", "danger", "info")
        for ground in ("surface",)
    ],
    *[(state, f"{state}-soft") for state in ("agent", "ok", "attention", "danger", "info")],
    *[("text", f"{state}-soft") for state in ("accent", "ok", "attention", "danger", "info")],
    ("accent", "background"),
    ("on-accent", "accent"),
    ("on-agent", "agent"),
]
MEASURE = """(pairs) => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const probe = document.body.appendChild(document.createElement("i"));
  const channels = (name) => {
    probe.style.color = `var(--${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
  };
  const light = (name) => {
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = channels(name).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return pairs.map(([text, ground]) => {
    const [low, high] = [light(text), light(ground)].sort((a, b) => a - b);
    return [text, ground, (high + 0.05) / (low + 0.05)];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_text_can_be_read_on_its_ground(page: Page, site: Site, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    measured = page.evaluate(MEASURE, [list(pair) for pair in PAIRS])
    assert [found for found in measured if found[2] < CONTRAST] == []
    assert max(ratio for _, _, ratio in measured) > 2 * CONTRAST, "nothing was measured"
