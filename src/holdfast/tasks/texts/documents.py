"""The project documents: Markdown files in `.task/` that people and agents write."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal

from holdfast.kernel.errors import Corrupted, NotFound
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

Document = Literal["project.md", "design.md"]
MAX_DOCUMENT_BYTES = 512 * 1024
"""A judgement: far more than anyone reads, and half the request limit of 1 MiB."""
PATHS: dict[Document, RepoPath] = {
    "project.md": RepoPath.parse(".task/project.md"),
    "design.md": RepoPath.parse(".task/design.md"),
}


def read_document(room: Tasks, document: Document) -> str | None:
    """Return the text of a document, or None if it has not been written yet."""
    return read_text(room, PATHS[document], MAX_DOCUMENT_BYTES)


def read_text(room: Tasks, path: RepoPath, maximum: int) -> str | None:
    """Return the text of a file, or None if it does not exist; raise if it has more than `maximum` bytes."""
    try:
        return Tree(room.repository).read_bytes(path, maximum).decode()
    except NotFound:
        return None
    except UnicodeDecodeError:
        raise Corrupted(f"'{path.text}' is not UTF-8 text.", hint="Fix it, or move it away.") from None


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()
