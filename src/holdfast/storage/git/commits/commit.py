"""One commit of a log, as it is read and as it is written."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS

EMPTY_TREES = (
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
)
"""The ids of a tree without files, by SHA-1 and by SHA-256."""

_SECONDS = re.compile(r"[0-9]{1,11}")  # until the year 5138
_STRIPPED = " .,:;\"'\\"
"""What git strips from both ends of a name (`strbuf_addstr_without_crud` in its ident.c)."""
_NOT_IN_A_NAME = re.compile(r"[<>\x00-\x1f\x7f]+")


class DamagedCommit(Unavailable, kind="commit_damaged", number=5036):
    """A commit that another should be built upon cannot be read."""


class NotACommit(ValueError):
    """An object is something other than a commit, and always will be."""


class Signature(NamedTuple):
    """Who, and when in seconds since 1970."""

    name: str
    email: str
    seconds: int

    @property
    def line(self) -> str:
        """The signature as it is written in a commit."""
        return f"{self.name} <{self.email}> {self.seconds} +0000"


class Commit(NamedTuple):
    """One commit as it was read, reachable from `source`; a message that is too large is left out."""

    id: str
    committed: int
    parents: tuple[str, ...]
    message: str
    source: str = ""
    oddity: str | None = None
    """What no commit of ours has: files, several parents, an unusual date or encoding, an immense size."""


class NewCommit(NamedTuple):
    """One commit to be written."""

    message: str
    author: Signature
    committer: Signature


def signature(person: str, seconds: int) -> Signature:
    """Return the signature of a person written as `Name <email>`."""
    name, _, email = person.partition("<")
    name = _NOT_IN_A_NAME.sub(" ", name).strip(_STRIPPED)
    email = _NOT_IN_A_NAME.sub("", email).strip(_STRIPPED)
    return Signature(name or "unknown", email, seconds)


def parse_record(record: str) -> Commit:
    """Return the commit of one record of `commit_reader.read_records`."""
    head, is_complete, message = record.partition("\n")
    names, _, parents = head.partition(",")
    object_id, source, tree, committed = names.split(" ", 3)
    commit = _without_message(object_id, tree, committed, tuple(parents.split()))
    if not is_complete:
        commit = commit._replace(oddity=f"has more than {LIMITS.log_commit_bytes} bytes")
    return commit._replace(message=message, source=source)


def from_object(object_id: str, data: bytes) -> Commit:
    """Return the commit that an object of git's holds."""
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    lines = [line.split(" ") for line in head.split("\n")]
    parents = tuple(line[1] for line in lines if line[0] == "parent" and len(line) == 2)
    tree = next((line[1] for line in lines if line[0] == "tree" and len(line) == 2), "")
    committer = next((line for line in lines if line[0] == "committer"), ["", "", ""])
    encoding = next((line[-1] for line in lines if line[0] == "encoding"), "")
    committed = committer[-2] + encoding if len(committer) > 2 else ""
    return _without_message(object_id, tree, committed, parents)._replace(message=message)


def _without_message(object_id: str, tree: str, committed: str, parents: tuple[str, ...]) -> Commit:
    """Return a commit; `committed` is a time in seconds, followed by an encoding where one is declared."""
    oddity = None
    if _SECONDS.fullmatch(committed) is None:
        committed, oddity = "0", "has an unusual date or encoding"
    elif tree not in EMPTY_TREES:
        oddity = "contains files"
    elif len(parents) > 1:
        oddity = "has several parents"
    return Commit(object_id, int(committed), parents, "", oddity=oddity)
