"""Serves the page: one HTML document for the paths of all views, and the files it loads.

Contract:
- Only files of the package are served. They are looked up by name in a table, so no path leads elsewhere.
- The files contain nothing about the repository, so they need no authentication; the data comes from `/api/`.
- The Content-Security-Policy allows scripts, styles and requests only from this server, and no framing.
- A browser that requests a document receives the page for every other path; the page itself reports unknown
  views.
"""

from __future__ import annotations

import gzip
import re
from functools import cached_property, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from types import MappingProxyType

from starlette.responses import Response
from starlette.types import Scope

from holdfast.faces.http.asgi import Headers, single_headers
from holdfast.faces.rest.entity_tags import entity_tag, is_cached

STATIC_PATH = "/static/"
DOCUMENT = "index.html"
FIRST_VIEW = "today"

_MAIN_END = "</main>"
_DEFERRED = 'media="not all"'
"""Defers a link so that it does not delay the first paint; `frame.js` enables it."""
_IMPORTED_PATH = re.compile(r'^import\b[^"]*"(\.[^"]+)";', re.MULTILINE)
_ACCEPTS_GZIP = re.compile(rb"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)
_MEDIA_TYPES = MappingProxyType(
    {
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    }
)
_HEADERS = MappingProxyType(
    {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
    }
)


class Site:
    """The files of the page."""

    @cached_property
    def _files(self) -> dict[str, Traversable]:
        return dict(_named_files(resources.files(__package__) / "static", ""))

    def answer(self, scope: Scope) -> Response | None:
        path: str = scope["path"]
        if scope["method"] not in ("GET", "HEAD"):
            return None
        headers = single_headers(scope["headers"])
        if path.startswith(STATIC_PATH):
            return self._file(path.removeprefix(STATIC_PATH), headers)
        if b"text/html" not in headers.get(b"accept", b""):
            return None
        return self._response(DOCUMENT, self._document(path.split("/")[1] or FIRST_VIEW), headers)

    def _file(self, name: str, headers: Headers) -> Response | None:
        file = self._files.get(name)
        return None if file is None else self._response(name, file.read_bytes(), headers)

    def _document(self, view: str) -> bytes:
        """Return the document with the view's title, and links to files needed after the first paint."""
        document = self._files[DOCUMENT].read_text(encoding="utf-8")
        frame_modules = self._add_imports("frame.js", {})
        all_modules = self._add_imports(f"views/{view}.js", dict(frame_modules))
        paths = [STATIC_PATH + name for name in all_modules if name not in frame_modules]
        links = [f'<link rel="modulepreload" {_DEFERRED} href="{path}">' for path in paths]
        if links:
            style = f'href="{STATIC_PATH}views/{view}.css" data-view="{view}"'
            links.append(f'<link rel="stylesheet" {_DEFERRED} {style}>')
            title = f'<header class="heading"><div class="title"><h1>{view.title()}</h1></div></header>'
            document = document.replace(_MAIN_END, title + _MAIN_END)
        return document.replace("</head>", f"{''.join(links)}</head>").encode()

    def _add_imports(self, module: str, modules: dict[str, None]) -> dict[str, None]:
        """Add a module and the modules it imports to `modules`, an ordered set; return that set."""
        if module not in modules and module in self._files:
            modules[module] = None
            for path in _IMPORTED_PATH.findall(self._files[module].read_text(encoding="utf-8")):
                self._add_imports(normpath(join(dirname(module), path)), modules)
        return modules

    def _response(self, name: str, body: bytes, headers: Headers) -> Response:
        response_headers = {**_HEADERS, "Vary": "Accept, Accept-Encoding"}
        if _ACCEPTS_GZIP.search(headers.get(b"accept-encoding", b"")):
            body = _compress(body)
            response_headers["Content-Encoding"] = "gzip"
        tag = entity_tag(body)
        response_headers["ETag"] = tag
        if is_cached(tag, headers):
            return Response(status_code=304, headers=response_headers)
        return Response(body, media_type=_MEDIA_TYPES[name.rpartition(".")[2]], headers=response_headers)


@lru_cache(maxsize=256)  # more than the page has files
def _compress(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)  # the same bytes every time, so that the entity tag stays


def _named_files(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    """Return all files in a folder that have a media type, with their names relative to `static/`."""
    files = []
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            files += _named_files(entry, f"{name}/")
        elif entry.name.rpartition(".")[2] in _MEDIA_TYPES:
            files.append((name, entry))
    return files
