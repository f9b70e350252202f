"""Commits appended to the refs of one repository.

Contract: when the id of a commit is returned, the commit is on disk and its ref has moved (see `refs.py`).
Single commits are written to packs of our own (see `packs.py`). In bulk, and where the repository's format is
unusual, `git fast-import` writes them to a pack. Neither `git gc` nor `git prune` can remove a commit before
its ref has moved.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.commits.commit import DamagedCommit, NewCommit
from holdfast.storage.git.commits.commit_reader import read_commit
from holdfast.storage.git.objects.object_format import ObjectFormat
from holdfast.storage.git.objects.packs import Packs
from holdfast.storage.git.refs import DURABLE, Refs

_IMPORT_OPTIONS = GitOptions(
    (DURABLE, "i18n.commitEncoding=UTF-8", "fastimport.unpackLimit=0"), stand_in=True
)


class CommitWriter:
    """Appends commits to refs: directly, or through git where the repository's format is unusual."""

    def __init__(self, git: Git, refs: Refs, common_directory: str) -> None:
        self._git = git
        self._refs = refs
        self.format = ObjectFormat(git)
        self._packs = Packs(common_directory, self.format.digest)

    def append(self, ref: str, tip: str | None, commit: NewCommit) -> str:
        """Write a commit on top of `tip`, move the ref from there to it, and return its id.

        Raises `DamagedCommit` when the tip cannot be read; `RefMoved` and `RefLocked` as `Refs.move` does.
        """
        if tip is not None and not self._is_commit(tip):
            raise DamagedCommit(
                "The log's last commit cannot be read.", hint="Run `holdfast doctor`.", commit=tip
            )
        is_plain = self._refs.are_files and self.format.is_plain
        tree = self.format.object_id("tree", b"")
        content = _commit_content(tree, tip, commit)
        object_id = self.format.object_id("commit", content)
        if not is_plain:
            self._append_by_git(ref, tip, commit)
            return object_id
        with self._packs.adding(object_id, tip, {object_id: ("commit", content), tree: ("tree", b"")}):
            self._refs.advance(ref, object_id, tip)
        return object_id

    def _append_by_git(self, ref: str, tip: str | None, commit: NewCommit) -> None:
        try:
            write_commits(self._git, ref, tip, [commit])
        except Unavailable as failure:
            raise self._refs.failure(ref, tip, failure.message) from None
        self._refs.flush(ref)

    def _is_commit(self, object_id: str) -> bool:
        if self.format.is_plain and (found := self._packs.read(object_id)) is not None:
            return found[0] == "commit"
        try:
            return read_commit(self._git, object_id).id == object_id
        except ValueError:
            return False


def write_commits(git: Git, ref: str, parent: str | None, commits: Iterable[NewCommit]) -> None:
    """Append many commits to a ref at once; if the ref has moved meanwhile, git fails and changes nothing."""
    stream = import_stream(ref, parent, commits)
    seconds = LIMITS.operation_seconds
    git.run("fast-import", "--quiet", "--done", stdin=stream, options=_IMPORT_OPTIONS, seconds=seconds)


def import_stream(ref: str, parent: str | None, commits: Iterable[NewCommit]) -> bytes:
    """Return the commits, each the parent of the next, in the format of `git fast-import`."""
    pieces = []
    source = f"from {parent}\n" if parent else ""
    for commit in commits:
        head = f"commit {ref}\nauthor {commit.author.line}\ncommitter {commit.committer.line}\n"
        pieces += [head.encode(), _data_command(commit.message.encode()), source.encode()]
        for path, content in commit.files.items():
            pieces += [f"M 100644 inline {path.text}\n".encode(), _data_command(content)]
        source = ""
    return b"".join([*pieces, b"done\n"])


def _data_command(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _commit_content(tree: str, parent: str | None, commit: NewCommit) -> bytes:
    parents = "" if parent is None else f"parent {parent}\n"
    head = f"tree {tree}\n{parents}author {commit.author.line}\ncommitter {commit.committer.line}\n\n"
    return (head + commit.message).encode()
