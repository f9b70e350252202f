"""Renders templates to files: built-in templates in this process, all others in a confined process.

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

_CONFINED_MODULE = "holdfast.templates.confined_renderer"
_MAX_CACHED_FILES = 256
"""A judgement: with the limit below, 16 million characters at most."""
_MAX_CACHED_FILE_CHARACTERS = 64 * 1024
"""A judgement: generated files are rarely larger."""
_MAX_HEAD_BYTES = 16 * 1024
"""The path, or the reason of a failure; a judgement: several times what either may have."""


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
        self._cache: VersionedCache[RenderedFile] = VersionedCache(_MAX_CACHED_FILES)

    def render(self, template: Template, values: Values) -> RenderedFile:
        """Render a template with validated, complete values."""
        key = (template.definition.digest, template.address, *map(_hashable, values.values()))
        cached = self._cache.get(key, True)
        if cached is not None:
            return cached
        file = _render(template, values)
        # The cache does not store a value whose version is None.
        version = True if len(file.content) <= _MAX_CACHED_FILE_CHARACTERS else None
        return self._cache.put(key, version, file)


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _render(template: Template, values: Values) -> RenderedFile:
    all_values = {**values, "toolchain": template.address.toolchain, "variant": template.address.variant}
    render = _render_in_process if template.is_builtin else _render_confined
    path, content = render(template, all_values)
    try:
        return RenderedFile(_safe_path(path), content)
    except InvalidPath as failure:
        raise _render_error(template, failure.message.rstrip(".")) from None


def _render_in_process(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    from holdfast.templates.jinja import render_trusted  # loads Jinja2, which few commands need

    return render_trusted(template.metadata.path, template.body, values)


def _render_confined(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    # Imported here because few commands start a process.
    from holdfast.storage.processes.confined import Bounds, run_confined

    request = json.dumps(
        {
            "path": template.metadata.path,
            "body": template.body,
            "values": values,
            "limit": LIMITS.rendered_file_bytes,
        }
    )
    work = f"The template {template.address}"
    bounds = Bounds(output_bytes=LIMITS.rendered_file_bytes + _MAX_HEAD_BYTES)
    answer = run_confined(_CONFINED_MODULE, "render_request", request.encode(), work, bounds)
    head, _, text = answer.partition(b"\n")
    result = json.loads(head)
    if result.get("failure") == "size":
        limit = LIMITS.rendered_file_bytes
        raise TooLarge(f"{work} produces more than {limit} bytes.", hint="Make it produce less.", limit=limit)
    if "failure" in result:
        raise _render_error(template, visible(str(result["reason"])))
    return result["path"], visible(text.decode())


@lru_cache(maxsize=256)
def _safe_path(path: str) -> str:
    return RepoPath.parse(path).text


def _render_error(template: Template, reason: str) -> TemplateBroken:
    return TemplateBroken(
        f"The template {template.address} cannot be rendered: {reason}.",
        hint=f"Fix '{template.file}'.",
        uri=template.address.uri,
        path=template.file,
    )
