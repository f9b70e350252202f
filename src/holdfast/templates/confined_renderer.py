"""Renders one untrusted template in a confined process.

`storage/processes/confined.py` starts the process, imports this module, and then drops the right to open
files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateError

from holdfast.templates.jinja import compile_template

_TEMPLATE_ERRORS = (
    TemplateError, ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, SyntaxError,
    TypeError, ValueError,
)  # fmt: skip
"""What the expressions of a template can raise; any other error is a fault of this program."""
_MAX_REASON_CHARACTERS = 200
"""A judgement: one long line."""


class TooMuchText(Exception):
    """A template produces more text than is allowed."""


def render_request(request: bytes) -> bytes:
    """Render a request in JSON; return one line of JSON with the path or the failure, then the text."""
    arguments = json.loads(request)
    try:
        path = compile_template(arguments["path"]).render(arguments["values"])
        text = _render_body(arguments["body"], arguments["values"], arguments["limit"])
    except TooMuchText:
        return _response(failure="size")
    except _TEMPLATE_ERRORS as failure:
        return _response(failure="template", reason=_reason(failure))
    return _response(path=path) + text.encode("utf-8", "replace")


def _render_body(body: str, values: Mapping[str, Any], max_bytes: int) -> str:
    pieces: list[str] = []
    remaining = max_bytes
    for piece in compile_template(body).generate(values):
        remaining -= len(piece.encode("utf-8", "replace"))
        if remaining < 0:
            raise TooMuchText
        pieces.append(piece)
    return "".join(pieces)


def _response(**head: str) -> bytes:
    return json.dumps(head).encode() + b"\n"


def _reason(failure: Exception) -> str:
    """Return why a template failed, without paths of this installation."""
    line = getattr(failure, "lineno", None)
    text = str(failure).partition("\n")[0][:_MAX_REASON_CHARACTERS]
    if not text or sys.base_prefix in text or sys.prefix in text:
        text = type(failure).__name__
    return text if line is None else f"line {line}: {text}"


def _warm_up() -> None:
    """Make Jinja2 do its lazy imports, for rendering and for errors, while files can still be opened."""
    for body in (
        "{% macro m(a) %}{{ a | upper | quoted }}{{ caller() }}{% endmacro %}{% call m('é') %}{% endcall %}",
        "{% for y in x | sort %}{{ 1.5 | round }}{{ 'a b' | wordwrap(2) }}{{ y | tojson }}{% endfor %}",
        "{{ '%s' | format(x) }}{{ '{}'.format(1) }}",
        "{{ z }}",
        "{% z %}",
        "{{ x.__class__ }}",
        "{{ '\\x' }}",
    ):
        request = {"path": "x", "body": body, "values": {"x": ["y"]}, "limit": 999}
        render_request(json.dumps(request).encode())


_warm_up()
