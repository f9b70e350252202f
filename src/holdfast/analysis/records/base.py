"""The records of files as they were in a commit, to tell what changed since.

Contract: contents are read from git's objects; nothing of the repository's configuration runs. A revision
that does not exist is an error, never an empty base.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from holdfast.analysis.records.source import text_of
from holdfast.analysis.survey import Survey
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git.command import Git
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

    def changed(self, paths: Iterable[str]) -> Iterator[tuple[str, Record | None]]:
        """Yield the files that are not as they were, with what they were; nothing for those that are new."""
        known = list(paths)
        call = current_call()
        with Git(self._repository) as git:
            for number, path in enumerate(known):
                call.progress(number, len(known), "files compared with the base")
                try:
                    found = git.objects().read(f"{self.commit}:{path}", LIMITS.source_file_bytes)
                except TooLarge:
                    found = None
                if found is None or found.kind != "blob":
                    yield path, None
                elif found.data != self._now(path):
                    yield path, _record(path, found.data)

    def survey(self, now: Survey) -> Survey:
        """Return a survey of the commit, given the present one; what is left out now is left out there."""
        files = dict(now.files)
        for path, before in self.changed(now.files):
            if before is None:
                del files[path]
            else:
                files[path] = before
        known = {*now.files, *now.other_files, *(item.path for item in now.skipped)}
        files.update(self._removed(known))
        return replace(now, files=dict(sorted(files.items())))

    def _removed(self, known: Container[str]) -> Iterator[tuple[str, Record]]:
        """Yield the files that were there and are no more."""
        with Git(self._repository) as git:
            listed = git.execute("ls-tree", "-r", "-z", "--name-only", self.commit).output
            for path in listed.decode("utf-8", "surrogateescape").split("\0"):
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
