"""The line map of `git diff`, for peers and for telling what happened to a line."""

from __future__ import annotations

import re
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@lru_cache(maxsize=64)
def line_map(old: str, new: str, *options: str) -> dict[int, int]:
    """Map the lines outside all hunks."""
    if old == new:
        return {line: line for line in range(1, old.count("\n") + 2)}
    mapped: dict[int, int] = {}
    old_line = new_line = 1
    for start, length, new_start, new_length in _hunks(old, new, options):
        begins = start if length else start + 1
        new_begins = new_start if new_length else new_start + 1
        for offset in range(begins - old_line):
            mapped[old_line + offset] = new_line + offset
        old_line, new_line = begins + length, new_begins + new_length
    for offset in range(old.count("\n") + 2 - old_line):
        mapped[old_line + offset] = new_line + offset
    return mapped


def _hunks(old: str, new: str, options: tuple[str, ...]) -> list[tuple[int, int, int, int]]:
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.write_text(old, encoding="utf-8", newline="")
        after.write_text(new, encoding="utf-8", newline="")
        command = ["git", "diff", "--no-index", "--no-color", "--no-ext-diff", "-U0", *options]
        done = subprocess.run([*command, str(before), str(after)], capture_output=True)
    found = []
    for start, length, new_start, new_length in HUNK.findall(done.stdout):
        found.append((int(start), int(length or 1), int(new_start), int(new_length or 1)))
    return found
