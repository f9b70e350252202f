"""Ancestry between commits, and the kinds of objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.kernel.errors import Unavailable
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit_reader import WHOLE_HISTORY


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Return whether one commit is an ancestor of another, or the same."""
    return git.execute("merge-base", "--is-ancestor", older, newer, options=WHOLE_HISTORY).status == 0


def object_kinds(git: Git, ids: Iterable[str]) -> dict[str, str]:
    """Return the kind of each object; an id that names nothing is left out."""
    wanted = sorted({*ids})
    given = "".join(f"{object_id}\n" for object_id in wanted).encode("ascii")
    lines = git.run("cat-file", "--batch-check=%(objecttype)", given=given).decode() if wanted else ""
    kinds = zip(wanted, lines.split("\n"), strict=False)
    return {object_id: kind for object_id, kind in kinds if " " not in kind}


def fast_forwards(git: Git, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs of an older and a newer commit with only single parents on the way between them.

    One git command finds them all. Pairs may be left out where histories were merged or cannot be read: use
    `is_ancestor` for these.
    """
    candidates = list(pairs)
    given = "".join(f"^{older}\n{newer}\n" for older, newer in candidates).encode("ascii")
    listing = ("rev-list", "--parents", "--stdin")
    try:
        pieces = git.stream(*listing, given=given, options=WHOLE_HISTORY) if candidates else ()
        lines = b"".join(pieces)
    except Unavailable:
        return set()
    parents = {
        commit: its_parents for commit, *its_parents in map(str.split, lines.decode("ascii").splitlines())
    }
    found = set()
    for older, newer in candidates:
        commit = newer
        while len(its_parents := parents.pop(commit, [])) == 1:
            commit = its_parents[0]
        if commit == older:
            found.add((older, newer))
    return found


def first_after_fork(git: Git, ours: str, other: str | None = None) -> str:
    """Return the oldest commit that is reachable from `ours`, but not from `other`."""
    excluded = [] if other is None else [f"^{other}"]
    output = git.run("rev-list", "--topo-order", ours, *excluded, options=WHOLE_HISTORY)
    return output.decode("ascii").split()[-1]


def count_between(git: Git, newer: Sequence[str], older: Sequence[str]) -> int:
    """Return how many commits are reachable from the newer ones and not from the older ones."""
    names = "".join([*(f"{name}\n" for name in newer), *(f"^{name}\n" for name in older)])
    given = names.encode("ascii")
    return int(git.run("rev-list", "--count", "--stdin", given=given, options=WHOLE_HISTORY))
