"""What can be read of a file's comments."""

from __future__ import annotations

from holdfast.comments import text
from holdfast.comments.models import CommentFacts, FileComments, FileMetadata, GetFileComments
from holdfast.comments.paths import source_path
from holdfast.comments.store import Comments
from holdfast.comments.toolset import comments
from holdfast.kernel.operation import Effect


@comments.operation(
    "get_file_comments",
    title="Show the comments of a file",
    effect=Effect.READ,
    command="show",
    positional=("file_path",),
    example="holdfast comments show src/app.ts",
    specified=True,
    specified_description="Retrieve all comments and ghost markers for a file",
    text=text.summary_of_file,
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
def get_file_comments(room: Comments, args: GetFileComments) -> FileComments:
    """Retrieve all comments of a file, each on the line where its code is now.

    A comment whose code is gone is orphaned and says why; it comes back by itself when the code does.
    """
    path = source_path(args.file_path)
    notes = room.load(path.text).comments
    shown = [note for note in notes if args.include_orphaned or not note.orphaned]
    return FileComments(
        metadata=FileMetadata(
            file_path=path.text,
            comment_count=len(shown),
            orphaned_count=sum(note.orphaned for note in shown),
        ),
        comments=[CommentFacts.of(note) for note in shown],
    )
