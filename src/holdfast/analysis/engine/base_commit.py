"""The base: the commit that the work tree is compared with, so that only new findings are reported.

Contract: contents are read from git's objects, and no program that the repository configures is run. A
revision that does not exist is an error, never an empty base. A file that git considers renamed is compared
with the content that it had under its former name.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from holdfast.analysis.engine.file_reader import FileReader
from holdfast.analysis.engine.product import RECORDS, TOKENS, FileProduct, Made, Product
from holdfast.analysis.engine.scan import FileScan, Scan
from holdfast.analysis.engine.source_text import may_be_source
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.line_diff import former_indexes, lines_of
from holdfast.storage.git.repository import Repository
from holdfast.syntax.record import Record


class BaseCommit:
    """The commit that the work tree is compared with."""

    def __init__(self, repository: Repository, revision: str, *, merge_base: bool = False) -> None:
        """Resolve a revision, or with `merge_base` the merge base of it and HEAD."""
        self._tree = Tree(repository)
        with Git(repository) as git:
            commit = _resolve_commit(git, revision)
            if merge_base:
                common = git.execute("merge-base", commit, "HEAD").output.decode("ascii", "replace").split()
                if not common:
                    raise NotFound(
                        f"This branch and {revision!a} have no commit in common.",
                        hint="Fetch more of the history, or compare with the revision itself: `since`.",
                    )
                commit = common[0]
        self._repository = repository
        self._unchanged: set[str] = set()
        """Files already found to have the content that they had in the commit."""
        self.commit = commit

    @cached_property
    def renames(self) -> Mapping[str, str]:
        """The former names of files renamed since the commit, according to git's index."""
        options = ("--cached", "--find-renames", "--diff-filter=R", "--name-status", "-z")
        with Git(self._repository) as git:
            listed = git.run("diff-index", *options, self.commit, limit=LIMITS.listed_bytes)
        fields = os.fsdecode(listed).split("\0")  # of each rename: status, former name, current name
        return dict(zip(fields[2::3], fields[1::3], strict=False))

    def changed_records(self, paths: Iterable[str]) -> Iterator[tuple[str, Record | None]]:
        """Yield the files that changed, each with its record in the commit; None for a new file."""
        for path, before, _ in self._changed_contents(paths):
            yield path, None if before is None else self._make_product(RECORDS, path, before)

    def new_lines(self, paths: Iterable[str]) -> dict[str, frozenset[int]]:
        """Return the numbers of new lines in each file that changed, counted from 1."""
        new_lines = {}
        for path, before, now in self._changed_contents(paths):
            lines = lines_of(now)
            kept = former_indexes(lines_of(before or b""), lines, range(len(lines)))
            new_lines[path] = frozenset(index + 1 for index in range(len(lines)) if index not in kept)
        return new_lines

    def _changed_contents(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None, bytes]]:
        """Yield each changed file with its content in the commit and now.

        The first is None for a file that is new or was too large; the second is empty if it cannot be read.
        """
        candidates = [path for path in paths if path not in self._unchanged]
        call = current_call()
        with Git(self._repository) as git:
            for number, path in enumerate(candidates):
                call.progress(number, len(candidates), "files compared with the base")
                former, now = self.renames.get(path, path), self._current_content(path)
                try:
                    blob = git.objects().read(f"{self.commit}:{former}", LIMITS.source_file_bytes)
                except TooLarge:
                    blob = None
                if blob is None or blob.kind != "blob":
                    yield path, None, now or b""
                elif blob.data != now:
                    yield path, blob.data, now or b""
                else:
                    self._unchanged.add(path)

    def unstaged_files(self, paths: Iterable[str]) -> list[str]:
        """Return the changed source files whose staged content differs from the work tree."""
        with Git(self._repository) as git:
            options = ("--cached", "--no-renames", "--name-only", "-z")
            listed = git.run("diff-index", *options, self.commit, limit=LIMITS.listed_bytes)
            changed = {path for path in os.fsdecode(listed).split("\0") if path and may_be_source(path)}
            changed.update(path for path, _, _ in self._changed_contents(paths))
            return sorted(path for path in changed if not self._is_staged(git, path))

    def _is_staged(self, git: Git, path: str) -> bool:
        staged, now = git.objects().read(f":{path}", LIMITS.source_file_bytes), self._current_content(path)
        if staged is None or now is None:
            return staged is None and now is None
        return lines_of(staged.data) == lines_of(now)

    def scan(self, now: Scan) -> Scan:
        """Return a scan of the commit, given one of the work tree, which decides which files are skipped."""
        return self._scan_at_base(now, RECORDS)

    def scan_tokens(self, now: FileScan[TokenStream]) -> FileScan[TokenStream]:
        """Return a scan of the commit for tokens, given one of the work tree."""
        return self._scan_at_base(now, TOKENS)

    def _scan_at_base(self, now: FileScan[Any], product: Product[FileProduct]) -> FileScan[Any]:
        files = {path: made for path, made in now.files.items() if path not in self.renames}
        for path, before, _ in self._changed_contents(list(files)):
            made = None if before is None else self._make_product(product, path, before)
            if made is None:
                del files[path]
            else:
                files[path] = made
        current = {*now.files, *now.other_files, *(item.path for item in now.skipped)}
        for path, data in self._removed_files(current):
            if (made := self._make_product(product, path, data)) is not None:
                files[path] = made
        unchanged = {path: key for path, key in now.keys.items() if files.get(path) is now.files[path]}
        return replace(now, files=dict(sorted(files.items())), keys=unchanged, version=None)

    def _make_product(self, product: Product[Made], path: str, data: bytes) -> Made | None:
        parts = FileReader(self._repository.root, product=product).read(path, data).parts
        return None if parts is None else product.restore(parts)

    def _removed_files(self, current: Container[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the source files of the commit that are not among the current ones, with their contents."""
        with Git(self._repository) as git:
            listed = git.run("ls-tree", "-r", "-z", "--name-only", self.commit, limit=LIMITS.listed_bytes)
            for path in os.fsdecode(listed).split("\0"):
                if path and path not in current and may_be_source(path) is not False:
                    blob = git.objects().read(f"{self.commit}:{path}", LIMITS.source_file_bytes)
                    if blob is not None:
                        yield path, blob.data

    def _current_content(self, path: str) -> bytes | None:
        try:
            return self._tree.read_bytes(RepoPath.parse(path), LIMITS.source_file_bytes)
        except HoldfastError:
            return None


def _resolve_commit(git: Git, revision: str) -> str:
    try:
        return git.resolve(f"{revision}^{{commit}}")
    except NotFound:
        raise NotFound(
            f"There is no commit {revision!a} to compare with.", hint="Name a commit, branch or tag."
        ) from None
