"""Renders templates to files: built-in ones in this process, all others in a confined one.

Contract: the same template and parameters always give the same bytes. Rendered files are cached by the digest
of the template and the values.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.errors import InvalidPath, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.repo_path import RepoPath
from holdfast.templates.errors import TemplateBroken
from holdfast.templates.template import Template, Values

_CACHED_FILES = 256  # chosen bounds: 16 million characters at most
_CACHED_CHARACTERS = 64 * 1024
_CONFINED = "holdfast.templates.confined_renderer"
_HEAD_BYTES = 16 * 1024  # a chosen bound for the path or the reason of a failure


@dataclass(frozen=True)
class RenderedFile:
    """A file rendered from a template."""

    path: str
    content: str
    checksum: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checksum", hashlib.sha256(self.content.encode()).hexdigest())


class Renderer:
    """Renders templates, with a cache of small files rendered recently."""

    def __init__(self) -> None:
        self._cache: VersionedCache[RenderedFile] = VersionedCache(_CACHED_FILES)

    def render(self, template: Template, values: Values) -> RenderedFile:
        """Render a template with validated, complete values."""
        key = (template.definition.digest, template.address, *map(_frozen, values.values()))
        cached = self._cache.get(key, True)
        if cached is not None:
            return cached
        file = _rendered(template, values)
        return self._cache.put(key, True if len(file.content) <= _CACHED_CHARACTERS else None, file)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _rendered(template: Template, values: Values) -> RenderedFile:
    everything = {**values, "toolchain": template.address.toolchain, "variant": template.address.variant}
    render = _in_process if template.is_builtin else _confined
    path, content = render(template, everything)
    try:
        return RenderedFile(_safe_path(path), content)
    except InvalidPath as failure:
        raise _broken(template, failure.message.rstrip(".")) from None


def _in_process(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    from holdfast.templates.jinja import rendered  # Jinja2 is loaded on demand

    return rendered(template.metadata.path, template.body, values)


def _confined(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    from holdfast.storage.processes.confined import (  # so is the code that starts processes
        Bounds,
        run_confined,
    )

    request = json.dumps(
        {
            "path": template.metadata.path,
            "body": template.body,
            "values": values,
            "limit": LIMITS.rendered_file_bytes,
        }
    )
    work = f"The template {template.address}"
    bounds = Bounds(output_bytes=LIMITS.rendered_file_bytes + _HEAD_BYTES)
    answer = run_confined(_CONFINED, "render_request", request.encode(), work, bounds)
    head, _, text = answer.partition(b"\n")
    result = json.loads(head)
    if result.get("failure") == "size":
        limit = LIMITS.rendered_file_bytes
        raise TooLarge(f"{work} produces more than {limit} bytes.", hint="Make it produce less.", limit=limit)
    if "failure" in result:
        raise _broken(template, visible(str(result["reason"])))
    return result["path"], visible(text.decode())


@lru_cache(maxsize=256)
def _safe_path(path: str) -> str:
    return RepoPath.parse(path).text


def _broken(template: Template, reason: str) -> TemplateBroken:
    return TemplateBroken(
        f"The template {template.address} cannot be rendered: {reason}.",
        hint=f"Fix '{template.file}'.",
        uri=template.address.uri,
        path=template.file,
    )
