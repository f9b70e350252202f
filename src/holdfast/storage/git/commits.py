"""Commits as records: written one by one, as packs without git or in bulk, and read as a stream.

Contract:
- A commit whose id was returned is on disk. It is reachable only once a ref leads to it (see `refs.py`).
- `read_commits` yields newest first within each history and raises when git finds a history damaged;
  `walk_commits` then shows how far that history can be read, object by object. What others made of a
  commit (no date, an odd encoding, files, a message of gigabytes) is its `oddity`, and ends no reading.
- One by one they go into packs (see `packs.py`); in bulk, and where files are unusual, into the pack of a
  `git fast-import`. Both stay out of reach of `git gc` and `git prune` until the ref has moved.
- `ObjectFormat.is_plain` says whether a repository keeps its objects and refs in the usual way and no other.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from holdfast.kernel.errors import TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git, Terms
from holdfast.storage.git.packs import Packs
from holdfast.storage.git.ref_files import beginning
from holdfast.storage.git.refs import DURABLE, Refs

_FORMAT = "--format=%H %S %T %ct%e,%P%n%B"
_SECONDS = re.compile(r"[0-9]{1,11}")  # until the year 5138
EMPTY_TREES = (
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
)
_WHOLE = Terms(environment={"GIT_SHALLOW_FILE": ""})
"""Where a shallow fetch ended is no beginning of a log: what it left out is missing, and can be had."""
_READING = _WHOLE._replace(settings=("i18n.logOutputEncoding=UTF-8", "log.mailmap=false"))
_BULK = Terms((DURABLE, "i18n.commitEncoding=UTF-8", "fastimport.unpackLimit=0"), stand_in=True)
_STRIPPED = " .,:;\"'\\"
_NOT_IN_A_NAME = re.compile(r"[<>\x00-\x1f\x7f]+")
_HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
_MATTERS = r"^(core\.(sharedrepository|logallrefupdates)|extensions\..*)$"
_HARMLESS = ("extensions.worktreeconfig", "extensions.preciousobjects", "extensions.relativeworktrees")


class Damaged(Unavailable, kind="commit_damaged", number=5036):
    """A commit that should be built upon cannot be read."""


class NotACommit(ValueError):
    """An object is something else than a commit, and always will be."""


class Signature(NamedTuple):
    """Who, and when in seconds since 1970."""

    name: str
    email: str
    seconds: int


class Commit(NamedTuple):
    """One commit as it was read, on the way from `source`; a message that is too large is left out."""

    id: str
    committed: int
    parents: tuple[str, ...]
    message: str
    source: str = ""
    oddity: str | None = None


class NewCommit(NamedTuple):
    """One commit to be written."""

    message: str
    author: Signature
    committer: Signature


def signature(person: str, seconds: int) -> Signature:
    """Return the signature of a person written as `Name <mail>`."""
    name, _, email = person.partition("<")
    name = _NOT_IN_A_NAME.sub(" ", name).strip(_STRIPPED)
    email = _NOT_IN_A_NAME.sub("", email).strip(_STRIPPED)
    return Signature(name or "unknown", email, seconds)


class ObjectFormat:
    """How one repository names and keeps its objects."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._format: str | None = None
        self._is_plain: bool | None = None

    @property
    def is_plain(self) -> bool:
        """Whether everything a repository's configuration says about objects and refs is as usual."""
        if self._is_plain is None:
            settings = {key.lower(): value for key, value in self._git.settings(_MATTERS)}
            self._format = settings.pop("extensions.objectformat", "sha1").lower()
            always = settings.pop("core.logallrefupdates", "true").lower() == "always"
            shared = settings.pop("core.sharedrepository", "false").lower() not in ("false", "umask", "0")
            strange = [key for key in settings if key not in _HARMLESS]
            self._is_plain = not (always or shared or strange) and self._format in _HASHES
        return self._is_plain

    def name(self, kind: str, content: bytes) -> str:
        """Return the id that an object gets."""
        return self.digest(b"%s %d\0%s" % (kind.encode("ascii"), len(content), content)).hex()

    def digest(self, data: bytes) -> bytes:
        """Return the hash of some bytes by which this repository names its objects."""
        return _HASHES[self._format or "sha1"](data).digest()


