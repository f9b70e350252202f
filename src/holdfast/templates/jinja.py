"""The Jinja2 environment of templates: sandboxed, strict and deterministic.

This module is imported when a template is first rendered: in this process for built-in templates, in a
confined process for all others (see `confined_renderer.py`).
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
    """Return the words of a name in any naming style: xml, http and request for `XMLHttpRequest`."""
    return [word.lower() for word in _WORD.findall(text)]


def snake(text: str) -> str:
    """Return `text` in lower case, with single underscores as separators: `my_app_2` for `my-App 2`."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def kebab(text: str) -> str:
    """Return `text` in lower case, with single hyphens as separators."""
    return snake(text).replace("_", "-")


def pascal(text: str) -> str:
    """Return the words of `text` joined and capitalised."""
    return "".join(word.capitalize() for word in words(text))


def quoted(text: str) -> str:
    """Return `text` in double quotes, valid in JSON, TOML, YAML, Rust, Go, JavaScript and Python."""
    return json.dumps(text, ensure_ascii=False)


_FILTERS = {"snake": snake, "kebab": kebab, "pascal": pascal, "quoted": quoted}
_NONDETERMINISTIC = ("random", "pprint")
_GLOBALS = ("range", "dict", "namespace")


def new_environment() -> ImmutableSandboxedEnvironment:
    """Return an environment without loaders, in which values are immutable and undefined variables fail."""
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals = {name: environment.globals[name] for name in _GLOBALS}
    environment.filters.update(_FILTERS)
    for name in _NONDETERMINISTIC:
        del environment.filters[name]
    return environment


_ENVIRONMENT = new_environment()


@lru_cache(maxsize=512)
def compile_template(text: str) -> Template:
    """Return the compiled template; the most recent ones are cached."""
    return _ENVIRONMENT.from_string(text)


def render_trusted(path: str, body: str, values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the path and text of a file from a trusted template, whose time and size are not limited."""
    rendered_path = compile_template(path).render(values) if "{" in path else path
    return rendered_path, compile_template(body).render(values)
