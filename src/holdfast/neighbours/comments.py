"""Reads comments on a task's files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import InvalidPath, NotFound
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.neighbours import RemarkQuery, TaskRemark

if TYPE_CHECKING:
    from holdfast.comments.anchors.moved_code import Moves
    from holdfast.comments.sidecar.document import Sidecar
    from holdfast.comments.sidecar.note import Note
    from holdfast.comments.store import Comments


class CommentsNeighbour:
    """Reads comments as remarks, at the current position of their code."""

    def __init__(self, room: Comments) -> None:
        self._room = room
        self._cache: VersionedCache[tuple[tuple[TaskRemark, bool], ...]] = VersionedCache()

    def about(self, question: RemarkQuery) -> Iterator[TaskRemark]:
        """Yield the open comments on the task's files, and the comments that it links to."""
        linked = {ref for kind, ref in question.links if kind == "comment"}
        files = [*question.files, *(ref.rpartition("#")[0] for ref in sorted(linked))]
        moves = self._room.moves() if files else None
        shown = set()
        for path in dict.fromkeys(files):
            current_call().check()
            for remark, is_open in self._comments_on(path, moves) if path else ():
                if remark.ref in linked or (is_open and path in question.files):
                    shown.add(remark.ref)
                    yield remark
        for ref in sorted(linked - shown):
            path, _, comment_id = ref.rpartition("#")
            with suppress(NotFound, InvalidPath):
                yield self.find(path, comment_id)

    def _comments_on(self, path: str, moves: Moves | None) -> tuple[tuple[TaskRemark, bool], ...]:
        """Return the comments on a file, each with whether it is open; without a sidecar it costs a stat."""
        is_moving = moves is not None and (path in moves.arriving or path in moves.homes)
        # The signatures of the sidecar and, if that exists, of the source; None if they cannot be relied on.
        version = None if is_moving else self._room.sign(path)
        if version is not None and version[0] is None:
            return ()
        if (cached := self._cache.get(path, version)) is not None:
            return cached
        if not is_moving and self._room.sidecar_bytes(RepoPath.parse(path)) is None:
            return ()
        sidecar = self._room.load(path)
        remarks = tuple((_remark(path, note), note.status == "open") for note in sidecar.comments)
        has_source = version is not None and version[1] is not None
        is_cacheable = has_source and self._room.is_unmodified(sidecar)
        return self._cache.put(path, version if is_cacheable else None, remarks)

    def find(self, path: str, name: str) -> TaskRemark:
        """Return one comment by its id and its file, or the file that it was in before."""
        sidecar: Sidecar | None = None
        with suppress(NotFound):
            sidecar = self._room.load(path)
        current_path, note = path, None if sidecar is None else sidecar.find(name)
        if note is None and (new_path := self._room.search.path_of(name)) is not None:
            current_path, note = new_path, self._room.load(new_path).find(name)
        if note is None:
            count = 0 if sidecar is None else len(sidecar.comments)
            raise NotFound(
                f"'{path}' has no comment {name!a}.",
                hint=f"It has {count} comments; `list_comments` shows them.",
            )
        return replace(_remark(current_path, note), ref=f"{path}#{note.alias}")

    def answer(self, path: str, name: str, text: str, author: str) -> None:
        from holdfast.comments.comment_writer import CommentWriter

        CommentWriter(self._room).reply(RepoPath.parse(path), name, text, author)


def _remark(path: str, note: Note) -> TaskRemark:
    from holdfast.comments.resources import comments_uri
    from holdfast.comments.sidecar.note import MOVED_REASON

    moved = note.location.candidates[0] if note.reason == MOVED_REASON else None
    place = path if moved is None or moved.path is None else moved.path
    return TaskRemark(
        kind="comment",
        ref=f"{path}#{note.alias}",
        text=note.shown_text,
        uri=comments_uri(place),
        file=place,
        line=note.line,
        end_line=note.end_line,
        author=note.author,
        at=note.updated,
        state="orphaned" if note.orphaned and moved is None else note.status,
        labels=(note.tag,) if note.tag else (),
    )