class CommitWriter:
    """Appends commits to the refs of one repository: by itself, or by git where files are unusual."""

    def __init__(self, git: Git, refs: Refs, common_directory: str) -> None:
        self._git = git
        self._refs = refs
        self.format = ObjectFormat(git)
        self._packs = Packs(common_directory, self.format.digest)

    def append(self, ref: str, tip: str | None, commit: NewCommit) -> str:
        """Write a commit on top of `tip`, move the ref from there to it, and return its id.

        `Damaged` when the tip cannot be read; `RefMoved` and `RefLocked` as `Refs.move` raises them.
        """
        if tip is not None and not self._is_commit(tip):
            raise Damaged("The log's last commit cannot be read.", hint="Run `holdfast doctor`.", commit=tip)
        is_plain = self._refs.are_files and self.format.is_plain
        tree = self.format.name("tree", b"")
        content = _content(tree, tip, commit)
        name = self.format.name("commit", content)
        if not is_plain:
            self._append_by_git(ref, tip, commit)
            return name
        with self._packs.adding(name, tip, {name: ("commit", content), tree: ("tree", b"")}):
            self._refs.advance(ref, name, tip)
        return name

    def _append_by_git(self, ref: str, tip: str | None, commit: NewCommit) -> None:
        try:
            write_commits(self._git, ref, tip, [commit])
        except Unavailable as failure:
            raise self._refs.failure(ref, tip, failure.message) from None
        self._refs.flush(ref)

    def _is_commit(self, name: str) -> bool:
        if self.format.is_plain and (found := self._packs.read(name)) is not None:
            return found[0] == "commit"
        try:
            return _read_one(self._git, name).id == name
        except ValueError:
            return False


def write_commits(git: Git, ref: str, parent: str | None, commits: Iterable[NewCommit]) -> None:
    """Append many commits to a ref at once; a ref that moved meanwhile is left where it is, and git fails."""
    stream = _import_stream(ref, parent, commits)
    git.run("fast-import", "--quiet", "--done", given=stream, terms=_BULK, seconds=LIMITS.operation_seconds)


def read_commits(git: Git, wanted: Sequence[str], known: Sequence[str] = ()) -> Iterator[Commit]:
    """Yield the commits that lead to the wanted ones and not to the known ones."""
    for records in read_records(git, wanted, known):
        yield from map(parsed, records)


def read_records(git: Git, wanted: Sequence[str], known: Sequence[str] = ()) -> Iterator[list[str]]:
    """Yield the same commits as texts, many at a time.

    The first line of each is its id, the wanted one that led to it, its tree, its committer's second with the
    encoding it declares, a comma and its parents; the rest is its message. Of one that is too large the first
    line comes, without its end.
    """
    names = "".join([*(f"{name}\n" for name in wanted), *(f"^{name}\n" for name in known)])
    rest: list[bytes] = []
    size = 0
    # One separator per commit; only the last commit ends without it.
    for piece in git.stream(
        "log", "-z", _FORMAT, "--no-show-signature", "--no-notes", "--no-color", "--stdin",
        given=names.encode("ascii"), terms=_READING, seconds=LIMITS.index_seconds,
    ):  # fmt: skip
        whole, separator, last = piece.rpartition(b"\0")
        if separator:
            yield _texts(b"".join([*rest, whole]))
            rest, size = [], 0
        if size <= LIMITS.log_commit_bytes:  # of what is too large, no more than shows that it is
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

    What was seen on the way to it is noted with that failure, for whoever else comes that way.
    """
    seen = {} if seen is None else seen
    waiting, passed = [start], []
    try:
        while waiting:
            name = waiting.pop()
            if name in seen:
                if (failure := seen[name]) is not None:
                    raise failure
                continue
            seen[name] = None
            passed.append(name)
            commit = _read_one(git, name)
            yield commit._replace(source=start)
            waiting += commit.parents
    except ValueError as error:
        seen.update(dict.fromkeys(passed, error))
        raise


def set_aside_if_damaged(common_directory: str, name: str, folder: str) -> bool:
    """Move a loose object whose bytes are not what its name says to a folder; tell whether it had to be."""
    path, most = os.path.join(common_directory, "objects", name[:2], name[2:]), LIMITS.git_output_bytes
    try:
        content = zlib.decompressobj().decompress(beginning(path, most), most)
    except OSError:
        return False  # not there, or not as a file
    except zlib.error:
        content = b""
    if len(content) >= most or _HASHES["sha1" if len(name) == 40 else "sha256"](content).hexdigest() == name:
        return False
    os.makedirs(folder, exist_ok=True)
    os.rename(path, os.path.join(folder, name))
    return True


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Tell whether one commit leads to another, or is the same."""
    return git.execute("merge-base", "--is-ancestor", older, newer, terms=_WHOLE).status == 0


def kinds_of(git: Git, names: Iterable[str]) -> dict[str, str]:
    """Return what kind of object each id names; one that names nothing is left out."""
    wanted = sorted({*names})
    given = "".join(f"{name}\n" for name in wanted).encode("ascii")
    lines = git.run("cat-file", "--batch-check=%(objecttype)", given=given).decode() if wanted else ""
    return {name: kind for name, kind in zip(wanted, lines.split("\n"), strict=False) if " " not in kind}


