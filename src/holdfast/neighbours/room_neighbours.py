"""Combines the other rooms of a repository into one source of remarks for its tasks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

from holdfast.kernel.cache import Value
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.neighbours.comments import CommentsNeighbour
from holdfast.neighbours.commits import CommitsNeighbour
from holdfast.neighbours.findings import FindingsNeighbour
from holdfast.neighbours.inbox import InboxNeighbour
from holdfast.neighbours.milestones import MilestonesNeighbour
from holdfast.storage.git.history.commit_search import CommitSearch
from holdfast.storage.git.repository import Repository
from holdfast.tasks.neighbours import ROOMS, NearbyRemarks, Neighbours, RemarkKind, RemarkQuery, TaskRemark


class RoomNeighbours(Neighbours):
    """Reads the rooms of one workspace on behalf of its tasks."""

    def __init__(self, repository: Repository, room: Callable[[str], Any]) -> None:
        self._room = room
        self._commits = CommitSearch(repository)
        self._present = _present_rooms(repository)
        self._absent = [name for name in ROOMS if name not in self._present]

    def find_remarks(self, question: RemarkQuery) -> NearbyRemarks:
        nearby = NearbyRemarks(absent=list(self._absent))
        for name in self._present:
            if not (question.files or question.links or name == "git"):
                continue  # only commits can name the task, so the other rooms need not be opened
            try:
                remarks: Iterable[TaskRemark] = getattr(self, f"_{name}").about(question)
                for remark in remarks:
                    count = nearby.totals.get(remark.kind, 0) + 1
                    nearby.totals[remark.kind] = count
                    if count <= question.limit:
                        nearby.remarks.append(remark)
            except (Cancelled, DeadlineExceeded):
                raise
            except HoldfastError as failure:
                nearby.failures[name] = failure.message
        return nearby

    def find(self, kind: RemarkKind, ref: str, file: str | None) -> TaskRemark:
        """Return one remark, or raise `NotFound`; a comment is found by its id and its file."""
        if kind == "message":
            return self._inbox.find(ref)
        if kind == "comment":
            return self._comments.find(file or "", ref)
        return self._milestones.find(ref)

    def reply(self, remark: TaskRemark, text: str, author: str) -> bool:
        """Reply to a message or a comment; other remarks have no replies."""
        if remark.kind == "message":
            self._inbox.answer(remark.ref, text, author)
        elif remark.kind == "comment":
            path, _, name = remark.ref.rpartition("#")
            self._comments.answer(remark.file or path, name, text, author)
        else:
            return False
        return True

    def closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        """Return the names that refer to a closed milestone; none if milestones cannot be read."""
        if not names or "milestones" not in self._present:
            return frozenset()
        return _read_or(lambda: self._milestones.closed(names), frozenset())

    def unread_counts(self) -> Mapping[str, int]:
        """Return the number of undelivered messages by kind; empty if the inbox cannot be read."""
        return _read_or(lambda: {"review_messages": self._room("inbox").count("pending")}, {})

    def close(self) -> None:
        """Close the commit search; the rooms are closed by the workspace."""
        self._commits.close()

    # One adapter for each room, found by name in `find_remarks` and created once because it has a cache.

    @cached_property
    def _comments(self) -> CommentsNeighbour:
        return CommentsNeighbour(self._room("comments"))

    @cached_property
    def _inbox(self) -> InboxNeighbour:
        return InboxNeighbour(self._room("inbox"))

    @cached_property
    def _findings(self) -> FindingsNeighbour:
        return FindingsNeighbour(self._room("analyze"))

    @cached_property
    def _milestones(self) -> MilestonesNeighbour:
        return MilestonesNeighbour(self._room("milestones"))

    @cached_property
    def _git(self) -> CommitsNeighbour:
        return CommitsNeighbour(self._commits)


def _read_or(read: Callable[[], Value], default: Value) -> Value:
    """Return what a function reads, or `default` if the room cannot be read: tasks are shown without it."""
    try:
        return read()
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return default


def _present_rooms(repository: Repository) -> tuple[str, ...]:
    """Return the rooms that a repository can have."""
    need_work_tree = () if repository.bare else ("comments", "findings")
    need_git = () if repository.git_dir is None else ("milestones", "git")
    return tuple(name for name in ROOMS if name in {"inbox", *need_work_tree, *need_git})
