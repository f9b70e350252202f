"""Commits read as a stream, or one by one from their objects where a history is damaged.

Contract: `read_commits` yields newest first within each history and raises when git finds a history damaged;
`walk_commits` then shows how far that history can be read. Anything unusual that other programs put into a
commit becomes its `oddity`, and stops no reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.kernel.errors import TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.commits.commit import Commit, NotACommit, from_object, parse_record

WHOLE_HISTORY = GitOptions(environment={"GIT_SHALLOW_FILE": ""})
"""Ignores where a shallow fetch ended: that is no beginning of a log, and what it left out can be fetched."""

_FORMAT = "--format=%H %S %T %ct%e,%P%n%B"
_READING = WHOLE_HISTORY._replace(settings=("i18n.logOutputEncoding=UTF-8", "log.mailmap=false"))


def read_commits(git: Git, wanted: Sequence[str], known: Sequence[str] = ()) -> Iterator[Commit]:
    """Yield the commits reachable from the wanted ones and not from the known ones."""
    for records in read_records(git, wanted, known):
        yield from map(parse_record, records)


def read_records(git: Git, wanted: Sequence[str], known: Sequence[str] = ()) -> Iterator[list[str]]:
    """Yield the same commits as texts, many at a time.

    The first line of a record is the commit's id, the wanted one it was reached from, its tree, its
    committer's time with the encoding it declares, a comma and its parents; the rest is its message. Of a
    record that is too large only the first line comes, without its line end.
    """
    names = "".join([*(f"{name}\n" for name in wanted), *(f"^{name}\n" for name in known)])
    rest: list[bytes] = []
    size = 0
    # One separator between commits; the last commit ends without one.
    for piece in git.stream(
        "log", "-z", _FORMAT, "--no-show-signature", "--no-notes", "--no-color", "--stdin",
        given=names.encode("ascii"), options=_READING, seconds=LIMITS.index_seconds,
    ):  # fmt: skip
        complete, separator, last = piece.rpartition(b"\0")
        if separator:
            yield _texts(b"".join([*rest, complete]))
            rest, size = [], 0
        if size <= LIMITS.log_commit_bytes:  # of a record that is too large, just enough to show that it is
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
    """Yield a commit and its ancestors, except those seen; one that cannot be read raises `ValueError`.

    The commits passed on the way to it are recorded in `seen` with that error, for other walks that meet
    them.
    """
    seen = {} if seen is None else seen
    waiting, passed = [start], []
    try:
        while waiting:
            object_id = waiting.pop()
            if object_id in seen:
                if (failure := seen[object_id]) is not None:
                    raise failure
                continue
            seen[object_id] = None
            passed.append(object_id)
            commit = read_commit(git, object_id)
            yield commit._replace(source=start)
            waiting += commit.parents
    except ValueError as error:
        seen.update(dict.fromkeys(passed, error))
        raise


def read_commit(git: Git, object_id: str) -> Commit:
    """Return one commit; one that cannot be read raises `ValueError`."""
    try:
        found = git.objects().read(object_id, LIMITS.log_commit_bytes)
    except (TooLarge, Unavailable) as failure:
        raise ValueError(f"object {object_id[:12]} cannot be read") from failure
    if found is None:
        raise ValueError(f"object {object_id[:12]} is missing or damaged")
    if found.kind != "commit":
        raise NotACommit(f"object {object_id[:12]} is a {found.kind}, not a commit")
    return from_object(object_id, found.data)
