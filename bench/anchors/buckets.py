"""What happened to a line, told from its place then and now."""

from __future__ import annotations

from bench.anchors.gitdiff import line_map
from holdfast.comments.tracking.placement import FileVersion
from holdfast.syntax.facts import facts, innermost


def bucket(old: FileVersion, new: FileVersion, line: int, truth: int | None) -> str:
    """Name what happened; the first that fits."""
    if truth is None:
        return "deleted"
    if old.path != new.path:
        return "moved file"
    if _function(old, line) != _function(new, truth):
        return "renamed symbol"
    before, after = _line(old, line), _line(new, truth)
    if before != after:
        return "edited"
    if line_map(old.text, new.text, "-w").get(line) != truth:
        return "moved in file"
    return "unchanged" if line == truth else "shifted"


def _line(version: FileVersion, line: int) -> str:
    lines = version.text.split("\n")
    return "".join(lines[line - 1].split()) if line <= len(lines) else ""


def _function(version: FileVersion, line: int) -> tuple[str, ...]:
    symbol = innermost([one for one in facts(version.path, version.text).symbols if one.is_function], line)
    return symbol.path if symbol is not None else ()
