"""Lists of comments, those that lost their code, and a file with its comments in the margin."""

from __future__ import annotations

from dataclasses import replace

from holdfast.comments.anchors.orphans import candidates, unsure
from holdfast.comments.anchors.snippets import as_it_was, is_text, lines_of_file, shortened
from holdfast.comments.errors import SourceNotFound
from holdfast.comments.models import CommentFacts
from holdfast.comments.search.operations import found_comment
from holdfast.comments.search.pattern import compiled
from holdfast.comments.search.query import Query
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.paths import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.tools import listing_text as text
from holdfast.comments.tools.listing_models import (
    AnnotatedFile,
    AnnotatedLine,
    BlameFile,
    ListComments,
    ListedComments,
    ListOrphans,
    Orphan,
    Orphans,
)
from holdfast.comments.toolset import comments
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.operation import Effect

_OLD_MARGIN = 2


@comments.operation(
    "list_comments",
    title="List comments",
    effect=Effect.READ,
    command="list",
    positional=("file",),
    example="holdfast comments list 'src/**' --tag TODO --status open",
    seconds=600,
    text=text.listed,
    table=text.listed_table,
    fill_in=arguments.patterns("file"),
    listed=False,
)
def list_comments(room: Comments, args: ListComments) -> ListedComments:
    """List comments by file and line, with filters.

    Lines are where the code is now; `standing` tells whether that is sure. Use search_comments to rank by
    how often a text matches.
    """
    found = room.search.find(
        Query(
            None if args.match is None else compiled(args.match),
            tag=args.tag,
            author=args.author,
            path=args.file,
            has_ai=args.ai,
            start=None if args.since is None else microseconds_of(args.since),
            end=None if args.until is None else microseconds_of(args.until),
            status=args.status,
            standing=args.standing,
            limit=args.limit,
            by_place=True,
        ),
        # Which comments have which standing is known only once all of them were looked at.
        everywhere=args.standing is not None,
    )
    return ListedComments(
        total=found.total, comments=[found_comment(hit) for hit in found.hits], damaged=found.damaged
    )


@comments.operation(
    "list_orphans",
    title="List comments that lost their code",
    effect=Effect.READ,
    command="orphans",
    positional=("file",),
    example="holdfast comments orphans",
    seconds=600,
    text=text.orphans,
    fill_in=arguments.patterns("file"),
    listed=False,
)
def list_orphans(room: Comments, args: ListOrphans) -> Orphans:
    """List comments whose code is gone or uncertain, with the code as it was and where it may be now.

    move_comment puts one where it belongs. An orphan comes back by itself when its code does.
    """
    total, found, damaged = unsure(room, args.file, args.limit)
    offers = candidates(room, found)
    for path, note in found:
        note.placement = replace(note.placement, candidates=tuple(offers[path, note.id]))
    return Orphans(total=total, orphans=[_orphan(room, path, note) for path, note in found], damaged=damaged)


def _orphan(room: Comments, path: str, note: Note) -> Orphan:
    old = as_it_was(room, note, path, _OLD_MARGIN)
    return Orphan(
        file_path=path,
        comment=CommentFacts.of(note),
        old_start_line=None if old is None else old.start,
        old_code=None if old is None else "\n".join(map(shortened, old.lines)),
    )


@comments.operation(
    "blame_file",
    title="Show a file with its comments in the margin",
    effect=Effect.READ,
    command="blame",
    positional=("file",),
    example="holdfast comments blame src/app.ts",
    command_only=True,
    text=lambda result: text.annotated(result, text.UNLIMITED),
    table=text.annotated,
    fill_in=arguments.paths("file"),
)
def blame_file(room: Comments, args: BlameFile) -> AnnotatedFile:
    """Show a source file with the comments on each line beside it."""
    path = source_path(args.file).text
    notes = room.load(path).comments
    placed = [note for note in notes if not note.orphaned]
    try:
        source = room.text_of(path)
    except SourceNotFound:
        source = ""  # its sidecar is still there, and all its comments are orphaned
    lines = lines_of_file(source) if source and is_text(source) else []
    return AnnotatedFile(
        file_path=path,
        is_text=is_text(source),
        lines=[_annotated(number, line, placed) for number, line in enumerate(lines, 1)],
        comments=[CommentFacts.of(note) for note in notes],
    )


def _annotated(number: int, line: str, notes: list[Note]) -> AnnotatedLine:
    return AnnotatedLine(
        line=number,
        source=line,
        comments=[note.alias for note in notes if note.line == number],
        covered_by=[note.alias for note in notes if note.line < number <= (note.end_line or note.line)],
    )
