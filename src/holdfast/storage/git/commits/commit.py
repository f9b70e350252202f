"""The commits of a log: types for reading and writing them, and parsers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath

EMPTY_TREES = (
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
)
"""The ids of a tree without files, by SHA-1 and by SHA-256."""

TIMESTAMP_PATTERN = re.compile(r"[0-9]{1,11}")  # until the year 5138
_STRIPPED_CHARACTERS = " .,:;\"'\\"
"""What git strips from both ends of a name (`strbuf_addstr_without_crud` in its ident.c)."""
_FORBIDDEN_CHARACTERS = re.compile(r"[<>\x00-\x1f\x7f]+")


class DamagedCommit(Unavailable, kind="commit_damaged", number=5036):
    """The parent of a new commit cannot be read."""


class NotACommit(ValueError):
    """The object of an id is not a commit."""


class Signature(NamedTuple):
    """The author or committer of a commit, and the time in seconds since 1970."""

    name: str
    email: str
    seconds: int

    @property
    def line(self) -> str:
        """The signature as it is written in a commit."""
        return f"{self.name} <{self.email}> {self.seconds} +0000"


class Commit(NamedTuple):
    """A commit that was read; `source` is the requested commit from which it was reached.

    The message is empty if it is too large.
    """

    id: str
    committed: int
    """The committer's time, in seconds since 1970."""
    parents: tuple[str, ...]
    message: str
    source: str = ""
    anomaly: str | None = None
    """What shows that another program wrote the commit: files, several parents, an odd date, a huge size."""


class NewCommit(NamedTuple):
    """A commit to be written. Commits of a log have no files."""

    message: str
    author: Signature
    committer: Signature
    files: Mapping[RepoPath, bytes] = MappingProxyType({})
    """The content of the files that differ from the parent."""


def signature(person: str, seconds: int) -> Signature:
    """Return the signature of a person written as `Name <email>`."""
    name, _, email = person.partition("<")
    name = _FORBIDDEN_CHARACTERS.sub(" ", name).strip(_STRIPPED_CHARACTERS)
    email = _FORBIDDEN_CHARACTERS.sub("", email).strip(_STRIPPED_CHARACTERS)
    return Signature(name or "unknown", email, seconds)


def parse_record(record: str) -> Commit:
    """Return the commit of one record that `commit_reader.read_records` yielded."""
    head, is_complete, message = record.partition("\n")
    names, _, parents = head.partition(",")
    object_id, source, tree, committed = names.split(" ", 3)
    commit = _without_message(object_id, tree, committed, tuple(parents.split()))
    if not is_complete:
        commit = commit._replace(anomaly=f"has more than {LIMITS.log_commit_bytes} bytes")
    return commit._replace(message=message, source=source)


def from_object(object_id: str, data: bytes) -> Commit:
    """Return the commit in the data of a git object."""
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    lines = [line.split(" ") for line in head.split("\n")]
    parents = tuple(line[1] for line in lines if line[0] == "parent" and len(line) == 2)
    tree = next((line[1] for line in lines if line[0] == "tree" and len(line) == 2), "")
    committer = next((line for line in lines if line[0] == "committer"), ["", "", ""])
    encoding = next((line[-1] for line in lines if line[0] == "encoding"), "")
    committed = committer[-2] + encoding if len(committer) > 2 else ""
    return _without_message(object_id, tree, committed, parents)._replace(message=message)


def _without_message(object_id: str, tree: str, committed: str, parents: tuple[str, ...]) -> Commit:
    """Return a commit; `committed` is a time in seconds, followed by the encoding if one is declared."""
    anomaly = None
    if TIMESTAMP_PATTERN.fullmatch(committed) is None:
        committed, anomaly = "0", "has an unusual date or encoding"
    elif tree not in EMPTY_TREES:
        anomaly = "contains files"
    elif len(parents) > 1:
        anomaly = "has several parents"
    return Commit(object_id, int(committed), parents, "", anomaly=anomaly)
