"""Writes memories: new ones, and what people and agents say about them later.

Contract:
- Everything that a memory said stays readable: a correction keeps the former text with its author, a
  retirement keeps the memory.
- Confirming or correcting a memory anchors it to the code as it is now. If its place is uncertain or its code
  is gone, a confirmation is refused.
- Each change is one durable write of one document, under its lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.memory.recollection import Recollection, find_memory
from holdfast.comments.memory.record import (
    CONFIRMED,
    MEMORY_KEY,
    RETIRED,
    SUPERSEDED,
    memory_data,
    step_to_json,
)
from holdfast.comments.memory.subject import Subject
from holdfast.comments.sidecar.files import CommentDraft, SidecarChange
from holdfast.comments.sidecar.note import Note, NoteLocation
from holdfast.comments.sidecar.source import REPOSITORY_NOTES
from holdfast.comments.store import Comments
from holdfast.kernel.errors import Conflict
from holdfast.storage.files.repo_path import RepoPath

_REPOSITORY = RepoPath((REPOSITORY_NOTES,))
_TAG = "NOTE"
"""The tag of memories, by which the VS Code extension shows them."""


class MemoryWriter:
    """Writes the memories of one work tree."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def add(self, subject: Subject, text: str, author: str) -> str:
        """Write a memory and return its id."""
        data: dict[str, Any] = {"scope": subject.scope}
        if subject.symbol is not None:
            data["symbol"] = subject.symbol
        if subject.path is not None:
            draft = CommentDraft(
                subject.line, text, author, _TAG, end_line=subject.end_line, extra={MEMORY_KEY: data}
            )
            return CommentWriter(self._room).add(subject.path, draft).note.alias
        if subject.folder:
            data["folder"] = subject.folder
        with self._changing_repository() as change:
            note = self._repository_note(change, text, author)
            note.raw[MEMORY_KEY] = data
            self._remember_commit(note)
            return note.alias

    def confirm(self, name: str, by: str) -> Recollection:
        """Confirm that a memory holds for the present code, and anchor it there."""
        found = find_memory(self._room, name)
        verdict = found.verdict
        if found.path != REPOSITORY_NOTES and found.place is None:
            raise Conflict(
                f"It is not known which code {name} is about now.",
                hint="Move it to its code with `move_comment`, correct it, or retire it.",
            )
        if verdict is not None and verdict.state == "gone":
            raise Conflict(f"The folder that {name} is about is gone.", hint="Correct it or retire it.")
        with self._changing(found) as (change, note):
            self._append(note, CONFIRMED, step_to_json(by, change.time))
            self._anchor(change, note, found)
        return find_memory(self._room, name)

    def correct(self, name: str, text: str, by: str) -> Recollection:
        """Replace the text of a memory; the former text is kept."""
        found = find_memory(self._room, name)
        with self._changing(found) as (change, note):
            self._append(note, SUPERSEDED, step_to_json(note.author, found.note.updated, note.text))
            memory_data(note).pop(RETIRED, None)
            note.raw |= {"text": text, "author": by}
            self._anchor(change, note, found)
        return find_memory(self._room, name)

    def retire(self, name: str, reason: str, by: str) -> Recollection:
        """Mark a memory as no longer of use; it is kept."""
        found = find_memory(self._room, name)
        with self._changing(found) as (change, note):
            memory_data(note)[RETIRED] = step_to_json(by, change.time, reason)
        return find_memory(self._room, name)

    @contextmanager
    def _changing(self, found: Recollection) -> Iterator[tuple[SidecarChange, Note]]:
        if found.path == REPOSITORY_NOTES:
            with self._changing_repository() as change:
                note = change.find(found.note.alias)
                change.mark(note)
                yield change, note
            return
        with CommentWriter(self._room).changing_one(RepoPath.parse(found.path), found.note.alias) as (
            change,
            note,
        ):
            change.mark(note)
            yield change, note

    @contextmanager
    def _changing_repository(self) -> Iterator[SidecarChange]:
        with self._room.locks.holding(REPOSITORY_NOTES):
            change = self._room.begin(_REPOSITORY, None)
            self._room.read(change, as_stored=True)
            yield change
            self._room.finish(change)

    def _repository_note(self, change: SidecarChange, text: str, author: str) -> Note:
        comment = {
            "id": f"c_{self._room.numbers(2)}",
            "line": 1,
            "text": text,
            "author": author,
            "created": change.time,
            "updated": change.time,
            "tag": _TAG,
        }
        change.sidecar.raw["comments"].append(comment)
        note = Note(comment, None, NoteLocation(1))
        change.sidecar.comments.append(note)
        change.touched.add(note.id)
        return note

    def _anchor(self, change: SidecarChange, note: Note, found: Recollection) -> None:
        """Anchor a memory to the code as it is now, if it is known where that is."""
        if found.path == REPOSITORY_NOTES:
            self._remember_commit(note)
        elif found.place is not None:
            if change.current is None or change.current.blob != found.blob:
                raise Conflict(f"'{found.path}' was changed meanwhile.", hint="Recall the memory again.")
            note.location = NoteLocation(*found.place)
            change.anchor(note, found.place[0])

    def _remember_commit(self, note: Note) -> None:
        head = self._room.history.head()
        if head is not None:
            memory_data(note)["commit"] = head

    def _append(self, note: Note, key: str, step: dict[str, str]) -> None:
        steps = memory_data(note).get(key)
        memory_data(note)[key] = [*(steps if isinstance(steps, list) else []), step]
