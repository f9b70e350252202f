"""One comment in any dialect of the format: its id, its text, its current location.

Contract:
- `raw` and `marker` are the objects of the document itself, so keys of future dialects are preserved. The
  properties accept the key names of every dialect; nothing in this module writes.
- An id of the specification's form is its own alias. Any other id has one alias, the same in every process,
  which cannot collide with an id of Holdfast: those count milliseconds and have three digits fewer.
- Parameters in a text are filled in for display and never written back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence

EVIDENCE_KEY = "holdfast"
"""The key under which a marker stores Holdfast's data; the extension preserves it."""

MOVED_REASON = "file_moved"
"""The reason why a comment that moved to another file is orphaned; its candidate is the new place."""

MOVED_METHOD = "moved_file"
"""The method of a comment that was moved to a file because its code moved there."""

Status = Literal["open", "resolved", "wontfix"]
STATUSES = get_args(Status)

Standing = Literal["placed", "review", "orphaned"]
"""placed: its line is certain; review: a person should check its line; orphaned: its code is gone."""

Tag = Literal["TODO", "FIXME", "NOTE", "STAR", "QUESTION"]
TAGS = get_args(Tag)
"""The tags of the specification, in the order in which summaries list them."""

KNOWN_TAGS = (*TAGS, "HACK", "WARNING")
"""The tags of the specification, and two more of the VS Code extension."""

_MAX_LINE_NUMBER = 2**31 - 1
"""The largest line number that editors support: they use signed 32-bit integers."""

_OWN_ID = re.compile(r"c_[0-9]+")
_ALIAS_DIGITS = 15
"""Digits of an alias after `c_9`. With the 9 they are three more than in Holdfast's ids, which have 13 digits
of milliseconds until 2286."""

_PARAMETER = re.compile(r"\$\{(\w+)\}", re.ASCII)
_CLASSES = ("Class", "Interface", "Struct", "Enum", "Module", "Namespace")
_FUNCTIONS = ("Function", "Method", "Constructor")
_VARIABLES = ("Variable", "Constant", "Field", "Property")


def as_line_number(value: object) -> int | None:
    """Return a stored value as a line number, or None if it is not a valid one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= _MAX_LINE_NUMBER:
        return None
    return int(value)


def alias_of(comment_id: str) -> str:
    """Return the name under which tools show and accept a comment."""
    if _OWN_ID.fullmatch(comment_id):
        return comment_id
    digest = hashlib.sha256(comment_id.encode()).digest()
    number = int.from_bytes(digest[:8], "big") % 10**_ALIAS_DIGITS
    return f"c_9{number:0{_ALIAS_DIGITS}d}"


def marker_name(number: int) -> str:
    """Return the id of a new marker in the form of the VS Code extension."""
    return f"gm_{number}"


def interpolate(text: str, params: Mapping[str, Mapping[str, Any]], symbol: AnchorSymbol | None) -> str:
    """Replace each `${name}` in a text with the parameter's value, or with `[name]` if it has none."""
    if "${" not in text:
        return text
    return _PARAMETER.sub(lambda match: _parameter_value(match[1], params.get(match[1]), symbol), text)


def _parameter_value(name: str, param: Mapping[str, Any] | None, symbol: AnchorSymbol | None) -> str:
    if param is None:
        return f"[{name}]"
    current = _value_from_symbol(param, symbol) if param.get("type") == "dynamic" else None
    value = current if current is not None else param.get("value", param.get("example"))
    return f"[{name}]" if value is None else str(value)


def _value_from_symbol(param: Mapping[str, Any], symbol: AnchorSymbol | None) -> str | None:
    """Return a dynamic parameter's current value, if it is derived from the symbol."""
    if symbol is None:
        return None
    source = param.get("source")
    if source == "function.name" and symbol.kind in _FUNCTIONS:
        return symbol.name
    if source == "class.name":
        return symbol.name if symbol.kind in _CLASSES else symbol.container
    if source == "variable.name" and symbol.kind in _VARIABLES:
        return symbol.name
    return None


class AnchorSymbol(NamedTuple):
    """The function, class or other symbol that a comment is about."""

    kind: str
    name: str
    container: str | None = None
    """The name of the enclosing symbol."""
    path: tuple[str, ...] = ()
    """The names of the enclosing symbols, outermost first, and its own."""


@dataclass(frozen=True)
class NoteLocation:
    """Where a comment is now, and how certain that is."""

    line: int
    end_line: int | None = None
    """The last line of a range, which is included; None for a single line."""
    confidence: Confidence = Confidence.HIGH
    method: str = "stored"
    """How it was found: a method of `tracking`, or what was done, such as `added`."""
    reason: str | None = None
    """Why it is orphaned or needs review."""
    candidates: tuple[CandidateLine, ...] = ()

    @property
    def orphaned(self) -> bool:
        """Whether its code is gone."""
        return self.confidence is Confidence.NONE

    @property
    def needs_review(self) -> bool:
        """Whether a person should check its line, which is the last good one or a likely one."""
        return self.confidence in (Confidence.MEDIUM, Confidence.LOW)

    @property
    def standing(self) -> Standing:
        if self.orphaned:
            return "orphaned"
        return "review" if self.needs_review else "placed"


