"""Parses a file with git's conflict markers into its versions, and writes one."""

from __future__ import annotations

from dataclasses import dataclass

_OURS, _BASE, _THEIRS, _END = b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"


@dataclass
class ConflictSides:
    """The versions in a conflicted file. The base is present only in git's `diff3` style."""

    ours: bytes
    theirs: bytes
    base: bytes | None


def sides_of(data: bytes) -> ConflictSides | None:
    """Return the versions in a conflicted file, or None if it has no complete conflict."""
    parts: dict[str, list[bytes]] = {"ours": [], "theirs": [], "base": []}
    state, conflicts, has_base = "both", 0, True
    for line in data.splitlines(keepends=True):
        following = _following(state, line)
        if following is None:
            for name in parts if state == "both" else (state,):
                parts[name].append(line)
            continue
        has_base = has_base and not (state == "ours" and following == "theirs")
        conflicts += following == "both"
        state = following
    if state != "both" or not conflicts:
        return None
    ours, theirs, base = (b"".join(part) for part in parts.values())
    return ConflictSides(ours, theirs, base if has_base else None)


def _following(state: str, line: bytes) -> str | None:
    """Return the section that a marker line starts, or None for any other line."""
    mark = line.rstrip(b"\r\n").partition(b" ")[0]
    return {
        ("both", _OURS): "ours",
        ("ours", _BASE): "base",
        ("ours", _THEIRS): "theirs",
        ("base", _THEIRS): "theirs",
        ("theirs", _END): "both",
    }.get((state, mark))


def conflicted(ours: bytes, theirs: bytes) -> bytes:
    """Return both sides in one file, marked as one conflict like git does."""
    return b"".join(
        (b"<<<<<<< ours\n", _line_ended(ours), b"=======\n", _line_ended(theirs), b">>>>>>> theirs\n")
    )


def _line_ended(data: bytes) -> bytes:
    return data if data.endswith(b"\n") or not data else data + b"\n"
