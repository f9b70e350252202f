"""Reads memories with what became of their code.

Contract:
- A memory is what its document says when the question is asked, and the verdict is about the code at that
  moment.
- A verdict that cannot be given is None, with the reason.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.comments.memory import ranking
from holdfast.comments.memory.ranking import IndexedMemory
from holdfast.comments.memory.record import MemoryRecord, record_of
from holdfast.comments.memory.verdict import MAX_DIFFERENCES, CodeVerdict, Found, State, judge, judge_file
from holdfast.comments.memory.word_index import note_from_json
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import REPOSITORY_NOTES, SUFFIX, CurrentSource
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Confidence
from holdfast.kernel.errors import NotFound
from holdfast.storage.files.repo_path import RepoPath, is_folder

UNKNOWN_VERSION = "the version that it was written for is not in this clone"
NOT_COMPARED = "there was no commit to compare with when it was written"


class Recollection(NamedTuple):
    """A memory, where it is stored, and what became of its code."""

    path: str
    """The source file it is with now, or `.holdfast` for the document of the repository."""
    note: Note
    record: MemoryRecord
    verdict: CodeVerdict | None
    reason: str | None = None
    """Why there is no verdict."""
    blob: str | None = None
    """The git blob id of the source that the verdict is about."""

    @property
    def place(self) -> tuple[int, int | None] | None:
        """The first and the last line of its code now, or None if that is not known."""
        if self.verdict is not None:
            return None if self.verdict.line is None else (self.verdict.line, self.verdict.end_line)
        location = self.note.location
        is_known = location.confidence in (Confidence.HIGH, Confidence.MEDIUM)
        return (location.line, location.end_line) if is_known else None


def find_memory(room: Comments, name: str) -> Recollection:
    """Return a memory by its id, or raise `NotFound`."""
    for indexed in room.search.read(lambda connection: ranking.by_name(connection, name)) or ():
        found = recollect(room, indexed)
        if found is not None:
            return found
    raise NotFound(f"There is no memory {name}.", hint="`recall` shows the ids of memories.")


def recollect(room: Comments, indexed: IndexedMemory) -> Recollection | None:
    """Return a memory with its verdict, or None if it was removed meanwhile."""
    path, note = indexed.path, note_from_json(indexed.note)
    if path != REPOSITORY_NOTES and room.search.source_signature(path) != indexed.source:
        located = room.load_owned(path, room.moves()).find(indexed.name)
        if located is None:
            return None
        note = located
    record = record_of(note)
    if record is None:
        return None
    if path == REPOSITORY_NOTES:
        return Recollection(path, note, record, *_judge_folder(room, record))
    current = room.current_source(RepoPath.parse(path))
    verdict, reason = _judge_code(room, note, record, current)
    return Recollection(path, note, record, verdict, reason, None if current is None else current.blob)


def _judge_code(
    room: Comments, note: Note, record: MemoryRecord, current: CurrentSource | None
) -> tuple[CodeVerdict | None, str | None]:
    location = note.location
    if current is None:
        return CodeVerdict("gone", "high", reason="file_deleted"), None
    old = room.annotated_version(note)
    if old is None:
        return None, UNKNOWN_VERSION
    if record.scope == "file":
        return judge_file(old, current.version), None
    found = Found(location.line, location.end_line, location.confidence, location.reason)
    return judge(old, note.original_anchor, current.version, found), None


def _judge_folder(room: Comments, record: MemoryRecord) -> tuple[CodeVerdict | None, str | None]:
    """Compare the commits of a folder; confidence is medium, as uncommitted changes do not count."""
    if record.folder and not is_folder(room.repository.root, record.folder):
        return CodeVerdict("gone", "high", reason="folder_deleted"), None
    if record.commit is None:
        return None, NOT_COMPARED
    changed = room.history.changed_since(record.commit, record.folder)
    if changed is None:
        return None, UNKNOWN_VERSION
    files = [f"~ {path}" for path in changed if not path.endswith(SUFFIX)]  # memories change no code
    state: State = "edited" if files else "unchanged"
    return CodeVerdict(state, "medium", differences=tuple(files[:MAX_DIFFERENCES]), changed=len(files)), None
