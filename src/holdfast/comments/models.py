"""What the room's operations take and return. Names on the wire are the specification's."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, cast

from pydantic import BeforeValidator, Field

from holdfast.comments.sidecar.note import AnchorSymbol, Note
from holdfast.comments.tracking.models import Candidate
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText

Tag = Literal["TODO", "FIXME", "NOTE", "STAR", "QUESTION"]
Status = Literal["open", "resolved", "wontfix"]
State = Literal["high", "medium", "low", "none"]

FilePath = Annotated[str, Field(max_length=LIMITS.path_characters)]
CommentId = Annotated[str, Field(pattern=r"^c_\d+$", max_length=40)]


def _whole(value: object) -> object:
    """Take 10.0 for 10, as JSON and its schemas do."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


LineNumber = Annotated[int, Field(ge=1, strict=True), BeforeValidator(_whole)]


def optional(description: str, **more: Any) -> Any:
    """Return a field of a result that is left out where there is nothing to say."""
    return Field(default=None, exclude_if=lambda value: value is None, description=description, **more)


class SymbolFacts(Output):
    """The function, class or the like that a comment is about."""

    kind: UntrustedText = Field(description="What it is, such as Function or Class.")
    name: UntrustedText = Field(description="Its name.")
    container: UntrustedText | None = Field(description="The name of what it is in, if it is in something.")

    @classmethod
    def of(cls, symbol: AnchorSymbol | None) -> Self | None:
        """Return a symbol as a result."""
        if symbol is None:
            return None
        return cls(kind=symbol.kind, name=symbol.name, container=symbol.container)


class CandidateFacts(Output):
    """A place where the code of a comment may be now."""

    line: int = Field(description="The line, from 1.")
    score: float = Field(description="How well it fits, from 0 to 1.")
    file_path: UntrustedText | None = optional(
        "The file, when it is another one.", serialization_alias="filePath"
    )

    @classmethod
    def of(cls, candidate: Candidate) -> Self:
        """Return a candidate as a result."""
        return cls(line=candidate.line, score=round(candidate.score, 3), file_path=candidate.path)


class ReplyFacts(Output):
    """One answer to a comment."""

    text: UntrustedText
    author: UntrustedText
    created: UntrustedText


class CommentFacts(Output):
    """One comment, and where it is now."""

    id: str = Field(description="The name to give to other tools.")
    stored_id: UntrustedText | None = optional(
        "The id in the file, where another program chose one of another form.", serialization_alias="storedId"
    )
    line: int = Field(description="The line it is on now, or was last, from 1.")
    end_line: int | None = optional("The last line of a range.", serialization_alias="endLine")
    text: UntrustedText = Field(description="What it says, as it was written.")
    shown_text: UntrustedText | None = optional(
        "The same with its parameters filled in.", serialization_alias="shownText"
    )
    tag: UntrustedText | None = Field(description="Its category, if it has one.")
    author: UntrustedText = Field(description="Who wrote it, by their own account.")
    created: UntrustedText = Field(description="When it was written.")
    updated: UntrustedText = Field(description="When it was last changed.")
    status: Status = Field(description="Whether it is open, resolved or will not be acted on.")
    replies: list[ReplyFacts] = Field(description="Answers to it, oldest first.")
    has_ai_metadata: bool = Field(
        serialization_alias="hasAIMetadata", description="Whether a model said more about it."
    )
    symbol: SymbolFacts | None = Field(description="What it is about, where the language is known.")
    orphaned: bool = Field(description="Whether the code it was about is gone.")
    reason: str | None = optional("Why it is orphaned or needs review.")
    confidence: State = Field(description="How sure its line is.")
    needs_review: bool = Field(
        serialization_alias="needsReview", description="Whether a person should look at its line."
    )
    candidates: list[CandidateFacts] = Field(description="Other places where its code may be, best first.")

    @classmethod
    def of(cls, note: Note) -> Self:
        """Return a stored comment as a result."""
        return cls(
            id=note.alias,
            stored_id=None if note.alias == note.id else note.id,
            line=note.line,
            end_line=note.end_line,
            text=note.text,
            shown_text=None if note.shown_text == note.text else note.shown_text,
            tag=note.tag,
            author=note.author,
            created=note.created,
            updated=note.updated,
            status=cast("Status", note.status),
            replies=[
                ReplyFacts(
                    text=str(reply.get("text", "")),
                    author=str(reply.get("author", "")),
                    created=str(reply.get("created", "")),
                )
                for reply in note.replies
            ],
            has_ai_metadata=note.ai is not None,
            symbol=SymbolFacts.of(note.symbol),
            orphaned=note.orphaned,
            reason=note.reason,
            confidence=note.placement.confidence.value,
            needs_review=note.placement.needs_review,
            candidates=[CandidateFacts.of(one) for one in note.placement.candidates],
        )


