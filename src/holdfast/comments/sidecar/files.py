"""Sidecar files on disk: read with what others overwrote, and changed under a lock in one durable step.

Contract:
- A change is a read-modify-write under a lock: it reads the sidecar anew and merges with what we
  wrote before, so that neither another process nor an editor loses anything by it. A sidecar
  that cannot be read is not written.
- When a change was finished, it is on disk. When finishing raises, the sidecar is as it was before.
- The version that a new comment was written for is on disk before the comment is.
- A document that nobody else has written since we did is taken apart only if more than an addition is made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from holdfast.comments.errors import CommentFileCorrupted, CommentNotFound, InvalidLineNumber, SourceNotFound
from holdfast.comments.sidecar.archive import (
    LOCKS_NAME,
    NUMBERS_NAME,
    Archive,
    Entry,
    Record,
    blob_id,
    entry_of,
    lost_updates,
    restore,
    tombstone,
)
from holdfast.comments.sidecar.document import (
    Sidecar,
    appended,
    bytes_of,
    comment_ids,
    detach,
    digest_of,
    empty,
    read,
)
from holdfast.comments.sidecar.marker import Completion
from holdfast.comments.sidecar.note import EVIDENCE, AnchorSymbol, Location, Note, marker_name
from holdfast.comments.sidecar.source import (
    SUFFIX,
    Present,
    anchor_symbol,
    decoded,
    refusals_named,
    sidecar_of,
)
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import Clock
from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge, Unconfirmed, closest
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.foreign_document import UnreadableDocument
from holdfast.storage.files.locks import Locks, next_number
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.history.file_history import FileHistory
from holdfast.storage.git.repository import Repository


class Draft(NamedTuple):
    """A comment to be written."""

    line: int
    text: str
    author: str
    tag: str | None = None
    ai: dict[str, Any] | None = None
    end_line: int | None = None


@dataclass
class Change:
    """One sidecar while it is changed."""

    path: RepoPath
    sidecar: Sidecar
    """What was read; of a document that is not taken apart, only what is added to it."""
    present: Present | None
    source: bytes | None
    completion: Completion
    moment: str
    record: Record
    before: bytes | None
    is_ours: bool
    """Whether nobody else has written the sidecar since we did."""
    is_read: bool = False
    touched: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)

    @property
    def sequence(self) -> int:
        """Which of our writes of this sidecar this is."""
        return self.record.sequence + 1

    def find(self, name: str) -> Note:
        """Return the comment with that id or alias."""
        note = self.sidecar.find(name)
        if note is None:
            raise CommentNotFound(self.path.text, name)
        return note

    def mark(self, note: Note) -> None:
        """Mark a comment as changed now."""
        note.raw["updated"] = self.moment
        self.touched.add(note.id)

    def check_line(self, line: int) -> None:
        """Raise when the source has no such line."""
        count = 0 if self.present is None else len(self.present.lines)
        if line > count:
            raise InvalidLineNumber(self.path.text, line, count)

    def symbol_at(self, line: int) -> AnchorSymbol | None:
        """Return what a line of the source belongs to."""
        return anchor_symbol(self.completion.outline.at(line))

    def add(self, draft: Draft, number: int) -> Note:
        """Put one more comment and its marker behind the others, named by a number and the next."""
        comment: dict[str, Any] = {"id": f"c_{number}", "line": draft.line}
        if draft.end_line is not None:
            comment |= {"startLine": draft.line, "endLine": draft.end_line}
        comment |= {
            "text": draft.text,
            "author": draft.author,
            "created": self.moment,
            "updated": self.moment,
            "tag": draft.tag,
            "ghostMarkerId": marker_name(number + 1),
        }
        if draft.ai is not None:
            comment["aiMeta"] = {**draft.ai, "enrichedAt": self.moment}
        marker = {"id": marker_name(number + 1), "line": draft.line, "commentIds": [comment["id"]]}
        self.completion.anchor(marker, draft.line, draft.end_line, "added")
        note = Note(comment, marker, Location(draft.line, draft.end_line, method="added"))
        self.put(note)
        return note

    def put(self, note: Note) -> None:
        """Put a new comment and its marker into the document."""
        self.sidecar.raw["comments"].append(note.raw)
        self.sidecar.raw.setdefault("ghostMarkers", []).append(note.marker)
        self.sidecar.comments.append(note)
        self.touched.add(note.id)

    def anchor(self, note: Note, line: int) -> None:
        """Anchor a comment anew, by somebody's decision; a range keeps its length as far as the file goes."""
        count = 0 if self.present is None else len(self.present.lines)
        end_line = line if note.end_line is None else min(line + note.end_line - note.line, count)
        end = end_line if end_line > line else None
        marker = note.marker
        if marker is None or len(comment_ids(marker)) > 1:
            if marker is not None:
                detach(marker, note.id)
            marker = {"id": self.completion.new_marker_id(), "line": line}
        marker["commentIds"], marker["commentId"] = [note.id], note.id
        if not any(item is marker for item in self.sidecar.markers):
            self.sidecar.raw["ghostMarkers"].append(marker)
        note.marker = marker
        note.raw["ghostMarkerId"] = marker["id"]
        note.location, note.as_stored = Location(line, end, method="placed"), False
        note.moved_symbol = None
        self.completion.anchor(marker, line, end, "placed")
        self.mark(note)

    def entries(self) -> Iterator[Entry]:
        """Yield what goes on record about the comments that were written and deleted."""
        for note in self.sidecar.comments:
            if note.id in self.touched:
                yield entry_of(note.raw, note.marker, self.sequence)
        for comment_id in self.deleted:
            yield tombstone(comment_id, self.moment, self.sequence)


