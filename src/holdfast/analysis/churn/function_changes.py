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
TOO_MANY = "more than {limit} versions of files in the period; ask for fewer days, a folder or a file"

Changes = Mapping[str, Counter[str]]
"""The number of commits, by file and function; the empty name stands for the file itself."""

_FunctionTexts = Mapping[str, list[int]]
"""By name the hashes of the texts of the functions that have it."""


def function_changes(room: Analysis, project: str, days: int, *, is_file: bool) -> Changes | str:
    """Return how many commits of a period changed each function, or why this is unknown."""
    if room.repository.git_dir is None:
        return NO_GIT
    if room.history.head() is None:
        return NO_COMMIT
    since = room.history.period_start(days) or 0
    changes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with Git(room.repository) as git:
        max_versions = LIMITS.heat_versions
        versions = list(islice(blob_changes_since(git, project, since, follow=is_file), max_versions + 1))
        if len(versions) > max_versions:
            return TOO_MANY.format(limit=max_versions)
        objects, former = git.objects(), dict[tuple[str, str], _FunctionTexts]()
        for number, (path, old_blob, new_blob) in enumerate(versions):
            current_call().progress(number, len(versions), "versions compared")
            try:
                # The version after a commit is usually the one before a newer commit, which came first.
                after = former.pop((path, new_blob), None) or _function_texts(objects, path, new_blob)
                before = former[path, old_blob] = _function_texts(objects, path, old_blob)
            except NotFetched as error:
                return error.message
            changes[path][""] += 1
            changes[path].update(name for name, texts in after.items() if before.get(name) != texts)
    return changes


def _function_texts(objects: BatchReader, path: str, blob: str) -> _FunctionTexts:
    # Imported here because they are slow, and few calls need them.
    from holdfast.syntax.languages import language_of
    from holdfast.syntax.parse import ParseTooLong, parse
    from holdfast.syntax.symbols import symbols

    texts: defaultdict[str, list[int]] = defaultdict(list)
    try:
        content = objects.read(blob, LIMITS.source_file_bytes) if blob else None
        source = "" if content is None else content.data.decode("utf-8-sig", "replace")
        if language := language_of(path, source):
            parsed = parse(language, source)
            for symbol in symbols(parsed):
                if symbol.is_function:
                    texts[".".join(symbol.path)].append(hash(parsed.source[slice(*symbol.span)]))
    except (TooLarge, ParseTooLong):
        return {}
    return texts