@dataclass
class Note:
    """A comment on a line or a range of lines."""

    raw: dict[str, Any]
    """The comment's object in the document."""
    marker: dict[str, Any] | None = None
    """The marker's object in the document, which other comments may share."""
    location: NoteLocation = field(default_factory=lambda: NoteLocation(1))
    as_stored: bool = False
    """Whether the marker stores this location for the current text, so it need not be written."""
    moved_symbol: AnchorSymbol | None = None
    """The symbol at the comment's current line, once it was looked up."""
    damage: str | None = None
    """What is wrong with it or its marker in the document (`damage`)."""

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def alias(self) -> str:
        """The name that tools show and accept, `c_` and digits."""
        return alias_of(self.id)

    @property
    def line(self) -> int:
        """The line it is on, from 1."""
        return self.location.line

    @property
    def end_line(self) -> int | None:
        return self.location.end_line

    @property
    def last_good_line(self) -> int:
        """The line where it was last found with high confidence; without evidence, its current line."""
        return as_line_number((self.evidence or {}).get("lastGoodLine")) or self.line

    @property
    def original_anchor(self) -> Anchor:
        """The lines that it was written for; without evidence, its current line."""
        facts = self.evidence or {}
        return Anchor(as_line_number(facts.get("line")) or self.line, as_line_number(facts.get("endLine")))

    @property
    def orphaned(self) -> bool:
        return self.location.orphaned

    @property
    def reason(self) -> str | None:
        return self.location.reason

    @property
    def text(self) -> str:
        return str(self.raw["text"])

    @property
    def shown_text(self) -> str:
        """Its text with `${name}` replaced by that parameter's value; for display only."""
        return interpolate(self.text, self.params, self.symbol)

    @property
    def author(self) -> str:
        return _text(self.raw.get("author")) or "Unknown"

    @property
    def tag(self) -> str | None:
        """The tag, such as TODO (the extension also has HACK and WARNING), or None."""
        return _text(self.raw.get("tag")) or None

    @property
    def created(self) -> str:
        return _text(self.raw.get("created")) or _text(self.raw.get("timestamp")) or ""

    @property
    def updated(self) -> str:
        return _text(self.raw.get("updated")) or self.created

    @property
    def ai(self) -> Mapping[str, Any] | None:
        """The AI metadata, under the key of either dialect."""
        for name in ("aiMeta", "aiMetadata"):
            value = self.raw.get(name)
            if isinstance(value, dict) and value:
                return value
        return None

    @property
    def status(self) -> Status:
        value: Any = self.raw.get("status")
        return value if value in STATUSES else "open"

    @property
    def replies(self) -> Sequence[Mapping[str, Any]]:
        value = self.raw.get("replies")
        return [reply for reply in value if isinstance(reply, dict)] if isinstance(value, list) else []

    @property
    def params(self) -> Mapping[str, Mapping[str, Any]]:
        """Its parameters by name, whether they are stored as an object or as a list."""
        value = self.raw.get("params")
        if isinstance(value, dict):
            return {name: item for name, item in value.items() if isinstance(item, dict)}
        items = value if isinstance(value, list) else []
        return {str(item["name"]): item for item in items if isinstance(item, dict) and "name" in item}

    @property
    def symbol(self) -> AnchorSymbol | None:
        """The symbol at its current line if that was looked up, else the one that its marker stores."""
        return self.moved_symbol or stored_symbol(self.marker)

    @property
    def evidence(self) -> Mapping[str, Any] | None:
        """Holdfast's data about the version that the comment was written for, if there is any."""
        value = (self.marker or {}).get(EVIDENCE_KEY)
        return value if isinstance(value, dict) else None


def stored_symbol(marker: Mapping[str, Any] | None) -> AnchorSymbol | None:
    """Return the symbol that a marker names, in the form of the extension or of its MCP server."""
    if marker is None:
        return None
    anchor = marker.get("astAnchor")
    path = anchor.get("symbolPath") if isinstance(anchor, dict) else None
    if isinstance(anchor, dict) and isinstance(path, list) and path:
        names = tuple(str(name) for name in path)
        container = _text(anchor.get("containerName")) or (names[-2] if len(names) > 1 else None)
        return AnchorSymbol(str(anchor.get("symbolKind", "Function")), names[-1], container, names)
    name, kind = _text(marker.get("anchor")), _text(marker.get("anchorType"))
    if name and kind and kind != "line":
        return AnchorSymbol(kind.capitalize(), name.rpartition(".")[2], None, (name,))
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def model_of(ai: Mapping[str, Any] | None) -> str | None:
    """Return the name of the model in AI metadata."""
    model = None if ai is None else ai.get("model")
    return model.encode("utf-8", "replace").decode() if isinstance(model, str) and model else None


def confidence_of(ai: Mapping[str, Any] | None) -> float | None:
    """Return the confidence in AI metadata; the extension stores it one level deeper."""
    if ai is None:
        return None
    for holder in (ai, *(ai.get(name) for name in ("complexity", "parameters", "tokens"))):
        value = holder.get("confidence") if isinstance(holder, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return None
