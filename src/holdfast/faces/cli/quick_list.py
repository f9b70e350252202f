"""`git mile list` in about the time Python takes to start.

Contract: `attempt` answers an ordinary list exactly as the whole command line would, or leaves it untouched:
other orders, later pages, help, mistakes, damage and whatever else is out of the ordinary.
"""

from __future__ import annotations

import os
import sys

from holdfast.faces.cli.quick import start_of, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KINDS = ("issue", "milestone")
_FLAGS = ("--json", "--include-closed")
_WITH_VALUE = ("--limit", "--root", "--filter")
_USUAL_LIMIT = 50
_LARGEST_LIMIT = 500
_UNLIMITED = 10_000
_USUAL_WIDTH = 80


def attempt(arguments: list[str]) -> int | None:
    """Run the command and return its exit status, or None when the whole command line must look at it."""
    given = _given(arguments)
    if given is None or sys.stdout is None or ("--json" in given and os.isatty(1)):
        return None
    try:
        text = _answer(given)
    except KeyboardInterrupt:
        return 130
    return None if text is None else write(text)


def _given(arguments: list[str]) -> dict[str, str] | None:
    """Return what was given, or None unless it is all of the ordinary kind."""
    given: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name = "kind" if argument in _KINDS else argument
        value = argument if name == "kind" or argument in _FLAGS else None
        if argument in _WITH_VALUE:
            value = next(rest, None)
        if value is None or name in given:
            return None
        given[name] = value
    return given if _limit(given) else None


def _limit(given: dict[str, str]) -> int:
    """Return how many items are wanted; nothing when that is not an ordinary number."""
    typed = given.get("--limit", str(_USUAL_LIMIT))
    is_plain = typed.isascii() and typed.isdigit() and not typed.startswith("0") and len(typed) < 4
    return min(int(typed), _LARGEST_LIMIT + 1) % (_LARGEST_LIMIT + 1) if is_plain else 0


def _answer(given: dict[str, str]) -> str | None:
    from holdfast.milestones.quick import listed
    from holdfast.storage.sql.quick import OutOfTheOrdinary

    kind, limit, has_closed = given.get("kind", "issue"), _limit(given), "--include-closed" in given
    wanted = given.get("--filter", "")
    try:
        rows, position = listed(start_of(given), kind, limit, wanted, include_closed=has_closed)
    except (OutOfTheOrdinary, OSError, ValueError):
        return None
    cursor = None if position is None else _cursor(kind, wanted, position, include_closed=has_closed)
    return _json(rows, cursor) if "--json" in given else _words(rows, cursor)


def _cursor(kind: str, wanted: str, position: tuple[object, ...], *, include_closed: bool) -> str:
    from holdfast.kernel.paging import encode_cursor
    from holdfast.milestones.quick import list_identity

    return encode_cursor(
        list_identity(kind, wanted, ["updated:True"], include_closed=include_closed), list(position)
    )


def _words(rows: list[dict[str, Any]], cursor: str | None) -> str:
    from holdfast.milestones.text import table

    text = table(rows, _width()) if rows else "Nothing found."
    return f"{text}\nMore with --cursor {cursor}\n" if cursor is not None else f"{text}\n"


def _width() -> int:
    if not os.isatty(1):
        return _UNLIMITED
    try:
        return os.get_terminal_size(1).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


def _json(rows: list[dict[str, Any]], cursor: str | None) -> str:
    items = ",".join(_item(row) for row in rows)
    return f'{{"items":[{items}],"nextCursor":{"null" if cursor is None else _quoted(cursor)}}}\n'


def _item(row: dict[str, Any]) -> str:
    labels = ",".join(_quoted(label) for label in row["labels"])
    stats = ",".join(f'"{name}":{value}' for name, value in row["stats"].items())
    return (
        f'{{"id":"{row["id"]}","title":{_quoted(row["title"])},"status":"{row["status"]}",'
        f'"labels":[{labels}],"stats":{{{stats}}}}}'
    )


def _quoted(text: str) -> str:
    from _json import encode_basestring

    if not (text.isascii() and text.isprintable()):
        from holdfast.kernel.untrusted import visible

        text = visible(text)
    quoted: str = encode_basestring(text)
    return quoted
