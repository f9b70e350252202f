"""One operation of a log, its encoding as a line of canonical JSON, and the rules for its fields.

Contract:
- A line is ASCII, its keys are sorted and absent values are left out, so that an operation has the same bytes
  everywhere.
- A line that is not an operation parses to None. One of an unknown type, field or version does parse: it is
  kept and counted but has no effect, so that a later version can apply it.
- An invalid field value is refused when it is written here, and skipped when it arrives in a log.
- Ids begin with the time (operations) or randomly (entities, so that a short prefix names one), and end with
  62 bits of a SHA-256 hash of the operation, or of the one that creates the entity. This detects different
  content under the id of an operation, and a different creation under the id of an entity.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from math import isfinite
from typing import Any, NamedTuple

from holdfast.kernel.clock import day_start_seconds
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import SCALARS, SETS, STATUSES

VERSION = 1
LARGEST_LAMPORT = 2**53 - 1  # the largest integer that every JSON reader keeps exact (RFC 8259, section 6)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PREFIX = 18  # the first three groups of a UUID
_DEEPEST = 8  # a chosen bound: operations written here nest two levels


class Entry(NamedTuple):
    """One operation; Lamport time and id order it among all others.

    `over` lists the operations that this one replaces: those its writer had seen. `target` is the comment
    that an edit changes or a comment replies to.
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
        """Return the operation's position in the total order that all clones agree on."""
        return self.lamport, self.id

    def content(self) -> Entry:
        """Return the operation without its id, Lamport time and request."""
        return self._replace(id="", lamport=0, request=None, digest=None)

    def line(self) -> str:
        """Return the operation as a line of the log."""
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
    """Return the operation in a line, or None if there is none."""
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
    """Yield the lines of a commit message that contain operations."""
    return (line for line in message.split("\n") if line.startswith("{"))


def message_of(entries: list[Entry]) -> str:
    """Return the commit message for these operations: a readable subject, then their lines."""
    first = entries[0]
    what = first.type if first.field is None else f"{first.type} {first.field}"
    more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
    return "\n".join(
        [f"{first.kind} {first.entity[:8]}: {what}{more}", "", *(entry.line() for entry in entries), ""]
    )


def is_uuid(text: object) -> bool:
    """Return whether a value is a UUID in lower case."""
    return isinstance(text, str) and _UUID.fullmatch(text) is not None


def with_operation_id(entry: Entry, milliseconds: int) -> Entry:
    """Return an operation with a UUID version 7 whose last 62 bits hash its content."""
    number = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(2), "big") << 64
    return entry._replace(id=_uuid(number, version=7)[: _PREFIX + 1] + _content_suffix(entry))


def with_entity_id(entry: Entry) -> Entry:
    """Return a creation with a new entity id whose last 62 bits hash the creation."""
    prefix = _uuid(int.from_bytes(os.urandom(16), "big"), version=4)[:_PREFIX]
    return entry._replace(entity=f"{prefix}-{_content_suffix(entry._replace(entity=prefix))}")


def imported_creation(entry: Entry) -> Entry:
    """Return the creation of an imported entity, with an operation id that is the same in every clone."""
    content = entry.content()
    return entry._replace(id=derived_id(content.line())[: _PREFIX + 1] + _content_suffix(content))


def id_matches_content(entry: Entry) -> bool:
    """Return whether the hash in an operation's id matches its content."""
    return entry.id[_PREFIX + 1 :] in (_content_suffix(entry), _content_suffix(entry.content()))


def is_original_creation(entry: Entry) -> bool:
    """Return whether the hash in the entity's id matches this creation."""
    prefix, tail = entry.entity[:_PREFIX], entry.entity[_PREFIX + 1 :]
    return tail == _content_suffix(entry._replace(entity=prefix))


def _content_suffix(entry: Entry) -> str:
    """Return the last 62 bits of an id: a hash of the operation without its request."""
    line = entry._replace(id="", request=None, digest=None).line()
    digits = sha256(line.encode()).hexdigest()
    return f"{'89ab'[int(digits[0], 16) % 4]}{digits[1:4]}-{digits[4:16]}"


def derived_id(*parts: str) -> str:
    """Return the content-addressed id (UUID version 8) of these strings."""
    digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return _uuid(int.from_bytes(digest[:16], "big"), version=8)


def _uuid(number: int, *, version: int) -> str:
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate name")
    return found


def _finite(number: str) -> float:
    if not isfinite(found := float(number)):
        raise ValueError(number)
    return found


# `decode` without white space around the document, and without NaN and infinities, which are not JSON.
_scan = json.JSONDecoder(  # type: ignore[attr-defined]
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_finite
).scan_once


def _decoded(line: str) -> dict[str, Any] | None:
    """Return a line decoded as a JSON object, or None if it is not one."""
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
    """Return whether a value nests at most `levels` deep."""
    if isinstance(value, dict):
        value = list(value.values())
    return not isinstance(value, list) or (levels > 0 and all(_is_shallow(one, levels - 1) for one in value))


def _is_text(found: dict[str, Any]) -> bool:
    """Return whether all strings can be encoded as UTF-8; lone surrogates cannot."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: object) -> str | None:
    return value if type(value) is str else None


_OPTIONAL = ("assignee", "due", "milestone")


def is_scalar_value(field: str, value: object) -> bool:
    """Return whether a scalar may have a value."""
    if value is None:
        return field in _OPTIONAL
    if not isinstance(value, str) or field not in SCALARS:
        return False
    if field == "status":
        return value in STATUSES
    if field == "due":
        return day_start_seconds(value) is not None
    return len(value) <= _longest(field) and (field != "milestone" or is_uuid(value))


def is_word(value: object) -> bool:
    """Return whether a set may contain a value."""
    return isinstance(value, str) and 0 < len(value) <= LIMITS.entity_word_characters and "\0" not in value


def is_body(value: object) -> bool:
    """Return whether a comment may have a value as its body."""
    return isinstance(value, str) and len(value) <= LIMITS.entity_text_characters


def _longest(field: str) -> int:
    longest = {"title": LIMITS.entity_title_characters, "description": LIMITS.entity_text_characters}
    return longest.get(field, LIMITS.entity_word_characters)


def checked_scalar(field: str, value: str | None) -> str | None:
    """Return a valid value for a scalar, or raise `InvalidArguments`."""
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
    """Return the distinct members to add to or remove from a set, or raise `InvalidArguments`."""
    if field not in SETS:
        raise InvalidArguments(f"'{field}' is not a set.", hint=f"Sets: {', '.join(SETS)}.")
    if len(values) > LIMITS.entity_set_members:
        raise InvalidArguments(f"Too many {field} at once.", hint=f"At most {LIMITS.entity_set_members}.")
    for value in values:
        _checked_text(field, value, LIMITS.entity_word_characters)
        if not value.strip() or not is_word(value):
            raise InvalidArguments(f"One of the {field} is empty or not text.", hint="Leave it out.")
        if field == "dependencies" and not is_uuid(value):
            raise InvalidArguments(f"{value!a} is not the id of an entity.", hint="Give its full id.")
    return list(dict.fromkeys(values))


def checked_body(body: str) -> str:
    """Return a valid comment body, or raise `InvalidArguments`."""
    if not body.strip():
        raise InvalidArguments("A comment cannot be empty.", hint="Give it a text.")
    return _checked_text("comment", body, LIMITS.entity_text_characters)


def checked_request(request: str | None) -> str | None:
    """Return a valid request id, or raise `InvalidArguments`."""
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
