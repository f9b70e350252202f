"""What a marker keeps, under a key of ours, about the version its comment was written for.

Contract: evidence is made when a comment is written, and made anew only when tracking is sure. What is not
sure changes the status and the candidates, never the version, the line or the text that were good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.comments.sidecar.document import whole_line
from holdfast.comments.sidecar.lines import trimmed
from holdfast.comments.sidecar.note import EVIDENCE, Note, Standing
from holdfast.comments.tracking.models import Candidate, Confidence

LINE_NUMBER = "line_number"
"""The method, and the basis of evidence, where another program left nothing but the number of a line."""

_CONTEXT_LINES = 4
_MOST_MOVES = 20
_MOST_CANDIDATES = 5
_SAYS_LITTLE = frozenset({"", "{", "}", "(", ")", "[", "]", "};", ");", "});", "],", "},", "end", "else"})


@dataclass(frozen=True)
class Seen:
    """A version of a source file: the id of its bytes, the last commit then, its path and its lines."""

    blob: str
    commit: str | None
    path: str
    lines: Sequence[str]


def made(seen: Seen, line: int, end_line: int | None, moment: str, method: str) -> dict[str, Any]:
    """Return the evidence for a comment on a line of a version."""
    facts: dict[str, Any] = {"blob": seen.blob, "commit": seen.commit, "path": seen.path, "line": line}
    if end_line is not None:
        facts["endLine"] = end_line
    facts |= {
        "text": trimmed(seen.lines[line - 1]) if line <= len(seen.lines) else "",
        "before": context(seen.lines, range(line - 2, -1, -1))[::-1],
        "after": context(seen.lines, range(line, len(seen.lines))),
        "status": "anchored",
        "confidence": Confidence.HIGH.value,
        "method": method,
        "lastGoodLine": line,
        "goodBlob": seen.blob,
        "seenBlob": seen.blob,
        "seenAt": moment,
        "history": [],
    }
    return facts


def context(lines: Sequence[str], order: range) -> list[str]:
    """Return the nearest lines in an order that say something."""
    found: list[str] = []
    for index in order:
        text = trimmed(lines[index])
        if text not in _SAYS_LITTLE:
            found.append(text)
            if len(found) == _CONTEXT_LINES:
                break
    return found


def judged(facts: Mapping[str, Any], standing: Standing, blob: str | None, moment: str) -> dict[str, Any]:
    """Return evidence with what tracking found in the version `blob`; only a sure answer moves the line."""
    known = dict(facts)
    status = "orphaned" if standing.orphaned else "needs_review" if standing.needs_review else "anchored"
    known |= {"status": status, "confidence": standing.confidence.value, "method": standing.method}
    known.pop("reason", None)
    known.pop("candidates", None)
    if standing.reason is not None:
        known["reason"] = standing.reason
    if standing.candidates:
        known["candidates"] = [_candidate(one) for one in standing.candidates[:_MOST_CANDIDATES]]
    known["seenBlob"] = blob
    known["seenAt"] = moment
    if standing.confidence is Confidence.HIGH:
        known["goodBlob"] = blob
    if standing.confidence is Confidence.HIGH and standing.line != known.get("lastGoodLine"):
        move = {"at": moment, "from": known.get("lastGoodLine"), "to": standing.line, "by": standing.method}
        known["history"] = [*(known.get("history") or []), move][-_MOST_MOVES:]
        known["lastGoodLine"] = standing.line
    if standing.needs_review and not standing.orphaned:
        known["likelyLine"] = standing.line
    else:
        known.pop("likelyLine", None)
    return known


def stored_standing(note: Note) -> Standing | None:
    """Return what the evidence says about the version it was last compared with."""
    facts = note.evidence
    if facts is None:
        return None
    try:
        confidence = Confidence(str(facts.get("confidence")))
    except ValueError:
        return None
    good = whole_line(facts.get("lastGoodLine")) or note.line
    line = whole_line(facts.get("likelyLine")) or good
    reason = facts.get("reason")
    return Standing(
        line,
        note.end_line,
        confidence,
        str(facts.get("method", "stored")),
        reason if isinstance(reason, str) else None,
        tuple(_read_candidates(facts.get("candidates"))),
    )


def _candidate(one: Candidate) -> dict[str, Any]:
    place = {} if one.path is None else {"path": one.path}
    return {"line": one.line, "score": round(one.score, 3), **place}


def _read_candidates(value: object) -> list[Candidate]:
    found = []
    for item in value if isinstance(value, list) else ():
        line = whole_line(item.get("line")) if isinstance(item, dict) else None
        if line is not None:
            score, path = item.get("score"), item.get("path")
            found.append(
                Candidate(
                    line,
                    float(score) if isinstance(score, int | float) else 0.0,
                    path if isinstance(path, str) else None,
                )
            )
    return found


def put(marker: dict[str, Any], facts: dict[str, Any]) -> None:
    """Give a marker its evidence."""
    marker[EVIDENCE] = facts
