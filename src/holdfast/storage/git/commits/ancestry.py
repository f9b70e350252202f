"""Ancestry between commits, as git finds it; the boundary of a shallow clone is ignored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.kernel.errors import Unavailable
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit_reader import WHOLE_HISTORY


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Return whether one commit is an ancestor of another, or the same."""
    return git.execute("merge-base", "--is-ancestor", older, newer, options=WHOLE_HISTORY).status == 0


def fast_forwards(git: Git, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs of an older and a newer commit with only single parents on the way between them.

    One git command finds them all. Pairs may be left out where histories were merged or cannot be read: use
    `is_ancestor` for these.
    """
    candidates = list(pairs)
    stdin = "".join(f"^{older}\n{newer}\n" for older, newer in candidates).encode("ascii")
    listing = ("rev-list", "--parents", "--stdin")
    try:
        pieces = git.stream(*listing, stdin=stdin, options=WHOLE_HISTORY) if candidates else ()
        lines = b"".join(pieces)
    except Unavailable:
        return set()
    parents = {commit: rest for commit, *rest in map(str.split, lines.decode("ascii").splitlines())}
    linear_pairs = set()
    for older, newer in candidates:
        commit = newer
        while len(parents_of_commit := parents.pop(commit, [])) == 1:
            commit = parents_of_commit[0]
        if commit == older:
            linear_pairs.add((older, newer))
    return linear_pairs


def first_after_fork(git: Git, tip: str, other_tip: str | None = None) -> str:
    """Return the oldest commit that is reachable from `tip`, but not from `other_tip`; there must be one."""
    excluded = [] if other_tip is None else [f"^{other_tip}"]
    output = git.run("rev-list", "--topo-order", tip, *excluded, options=WHOLE_HISTORY)
    return output.decode("ascii").split()[-1]


def count_between(git: Git, newer: Sequence[str], older: Sequence[str]) -> int:
    """Return how many commits are reachable from the newer ones and not from the older ones."""
    names = "".join([*(f"{name}\n" for name in newer), *(f"^{name}\n" for name in older)])
    stdin = names.encode("ascii")
    return int(git.run("rev-list", "--count", "--stdin", stdin=stdin, options=WHOLE_HISTORY))
