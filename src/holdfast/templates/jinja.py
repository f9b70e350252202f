"""Jinja2 as templates get it: sandboxed, strict, without anything that gives another text the second time.

It is imported when a template is rendered for the first time: here for built-in templates, in a confined
process for all others (see `confined_renderer.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(text: str) -> list[str]:
    """Return the words of a name, however it is spelled: `XMLHttpRequest` is xml, http, request."""
    return [word.lower() for word in _WORD.findall(text)]


def snake(text: str) -> str:
    """Return `text` with its separators as single underscores, in small letters: `my-App 2` is `my_app_2`."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def kebab(text: str) -> str:
    """Return `text` with its separators as single hyphens, in small letters."""
    return snake(text).replace("_", "-")


def pascal(text: str) -> str:
    """Return the words of `text` joined, each with a capital."""
    return "".join(word.capitalize() for word in words(text))


def quoted(text: str) -> str:
    """Return `text` between double quotes, as JSON, TOML, YAML, Rust, Go, JavaScript and Python read it."""
    return json.dumps(text, ensure_ascii=False)


_FILTERS = {"snake": snake, "kebab": kebab, "pascal": pascal, "quoted": quoted}
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
