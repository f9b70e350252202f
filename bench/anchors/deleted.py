"""Labels of code that is gone: functions and classes that a commit took out, and single lines.

A function counts as deleted where a commit takes it out: its name stands in no line that the commit added,
in any file, and of four fifths of its telling lines there are fewer than before in the files that the commit
touched. Where its file gained a function at the same time it counts as replaced; whether a note should
follow there is open to dispute, but not that it should not do so without a word. A line counts as deleted
where it stood in a function that stays, and all that the commit did in its file was to take lines out.

Nothing here compares texts by likeness. One commit: from its parent to it. Years: from its parent to the last
revision, with those of the file between, where no source of that revision declares the name again.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from bench.anchors.cases import Case, Label
from bench.anchors.gitdiff import line_map
from bench.anchors.history import History
from holdfast.comments.tracking.placement import FileVersion
from holdfast.syntax.facts import facts
from holdfast.syntax.languages import language_of

MAX_CHARACTERS = 400_000
INSIDE = 3
"""Lines inside a deleted function that become labels beside that of its name."""

LINES = 4
"""Single deleted lines that become labels, of one file in one commit."""

GONE = 0.8
WORDS = re.compile(r"\w+")


class Deleted:
    """One repository, read for what its commits took out."""

    def __init__(self, history: History, name: str, skipped: tuple[str, ...]) -> None:
        self.history = history
        self.name = name
        self.skipped = skipped
        self.read = lru_cache(maxsize=3000)(self._read)

    def _read(self, path: str, blob: str) -> FileVersion | None:
        known = language_of(path) is not None and not any(part in f"/{path}" for part in self.skipped)
        text = self.history.text(blob) if known and blob.strip("0") else None
        if text is None or len(text) > MAX_CHARACTERS:
            return None
        text = text.replace("\r\n", "\n")
        return None if "\r" in text else FileVersion(path, text)

    def commits(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of single commits."""
        for parent, commit in self.history.commits(first, last):
            for old, new, labels in self._taken_out(parent, commit):
                yield Case(f"{self.name} {commit[:10]} {old.path}", old, new, tuple(labels))

    def years(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases from before a commit to the last revision."""
        tree = self.history.tree(last)
        for parent, commit in self.history.commits(first, last):
            for old, _, labels in self._taken_out(parent, commit):
                new = self.read(old.path, tree.get(old.path, ""))
                gone = [label for label in labels if new and not self._is_back(old, new, label, last)]
                blobs = self.history.revisions(parent, last, old.path) if gone else []
                between = [found for found in (self.read(old.path, blob) for blob in blobs) if found]
                if new is not None and len(between) > 1:
                    name = f"{self.name} {commit[:10]} to {last} {old.path}"
                    yield Case(name, old, new, tuple(gone), tuple(between))

    def _is_back(self, old: FileVersion, new: FileVersion, label: Label, last: str) -> bool:
        """Tell whether the last revision declares the function again, or its file has the line."""
        around = [
            one for one in facts(old.path, old.text).symbols if one.name_line <= label.line <= one.end_line
        ]
        if label.bucket != "deleted line":
            return any(one.name in self._declared(last) for one in around[-1:])
        text = squeezed(old.text.split("\n")[label.line - 1])
        return text in map(squeezed, new.text.split("\n"))

    @lru_cache(maxsize=4)  # noqa: B019  a process reads one history
    def _declared(self, revision: str) -> frozenset[str]:
        """Return every name that a source of a revision declares."""
        found = (self.read(path, blob) for path, blob in self.history.tree(revision).items())
        return frozenset(
            symbol.name for one in found if one is not None for symbol in facts(one.path, one.text).symbols
        )

    def _taken_out(self, parent: str, commit: str) -> Iterator[tuple[FileVersion, FileVersion, list[Label]]]:
        pairs = [
            (path, self.read(path, old), self.read(path, new), old, new)
            for path, old, new in self.history.changed(parent, commit)
        ]
        before = Counter(squeezed(line) for _, old, *_ in pairs if old for line in old.text.split("\n"))
        after = Counter(squeezed(line) for _, _, new, *_ in pairs if new for line in new.text.split("\n"))
        added = {word for line in (after - before) for word in line.split("\0")}
        for path, old, new, _, _ in pairs:
            if old is not None and new is not None:
                labels = [*functions(old, new, before, after, added), *lines(path, old, new, after)]
                if labels:
                    yield old, new, labels


def squeezed(line: str) -> str:
    """Return the words of a line, for comparing."""
    return "\0".join(WORDS.findall(line))


def is_telling(line: str) -> bool:
    """Tell whether a line has enough words to be known by them."""
    return squeezed(line).count("\0") >= 1 and len(line.strip()) >= 10


def functions(
    old: FileVersion, new: FileVersion, before: Counter[str], after: Counter[str], added: set[str]
) -> Iterator[Label]:
    """Yield the labels of the functions and classes that are gone."""
    then = [one for one in facts(old.path, old.text).symbols if one.is_function or one.is_type]
    now = {one.name for one in facts(new.path, new.text).symbols if one.is_function or one.is_type}
    word = "replaced" if now - {one.name for one in then} else "deleted"
    text = old.text.split("\n")
    for symbol in then:
        if symbol.name not in now and symbol.name not in added:
            inside = [
                line for line in range(symbol.start_line, symbol.end_line + 1) if is_telling(text[line - 1])
            ]
            fewer = [line for line in inside if _is_fewer(text[line - 1], before, after)]
            if len(inside) > 1 and len(fewer) >= GONE * len(inside):
                yield Label(symbol.name_line, None, f"{word} function")
                body = [line for line in fewer if line > symbol.name_line]
                for line in sorted(body, key=lambda line: _chance(text[line - 1]))[:INSIDE]:
                    yield Label(line, None, f"{word} body")


def _is_fewer(line: str, before: Counter[str], after: Counter[str]) -> bool:
    return after[squeezed(line)] < before[squeezed(line)]


def lines(path: str, old: FileVersion, new: FileVersion, after: Counter[str]) -> Iterator[Label]:
    """Yield the labels of single lines that are gone from functions that stay."""
    kept = line_map(old.text, new.text)
    if len(kept) <= new.text.count("\n"):
        return
    names = {one.path for one in facts(new.path, new.text).symbols if one.is_function}
    stays = [one for one in facts(old.path, old.text).symbols if one.is_function and one.path in names]
    text = old.text.split("\n")
    found = {
        line
        for one in stays
        for line in range(one.name_line + 1, one.end_line + 1)
        if line not in kept and is_telling(text[line - 1]) and not after[squeezed(text[line - 1])]
    }
    for line in sorted(found, key=lambda line: _chance(f"{path}{text[line - 1]}"))[:LINES]:
        yield Label(line, None, "deleted line")


def _chance(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()
