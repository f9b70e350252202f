"""Renders one untrusted template in a confined process.

`storage/processes/confined.py` starts it, and gives up the right to open files once this module is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateError

from holdfast.templates.jinja import compiled

_MISTAKES = (
    *(TemplateError, ArithmeticError, AssertionError, AttributeError, LookupError),
    *(RecursionError, SyntaxError, TypeError, ValueError),
)


class TooMuchText(Exception):
    """A template produces more text than allowed."""


def render_request(request: bytes) -> bytes:
    """Render a request in JSON; return one line of JSON, then the text."""
    wanted = json.loads(request)
    try:
        path = compiled(wanted["path"]).render(wanted["values"])
        text = _bounded(wanted["body"], wanted["values"], wanted["limit"])
    except TooMuchText:
        return _answer(failure="size")
    except _MISTAKES as failure:
        return _answer(failure="template", reason=_reason(failure))
    return _answer(path=path) + text.encode("utf-8", "replace")


def _bounded(body: str, values: Mapping[str, Any], limit: int) -> str:
    pieces: list[str] = []
    budget = limit
    for piece in compiled(body).generate(values):
        budget -= len(piece.encode("utf-8", "replace"))
        if budget < 0:
            raise TooMuchText
        pieces.append(piece)
    return "".join(pieces)


def _answer(**head: str) -> bytes:
    return json.dumps(head).encode() + b"\n"


def _reason(failure: Exception) -> str:
    line = getattr(failure, "lineno", None)
    text = str(failure).partition("\n")[0][:200]
    if not text or sys.base_prefix in text or sys.prefix in text:
        text = type(failure).__name__
    return text if line is None else f"line {line}: {text}"


def _warm_up() -> None:
    """Make Jinja2 do its lazy imports, for rendering and for errors, before files are out of reach."""
    for body in (
        "{% macro m(a) %}{{ a | upper | quoted }}{{ caller() }}{% endmacro %}{% call m('é') %}{% endcall %}",
        "{% for y in x | sort %}{{ 1.5 | round }}{{ 'a b' | wordwrap(2) }}{{ y | tojson }}{% endfor %}",
        "{{ '%s' | format(x) }}{{ '{}'.format(1) }}",
        "{{ z }}",
        "{% z %}",
        "{{ x.__class__ }}",
        "{{ '\\x' }}",
    ):
        render_request(json.dumps({"path": "x", "body": body, "values": {"x": ["y"]}, "limit": 999}).encode())


_warm_up()
