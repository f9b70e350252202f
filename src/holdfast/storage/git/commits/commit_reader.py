"""Reads commits as a stream, or one by one from their objects where a history is damaged.

Contract: `read_commits` yields the newest commit of each history first, and raises if git finds a history
damaged; `walk_commits` then reads that history as far as possible. A commit with unusual content from another
program is yielded with an `anomaly`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.kernel.errors import TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.commits.commit import Commit, NotACommit, from_object, parse_record

WHOLE_HISTORY = GitOptions(environment={"GIT_SHALLOW_FILE": ""})
"""Ignores the boundary of a shallow fetch: no log starts there, and the missing commits can be fetched."""

_FORMAT = "--format=%H %S %T %ct%e,%P%n%B"
_READ_OPTIONS = WHOLE_HISTORY._replace(settings=("i18n.logOutputEncoding=UTF-8", "log.mailmap=false"))


def read_commits(git: Git, tips: Sequence[str], read_before: Sequence[str] = ()) -> Iterator[Commit]:
    """Yield the commits reachable from the tips, but not from those that were read before."""
    for records in read_records(git, tips, read_before):
        yield from map(parse_record, records)


def read_records(git: Git, tips: Sequence[str], read_before: Sequence[str] = ()) -> Iterator[list[str]]:
    """Yield the records of the same commits, many at a time.

    The first line of a record has the commit's id, the tip from which it was reached, the tree, and the
    committer's time and declared encoding; then, after a comma, the parents. The message follows. A record
    that is too large is cut after its first line.
    """
    names = "".join([*(f"{name}\n" for name in tips), *(f"^{name}\n" for name in read_before)])
    rest: list[bytes] = []
    size = 0
    # Commits are separated by NUL bytes; the last one ends without.
    for piece in git.stream(
        "log", "-z", _FORMAT, "--no-show-signature", "--no-notes", "--no-color", "--stdin",
        stdin=names.encode("ascii"), options=_READ_OPTIONS, seconds=LIMITS.index_seconds,
    ):  # fmt: skip
        complete, separator, last = piece.rpartition(b"\0")
        if separator:
            yield _texts(b"".join([*rest, complete]))
            rest, size = [], 0
        if size <= LIMITS.log_commit_bytes:  # more of a record that is too large is not needed
            rest.append(last)
            size += len(last)
    if size:
        yield _texts(b"".join(rest))


def _texts(records: bytes) -> list[str]:
    limit = LIMITS.log_commit_bytes
    if len(records) > limit:
        parts = records.split(b"\0")
        records = b"\0".join(part if len(part) <= limit else part.partition(b"\n")[0] for part in parts)
    return records.decode("utf-8", "replace").split("\0")


def walk_commits(git: Git, start: str, seen: dict[str, ValueError | None] | None = None) -> Iterator[Commit]:
    """Yield a commit and its ancestors that are not in `seen`; an unreadable commit raises `ValueError`.

    The commits on the way to it are recorded in `seen` with that error: another walk that reaches one of them
    raises it too.
    """
    seen = {} if seen is None else seen
    pending, passed = [start], []
    try:
        while pending:
            object_id = pending.pop()
            if object_id in seen:
                failure = seen[object_id]
                if failure is not None:
                    raise failure
                continue
            seen[object_id] = None
            passed.append(object_id)
            commit = read_commit(git, object_id)
            yield commit._replace(source=start)
            pending += commit.parents
    except ValueError as error:
        seen.update(dict.fromkeys(passed, error))
        raise


def read_commit(git: Git, object_id: str) -> Commit:
    """Return one commit, or raise `ValueError` if it cannot be read."""
    try:
        commit = git.objects().read(object_id, LIMITS.log_commit_bytes)
    except (TooLarge, Unavailable) as failure:
        raise ValueError(f"object {object_id[:12]} cannot be read") from failure
    if commit is None:
        raise ValueError(f"object {object_id[:12]} is missing or damaged")
    if commit.kind != "commit":
        raise NotACommit(f"object {object_id[:12]} is a {commit.kind}, not a commit")
    return from_object(object_id, commit.data)
