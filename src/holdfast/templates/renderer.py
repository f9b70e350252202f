"""From a template and its parameters to a file: in this process for ours, confined for everybody else's.

Contract: the same template and parameters give the same bytes, whoever asks and whenever. What was rendered
is kept, by the digest of the template and the values, so that asking again costs nothing.
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

_KEPT_FILES = 256
_KEPT_CHARACTERS = 64 * 1024
_CONFINED = "holdfast.templates.confined_renderer"
_HEAD_BYTES = 16 * 1024


@dataclass(frozen=True)
class RenderedFile:
    """A file as a template gives it."""

    path: str
    content: str
    checksum: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checksum", hashlib.sha256(self.content.encode()).hexdigest())


class Renderer:
    """Renders templates, and remembers the small files it rendered lately."""

    def __init__(self) -> None:
        self._kept: VersionedCache[RenderedFile] = VersionedCache(_KEPT_FILES)

    def render(self, template: Template, values: Values) -> RenderedFile:
        """Return the file that a template gives for values that were checked and filled."""
        key = (template.definition.digest, template.address, *map(_frozen, values.values()))
        kept = self._kept.get(key, True)
        if kept is not None:
            return kept
        made = _rendered(template, values)
        return self._kept.put(key, True if len(made.content) <= _KEPT_CHARACTERS else None, made)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _rendered(template: Template, values: Values) -> RenderedFile:
    everything = {**values, "toolchain": template.address.toolchain, "variant": template.address.variant}
    render = _here if template.is_builtin else _confined
    path, content = render(template, everything)
    try:
        return RenderedFile(_safe_path(path), content)
    except InvalidPath as failure:
        raise _broken(template, failure.message.rstrip(".")) from None


def _here(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    from holdfast.templates.jinja import rendered  # Jinja2 is loaded when it is needed

    return rendered(template.metadata.path, template.body, values)


def _confined(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    from holdfast.storage.processes.confined import Bounds, run_confined  # so is what starts a process

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
    told = json.loads(head)
    if told.get("failure") == "size":
        limit = LIMITS.rendered_file_bytes
        raise TooLarge(f"{work} gives more than {limit} bytes.", hint="Make it give less.", limit=limit)
    if "failure" in told:
        raise _broken(template, visible(str(told["reason"])))
    return told["path"], visible(text.decode())


@lru_cache(maxsize=256)
def _safe_path(path: str) -> str:
    return RepoPath.parse(path).text


def _broken(template: Template, reason: str) -> TemplateBroken:
    return TemplateBroken(
        f"The template {template.address} cannot be rendered: {reason}.",
        hint=f"Mend '{template.file}'.",
        uri=template.address.uri,
        path=template.file,
    )