class SidecarFiles:
    """The sidecars of one work tree, and the sources that they belong to."""

    def __init__(self, repository: Repository, clock: Clock) -> None:
        self.repository = repository
        self.clock = clock
        self.tree = Tree(repository)
        self.archive = Archive(repository)
        self.history = FileHistory(repository)
        self.locks = Locks(repository, LOCKS_NAME)

    def close(self) -> None:
        """Close what was opened."""
        self.archive.close()
        self.history.close()

    # Sources

    def source_bytes(self, path: RepoPath) -> bytes | None:
        """Return the bytes of a source file, or None when it is gone."""
        with refusals_named(path):
            try:
                return self.tree.read_bytes(path, LIMITS.comment_source_bytes)
            except NotFound:
                return None

    def text_of(self, source_path: str) -> str:
        """Return the text of a source file."""
        return decoded(self.existing(RepoPath.parse(source_path)))

    def existing(self, path: RepoPath) -> bytes:
        """Return the bytes of a source file, or raise when it is gone."""
        data = self.source_bytes(path)
        if data is None:
            raise self.not_found(path)
        return data

    def not_found(self, path: RepoPath) -> SourceNotFound:
        """Return the failure to find a source file, with the one beside it that is called nearly the same."""
        try:
            beside = self.tree.files_in(RepoPath(path.segments[:-1]))
        except HoldfastError:
            return SourceNotFound(path.text)
        names = [one.name for one in beside if not one.name.endswith(SUFFIX)]
        best = closest(path.name, names)
        return SourceNotFound(path.text, None if best is None else "/".join((*path.segments[:-1], best)))

    def present(self, path: RepoPath) -> Present | None:
        """Return the source file as it is now, or None when it is gone."""
        return _present(path, self.source_bytes(path))

    # Sidecars

    def sidecar_bytes(self, path: RepoPath) -> bytes | None:
        """Return what a file's sidecar holds, or None when it has none."""
        with refusals_named(path):
            place = sidecar_of(path.text)
            parsed = RepoPath.parse(place)  # refused where its name is too long with the suffix
            try:
                return self.tree.read_bytes(parsed, LIMITS.sidecar_bytes)
            except NotFound:
                return None
            except TooLarge:
                raise CommentFileCorrupted(place, f"it is larger than {LIMITS.sidecar_bytes} bytes") from None
            except InvalidPath as refusal:
                if "symbolic link" in refusal.message:
                    raise
                raise CommentFileCorrupted(place, "it is not a regular file") from None

    def stored(self, path: RepoPath) -> Sidecar:
        """Return a file's comments where the sidecar says they are, with those that were overwritten."""
        data = self.sidecar_bytes(path)
        if data is None:
            return empty(path.text)
        sidecar = read(path.text, data)
        self._restore(sidecar, data, self.archive.record(sidecar.path, sidecar.digest))
        return sidecar

    def _restore(self, sidecar: Sidecar, data: bytes, record: Record) -> None:
        """Put back what others overwrote of what we last wrote there, and on record what that shows."""
        if record.digest == sidecar.digest or not record.entries:
            return
        read_up_to = self.archive.sequence_in(sidecar.stamp)
        found = lost_updates(sidecar, data, record, read_up_to, self.history)
        if found.known or found.forgotten:
            digest = record.digest if found.restored else sidecar.digest
            self.archive.remember(sidecar.path, str(digest), record.sequence, found.known, found.forgotten)
        restore(sidecar, found.restored)

    # Changes: to be made while the lock of the path is held

    def numbers(self, count: int) -> int:
        """Return the first of some numbers that no other comment, marker or reply has."""
        milliseconds = int(self.clock().timestamp() * 1000)
        return next_number(os.path.join(self.repository.store_directory, NUMBERS_NAME), milliseconds, count)

    def begin(self, path: RepoPath, source: bytes | None) -> Change:
        """Return a change of what the sidecar holds now, which is not taken apart yet."""
        data = self.sidecar_bytes(path)
        sidecar = empty(path.text)
        digest = None if data is None else digest_of(data)
        record = self.archive.record(sidecar.path, digest)
        present, moment = _present(path, source), _moment(self.clock())
        completion = Completion(present, self.history.head(), moment, lambda: marker_name(self.numbers(1)))
        return Change(
            path,
            sidecar,
            present,
            source,
            completion,
            moment,
            record,
            before=data,
            is_ours=data is not None and record.digest == digest,
            is_read=data is None,
        )

    def read(self, change: Change, *, as_stored: bool = False) -> None:
        """Take the document apart, with the comments that were overwritten and those that were added.

        `as_stored`: comments that nobody touches may stay as they are.
        """
        if change.before is None:
            return
        added = change.sidecar.comments
        change.sidecar = read(change.path.text, change.before)
        self._restore(change.sidecar, change.before, change.record)
        for note in change.sidecar.comments:
            note.as_stored = as_stored
        for note in added:
            change.put(note)
        change.is_read = True

    def finish(self, change: Change) -> None:
        """Write what was changed, durably; what says the same as before is not written."""
        change.completion.complete(change.sidecar)
        data = None if change.is_read else self._appended(change)
        if not change.is_read and data is None:
            self.read(change, as_stored=change.is_ours)
            change.completion.complete(change.sidecar)
        sidecar = change.sidecar
        if data is None and not change.touched and not change.deleted and _printed(sidecar) == change.before:
            return
        if not sidecar.comments and change.source is None and change.before is not None:
            # Its last comment followed the code elsewhere; what is left says nothing about anything.
            with refusals_named(change.path):
                self.tree.remove(RepoPath.parse(sidecar.path))
            current_call().changed("resources")
            self.archive.remember(sidecar.path, "", change.sequence, change.entries())
            return
        if change.source is not None and _refers_to(change.present, sidecar):
            self.archive.keep_version(change.source)
        if data is None:
            sidecar.put_stamp(self.archive.stamp(change.sequence))
            data = _printed(sidecar)
        with refusals_named(change.path):
            self.tree.write(RepoPath.parse(sidecar.path), data)
        if change.before is None:
            current_call().changed("resources")
        self.archive.remember(sidecar.path, digest_of(data), change.sequence, change.entries())

    def finish_both(self, arriving: Change, leaving: Change) -> None:
        """Write two sidecars; when the second cannot be written, the first is as it was."""
        # First where a comment arrives: a moment in both files is better than one in none.
        self.finish(arriving)
        try:
            self.finish(leaving)
        except Unconfirmed:
            raise  # both are written
        except BaseException:
            place = RepoPath.parse(arriving.sidecar.path)
            if arriving.before is None:
                self.tree.remove(place)
            else:
                self.tree.write(place, arriving.before)
            raise

    def _appended(self, change: Change) -> bytes | None:
        """Return the bytes with one more comment behind the others, if they allow that."""
        (note,) = change.sidecar.comments
        assert change.before is not None
        assert note.marker is not None
        return appended(change.before, note.raw, note.marker, self.archive.stamp(change.sequence))


def _present(path: RepoPath, source: bytes | None) -> Present | None:
    return None if source is None else Present(path.text, decoded(source), blob_id(source))


def _moment(moment: datetime) -> str:
    """Write a moment as JavaScript does: UTC, milliseconds, Z."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _printed(sidecar: Sidecar) -> bytes:
    try:
        return bytes_of(sidecar)
    except UnreadableDocument as problem:
        raise CommentFileCorrupted(sidecar.path, str(problem)) from None


def _refers_to(present: Present | None, sidecar: Sidecar) -> bool:
    """Return whether evidence refers to the present text, which only we may have."""
    return present is not None and any(
        present.blob in ((note.marker or {}).get(EVIDENCE) or {}).values() for note in sidecar.comments
    )
