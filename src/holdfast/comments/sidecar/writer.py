"""Changing sidecars: under their lock, on what they hold at that moment, in one durable step.

Contract:
- Each change reads the sidecar anew under its lock and merges with what we wrote before, so that neither
  another process nor an editor loses anything by it. A sidecar that cannot be read is not written.
- When a change returns, it is on disk. When it raises, every sidecar is as it was before.
- The version that a new comment was written for is on disk before the comment is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from holdfast.comments.anchors.plan import apply
from holdfast.comments.anchors.version_chain import Journey, travelled
from holdfast.comments.errors import CommentFileCorrupted, InvalidLineNumber
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.archive import (
    LOCKS_NAME,
    NUMBERS_NAME,
    Entry,
    blob_id,
    entry_of,
    put_back,
    tombstone,
)
from holdfast.comments.sidecar.change import Change, Draft, Placed, moment_text
from holdfast.comments.sidecar.document import (
    Unreadable,
    appended,
    bytes_of,
    carry,
    comment_ids,
    detach,
    digest_of,
    remove,
)
from holdfast.comments.sidecar.marker import Completion, made
from holdfast.comments.sidecar.note import EVIDENCE, AnchorSymbol, Note, Standing, comment_name, marker_name
from holdfast.comments.sidecar.source import Present, anchor_symbol, decoded, split_lines
from holdfast.comments.store import Comments, store_path
from holdfast.comments.tracking.models import Placement
from holdfast.kernel.call import current_call
from holdfast.storage.files.atomic import Locks, next_number
from holdfast.storage.files.repo_path import RepoPath

Travel = Callable[[Journey], Sequence[Placement]]
"""Follows the anchors of a journey."""


class Writing:
    """Changes the sidecars of one room."""

    def __init__(self, room: Comments) -> None:
        self._room = room
        self._locks = Locks(room.repository, LOCKS_NAME)

    def add(self, path: RepoPath, draft: Draft, *, strict: bool = True) -> Placed:
        """Write a new comment on a line; where `strict`, not into source that does not parse."""
        source = self._source(path)
        count = len(split_lines(decoded(source)))
        if draft.line > count or (draft.end_line or 0) > count:
            raise InvalidLineNumber(path.text, max(draft.line, draft.end_line or 0), count)
        with self._locks.holding(path.text):
            quick = self._quick_addition(path, source)
            change = quick or self._begin(path, everything=False)
            if change.source is None:
                raise self._room.not_found(path)
            self._check_line(change, draft.line)
            if strict:
                change.completion.outline.refuse_errors()
            note = self._new_note(change, draft, self._numbers(2))
            if quick is None or not self._append(change, note):
                self._finish(self._begin_again(change, note) if quick is not None else change)
            return Placed(note, str(note.raw["ghostMarkerId"]), self._symbol(change, draft.line))

    def edit(self, path: RepoPath, name: str, text: str) -> Note:
        """Replace the text of a comment; its tag, author and anchor stay."""
        with self.changing(path, must_exist=True, everything=False) as change:
            note = change.find(name)
            note.raw["text"] = text
            change.mark(note)
            return note

    def delete(self, path: RepoPath, name: str) -> Note:
        """Remove a comment, and its marker when no other comment is on it."""
        with self.changing(path, must_exist=True, everything=False) as change:
            note = change.find(name)
            remove(change.sidecar, note)
            change.deleted.add(note.id)
            return note

    def resolve(self, path: RepoPath, name: str, status: str, by: str) -> Note:
        """Say whether a comment is settled."""
        with self.changing(path, must_exist=True, everything=False) as change:
            note = change.find(name)
            note.raw["status"] = status
            if status == "open":
                note.raw.pop("resolvedBy", None)
                note.raw.pop("resolvedAt", None)
            else:
                note.raw["resolvedBy"], note.raw["resolvedAt"] = by, change.moment
            change.mark(note)
            return note

    def reply(self, path: RepoPath, name: str, text: str, author: str) -> Note:
        """Add an answer to a comment."""
        with self.changing(path, must_exist=True, everything=False) as change:
            note = change.find(name)
            replies = note.raw.get("replies")
            answer = {
                "id": f"r_{self._numbers(1)}",
                "text": text,
                "author": author,
                "created": change.moment,
                "contentType": "text",
            }
            note.raw["replies"] = [*(replies if isinstance(replies, list) else []), answer]
            change.mark(note)
            return note

    def move(self, source: RepoPath, target: RepoPath, name: str, line: int) -> tuple[int, Placed]:
        """Put a comment on another line, of the same file or of another, and return where it was."""
        if source == target:
            return self._move_within(source, name, line)
        with self._locks.holding(source.text, target.text):
            leaving = self._begin(source, must_exist=True)
            note = leaving.find(name)
            arriving = self._begin(target)
            if arriving.source is None:
                raise self._room.not_found(target)
            self._check_line(arriving, line)
            before = note.line
            placed = self._transplant(leaving, arriving, note, line)
            # First where it arrives: a moment in both files is better than one in none.
            self._finish_both(arriving, leaving)
            return before, placed

    def relocate(self, source: RepoPath, target: RepoPath, names: Mapping[str, Standing]) -> list[Note]:
        """Let comments follow their code into another file; what they were written for stays on record."""
        with self._locks.holding(source.text, target.text):
            leaving, arriving = self._begin(source), self._begin(target)
            moved = []
            for name, standing in names.items():
                note = leaving.sidecar.find(name)
                if note is None or arriving.present is None:
                    continue
                carry(leaving.sidecar, arriving.sidecar, note)
                leaving.deleted.add(note.id)
                note.placement, note.as_stored = standing, False
                arriving.touched.add(note.id)
                moved.append(note)
            if moved:
                self._finish_both(arriving, leaving)
            return moved

    def _finish_both(self, arriving: Change, leaving: Change) -> None:
        self._finish(arriving)
        try:
            self._finish(leaving)
        except BaseException:
            self._undo(arriving)
            raise

    @contextmanager
    def changing(
        self,
        path: RepoPath,
        *,
        must_exist: bool = False,
        travel: Travel = travelled,
        everything: bool = True,
    ) -> Iterator[Change]:
        """Hold a sidecar's lock, yield what it holds, and write it when that went well and changed it.

        Unless `everything` is to be brought up to date, comments that nobody touches may stay as they are.
        """
        with self._locks.holding(path.text):
            change = self._begin(path, must_exist=must_exist, travel=travel, everything=everything)
            yield change
            self._finish(change)

    # The steps

    def _begin(
        self,
        path: RepoPath,
        *,
        must_exist: bool = False,
        travel: Travel = travelled,
        everything: bool = True,
    ) -> Change:
        room = self._room
        data = room.sidecar_bytes(path)
        sidecar = sidecars.empty(path.text) if data is None else sidecars.read(path.text, data)
        record = room.archive.record(sidecar.path, sidecar.digest)
        put_back(sidecar, room.merged(sidecar, data, record).restored)
        is_ours = record.digest == sidecar.digest and data is not None
        source = room.source_bytes(path)
        if source is None and data is None and must_exist:
            raise self._room.not_found(path)
        present = None if source is None else Present(path.text, decoded(source), blob_id(source))
        if is_ours and not everything:
            # Nobody else has written it since we did: what is not touched can stay as it is.
            for note in sidecar.comments:
                note.as_stored = True
        else:
            found = room.planned(sidecar, present)
            apply(sidecar, found, [travel(journey) for journey in found.journeys])
        moment = moment_text(room.clock())
        completion = Completion(present, room.history.head(), moment, lambda: marker_name(self._numbers(1)))
        return Change(
            path, sidecar, present, source, completion, moment, before=data, sequence=record.sequence + 1
        )

    def _quick_addition(self, path: RepoPath, source: bytes) -> Change | None:
        """Return a change that only adds, if the sidecar is just as we wrote it last."""
        room = self._room
        data = room.sidecar_bytes(path)
        if data is None:
            return None
        sidecar = sidecars.empty(path.text)
        record = room.archive.record(sidecar.path, digest_of(data))
        if record.digest != digest_of(data):
            return None
        present = Present(path.text, decoded(source), blob_id(source))
        moment = moment_text(room.clock())
        completion = Completion(present, room.history.head(), moment, lambda: marker_name(self._numbers(1)))
        return Change(
            path, sidecar, present, source, completion, moment, before=data, sequence=record.sequence + 1
        )

    def _append(self, change: Change, note: Note) -> bool:
        """Write one more comment behind the others, if the bytes allow that."""
        room = self._room
        change.completion.complete(change.sidecar)
        assert change.before is not None
        assert note.marker is not None
        stamp = room.archive.stamp(change.sequence)
        data = appended(change.before, note.raw, note.marker, stamp)
        if data is None:
            return False
        if change.source is not None:
            room.archive.keep_version(change.source)
        room.put_sidecar(change.path, data)
        room.archive.remember(change.sidecar.path, digest_of(data), change.sequence, self._entries(change))
        return True

    def _begin_again(self, quick: Change, note: Note) -> Change:
        """Return the same change made the long way."""
        change = self._begin(quick.path, everything=False)
        change.sidecar.raw["comments"].append(note.raw)
        change.sidecar.raw.setdefault("ghostMarkers", []).append(note.marker)
        change.sidecar.comments.append(note)
        change.touched.add(note.id)
        return change

    def _finish(self, change: Change) -> None:
        room = self._room
        change.completion.complete(change.sidecar)
        place = RepoPath.parse(change.sidecar.path)
        if not change.touched and not change.deleted and self._printed(change) == change.before:
            return
        if not change.sidecar.comments and change.source is None and change.before is not None:
            # Its last comment followed the code elsewhere; what is left says nothing about anything.
            room.tree.remove(place)
            current_call().changed("resources")
            room.archive.remember(change.sidecar.path, "", change.sequence, self._entries(change))
            return
        version = change.source if self._needs_version(change) else None
        if version is not None:
            room.archive.keep_version(version)
        change.sidecar.put_stamp(room.archive.stamp(change.sequence))
        data = self._printed(change)
        room.put_sidecar(change.path, data)
        if change.before is None:
            current_call().changed("resources")
        room.archive.remember(change.sidecar.path, digest_of(data), change.sequence, self._entries(change))

    def _printed(self, change: Change) -> bytes:
        try:
            return bytes_of(change.sidecar)
        except Unreadable as problem:
            raise CommentFileCorrupted(change.sidecar.path, str(problem)) from None

    def _needs_version(self, change: Change) -> bool:
        """Return whether evidence refers to the present text, which only we may have."""
        blob = change.present.blob if change.present is not None else None
        return blob is not None and any(
            blob in ((note.marker or {}).get(EVIDENCE) or {}).values() for note in change.sidecar.comments
        )

    def _entries(self, change: Change) -> Iterator[Entry]:
        for note in change.sidecar.comments:
            if note.id in change.touched:
                yield entry_of(note.raw, note.marker, change.sequence)
        for comment_id in change.deleted:
            yield tombstone(comment_id, change.moment, change.sequence)

    def _undo(self, change: Change) -> None:
        place = RepoPath.parse(change.sidecar.path)
        if change.before is None:
            self._room.tree.remove(place)
        else:
            self._room.tree.write(place, change.before)

    def _move_within(self, path: RepoPath, name: str, line: int) -> tuple[int, Placed]:
        with self.changing(path, must_exist=True) as change:
            note = change.find(name)
            if change.source is None:
                raise self._room.not_found(path)
            self._check_line(change, line)
            before = note.line
            self._anchor(change, note, line)
            change.mark(note)
            return before, Placed(note, str(note.raw["ghostMarkerId"]), self._symbol(change, line))

    def _transplant(self, leaving: Change, arriving: Change, note: Note, line: int) -> Placed:
        carry(leaving.sidecar, arriving.sidecar, note)
        leaving.deleted.add(note.id)
        self._anchor(arriving, note, line)
        arriving.mark(note)
        return Placed(note, str(note.raw["ghostMarkerId"]), self._symbol(arriving, line))

    def _anchor(self, change: Change, note: Note, line: int) -> None:
        """Anchor a comment anew, by somebody's decision; a range keeps its length as far as the file goes."""
        count = len(split_lines(change.present.text)) if change.present is not None else 0
        length = (note.end_line - note.line) if note.end_line is not None else 0
        end_line = min(line + length, count) if length else None
        end_line = end_line if end_line is not None and end_line > line else None
        marker = note.marker
        if marker is None or len(comment_ids(marker)) > 1:
            if marker is not None:
                detach(marker, note.id)
            marker = {"id": marker_name(self._numbers(1)), "line": line}
        marker["commentIds"], marker["commentId"] = [note.id], note.id
        if not any(item is marker for item in change.sidecar.markers):
            change.sidecar.raw["ghostMarkers"].append(marker)
        note.marker = marker
        note.raw["ghostMarkerId"] = note.marker["id"]
        note.placement, note.as_stored = Standing(line, end_line, method="placed"), False
        note.moved_symbol = None
        self._make_evidence(change, marker, line, end_line, "placed")

    def _new_note(self, change: Change, draft: Draft, number: int) -> Note:
        comment: dict[str, Any] = {"id": comment_name(number), "line": draft.line}
        if draft.end_line is not None:
            comment |= {"startLine": draft.line, "endLine": draft.end_line}
        comment |= {
            "text": draft.text,
            "author": draft.author,
            "created": change.moment,
            "updated": change.moment,
            "tag": draft.tag,
            "ghostMarkerId": marker_name(number + 1),
        }
        if draft.ai is not None:
            comment["aiMeta"] = {**draft.ai, "enrichedAt": change.moment}
        marker: dict[str, Any] = {
            "id": marker_name(number + 1),
            "line": draft.line,
            "commentIds": [comment["id"]],
        }
        self._make_evidence(change, marker, draft.line, draft.end_line, "added")
        note = Note(comment, marker, Standing(draft.line, draft.end_line, method="added"))
        change.sidecar.raw["comments"].append(comment)
        change.sidecar.raw.setdefault("ghostMarkers", []).append(marker)
        change.sidecar.comments.append(note)
        change.touched.add(note.id)
        return note

    def _make_evidence(
        self, change: Change, marker: dict[str, Any], line: int, end_line: int | None, method: str
    ) -> None:
        seen = change.completion.seen
        assert seen is not None
        change.completion.describe(marker, line, end_line)
        history = ((marker.get(EVIDENCE) or {}).get("history") or []) if method == "placed" else []
        facts = made(seen, line, end_line, change.moment, method)
        facts["symbol"] = marker["astAnchor"]
        facts["history"] = history
        marker[EVIDENCE] = facts

    def _symbol(self, change: Change, line: int) -> AnchorSymbol | None:
        return anchor_symbol(change.completion.outline.at(line))

    def _check_line(self, change: Change, line: int) -> None:
        count = len(split_lines(change.present.text)) if change.present is not None else 0
        if line > count:
            raise InvalidLineNumber(change.path.text, line, count)

    def _source(self, path: RepoPath) -> bytes:
        source = self._room.source_bytes(path)
        if source is None:
            raise self._room.not_found(path)
        return source

    def _numbers(self, count: int) -> int:
        room = self._room
        milliseconds = int(room.clock().timestamp() * 1000)
        return next_number(store_path(room.repository, NUMBERS_NAME), milliseconds, count)
