"""Markdown that somebody wrote, as HTML: what is kept, what is not, and how much at once."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest

from holdfast.faces.web.markdown import render_markdown
from holdfast.kernel.limits import LIMITS
from tests.faces.http.running import RunningServer, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    repository = tmp_path_factory.mktemp("markdown") / "repository"
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    with running_server(repository) as server:
        yield server


def test_texts_come_back_as_html_in_their_order(server: RunningServer) -> None:
    texts = ["# Title", "**bold** ~~gone~~", "|a|\n|-|\n|1|", "```python\nx = 1\n```", "3. three"]
    answered = server.ask("POST", "/api/markdown", {"texts": texts})
    assert (answered.status, answered.headers["cache-control"]) == (200, "no-store")
    title, words, table, code, numbered = answered.json["html"]
    assert title == "<h3>Title</h3>\n"
    assert words == "<p><strong>bold</strong> <s>gone</s></p>\n"
    assert "<th>a</th>" in table
    assert "<td>1</td>" in table
    assert code == '<pre><code class="language-python">x = 1\n</code></pre>\n'
    assert '<ol start="3">' in numbered


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<b onclick=x()>a</b>", "<p>&lt;b onclick=x()&gt;a&lt;/b&gt;</p>\n"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"),
        ("[a](docs/a.md)", '<p><a referrerpolicy="no-referrer" rel="noopener noreferrer">a</a></p>\n'),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>\n"),
        ('``` "><script>\nx\n```', "<pre><code>x\n</code></pre>\n"),
        ("a&#x202e;b&#8203;c \u202ed", "<p>abc d</p>\n"),
        ("&lt;script&gt;", "<p>&lt;script&gt;</p>\n"),
    ],
)
def test_what_could_act_or_hide_does_neither(text: str, html: str) -> None:
    assert render_markdown(text) == html


def test_links_and_images_lead_out_without_telling_from_where() -> None:
    around = 'referrerpolicy="no-referrer" rel="noopener noreferrer"'
    assert render_markdown("[a](https://a.example/?b=c&d 'e')") == (
        f'<p><a href="https://a.example/?b=c&amp;d" title="e" {around}>a</a></p>\n'
    )
    assert render_markdown('![a "picture"](http://a.example/b.png)') == (
        f'<p><a href="http://a.example/b.png" {around}>a "picture"</a></p>\n'
    )


def test_requests_are_bounded_and_say_how(server: RunningServer) -> None:
    long = server.ask("POST", "/api/markdown", {"texts": ["a" * (LIMITS.markdown_characters + 1)]})
    assert (long.status, long.json["error"]["kind"]) == (413, "too_large")
    many = server.ask("POST", "/api/markdown", {"texts": ["a"] * (LIMITS.markdown_texts + 1)})
    assert many.status == 413
    assert server.ask("POST", "/api/markdown", {"texts": "a"}).status == 400
    assert server.ask("POST", "/api/markdown", b"texts=a", {"Content-Type": "text/plain"}).status == 415
    assert server.ask("GET", "/api/markdown").headers["allow"] == "POST"
    assert server.ask("POST", "/api/markdown", {"texts": []}, {"Authorization": None}).status == 401


def test_a_client_that_sends_much_at_once_does_not_keep_another_waiting(server: RunningServer) -> None:
    """Each request takes seconds, and there are more of them than threads (see ThreadPoolExecutor)."""
    token = server.add_token("ada", "read")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps({"texts": ["![" * (LIMITS.markdown_characters // 2)] * 2})
    with ExitStack() as stack:
        connections = []
        for _ in range((os.cpu_count() or 1) + 5):
            connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
            stack.callback(connection.close)
            connection.request("POST", "/api/markdown", body, headers)
            connections.append(connection)
        assert server.ask("POST", "/api/markdown", {"texts": ["small"]}).status == 200
        answered, _, _ = select.select([connection.sock for connection in connections], [], [], 0)
        assert answered == []


def test_nobody_waits_for_the_libraries_before_a_text_is_shown() -> None:
    seen = "import sys, holdfast.faces.http.serve; print(sorted({'markdown_it', 'nh3'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", seen], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[a](b.md#L3)", '<a href="/code/docs/b.md#L3">a</a>'),
        ("[a](../src/a%20b.py#part)", '<a href="/code/src/a%20b.py">a</a>'),
        ("[a](/src/a.py?x=1)", '<a href="/code/src/a.py">a</a>'),
        ("![a](b.png)", '<a class="image" href="/code/docs/b.png">a</a>'),
        ('<a href="b.md" class="x" onclick="x()">a</a>', '<a href="/code/docs/b.md">a</a>'),
        ("[a](https://a.example/b)", '<a href="https://a.example/b">a</a>'),
        *((f"[a]({link})", "<a>a</a>") for link in (
            "../../a", "#part", "//a.example/b", "/%5Ca.example", "x%2f..%2f..%2f..%2fa", "mailto:a", "/../a",
        )),
        ("a<script>b</script><b>c</b><!-- d -->", "ac"),
    ],
)  # fmt: skip
def test_a_document_links_to_files_of_its_repository_and_nowhere_else_within_this_server(
    text: str, html: str
) -> None:
    rendered = re.sub(r' (rel|referrerpolicy)="[^"]*"', "", render_markdown(text, "docs"))
    assert rendered == f"<p>{html}</p>\n"
