"""Lists the comments of a work tree that are orphaned or need review."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Confidence


class UncertainComments(NamedTuple):
    """The first comments without a certain line."""

    total: int
    """How many there are in all, including those over the limit."""
    comments: list[tuple[str, Note]]
    """Each with the path of its file, by path and line."""
    damaged: list[str]
    """The files whose comments could not be read."""


def uncertain_comments(room: Comments, pattern: str | None, limit: int) -> UncertainComments:
    """Return up to `limit` uncertain comments in the files that a path or pattern matches; None: in all."""
    query = CommentQuery(path=pattern, limit=limit, by_place=True)
    # The first query tracks every file, so the second finds current states.
    orphaned = room.search.find(query._replace(standing="orphaned"), everywhere=True)
    to_review = room.search.find(query._replace(standing="review"))
    moves = room.moves()
    comments = [
        (path, note)
        for path in sorted({hit.path for hit in (*orphaned.hits, *to_review.hits)})
        for note in room.load_owned(path, moves).comments
        if note.location.confidence is not Confidence.HIGH
    ]
    comments.sort(key=lambda item: (item[0], item[1].line, item[1].alias))
    return UncertainComments(orphaned.total + to_review.total, comments[:limit], orphaned.damaged)
