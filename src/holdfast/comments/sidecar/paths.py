"""From the path a caller gives to a source file, with the specification's two kinds of refusal.

Contract: what is no path inside the workspace is `InvalidFilePath`; what is one, and is not for us to read or
write (git's directory, secrets, what other programs install, links, permissions), is `FileAccessDenied`.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.comments.errors import FileAccessDenied, InvalidFilePath
from holdfast.comments.sidecar.names import SUFFIX
from holdfast.kernel.errors import Denied, InvalidPath
from holdfast.storage.files.repo_path import RepoPath

_RELATIVE = "Give the path of a source file from the workspace root, such as 'src/app.ts'"
_ELSEWHERE = "Choose a source file of the project"
_GUARDED = frozenset({".git", ".holdfast", "node_modules", ".vscode"})


def source_path(text: str) -> RepoPath:
    """Return the path of a source file, or raise one of the two refusals."""
    if _leads_into_guarded(text):
        raise FileAccessDenied(text, "this place is not for comments", _ELSEWHERE)
    try:
        path = RepoPath.parse(text)
    except InvalidPath as refusal:
        raise InvalidFilePath(text, refusal.message.rstrip("."), refusal.hint or _RELATIVE) from None
    if path.name.endswith(SUFFIX):
        raise InvalidFilePath(text, "it names a comment file, not a source file", _RELATIVE)
    return path


@contextmanager
def refusals_named(path: RepoPath) -> Iterator[None]:
    """Say in the specification's words why a file may not be opened."""
    try:
        yield
    except InvalidFilePath:
        raise
    except InvalidPath as refusal:
        cause = refusal.__cause__
        is_link = "symbolic link" in refusal.message or getattr(cause, "errno", 0) == errno.ELOOP
        if is_link:
            raise FileAccessDenied(
                path.text, refusal.message.rstrip("."), refusal.hint or _ELSEWHERE
            ) from None
        raise InvalidFilePath(path.text, refusal.message.rstrip("."), refusal.hint or _RELATIVE) from None
    except FileAccessDenied:
        raise
    except Denied as refusal:
        raise FileAccessDenied(path.text, refusal.message.rstrip("."), refusal.hint or _ELSEWHERE) from None


def _leads_into_guarded(text: str) -> bool:
    """Return whether a path that stays inside names a place of git, of a tool, or of secrets."""
    if text.startswith(("/", "~")) or "\\" in text or "\0" in text:
        return False
    segments = [segment.casefold() for segment in text.split("/") if segment not in ("", ".")]
    if ".." in segments:
        return False
    return any(
        segment in _GUARDED or segment == ".env" or segment.startswith(".env.") for segment in segments
    )
