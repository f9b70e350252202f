"""Counts how many commits changed each function of a project.

A commit changed a function if the text of the function with that name differs between the versions of the
file before and after the commit.
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
TOO_MANY = "more than {limit} versions of files in the period; ask for a folder or file with fewer"
_MAX_VERSIONS_CACHED = 64
"""Versions of files whose functions are cached. A judgement: the version before a commit is usually the one
after an earlier commit, and few commits change more files."""

Changes = Mapping[str, Counter[str]]
"""The number of commits, by file and function; the empty name stands for the file itself."""

_FunctionTexts = Mapping[str, list[str]]
"""By name the texts of the functions that have it."""


def function_changes(room: Analysis, project: str, since: int, *, is_file: bool) -> Changes | str:
    """Return how many commits since a time in epoch seconds changed each function, or why this is unknown."""
    if room.repository.git_dir is None:
        return NO_GIT
    if room.history.head() is None:
        return NO_COMMIT
    changes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with Git(room.repository) as git:
        max_versions = LIMITS.heat_versions
        versions = list(islice(blob_changes_since(git, project, since, follow=is_file), max_versions + 1))
        if len(versions) > max_versions:
            return TOO_MANY.format(limit=max_versions)
        objects, cache = git.objects(), dict[tuple[str, str], _FunctionTexts]()
        for number, (path, old_blob, new_blob) in enumerate(versions):
            current_call().progress(number, len(versions), "versions compared")
            try:
                before = _cached_function_texts(objects, cache, path, old_blob)
                after = _cached_function_texts(objects, cache, path, new_blob)
            except NotFetched as error:
                return error.message
            changes[path][""] += 1
            changes[path].update(name for name, texts in after.items() if before.get(name) != texts)
    return changes


def _cached_function_texts(
    objects: BatchReader, cache: dict[tuple[str, str], _FunctionTexts], path: str, blob: str
) -> _FunctionTexts:
    if not blob:  # the file did not exist, or was deleted
        return {}
    if (path, blob) not in cache:
        if len(cache) >= _MAX_VERSIONS_CACHED:
            cache.pop(next(iter(cache)))  # the oldest
        cache[path, blob] = _function_texts(objects, path, blob)
    return cache[path, blob]


def _function_texts(objects: BatchReader, path: str, blob: str) -> _FunctionTexts:
    from holdfast.syntax.facts import facts  # imported here because it is slow, and few calls need it

    try:
        content = objects.read(blob, LIMITS.source_file_bytes)
    except TooLarge:
        return {}
    source = "" if content is None else content.data.decode("utf-8-sig", "replace")
    encoded = source.encode()
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for symbol in facts(path, source).symbols:
        if symbol.is_function:
            texts[".".join(symbol.path)].append(encoded[slice(*symbol.span)].decode("utf-8", "replace"))
    return texts
