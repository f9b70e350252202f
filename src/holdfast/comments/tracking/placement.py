"""The input and output types of tracking.

Contract: lines count from 1, as editors count them, so a text that ends with a newline has an empty last
line. A placement has a line exactly when its confidence is high or medium. With low confidence there are
candidates but no line, and the caller keeps the last known good line. With no confidence the reason says what
was deleted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Reason = Literal["file_deleted", "symbol_deleted", "line_deleted", "ambiguous"]
"""Why a placement has no certain line."""

MAX_CANDIDATES = 5
"""Candidates that are reported for one anchor. A judgement: a person would not compare more."""


class Confidence(StrEnum):
    """How reliable a placement is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file at one point in time: its path and its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A line of a version, or a range of lines, both ends included."""

    line: int
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A line where the anchor may be now, and how well it fits, from 0 to 1."""

    line: int
    score: float
    path: str | None = None
    """The file, if it is not the anchor's own."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an anchor is now, how reliable that is, and where else it may be."""

    line: int | None
    end_line: int | None
    """The last line of a range, which is included."""
    confidence: Confidence
    method: str
    """How the line was found, such as `exact`, `aligned` or `moved`."""
    reason: Reason | None = None
    candidates: tuple[CandidateLine, ...] = ()
