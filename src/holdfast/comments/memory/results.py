"""How memories are shown: as data, and as text.

Contract: each memory says what became of its code, or why that is not known. The text of an answer has
everything that the data has.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from holdfast.comments.memory.recollection import Recollection
from holdfast.comments.memory.record import Scope
from holdfast.comments.memory.verdict import Certainty
from holdfast.comments.sidecar.source import REPOSITORY_NOTES
from holdfast.kernel.models import Output, optional
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText

_WHOLE_REPOSITORY = "the whole repository"


class Testimony(Output):
    """Who said something about a memory, and when."""

    by: UntrustedText
    at: UntrustedText
    text: UntrustedText | None = optional("The former text, or the reason.")


class MemoryFacts(Output):
    """A memory, and what became of the code that it is about."""

    id: str = Field(description="The id to pass to other tools.")
    text: UntrustedText = Field(description="What it says, as it was written.")
    scope: Scope = Field(description="What kind of thing it is about.")
    about: UntrustedText = Field(description="What it is about: a path, lines or a symbol.")
    state: Literal["unchanged", "moved", "edited", "gone", "unknown"] = Field(
        description="What became of the code since it was written or confirmed."
    )
    confidence: Certainty | None = optional("How certain the state is.")
    why: UntrustedText | None = optional("Why the state is not certain or not known.")
    changes: list[UntrustedText] = Field(
        default_factory=list, description="The first changed lines, or the first changed files of a folder."
    )
    changes_in_all: int | None = optional("How many lines or files changed.")
    author: UntrustedText = Field(description="Who wrote this text.")
    created: UntrustedText = Field(description="When it was first written.")
    updated: UntrustedText = Field(description="When it was last changed or confirmed.")
    confirmed: Testimony | None = optional("Who confirmed it last.")
    supersedes: list[Testimony] = Field(default_factory=list, description="Its former texts, oldest first.")
    retired: Testimony | None = optional("Who retired it, and why.")

    @classmethod
    def of(cls, found: Recollection) -> Self:
        verdict, record, note = found.verdict, found.record, found.note
        return cls(
            id=note.alias,
            text=note.text,
            scope=record.scope,
            about=_about(found),
            state="unknown" if verdict is None else verdict.state,
            confidence=None if verdict is None else verdict.confidence,
            why=found.reason if verdict is None else verdict.reason,
            changes=[] if verdict is None else list(verdict.differences),
            changes_in_all=verdict.changed if verdict is not None and verdict.changed else None,
            author=note.author,
            created=note.created,
            updated=note.updated,
            confirmed=next((Testimony(by=step.by, at=step.at) for step in record.confirmed[::-1]), None),
            supersedes=[Testimony(by=step.by, at=step.at, text=step.text) for step in record.superseded],
            retired=record.retired
            and Testimony(by=record.retired.by, at=record.retired.at, text=record.retired.text or None),
        )


def _about(found: Recollection) -> str:
    record = found.record
    if found.path == REPOSITORY_NOTES:
        return f"{record.folder}/" if record.folder else _WHOLE_REPOSITORY
    if record.scope == "file":
        return found.path
    line, end = found.place or (found.note.line, found.note.end_line)
    lines = f"{found.path}:{line}" if end is None else f"{found.path}:{line}-{end}"
    return lines if record.symbol is None else f"{lines} {record.symbol}"


def memory_text(memory: MemoryFacts) -> str:
    """Format a memory as a few lines."""
    state = " ".join(filter(None, (memory.state, memory.confidence and f"({memory.confidence} confidence)")))
    scope = "" if memory.scope == "repository" else f"{memory.scope} "
    lines = [f"{memory.id} on {scope}{one_line(memory.about)}: {state}", *_indented(memory.text)]
    if memory.why is not None:
        lines.append(f"  ({one_line(memory.why.replace('_', ' '))})")
    if memory.changes:
        lines.append(f"  Changed since ({memory.changes_in_all} in all):")
        lines += [f"    {one_line(change, keep_spaces=True)}" for change in memory.changes]
    facts = f"{one_line(memory.author)}, {one_line(memory.created)}"
    if memory.updated != memory.created:
        facts += f", updated {one_line(memory.updated)}"
    lines.append(f"  By {facts}")
    if memory.confirmed is not None:
        lines.append(f"  Confirmed by {_by(memory.confirmed)}")
    lines += [
        f"  Supersedes, by {_by(former)}: {one_line(former.text or '')}" for former in memory.supersedes
    ]
    if memory.retired is not None:
        lines.append(f"  Retired by {_by(memory.retired)}: {one_line(memory.retired.text or '')}")
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.split("\n")]


def _by(remark: Testimony) -> str:
    return f"{one_line(remark.by)}, {one_line(remark.at)}"
