"""Markers: the lines that a comment is on, and the evidence by which those lines are found again.

Contract:
- Documents are written in one form: the extension's keys, with the other server's names beside them. No
  stored key is dropped. A document of any dialect that was normalized here passes the extension's validator.
- Evidence, stored under a key of ours, is about the version that a comment was written for. It is created
  with the comment and replaced only when tracking has high confidence. Anything less changes the status and
  the candidates, never the version, the line or the text that were good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.comments.sidecar.document import Sidecar, line_number_of
from holdfast.comments.sidecar.note import EVIDENCE, Note, NoteLocation
from holdfast.comments.sidecar.source import (
    VERSION,
    CurrentSource,
    SourceSymbols,
    ast_anchor,
    line_hash,
    shown_line,
    trimmed,
)
from holdfast.comments.tracking.placement import CandidateLine, Confidence

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol

LINE_NUMBER = "line_number"
"""The method, and the basis of evidence, if another program stored nothing but a line number."""

_CONTEXT_LINES = 4
"""Lines of context stored on each side. The same number as tracking compares."""

_MAX_MOVES = 20
"""Moves that a marker's history keeps. A chosen bound on the size of sidecars."""

_MAX_CANDIDATES = 5
"""Candidates that a marker stores. A chosen bound on the size of sidecars."""

_NOT_DISTINCTIVE = frozenset({"", "{", "}", "(", ")", "[", "]", "};", ");", "});", "],", "},", "end", "else"})
"""Lines that are too common to serve as context."""


def context(lines: Sequence[str], order: range) -> list[str]:
    """Return the nearest distinctive lines in the given order."""
    found: list[str] = []
    for index in order:
        text = trimmed(lines[index])
        if text not in _NOT_DISTINCTIVE:
            found.append(text)
            if len(found) == _CONTEXT_LINES:
                break
    return found


def updated_evidence(
    facts: Mapping[str, Any], location: NoteLocation, blob: str | None, time: str
) -> dict[str, Any]:
    """Return evidence updated with a location in version `blob`; only high confidence moves the line."""
    known = dict(facts)
    status = "orphaned" if location.orphaned else "needs_review" if location.needs_review else "anchored"
    known |= {"status": status, "confidence": location.confidence.value, "method": location.method}
    known.pop("reason", None)
    known.pop("candidates", None)
    if location.reason is not None:
        known["reason"] = location.reason
    if location.candidates:
        known["candidates"] = [_candidate(one) for one in location.candidates[:_MAX_CANDIDATES]]
    known["seenBlob"] = blob
    known["seenAt"] = time
    if location.confidence is Confidence.HIGH:
        known["goodBlob"] = blob
    if location.confidence is Confidence.HIGH and location.line != known.get("lastGoodLine"):
        move = {"at": time, "from": known.get("lastGoodLine"), "to": location.line, "by": location.method}
        known["history"] = [*(known.get("history") or []), move][-_MAX_MOVES:]
        known["lastGoodLine"] = location.line
    if location.needs_review and not location.orphaned:
        known["likelyLine"] = location.line
    else:
        known.pop("likelyLine", None)
    return known


def stored_location(note: Note) -> NoteLocation | None:
    """Return the location that the evidence has for the version it was last compared with."""
    facts = note.evidence
    if facts is None:
        return None
    try:
        confidence = Confidence(str(facts.get("confidence")))
    except ValueError:
        return None
    good = line_number_of(facts.get("lastGoodLine")) or note.line
    line = line_number_of(facts.get("likelyLine")) or good
    method, reason = str(facts.get("method", "stored")), facts.get("reason")
    known_reason = reason if isinstance(reason, str) else None
    offered = tuple(_read_candidates(facts.get("candidates")))
    return NoteLocation(line, note.end_line, confidence, method, known_reason, offered)


def _candidate(one: CandidateLine) -> dict[str, Any]:
    place = {} if one.path is None else {"path": one.path}
    return {"line": one.line, "score": round(one.score, 3), **place}


def _read_candidates(value: object) -> list[CandidateLine]:
    found = []
    for item in value if isinstance(value, list) else ():
        line = line_number_of(item.get("line")) if isinstance(item, dict) else None
        if line is not None:
            score, path = item.get("score"), item.get("path")
            likely = float(score) if isinstance(score, int | float) else 0.0
            found.append(CandidateLine(line, likely, path if isinstance(path, str) else None))
    return found


NewMarkerId = Callable[[], str]
"""Returns an id for a new marker."""