class GetFileComments(Input):
    """Whose comments to show."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    include_orphaned: bool = Field(
        default=True,
        alias="includeOrphaned",
        description="Include orphaned comments (anchors no longer exist).",
    )


class FileMetadata(Output):
    """The numbers that the specification puts beside the content."""

    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")
    comment_count: int = Field(serialization_alias="commentCount", description="How many comments are shown.")
    orphaned_count: int = Field(
        serialization_alias="orphanedCount", description="How many of them lost their code."
    )


class FileComments(Output):
    """The comments of one file."""

    metadata: FileMetadata
    comments: list[CommentFacts] = Field(description="The comments, in the order of the file's sidecar.")


class AiMeta(Input):
    """What a model says about a comment."""

    model: str | None = Field(default=None, max_length=200, description="Which model.")
    confidence: float | None = Field(default=None, strict=True, ge=0, le=1, description="How sure it is.")
    reasoning: str | None = Field(
        default=None, max_length=LIMITS.comment_characters, description="Why it says so."
    )


class AddComment(Input):
    """A new comment."""

    file_path: FilePath = Field(
        alias="filePath",
        description="Relative path to source file from workspace root.",
        json_schema_extra={"example": "src/app.ts"},
        examples=["src/app.ts"],
    )
    line: LineNumber = Field(description="Line number where comment should be added (1-indexed).")
    text: str = Field(min_length=1, max_length=LIMITS.comment_characters, description="Comment text content.")
    tag: Tag = Field(description="Comment tag category.")
    author: str = Field(
        default="ai",
        min_length=1,
        max_length=LIMITS.comment_author_characters,
        description="Author name (e.g., 'claude', 'gpt-4', 'user').",
    )
    ai_meta: AiMeta | None = Field(default=None, alias="aiMeta", description="Optional AI metadata.")


class AddedComment(Output):
    """A comment that was added."""

    comment_id: str = Field(serialization_alias="commentId", description="The name of the comment.")
    ghost_marker_id: UntrustedText = Field(
        serialization_alias="ghostMarkerId", description="The name of its marker."
    )
    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")
    line: int = Field(description="The line it is on, from 1.")
    tag: Tag = Field(description="Its category.")
    symbol: SymbolFacts | None = Field(description="What it is about, where the language is known.")


class EditComment(Input):
    """A new text for a comment."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file containing the comment.")
    comment_id: CommentId = Field(
        alias="commentId", description="Unique comment ID (e.g., 'c_1730000000000')."
    )
    text: str = Field(min_length=1, max_length=LIMITS.comment_characters, description="New comment text.")


class EditedComment(Output):
    """A comment whose text was replaced."""

    comment_id: str = Field(serialization_alias="commentId", description="The name of the comment.")
    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")
    updated: str = Field(description="When it was changed.")


