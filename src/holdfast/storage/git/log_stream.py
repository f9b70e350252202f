"""`git log -z` read as it comes: commits with the rows of their files, however long the history is.

Contract: nothing that a repository configures changes what is read. Names keep bytes that are not UTF-8 as
surrogates, and are never quoted or cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

PLAIN = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--no-show-signature", "--root", "-z",
    "--diff-algorithm=myers", "--find-renames", "-l1000", "--encoding=UTF-8",
)  # fmt: skip
"""What settles everything about a comparison that the configuration could decide otherwise."""


def fields(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the texts between the NUL bytes of a stream."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        yield from [field.decode("utf-8", "surrogateescape") for field in whole]
    if rest.strip():
        yield rest.decode("utf-8", "surrogateescape")
