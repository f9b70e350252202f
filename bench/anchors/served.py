"""The server's own way: notes written into a repository, its history played on, and the notes read again.

What a direct call of the tracker leaves out is in it: the evidence in the sidecar, which revisions git
tells of and which of them are looked at, and what a note says of itself when it is read.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.anchors.cases import Case
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.sidecar.note import NoteLocation
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Confidence, FileVersion, Placement
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository


def placements(case: Case) -> list[Placement]:
    """Return where the notes on the labels of a case are when its last version is read."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        _commit(folder, [case.old])
        path = RepoPath.parse(case.old.path)
        names = _annotated(folder, case, path)
        _commit(folder, [*case.between, case.new])
        room = Comments(Repository.discover(folder))
        try:
            found = {note.id: note.location for note in room.load(path.text).comments}
        finally:
            room.close()
    return [_placement(found[name]) for name in names]


def _annotated(folder: str, case: Case, path: RepoPath) -> list[str]:
    """Write a note on each label and return their names."""
    room = Comments(Repository.discover(folder))
    try:
        drafts = [CommentDraft(label.line, "look", "bench") for label in case.labels]
        return [CommentWriter(room).add(path, draft, strict=False).note.id for draft in drafts]
    finally:
        room.close()


def _commit(folder: str, versions: Sequence[FileVersion]) -> None:
    """Commit versions of the file in their order, and leave the last of them in the work tree."""
    stream = b""
    for number, version in enumerate(versions):
        text = version.text.encode("utf-8", "surrogateescape")
        follows = b"" if number or not _has_commits(folder) else b"from refs/heads/main^0\n"
        stream += b"commit refs/heads/main\ncommitter a <a@b> %d +0000\ndata 0\n%s" % (1 + number, follows)
        stream += f'M 100644 inline "{version.path}"\ndata {len(text)}\n'.encode() + text + b"\n"
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input=stream, check=True)
    place = Path(folder, versions[-1].path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(versions[-1].text.encode("utf-8", "surrogateescape"))


def _has_commits(folder: str) -> bool:
    return Path(folder, ".git", "refs", "heads", "main").exists()


def _placement(location: NoteLocation) -> Placement:
    """Return what a note says of itself: with low confidence its line is only the last that was good."""
    has_line = location.confidence in (Confidence.HIGH, Confidence.MEDIUM)
    return Placement(
        location.line if has_line else None, location.end_line, location.confidence, location.method
    )
