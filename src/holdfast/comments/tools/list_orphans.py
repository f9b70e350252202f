"""`list_orphans`: comments whose code is gone or uncertain, and where it may be now."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from holdfast.comments.anchors.orphans import candidates, uncertain_comments
from holdfast.comments.anchors.snippets import as_it_was, shortened
from holdfast.comments.models import DEFAULT_RESULTS, MOST_RESULTS, CommentFacts, CommentResult, FilePath
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, damage_notices
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input, Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

_OLD_MARGIN = 2
_LONGEST_OLD = 160


class ListOrphans(Input):
    """Where to look."""

    file: FilePath | None = Field(
        default=None, description="A path, or a pattern as in .gitignore; everywhere when left out."
    )
    limit: Integer = count_field(DEFAULT_RESULTS, MOST_RESULTS, "How many to list at most.")


class Orphan(CommentResult):
    """A comment without a sure line: what it said, what the code was, and where that may be now."""

    file_path: UntrustedText = Field(description="The file it was written for.")
    comment: CommentFacts
    old_start_line: int | None = Field(
        description="The number of the first line of `oldCode`, when it was written."
    )
    old_code: UntrustedText | None = Field(
        description="The code it was written for; of very long lines the beginning."
    )


class Orphans(CommentResult):
    """Comments that lost their code, and those whose line a person should look at."""

    total: int = Field(description="How many there are in all.")
    orphans: list[Orphan] = Field(description="The first of them, by file and line.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def orphans(result: Orphans) -> str:
    """Say which comments lost their code, what that was, and where it may be."""
    if not result.orphans:
        return "\n".join(["Every comment is where its code is.", *damage_notices(result.damaged)])
    head = f"{counted(result.total, 'comment')} without a sure line"
    head += ":" if len(result.orphans) == result.total else f"; the first {len(result.orphans)}:"
    return "\n\n".join([head, *map(_orphan_words, result.orphans), *damage_notices(result.damaged)])


def _orphan_words(orphan: Orphan) -> str:
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


@comments.operation(
    "list_orphans",
    title="List comments that lost their code",
    effect=Effect.READ,
    command="orphans",
    positional=("file",),
    example="holdfast comments orphans",
    seconds=600,
    text=orphans,
    fill_in=arguments.patterns("file"),
    listed=False,
)
def list_orphans(room: Comments, args: ListOrphans) -> Orphans:
    """List comments whose code is gone or uncertain, with the code as it was and where it may be now.

    move_comment puts one where it belongs. An orphan comes back by itself when its code does.
    """
    total, found, damaged = uncertain_comments(room, args.file, args.limit)
    offers = candidates(room, found)
    for path, note in found:
        note.location = replace(note.location, candidates=tuple(offers[path, note.id]))
    return Orphans(total=total, orphans=[_orphan(room, path, note) for path, note in found], damaged=damaged)


def _orphan(room: Comments, path: str, note: Note) -> Orphan:
    old = as_it_was(room, note, path, _OLD_MARGIN)
    return Orphan(
        file_path=path,
        comment=CommentFacts.of(note),
        old_start_line=None if old is None else old.start,
        old_code=None if old is None else "\n".join(map(shortened, old.lines)),
    )
