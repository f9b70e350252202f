"""What the other rooms know about a task, from comments to commits, each of them behind an adapter.

Contract:
- A room that is not there is named as absent; one that cannot be read is named with the reason. Neither keeps
  the others from being heard.
- What a room told is cached, and told again as long as a cheap fingerprint says that nothing changed there: a
  look at files of comments and tasks, the data version of the inbox, the tips of the logs, the last commit.
- A task without files and links is asked of git alone: no other room could know it.
- Asking takes nothing: no message counts as delivered, no file is written. Only `answer` writes, where
  somebody asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.kernel.cache import Answer, VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import (
    Cancelled,
    DeadlineExceeded,
    HoldfastError,
    InvalidArguments,
    InvalidPath,
    NotFound,
)
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.commit_search import CommitSearch
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.file_signature import sign_of
from holdfast.tasks.neighbours import ROOMS, Neighbours, Question, Remark, RemarkKind, Surroundings

if TYPE_CHECKING:
    import sqlite3

    from holdfast.analysis.context.measurements import Issue
    from holdfast.analysis.room import Analysis
    from holdfast.comments.anchors.moved_code import Moves
    from holdfast.comments.sidecar.note import Note
    from holdfast.comments.store import Comments
    from holdfast.inbox.message import Message
    from holdfast.inbox.store import Inbox
    from holdfast.milestones.entity import Entity
    from holdfast.milestones.store import Milestones

_MESSAGES_LOOKED_AT = 1000


class InboxNeighbour:
    """Remarks that wait in the inbox."""

    def __init__(self, room: Inbox) -> None:
        self._room = room
        self._told: VersionedCache[tuple[Remark, ...]] = VersionedCache()

    def about(self, question: Question) -> Iterable[Remark]:
        """Return the messages on the task's files that nobody has had, and those it is linked to."""
        linked = tuple(sorted({ref for kind, ref in question.links if kind == "message"}))
        asked = (linked, tuple(question.files))
        if asked == ((), ()):
            return ()
        sign = self._room.sign()
        known = self._told.get(asked, sign)
        return known if known is not None else self._told.put(asked, sign, tuple(self._found(*asked)))

    def _found(self, linked: tuple[str, ...], files: tuple[str, ...]) -> Iterator[Remark]:
        yield from (self.find(ref) for ref in linked)
        for message in self._room.pending_on(files, _MESSAGES_LOOKED_AT) if files else ():
            if message.id not in linked:
                yield _of_message(message)

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
        self._told: VersionedCache[tuple[tuple[Remark, bool], ...]] = VersionedCache()

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield the open comments on the task's files, where their code is now."""
        linked = {ref for kind, ref in question.links if kind == "comment"}
        files = [*question.files, *(ref.rpartition("#")[0] for ref in sorted(linked))]
        moves = self._room.moves() if files else None
        told = set()
        for path in dict.fromkeys(files):
            current_call().check()
            for remark, is_open in self._on(path, moves) if path else ():
                if remark.ref in linked or (is_open and path in question.files):
                    told.add(remark.ref)
                    yield remark
        for ref in sorted(linked - told):
            with suppress(NotFound, InvalidPath):
                yield self.find(*ref.rpartition("#")[::2])

    def _on(self, path: str, moves: Moves | None) -> tuple[tuple[Remark, bool], ...]:
        """Return the comments on a file, each with whether it is open; a file that has none costs a look."""
        is_moving = moves is not None and (path in moves.arriving or path in moves.homes)
        sign = None if is_moving else self._room.sign(path)
        if sign is not None and sign[0] is None:
            return ()
        if (known := self._told.get(path, sign)) is not None:
            return known
        if not is_moving and self._room.sidecar_bytes(RepoPath.parse(path)) is None:
            return ()
        sidecar = self._room.load(path)
        told = tuple((_of_note(path, note), note.status == "open") for note in sidecar.comments)
        has_source = sign is not None and sign[1] is not None
        return self._told.put(path, sign if has_source and self._room.is_settled(sidecar) else None, told)

    def find(self, path: str, name: str) -> Remark:
        """Return one comment by its file, or by the one that it was in, and its id."""
        found: list[Note] = []
        with suppress(NotFound):
            found = self._room.load(path).comments
        elsewhere = (
            None if any(name in (note.id, note.alias) for note in found) else self._room.search.path_of(name)
        )
        for note in found if elsewhere is None else self._room.load(elsewhere).comments:
            if name in (note.id, note.alias):
                return replace(_of_note(elsewhere or path, note), ref=f"{path}#{note.alias}")
        raise NotFound(
            f"'{path}' has no comment {name!a}.", hint=f"It has {len(found)}; `list_comments` shows them."
        )

    def answer(self, path: str, name: str, text: str, author: str) -> None:
        """Reply to a comment."""
        from holdfast.comments.store import Writer

        Writer(self._room).reply(RepoPath.parse(path), name, text, author)


