"""`list_orphans`: comments whose code is gone or uncertain, and where it may be now."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from holdfast.comments.anchors.orphans import find_candidates
from holdfast.comments.anchors.snippets import original_snippet, shorten_line
from holdfast.comments.anchors.uncertain import uncertain_comments
from holdfast.comments.models import (
    DEFAULT_RESULT_LIMIT,
    MAX_RESULT_LIMIT,
    WORKSPACE_SECONDS,
    CommentFacts,
    CommentResult,
    FilePath,
)
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, damage_notices
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input, Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

_CONTEXT_LINES = 2
"""Lines of old code before and after a comment's own. A judgement: enough to recognise the place."""

_MAX_LINE_CHARACTERS_SHOWN = 160
"""Characters of a line of old code in the text form. A judgement: two lines of most terminals."""


class ListOrphans(Input):
    """Which files' orphans to list."""

    file: FilePath | None = Field(
        default=None, description="A path, or a pattern as in .gitignore; everywhere when left out."
    )
    limit: Integer = count_field(DEFAULT_RESULT_LIMIT, MAX_RESULT_LIMIT, "How many to list at most.")


class Orphan(CommentResult):
    """A comment without a certain line: its text, its old code, and its candidates."""

    file_path: UntrustedText = Field(description="The file that the comment was written for.")
    comment: CommentFacts
    old_start_line: int | None = Field(
        description="The number of the first line of `oldCode` when the comment was written."
    )
    old_code: UntrustedText | None = Field(
        description="The code that the comment was written for; very long lines are cut."
    )


class Orphans(CommentResult):
    """Comments whose code is gone, and those whose line a person should check."""

    total: int = Field(description="How many such comments there are in all.")
    orphans: list[Orphan] = Field(description="The first of them, by file and line.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def render_orphans(result: Orphans) -> str:
    """Format the comments that lost their code, with that code and the candidates."""
    if not result.orphans:
        return "\n".join(["Every comment is at its code.", *damage_notices(result.damaged)])
    head = f"{counted(result.total, 'comment')} without a certain line"
    head += ":" if len(result.orphans) == result.total else f"; the first {len(result.orphans)}:"
    return "\n\n".join([head, *map(_render_orphan, result.orphans), *damage_notices(result.damaged)])


def _render_orphan(orphan: Orphan) -> str:
    comment = orphan.comment
    state = "orphaned" if comment.orphaned else "needs review"
    reason = f", {comment.reason.replace('_', ' ')}" if comment.reason else ""
    tag = comment.tag or UNTAGGED
    text = comment.text.replace("\n", "\n    ")
    lines = [f"{orphan.file_path}:{comment.line} ({tag}, {state}{reason}) {comment.id}", f'   "{text}"']
    if orphan.old_code is not None and orphan.old_start_line is not None:
        old = enumerate(orphan.old_code.split("\n"), orphan.old_start_line)
        lines += [f"   {number:>5} | {line[:_MAX_LINE_CHARACTERS_SHOWN]}".rstrip() for number, line in old]
    lines += [
        f"   perhaps {candidate.file_path or orphan.file_path}:{candidate.line} ({candidate.score:.0%})"
        for candidate in comment.candidates
    ]
    return "\n".join(lines)


@comments.operation(
    "list_orphans",
    title="List comments that lost their code",
    effect=Effect.READ,
    command="orphans",
    positional=("file",),
    example="holdfast comments orphans",
    seconds=WORKSPACE_SECONDS,
    text=render_orphans,
    fill_in=arguments.resolve_pattern("file"),
    listed=False,
)
def list_orphans(room: Comments, args: ListOrphans) -> Orphans:
    """List comments whose code is gone or uncertain, with the code as it was and where it may be now.

    Use move_comment to move one to the right place. An orphan is restored automatically when its code
    returns.
    """
    uncertain = uncertain_comments(room, args.file, args.limit)
    candidates = find_candidates(room, uncertain.comments)
    for path, note in uncertain.comments:
        note.location = replace(note.location, candidates=tuple(candidates[path, note.id]))
    orphans = [_orphan(room, path, note) for path, note in uncertain.comments]
    return Orphans(total=uncertain.total, orphans=orphans, damaged=uncertain.damaged)


def _orphan(room: Comments, path: str, note: Note) -> Orphan:
    old = original_snippet(room, note, path, _CONTEXT_LINES)
    return Orphan(
        file_path=path,
        comment=CommentFacts.of(note),
        old_start_line=None if old is None else old.start,
        old_code=None if old is None else "\n".join(map(shorten_line, old.lines)),
    )
