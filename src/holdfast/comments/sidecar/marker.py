"""Markers: the lines that a comment is on, and the evidence by which those lines are found again.

Contract:
- Documents are written in one form: with the keys of the VS Code extension, and with those of the extension's
  own MCP server ("the other server") beside them. No stored key is dropped. A document of any dialect passes
  the extension's validator after `normalize`, unless it is damaged (`damage`).
- Evidence describes the version that a comment was written for; it is stored under `EVIDENCE_KEY`. It is
  created with the comment and replaced only when tracking has high confidence. With less confidence only the
  status and the candidates change, never the last good version, line or text.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.comments.sidecar.damage import TEXT_KEYS, marker_damage, repeated_ids
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import EVIDENCE_KEY, Note, NoteLocation, as_line_number
from holdfast.comments.sidecar.source import (
    FORMAT_VERSION,
    REPOSITORY_NOTES,
    CurrentSource,
    SourceSymbols,
    ast_anchor,
    line_hash,
    stored_line_text,
    trim,
)
from holdfast.comments.tracking.placement import MAX_CANDIDATES, CandidateLine, Confidence

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol

LINE_NUMBER = "line_number"
"""The method, and the basis of evidence, if another program stored only a line number."""

_CONTEXT_LINES = 4
"""Lines of context stored on each side: as many as tracking compares (`tracking.lines`)."""

_MAX_MOVES_STORED = 20
"""Moves that a marker's history keeps. A judgement: older ones are of no use, and sidecars are in git."""

_NOT_DISTINCTIVE = frozenset({"", "{", "}", "(", ")", "[", "]", "};", ");", "});", "],", "},", "end", "else"})
"""Lines that are too common to serve as context."""

_STATUS_BY_STANDING = {"placed": "anchored", "review": "needs_review", "orphaned": "orphaned"}
"""The status that evidence stores for each standing of a comment."""

_REQUIRED_ANCHOR_KEYS = {"symbolPath", "symbolKind", "containerName", "offset"}
"""Keys without which the extension's validator rejects an `astAnchor`."""

_OTHER_SERVER_KEYS = {"commentId", "anchor", "anchorType", "originalLine", "isOrphaned"}
"""Keys of a marker that only the other server reads."""

_OLD_VERSIONS = ("1.0", "2.0", "2.0.5", "2.0.6", "2.0.7")
"""Versions of the format that are replaced by `FORMAT_VERSION` when a document is written."""

NewMarkerId = Callable[[], str]
"""Returns an id for a new marker."""


def nearest_distinctive_lines(lines: Sequence[str], order: range) -> list[str]:
    """Return the first distinctive lines among the indices in `order`."""
    distinctive: list[str] = []
    for index in order:
        text = trim(lines[index])
        if text not in _NOT_DISTINCTIVE:
            distinctive.append(text)
            if len(distinctive) == _CONTEXT_LINES:
                break
    return distinctive


def update_evidence(
    facts: Mapping[str, Any], location: NoteLocation, blob: str | None, time: str
) -> dict[str, Any]:
    """Return evidence with a location in version `blob`; only high confidence changes the last good line."""
    updated = {key: value for key, value in facts.items() if key not in ("reason", "candidates")}
    updated |= {
        "status": _STATUS_BY_STANDING[location.standing],
        "confidence": location.confidence.value,
        "method": location.method,
    }
    if location.reason is not None:
        updated["reason"] = location.reason
    if location.candidates:
        stored = location.candidates[:MAX_CANDIDATES]
        updated["candidates"] = [_candidate_to_json(candidate) for candidate in stored]
    updated |= {"seenBlob": blob, "seenAt": time}
    if location.confidence is Confidence.HIGH:
        updated["goodBlob"] = blob
        previous = updated.get("lastGoodLine")
        if location.line != previous:
            move = {"at": time, "from": previous, "to": location.line, "by": location.method}
            updated["history"] = [*(updated.get("history") or []), move][-_MAX_MOVES_STORED:]
            updated["lastGoodLine"] = location.line
    if location.needs_review:
        updated["likelyLine"] = location.line
    else:
        updated.pop("likelyLine", None)
    return updated


def stored_location(note: Note) -> NoteLocation | None:
    """Return the location stored in the evidence, valid for the version that it was last compared with."""
    facts = note.evidence
    if facts is None:
        return None
    try:
        confidence = Confidence(str(facts.get("confidence")))
    except ValueError:
        return None
    line = as_line_number(facts.get("likelyLine")) or note.last_good_line
    method, reason = str(facts.get("method", "stored")), facts.get("reason")
    candidates = tuple(_candidates_from_json(facts.get("candidates")))
    return NoteLocation(
        line, note.end_line, confidence, method, reason if isinstance(reason, str) else None, candidates
    )


