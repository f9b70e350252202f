"""The page's files over HTTP: one HTML document for every view's address, and what it loads.

Contract:
- Only files of the package are served, looked up in a table made from its folder: no path leads elsewhere.
- They say nothing about the repository, so they need no authentication; what they show comes from `/api/`.
- Nothing may run, be loaded or be asked but from this server, and no other page may frame these.
- An address that no file has is a view's, if a browser asks for a document; the page itself says when there
  is no such view.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType

from starlette.responses import Response
from starlette.types import Scope

from holdfast.faces.http.asgi import Headers, single_headers
from holdfast.faces.http.settings import API_PATH, MCP_PATH
from holdfast.faces.rest.operations import is_held

STATIC_PATH = "/static/"
DOCUMENT = "index.html"

_TYPES = MappingProxyType(
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
    """The files of the page, each read when it is first asked for."""

    @cached_property
    def _files(self) -> dict[str, Traversable]:
        return dict(_named_files(resources.files(__package__) / "static", ""))

    def answer(self, scope: Scope) -> Response | None:
        """Return a file of the page or its document, or None where the request is for something else."""
        path: str = scope["path"]
        if scope["method"] not in ("GET", "HEAD") or path.startswith((API_PATH, MCP_PATH)):
            return None
        headers = single_headers(scope["headers"])
        if path.startswith(STATIC_PATH):
            return self._file(path.removeprefix(STATIC_PATH), headers)
        return self._file(DOCUMENT, headers) if b"text/html" in headers.get(b"accept", b"") else None

    def _file(self, name: str, headers: Headers) -> Response | None:
        if (file := self._files.get(name)) is None:
            return None
        body = file.read_bytes()
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        served = {**_HEADERS, "ETag": tag, "Vary": "Accept"}
        if is_held(tag, headers):
            return Response(status_code=304, headers=served)
        return Response(body, media_type=_TYPES[name.rpartition(".")[2]], headers=served)


def _named_files(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    found = []
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            found += _named_files(entry, f"{name}/")
        elif entry.name.rpartition(".")[2] in _TYPES:
            found.append((name, entry))
    return found
