"""The rooms of a repository, introduced to each other by the workspace.

Contract:
- A room that is not there is named as absent; one that cannot be read is named with the reason. Neither keeps
  the others from being heard.
- Asking takes nothing: no message counts as delivered, no file is written. Only `answer` writes, where
  somebody asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Protocol

from holdfast.comments.notes import Note
from holdfast.comments.resources import address_of
from holdfast.comments.store import Comments
from holdfast.comments.writing import Writing
from holdfast.inbox.message import Message
from holdfast.inbox.store import Inbox
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError, InvalidArguments, NotFound
from holdfast.milestones import lookup
from holdfast.milestones.closing import closed_among
from holdfast.milestones.entity import Entity
from holdfast.milestones.store import Milestones
from holdfast.storage.commit_search import CommitSearch
from holdfast.storage.repo_path import RepoPath
from holdfast.storage.repository import Repository
from holdfast.tasks.neighbours import ROOMS, Question, Remark, RemarkKind, Surroundings

_MESSAGES_LOOKED_AT = 1000
_PAGE = 200


class Neighbour(Protocol):
    """One room, as the others see it."""

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield what it knows about a task."""


class InboxNeighbour:
    """Remarks that wait in the inbox."""

    def __init__(self, room: Inbox) -> None:
        self._room = room

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield the messages on the task's files that nobody has had, and those it is linked to."""
        linked = {ref for kind, ref in question.links if kind == "message"}
        for ref in sorted(linked):
            yield self.find(ref)
        if not question.files:
            return
        files = set(question.files)
        after = 0
        for _ in range(_MESSAGES_LOOKED_AT // _PAGE):
            page = self._room.messages("pending", after=after, limit=_PAGE)
            for message in page:
                if message.file in files and message.id not in linked:
                    yield _of_message(message)
            if len(page) < _PAGE:
                return
            after = page[-1].sequence

    def find(self, ref: str) -> Remark:
        """Return one message."""
        return _of_message(self._room.find(ref))

    def answer(self, ref: str, text: str, author: str) -> None:
        """Reply to a message."""
        self._room.reply(self._room.find(ref), text, author)


class CommentsNeighbour:
    """Comments anchored to code."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield the open comments on the task's files, where their code is now."""
        linked = {ref for kind, ref in question.links if kind == "comment"}
        files = [*question.files, *(ref.rpartition("#")[0] for ref in sorted(linked))]
        for path in dict.fromkeys(files):
            current_call().check()
            if not path or self._room.sidecar_bytes(RepoPath.parse(path)) is None:
                continue
            for note in self._room.load(path).comments:
                remark = _of_note(path, note)
                if remark.ref in linked or (path in question.files and note.status == "open"):
                    yield remark

    def find(self, path: str, name: str) -> Remark:
        """Return one comment by its file and its id."""
        found = self._room.load(path).comments
        for note in found:
            if name in (note.id, note.alias):
                return _of_note(path, note)
        raise NotFound(
            f"'{path}' has no comment {name!a}.", hint=f"It has {len(found)}; `list_comments` shows them."
        )

    def answer(self, path: str, name: str, text: str, author: str) -> None:
        """Reply to a comment."""
        Writing(self._room).reply(RepoPath.parse(path), name, text, author)


class MilestonesNeighbour:
    """Issues and milestones in git."""

    def __init__(self, room: Milestones) -> None:
        self._room = room

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield the issues and milestones that the task is linked to, and open issues linked to its files."""
        named = [ref for kind, ref in question.links if kind in ("issue", "milestone")]
        if not named and not question.files:
            return
        with self._room.reading() as connection:
            for path in question.files:
                query = (
                    "SELECT entity.id FROM link JOIN entity ON entity.id = link.entity"
                    " WHERE link.target = ? AND entity.status = 'open' ORDER BY entity.id LIMIT ?"
                )
                named += [row[0] for row in connection.execute(query, (path, question.limit))]
            for ref in dict.fromkeys(named):
                try:
                    yield _of_entity(lookup.entity(connection, None, ref))
                except (NotFound, InvalidArguments):
                    continue  # an issue of another tracker, such as GitHub's

    def find(self, ref: str) -> Remark:
        """Return one issue or milestone."""
        return _of_entity(self._room.get(None, ref))

    def closed(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone."""
        with self._room.reading() as connection:
            return closed_among(connection, names)


class CommitsNeighbour:
    """Commits that name a task."""

    def __init__(self, search: CommitSearch) -> None:
        self._search = search

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield the newest commits that name the task."""
        for commit in self._search.naming(question.name, question.limit):
            yield Remark("commit", commit.id, commit.subject, author=commit.author, at=commit.time)


class RoomNeighbours:
    """The rooms of one workspace, asked on behalf of its tasks."""

    def __init__(self, repository: Repository, room: Callable[[str], Any]) -> None:
        """`room` opens a room by its name."""
        self._room = room
        self._commits = CommitSearch(repository)
        self._present = _rooms_of(repository)
        self._absent = [name for name in ROOMS if name not in self._present]
        self._milestones_seen: tuple[object, dict[str, bool]] = (None, {})

    def around(self, question: Question) -> Surroundings:
        """Return what the other rooms know about a task."""
        found = Surroundings(absent=list(self._absent))
        for name in self._present:
            try:
                for remark in self._neighbour(name).about(question):
                    known = found.totals[remark.kind] = found.totals.get(remark.kind, 0) + 1
                    if known <= question.limit:
                        found.remarks.append(remark)
            except (Cancelled, DeadlineExceeded):
                raise
            except HoldfastError as failure:
                found.failures[name] = failure.message
        return found

    def find(self, kind: RemarkKind, ref: str, file: str | None) -> Remark:
        """Return one thing that another room knows."""
        if kind == "message":
            return InboxNeighbour(self._room("inbox")).find(ref)
        if kind == "comment":
            return CommentsNeighbour(self._room("comments")).find(file or "", ref)
        return MilestonesNeighbour(self._room("milestones")).find(ref)

    def answer(self, remark: Remark, text: str, author: str) -> bool:
        """Tell whoever made a remark what became of it."""
        if remark.kind == "message":
            InboxNeighbour(self._room("inbox")).answer(remark.ref, text, author)
        elif remark.kind == "comment":
            path, _, name = remark.ref.rpartition("#")
            CommentsNeighbour(self._room("comments")).answer(path, name, text, author)
        else:
            return False
        return True

    def closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone; none where that cannot be found out.

        What was found counts until a log of the milestones changes, whoever changes it.
        """
        if not names or "milestones" not in self._present:
            return frozenset()
        try:
            return self._closed_milestones(names)
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return frozenset()

    def _closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        room = self._room("milestones")
        tips = room.fingerprint()  # looked at first: what comes in meanwhile is asked for again
        seen, known = self._milestones_seen
        if seen != tips:
            known = {}
        unknown = [name for name in names if name not in known]
        if unknown:
            closed = MilestonesNeighbour(room).closed(unknown)
            known = known | {name: name in closed for name in unknown}
            self._milestones_seen = (tips, known)
        return frozenset(name for name in names if known[name])

    def waiting(self) -> Mapping[str, int]:
        """Return how many messages nobody has had; nothing where the inbox cannot be read."""
        try:
            return {"review_messages": self._room("inbox").count("pending")}
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return {}

    def close(self) -> None:
        """End what was started here; the rooms are closed by whoever opened them."""
        self._commits.close()

    def _neighbour(self, name: str) -> Neighbour:
        if name == "inbox":
            return InboxNeighbour(self._room("inbox"))
        if name == "comments":
            return CommentsNeighbour(self._room("comments"))
        if name == "milestones":
            return MilestonesNeighbour(self._room("milestones"))
        return CommitsNeighbour(self._commits)


def _rooms_of(repository: Repository) -> tuple[str, ...]:
    rooms = ["inbox"] if repository.bare else ["comments", "inbox"]
    return (*rooms, "milestones", "git") if repository.git_dir is not None else tuple(rooms)


def _of_message(message: Message) -> Remark:
    lines = (message.line or message.changed_lines or "").partition("-")
    first, last = (int(part) if part.isdecimal() else None for part in (lines[0], lines[2]))
    return Remark(
        kind="message",
        ref=message.id,
        text=message.comment,
        uri="lazygit://history",
        file=None if message.file == "." else message.file,
        line=first,
        end_line=last,
        author=message.author,
        at=message.time,
        state=message.state,
    )


def _of_entity(entity: Entity) -> Remark:
    return Remark(
        kind=entity.kind,
        ref=entity.id,
        text=entity.description,
        uri=f"git-mile://entity/{entity.id}",
        title=entity.title,
        author=entity.author,
        at=entity.updated,
        state=entity.status,
        labels=tuple(entity.labels),
    )


def _of_note(path: str, note: Note) -> Remark:
    return Remark(
        kind="comment",
        ref=f"{path}#{note.alias}",
        text=note.shown_text,
        uri=address_of(path),
        file=path,
        line=note.line,
        end_line=note.end_line,
        author=note.author,
        at=note.updated,
        state="orphaned" if note.orphaned else note.status,
        labels=(note.tag,) if note.tag else (),
    )
