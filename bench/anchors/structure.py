"""Labels of blocks and local variables, found in a repository's history by structure alone.

One commit: the blocks and variables that a commit touched. Years: from the revision that introduced one
to the last, through all revisions of the file, as long as each step leaves no doubt which is which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from bench.anchors.cases import Case, Label
from bench.anchors.elements import VARIABLE, Element, elements, same
from bench.anchors.history import History
from holdfast.comments.tracking.placement import FileVersion
from holdfast.syntax.languages import language_of

MAX_CHARACTERS = 400_000
MIN_REVISIONS = 8
"""Revisions of a file after the one that introduced an element, so that years went by."""

MIN_CHANGES = 2
"""How often an element must have changed in its life."""


class Structure:
    """One repository, read for its elements."""

    def __init__(
        self, history: History, name: str, suffix: str, skipped: tuple[str, ...], closing: bool = False
    ) -> None:
        """`closing`: label the lines without words that close functions and blocks, not their first lines."""
        self.history = history
        self.name = name
        self.suffix = suffix
        self.skipped = skipped
        self.closing = closing
        self.read = lru_cache(maxsize=5000)(self._read)

    def _read(self, path: str, blob: str) -> tuple[FileVersion, list[Element]] | None:
        text = self.history.text(blob)
        if text is None or len(text) > MAX_CHARACTERS:
            return None
        text = text.replace("\r\n", "\n")
        return (
            None
            if "\r" in text
            else (FileVersion(path, text), elements(path, text, with_functions=self.closing))
        )

    def _wanted(self, path: str) -> bool:
        known = path.endswith(self.suffix) and language_of(path) is not None
        return known and not any(part in f"/{path}" for part in self.skipped)

    def commits(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of single commits, with the elements that they touched."""
        for parent, commit in self.history.commits(first, last):
            for path, old, new in self.history.modified(parent, commit):
                before, after = (
                    (self.read(path, old), self.read(path, new)) if self._wanted(path) else (None, None)
                )
                if before is not None and after is not None:
                    pairs = same(before[1], after[1]).items()
                    found = [(before[1][one], after[1][other]) for one, other in pairs]
                    changed = [(one, other) for one, other in found if one.text != other.text]
                    labels = tuple(self._labels(changed, before[0], after[0]))
                    if labels:
                        yield Case(f"{self.name} {commit[:10]} {path}", before[0], after[0], labels)

    def years(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of files that were revised often, by the revision that introduced the elements."""
        there = self.history.tree(first)
        for path in sorted(self.history.tree(last)):
            if not self._wanted(path):
                continue
            start = [there[path]] if path in there else []
            blobs = [*start, *self.history.revisions(first, last, path)]
            versions = [found for found in (self.read(path, blob) for blob in blobs) if found is not None]
            if len(versions) > MIN_REVISIONS:
                yield from self._lives(path, versions)

    def _lives(self, path: str, versions: list[tuple[FileVersion, list[Element]]]) -> Iterator[Case]:
        alive = {place: (0, place, 0) for place in range(len(versions[0][1]))}
        for number in range(1, len(versions)):
            before, after = versions[number - 1][1], versions[number][1]
            lives = {}
            for source, target in same(before, after).items():
                born, first, changes = alive[source]
                lives[target] = (born, first, changes + (before[source].text != after[target].text))
            alive = {place: lives.get(place, (number, place, 0)) for place in range(len(after))}
        found: dict[int, list[tuple[Element, Element]]] = defaultdict(list)
        for place, (born, first, changes) in alive.items():
            if len(versions) - born > MIN_REVISIONS and changes >= MIN_CHANGES:
                found[born].append((versions[born][1][first], versions[-1][1][place]))
        for born, pairs in sorted(found.items()):
            between = tuple(version for version, _ in versions[born + 1 : -1])
            old, new = versions[born][0], versions[-1][0]
            labels = tuple(self._labels(pairs, old, new))
            if labels and old.text != new.text:
                yield Case(f"{self.name} {path} from revision {born}", old, new, labels, between)

    def _labels(
        self, pairs: list[tuple[Element, Element]], old: FileVersion, new: FileVersion
    ) -> Iterator[Label]:
        """Yield the labels that pairs of elements give; each line closes or begins one element."""
        if not self.closing:
            yield from (Label(one.line, other.line, "") for one, other in pairs)
            return
        before, after = old.text.split("\n"), new.text.split("\n")
        lines = {one.end: other.end for one, other in pairs if one.kind != VARIABLE}
        for line, truth in sorted(lines.items()):
            if not any(map(str.isalnum, before[line - 1] + after[truth - 1])):
                yield Label(line, truth, "")
