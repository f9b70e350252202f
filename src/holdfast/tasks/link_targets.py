"""The targets of links from tasks: parses ids and URIs of comments, messages and issues, and checks them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import unquote

from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError, InvalidArguments, NotFound
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.models import LinkIn, LinkKind
from holdfast.tasks.store.records import TaskLink

if TYPE_CHECKING:
    from holdfast.tasks.neighbours import Neighbours, RemarkKind, TaskRemark
    from holdfast.tasks.store.tasks import Tasks


_MESSAGE_PATTERN = re.compile(r"(?:lazygit://(?:messages|history)[#/])?(?P<id>m_[0-9a-f]{4,64})")
_COMMENT_PATTERN = re.compile(
    r"(?:comment://workspace/(?P<uri>.+)\.comments|(?P<path>[^#]+))#(?P<id>[\w-]{1,80})"
)
_ISSUE_PATTERN = re.compile(r"(?:git-mile://entity/|(?:issue|milestone):)(?P<id>[0-9a-f-]{4,64})")
_ACCEPTED_FORMS = "m_… for a message, FILE#c_… for a comment, or git-mile://entity/… for an issue"
_TASK_PATTERN = re.compile(r"taskpilot://workspace/[^/]+/tasks/(?P<id>TP-[0-9]+)")
_OWN_ISSUE_PATTERN = re.compile(r"(?=.*[a-f])[0-9a-f-]{4,64}")
"""An id of an issue in this repository: hexadecimal with a letter, while other trackers use plain numbers."""


class LinkTarget(NamedTuple):
    """A comment, message or issue in another room."""

    kind: RemarkKind
    ref: str
    file: str | None = None


def parse_target(text: str) -> LinkTarget:
    """Return what an id or URI refers to; raise if it has none of the accepted forms."""
    text = text.strip()
    if found := _MESSAGE_PATTERN.fullmatch(text):
        return LinkTarget("message", found["id"])
    if found := _ISSUE_PATTERN.fullmatch(text):
        return LinkTarget("issue", found["id"])
    if found := _COMMENT_PATTERN.fullmatch(text):
        path = unquote(found["uri"]) if found["uri"] else found["path"]
        return LinkTarget("comment", found["id"], RepoPath.parse(path).text)
    raise InvalidArguments(
        f"{text[:100]!a} is not a message, comment or issue.", hint=f"Give {_ACCEPTED_FORMS}."
    )


def link_records(links: Sequence[LinkIn]) -> list[TaskLink]:
    """Return links as records of the store. A URI is enough, as it determines kind and ref."""
    return [TaskLink(*_kind_and_ref(item), item.uri, item.title) for item in links]


def _kind_and_ref(link: LinkIn) -> tuple[LinkKind, str]:
    if link.kind is not None and link.ref is not None:
        return link.kind, link.ref
    if link.uri is None:
        raise InvalidArguments(
            "A link needs `uri`, or `kind` and `ref`.", hint=f"As `uri`, give {_ACCEPTED_FORMS}."
        )
    if found := _TASK_PATTERN.fullmatch(link.uri):
        return link.kind or "task", link.ref or found["id"]
    if link.uri.startswith(("https://", "http://")):
        return link.kind or "url", link.ref or link.uri
    target = parse_target(link.uri)
    ref = target.ref if target.file is None else f"{target.file}#{target.ref}"
    return link.kind or cast("LinkKind", target.kind), link.ref or ref


def find_linked(neighbours: Neighbours, kind: str, ref: str) -> TaskRemark | None:
    """Return the comment or issue that a link refers to, or None if its room cannot be read now.

    If it does not exist, raise `NotFound`, or return None for an issue that may be one of another tracker.
    """
    path, _, comment = ref.rpartition("#")
    try:
        return neighbours.find(cast("RemarkKind", kind), comment if kind == "comment" else ref, path)
    except NotFound:
        if kind == "comment" or _OWN_ISSUE_PATTERN.fullmatch(ref):
            raise NotFound(
                f"There is no {kind} {ref[:100]!a} to link to.",
                hint=f"Give {_ACCEPTED_FORMS}, with its current path.",
            ) from None
        return None
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return None


def check_link_targets(room: Tasks, links: Iterable[TaskLink]) -> None:
    """Raise if a link refers to a comment or an issue that does not exist."""
    for link in links:
        if link.kind in ("comment", "issue"):
            find_linked(room.neighbours, link.kind, link.ref)
