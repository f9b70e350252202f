"""Workspaces with comments, written as other programs write them."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

SUFFIX = ".comments"
CREATED = "2025-10-19T15:00:00.000Z"
LONG_AGO = 1_600_000_000


def comment(number: int, line: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a comment in the extension's form."""
    return {
        "id": f"c_{1730000000000 + number}",
        "line": line,
        "text": text,
        "author": "claude",
        "created": CREATED,
        "updated": CREATED,
        "tag": "TODO",
        "ghostMarkerId": f"gm_{1730000000000 + number}",
        **more,
    }


def marker(number: int, line: int, source: list[str], **more: Any) -> dict[str, Any]:
    """Return the marker of a comment, as it was made on a line of the source."""
    text = source[line - 1].strip() or "[blank line]"
    name = f"c_{1730000000000 + number}"
    return {
        "id": f"gm_{1730000000000 + number}",
        "line": line,
        "commentIds": [name],
        "astAnchor": None,
        "lineHash": hashlib.sha256(text.encode()).hexdigest()[:16],
        "lineText": text,
        "prevLineText": source[line - 2].strip() if line > 1 else "",
        "nextLineText": source[line].strip() if line < len(source) else "",
        "lastVerified": CREATED,
        **more,
    }


def document(path: str, comments: list[dict[str, Any]], markers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a whole sidecar."""
    return {"file": path, "version": "2.1.0", "ghostMarkers": markers, "comments": comments}


def write_sidecar(root: Path, path: str, value: dict[str, Any]) -> Path:
    """Write a sidecar in the extension's byte form."""
    place = root / (path + SUFFIX)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")
    return place


def annotate(root: Path, path: str, source: str, *comments: dict[str, Any]) -> Path:
    """Write a source file and a sidecar with these comments, each marked on its line."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(source, encoding="utf-8")
    lines = source.split("\n")
    numbers = [int(one["ghostMarkerId"].removeprefix("gm_")) - 1730000000000 for one in comments]
    markers = [marker(number, one["line"], lines) for number, one in zip(numbers, comments, strict=True)]
    return write_sidecar(root, path, document(path, list(comments), markers))


def age(*places: Path) -> None:
    """Let files look as if they were written long ago."""
    for place in places:
        os.utime(place, (LONG_AGO, LONG_AGO))


PYTHON = """\
import os


def load(path):
    with open(path) as file:
        return file.read()


def save(path, text):
    with open(path, "w") as file:
        file.write(text)
"""
