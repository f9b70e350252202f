"""What became of the code that a memory is about: unchanged, moved, edited or gone.

Pure functions on two texts and the location that tracking found. Example: a memory is about `login()`, lines
10 to 20; tracking found its first line on line 34, and the block that begins there has one more line. The
verdict is "edited", on lines 34 to 45, with that line as the difference.

Contract:
- "unchanged" and "moved" mean that the whole block has the same text, apart from its indentation as a whole.
  It has moved if it is in another file, or in another function or class; a shift by lines above it does not
  count.
- "gone" means that no line of the block was found again. Code whose place is merely uncertain is "edited",
  with low confidence.
- The confidence is that of tracking (`tracking.placement`), never higher; that of a single line that moved to
  another function of its file is low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from textwrap import dedent
from typing import TYPE_CHECKING, Literal

from holdfast.comments.tracking.lines import count_distinctive, split_lines, tokens_of
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol

State = Literal["unchanged", "moved", "edited", "gone"]
Certainty = Literal["high", "medium", "low"]

MAX_DIFFERENCES = 12
"""Lines of a difference that are kept. A judgement: enough to see what kind of change it is."""

_MAX_LINES_FOLLOWED = 200
"""Lines of a block that are tracked one by one once its first line is lost. A judgement: a long function."""


@dataclass(frozen=True)
class CodeVerdict:
    """What became of some code."""

    state: State
    confidence: Certainty
    line: int | None = None
    """Its first line now; None if it is gone or its place is uncertain."""
    end_line: int | None = None
    differences: tuple[str, ...] = ()
    """The first changed lines, each after `-` or `+`; of a folder, the first changed files, after `~`."""
    changed: int = 0
    """How many lines were removed and added, or files changed, in all."""
    reason: str | None = None
    """Why the place is uncertain, or how it is known that the code is gone."""


@dataclass(frozen=True)
class Found:
    """Where tracking found the first line of some code; without a line, only the confidence counts."""

    line: int | None
    end_line: int | None
    confidence: Confidence
    reason: str | None = None


def judge(old: FileVersion, anchor: Anchor, new: FileVersion, found: Found) -> CodeVerdict:
    """Return what became of the lines at `anchor` of the old version, given where they were found."""
    if found.line is not None and found.confidence in (Confidence.HIGH, Confidence.MEDIUM):
        certainty: Certainty = "high" if found.confidence is Confidence.HIGH else "medium"
        return _compare(old, anchor, new, Anchor(found.line, found.end_line), certainty)
    remaining = _follow_lines(old, anchor, new)
    if remaining is not None:
        return _compare(old, anchor, new, remaining, "low")
    if found.confidence is Confidence.NONE:
        return CodeVerdict("gone", "high", reason=found.reason)
    return CodeVerdict("edited", "low", reason=found.reason)


def judge_file(old: FileVersion, new: FileVersion) -> CodeVerdict:
    """Return what became of a whole file."""
    removed_and_added = _differences(old.text.splitlines(), new.text.splitlines())
    if removed_and_added:
        return CodeVerdict("edited", "high", 1, None, *_shown(removed_and_added))
    return CodeVerdict("unchanged" if old.path == new.path else "moved", "high", 1)


def _compare(
    old: FileVersion, anchor: Anchor, new: FileVersion, place: Anchor, certainty: Certainty
) -> CodeVerdict:
    before, after = _block(old, anchor), _block(new, place)
    end = place.end_line
    if _normalized(before) != _normalized(after):
        shown = _shown(_differences(_normalized(before), _normalized(after)))
        return CodeVerdict("edited", certainty, place.line, end, *shown)
    has_moved = old.path != new.path or (
        (anchor.line != place.line or old.text != new.text)
        and _enclosing_symbol(old, anchor.line) != _enclosing_symbol(new, place.line)
    )
    if has_moved and old.path == new.path and anchor.end_line is None:
        # Of 52 places said to have moved, 30 were similar code (docs/accuracy.md).
        certainty = "low"
    return CodeVerdict("moved" if has_moved else "unchanged", certainty, place.line, end)


def _block(version: FileVersion, anchor: Anchor) -> list[str]:
    """Return the lines of a block; those of a whole symbol begin with its decorators."""
    first = anchor.line
    if anchor.end_line is not None:
        declared = (symbol for symbol in _symbols(version) if symbol.name_line == anchor.line)
        first = next((symbol.start_line for symbol in declared if symbol.end_line == anchor.end_line), first)
    return split_lines(version.text)[first - 1 : anchor.end_line or anchor.line]


def _symbols(version: FileVersion) -> Sequence[Symbol]:
    from holdfast.syntax.facts import facts  # most verdicts compare the texts of single lines

    return facts(version.path, version.text).symbols


def _enclosing_symbol(version: FileVersion, line: int) -> tuple[str, ...]:
    from holdfast.syntax.facts import innermost

    symbol = innermost(_symbols(version), line)
    return () if symbol is None else symbol.path


def _normalized(lines: Sequence[str]) -> list[str]:
    return dedent("\n".join(line.rstrip() for line in lines)).strip("\n").split("\n")


def _differences(before: Sequence[str], after: Sequence[str]) -> list[str]:
    changes = unified_diff(before, after, lineterm="", n=0)
    return [line for line in list(changes)[2:] if not line.startswith("@@")]


def _shown(differences: Sequence[str]) -> tuple[tuple[str, ...], int]:
    return tuple(differences[:MAX_DIFFERENCES]), len(differences)


def _follow_lines(old: FileVersion, anchor: Anchor, new: FileVersion) -> Anchor | None:
    """Return the lines that are left of a block whose first line was lost, from the first to the last."""
    from holdfast.comments.tracking.track import track

    if anchor.end_line is None:
        return None
    lines = split_lines(old.text)
    inside = range(anchor.line, min(anchor.end_line, anchor.line + _MAX_LINES_FOLLOWED) + 1)
    telling = [Anchor(line) for line in inside if _has_words(lines, line)]
    placed = [
        placement.line
        for placement in track(old, new, telling)
        if placement.line is not None and placement.confidence is Confidence.HIGH
    ]
    return Anchor(min(placed), max(placed)) if placed else None


def _has_words(lines: Sequence[str], line: int) -> bool:
    return line <= len(lines) and count_distinctive(tokens_of(lines[line - 1])) > 0
