"""Reading a repository's history: trees, blobs and the revisions of a file, from objects alone."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path


class History:
    """A repository on disk, with or without a work tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = subprocess.Popen(
            ["git", "-C", str(path), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        self._reader.communicate()

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.path), "-c", "core.quotePath=false", *arguments]
        done = subprocess.run(command, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    @lru_cache(maxsize=8)  # noqa: B019  a process reads one history
    def tree(self, revision: str) -> dict[str, str]:
        """Return the blobs of a revision by their paths."""
        found = {}
        for entry in self.git("ls-tree", "-r", "-z", revision).split("\0"):
            if entry:
                about, path = entry.split("\t", 1)
                mode, kind, blob = about.split()
                if kind == "blob" and mode != "120000":
                    found[path] = blob
        return found

    def text(self, blob: str) -> str | None:
        """Return the text of a blob; nothing where it is not there or not UTF-8."""
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        self._reader.stdin.write(f"{blob}\n".encode())
        self._reader.stdin.flush()
        head = self._reader.stdout.readline().split()
        if len(head) < 3:
            return None
        content = self._reader.stdout.read(int(head[2]) + 1)[:-1]
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def commits(self, first: str, last: str) -> Iterator[tuple[str, str]]:
        """Yield parent and commit after `first` up to `last`, oldest first, merges left out."""
        listed = self.git("rev-list", "--reverse", "--no-merges", "--parents", f"{first}..{last}")
        for line in listed.splitlines():
            commit, *parents = line.split()
            if len(parents) == 1:
                yield parents[0], commit

    def modified(self, parent: str, commit: str) -> Iterator[tuple[str, str, str]]:
        """Yield path, old blob and new blob of what a commit modified."""
        for line in self.git(
            "diff-tree", "-r", "--no-renames", "--diff-filter=M", parent, commit
        ).splitlines():
            about, path = line.split("\t", 1)
            _, _, old, new, _ = about.split()
            yield path, old, new

    def changed(self, parent: str, commit: str) -> Iterator[tuple[str, str, str]]:
        """Yield path, old blob and new blob of all that a commit touched; a blob of zeros is none."""
        for line in self.git("diff-tree", "-r", "--no-renames", parent, commit).splitlines():
            about, path = line.split("\t", 1)
            _, _, old, new, _ = about.split()
            yield path, old, new

    def revisions(self, first: str, last: str, path: str) -> list[str]:
        """Return the blobs that a path had after `first` up to `last`, oldest first."""
        options = ("--reverse", "--no-merges", "--format=", "--raw", "--no-abbrev", "--no-renames")
        listed = self.git("log", *options, f"{first}..{last}", "--", path)
        return [
            line.split()[3] for line in listed.splitlines() if line.startswith(":") and line.split()[4] == "M"
        ]
