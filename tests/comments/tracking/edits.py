"""Marked texts: a line that ends with `«a»` is the place of mark a; the edit shows where it goes."""

from __future__ import annotations

import re
from textwrap import dedent

from holdfast.comments.tracking.placement import Anchor, FileVersion, Placement
from holdfast.comments.tracking.track import track

_MARK = re.compile(r"\s*«(\w+)»$")


def marked(path: str, text: str) -> tuple[FileVersion, dict[str, int]]:
    """Return a version without its marks, and the line of each mark."""
    marks: dict[str, int] = {}
    lines = dedent(text).removeprefix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        found = _MARK.search(line)
        if found:
            marks[found[1]] = number
            lines[number - 1] = line[: found.start()]
    return FileVersion(path, "\n".join(lines)), marks


def tracked(path: str, old: str, new: str) -> tuple[dict[str, Placement], dict[str, int]]:
    """Return where the marks of the old text were placed, and where they belong."""
    before, marks = marked(path, old)
    after, goals = marked(path, new)
    placements = track(before, after, [Anchor(line) for line in marks.values()])
    return dict(zip(marks, placements, strict=True)), goals
