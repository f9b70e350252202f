"""One operation of a log, and the line of canonical JSON it is written as.

Contract:
- A line is ASCII, its keys are sorted and nothing is written that has no value, so that the same operation is
  the same bytes everywhere.
- A line that cannot be an operation parses to None. One of an unknown type, field or version does parse: it
  is kept, counted and skipped, for a later version to understand.
- Ids of operations are version 7 UUIDs: unique by 74 random bits, in the order of the clock as far as it can
  be trusted. Ids of entities are random, so that a few characters name one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

VERSION = 1
LARGEST_LAMPORT = 2**53 - 1

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # `decode` without its white space


class Entry(NamedTuple):
    """One operation: `lamport` and `id` give its place among all others.

    `over` names the operations whose effect this one replaces, as its writer saw them. `target` is the
    comment that an edit is about, or that a comment answers.
    """

    id: str
    entity: str
    kind: str
    lamport: int
    time: str
    actor: str
    type: str
    field: str | None = None
    value: object = None
    over: tuple[str, ...] = ()
    target: str | None = None
    request: str | None = None
    digest: str | None = None
    version: int = VERSION

    @property
    def place(self) -> tuple[int, str]:
        """Return the operation's place in the order that all clones agree on."""
        return self.lamport, self.id

    def line(self) -> str:
        """Return the operation as a log holds it."""
        named = {
            "v": self.version, "op": self.id, "e": self.entity, "k": self.kind, "l": self.lamport,
            "ts": self.time, "by": self.actor, "t": self.type, "f": self.field, "over": [*self.over] or None,
            "c": self.target, "rq": self.request, "rd": self.digest,
        }  # fmt: skip
        present = {key: value for key, value in named.items() if value is not None}
        if self.value is not None:
            present["x"] = self.value
        return json.dumps(present, sort_keys=True, separators=(",", ":"))


def parse(line: str) -> Entry | None:
    """Return the operation that a line holds, or None when it holds none."""
    found = _decoded(line)
    if found is None:
        return None
    take: Callable[[str], Any] = found.get
    name, entity, lamport, over = take("op"), take("e"), take("l"), take("over")
    if not (is_uuid(name) and is_uuid(entity) and type(lamport) is int and 0 < lamport <= LARGEST_LAMPORT):
        return None
    kind, time, actor, type_, version = take("k"), take("ts"), take("by"), take("t"), take("v")
    return Entry(
        name,
        entity,
        kind if type(kind) is str else "",
        lamport,
        time if type(time) is str else "",
        actor if type(actor) is str else "",
        type_ if type(type_) is str else "",
        _text(take("f")),
        take("x"),
        tuple(item for item in over if type(item) is str) if type(over) is list else (),
        _text(take("c")),
        _text(take("rq")),
        _text(take("rd")),
        version if type(version) is int else 0,
    )


def lines_of(message: str) -> Iterator[str]:
    """Yield the lines of a commit's message that hold operations."""
    return (line for line in message.split("\n") if line.startswith("{"))


def message_of(entries: list[Entry]) -> str:
    """Return the message of the commit that holds these operations: a subject for people, then the lines."""
    first = entries[0]
    what = first.type if first.field is None else f"{first.type} {first.field}"
    more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
    return "\n".join(
        [f"{first.kind} {first.entity[:8]}: {what}{more}", "", *(entry.line() for entry in entries), ""]
    )


def is_uuid(text: object) -> bool:
    """Tell whether something is a UUID as this room writes them."""
    return isinstance(text, str) and _UUID.fullmatch(text) is not None


def new_id(milliseconds: int) -> str:
    """Return a fresh id that begins with a moment, in milliseconds since 1970."""
    number = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(10), "big")
    return _shaped(number, version=7)


def random_id() -> str:
    """Return a fresh id whose first characters already tell it from others."""
    return _shaped(int.from_bytes(os.urandom(16), "big"), version=4)


def derived_id(*parts: str) -> str:
    """Return the id that belongs to these words, the same in every clone."""
    digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return _shaped(int.from_bytes(digest[:16], "big"), version=8)


def _shaped(number: int, *, version: int) -> str:
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _decoded(line: str) -> dict[str, Any] | None:
    """Return the JSON object that a line is, or None when it is none."""
    try:
        found, end = _scan(line, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    if end != len(line) or type(found) is not dict:
        return None
    has_surrogates = "\\ud" in line or "\\uD" in line
    return None if has_surrogates and not _is_text(found) else found


def _is_text(found: dict[str, Any]) -> bool:
    """Tell whether all that was decoded can be written as UTF-8; half a surrogate pair cannot."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: object) -> str | None:
    return value if type(value) is str else None
