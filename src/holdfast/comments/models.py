"""The input and output types that several tools share. Names on the wire are the specification's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, AliasGenerator, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from holdfast.comments.search.pattern import MAX_MATCHES_COUNTED
from holdfast.comments.sidecar.note import AnchorSymbol, Note, Standing, Status
from holdfast.comments.tracking.placement import CandidateLine
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import SIGNATURE, ExpectedFormat, Input, Output, as_integer, optional
from holdfast.kernel.untrusted import UntrustedText, visible

if TYPE_CHECKING:
    from holdfast.comments.search.query import CommentHit

MAX_RESULT_LIMIT = 1000
"""Comments that a caller may request at once. A judgement: more would not fit into a model's context."""

WORKSPACE_SECONDS = 600
"""Time limit of operations that may track every commented file. A judgement: minutes in a large workspace."""

DEFAULT_RESULT_LIMIT = 100
"""Comments that are returned if the caller names no limit. A judgement: about one page of a report."""


def _require_visible_text(text: str) -> str:
    if not visible(text).strip():
        raise ValueError("it must hold more than white space")
    return text


CommentText = Annotated[
    str, Field(min_length=1, max_length=LIMITS.comment_characters), AfterValidator(_require_visible_text)
]
_AuthorName = Annotated[
    str,
    Field(min_length=1, max_length=LIMITS.comment_author_characters),
    AfterValidator(_require_visible_text),
]
Author = Annotated[_AuthorName | None, SIGNATURE]
"""The author; None for the user of this computer (see `arguments.author_name`)."""
FilePath = Annotated[str, Field(max_length=LIMITS.path_characters)]
CommentId = Annotated[
    str,
    Field(pattern=r"^c_\d+$", max_length=40),
    ExpectedFormat("the id of a comment, such as c_1730000000000"),
]


def _require_timestamp(value: str) -> str:
    if microseconds_of(value) is None:
        raise ValueError("must be a date and time with an offset, such as 2025-10-19T15:00:00Z")
    return value


Timestamp = Annotated[str, Field(max_length=64), AfterValidator(_require_timestamp)]
LineNumber = Annotated[int, Field(ge=1, strict=True), BeforeValidator(as_integer)]


class Inline(Input):
    """A nested object in the arguments of a tool, whose JSON schema is inlined instead of referenced."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return handler.resolve_ref_schema(handler(schema))


class CommentResult(Output):
    """A result whose fields are in camel case on the wire: `filePath` for `file_path`."""

    model_config = ConfigDict(alias_generator=AliasGenerator(serialization_alias=to_camel))


class OneComment(CommentResult):
    """The comment that a tool changed; each tool adds its own fields."""

    comment_id: str = Field(description="The id of the comment.")
    file_path: UntrustedText = Field(description="Path of the source file.")


class SymbolFacts(CommentResult):
    """The function, class or other symbol that a comment is about."""

    kind: UntrustedText = Field(description="Its kind, such as Function or Class.")
    name: UntrustedText = Field(description="Its name.")
    container: UntrustedText | None = Field(description="The name of the enclosing symbol, if there is one.")

    @classmethod
    def of(cls, symbol: AnchorSymbol | None) -> Self | None:
        return None if symbol is None else cls(kind=symbol.kind, name=symbol.name, container=symbol.container)


class CandidateFacts(CommentResult):
    """A place where the code of a comment may be now."""

    line: int = Field(description="The line, from 1.")
    score: float = Field(description="How well it fits, from 0 to 1.")
    file_path: UntrustedText | None = optional("The file, when it is another one.")

    @classmethod
    def of(cls, candidate: CandidateLine) -> Self:
        return cls(line=candidate.line, score=round(candidate.score, 3), file_path=candidate.path)


class ReplyFacts(CommentResult):
    """A reply to a comment."""

    text: UntrustedText
    author: UntrustedText
    created: UntrustedText


class CommentFacts(CommentResult):
    """A comment and its current location."""

    id: str = Field(description="The id to pass to other tools.")
    stored_id: UntrustedText | None = optional(
        "The id stored in the file, if another program chose one in another form."
    )
    line: int = Field(description="The line it is on now, or was last, from 1.")
    end_line: int | None = optional("The last line of a range.")
    text: UntrustedText = Field(description="Its text, as it was written.")
    shown_text: UntrustedText | None = optional("The text with its parameters filled in.")
    tag: UntrustedText | None = Field(description="Its category, if it has one.")
    author: UntrustedText = Field(description="Its author, as given.")
    created: UntrustedText = Field(description="When it was written.")
    updated: UntrustedText = Field(description="When it was last changed.")
    status: Status = Field(description="Whether it is open, resolved or will not be acted on.")
    replies: list[ReplyFacts] = Field(description="Replies to it, oldest first.")
    has_ai_metadata: bool = Field(
        serialization_alias="hasAIMetadata", description="Whether it has metadata from a model."
    )
    symbol: SymbolFacts | None = Field(description="The symbol it is about, if the language is known.")
    orphaned: bool = Field(description="Whether the code it is about is gone.")
    reason: str | None = optional("Why it is orphaned or needs review.")
    confidence: Literal["high", "medium", "low", "none"] = Field(description="How certain its line is.")
    needs_review: bool = Field(description="Whether a person should check its line.")
    candidates: list[CandidateFacts] = Field(description="Other places where its code may be, best first.")

    @classmethod
    def of(cls, note: Note) -> Self:
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
            status=note.status,
            replies=[
                ReplyFacts(**{name: str(reply.get(name, "")) for name in ReplyFacts.model_fields})
                for reply in note.replies
            ],
            has_ai_metadata=note.ai is not None,
            symbol=SymbolFacts.of(note.symbol),
            orphaned=note.orphaned,
            reason=note.reason,
            confidence=note.location.confidence.value,
            needs_review=note.location.needs_review,
            candidates=[CandidateFacts.of(candidate) for candidate in note.location.candidates],
        )


class FoundComment(CommentResult):
    """A comment that a search found."""

    file_path: UntrustedText = Field(description="The source file it is about.")
    id: str = Field(description="The id to pass to other tools.")
    line: int = Field(description="The line it is on now, or was last, from 1.")
    end_line: int | None = optional("The last line of a range.")
    tag: UntrustedText | None = Field(description="Its category, if it has one.")
    text: UntrustedText = Field(description="Its text, as it was written.")
    author: UntrustedText = Field(description="Its author, as given.")
    created: UntrustedText = Field(description="When it was written.")
    status: Status = Field(description="Whether it is open, resolved or will not be acted on.")
    standing: Standing = Field(description="Whether its line is certain, needs review, or is gone.")
    reason: UntrustedText | None = optional("Why it is orphaned or needs review.")
    has_ai_metadata: bool = Field(
        serialization_alias="hasAIMetadata", description="Whether it has metadata from a model."
    )
    ai_model: UntrustedText | None = optional("The model that wrote the metadata.")
    ai_confidence: float | None = optional("The confidence of that model.")
    matches: int = Field(description=f"How often the query matches; counted up to {MAX_MATCHES_COUNTED}.")

    @classmethod
    def of(cls, hit: CommentHit) -> Self:
        values = hit._asdict()
        return cls(file_path=values.pop("path"), id=values.pop("comment_id"), **values)
