"""One operation of a log, its encoding as a line of canonical JSON, and the rules for its fields.

Contract:
- A line is ASCII, its keys are sorted and absent values are left out, so that an operation has the same bytes
  everywhere.
- A line that is not an operation parses to None. An operation of an unknown type, field or version does
  parse: it is stored and counted but has no effect, so that a later version can apply it.
- An invalid field value is refused when it is written here, and skipped when it arrives in a log.
- The id of an operation starts with its time and ends with 62 bits of the SHA-256 hash of its content. The id
  of an entity starts with random digits, so that a short prefix is unambiguous, and ends with 62 bits of the
  hash of the operation that creates it. The hash reveals a second operation with the same id but other
  content, and a second creation of the same entity.
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
MAX_LAMPORT = 2**53 - 1  # the largest integer that every JSON reader keeps exact (RFC 8259, section 6)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ID_PREFIX_CHARACTERS = 18  # the first three groups of a UUID; the hash replaces the other two
_MAX_VALUE_DEPTH = 8  # levels; operations written here nest two, and later versions may need more
_OPTIONAL_FIELDS = ("assignee", "due", "milestone")
_HINTS = {
    "status": f"Statuses: {', '.join(STATUSES)}.",
    "due": "Write a day as YYYY-MM-DD.",
    "milestone": "Give the full id of a milestone.",
    "assignee": "Give a name, or `Name <mail>`.",
    "title": "Give it a title of a few words.",
    "description": "Write a text.",
}


class Entry(NamedTuple):
    """One operation; its Lamport time and id determine its place among all others.

    `over` lists the operations that it replaces, which are those that its writer had seen. `target` is the
    comment that an edit changes or that a comment replies to.
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
        members = {
            "v": self.version, "op": self.id, "e": self.entity, "k": self.kind, "l": self.lamport,
            "ts": self.time, "by": self.actor, "t": self.type, "f": self.field, "over": [*self.over] or None,
            "c": self.target, "rq": self.request, "rd": self.digest,
        }  # fmt: skip
        present = {key: value for key, value in members.items() if value is not None}
        if self.value is not None:
            present["x"] = self.value
        return json.dumps(present, sort_keys=True, separators=(",", ":"))


def parse(line: str) -> Entry | None:
    """Return the operation in a line, or None if there is none."""
    members = _decode(line)
    if members is None:
        return None
    get: Callable[[str], Any] = members.get
    operation_id, entity, lamport, over = get("op"), get("e"), get("l"), get("over")
    if not (
        is_uuid(operation_id) and is_uuid(entity) and type(lamport) is int and 0 < lamport <= MAX_LAMPORT
    ):
        return None
    kind, time, actor, type_, version = get("k"), get("ts"), get("by"), get("t"), get("v")
    return Entry(
        operation_id,
        entity,
        kind if type(kind) is str else "",
        lamport,
        time if type(time) is str else "",
        actor if type(actor) is str else "",
        type_ if type(type_) is str else "",
        _text_or_none(get("f")),
        get("x"),
        tuple(item for item in over if type(item) is str) if type(over) is list else (),
        _text_or_none(get("c")),
        _text_or_none(get("rq")),
        _text_or_none(get("rd")),
        version if type(version) is int else 0,
    )


def operation_lines(message: str) -> Iterator[str]:
    """Yield the lines of a commit message that contain operations."""
    return (line for line in message.split("\n") if line.startswith("{"))


def commit_message(entries: list[Entry]) -> str:
    """Return the commit message for these operations: a readable subject, then their lines."""
    first = entries[0]
    action = first.type if first.field is None else f"{first.type} {first.field}"
    more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
    return "\n".join(
        [f"{first.kind} {first.entity[:8]}: {action}{more}", "", *(entry.line() for entry in entries), ""]
    )


def is_uuid(text: object) -> bool:
    """Return whether a value is a UUID in lower case."""
    return isinstance(text, str) and _UUID.fullmatch(text) is not None


def with_operation_id(entry: Entry, milliseconds: int) -> Entry:
    """Return an operation with a UUID version 7 whose last 62 bits hash its content."""
    number = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(2), "big") << 64
    return entry._replace(id=_uuid(number, version=7)[: _ID_PREFIX_CHARACTERS + 1] + _content_suffix(entry))


def with_entity_id(entry: Entry) -> Entry:
    """Return a creation with a new entity id whose last 62 bits hash the creation."""
    prefix = _uuid(int.from_bytes(os.urandom(16), "big"), version=4)[:_ID_PREFIX_CHARACTERS]
    return entry._replace(entity=f"{prefix}-{_content_suffix(entry._replace(entity=prefix))}")


def with_derived_operation_id(entry: Entry) -> Entry:
    """Return the creation of an imported entity, with an operation id that is the same in every clone."""
    content = entry.content()
    return entry._replace(
        id=derived_id(content.line())[: _ID_PREFIX_CHARACTERS + 1] + _content_suffix(content)
    )


def id_matches_content(entry: Entry) -> bool:
    """Return whether the hash in an operation's id matches its content."""
    return entry.id[_ID_PREFIX_CHARACTERS + 1 :] in (_content_suffix(entry), _content_suffix(entry.content()))


def is_original_creation(entry: Entry) -> bool:
    """Return whether the hash in the entity's id matches this creation."""
    prefix, tail = entry.entity[:_ID_PREFIX_CHARACTERS], entry.entity[_ID_PREFIX_CHARACTERS + 1 :]
    return tail == _content_suffix(entry._replace(entity=prefix))


