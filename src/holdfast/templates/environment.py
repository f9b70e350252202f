"""Jinja2 as templates get it: sandboxed, strict, without anything that gives another text the second time.

This is the only module that imports Jinja2, and it is imported when a template is rendered for the first
time: here for built-in templates, in a confined process for all others (see `storage/confined.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from holdfast.templates import naming

_FILTERS = {name: getattr(naming, name) for name in ("snake", "kebab", "pascal", "quoted")}
_UNPREDICTABLE = ("random", "pprint")
_GLOBALS = ("range", "dict", "namespace")


class TooMuchText(Exception):
    """A template gives more text than it may."""


def environment() -> ImmutableSandboxedEnvironment:
    """Return an environment in which nothing can be loaded, changed or left undefined."""
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals = {name: made.globals[name] for name in _GLOBALS}
    made.filters.update(_FILTERS)
    for name in _UNPREDICTABLE:
        del made.filters[name]
    return made


_ENVIRONMENT = environment()


@lru_cache(maxsize=512)
def compiled(text: str) -> Template:
    """Return a template ready to render."""
    return _ENVIRONMENT.from_string(text)


def rendered(path: str, body: str, values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the path and the text of a file; for templates that are known to be small and to end."""
    return compiled(path).render(values), compiled(body).render(values)


def render_request(request: bytes) -> bytes:
    """Answer a request from the other side of a process: one line of JSON, then the text."""
    asked = json.loads(request)
    try:
        path = compiled(asked["path"]).render(asked["values"])
        text = _bounded(asked["body"], asked["values"], asked["limit"])
    except TooMuchText:
        return _answer(failure="size")
    except MemoryError:
        raise
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as failure:
        return _answer(failure="template", reason=_reason(failure))
    return _answer(path=path) + text.encode("utf-8", "replace")


def _bounded(body: str, values: Mapping[str, Any], limit: int) -> str:
    pieces: list[str] = []
    room = limit
    for piece in compiled(body).generate(values):
        room -= len(piece.encode("utf-8", "replace"))
        if room < 0:
            raise TooMuchText
        pieces.append(piece)
    return "".join(pieces)


def _answer(**head: str) -> bytes:
    return json.dumps(head).encode() + b"\n"


def _reason(failure: Exception) -> str:
    line = getattr(failure, "lineno", None)
    said = str(failure).partition("\n")[0][:200] or type(failure).__name__
    return said if line is None else f"line {line}: {said}"


# Everything that is imported at first use has been imported before a confined process gives up its files.
rendered("{{ x }}", "{% for y in x %}{{ y | upper | quoted }}{% endfor %}", {"x": ["y"]})
