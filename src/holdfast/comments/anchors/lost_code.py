"""Comments whose code is no longer in their file, and the files to search for that code.

Example: `parse()` was cut from `a.py`. Its two comments, both written for the same version, form one
`LostCode`; `build_file_index` indexes all Python files once, and the surroundings of each comment are looked
up in that index.

Contract: each candidate file is read once for an index, however many comments there are; only the most likely
files are read again. Binary and large files are left out.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.note import Note, stored_symbol
from holdfast.comments.sidecar.source import SUFFIX, SourceSymbols, decode_source
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.binary_content import is_binary
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
    ids: tuple[str, ...]
    """The ids of the comments, in the order of the anchors."""


def group_lost_code(room: Comments, notes: Iterable[tuple[str, Note]]) -> list[LostCode]:
    """Group comments, given with the paths of their files, by the version they were written for.

    Comments whose version is not known are left out.
    """
    groups: dict[tuple[str, str], list[Note]] = defaultdict(list)
    for path, note in notes:
        groups[path, str((note.evidence or {}).get("blob", note.id))].append(note)
    lost_code = []
    for (path, _), group in groups.items():
        version = room.annotated_version(group[0])
        if version is None and (data := room.history.committed(path)) is not None:
            # Another program wrote the comment, and its code was deleted only in the work tree.
            version = FileVersion(path, decode_source(data))
        if version is not None:
            # The path is that of the file that stores the comments; they may have been written for another.
            old = FileVersion(path, version.text)
            anchors = tuple(note.original_anchor for note in group)
            lost_code.append(LostCode(path, old, anchors, tuple(note.id for note in group)))
    return lost_code


class CandidateFiles(Listing):
    """The files of a work tree with the same suffixes as some source files, to be searched for their code."""

    def __init__(self, room: Comments, source_paths: Iterable[str]) -> None:
        suffixes = {_suffix(path) for path in source_paths}
        super().__init__(
            room.repository, lambda name: _suffix(name) in suffixes and not name.endswith(SUFFIX)
        )
        self._room = room

    def versions(self) -> Iterator[FileVersion]:
        """Yield each text file that can be read."""
        for path in self.paths():
            current_call().check()
            text = self.text(path)
            if text is not None:
                yield FileVersion(path, text)

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None if it is binary, too large or cannot be read."""
        try:
            data = self._room.tree.read_bytes(RepoPath.parse(path), LIMITS.comment_source_bytes)
        except HoldfastError:
            return None
        return None if is_binary(data) else decode_source(data)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def has_left(room: Comments, path: str, note: Note) -> bool:
    """Return whether a comment's code, or the symbol it is about, is no longer in its file."""
    if not note.location.needs_review:
        return note.orphaned
    symbol, current = stored_symbol(note.marker), room.current_source(RepoPath.parse(path))
    if symbol is None or current is None:
        return False
    return not SourceSymbols(path, current.text).declares(symbol.name)


def build_file_index(
    room: Comments, missing: Sequence[LostCode], files: CandidateFiles | None = None
) -> MovedFiles:
    """Index files for a search; by default those with the same suffixes as the files that lost code."""
    from holdfast.comments.tracking.moved_files import MovedFiles  # most reads search no other files

    files = files or CandidateFiles(room, [lost.path for lost in missing])
    return MovedFiles(files.versions(), [lost.version for lost in missing], files.text)
