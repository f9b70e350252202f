"""The records of files as they were in a commit, to tell what changed since.

Contract: contents are read from git's objects; nothing of the repository's configuration runs. A revision
that does not exist is an error, never an empty base. A file that git takes for a renamed one is compared with
what it was under its former name.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from holdfast.analysis.records.source import text_of
from holdfast.analysis.survey import Survey
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.line_diff import kept_lines, lines_of
from holdfast.storage.git.repository import Repository
from holdfast.syntax.parse import ParseTooLong
from holdfast.syntax.record import Record, read_record


class Base:
    """A commit that the work tree is compared with."""

    def __init__(self, repository: Repository, revision: str, *, fork: bool = False) -> None:
        """Find the commit that a revision names, or with `fork` the one where this branch left it."""
        self._tree = Tree(repository)
        with Git(repository) as git:
            commit = _commit(git, revision)
            if fork:
                common = git.execute("merge-base", commit, "HEAD").output.decode("ascii", "replace").split()
                if not common:
                    raise NotFound(
                        f"This branch and {revision!a} have no commit in common.",
                        hint="Fetch more of the history, or compare with the revision itself: `since`.",
                    )
                commit = common[0]
        self._repository = repository
        self.commit = commit

    @cached_property
    def renames(self) -> Mapping[str, str]:
        """Return the former names of files that were renamed since, as far as git's index knows of it."""
        options = ("--cached", "--find-renames", "--diff-filter=R", "--name-status", "-z")
        with Git(self._repository) as git:
            listed = git.run("diff-index", *options, self.commit, limit=LIMITS.listed_bytes)
        fields = os.fsdecode(listed).split("\0")
        return dict(zip(fields[2::3], fields[1::3], strict=False))

    def changed(self, paths: Iterable[str]) -> Iterator[tuple[str, Record | None]]:
        """Yield the files that are not as they were, with what they were; nothing for those that are new."""
        for path, before, _ in self._differing(paths):
            yield path, None if before is None else _record(path, before)

    def new_lines(self, paths: Iterable[str]) -> dict[str, frozenset[int]]:
        """Return the lines, from 1, of files that are not as they were which did not stand there before."""
        found = {}
        for path, before, now in self._differing(paths):
            lines = lines_of(now)
            kept = kept_lines(lines_of(before or b""), lines, range(len(lines)))
            found[path] = frozenset(index + 1 for index in range(len(lines)) if index not in kept)
        return found

    def _differing(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None, bytes]]:
        known = list(paths)
        call = current_call()
        with Git(self._repository) as git:
            for number, path in enumerate(known):
                call.progress(number, len(known), "files compared with the base")
                former, now = self.renames.get(path, path), self._now(path)
                try:
                    found = git.objects().read(f"{self.commit}:{former}", LIMITS.source_file_bytes)
                except TooLarge:
                    found = None
                if found is None or found.kind != "blob":
                    yield path, None, now or b""
                elif found.data != now:
                    yield path, found.data, now or b""

    def survey(self, now: Survey) -> Survey:
        """Return a survey of the commit, given the present one; what is left out now is left out there."""
        files = {path: record for path, record in now.files.items() if path not in self.renames}
        for path, before in self.changed(list(files)):
            if before is None:
                del files[path]
            else:
                files[path] = before
        known = {*now.files, *now.other_files, *(item.path for item in now.skipped)}
        files.update(self._removed(known))
        return replace(now, files=dict(sorted(files.items())), version=None)

    def _removed(self, known: Container[str]) -> Iterator[tuple[str, Record]]:
        """Yield the files that were there and are no more."""
        with Git(self._repository) as git:
            listed = git.run("ls-tree", "-r", "-z", "--name-only", self.commit, limit=LIMITS.listed_bytes)
            for path in os.fsdecode(listed).split("\0"):
                if path and path not in known:
                    found = git.objects().read(f"{self.commit}:{path}", LIMITS.source_file_bytes)
                    record = None if found is None else _record(path, found.data)
                    if record is not None:
                        yield path, record

    def _now(self, path: str) -> bytes | None:
        try:
            return self._tree.read_bytes(RepoPath.parse(path), LIMITS.source_file_bytes)
        except HoldfastError:
            return None


def _commit(git: Git, revision: str) -> str:
    try:
        return git.resolve(f"{revision}^{{commit}}")
    except NotFound:
        raise NotFound(
            f"There is no commit {revision!a} to compare with.", hint="Name a commit, branch or tag."
        ) from None


def _record(path: str, data: bytes) -> Record | None:
    text = text_of(data)
    try:
        return None if text is None else read_record(path, text.encode("utf-8", "replace"))
    except ParseTooLong:
        return None