class DeleteComment(Input):
    """Which comment to delete."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID to delete.")


class DeletedComment(Output):
    """A comment that was deleted."""

    comment_id: str = Field(serialization_alias="commentId", description="The name the comment had.")
    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")


class MoveComment(Input):
    """Which comment to move, and where to."""

    source_file: FilePath = Field(alias="sourceFile", description="Current file containing the comment.")
    target_file: FilePath = Field(alias="targetFile", description="Destination file (can be same as source).")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID to move.")
    target_line: LineNumber = Field(alias="targetLine", description="New line number in target file.")


class MovedComment(Output):
    """A comment on its new line."""

    comment_id: str = Field(serialization_alias="commentId", description="The name of the comment.")
    source_file: UntrustedText = Field(serialization_alias="sourceFile", description="The file it was in.")
    source_line: int = Field(serialization_alias="sourceLine", description="The line it was on.")
    target_file: UntrustedText = Field(serialization_alias="targetFile", description="The file it is in.")
    target_line: int = Field(serialization_alias="targetLine", description="The line it is on.")
    symbol: SymbolFacts | None = Field(description="What it is about now, where the language is known.")


class ResolveComment(Input):
    """What became of a comment."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID.")
    status: Status = Field(default="resolved", description="The state to set; open takes it up again.")
    author: str = Field(
        default="ai",
        min_length=1,
        max_length=LIMITS.comment_author_characters,
        description="Who settles it.",
    )


class ResolvedComment(Output):
    """A comment with its new state."""

    comment_id: str = Field(serialization_alias="commentId", description="The name of the comment.")
    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")
    status: Status = Field(description="Its state now.")
    updated: str = Field(description="When it was changed.")


class ReplyToComment(Input):
    """An answer to a comment."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID.")
    text: str = Field(min_length=1, max_length=LIMITS.comment_characters, description="The answer.")
    author: str = Field(
        default="ai", min_length=1, max_length=LIMITS.comment_author_characters, description="Who answers."
    )


class RepliedComment(Output):
    """A comment that was answered."""

    comment_id: str = Field(serialization_alias="commentId", description="The name of the comment.")
    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")
    replies: int = Field(description="How many answers it has now.")


class ReanchorComments(Input):
    """Which comments to bring up to date."""

    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="Only this source file; left out, all of them."
    )


class Reanchored(Output):
    """One comment that a scan moved, or could not place."""

    comment_id: str = Field(serialization_alias="commentId", description="The name of the comment.")
    file_path: UntrustedText = Field(
        serialization_alias="filePath", description="The source file it belongs to now."
    )
    line: int = Field(description="The line it is on, or was last.")
    from_file: UntrustedText | None = optional(
        "The file it came from, when it moved.", serialization_alias="fromFile"
    )
    from_line: int = Field(serialization_alias="fromLine", description="The line it was on before.")
    orphaned: bool = Field(description="Whether its code is gone.")
    needs_review: bool = Field(
        serialization_alias="needsReview", description="Whether a person should look at it."
    )
    reason: str | None = optional("Why it is orphaned or needs review.")


class DamagedFile(Output):
    """A sidecar that could not be read or written, and was left as it is."""

    file_path: UntrustedText = Field(
        serialization_alias="filePath", description="The source file it belongs to."
    )
    problem: UntrustedText = Field(description="What is wrong.")


class ScanResult(Output):
    """What bringing comments up to date came to."""

    files: int = Field(description="How many files have comments.")
    changed_files: int = Field(
        serialization_alias="changedFiles", description="How many of them had to be compared."
    )
    comments: int = Field(description="How many comments were looked at in those.")
    moved: list[Reanchored] = Field(description="Comments that are on another line or in another file now.")
    needs_review: list[Reanchored] = Field(
        serialization_alias="needsReview",
        description="Comments whose line is not sure; they keep the last good one.",
    )
    orphaned: list[Reanchored] = Field(description="Comments whose code is gone.")
    damaged: list[DamagedFile] = Field(description="Sidecars that were left alone.")

    @property
    def exit_code(self) -> int:
        """Return 8 when a sidecar is damaged."""
        return 8 if self.damaged else 0
