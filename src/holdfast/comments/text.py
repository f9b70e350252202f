"""Results in the specification's words."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.comments.models import CommentFacts, FileComments, SymbolFacts

UNTAGGED = "UNTAGGED"
TAGS = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")
_CALLABLE = frozenset({"Function", "Method", "Constructor"})
_TAG_PREFIX = r"^\s*{tag}\s*:\s*"


def summary_of_file(result: FileComments) -> str:
    """Say which comments a file has."""
    shown = result.comments
    counts = Counter(comment.tag or UNTAGGED for comment in shown)
    order = [tag for tag in TAGS if tag in counts] + sorted(counts.keys() - set(TAGS))
    head = [f"Comments for {result.metadata.file_path}", "", "📊 Summary:"]
    head.append(f"- Total comments: {result.metadata.comment_count}")
    head += [f"- {tag}: {counts[tag]}" for tag in order]
    head += [f"- Orphaned: {result.metadata.orphaned_count}", "", "---"]
    entries = [_entry(number, comment) for number, comment in enumerate(shown, 1)]
    return "\n\n".join(["\n".join(head), *entries])


def _entry(number: int, comment: CommentFacts) -> str:
    about = f"Author: {comment.author} | {_where(comment)}"
    lines = [
        f"{number}. {comment.tag or UNTAGGED} ({line_words(comment.line, comment.end_line)}) - {comment.id}",
        f'   "{without_tag(comment.shown_text or comment.text, comment.tag)}"',
        f"   {about}",
    ]
    if comment.status != "open":
        lines.append(f"   Status: {comment.status}")
    lines += [f'   Reply from {reply.author}: "{reply.text}"' for reply in comment.replies]
    if comment.needs_review or comment.orphaned:
        lines += _doubts(comment)
    return "\n".join(lines)


def _where(comment: CommentFacts) -> str:
    if comment.symbol is None:
        return f"Anchored to: line {comment.line}"
    return f"Anchored to: {anchor_words(comment.symbol)}"


def _doubts(comment: CommentFacts) -> list[str]:
    why = (comment.reason or "not sure").replace("_", " ")
    said = f"Orphaned: {why}" if comment.orphaned else f"Needs review: {why}"
    places = ", ".join(
        (f"{one.file_path}:{one.line}" if one.file_path else f"line {one.line}")
        for one in comment.candidates[:3]
    )
    return [f"   {said}" + (f" (perhaps {places})" if places else "")]


def line_words(line: int, end_line: int | None) -> str:
    """Say a line or a range of lines."""
    return f"Line {line}" if end_line is None else f"Line {line}-{end_line}"


def anchor_words(symbol: SymbolFacts) -> str:
    """Name what a comment is about, a function with its parentheses and a class as such."""
    if symbol.kind in _CALLABLE:
        return f"{symbol.name}()"
    return f"{symbol.name} {symbol.kind.lower()}"


def without_tag(text: str, tag: str | None) -> str:
    """Return a text without the tag that it begins with."""
    if tag is None:
        return text
    return re.sub(_TAG_PREFIX.format(tag=re.escape(tag)), "", text, count=1) or text
