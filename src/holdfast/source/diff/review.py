"""Reviews: two states of a repository, the files that differ, and the comparison of their lines.

Contract: `worktree` covers all uncommitted changes, staged or not, including new files; `unstaged` only those
not in the index. A merge is compared to its first parent. Contents are compared up to a size per file and in
total; the reason is given for files left out. The comparison is cached while the same files differ.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.source.diff.comparison import Comparison, LineKey, moved_lines
from holdfast.storage.git.command import Git
from holdfast.storage.git.history import changed_files
from holdfast.storage.git.history.changed_files import GITLINK, LINK, ChangedFile
from holdfast.storage.git.line_diff import is_binary

Selection = Literal["worktree", "unstaged", "staged", "commit", "range", "branch"]
Ends = tuple[str, str | None, str | None]
"""The old commit, the new one (None for work tree or index), and the subject if a single commit is shown."""

_TRUNKS = ("main", "master", "origin/main", "origin/master")
_SPECIAL = {LINK: "It is a symbolic link.", GITLINK: "It is another repository."}
_BINARY, _TOO_LARGE = "It is binary.", "It is too large for a line-by-line comparison."
_UNREADABLE = "It cannot be read by this name."
_TOO_MANY = "Its lines are not counted because too much differs; request this file alone."


class Review(NamedTuple):
    """The files that differ, their comparisons or why there is none, and the moved lines."""

    ends: Ends
    files: list[ChangedFile]
    compared: dict[str, Comparison | str]
    moved: dict[LineKey, LineKey]


class Reviews:
    """The reviews of one repository, with a cache of the latest."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._cache: VersionedCache[Review] = VersionedCache(4)

    def review(self, what: Selection, revision: str | None, base: str | None) -> Review:
        """Return the current differences."""
        ends = old, new, _ = self._ends(what, revision, base)
        if new is not None:
            files = list(changed_files.recorded_changes(self._git, "diff-tree", old, new))
        else:
            first = (
                ()
                if what == "unstaged"
                else changed_files.recorded_changes(self._git, "diff-index", "--cached", old)
            )
            second = () if what == "staged" else changed_files.unstaged_changes(self._git)
            files = changed_files.compose_changes(first, second)
        request, version = (what, revision, base), (ends, files)
        return self._cache.get(request, version) or self._cache.put(
            request, version, self._review(ends, files)
        )

    def compare(self, change: ChangedFile) -> Comparison | str:
        """Compare the two versions of a file, or return why that is not possible."""
        for side in (change.old, change.new):
            if side and side.mode in _SPECIAL:
                return _SPECIAL[side.mode]
        try:
            old, new = changed_files.contents(self._git, change, LIMITS.diff_file_bytes)
        except HoldfastError as error:
            return _TOO_LARGE if isinstance(error, TooLarge) else _UNREADABLE
        return _BINARY if is_binary(old) or is_binary(new) else Comparison.of(old, new)

    def _review(self, ends: Ends, files: list[ChangedFile]) -> Review:
        compared: dict[str, Comparison | str] = {}
        left = LIMITS.review_bytes
        for change in files[: LIMITS.review_files]:
            current_call().check()
            compared[change.path] = found = self.compare(change) if left > 0 else _TOO_MANY
            left -= 0 if isinstance(found, str) else sum(map(len, (*found.old, *found.new)))
        whole = {path: one for path, one in compared.items() if isinstance(one, Comparison)}
        return Review(ends, files, compared, moved_lines(whole))

    def _ends(self, what: Selection, revision: str | None, base: str | None) -> Ends:
        if what in ("worktree", "unstaged", "staged"):
            return self._git.head() or self._empty_tree(), None, None
        if what == "range" and base is None:
            raise InvalidArguments("A range needs its base.", hint="Name the commit before the first one.")
        new = self._commit(revision or "HEAD")
        if what == "commit":
            found = self._git.objects().read(new, LIMITS.git_output_bytes)
            head, _, message = (found.data if found else b"").decode("utf-8", "replace").partition("\n\n")
            parents = [line[7:] for line in head.split("\n") if line.startswith("parent ")]
            return parents[0] if parents else self._empty_tree(), new, message.lstrip().partition("\n")[0]
        old = self._commit(*([base] if base else _TRUNKS))
        if what == "range":
            return old, new, None
        shared = self._git.execute("merge-base", old, new).output.decode("ascii").strip()
        if not shared:
            raise NotFound("The two have no commit in common.", hint="Review a range instead.")
        return shared, None if revision is None else new, None

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
