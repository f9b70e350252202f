"""One operation of a log, the line of canonical JSON it is written as, and what its fields may hold.

Contract:
- A line is ASCII, its keys are sorted and nothing is written that has no value, so that the same operation is
  the same bytes everywhere.
- A line that cannot be an operation parses to None. One of an unknown type, field or version does parse: it
  is kept, counted and skipped, for a later version to understand.
- What a field cannot hold is refused when somebody writes it, and skipped when a log brings it.
- Ids begin with the clock (operations) or at random (entities, so that a few characters name one), and end
  with 62 bits of a hash of what the operation says, or of what creates the entity. So it shows when somebody
  puts other words under the id of an operation, or another creation under that of an entity.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from math import isfinite
from typing import Any, NamedTuple

from holdfast.kernel.clock import first_second
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import SCALARS, SETS, STATUSES

VERSION = 1
LARGEST_LAMPORT = 2**53 - 1

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PREFIX = 18  # the first three groups of a UUID
_DEEPEST = 8


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

    def words(self) -> Entry:
        """Return what the operation says, whoever asked for it and whatever its place and its name."""
        return self._replace(id="", lamport=0, request=None, digest=None)

    def line(self) -> str:
        """Return the operation as a log holds it."""
        with_operation_id = {
            "v": self.version, "op": self.id, "e": self.entity, "k": self.kind, "l": self.lamport,
            "ts": self.time, "by": self.actor, "t": self.type, "f": self.field, "over": [*self.over] or None,
            "c": self.target, "rq": self.request, "rd": self.digest,
        }  # fmt: skip
        present = {key: value for key, value in with_operation_id.items() if value is not None}
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


def with_operation_id(entry: Entry, milliseconds: int) -> Entry:
    """Return an operation with an id of its own, bound to what it says, that begins with a moment."""
    number = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(2), "big") << 64
    return entry._replace(id=_shaped(number, version=7)[: _PREFIX + 1] + _tail(entry))


def with_entity_id(entry: Entry) -> Entry:
    """Return a creation with a fresh entity, whose id is bound to it."""
    prefix = _shaped(int.from_bytes(os.urandom(16), "big"), version=4)[:_PREFIX]
    return entry._replace(entity=f"{prefix}-{_tail(entry._replace(entity=prefix))}")


def imported_creation(entry: Entry) -> Entry:
    """Return the creation of an entity that an import names, under the id it has in every clone."""
    words = entry.words()
    return entry._replace(id=derived_id(words.line())[: _PREFIX + 1] + _tail(words))


def id_matches_content(entry: Entry) -> bool:
    """Tell whether an operation says what it said when it got its id."""
    return entry.id[_PREFIX + 1 :] in (_tail(entry), _tail(entry.words()))


def is_original_creation(entry: Entry) -> bool:
    """Tell whether it was this creation that gave the entity its id."""
    prefix, tail = entry.entity[:_PREFIX], entry.entity[_PREFIX + 1 :]
    return tail == _tail(entry._replace(entity=prefix))


def _tail(entry: Entry) -> str:
    """Return the end of an id that is bound to what an operation says, whoever asked for it."""
    line = entry._replace(id="", request=None, digest=None).line()
    digits = sha256(line.encode()).hexdigest()
    return f"{'89ab'[int(digits[0], 16) % 4]}{digits[1:4]}-{digits[4:16]}"


def derived_id(*parts: str) -> str:
    """Return the id that belongs to these words, the same in every clone."""
    digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return _shaped(int.from_bytes(digest[:16], "big"), version=8)


def _shaped(number: int, *, version: int) -> str:
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def _finite(number: str) -> float:
    if not isfinite(found := float(number)):
        raise ValueError(number)
    return found


# `decode` without its white space, and without what only Python takes for JSON.
_scan = json.JSONDecoder(  # type: ignore[attr-defined]
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_finite
).scan_once


def _decoded(line: str) -> dict[str, Any] | None:
    """Return the JSON object that a line is, or None when it is none."""
    if not line.isascii():
        return None
    try:
        found, end = _scan(line, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    if end != len(line) or type(found) is not dict or not _is_shallow(found.get("x"), _DEEPEST):
        return None
    has_surrogates = "\\ud" in line or "\\uD" in line
    return None if has_surrogates and not _is_text(found) else found


def _is_shallow(value: object, levels: int) -> bool:
    """Tell whether a value nests no deeper than what reads it again can follow."""
    if isinstance(value, dict):
        value = list(value.values())
    return not isinstance(value, list) or (levels > 0 and all(_is_shallow(one, levels - 1) for one in value))


def _is_text(found: dict[str, Any]) -> bool:
    """Tell whether all that was decoded can be written as UTF-8; half a surrogate pair cannot."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: object) -> str | None:
    return value if type(value) is str else None


