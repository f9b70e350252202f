"""How things in other rooms are named: by an address, or by the id that people see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.neighbours import Remark, RemarkKind
from holdfast.tasks.store.records import Link

_MESSAGE = re.compile(r"(?:lazygit://(?:messages|history)[#/])?(?P<id>m_[0-9a-f]{4,64})")
_COMMENT = re.compile(r"(?:comment://workspace/(?P<uri>.+)\.comments|(?P<path>[^#]+))#(?P<id>[\w-]{1,80})")
_ENTITY = re.compile(r"(?:git-mile://entity/|(?:issue|milestone):)(?P<id>[0-9a-f-]{4,64})")
_FORMS = "m_… for a message, FILE#c_… for a comment, or git-mile://entity/… for an issue"


@dataclass(frozen=True)
class Place:
    """Something in another room."""

    kind: RemarkKind
    ref: str
    file: str | None = None


def place_of(text: str) -> Place:
    """Return what an address or id means, or say which forms there are."""
    text = text.strip()
    if found := _MESSAGE.fullmatch(text):
        return Place("message", found["id"])
    if found := _ENTITY.fullmatch(text):
        return Place("issue", found["id"])
    if found := _COMMENT.fullmatch(text):
        path = unquote(found["uri"]) if found["uri"] else found["path"]
        return Place("comment", found["id"], RepoPath.parse(path).text)
    raise InvalidArguments(f"{text[:100]!a} names nothing in another room.", hint=f"Give {_FORMS}.")


def link_to(remark: Remark) -> Link:
    """Return the link of a task to what another room knows."""
    title = remark.title or " ".join(remark.text.split())[:100]
    return Link(remark.kind, remark.ref, remark.uri, title or None)