def _candidate_to_json(candidate: CandidateLine) -> dict[str, Any]:
    path = {} if candidate.path is None else {"path": candidate.path}
    return {"line": candidate.line, "score": round(candidate.score, 3), **path}


def _candidates_from_json(value: object) -> list[CandidateLine]:
    candidates = []
    for item in value if isinstance(value, list) else ():
        line = as_line_number(item.get("line")) if isinstance(item, dict) else None
        if line is not None:
            score, path = item.get("score"), item.get("path")
            known_score = float(score) if isinstance(score, int | float) else 0.0
            candidates.append(CandidateLine(line, known_score, path if isinstance(path, str) else None))
    return candidates


class SidecarNormalizer:
    """Converts a document into the form that Holdfast writes, for one time and one state of the source."""

    def __init__(
        self, current: CurrentSource | None, commit: str | None, time: str, new_marker_id: NewMarkerId
    ) -> None:
        """`commit` is the HEAD commit, which new evidence records."""
        self._current = current
        self._time = time
        self.new_marker_id = new_marker_id
        self._lines = current.lines if current is not None else []
        self._commit = commit

    def normalize(self, sidecar: Sidecar, touched: Container[str] = ()) -> None:
        """Convert a whole document; each comment is written with its current location.

        What is damaged stays as it is, except for the comments whose ids are in `touched`.
        """
        raw = sidecar.raw
        for name in ("file", "filePath"):
            if not isinstance(raw.get(name), str):
                raw[name] = sidecar.source_path
        if not isinstance(raw.get("version"), str) or raw["version"] in _OLD_VERSIONS:
            raw["version"] = FORMAT_VERSION
        raw.setdefault("ghostMarkers", [])
        if sidecar.source_path == REPOSITORY_NOTES:
            return  # its notes are on no line, so they have no markers
        left_alone: set[int] = set()  # markers of damaged comments, by identity
        for note in sidecar.comments:
            if note.damage is not None and note.id not in touched:
                left_alone.add(id(note.marker))
                continue
            if note.as_stored and note.marker is not None and note.marker.keys() >= _OTHER_SERVER_KEYS:
                continue
            self._normalize_comment(note)
            self._normalize_marker(sidecar, note)
        repeated = repeated_ids(sidecar.markers)
        for marker in sidecar.markers:
            # This includes unused markers: the validator rejects the whole file for one invalid marker.
            if id(marker) not in left_alone and marker_damage(marker, repeated) is None:
                self._ensure_ids(marker)
                self._add_required_keys(marker)

    def describe(self, marker: dict[str, Any], line: int, end_line: int | None) -> None:
        """Write a marker's lines, and the text and symbol of the first, from the current text."""
        lines, index = self._lines, line - 1
        symbol = self.outline.at(line)
        marker["line"] = line
        if end_line is not None or "endLine" in marker:
            marker["endLine"] = end_line or line
        marker["astAnchor"] = ast_anchor(symbol, line)
        # The extension stores and verifies the first line of a range, too.
        marker["lineHash"] = line_hash(lines[index])
        marker["lineText"] = stored_line_text(lines[index])
        marker["prevLineText"] = trim(lines[index - 1]) if index else ""
        marker["nextLineText"] = trim(lines[index + 1]) if index + 1 < len(lines) else ""
        marker["lastVerified"] = self._time
        marker |= _server_anchor(symbol, line)

    def anchor(self, marker: dict[str, Any], line: int, end_line: int | None, method: str) -> None:
        """Anchor a marker to lines of the current text, with the evidence to find them again."""
        self.describe(marker, line, end_line)
        facts = self._evidence(line, end_line, method)
        facts["symbol"] = marker["astAnchor"]
        if method == "placed":
            facts["history"] = (marker.get(EVIDENCE_KEY) or {}).get("history") or []
        marker[EVIDENCE_KEY] = facts

    def _evidence(self, line: int, end_line: int | None, method: str) -> dict[str, Any]:
        assert self._current is not None
        blob, lines = self._current.blob, self._lines
        facts = {"blob": blob, "commit": self._commit, "path": self._current.path, "line": line}
        if end_line is not None:
            facts["endLine"] = end_line
        return facts | {
            "text": trim(lines[line - 1]) if line <= len(lines) else "",
            "before": nearest_distinctive_lines(lines, range(line - 2, -1, -1))[::-1],
            "after": nearest_distinctive_lines(lines, range(line, len(lines))),
            "status": "anchored",
            "confidence": Confidence.HIGH.value,
            "method": method,
            "lastGoodLine": line,
            "goodBlob": blob,
            "seenBlob": blob,
            "seenAt": self._time,
            "history": [],
        }

    @cached_property
    def outline(self) -> SourceSymbols:
        """The symbols of the current text, which must exist."""
        assert self._current is not None
        return SourceSymbols(self._current.path, self._current.text)

    def _normalize_comment(self, note: Note) -> None:
        raw = note.raw
        if note.location.confidence is Confidence.HIGH or as_line_number(raw.get("line")) is None:
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
        # The stored id may refer to no marker.
        note.raw["ghostMarkerId"] = marker["id"]
        if note.id not in marker["commentIds"]:
            marker["commentIds"] = [*marker["commentIds"], note.id]
        self._write_location(note, marker)
        self._add_required_keys(marker)
        marker.setdefault("commentId", note.id)
        marker.setdefault("originalLine", note.line)
        marker["isOrphaned"] = note.orphaned

    def _ensure_ids(self, marker: dict[str, Any]) -> None:
        if not isinstance(marker.get("id"), str):
            marker["id"] = self.new_marker_id()
        if not isinstance(marker.get("commentIds"), list):
            marker["commentIds"] = []

    def _add_required_keys(self, marker: dict[str, Any]) -> None:
        """Add the keys that the extension's validator requires."""
        for name in TEXT_KEYS:
            if not isinstance(marker.get(name), str):
                marker[name] = ""
        if not isinstance(marker.get("lastVerified"), str):
            marker["lastVerified"] = self._time
        if as_line_number(marker.get("line")) is None:
            marker["line"] = 1
        anchor = marker.get("astAnchor")
        if anchor is not None and not (isinstance(anchor, dict) and anchor.keys() >= _REQUIRED_ANCHOR_KEYS):
            # The validator would reject the file because of this anchor, so another key keeps its content.
            marker["astAnchorIncomplete"] = anchor
            marker["astAnchor"] = None
        marker.setdefault("astAnchor", None)
        marker.setdefault("anchor", f"line {marker['line']}")
        marker.setdefault("anchorType", "line")

    def _write_location(self, note: Note, marker: dict[str, Any]) -> None:
        """Write a comment's location into its marker; only high confidence replaces what was known.

        A marker with the same location stays unchanged, so a scan causes no needless differences in git.
        """
        location, facts = note.location, note.evidence
        is_certain = location.confidence is Confidence.HIGH and 1 <= location.line <= len(self._lines)
        if facts is None:
            if self._current is not None and (is_certain or location.method == LINE_NUMBER):
                self._adopt(marker, location)
            return
        if is_certain and not self._is_current(marker, location):
            self.describe(marker, location.line, location.end_line)
        # The method alone may differ; that is not worth a change.
        is_stored = (
            location.confidence is Confidence.HIGH
            and facts.get("confidence") == Confidence.HIGH.value
            and facts.get("lastGoodLine") == location.line
        )
        if location != stored_location(note) and not is_stored:
            blob = self._current.blob if self._current is not None else None
            marker[EVIDENCE_KEY] = update_evidence(facts, location, blob, self._time)

    def _is_current(self, marker: dict[str, Any], location: NoteLocation) -> bool:
        """Return whether a marker already has its comment's line and that line's hash."""
        line, end_line = location.line, as_line_number(marker.get("endLine"))
        if marker.get("line") != line or (location.end_line or line) != (end_line or line):
            return False
        return bool(marker.get("lineHash") == line_hash(self._lines[line - 1]))

    def _adopt(self, marker: dict[str, Any], location: NoteLocation) -> None:
        """Add evidence to another program's comment, with the confidence of its location.

        What that program stored about the lines is kept if it is still true; the evidence is added beside it.
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
        marker[EVIDENCE_KEY] = facts


def _server_anchor(symbol: Symbol | None, line: int) -> dict[str, str]:
    """Return the keys with which the other server describes a marker's place."""
    if symbol is None:
        return {"anchor": f"line {line}", "anchorType": "line"}
    return {"anchor": symbol.name, "anchorType": symbol.kind.lower()}


def _set_lines(raw: dict[str, Any], line: int, end_line: int | None) -> None:
    raw["line"] = line
    if end_line is not None:
        raw["startLine"], raw["endLine"] = line, end_line
        return
    for name in ("startLine", "endLine"):
        if name in raw:
            raw[name] = line