_ANCHOR_KEYS = {"symbolPath", "symbolKind", "containerName", "offset"}
_OTHER_NAMES = {"commentId", "anchor", "anchorType", "originalLine", "isOrphaned"}
_TEXTS = ("lineHash", "lineText", "prevLineText", "nextLineText")
_OLD_VERSIONS = ("1.0", "2.0", "2.0.5", "2.0.6", "2.0.7")


class SidecarNormalizer:
    """Converts a document into our form, for one time and one state of the source."""

    def __init__(
        self, current: CurrentSource | None, commit: str | None, time: str, new_marker_id: NewMarkerId
    ) -> None:
        self._current = current
        self._time = time
        self.new_marker_id = new_marker_id
        self._lines = current.lines if current is not None else []
        self._outline: SourceSymbols | None = None
        self._commit = commit

    def normalize(self, sidecar: Sidecar) -> None:
        """Convert a whole document; each comment is written with its current location."""
        raw = sidecar.raw
        for name in ("file", "filePath"):
            if not isinstance(raw.get(name), str):
                raw[name] = sidecar.source_path
        if not isinstance(raw.get("version"), str) or raw["version"] in _OLD_VERSIONS:
            raw["version"] = VERSION
        raw.setdefault("ghostMarkers", [])
        for note in sidecar.comments:
            if note.as_stored and note.marker is not None and note.marker.keys() >= _OTHER_NAMES:
                continue
            self._normalize_comment(note)
            self._normalize_marker(sidecar, note)
        for marker in sidecar.markers:
            # Unused markers too: the validator rejects the whole file for one invalid marker.
            self._ensure_ids(marker)
            self._fill_in(marker)

    def describe(self, marker: dict[str, Any], line: int, end_line: int | None) -> None:
        """Write a marker's lines, with their text and symbol, from the current text."""
        lines, index = self._lines, line - 1
        symbol = self.outline.at(line)
        marker["line"] = line
        if end_line is not None or "endLine" in marker:
            marker["endLine"] = end_line or line
        marker["astAnchor"] = ast_anchor(symbol, line)
        # The extension stores and verifies the first line of a range, too.
        marker["lineHash"] = line_hash(lines[index])
        marker["lineText"] = shown_line(lines[index])
        marker["prevLineText"] = trimmed(lines[index - 1]) if index else ""
        marker["nextLineText"] = trimmed(lines[index + 1]) if index + 1 < len(lines) else ""
        marker["lastVerified"] = self._time
        marker |= _server_anchor(symbol, line)

    def anchor(self, marker: dict[str, Any], line: int, end_line: int | None, method: str) -> None:
        """Put a marker on lines of the current text, with the evidence to find them again."""
        self.describe(marker, line, end_line)
        history = ((marker.get(EVIDENCE) or {}).get("history") or []) if method == "placed" else []
        facts = self._evidence(line, end_line, method)
        facts["symbol"] = marker["astAnchor"]
        facts["history"] = history
        marker[EVIDENCE] = facts

    def _evidence(self, line: int, end_line: int | None, method: str) -> dict[str, Any]:
        """Return the evidence for a comment on a line of the current text."""
        assert self._current is not None
        blob, lines = self._current.blob, self._lines
        facts = {"blob": blob, "commit": self._commit, "path": self._current.path, "line": line}
        if end_line is not None:
            facts["endLine"] = end_line
        return facts | {
            "text": trimmed(lines[line - 1]) if line <= len(lines) else "",
            "before": context(lines, range(line - 2, -1, -1))[::-1],
            "after": context(lines, range(line, len(lines))),
            "status": "anchored",
            "confidence": Confidence.HIGH.value,
            "method": method,
            "lastGoodLine": line,
            "goodBlob": blob,
            "seenBlob": blob,
            "seenAt": self._time,
            "history": [],
        }

    @property
    def outline(self) -> SourceSymbols:
        """The symbols of the current text."""
        if self._outline is None:
            assert self._current is not None
            self._outline = SourceSymbols(self._current.path, self._current.text)
        return self._outline

    def _normalize_comment(self, note: Note) -> None:
        raw = note.raw
        if note.location.confidence is Confidence.HIGH or line_number_of(raw.get("line")) is None:
            _set_lines(raw, note.line, note.end_line)
        for name, value in (
            ("author", note.author),
            ("created", note.created or self._time),
            ("updated", note.updated or note.created or self._time),
        ):
            if not isinstance(raw.get(name), str):
                raw[name] = value

    def _normalize_marker(self, sidecar: Sidecar, note: Note) -> None:
        marker = note.marker
        if marker is None:
            marker = {"id": self.new_marker_id(), "line": note.line, "commentIds": [note.id]}
            sidecar.raw["ghostMarkers"].append(marker)
            note.marker = marker
        self._ensure_ids(marker)
        # Any other id would name no marker.
        note.raw["ghostMarkerId"] = marker["id"]
        known = marker["commentIds"]
        marker["commentIds"] = known if note.id in known else [*known, note.id]
        self._write_location(note, marker)
        self._fill_in(marker)
        marker.setdefault("commentId", note.id)
        marker.setdefault("originalLine", note.line)
        marker["isOrphaned"] = note.orphaned

    def _ensure_ids(self, marker: dict[str, Any]) -> None:
        if not isinstance(marker.get("id"), str):
            marker["id"] = self.new_marker_id()
        if not isinstance(marker.get("commentIds"), list):
            marker["commentIds"] = []

    def _fill_in(self, marker: dict[str, Any]) -> None:
        """Add the keys that the extension's validator requires."""
        for name in _TEXTS:
            if not isinstance(marker.get(name), str):
                marker[name] = ""
        if not isinstance(marker.get("lastVerified"), str):
            marker["lastVerified"] = self._time
        if line_number_of(marker.get("line")) is None:
            marker["line"] = 1
        anchor = marker.get("astAnchor")
        if anchor is not None and not (isinstance(anchor, dict) and anchor.keys() >= _ANCHOR_KEYS):
            # The validator would reject the file for this anchor; its content is kept under another key.
            marker["astAnchorIncomplete"] = anchor
            marker["astAnchor"] = None
        marker.setdefault("astAnchor", None)
        marker.setdefault("anchor", f"line {marker['line']}")
        marker.setdefault("anchorType", "line")

    def _write_location(self, note: Note, marker: dict[str, Any]) -> None:
        """Write a comment's location into its marker; only high confidence replaces what was known.

        A marker that would not change is left alone, so that a file in git changes only when something did.
        """
        location, facts = note.location, note.evidence
        is_certain = location.confidence is Confidence.HIGH and 1 <= location.line <= len(self._lines)
        if facts is None:
            if self._current is not None and (is_certain or location.method == LINE_NUMBER):
                self._adopt(marker, location)
            return
        if is_certain and not self._is_current(marker, location):
            self.describe(marker, location.line, location.end_line)
        stored = facts.get("confidence"), facts.get("lastGoodLine")
        is_stored = location.confidence is Confidence.HIGH and stored == (
            Confidence.HIGH.value,
            location.line,
        )
        if location != stored_location(note) and not is_stored:  # ignoring the method
            blob = self._current.blob if self._current is not None else None
            marker[EVIDENCE] = updated_evidence(facts, location, blob, self._time)

    def _is_current(self, marker: dict[str, Any], location: NoteLocation) -> bool:
        """Return whether a marker already has its comment's line and that line's hash."""
        line, end_line = location.line, line_number_of(marker.get("endLine"))
        if marker.get("line") != line or (location.end_line or line) != (end_line or line):
            return False
        return bool(marker.get("lineHash") == line_hash(self._lines[line - 1]))

    def _adopt(self, marker: dict[str, Any], location: NoteLocation) -> None:
        """Add evidence to another program's comment, no more certain than it was so far.

        What that program stored about its lines is kept while it is true; ours is added beside it.
        """
        if location.line > len(self._lines):
            return
        facts = self._evidence(location.line, location.end_line, location.method)
        facts["symbol"] = marker.get("astAnchor")
        if location.confidence is Confidence.HIGH and self._is_current(marker, location):
            symbol = self.outline.at(location.line)
            facts["symbol"] = ast_anchor(symbol, location.line)
            marker |= {**_server_anchor(symbol, location.line), **marker}
        elif location.confidence is Confidence.HIGH:
            self.describe(marker, location.line, location.end_line)
            facts["symbol"] = marker["astAnchor"]
        if location.confidence is not Confidence.HIGH:
            facts |= {"basis": LINE_NUMBER, "status": "needs_review", "confidence": location.confidence.value}
        marker[EVIDENCE] = facts


def _server_anchor(symbol: Symbol | None, line: int) -> dict[str, str]:
    """Return the keys with which the other server describes a marker's place."""
    return (
        {"anchor": f"line {line}", "anchorType": "line"}
        if symbol is None
        else {"anchor": symbol.name, "anchorType": symbol.kind.lower()}
    )


def _set_lines(raw: dict[str, Any], line: int, end_line: int | None) -> None:
    raw["line"] = line
    if end_line is not None:
        raw["startLine"], raw["endLine"] = line, end_line
    for name in ("startLine", "endLine"):
        if end_line is None and name in raw:
            raw[name] = line