_OPTIONAL = ("assignee", "due", "milestone")


def is_scalar_value(field: str, value: object) -> bool:
    """Tell whether a log may set a scalar to a value."""
    if value is None:
        return field in _OPTIONAL
    if not isinstance(value, str) or field not in SCALARS:
        return False
    if field == "status":
        return value in STATUSES
    if field == "due":
        return first_second(value) is not None
    return len(value) <= _longest(field) and (field != "milestone" or is_uuid(value))


def is_word(value: object) -> bool:
    """Tell whether a log may hold a value in a set."""
    return isinstance(value, str) and 0 < len(value) <= LIMITS.entity_word_characters and "\0" not in value


def is_body(value: object) -> bool:
    """Tell whether a log may hold a comment's text."""
    return isinstance(value, str) and len(value) <= LIMITS.entity_text_characters


def _longest(field: str) -> int:
    longest = {"title": LIMITS.entity_title_characters, "description": LIMITS.entity_text_characters}
    return longest.get(field, LIMITS.entity_word_characters)


def checked_scalar(field: str, value: str | None) -> str | None:
    """Return a value that a scalar may be set to, or say what is wrong with it."""
    if field not in SCALARS:
        raise InvalidArguments(f"'{field}' is not a field.", hint=f"Fields: {', '.join(SCALARS)}.")
    if value is not None:
        value = _checked_text(field, value, _longest(field))
    if field == "title" and not (value or "").strip():
        raise InvalidArguments("A title cannot be empty.", hint="Give it a title of a few words.")
    if field == "description" and value is None:
        return ""
    if not is_scalar_value(field, value):
        raise InvalidArguments(f"{value!a} cannot be set as {field}.", hint=_HINTS[field])
    return value


def checked_members(field: str, values: list[str]) -> list[str]:
    """Return the members that a set is to gain or lose, each once."""
    if field not in SETS:
        raise InvalidArguments(f"'{field}' is not a set.", hint=f"Sets: {', '.join(SETS)}.")
    if len(values) > LIMITS.entity_set_members:
        raise InvalidArguments(f"Too many {field} at once.", hint=f"At most {LIMITS.entity_set_members}.")
    for value in values:
        _checked_text(field, value, LIMITS.entity_word_characters)
        if not value.strip() or not is_word(value):
            raise InvalidArguments(f"One of the {field} is empty or no text.", hint="Leave it out.")
        if field == "dependencies" and not is_uuid(value):
            raise InvalidArguments(f"{value!a} is not the id of an entity.", hint="Give its full id.")
    return list(dict.fromkeys(values))


def checked_body(body: str) -> str:
    """Return the text of a comment, or say what is wrong with it."""
    if not body.strip():
        raise InvalidArguments("A comment cannot be empty.", hint="Write what there is to say.")
    return _checked_text("comment", body, LIMITS.entity_text_characters)


def checked_request(request: str | None) -> str | None:
    """Return the id of a request, or say what is wrong with it."""
    return None if request is None else _checked_text("request id", request, LIMITS.request_characters)


def _checked_text(name: str, text: str, longest: int) -> str:
    if len(text) > longest:
        raise InvalidArguments(
            f"The {name} has {len(text)} characters; it may have {longest}.", hint="Shorten it."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArguments(f"The {name} is not valid text.", hint="Write it in UTF-8.") from None
    return text


_HINTS = {
    "status": f"Statuses: {', '.join(STATUSES)}.",
    "due": "Write a day as YYYY-MM-DD.",
    "milestone": "Give the full id of a milestone.",
    "assignee": "Give a name, or `Name <mail>`.",
    "title": "Give it a title of a few words.",
    "description": "Write a text.",
}
