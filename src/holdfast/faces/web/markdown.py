"""Renders Markdown as HTML that is safe to show on the page: `POST /api/markdown`.

Contract:
- HTML in the text is shown as text, and only elements on an allow list remain in the result. In a document of
  the repository, HTML on the allow list is rendered.
- Links lead only to http and https and send no referrer; those of a document may also lead to another file of
  the repository, in the Code view. An image becomes a link, so that showing a text loads nothing.
- No element has an id, a style, or a class except the language of a code block and the mark of an image.
- Invisible characters are removed, including those written as entities.
- The texts of one client are rendered one after the other, whatever it sends at once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote
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
_IMAGE_CLASS = "image"
_CODE_PATH = "/code/"
_EXTERNAL = ("http://", "https://")
_LINES = re.compile(r"L\d+(-L\d+)?")
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
        """Answer `{"texts": […]}` with `{"html": […]}`, in the same order.

        With `folder`, the texts are documents in that folder of the repository.
        """
        if scope["method"] != "POST":
            raise MethodNotAllowed(
                "This path renders texts that are sent to it.", hint="Use POST.", allowed="POST"
            )
        body = (await receive()).get("body", b"")
        arguments = json_object(single_headers(scope["headers"]), body)
        texts, folder = self._texts(arguments), _folder(arguments)
        exchange = http_exchange_of(scope)
        client = "" if exchange is None else exchange.caller.key
        lock = self._rendering.setdefault(client, asyncio.Lock())
        # A long text takes a while: it is rendered in a thread, and one text at a time for each client, so
        # that no client occupies the threads that all share.
        async with lock:
            html = [await asyncio.to_thread(render_markdown, text, folder) for text in texts]
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


def _folder(arguments: Mapping[str, Any]) -> str | None:
    folder = arguments.get("folder")
    if folder is not None and not isinstance(folder, str):
        raise InvalidArguments("`folder` is not a text.", hint="Name a folder.", argument="folder")
    return folder


def render_markdown(text: str, folder: str | None = None) -> str:
    """Return Markdown as sanitised HTML; with a folder, that of a document there."""
    import nh3

    is_document = folder is not None
    html = nh3.clean(
        _renderer(is_document=is_document).render(visible(text)),
        tags=_INLINE | _BLOCKS | _TABLES,
        attributes=_ATTRIBUTES | ({"a": {"href", "title", "class"}} if is_document else {}),
        attribute_filter=partial(_filter_attribute, folder),
        url_schemes={"http", "https"},
        url_relative="pass_through" if is_document else "deny",  # the filter replaces or removes them
        set_tag_attribute_values={"a": {"referrerpolicy": "no-referrer"}},
    )
    return visible(html)


@cache
def _renderer(*, is_document: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": is_document}).enable(["table", "strikethrough"])
    renderer.add_render_rule("image", _image_as_link)
    renderer.core.ruler.push("lower_headings", _lower_headings)
    return renderer


def _image_as_link(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    from markdown_it.common.utils import escapeHtml

    token = tokens[index]
    text = renderer.renderInlineAsText(token.children or [], options, env)
    source = str(token.attrs.get("src", ""))
    return f'<a class="{_IMAGE_CLASS}" href="{escapeHtml(source)}">{escapeHtml(text or source)}</a>'


def _lower_headings(state: Any) -> None:
    for token in state.tokens:
        if token.type.startswith("heading_"):
            token.tag = f"h{min(_LOWEST_HEADING_LEVEL, int(token.tag[1:]) + _PAGE_HEADING_LEVELS)}"


def _filter_attribute(folder: str | None, element: str, attribute: str, value: str) -> str | None:
    if attribute == "class":
        allowed = element == "code" and _LANGUAGE_CLASS.fullmatch(value)
        return value if allowed or (element == "a" and value == _IMAGE_CLASS) else None
    if attribute == "href" and folder is not None and not value.lower().startswith(_EXTERNAL):
        return _file_address(folder, value)
    return value


def _file_address(folder: str, link: str) -> str | None:
    """Return the address of a linked file in the Code view; None if the link leads out of the repository."""
    path, _, fragment = link.partition("#")
    path = unquote(path.partition("?")[0])
    if not path or ":" in path.partition("/")[0] or "\\" in path or path.startswith("//"):
        return None
    path = normpath(path.lstrip("/") if path.startswith("/") else join(folder, path))
    if path == ".." or path.startswith(("../", "/")):
        return None
    lines = f"#{fragment}" if _LINES.fullmatch(fragment) else ""
    return f"{_CODE_PATH}{'' if path == '.' else quote(path)}{lines}"
