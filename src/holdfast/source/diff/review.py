"""Reviews: two states of a repository, the files that differ, and the comparison of their lines.

What can be reviewed:
- `worktree`: all uncommitted changes, staged or not, including new files; `unstaged`: only those not in the
  index; `staged`: only those in the index.
- `commit`: what `revision` changed; a merge is compared with its first parent. `range`: `base` to `revision`.
- `branch`: since `revision` left `base`, by default the trunk; without a revision, up to the work tree.

Contract: contents are compared up to a size per file and in total; for other files the reason is given. A
comparison is cached as long as the same files differ.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.source.diff.comparison import Comparison, LineKey, moved_lines
from holdfast.storage.git.binary_content import is_binary
from holdfast.storage.git.command import Git
from holdfast.storage.git.history import changed_files
from holdfast.storage.git.history.changed_files import GITLINK, LINK, ChangedFile

Selection = Literal["worktree", "unstaged", "staged", "commit", "range", "branch"]
_MAX_CACHED_REVIEWS = 4
"""Reviews that are cached. A judgement: a page shows one or two, and each may have megabytes of lines."""

_TRUNK_NAMES = ("main", "master", "origin/main", "origin/master")
"""Branches that a branch may have been created from, in the order in which they are tried."""

_REASON_BY_MODE = {LINK: "It is a symbolic link.", GITLINK: "It is a submodule."}
_BINARY, _TOO_LARGE = "It is binary.", "It is too large for a line-by-line comparison."
_UNREADABLE = "It cannot be read by this name."
_TOO_MANY = "Its lines were not compared because too much differs; request this file alone."


class Ends(NamedTuple):
    """The two states to compare."""

    old: str
    """The old commit, or the empty tree. For `unstaged`, the index is compared instead of it."""
    new: str | None
    """The new commit; None for the work tree or the index."""
    subject: str | None = None
    """The subject line, if the changes of a single commit are shown."""


class Details(NamedTuple):
    """What takes long to find out when much differs."""

    compared: dict[str, Comparison | str]
    """By path, the comparison of a file, or why there is none. Files after the first `LIMITS.review_files`
    are missing; `Reviews.compare` compares one of them."""
    moved: dict[LineKey, LineKey]
    """See `moved_lines`."""
    counts: dict[str, tuple[int, int]]
    """By path, how many lines were added and removed, of all files whose lines can be counted."""


class Review:
    """The differences between two states of the repository; details are computed when first needed."""

    def __init__(self, ends: Ends, files: list[ChangedFile], compute: Callable[[], Details]) -> None:
        self.ends = ends
        self.files = files
        self.known_details: Details | None = None
        self._compute = compute
        self._lock = threading.Lock()

    @property
    def details(self) -> Details:
        with self._lock:
            if self.known_details is None:
                self.known_details = self._compute()
            return self.known_details


class Reviews:
    """Computes the reviews of one repository, with a cache."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._cache: VersionedCache[Review] = VersionedCache(_MAX_CACHED_REVIEWS)

    def review(self, what: Selection, revision: str | None, base: str | None) -> Review:
        ends = self._ends(what, revision, base)
        # Between two commits always the same files differ.
        files = None if ends.new is not None else self._uncommitted_changes(what, ends.old)
        request, version = (what, revision, base), (ends, files)
        cached = self._cache.get(request, version)
        if cached is not None:
            return cached
        if files is None:
            files = list(changed_files.recorded_changes(self._git, "diff-tree", ends.old, str(ends.new)))
        review = Review(ends, files, partial(self._compare_all, ends, files))
        return self._cache.put(request, version, review)

    def _line_counts(self, ends: Ends, compared: dict[str, Comparison]) -> dict[str, tuple[int, int]]:
        """Return the counts of git between two commits; in the work tree, which git would filter, our own."""
        if ends.new is not None:
            return changed_files.line_counts(self._git, "diff-tree", ends.old, ends.new)
        return {path: comparison.line_counts for path, comparison in compared.items()}

    def _uncommitted_changes(self, what: Selection, head: str) -> list[ChangedFile]:
        staged: Iterable[ChangedFile] = ()
        unstaged: Iterable[ChangedFile] = ()
        if what != "unstaged":
            staged = changed_files.recorded_changes(self._git, "diff-index", "--cached", head)
        if what != "staged":
            unstaged = changed_files.unstaged_changes(self._git)
        return changed_files.compose_changes(staged, unstaged)

    def compare(self, change: ChangedFile) -> Comparison | str:
        """Compare the two versions of a file, or return why that is not possible."""
        for side in (change.old, change.new):
            if side and side.mode in _REASON_BY_MODE:
                return _REASON_BY_MODE[side.mode]
        try:
            old, new = changed_files.contents(self._git, change, LIMITS.diff_file_bytes)
        except HoldfastError as error:
            return _TOO_LARGE if isinstance(error, TooLarge) else _UNREADABLE
        return _BINARY if is_binary(old) or is_binary(new) else Comparison.of(old, new)

    def _compare_all(self, ends: Ends, files: list[ChangedFile]) -> Details:
        """Compare the first `LIMITS.review_files` files, or fewer with a total of `LIMITS.review_bytes`."""
        results: dict[str, Comparison | str] = {}
        comparisons: dict[str, Comparison] = {}
        bytes_left = LIMITS.review_bytes
        for change in files[: LIMITS.review_files]:
            current_call().check()
            result = self.compare(change) if bytes_left > 0 else _TOO_MANY
            results[change.path] = result
            if isinstance(result, Comparison):
                comparisons[change.path] = result
                bytes_left -= sum(map(len, (*result.old, *result.new)))
        counts = self._line_counts(ends, comparisons)
        return Details(results, moved_lines(comparisons), counts)

    def _ends(self, what: Selection, revision: str | None, base: str | None) -> Ends:
        """Return the two states to compare, or raise if they do not exist."""
        if what in ("worktree", "unstaged", "staged"):
            return Ends(self._git.head() or self._empty_tree(), None)
        if what == "range" and base is None:
            raise InvalidArguments("A range needs its base.", hint="Name the commit before the first one.")
        new = self._commit(revision or "HEAD")
        if what == "commit":
            commit = self._git.objects().read(new, LIMITS.git_output_bytes)
            text = (commit.data if commit else b"").decode("utf-8", "replace")
            header, _, message = text.partition("\n\n")
            parents = [
                line.removeprefix("parent ") for line in header.split("\n") if line.startswith("parent ")
            ]
            subject, _, _ = message.lstrip().partition("\n")
            return Ends(parents[0] if parents else self._empty_tree(), new, subject)
        old = self._commit(*([base] if base else _TRUNK_NAMES))
        if what == "range":
            return Ends(old, new)
        merge_base = self._git.execute("merge-base", old, new).output.decode("ascii").strip()
        if not merge_base:
            raise NotFound("The two have no commit in common.", hint="Review a range instead.")
        # Without a revision, uncommitted changes belong to the branch, too.
        return Ends(merge_base, None if revision is None else new)

    def _commit(self, *names: str) -> str:
        """Return the commit of the first name that resolves."""
        for name in names:
            try:
                return self._git.resolve(f"{name}^{{commit}}")
            except (NotFound, Invalid):
                continue
        hint = "Name a commit, branch or tag." if self._git.head() else "Make a first commit."
        raise NotFound(f"There is no commit {' or '.join(map(ascii, names[:2]))}.", hint=hint)

    def _empty_tree(self) -> str:
        """Return the id of the empty tree, which git knows without storing it."""
        return self._git.run("hash-object", "-t", "tree", "--stdin").decode("ascii").strip()
