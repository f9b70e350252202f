"""Results in the specification's words."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from holdfast.kernel.text import one_line

if TYPE_CHECKING:
    from holdfast.comments.models import (
        AddedComment,
        CommentFacts,
        DeletedComment,
        EditedComment,
        FileComments,
        MovedComment,
        Reanchored,
        RepliedComment,
        ResolvedComment,
        ScanResult,
        SymbolFacts,
    )

UNTAGGED = "UNTAGGED"
TAGS = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")
_CALLABLE = frozenset({"Function", "Method", "Constructor"})
_TAG_PREFIX = r"^\s*{tag}\s*:\s*"


def added(result: AddedComment) -> str:
    """Say that a comment was added."""
    return (
        "✅ Comment added successfully\n\n"
        f"Comment ID: {result.comment_id}\n"
        f"Ghost Marker ID: {result.ghost_marker_id}\n"
        f"File: {result.file_path}:{result.line}\n"
        f"Tag: {result.tag}\n\n"
        f"The comment has been anchored to {_anchor_phrase(result)} and will track code changes."
    )


def edited(result: EditedComment) -> str:
    """Say that a comment was edited."""
    return (
        "✅ Comment edited successfully\n\n"
        f"Comment ID: {result.comment_id}\nFile: {result.file_path}\nUpdated: {result.updated}"
    )


def deleted(result: DeletedComment) -> str:
    """Say that a comment was deleted."""
    return f"✅ Comment deleted\n\nComment ID: {result.comment_id}\nFile: {result.file_path}"


def moved(result: MovedComment) -> str:
    """Say that a comment was moved."""
    return (
        "✅ Comment moved successfully\n\n"
        f"From: {result.source_file}:{result.source_line}\n"
        f"To: {result.target_file}:{result.target_line}\n\n"
        f"Comment ID: {result.comment_id}\n"
        f"New anchor: {_new_anchor(result)}"
    )


def resolved(result: ResolvedComment) -> str:
    """Say what became of a comment."""
    return (
        f"✅ Comment {'reopened' if result.status == 'open' else 'settled'}\n\n"
        f"Comment ID: {result.comment_id}\nFile: {result.file_path}\nStatus: {result.status}"
    )


def replied(result: RepliedComment) -> str:
    """Say that a comment was answered."""
    return (
        "✅ Reply added\n\n"
        f"Comment ID: {result.comment_id}\nFile: {result.file_path}\nReplies: {result.replies}"
    )


def scanned(result: ScanResult) -> str:
    """Say what bringing comments up to date came to."""
    head = f"Looked at {counted(result.files, 'file')} with comments; {result.changed_files} had changed"
    head += f", with {counted(result.comments, 'comment')}." if result.changed_files else "."
    parts = [
        _listed("Moved", result.moved),
        _listed("Needs review", result.needs_review),
        _listed("Orphaned", result.orphaned),
        [f"Left as it is: {one.file_path}: {one.problem}" for one in result.damaged],
    ]
    return "\n".join([head, *(line for part in parts for line in part)])


def _listed(word: str, found: list[Reanchored]) -> list[str]:
    return [f"{word}: {_from(one)}{one.file_path}:{one.line} - {one.comment_id}{_why(one)}" for one in found]


def _from(one: Reanchored) -> str:
    if one.from_file is None and one.from_line == one.line:
        return ""
    return f"{one.from_file or one.file_path}:{one.from_line} to "


def _why(one: Reanchored) -> str:
    return f" ({one.reason.replace('_', ' ')})" if one.reason else ""


def _anchor_phrase(result: AddedComment) -> str:
    if result.symbol is None:
        return f"line {result.line}"
    return f"the {result.symbol.kind.lower()} '{result.symbol.name}'"


def _new_anchor(result: MovedComment) -> str:
    symbol = result.symbol
    if symbol is None:
        return f"line {result.target_line}"
    return anchor_words(symbol) + (f" in {symbol.container}" if symbol.container else "")


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
    tag, place = one_line(comment.tag or UNTAGGED), line_words(comment.line, comment.end_line)
    lines = [
        f"{number}. {tag} ({place}) - {comment.id}",
        f'   "{_indented(without_tag(comment.shown_text or comment.text, comment.tag))}"',
        f"   Author: {one_line(comment.author)} | {_where(comment)}",
    ]
    if comment.status != "open":
        lines.append(f"   Status: {comment.status}")
    lines += [
        f'   Reply from {one_line(reply.author)}: "{_indented(reply.text)}"' for reply in comment.replies
    ]
    if comment.needs_review or comment.orphaned:
        lines += _doubts(comment)
    return "\n".join(lines)


def _indented(text: str) -> str:
    """Return a text whose further lines cannot be taken for entries of the list."""
    return text.replace("\n", "\n    ")


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


def counted(number: int, word: str) -> str:
    """Say how many there are of something."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def line_words(line: int, end_line: int | None) -> str:
    """Say a line or a range of lines."""
    return f"Line {line}" if end_line is None else f"Line {line}-{end_line}"


def anchor_words(symbol: SymbolFacts) -> str:
    """Name what a comment is about, a function with its parentheses and a class as such."""
    name = one_line(symbol.name)
    return f"{name}()" if symbol.kind in _CALLABLE else f"{name} {one_line(symbol.kind).lower()}"


def without_tag(text: str, tag: str | None) -> str:
    """Return a text without the tag that it begins with."""
    if tag is None:
        return text
    return re.sub(_TAG_PREFIX.format(tag=re.escape(tag)), "", text, count=1) or text
