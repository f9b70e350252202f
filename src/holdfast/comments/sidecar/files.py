"""Sidecar files on disk: read with lost updates restored, changed under a lock in one durable step.

Contract:
- A change is a read-modify-write under a lock: the sidecar is read again and merged with what Holdfast wrote
  before, so neither another process nor an editor loses anything. A sidecar that cannot be read is not
  written.
- A finished change is on disk. If `finish` raises, the sidecar is as it was before.
- The version that a new comment was written for is on disk before the comment is.
- A document that no other program has written since Holdfast did is parsed only if the change is more than
  one added comment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from holdfast.comments.errors import CommentFileCorrupted, CommentNotFound, InvalidLineNumber, SourceNotFound
from holdfast.comments.sidecar.archive import (
    LOCKS_NAME,
    NUMBERS_NAME,
    Archive,
    CommentRecord,
    SidecarRecord,
    blob_id,
    tombstone,
    written_record,
)
from holdfast.comments.sidecar.document import (
    Sidecar,
    append_comment,
    bytes_of,
    comment_ids,
    detach_comment,
    digest_of,
    empty_sidecar,
    parse_sidecar,
)
from holdfast.comments.sidecar.javascript_json import javascript_timestamp
from holdfast.comments.sidecar.lost_updates import find_lost_updates, restore_comments
from holdfast.comments.sidecar.marker import SidecarNormalizer
from holdfast.comments.sidecar.note import EVIDENCE_KEY, AnchorSymbol, Note, NoteLocation, marker_name
from holdfast.comments.sidecar.source import (
    SUFFIX,
    CurrentSource,
    anchor_symbol,
    decode_source,
    sidecar_of,
    translate_access_errors,
)
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import Clock
from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge, Unconfirmed, closest
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.locks import StripedLocks
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.shared_counter import reserve_numbers
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.history.file_history import FileHistory
from holdfast.storage.git.repository import Repository


class CommentDraft(NamedTuple):
    """A comment to be written."""

    line: int
    text: str
    author: str
    tag: str | None = None
    ai: dict[str, Any] | None = None
    """The sidecar's `aiMeta`, without the time."""
    end_line: int | None = None
    """The last line of a range, or None for a single line."""
    extra: dict[str, Any] | None = None
    """Further keys of the comment."""


@dataclass
class SidecarChange:
    """One sidecar while it is being changed."""

    path: RepoPath
    sidecar: Sidecar
    """The parsed document; until it is parsed, only the added comments."""
    current: CurrentSource | None
    source: bytes | None
    """The bytes of the source, or None if it is gone."""
    normalizer: SidecarNormalizer
    time: str
    record: SidecarRecord
    before: bytes | None
    """The bytes of the sidecar on disk, or None if there is none."""
    is_ours: bool
    """Whether no other program has written the sidecar since Holdfast did."""
    is_read: bool = False
    """Whether `sidecar` is the whole document."""
    touched: set[str] = field(default_factory=set)
    """The ids of the comments that were added or changed."""
    deleted: set[str] = field(default_factory=set)
    """The ids of the comments that were removed."""

    @property
    def sequence(self) -> int:
        """The number of this write, counted over Holdfast's writes of the sidecar."""
        return self.record.sequence + 1

    def find(self, name: str) -> Note:
        note = self.sidecar.find(name)
        if note is None:
            raise CommentNotFound(self.path.text, name)
        return note

    def mark(self, note: Note) -> None:
        """Mark a comment as changed now."""
        note.raw["updated"] = self.time
        self.touched.add(note.id)

    def check_line(self, line: int) -> None:
        count = 0 if self.current is None else len(self.current.lines)
        if line > count:
            raise InvalidLineNumber(self.path.text, line, count)

    def symbol_at(self, line: int) -> AnchorSymbol | None:
        return anchor_symbol(self.normalizer.outline.at(line))

    def add(self, draft: CommentDraft, number: int) -> Note:
        """Append a comment and its marker; their ids are `number` and the next."""
        comment: dict[str, Any] = {"id": f"c_{number}", "line": draft.line}
        if draft.end_line is not None:
            comment |= {"startLine": draft.line, "endLine": draft.end_line}
        comment |= {
            "text": draft.text,
            "author": draft.author,
            "created": self.time,
            "updated": self.time,
            "tag": draft.tag,
            "ghostMarkerId": marker_name(number + 1),
        }
        if draft.ai is not None:
            comment["aiMeta"] = {**draft.ai, "enrichedAt": self.time}
        comment |= draft.extra or {}
        marker = {"id": marker_name(number + 1), "line": draft.line, "commentIds": [comment["id"]]}
        self.normalizer.anchor(marker, draft.line, draft.end_line, "added")
        note = Note(comment, marker, NoteLocation(draft.line, draft.end_line, method="added"))
        self.put(note)
        return note

    def put(self, note: Note) -> None:
        self.sidecar.raw["comments"].append(note.raw)
        self.sidecar.raw.setdefault("ghostMarkers", []).append(note.marker)
        self.sidecar.comments.append(note)
        self.touched.add(note.id)

    def anchor(self, note: Note, line: int) -> None:
        """Anchor a comment to a chosen line; a range keeps its length unless the file ends earlier."""
        count = 0 if self.current is None else len(self.current.lines)
        end_line = line if note.end_line is None else min(line + note.end_line - note.line, count)
        end = end_line if end_line > line else None
        marker = note.marker
        if marker is None or len(comment_ids(marker)) > 1:
            if marker is not None:
                detach_comment(marker, note.id)
            marker = {"id": self.normalizer.new_marker_id(), "line": line}
        marker["commentIds"], marker["commentId"] = [note.id], note.id
        if not any(item is marker for item in self.sidecar.markers):
            self.sidecar.raw.setdefault("ghostMarkers", []).append(marker)
        note.marker = marker
        note.raw["ghostMarkerId"] = marker["id"]
        note.location, note.as_stored = NoteLocation(line, end, method="placed"), False
        note.moved_symbol = None
        self.normalizer.anchor(marker, line, end, "placed")
        self.mark(note)

    def entries(self) -> Iterator[CommentRecord]:
        for note in self.sidecar.comments:
            if note.id in self.touched:
                yield written_record(note.raw, note.marker, self.sequence)
        for comment_id in self.deleted:
            yield tombstone(comment_id, self.time, self.sequence)


