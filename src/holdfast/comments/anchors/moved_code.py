"""Where code went that is no longer in its file: one pass over the workspace for all that is missing.

Contract: every file of the wanted kinds is read once for one index, whatever the number of comments, and
again only where a comment's code is most likely. Binary and large files are left out.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdfast.comments.sidecar.document import whole_line
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import SUFFIX, decoded
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import MovedFiles
from holdfast.comments.tracking.placement import Anchor, Version
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath
from holdfast.storage.watching.listing import Listing, Signature


@dataclass(frozen=True)
class Missing:
    """Comments of one version of one file whose code is gone from it."""

    path: str
    """The file that they belong to now."""
    version: Version
    anchors: tuple[Anchor, ...]
    names: tuple[str, ...]
    """The ids of the comments, in the order of the anchors."""


def missing_of(room: Comments, notes: Iterable[tuple[str, Note]]) -> list[Missing]:
    """Return comments whose code is gone, by the version they were written for, as far as it was kept."""
    groups: dict[tuple[str, str], list[Note]] = defaultdict(list)
    for path, note in notes:
        groups[path, str((note.evidence or {}).get("blob", note.id))].append(note)
    found = []
    for (path, _), group in groups.items():
        version = room.annotated_version(group[0].marker)
        if version is not None:
            # By the name of the file that they are missing from now; they may have come from elsewhere.
            anchors = tuple(map(written_for, group))
            found.append(Missing(path, Version(path, version.text), anchors, tuple(one.id for one in group)))
    return found


def written_for(note: Note) -> Anchor:
    """Return the line, or lines, that a comment was written for."""
    facts = note.evidence or {}
    return Anchor(whole_line(facts.get("line")) or note.line, whole_line(facts.get("endLine")))


class Workspace:
    """The source files among which code is looked for."""

    def __init__(self, room: Comments, suffixes: Iterable[str]) -> None:
        wanted = tuple({suffix.lower() for suffix in suffixes})
        self._room = room
        self._listing = Listing(
            room.repository,
            lambda name: os.path.splitext(name)[1].lower() in wanted and not name.endswith(SUFFIX),
        )

    def signatures(self) -> Mapping[str, Signature]:
        """Return what tells whether one of the files has changed."""
        return self._listing.signatures()

    def versions(self) -> Iterator[Version]:
        """Yield each file that can be read."""
        for path in self._listing.paths():
            current_call().check()
            text = self.text(path)
            if text is not None:
                yield Version(path, text)

    def text(self, path: str) -> str | None:
        """Return the text of one file."""
        try:
            data = self._room.tree.read_bytes(RepoPath.parse(path), LIMITS.comment_source_bytes)
        except HoldfastError:
            return None
        return None if b"\0" in data[:8192] else decoded(data)


def files_like(room: Comments, paths: Iterable[str]) -> Workspace:
    """Return the files that are named like some others."""
    return Workspace(room, {os.path.splitext(path)[1] for path in paths})


def index_for(room: Comments, missing: Sequence[Missing]) -> MovedFiles:
    """Return an index of the files that are named like those that something is missing from."""
    files = files_like(room, [one.path for one in missing])
    return MovedFiles(files.versions(), [one.version for one in missing], files.text)
