"""Results of a search in the specification's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.comments.text import UNTAGGED
from holdfast.kernel.text import one_line

if TYPE_CHECKING:
    from holdfast.comments.search.models import FoundComment, SearchResult


def found(result: SearchResult) -> str:
    """Say which comments were found."""
    total, shown = result.metadata.total_results, result.comments
    head = f"Found {total} matching comments" + (":" if shown else ".")
    entries = [_entry(number, comment) for number, comment in enumerate(shown, 1)]
    return "\n\n".join([head, *entries, *_remarks(result)])


def _entry(number: int, comment: FoundComment) -> str:
    text = comment.text.replace("\n", "\n    ")
    lines = [
        f"{number}. 📝 {one_line(place(comment))} ({one_line(comment.tag or UNTAGGED)})",
        f'   "{text}"',
        f"   Author: {one_line(comment.author)} | Created: {one_line(comment.created)}",
    ]
    if comment.has_ai_metadata:
        lines.append(f"   AI: {_model(comment)}")
    return "\n".join(lines)


def place(comment: FoundComment) -> str:
    """Say where a comment is."""
    end = "" if comment.end_line is None else f"-{comment.end_line}"
    return f"{comment.file_path}:{comment.line}{end}"


def _model(comment: FoundComment) -> str:
    model = one_line(comment.ai_model or "model not named")
    if comment.ai_confidence is None:
        return model
    return f"{model} (confidence: {comment.ai_confidence:g})"


def _remarks(result: SearchResult) -> list[str]:
    remarks = []
    if result.refusal is not None:
        remarks.append(
            f"The query is no regular expression ({result.refusal}); it was searched as plain text."
        )
    if result.metadata.returned < result.metadata.total_results:
        remarks.append(
            f"Only the first {result.metadata.returned} are shown; a larger limit or more filters help."
        )
    if result.damaged:
        names = ", ".join(result.damaged)
        remarks.append(f"The comments of these files could not be read: {names}. `holdfast doctor` says why.")
    return remarks