def _content_suffix(entry: Entry) -> str:
    """Return the last 62 bits of an id: a hash of the operation without its request."""
    line = entry._replace(id="", request=None, digest=None).line()
    digits = sha256(line.encode()).hexdigest()
    return f"{'89ab'[int(digits[0], 16) % 4]}{digits[1:4]}-{digits[4:16]}"


def derived_id(*parts: str) -> str:
    """Return the content-addressed id (UUID version 8) of these strings, which may have lone surrogates."""
    digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return _uuid(int.from_bytes(digest[:16], "big"), version=8)


def _uuid(number: int, *, version: int) -> str:
    """Return a number of 128 bits as a UUID, after setting the bits of its version and variant (RFC 9562)."""
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate name")
    return members


def _parse_finite(number: str) -> float:
    value = float(number)
    if not isfinite(value):
        raise ValueError(number)
    return value


# `decode` without white space around the document, and without NaN and infinities, which are not JSON.
_scan = json.JSONDecoder(  # type: ignore[attr-defined]
    object_pairs_hook=_reject_duplicate_keys, parse_float=_parse_finite, parse_constant=_parse_finite
).scan_once


def _decode(line: str) -> dict[str, Any] | None:
    """Return a line decoded as a JSON object, or None if it is not one."""
    if not line.isascii():
        return None
    try:
        members, end = _scan(line, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    if end != len(line) or type(members) is not dict or not _is_shallow(members.get("x"), _MAX_VALUE_DEPTH):
        return None
    has_surrogates = "\\ud" in line or "\\uD" in line
    return None if has_surrogates and not _is_encodable(members) else members


def _is_shallow(value: object, levels: int) -> bool:
    """Return whether a value nests at most `levels` deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return True
    return levels > 0 and all(_is_shallow(item, levels - 1) for item in value)


def _is_encodable(members: dict[str, Any]) -> bool:
    """Return whether all strings can be encoded as UTF-8; lone surrogates cannot."""
    try:
        json.dumps(members, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _text_or_none(value: object) -> str | None:
    return value if type(value) is str else None


def is_scalar_value(field: str, value: object) -> bool:
    """Return whether a value is valid for a scalar field."""
    if value is None:
        return field in _OPTIONAL_FIELDS
    if not isinstance(value, str) or field not in SCALARS:
        return False
    if field == "status":
        return value in STATUSES
    if field == "due":
        return day_start_seconds(value) is not None
    return len(value) <= _max_characters(field) and (field != "milestone" or is_uuid(value))


def is_set_member(value: object) -> bool:
    """Return whether a value is valid as a member of a set."""
    return isinstance(value, str) and 0 < len(value) <= LIMITS.entity_word_characters and "\0" not in value


def is_comment_body(value: object) -> bool:
    """Return whether a value is valid as the body of a comment."""
    return isinstance(value, str) and len(value) <= LIMITS.entity_text_characters


def _max_characters(field: str) -> int:
    limits = {"title": LIMITS.entity_title_characters, "description": LIMITS.entity_text_characters}
    return limits.get(field, LIMITS.entity_word_characters)


def validate_scalar(field: str, value: str | None) -> str | None:
    """Return a valid value for a scalar, or raise `InvalidArguments`."""
    if field not in SCALARS:
        raise InvalidArguments(f"'{field}' is not a field.", hint=f"Fields: {', '.join(SCALARS)}.")
    if value is not None:
        value = _check_text(field, value, _max_characters(field))
    if field == "title" and not (value or "").strip():
        raise InvalidArguments("A title cannot be empty.", hint=_HINTS["title"])
    if field == "description" and value is None:
        return ""
    if not is_scalar_value(field, value):
        raise InvalidArguments(f"{value!a} cannot be set as {field}.", hint=_HINTS[field])
    return value


def validate_members(field: str, values: list[str]) -> list[str]:
    """Return the distinct members to add to or remove from a set, or raise `InvalidArguments`."""
    if field not in SETS:
        raise InvalidArguments(f"'{field}' is not a set.", hint=f"Sets: {', '.join(SETS)}.")
    if len(values) > LIMITS.entity_set_members:
        raise InvalidArguments(f"Too many {field} at once.", hint=f"At most {LIMITS.entity_set_members}.")
    for value in values:
        _check_text(field, value, LIMITS.entity_word_characters)
        if not value.strip() or not is_set_member(value):
            raise InvalidArguments(f"One of the {field} is empty or not text.", hint="Leave it out.")
        if field == "dependencies" and not is_uuid(value):
            raise InvalidArguments(f"{value!a} is not the id of an entity.", hint="Give its full id.")
    return list(dict.fromkeys(values))


def validate_body(body: str) -> str:
    """Return a valid comment body, or raise `InvalidArguments`."""
    if not body.strip():
        raise InvalidArguments("A comment cannot be empty.", hint="Write a text.")
    return _check_text("comment", body, LIMITS.entity_text_characters)


def validate_request(request: str | None) -> str | None:
    """Return a valid request id, or raise `InvalidArguments`."""
    return None if request is None else _check_text("request id", request, LIMITS.request_characters)


def _check_text(name: str, text: str, max_characters: int) -> str:
    if len(text) > max_characters:
        raise InvalidArguments(
            f"The {name} has {len(text)} characters; at most {max_characters} are allowed.",
            hint="Shorten it.",
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArguments(f"The {name} is not valid text.", hint="Write it in UTF-8.") from None
    return text
