"""Labels out of a repository's own comments.

python -m bench.anchors.mine REPOSITORY --from REV --to REV --out DIR [--kind release] [--name NAME]

A comment that says the same in two revisions, and says it once in each, shows where people kept it. Take all
comments out; the line it spoke of then is the anchor, the line it speaks of now is the truth. A comment
before a declaration speaks of the line with the name; the lines right below it are kept as `literal`.

Kinds
- release: from one revision to the other; what went to another file becomes a set of its own, `moved-file`.
- one-commit: from each commit's parent to the commit, where the code around the line was touched.
- years: like release, with the revisions of each file between.

`--labels structure` asks no comments but the structure of the code (elements.py): one-commit and years of the
blocks and local variables inside functions. `--labels closing` takes the lines without words that close
those blocks and the functions instead.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from bench.anchors import labels
from bench.anchors.buckets import bucket
from bench.anchors.cases import Case, Label
from bench.anchors.deleted import Deleted
from bench.anchors.gitdiff import line_map
from bench.anchors.history import History
from bench.anchors.stripping import Stripped, strip
from bench.anchors.structure import Structure
from holdfast.comments.tracking.placement import FileVersion
from holdfast.syntax.facts import facts, innermost
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong

MAX_CHARACTERS = 400_000
KINDS = {"structure": "element-", "closing": "closing-", "deleted": "deleted-"}
"""How the kinds of sets are called whose labels do not come from comments."""

NEAR = 3
SKIPPED = ("vendor/", "node_modules/", "third_party/", "/dist/", "min.js", "deps/", "modules/oniguruma")


class Miner:
    """One repository and the texts of it that were stripped."""

    def __init__(self, history: History, name: str) -> None:
        self.history = history
        self.name = name
        self.stripped = lru_cache(maxsize=20_000)(self._stripped)

    def _stripped(self, path: str, blob: str) -> Stripped | None:
        text = self.history.text(blob)
        language = language_of(path, text.split("\n", 1)[0] if text else "")
        if text is None or language is None or len(text) > MAX_CHARACTERS:
            return None
        try:
            return strip(language, text)
        except ParseTooLong:
            return None

    def sources(self, revision: str) -> dict[str, Stripped]:
        """Return the stripped sources of a revision by their paths."""
        found = {}
        for path, blob in self.history.tree(revision).items():
            if language_of(path) is None or any(part in f"/{path}" for part in SKIPPED):
                continue
            stripped = self.stripped(path, blob)
            if stripped is not None:
                found[path] = stripped
        return found

    def workspace(self, revision: str) -> list[FileVersion]:
        """Return the stripped sources of a revision as versions."""
        return [FileVersion(path, each.text) for path, each in self.sources(revision).items()]

    def release(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of files that kept their paths."""
        before, after = self.sources(first), self.sources(last)
        for path in sorted(before.keys() & after.keys()):
            yield from self.pair(f"{first} to {last}", path, before[path], after[path])

    def years(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of a release with the revisions between."""
        for case in self.release(first, last):
            blobs = self.history.revisions(first, last, case.old.path)
            between = [self.stripped(case.old.path, blob) for blob in blobs]
            versions = [FileVersion(case.old.path, each.text) for each in between if each is not None]
            yield replace(case, between=tuple(versions))

    def commits(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of single commits, with the labels whose surroundings they touched."""
        for parent, commit in self.history.commits(first, last):
            for path, old, new in self.history.modified(parent, commit):
                if language_of(path) is None or any(part in f"/{path}" for part in SKIPPED):
                    continue
                before, after = self.stripped(path, old), self.stripped(path, new)
                if before is not None and after is not None:
                    yield from self.pair(commit[:10], path, before, after, touched)

    def moved(self, first: str, last: str) -> Iterator[Case]:
        """Yield the cases of comments that are now in another file, and said once in all files both times."""
        then, now = _owners(self.sources(first)), _owners(self.sources(last))
        kept = {path: set(each.spoken_of) for path, each in self.sources(last).items()}
        pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
        for text, path in then.items():
            target = now.get(text)
            if target is not None and target != path and text not in kept.get(path, ()):
                pairs[path, target].append(text)
        before, after = self.sources(first), self.sources(last)
        for (path, target), texts in sorted(pairs.items()):
            old, new = FileVersion(path, before[path].text), FileVersion(target, after[target].text)
            found = [
                label(old, new, before[path].spoken_of[text], after[target].spoken_of[text]) for text in texts
            ]
            yield Case(f"{self.name} {first} to {last} {path}", old, new, tuple(found))

    def pair(
        self,
        when: str,
        path: str,
        before: Stripped,
        after: Stripped,
        wanted: Callable[..., bool] | None = None,
    ) -> Iterator[Case]:
        """Yield the case of two versions of a file, if it has labels."""
        if before.text == after.text:
            return
        old, new = FileVersion(path, before.text), FileVersion(path, after.text)
        found = [
            label(old, new, line, after.spoken_of[text])
            for text, line in sorted(before.spoken_of.items(), key=lambda item: item[1])
            if text in after.spoken_of and (wanted is None or wanted(old, new, line))
        ]
        if found:
            yield Case(f"{self.name} {when} {path}", old, new, tuple(found))


def label(old: FileVersion, new: FileVersion, line: int, truth: int) -> Label:
    """Label a line; a comment before a declaration speaks of the line with the name, not of an annotation."""
    spoken, now = _declared(old, line), _declared(new, truth)
    literal = None if (spoken, now) == (line, truth) else (line, truth)
    return Label(spoken, now, bucket(old, new, spoken, now), literal)


def _declared(version: FileVersion, line: int) -> int:
    found = facts(version.path, version.text).symbols
    heads = [symbol for symbol in found if symbol.start_line <= line <= symbol.name_line]
    return heads[-1].name_line if heads else line


def _owners(sources: dict[str, Stripped]) -> dict[str, str]:
    """Return the file of each comment that stands in one file only."""
    counts = Counter(text for source in sources.values() for text in source.spoken_of)
    return {text: path for path, source in sources.items() for text in source.spoken_of if counts[text] == 1}


def touched(old: FileVersion, new: FileVersion, line: int) -> bool:
    """Tell whether the function around a line changed, or what is near a line outside all functions."""
    functions = [one for one in facts(old.path, old.text).symbols if one.is_function]
    around = innermost(functions, line)
    first, last = (around.start_line, around.end_line) if around else (line - NEAR, line + NEAR)
    kept = line_map(old.text, new.text, "-w")
    there = range(max(1, first), min(last, old.text.count("\n") + 1) + 1)
    places = [kept.get(each) for each in there]
    return None in places or places != list(range(places[0] or 0, (places[0] or 0) + len(places)))


def sample(cases: Iterable[Case], most: int) -> Iterator[Case]:
    """Keep at most so many labels, chosen by the hash of what they are, whole cases in their order."""
    held = list(cases)
    total = sum(len(case.labels) for case in held)
    for case in held:
        chosen = tuple(
            label
            for label in case.labels
            if total <= most or _chance(f"{case.name}:{label.line}") < most / total
        )
        if chosen:
            yield replace(case, labels=chosen)


def _chance(text: str) -> float:
    return int(hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()[:8], 16) / 0xFFFFFFFF


def found(miner: Miner, options: argparse.Namespace) -> Iterator[Case]:
    """Yield the cases that the options ask for."""
    if options.labels == "deleted":
        deleted = Deleted(miner.history, miner.name, SKIPPED)
        return (deleted.years if options.kind == "years" else deleted.commits)(options.first, options.last)
    if options.labels in ("structure", "closing"):
        closing = options.labels == "closing"
        structure = Structure(miner.history, miner.name, options.suffix, SKIPPED, closing)
        way = {"one-commit": structure.commits, "years": structure.years}.get(options.kind)
        if way is None:
            sys.exit("structure gives labels of the kinds one-commit and years only")
        return way(options.first, options.last)
    ways = {
        "release": miner.release,
        "one-commit": miner.commits,
        "years": miner.years,
        "moved-file": miner.moved,
    }
    return ways[options.kind](options.first, options.last)


def bucketed(case: Case) -> Case:
    """Return a case whose labels say what happened to their lines."""
    named = (
        label if label.bucket else replace(label, bucket=bucket(case.old, case.new, label.line, label.truth))
        for label in case.labels
    )
    return replace(case, labels=tuple(named))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repository", type=Path)
    parser.add_argument("--from", dest="first", required=True, metavar="REV")
    parser.add_argument("--to", dest="last", required=True, metavar="REV")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--kind", choices=("release", "one-commit", "years", "moved-file"), default="release")
    parser.add_argument("--name", help="how to call the repository; by default as its folder")
    parser.add_argument("--most", type=int, default=1500, help="labels to keep")
    parser.add_argument("--labels", choices=("comments", *KINDS), default="comments")
    parser.add_argument("--suffix", default="", help="of structure: only files whose names end so")
    options = parser.parse_args()
    name = options.name or options.repository.name
    history = History(options.repository)
    miner = Miner(history, name)
    cases = (bucketed(case) for case in sample(found(miner, options), options.most))
    kind = KINDS.get(options.labels, "") + options.kind
    title = f"{kind}.{name}.{options.first}-{options.last}".replace("/", "_")
    count = labels.save(options.out, title, cases)
    if options.kind == "moved-file" and count:
        workspaces = [miner.workspace(revision) for revision in (options.first, options.last)]
        labels.save_workspaces(options.out, title, *workspaces)
    history.close()
    print(f"{title}: {count} labels")


if __name__ == "__main__":
    main()
