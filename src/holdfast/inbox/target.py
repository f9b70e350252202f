"""The file and lines that a message is about: whether they exist in the work tree or the last commit."""

from __future__ import annotations

import os
from collections.abc import Iterator

from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.text import counted
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.repo_path import RepoPath, closest_path
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository

_MAX_BYTES = 16 * 1024 * 1024
"""A judgement: few sources are larger; the lines of one that is are not counted."""
_OTHERWISE = "Pass `anyway` for a remark about another version of the code."


def check_place(repository: Repository) -> None:
    """Raise outside git, unless a store was made there on purpose: nobody would look for a message there."""
    if not repository.is_in_git and not os.path.isdir(repository.store_directory):
        raise NotFound(
            "There is no git repository here, and no store of Holdfast.",
            hint="Run it in a repository, or name one with --root; `git init` starts one.",
        )


def missing_target(repository: Repository, file: str, line: str | None) -> NotFound | None:
    """Return the error for a file or lines that are in neither version, or None."""
    if file == os.curdir:
        return None
    committed = _committed(repository, file)
    if committed is None and not os.path.lexists(os.path.join(repository.root, file)):
        similar = closest_path(repository.root, file)
        hint = _OTHERWISE if similar is None else f"Did you mean {similar}? {_OTHERWISE}"
        return NotFound(f"There is no file {file} in this repository.", hint=hint, path=file)
    lengths = [_line_count(content) for content in _contents(repository, file, committed)]
    last = 0 if line is None else int(line.rpartition("-")[2])
    if not lengths or last <= max(lengths):
        return None
    text = f"{file} has {counted(max(lengths), 'line')}, so there is no line {last}."
    return NotFound(text, hint=f"Name another line, or none. {_OTHERWISE}", path=file)


def _contents(repository: Repository, file: str, committed: bytes | None) -> Iterator[bytes]:
    """Yield the versions of a file; none at all if one of them cannot be read, or is no file."""
    path = os.path.join(repository.root, file)
    versions = [] if committed is None else [committed]
    if os.path.lexists(path):
        try:
            versions.append(read_limited(path, _MAX_BYTES))
        except (HoldfastError, OSError):
            return
    yield from versions


def _line_count(content: bytes) -> int:
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def _committed(repository: Repository, file: str) -> bytes | None:
    if repository.git_dir is None:
        return None
    try:
        with Git(repository) as git:
            return git.head_blob(RepoPath.parse(file), limit=_MAX_BYTES)
    except HoldfastError:
        return None
