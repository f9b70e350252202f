"""Renders Markdown as HTML that is safe to show on the page: `POST /api/markdown`.

Contract:
- HTML in the text is shown as text, and only elements on an allow list remain in the result.
- Links lead only to http and https and send no referrer. An image becomes a link, so that showing a text
  loads nothing.
- No element has an id, a style, or a class except the language of a code block.
- Invisible characters are removed, including those written as entities.
- The texts of one client are rendered one after the other, whatever it sends at once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import single_headers
from holdfast.faces.http.exchange import http_exchange_of
from holdfast.faces.http.problems import MethodNotAllowed
from holdfast.faces.http.settings import API_PATH
from holdfast.faces.rest.json_body import JSON, encode_json, json_object
from holdfast.kernel.errors import InvalidArguments, TooLarge
from holdfast.kernel.limits import Limits
from holdfast.kernel.untrusted import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MARKDOWN_PATH = f"{API_PATH}markdown"

_INLINE = {"a", "br", "code", "em", "s", "strong"}
_BLOCKS = {"blockquote", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
_TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
_ATTRIBUTES = {"a": {"href", "title"}, "code": {"class"}, "ol": {"start"}}
_LANGUAGE_CLASS = re.compile(r"language-[\w+#.-]{1,40}")
_LOWEST_HEADING_LEVEL = 6
"""HTML has h1 to h6."""
_PAGE_HEADING_LEVELS = 2
"""The heading levels that the page itself uses; the headings of a text start below them."""


class MarkdownFace:
    """Renders the texts that the page is about to show, several per request."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rendering: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """For each client whose texts are being rendered, the lock that its requests share."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer `{"texts": […]}` with `{"html": […]}`, in the same order."""
        if scope["method"] != "POST":
            raise MethodNotAllowed(
                "This path renders texts that are sent to it.", hint="Use POST.", allowed="POST"
            )
        body = (await receive()).get("body", b"")
        texts = self._texts(json_object(single_headers(scope["headers"]), body))
        exchange = http_exchange_of(scope)
        client = "" if exchange is None else exchange.caller.key
        lock = self._rendering.setdefault(client, asyncio.Lock())
        # A long text takes a while: it is rendered in a thread, and one text at a time for each client, so
        # that no client occupies the threads that all share.
        async with lock:
            html = [await asyncio.to_thread(render_markdown, text) for text in texts]
        answer = encode_json({"html": html}, self._limits)
        await Response(answer, media_type=JSON, headers={"Cache-Control": "no-store"})(scope, receive, send)

    def _texts(self, arguments: Mapping[str, Any]) -> list[str]:
        texts = arguments.get("texts")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise InvalidArguments("There are no texts.", hint='Send {"texts": ["…"]}.', argument="texts")
        max_texts, max_characters = self._limits.markdown_texts, self._limits.markdown_characters
        if len(texts) > max_texts or any(len(text) > max_characters for text in texts):
            raise TooLarge(
                f"At most {max_texts} texts of {max_characters} characters each are rendered at once.",
                hint="Send fewer or shorter ones.",
                limit=max_characters,
            )
        return texts


def render_markdown(text: str) -> str:
    """Return Markdown as sanitised HTML."""
    import nh3

    html = nh3.clean(
        _renderer().render(visible(text)),
        tags=_INLINE | _BLOCKS | _TABLES,
        attributes=_ATTRIBUTES,
        attribute_filter=_filter_attribute,
        url_schemes={"http", "https"},
        url_relative="deny",
        set_tag_attribute_values={"a": {"referrerpolicy": "no-referrer"}},
    )
    return visible(html)


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    renderer.add_render_rule("image", _image_as_link)
    renderer.core.ruler.push("lower_headings", _lower_headings)
    return renderer


def _image_as_link(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    from markdown_it.common.utils import escapeHtml

    token = tokens[index]
    text = renderer.renderInlineAsText(token.children or [], options, env)
    source = str(token.attrs.get("src", ""))
    return f'<a href="{escapeHtml(source)}">{escapeHtml(text or source)}</a>'


def _lower_headings(state: Any) -> None:
    for token in state.tokens:
        if token.type.startswith("heading_"):
            token.tag = f"h{min(_LOWEST_HEADING_LEVEL, int(token.tag[1:]) + _PAGE_HEADING_LEVELS)}"


def _filter_attribute(_element: str, attribute: str, value: str) -> str | None:
    return value if attribute != "class" or _LANGUAGE_CLASS.fullmatch(value) else None