def forward(git: Git, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those pairs whose first commit leads to the second in one line of parents, asked all at once.

    Where histories meet or cannot be read, pairs may be left out: ask `is_ancestor` about these.
    """
    asked = list(pairs)
    given = "".join(f"^{older}\n{newer}\n" for older, newer in asked).encode("ascii")
    try:
        pieces = git.stream("rev-list", "--parents", "--stdin", given=given, terms=_WHOLE) if asked else ()
        lines = b"".join(pieces)
    except Unavailable:
        return set()
    parents = {name: above for name, *above in map(str.split, lines.decode("ascii").splitlines())}
    found = set()
    for older, newer in asked:
        at = newer
        while len(above := parents.pop(at, [])) == 1:
            at = above[0]
        if at == older:
            found.add((older, newer))
    return found


def first_after_fork(git: Git, mine: str, other: str | None = None) -> str:
    """Return the oldest commit that leads to `mine` and not to `other`."""
    beyond = [] if other is None else [f"^{other}"]
    output = git.run("rev-list", "--topo-order", mine, *beyond, terms=_WHOLE)
    return output.decode("ascii").split()[-1]


def count_between(git: Git, newer: Sequence[str], older: Sequence[str]) -> int:
    """Return how many commits lead to the newer ones and not to the older ones."""
    names = "".join([*(f"{name}\n" for name in newer), *(f"^{name}\n" for name in older)])
    return int(git.run("rev-list", "--count", "--stdin", given=names.encode("ascii"), terms=_WHOLE))


def _import_stream(ref: str, parent: str | None, commits: Iterable[NewCommit]) -> bytes:
    pieces = []
    source = f"from {parent}\n" if parent else ""
    for commit in commits:
        message = commit.message.encode()
        head = (
            f"commit {ref}\nauthor {_line(commit.author)}\ncommitter {_line(commit.committer)}\n"
            f"data {len(message)}\n"
        )
        pieces += [head.encode(), message, b"\n", source.encode()]
        source = ""
    return b"".join([*pieces, b"done\n"])


def _content(tree: str, parent: str | None, commit: NewCommit) -> bytes:
    """Return a commit as git keeps it."""
    parents = "" if parent is None else f"parent {parent}\n"
    head = f"tree {tree}\n{parents}author {_line(commit.author)}\ncommitter {_line(commit.committer)}\n\n"
    return (head + commit.message).encode()


def _line(person: Signature) -> str:
    return f"{person.name} <{person.email}> {person.seconds} +0000"


def parsed(record: str) -> Commit:
    """Return the commit that a record is."""
    head, is_whole, message = record.partition("\n")
    names, _, parents = head.partition(",")
    name, source, tree, committed = names.split(" ", 3)
    found = _dated(name, tree, committed, tuple(parents.split()))
    if not is_whole:
        found = found._replace(oddity=f"has more than {LIMITS.log_commit_bytes} bytes")
    return found._replace(message=message, source=source)


def _dated(name: str, tree: str, committed: str, parents: tuple[str, ...]) -> Commit:
    """Return a commit without its message, and what is odd about it."""
    oddity = None
    if _SECONDS.fullmatch(committed) is None:
        committed, oddity = "0", "has a date or an encoding that nobody writes"
    elif tree not in EMPTY_TREES:
        oddity = "holds files"
    elif len(parents) > 1:
        oddity = "has several parents"
    return Commit(name, int(committed), parents, "", oddity=oddity)


def _read_one(git: Git, name: str) -> Commit:
    try:
        found = git.objects().read(name, LIMITS.log_commit_bytes)
    except (TooLarge, Unavailable) as failure:
        raise ValueError(f"object {name[:12]} cannot be read") from failure
    if found is None:
        raise ValueError(f"object {name[:12]} is missing or damaged")
    if found.kind != "commit":
        raise NotACommit(f"object {name[:12]} is a {found.kind}, not a commit")
    return _from_object(name, found.data)


def _from_object(name: str, data: bytes) -> Commit:
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    lines = [line.split(" ") for line in head.split("\n")]
    parents = tuple(line[1] for line in lines if line[0] == "parent" and len(line) == 2)
    tree = next((line[1] for line in lines if line[0] == "tree" and len(line) == 2), "")
    committer = next((line for line in lines if line[0] == "committer"), ["", "", ""])
    encoding = next((line[-1] for line in lines if line[0] == "encoding"), "")
    committed = committer[-2] + encoding if len(committer) > 2 else ""
    return _dated(name, tree, committed, parents)._replace(message=message)