class MilestonesNeighbour:
    """Issues and milestones in git."""

    def __init__(self, room: Milestones) -> None:
        self._room = room
        self._told: VersionedCache[Any] = VersionedCache()

    def about(self, question: Question) -> Iterable[Remark]:
        """Return issues and milestones that the task is linked to, and open issues linked to its files."""
        named = tuple(ref for kind, ref in question.links if kind in ("issue", "milestone"))
        if not named and not question.files:
            return ()
        asked = (named, tuple(question.files), question.limit)
        return self._asked(asked, lambda connection: tuple(_entities(connection, *asked)))

    def find(self, ref: str) -> Remark:
        """Return one issue or milestone."""
        return _of_entity(self._room.get(None, ref))

    def closed(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone."""
        from holdfast.milestones.index.lookup import closed_among

        asked = tuple(sorted(names))
        return self._asked(asked, lambda connection: closed_among(connection, asked))

    def _asked(self, asked: Hashable, look: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Return what the index answers, as long as no log changes."""
        from holdfast.milestones.index.update import damaged_in

        sign = self._room.fingerprint()  # looked at first: what comes in meanwhile is asked for again
        known: Answer | None = self._told.get(asked, sign)
        if known is not None:
            return known
        is_damaged, told = self._room.ask(lambda connection: (damaged_in(connection), look(connection)))
        # A damaged log may be mended without its tip moving.
        self._told.put(asked, None if is_damaged else sign, told)
        return told


class FindingsNeighbour:
    """What analyses find in the task's files."""

    def __init__(self, room: Analysis) -> None:
        self._room = room
        self._told: VersionedCache[tuple[Issue, ...]] = VersionedCache()

    def about(self, question: Question) -> list[Remark]:
        """Return what is to be mended in the task's files, the most costly first."""
        found = [issue for path in dict.fromkeys(question.files) for issue in self._in(path)]
        return [_of_issue(issue) for issue in sorted(found, key=lambda issue: -issue.minutes)]

    def _in(self, path: str) -> tuple[Issue, ...]:
        # Parsers, which tasks without files do not need.
        from holdfast.analysis.context.file_findings import file_issues

        current_call().check()
        sign = sign_of([f"{self._room.repository.root}/{path}"])
        known = self._told.get(path, sign)
        return self._told.put(path, sign, tuple(file_issues(self._room, path))) if known is None else known


class CommitsNeighbour:
    """Commits that name a task."""

    def __init__(self, search: CommitSearch) -> None:
        self._search = search

    def about(self, question: Question) -> Iterator[Remark]:
        """Yield the newest commits that name the task."""
        for commit in self._search.naming(question.name, question.limit):
            yield Remark("commit", commit.id, commit.subject, author=commit.author, at=commit.time)


def _entities(
    connection: sqlite3.Connection, named: tuple[str, ...], files: tuple[str, ...], limit: int
) -> Iterator[Remark]:
    from holdfast.milestones.index import lookup

    refs = list(named)
    for path in files:
        refs += lookup.open_linked_to(connection, path, limit)
    for ref in dict.fromkeys(refs):
        try:
            yield _of_entity(lookup.entity(connection, None, ref))
        except (NotFound, InvalidArguments):
            continue  # an issue of another tracker, such as GitHub's


class RoomNeighbours(Neighbours):
    """The rooms of one workspace, asked on behalf of its tasks."""

    def __init__(self, repository: Repository, room: Callable[[str], Any]) -> None:
        """`room` opens a room by its name."""
        self._room = room
        self._commits = CommitSearch(repository)
        self._present = _rooms_of(repository)
        self._absent = [name for name in ROOMS if name not in self._present]

    def around(self, question: Question) -> Surroundings:
        """Return what the other rooms know about a task."""
        found = Surroundings(absent=list(self._absent))
        for name in self._present:
            if not (question.files or question.links or name == "git"):
                continue  # only commits can name it; the rooms need not even be opened
            try:
                remarks: Iterable[Remark] = getattr(self, f"_{name}").about(question)
                for remark in remarks:
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
            return self._inbox.find(ref)
        if kind == "comment":
            return self._comments.find(file or "", ref)
        return self._milestones.find(ref)

    def answer(self, remark: Remark, text: str, author: str) -> bool:
        """Tell whoever made a remark what became of it."""
        if remark.kind == "message":
            self._inbox.answer(remark.ref, text, author)
        elif remark.kind == "comment":
            path, _, name = remark.ref.rpartition("#")
            self._comments.answer(remark.file or path, name, text, author)
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
            return self._milestones.closed(names)
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return frozenset()

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

    # Each under the name of its room; the same ones each time, with what they remember.

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


def _rooms_of(repository: Repository) -> tuple[str, ...]:
    in_files = () if repository.bare else ("comments", "findings")
    in_git = () if repository.git_dir is None else ("milestones", "git")
    return tuple(name for name in ROOMS if name in {"inbox", *in_files, *in_git})


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


def _of_issue(issue: Issue) -> Remark:
    finding = issue.finding
    ref = f"{finding.path}#{finding.rule}:{finding.line}"
    place = (finding.path, finding.line, finding.end_line)
    return Remark("finding", ref, finding.message, None, None, *place, state=issue.severity)


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
    from holdfast.comments.resources import address_of
    from holdfast.comments.sidecar.note import MOVED

    moved = note.location.candidates[0] if note.reason == MOVED else None
    place = path if moved is None or moved.path is None else moved.path
    return Remark(
        kind="comment",
        ref=f"{path}#{note.alias}",
        text=note.shown_text,
        uri=address_of(place),
        file=place,
        line=note.line,
        end_line=note.end_line,
        author=note.author,
        at=note.updated,
        state="orphaned" if note.orphaned and moved is None else note.status,
        labels=(note.tag,) if note.tag else (),
    )
