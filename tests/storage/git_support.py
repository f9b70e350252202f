"""Plain git, as a person would run it, for setting up what the tests look at."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(where: Path, *arguments: str, check: bool = True) -> str:
    answer = subprocess.run(["git", *arguments], cwd=where, capture_output=True, text=True, timeout=60)
    assert not check or answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def commit(where: Path, files: dict[str, bytes | str], message: str = "A change") -> str:
    """Write files, commit them and return the commit's id."""
    for name, content in files.items():
        target = where / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    git(where, "--literal-pathspecs", "add", "--", *files)
    git(where, "commit", "--quiet", "-m", message)
    return git(where, "rev-parse", "HEAD")
