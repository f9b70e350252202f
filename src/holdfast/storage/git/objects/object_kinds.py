"""Looks up whether objects are commits, trees, blobs or tags, for many at once."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.storage.git.command import Git


def object_kinds(git: Git, ids: Iterable[str]) -> dict[str, str]:
    """Return the kind of each object; an id that names nothing is left out."""
    wanted = sorted({*ids})
    stdin = "".join(f"{object_id}\n" for object_id in wanted).encode("ascii")
    lines = git.run("cat-file", "--batch-check=%(objecttype)", stdin=stdin).decode() if wanted else ""
    kinds = zip(wanted, lines.split("\n"), strict=False)
    return {object_id: kind for object_id, kind in kinds if " " not in kind}