class SidecarFiles:
    """The sidecars of one work tree, and their sources."""

    def __init__(self, repository: Repository, clock: Clock) -> None:
        self.repository = repository
        self.clock = clock
        self.tree = Tree(repository)
        self.archive = Archive(repository)
        self.history = FileHistory(repository)
        self.locks = StripedLocks(repository, LOCKS_NAME)

    def close(self) -> None:
        self.archive.close()
        self.history.close()

    # Sources

    def source_bytes(self, path: RepoPath) -> bytes | None:
        """Return the bytes of a source file, or None if it does not exist."""
        with translate_access_errors(path):
            try:
                return self.tree.read_bytes(path, LIMITS.comment_source_bytes)
            except NotFound:
                return None

    def text_of(self, source_path: str) -> str:
        return decode_source(self.require_source(RepoPath.parse(source_path)))

    def require_source(self, path: RepoPath) -> bytes:
        data = self.source_bytes(path)
        if data is None:
            raise self.not_found(path)
        return data

    def not_found(self, path: RepoPath) -> SourceNotFound:
        """Return the error for a missing source file, with the most similar name in its folder."""
        try:
            siblings = self.tree.files_in(RepoPath(path.segments[:-1]))
        except HoldfastError:
            return SourceNotFound(path.text)
        names = [sibling.name for sibling in siblings if not sibling.name.endswith(SUFFIX)]
        best = closest(path.name, names)
        return SourceNotFound(path.text, None if best is None else "/".join((*path.segments[:-1], best)))

    def current_source(self, path: RepoPath) -> CurrentSource | None:
        return _current_source(path, self.source_bytes(path))

    # Sidecars

    def sidecar_bytes(self, path: RepoPath) -> bytes | None:
        """Return the bytes of a file's sidecar, or None if it has none."""
        with translate_access_errors(path):
            sidecar_path = sidecar_of(path.text)
            parsed = RepoPath.parse(sidecar_path)  # raises if the name is too long with the suffix
            try:
                return self.tree.read_bytes(parsed, LIMITS.sidecar_bytes)
            except NotFound:
                return None
            except TooLarge:
                raise CommentFileCorrupted(
                    sidecar_path, f"it is larger than {LIMITS.sidecar_bytes} bytes"
                ) from None
            except InvalidPath as refusal:
                if "symbolic link" in refusal.message:
                    raise
                raise CommentFileCorrupted(sidecar_path, "it is not a regular file") from None

    def stored(self, path: RepoPath) -> Sidecar:
        """Return a file's comments at their stored lines, with lost updates restored."""
        data = self.sidecar_bytes(path)
        if data is None:
            return empty_sidecar(path.text)
        sidecar = parse_sidecar(path.text, data)
        self._restore(sidecar, data, self.archive.record(sidecar.path, sidecar.digest))
        return sidecar

    def _restore(self, sidecar: Sidecar, data: bytes, record: SidecarRecord) -> None:
        """Restore lost updates in a sidecar, and record what the comparison revealed."""
        if record.digest == sidecar.digest or not record.entries:
            return
        read_up_to = self.archive.sequence_in(sidecar.stamp)
        lost = find_lost_updates(sidecar, data, record, read_up_to, self.history)
        if lost.newly_elsewhere or lost.forgotten:
            digest = record.digest if lost.restored else sidecar.digest
            self.archive.record_write(
                sidecar.path, str(digest), record.sequence, lost.newly_elsewhere, lost.forgotten
            )
        restore_comments(sidecar, lost.restored)

    # Changes; the caller holds the lock of the path

    def numbers(self, count: int) -> int:
        """Return the first of `count` numbers that no other comment, marker or reply has."""
        milliseconds = int(self.clock().timestamp() * 1000)
        path = os.path.join(self.repository.store_directory, NUMBERS_NAME)
        return reserve_numbers(path, count, at_least=milliseconds)

    def begin(self, path: RepoPath, source: bytes | None) -> SidecarChange:
        """Start a change of a sidecar, without parsing the document yet."""
        data = self.sidecar_bytes(path)
        sidecar = empty_sidecar(path.text)
        digest = None if data is None else digest_of(data)
        record = self.archive.record(sidecar.path, digest)
        current, time = _current_source(path, source), javascript_timestamp(self.clock())
        normalizer = SidecarNormalizer(
            current, self.history.head(), time, lambda: marker_name(self.numbers(1))
        )
        return SidecarChange(
            path,
            sidecar,
            current,
            source,
            normalizer,
            time,
            record,
            before=data,
            is_ours=data is not None and record.digest == digest,
            is_read=data is None,
        )

    def read(self, change: SidecarChange, *, as_stored: bool = False) -> None:
        """Parse the document of a change, with lost updates restored and additions appended.

        With `as_stored`, untouched comments may be written as they are.
        """
        if change.before is None:
            return
        added = change.sidecar.comments
        change.sidecar = parse_sidecar(change.path.text, change.before)
        self._restore(change.sidecar, change.before, change.record)
        for note in change.sidecar.comments:
            note.as_stored = as_stored
        for note in added:
            change.put(note)
        change.is_read = True

    def finish(self, change: SidecarChange) -> None:
        """Write a change durably. An unchanged document is not written, a useless one is removed."""
        change.normalizer.normalize(change.sidecar, change.touched)
        data = None if change.is_read else self._append(change)
        if data is None:
            if not change.is_read:  # the form of the document allows no appending
                self.read(change, as_stored=change.is_ours)
                change.normalizer.normalize(change.sidecar, change.touched)
            if _is_unchanged(change):
                return
            if _is_useless(change):
                self._remove(change)
                return
        self._write(change, data)

    def _remove(self, change: SidecarChange) -> None:
        sidecar = change.sidecar
        with translate_access_errors(change.path):
            self.tree.remove(RepoPath.parse(sidecar.path))
        current_call().changed("resources")
        self.archive.record_write(sidecar.path, "", change.sequence, change.entries())

    def _write(self, change: SidecarChange, data: bytes | None) -> None:
        """Write `data`, or without it the document of the change; first archive the source it refers to."""
        sidecar = change.sidecar
        if change.source is not None and _refers_to(change.current, sidecar):
            self.archive.store_version(change.source)
        if data is None:
            sidecar.put_stamp(self.archive.stamp(change.sequence))
            data = bytes_of(sidecar)
        with translate_access_errors(change.path):
            self.tree.write(RepoPath.parse(sidecar.path), data)
        if change.before is None:
            current_call().changed("resources")
        self.archive.record_write(sidecar.path, digest_of(data), change.sequence, change.entries())

    def finish_both(self, arriving: SidecarChange, leaving: SidecarChange) -> None:
        """Write two sidecars; if the second cannot be written, the first is restored."""
        # The new file is written first: a comment may be in both files for a moment, but never in neither.
        self.finish(arriving)
        try:
            self.finish(leaving)
        except Unconfirmed:
            raise  # both files are written
        except BaseException:
            place = RepoPath.parse(arriving.sidecar.path)
            if arriving.before is None:
                self.tree.remove(place)
            else:
                self.tree.write(place, arriving.before)
            raise

    def _append(self, change: SidecarChange) -> bytes | None:
        """Return the bytes with the added comment appended, or None if their form does not allow it."""
        (note,) = change.sidecar.comments
        assert change.before is not None
        assert note.marker is not None
        return append_comment(change.before, note.raw, note.marker, self.archive.stamp(change.sequence))


def _is_unchanged(change: SidecarChange) -> bool:
    return not change.touched and not change.deleted and bytes_of(change.sidecar) == change.before


def _is_useless(change: SidecarChange) -> bool:
    """Return whether the last comment of a sidecar without a source was deleted or moved to another file."""
    return not change.sidecar.comments and change.source is None and change.before is not None


def _current_source(path: RepoPath, source: bytes | None) -> CurrentSource | None:
    return None if source is None else CurrentSource(path.text, decode_source(source), blob_id(source))


def _refers_to(current: CurrentSource | None, sidecar: Sidecar) -> bool:
    """Return whether a comment's evidence refers to the current text, which then must be in the archive."""
    return current is not None and any(
        current.blob in ((note.marker or {}).get(EVIDENCE_KEY) or {}).values() for note in sidecar.comments
    )
