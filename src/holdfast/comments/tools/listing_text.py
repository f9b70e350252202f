"""Lists and annotated files in words and in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.comments.search.text import place
from holdfast.comments.text import UNTAGGED, counted, without_tag
from holdfast.kernel.text import columns, fitted, one_line, table

if TYPE_CHECKING:
    from holdfast.comments.models import CommentFacts
    from holdfast.comments.search.models import FoundComment
    from holdfast.comments.tools.listing_models import AnnotatedFile, ListedComments, Orphan, Orphans

UNLIMITED = 10_000
_LEAST_SOURCE = 20
_LEAST = 10
_SHARE_OF_SOURCE = 0.55
_FLEXIBLE = (3, 4)
_TAB = 4
_FRAME = 5
_NARROW = 50
"""Columns beside the line numbers below which source and comments do not fit beside each other."""
_LONGEST_OLD = 160


def listed(result: ListedComments) -> str:
    """List comments without regard to a terminal."""
    return listed_table(result, UNLIMITED)


def listed_table(result: ListedComments, width: int) -> str:
    """List comments, one on each line of a terminal."""
    rows = [_cells(comment) for comment in result.comments]
    lines = [_rows(rows, width)] if rows else ["No comments."]
    if len(result.comments) < result.total:
        lines.append(f"{len(result.comments)} of {result.total}; --limit shows more.")
    return "\n".join([*lines, *_unread(result.damaged)])


def _rows(rows: list[tuple[str, ...]], width: int) -> str:
    """Return a table, or, where a terminal is too narrow for one, a few lines for each comment."""
    shown = table(rows, width, flexible=_FLEXIBLE)
    if max(map(columns, shown.split("\n"))) <= width:
        return shown
    lines = []
    for where, tag, state, said, _author, name in rows:
        facts = " ".join(filter(None, (tag, state, name)))
        below = (piece for part in (facts, said) for piece in _wrapped(part, max(_LEAST_SOURCE, width - 2)))
        lines += [where, *(f"  {piece}" for piece in below)]
    return "\n".join(lines)


def _cells(comment: FoundComment) -> tuple[str, ...]:
    state = "" if comment.standing == "placed" else comment.standing
    status = "" if comment.status == "open" else comment.status
    return (
        one_line(place(comment)),
        one_line(comment.tag or UNTAGGED),
        ", ".join(filter(None, (state, status))),
        one_line(without_tag(comment.text, comment.tag)),
        one_line(comment.author),
        comment.id,
    )


def orphans(result: Orphans) -> str:
    """Say which comments lost their code, what that was, and where it may be."""
    if not result.orphans:
        return "\n".join(["Every comment is where its code is.", *_unread(result.damaged)])
    head = f"{counted(result.total, 'comment')} without a sure line"
    head += ":" if len(result.orphans) == result.total else f"; the first {len(result.orphans)}:"
    return "\n\n".join([head, *map(_orphan, result.orphans), *_unread(result.damaged)])


def _orphan(orphan: Orphan) -> str:
    comment = orphan.comment
    state = "orphaned" if comment.orphaned else "needs review"
    why = f", {comment.reason.replace('_', ' ')}" if comment.reason else ""
    tag = comment.tag or UNTAGGED
    said = comment.text.replace("\n", "\n    ")
    lines = [f"{orphan.file_path}:{comment.line} ({tag}, {state}{why}) {comment.id}", f'   "{said}"']
    if orphan.old_code is not None and orphan.old_start_line is not None:
        old = enumerate(orphan.old_code.split("\n"), orphan.old_start_line)
        lines += [f"   {number:>5} | {line[:_LONGEST_OLD]}".rstrip() for number, line in old]
    lines += [
        f"   perhaps {one.file_path or orphan.file_path}:{one.line} ({one.score:.0%})"
        for one in comment.candidates
    ]
    return "\n".join(lines)


def _unread(damaged: list[str]) -> list[str]:
    return [f"The comments of {path} could not be read; `holdfast doctor` says why." for path in damaged]


def annotated(result: AnnotatedFile, width: int) -> str:
    """Show a file with its comments in the margin; a wide line of source is cut, a long comment wrapped.

    On a narrow terminal the comments stand below their lines instead.
    """
    known = {comment.id: comment for comment in result.comments}
    sources = [_clean(line.source) for line in result.lines]
    digits = len(str(len(sources) or 1))
    left = width - digits - _FRAME
    is_narrow = left < _NARROW
    column = max(_LEAST, left) if is_narrow else _source_width(sources, left, has_comments=bool(known))
    room = column if is_narrow else max(_LEAST, left - column)
    shown: list[str] = []
    for line, source in zip(result.lines, sources, strict=True):
        notes = [piece for name in line.comments for piece in _wrapped(_remark(known[name]), room)]
        bar = "┃" if line.comments or line.covered_by else "│"
        first = "" if is_narrow or not notes else notes.pop(0)
        shown.append(f"{line.line:>{digits}} {bar} {fitted(source, column)} {first}".rstrip())
        gap = " " if is_narrow else " " * (column + 1)
        shown += [f"{'':>{digits}} ┃ {gap}{piece}" for piece in notes]
    return "\n".join([*shown, *_on_no_line(result, width)]) or "The file is empty."


def _clean(source: str) -> str:
    """Return a line of source without what would move the cursor of a terminal."""
    text = source.expandtabs(_TAB).rstrip()
    return text if text.isprintable() else "".join(one if one.isprintable() else "·" for one in text)


def _on_no_line(result: AnnotatedFile, width: int) -> list[str]:
    """Return the comments that no line of the file has."""
    rest = [comment for comment in result.comments if comment.orphaned or not result.is_text]
    said = [
        f"{'orphaned, last on line' if comment.orphaned else 'line'} {comment.line}: {_remark(comment)}"
        for comment in rest
    ]
    pieces = [piece for one in said for piece in _wrapped(one, max(_LEAST_SOURCE, width))]
    return pieces if result.is_text else ["This is not a text file; its lines are not shown.", *pieces]


def _source_width(sources: list[str], width: int, *, has_comments: bool) -> int:
    longest = max(map(columns, sources), default=0)
    if not has_comments:
        return min(longest, width) if width < UNLIMITED // 2 else longest
    return min(longest, max(_LEAST_SOURCE, int(width * _SHARE_OF_SOURCE)))


def _remark(comment: CommentFacts) -> str:
    doubt = " (needs review)" if comment.needs_review else ""
    status = "" if comment.status == "open" else f" [{comment.status}]"
    said = one_line(without_tag(comment.shown_text or comment.text, comment.tag))
    author = one_line(comment.author)
    return f"{one_line(comment.tag or UNTAGGED)} {author}: {said}{status}{doubt}"


def _wrapped(text: str, width: int) -> list[str]:
    """Cut a text into pieces of a width, at spaces where there are any."""
    pieces: list[str] = []
    line = ""
    for word in text.split():
        if line and columns(line) + 1 + columns(word) > width:
            pieces.append(line)
            line = ""
        line = f"{line} {word}" if line else word
        while columns(line) > width:
            cut = _fitting(line, width)
            pieces.append(line[:cut])
            line = line[cut:]
    return [*pieces, line] if line else pieces


def _fitting(text: str, width: int) -> int:
    taken = 0
    for number, letter in enumerate(text):
        taken += columns(letter)
        if taken > width:
            return max(1, number)
    return len(text)
