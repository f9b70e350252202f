"""A comment that was found, as tools return it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.comments.models import Status
from holdfast.comments.search.query import Hit
from holdfast.kernel.operation import Output, optional
from holdfast.kernel.untrusted import UntrustedText

MOST_RESULTS = 1000
DEFAULT_RESULTS = 100


class FoundComment(Output):
    """One comment that was found."""

    file_path: UntrustedText = Field(
        serialization_alias="filePath", description="The source file it is about."
    )
    id: str = Field(description="The name to give to other tools.")
    line: int = Field(description="The line it is on now, or was last, from 1.")
    end_line: int | None = optional("The last line of a range.", serialization_alias="endLine")
    tag: UntrustedText | None = Field(description="Its category, if it has one.")
    text: UntrustedText = Field(description="What it says, as it was written.")
    author: UntrustedText = Field(description="Who wrote it, by their own account.")
    created: UntrustedText = Field(description="When it was written.")
    status: Status = Field(description="Whether it is open, resolved or will not be acted on.")
    standing: Literal["placed", "review", "orphaned"] = Field(
        description="Whether its line is sure, should be looked at by a person, or is gone."
    )
    reason: UntrustedText | None = optional("Why it is orphaned or needs review.")
    has_ai_metadata: bool = Field(
        serialization_alias="hasAIMetadata", description="Whether a model said more about it."
    )
    ai_model: UntrustedText | None = optional("The model that did.", serialization_alias="aiModel")
    ai_confidence: float | None = optional("How sure that model was.", serialization_alias="aiConfidence")
    matches: int = Field(description="How often the query matches in it; at most 100 are counted.")

    @classmethod
    def of(cls, hit: Hit) -> FoundComment:
        """Return a hit as a result."""
        return cls(
            file_path=hit.path,
            id=hit.name,
            line=hit.line,
            end_line=hit.end_line,
            tag=hit.tag,
            text=hit.text,
            author=hit.author,
            created=hit.created,
            status=hit.status,
            standing=hit.standing,
            reason=hit.reason,
            has_ai_metadata=bool(hit.ai),
            ai_model=hit.model,
            ai_confidence=hit.confidence,
            matches=hit.matches,
        )


def place(comment: FoundComment) -> str:
    """Say where a comment is."""
    end = "" if comment.end_line is None else f"-{comment.end_line}"
    return f"{comment.file_path}:{comment.line}{end}"
