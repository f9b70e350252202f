"""Jinja2 as templates get it: sandboxed, strict, without anything that gives another text the second time.

It is imported when a template is rendered for the first time: here for built-in templates, in a confined
process for all others (see `confined_rendering.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from holdfast.templates import naming

_FILTERS = {name: getattr(naming, name) for name in ("snake", "kebab", "pascal", "quoted")}
_UNPREDICTABLE = ("random", "pprint")
_GLOBALS = ("range", "dict", "namespace")


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
    return (compiled(path).render(values) if "{" in path else path), compiled(body).render(values)
