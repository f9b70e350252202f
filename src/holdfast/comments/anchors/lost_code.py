"""Comments whose code is no longer in their file, and the files to search for that code.

Example: `parse()` was cut from `a.py`. Its two comments, both written for the same version, form one
`LostCode`; `index_for` indexes all Python files once, and each comment's surroundings are looked up there.

Contract: each candidate file is read once for an index, however many comments there are, and again only where
a comment's code most likely is. Binary and large files are left out.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.document import line_number_of
from holdfast.comments.sidecar.note import Note, stored_symbol
from holdfast.comments.sidecar.source import SUFFIX, SourceSymbols, decoded
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.watching.listing import Listing

if TYPE_CHECKING:
    from holdfast.comments.tracking.moved_files import MovedFiles


@dataclass(frozen=True)
class LostCode:
    """Comments of one version of one file whose code is no longer in it."""

    path: str
    """The file that stores them now."""
    version: FileVersion
    anchors: tuple[Anchor, ...]
    names: tuple[str, ...]
    """The ids of the comments, in the order of the anchors."""


def lost_code_of(room: Comments, notes: Iterable[tuple[str, Note]]) -> list[LostCode]:
    """Group comments by the version they were written for, if that version is known."""
    groups: dict[tuple[str, str], list[Note]] = defaultdict(list)
    for path, note in notes:
        groups[path, str((note.evidence or {}).get("blob", note.id))].append(note)
    found = []
    for (path, _), group in groups.items():
        version = room.annotated_version(group[0].marker)
        if version is None and (data := room.history.committed(path)) is not None:
            # Written by another program, and deleted only in the work tree.
            version = FileVersion(path, decoded(data))
        if version is not None:
            # Under the path of the file that lacks them now; they may have come from another.
            anchors = tuple(map(original_anchor, group))
            found.append(
                LostCode(path, FileVersion(path, version.text), anchors, tuple(one.id for one in group))
            )
    return found


def original_anchor(note: Note) -> Anchor:
    """Return the line, or lines, that a comment was written for."""
    facts = note.evidence or {}
    return Anchor(line_number_of(facts.get("line")) or note.line, line_number_of(facts.get("endLine")))


class CandidateFiles(Listing):
    """The source files that are searched for code."""

    def __init__(self, room: Comments, suffixes: Iterable[str]) -> None:
        wanted = {suffix.lower() for suffix in suffixes}
        super().__init__(
            room.repository,
            lambda name: os.path.splitext(name)[1].lower() in wanted and not name.endswith(SUFFIX),
        )
        self._room = room

    def versions(self) -> Iterator[FileVersion]:
        """Yield each file that can be read."""
        for path in self.paths():
            current_call().check()
            text = self.text(path)
            if text is not None:
                yield FileVersion(path, text)

    def text(self, path: str) -> str | None:
        """Return the text of one file."""
        try:
            data = self._room.tree.read_bytes(RepoPath.parse(path), LIMITS.comment_source_bytes)
        except HoldfastError:
            return None
        return None if b"\0" in data[:8192] else decoded(data)


def files_of_same_kind(room: Comments, paths: Iterable[str]) -> CandidateFiles:
    """Return the files with the same suffixes as `paths`."""
    return CandidateFiles(room, {os.path.splitext(path)[1] for path in paths})


def has_left(room: Comments, path: str, note: Note) -> bool:
    """Return whether a comment's code, or the symbol it is about, is no longer in its file."""
    if not note.location.needs_review:
        return note.orphaned
    symbol, current = stored_symbol(note.marker), room.current_source(RepoPath.parse(path))
    if symbol is None or current is None:
        return False
    return not SourceSymbols(path, current.text).declares(symbol.name)


def index_for(room: Comments, missing: Sequence[LostCode], files: CandidateFiles | None = None) -> MovedFiles:
    """Return an index of files, by default those of the same kind as the ones that lost code."""
    from holdfast.comments.tracking.moved_files import MovedFiles

    files = files or files_of_same_kind(room, [one.path for one in missing])
    return MovedFiles(files.versions(), [one.version for one in missing], files.text)
