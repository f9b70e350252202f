"""Parses a file with git's conflict markers into its versions, and formats two versions as such a file."""

from __future__ import annotations

from dataclasses import dataclass

_OURS, _BASE, _THEIRS, _END = b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"


@dataclass
class ConflictSides:
    """The versions in a conflicted file. The base is present only in git's `diff3` style."""

    ours: bytes
    theirs: bytes
    base: bytes | None


def parse_conflict(data: bytes) -> ConflictSides | None:
    """Return the versions in a conflicted file, or None if it has no complete conflict."""
    lines: dict[str, list[bytes]] = {"ours": [], "theirs": [], "base": []}
    section, conflict_count, has_base = "both", 0, True
    for line in data.splitlines(keepends=True):
        next_section = _next_section(section, line)
        if next_section is None:
            for version in lines if section == "both" else (section,):
                lines[version].append(line)
            continue
        if section == "ours" and next_section == "theirs":
            has_base = False
        if next_section == "both":
            conflict_count += 1
        section = next_section
    if section != "both" or not conflict_count:
        return None
    ours, theirs, base = (b"".join(version) for version in lines.values())
    return ConflictSides(ours, theirs, base if has_base else None)


def _next_section(section: str, line: bytes) -> str | None:
    """Return the section that a marker line starts, or None for any other line.

    A section is the version that the following lines belong to, or `both` outside a conflict.
    """
    mark = line.rstrip(b"\r\n").partition(b" ")[0]
    return {
        ("both", _OURS): "ours",
        ("ours", _BASE): "base",
        ("ours", _THEIRS): "theirs",
        ("base", _THEIRS): "theirs",
        ("theirs", _END): "both",
    }.get((section, mark))


def format_conflict(ours: bytes, theirs: bytes) -> bytes:
    """Return a file with both versions, marked as one conflict as git does it."""
    sides = (_with_final_newline(ours), _with_final_newline(theirs))
    return b"<<<<<<< ours\n%b=======\n%b>>>>>>> theirs\n" % sides


def _with_final_newline(data: bytes) -> bytes:
    return data if data.endswith(b"\n") or not data else data + b"\n"
