"""What somebody wants to review: the two states that are compared, their files, and the lines of these.

Contract: `worktree` is everything that is not committed, staged or not, new files included; `unstaged` only
what the index has not. A merge is compared to its first parent. Contents are compared up to a size for one
file and for all of them; what is left out says why. While the same files differ, nothing is compared again.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.source.diff.comparison import Comparison, Place, moved_lines
from holdfast.storage.git.command import Git
from holdfast.storage.git.history import changed_files
from holdfast.storage.git.history.changed_files import GITLINK, LINK, ChangedFile
from holdfast.storage.git.line_diff import is_binary

What = Literal["worktree", "unstaged", "staged", "commit", "range", "branch"]
Ends = tuple[str, str | None, str | None]
"""Two commits, without a second one the work tree or the index; and the subject of one by itself."""

_TRUNKS = ("main", "master", "origin/main", "origin/master")
_SPECIAL = {LINK: "It is a symbolic link.", GITLINK: "It is another repository."}
_BINARY, _TOO_LARGE = "It is binary.", "It is too large to be compared line by line."
_UNREADABLE = "It cannot be read under this name."
_TOO_MANY = "Its lines are not counted, because so much differs; ask for this file alone."


class Review(NamedTuple):
    """The files that differ, how they compare or why they do not, and what moved between them."""

    ends: Ends
    files: list[ChangedFile]
    compared: dict[str, Comparison | str]
    moved: dict[Place, Place]


class Reviews:
    """The reviews of one repository; those asked for last are kept."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._kept: VersionedCache[Review] = VersionedCache(4)

    def of(self, what: What, revision: str | None, base: str | None) -> Review:
        """Return what differs now."""
        ends = old, new, _ = self._ends(what, revision, base)
        if new is not None:
            files = list(changed_files.recorded(self._git, "diff-tree", old, new))
        else:
            first = (
                () if what == "unstaged" else changed_files.recorded(self._git, "diff-index", "--cached", old)
            )
            second = () if what == "staged" else changed_files.unstaged(self._git)
            files = changed_files.composed(first, second)
        asked, sign = (what, revision, base), (ends, files)
        return self._kept.get(asked, sign) or self._kept.put(asked, sign, self._review(ends, files))

    def compare(self, change: ChangedFile) -> Comparison | str:
        """Return how the two versions of a file compare, or why they do not."""
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

    def _ends(self, what: What, revision: str | None, base: str | None) -> Ends:
        if what in ("worktree", "unstaged", "staged"):
            return self._git.head() or self._nothing(), None, None
        if what == "range" and base is None:
            raise InvalidArguments("A range needs its base.", hint="Name the commit before the first one.")
        new = self._commit(revision or "HEAD")
        if what == "commit":
            found = self._git.objects().read(new, LIMITS.git_output_bytes)
            head, _, message = (found.data if found else b"").decode("utf-8", "replace").partition("\n\n")
            parents = [line[7:] for line in head.split("\n") if line.startswith("parent ")]
            return parents[0] if parents else self._nothing(), new, message.lstrip().partition("\n")[0]
        old = self._commit(*([base] if base else _TRUNKS))
        if what == "range":
            return old, new, None
        shared = self._git.execute("merge-base", old, new).output.decode("ascii").strip()
        if not shared:
            raise NotFound("The two have no commit in common.", hint="Review a range instead.")
        return shared, None if revision is None else new, None

    def _commit(self, *names: str) -> str:
        """Return the commit that the first of some names has which names one."""
        for name in names:
            try:
                return self._git.resolve(f"{name}^{{commit}}")
            except (NotFound, Invalid):
                continue
        hint = "Name a commit, branch or tag." if self._git.head() else "Make a first commit."
        raise NotFound(f"There is no commit {' or '.join(map(ascii, names[:2]))}.", hint=hint)

    def _nothing(self) -> str:
        """Return the id of the tree without files, which git knows without having it."""
        return self._git.run("hash-object", "-t", "tree", "--stdin").decode("ascii").strip()
