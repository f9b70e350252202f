"""From a project to its survey: files discovered, read where that is needed, and counted.

Contract:
- A file whose look is as remembered is not opened; one whose content is known is not parsed.
- What has been read is kept while the rest is, so that a survey that ends early was not in vain.
- The same tree gives the same survey, whatever was cached and however many processes read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Generic

from holdfast.analysis.records.cache import RecordCache, Remembered
from holdfast.analysis.records.discovery import Discovered, selected, sort_out
from holdfast.analysis.records.memory import ProductMemory
from holdfast.analysis.records.product import Made, Product
from holdfast.analysis.records.reading import (
    FAILED,
    GONE,
    TOOK_TOO_LONG,
    UNREADABLE,
    Outcome,
    Reader,
    read_in_processes,
)
from holdfast.analysis.records.source import GENERATED, VENDORED, may_be_source
from holdfast.analysis.records.stored import Parts
from holdfast.analysis.survey import CacheStrategy, FileSurvey, Project, Sight, Skipped
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import without_garbage_collection
from holdfast.kernel.text import printable_path
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import CommittedFile, committed_files
from holdfast.storage.git.project_files import (
    FileStat,
    Listed,
    attributes,
    checked_project,
    file_stats,
    list_files,
)
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.child import cores

NOT_CACHED = "not cached"

_YOUNG_NANOSECONDS = 2_000_000_000
_KEPT_AT_ONCE = 256
_BLOBS = 100_000
_PASSING = frozenset((FAILED, GONE, TOOK_TOO_LONG, UNREADABLE))
"""Reasons that may not hold the next time, though the file looks the same."""
_NOT_LOOKED_AT = Sight(0, Listed([], []), {}, {})
_ATTRIBUTES = {"linguist-vendored": VENDORED, "linguist-generated": GENERATED}


@dataclass
class _Work(Generic[Made]):
    """One survey while it is made."""

    product: Product[Made]
    project: Project
    found: Discovered
    sight: Sight = _NOT_LOOKED_AT
    outcomes: dict[str, Remembered] = field(default_factory=dict)
    """What came of each candidate, by its path."""
    records: dict[str, Made] = field(default_factory=dict)
    """By key."""
    parsed: set[str] = field(default_factory=set)
    """The keys of the contents that were parsed for this survey."""

    def unread(self) -> list[str]:
        """Return the candidates of which nothing is known, or whose record is missing."""
        return [path for path in self.found.candidates if self._is_unread(path)]

    def _is_unread(self, path: str) -> bool:
        known = self.outcomes.get(path)
        return known is None or (known.key != "" and known.key not in self.records)

    def take(self, outcome: Outcome) -> None:
        """Note what came of a file."""
        seen = self.found.candidates[outcome.path]
        is_lasting = max(seen.modified, seen.changed) < self.sight.looked_at - _YOUNG_NANOSECONDS
        trusted = seen if is_lasting and outcome.reason not in _PASSING else None
        self.outcomes[outcome.path] = Remembered(trusted, seen.size, "", outcome.key, outcome.reason)
        if outcome.parts is not None:
            self.parsed.add(outcome.key)
            self.records[outcome.key] = self.product.restored(outcome.parts)

    def _with_versions(self, survey: FileSurvey[Made]) -> FileSurvey[Made]:
        """Add what tells whether anything changed: contents, and how files in no language look."""
        sights = [self.sight.seen.get(path) for path in survey.other_files]
        newest = self.sight.looked_at - _YOUNG_NANOSECONDS
        if any(not isinstance(one, FileStat) or max(one.modified, one.changed) >= newest for one in sights):
            return survey
        others = _digest(list(zip(survey.other_files, sights, strict=True)))
        keys = [(path, self.outcomes[path].key) for path in survey.files]
        skipped = [(item.path, item.reason) for item in survey.skipped]
        whole = _digest((self.project, keys, skipped, others))
        return replace(survey, version=whole, others_version=others)

    def survey(self) -> FileSurvey[Made]:
        """Return what was found."""
        files: dict[str, Made] = {}
        skipped, others = self.found.skipped, self.found.others
        for path in self.found.candidates:
            known = self.outcomes[path]
            if known.reason:
                skipped += [] if known.reason == GONE else [Skipped(path, known.reason)]
            elif not known.key:
                others.append(path)
            elif (record := self.records.get(known.key)) is None:
                skipped.append(Skipped(path, NOT_CACHED))
            elif not self.project.languages or record.language in self.project.languages:
                files[path] = record
        misses = sum(self.outcomes[path].key in self.parsed for path in files)
        made = FileSurvey(
            files,
            {path: self.found.candidates[path].size for path in files},
            tuple(sorted(skipped, key=lambda item: item.path)),
            tuple(sorted(others)),
            hits=len(files) - misses,
            misses=misses,
            sight=self.sight,
        )
        return self._with_versions(made)


def _digest(what: object) -> str:
    return blake2b(repr(what).encode("utf-8", "replace"), digest_size=16).hexdigest()


class Surveyor(Generic[Made]):
    """Makes the surveys of one repository. Usable from many threads."""

    def __init__(
        self, repository: Repository, product: Product[Made], worth_bytes: int | None = None
    ) -> None:
        self._repository = repository
        self._product = product
        self._worth_bytes = worth_bytes or product.worth_bytes
        self._git = None if repository.git_dir is None else Git(repository)
        self._cache = RecordCache(repository, product.name)
        self._memory = ProductMemory[Made]()
        self._known: dict[str, Remembered] = {}
        self._blobs: VersionedCache[Remembered] = VersionedCache(_BLOBS)
        """What came of a path with a content, by the id that git has for that."""

    @without_garbage_collection()
    def survey(
        self,
        project: Project,
        strategy: CacheStrategy,
        workers: int | None,
        part: Product[Made] | None = None,
        sight: Sight | None = None,
    ) -> FileSurvey[Made]:
        """Return the products of a project, or `part` of them where that is all that is wanted.

        Who has just looked at its files, for another product, says what the look showed.
        """
        product = part or self._product
        project = replace(project, path=checked_project(self._repository, project.path))
        known = self._known = self._known or self._cache.remembered()
        if strategy == "offline":
            return self._offline(product, project, known)
        sight = sight or self._look(project)
        work = _Work(product, project, sort_out(project, sight.seen, sight.said), sight)
        unreadable = sight.listed.unreadable
        work.found.skipped += [Skipped(printable_path(f"{folder}/"), UNREADABLE) for folder in unreadable]
        if strategy == "normal":
            self._recall(work, known)
            keys = partial(self._cache.keys, whole=product.is_whole)
            self._read(work, lambda unread: self._outcomes(work, unread, keys(), workers))
        self._read(work, lambda unread: self._outcomes(work, unread, [], workers))
        self._remember(work, known)
        return work.survey()

    def _look(self, project: Project) -> Sight:
        """Find the files of a project, and look at them."""
        looked_at = time.time_ns()
        listed = list_files(self._repository, self._git, project.path, tracked=project.tracked)
        seen = file_stats(self._repository.root, selected(project, listed.paths))
        return Sight(looked_at, listed, seen, self._said_by_attributes(seen))

    def of_commit(self, project: Project, commit: str) -> FileSurvey[Made]:
        """Return the records of a project as a commit has it; attributes are the present ones.

        What is known of a content is found in the cache, so that the next commit costs what it changed.
        """
        assert self._git is not None
        listed = committed_files(self._git, commit, project.path)
        paths = selected(project, sorted(listed))
        seen = {path: FileStat(0, listed[path].size, 0, 0) for path in paths}
        work = _Work(self._product, project, sort_out(project, seen, self._said_by_attributes(seen)))
        for path in work.found.candidates:
            if (known := self._blobs.get((path, listed[path].id), "")) is not None:
                work.outcomes[path] = known
        self._load(work)
        for contents in (self._cache.keys(whole=work.product.is_whole), []):
            self._read(work, partial(self._committed, listed, contents))
        for path, known in work.outcomes.items():
            self._blobs.put((path, listed[path].id), "", known)
        return work.survey()

    def close(self) -> None:
        """End what runs for this repository."""
        self._cache.close()
        if self._git is not None:
            self._git.close()

    def _offline(
        self, product: Product[Made], project: Project, known: Mapping[str, Remembered]
    ) -> FileSurvey[Made]:
        if not known:
            raise Unavailable(
                "Nothing of this repository is cached, and an offline analysis reads nothing else.",
                hint="Run the analysis once with the cache strategy 'normal'.",
            )
        paths = selected(project, sorted(known))
        seen = {path: known[path].sight or FileStat(0, known[path].size, 0, 0) for path in paths}
        said = {path: known[path].reason for path in seen if known[path].reason}
        work = _Work(product, project, sort_out(project, seen, said))
        work.outcomes = {path: known[path] for path in work.found.candidates}
        self._load(work)
        return work.survey()

    def _said_by_attributes(self, seen: Mapping[str, FileStat | str]) -> dict[str, str]:
        if self._git is None:
            return {}
        sources = filter(may_be_source, seen)
        found = attributes(self._git, seen, sources, tuple(_ATTRIBUTES))
        return {path: _ATTRIBUTES[name] for path, name in found.items()}

    def _recall(self, work: _Work[Made], known: Mapping[str, Remembered]) -> None:
        """Take what is known of the files that look as they did."""
        for path, seen in work.found.candidates.items():
            if (one := known.get(path)) is not None and one.seen == seen:
                work.outcomes[path] = one
        self._load(work)

    def _load(self, work: _Work[Made]) -> None:
        """Find the records of the keys that are known, in memory or in the cache."""
        missing, whole = set[str](), work.product.is_whole
        for key in {one.key for one in work.outcomes.values() if one.key} - work.records.keys():
            if (record := self._memory.get(key)) is not None and record.is_whole >= whole:
                work.records[key] = record
            else:
                missing.add(key)
        for key, parts in self._cache.load(missing, whole=whole).items():
            work.records[key] = self._memory.put(key, work.product.restored(parts))

    def _read(self, work: _Work[Made], reader: Callable[[list[str]], Generator[Outcome, None, None]]) -> None:
        """Read the files of which nothing is known, and keep their records, but not of known contents."""
        unread = work.unread()
        if not unread:
            return
        call, new = current_call(), dict[str, Parts]()
        try:
            # Closed here, not when nobody refers to it any more: its processes end with it.
            with closing(reader(unread)) as outcomes:
                for done, outcome in enumerate(outcomes, 1):
                    work.take(outcome)
                    if outcome.parts is not None:
                        new[outcome.key] = outcome.parts
                        self._memory.put(outcome.key, work.records[outcome.key])
                    if len(new) >= _KEPT_AT_ONCE:
                        self._cache.keep(new, {})
                        new = {}
                    call.progress(done, len(unread), "files read")
        finally:
            self._cache.keep(new, {})
        self._load(work)

    def _outcomes(
        self, work: _Work[Made], paths: Sequence[str], contents: Sequence[str], workers: int | None
    ) -> Generator[Outcome, None, None]:
        sizes = {path: work.found.candidates[path].size for path in paths}
        processes = min(workers or cores(), sum(sizes.values()) // self._worth_bytes)
        if processes > 1:
            yield from read_in_processes(work.product, self._repository.root, contents, sizes, processes)
        else:
            yield from map(Reader(self._repository.root, contents, work.product).read, paths)

    def _committed(
        self, listed: Mapping[str, CommittedFile], contents: list[str], paths: list[str]
    ) -> Generator[Outcome, None, None]:
        assert self._git is not None
        read = Reader(self._repository.root, contents, self._product).read
        for path in paths:
            found = self._git.objects().read(listed[path].id, LIMITS.source_file_bytes)
            yield Outcome(path, reason=GONE) if found is None else read(path, found.data)

    def _remember(self, work: _Work[Made], known: Mapping[str, Remembered]) -> None:
        """Remember what there is, also what is not read, so that it is known offline."""
        _, (paths, _), seen, said = work.sight
        listed = set(paths)
        now = {
            path: work.outcomes.get(path)
            or (
                Remembered(None, 0, sight)
                if isinstance(sight, str)
                else Remembered(None, sight.size, reason=said.get(path, ""))
            )
            for path, sight in seen.items()
        }
        new = {path: one for path, one in now.items() if known.get(path) != one}
        inside = f"{work.project.path}/" if work.project.path else ""
        gone = [path for path in known if path.startswith(inside) and path not in listed]
        if new or gone:
            self._cache.keep({}, new, gone)
            self._known = {path: one for path, one in {**known, **new}.items() if path not in set(gone)}
