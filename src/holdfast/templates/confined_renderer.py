"""The far side of a confined process: renders one template that somebody else wrote.

It is started by `storage/processes/confined.py`, which gives up the right to open files once this module is
imported.
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
    """A template gives more text than it may."""


def render_request(request: bytes) -> bytes:
    """Answer a request from the other side of a process: one line of JSON, then the text."""
    asked = json.loads(request)
    try:
        path = compiled(asked["path"]).render(asked["values"])
        text = _bounded(asked["body"], asked["values"], asked["limit"])
    except TooMuchText:
        return _answer(failure="size")
    except _MISTAKES as failure:
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
    said = str(failure).partition("\n")[0][:200]
    if not said or sys.base_prefix in said or sys.prefix in said:
        said = type(failure).__name__
    return said if line is None else f"line {line}: {said}"


def _warm_up() -> None:
    """Let Jinja2 import what it imports at first use, to render as well as to complain."""
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
