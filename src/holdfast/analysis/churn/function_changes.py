"""How many commits changed each function of a project.

A commit changed a function if the text of the function with that name in that file differs before and after
it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import islice

from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import NotFetched, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import blob_changes_since
from holdfast.storage.git.objects.cat_file import BatchReader

NO_GIT = "not in a git repository"
NO_COMMIT = "nothing is committed yet"
TOO_MANY = "more than {} versions of files in the period; ask for a folder or file with fewer"
_TEXTS = 64
"""Versions of files whose functions are cached: a chosen bound. The version after one commit is usually the
one before the next."""

Changes = Mapping[str, Counter[str]]
"""By file and function; the empty name is for the file itself."""


def function_changes(room: Analysis, project: str, since: int, *, is_file: bool) -> Changes | str:
    """Return how many commits since a time changed each function, or why that is unknown."""
    if room.repository.git_dir is None:
        return NO_GIT
    if room.history.head() is None:
        return NO_COMMIT
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with Git(room.repository) as git:
        most = LIMITS.heat_versions
        versions = list(islice(blob_changes_since(git, project, since, follow=is_file), most + 1))
        if len(versions) > most:
            return TOO_MANY.format(most)
        objects, known = git.objects(), dict[tuple[str, str], dict[str, list[str]]]()
        for number, (path, *blobs) in enumerate(versions):
            current_call().progress(number, len(versions), "versions compared")
            try:
                before, after = (_texts(objects, known, path, blob) for blob in blobs)
            except NotFetched as error:
                return error.message
            found[path][""] += 1
            found[path].update(name for name, text in after.items() if before.get(name) != text)
    return found


def _texts(
    objects: BatchReader, known: dict[tuple[str, str], dict[str, list[str]]], path: str, blob: str
) -> dict[str, list[str]]:
    """Return the texts of the functions in a version of a file; the last versions are cached."""
    if not blob:
        return {}
    if (path, blob) not in known:
        if len(known) >= _TEXTS:
            known.pop(next(iter(known)))
        known[path, blob] = _read(objects, path, blob)
    return known[path, blob]


def _read(objects: BatchReader, path: str, blob: str) -> dict[str, list[str]]:
    from holdfast.syntax.facts import facts  # imported here because it is slow, and few calls need it

    try:
        content = objects.read(blob, LIMITS.source_file_bytes)
    except TooLarge:
        return {}
    data = b"" if content is None else content.data
    texts: defaultdict[str, list[str]] = defaultdict(list)
    source = data.decode("utf-8-sig", "replace")
    encoded = source.encode()
    for symbol in facts(path, source).symbols:
        if symbol.is_function:
            texts[".".join(symbol.path)].append(encoded[slice(*symbol.span)].decode("utf-8", "replace"))
    return texts
