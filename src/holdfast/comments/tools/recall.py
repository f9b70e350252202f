"""`recall`: find memories, each with what became of its code."""

from __future__ import annotations

import sqlite3
from typing import Any

from pydantic import Field, StrictBool

from holdfast.comments.memory import ranking
from holdfast.comments.memory.ranking import Hit, IndexedMemory, Question
from holdfast.comments.memory.recollection import recollect
from holdfast.comments.memory.results import MemoryFacts, memory_text
from holdfast.comments.memory.subject import resolve_typed
from holdfast.comments.models import WORKSPACE_SECONDS
from holdfast.comments.store import Comments
from holdfast.comments.text import damage_notices
from holdfast.comments.toolset import comments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.repo_path import RepoPath

_BYTES_PER_TOKEN = 4
"""The usual estimate for JSON (https://platform.openai.com/tokenizer)."""
_LEAST_TOKENS = 50
"""Tokens of a memory without any text, so no answer has more memories than its tokens allow."""
_DEFAULT_TOKENS = 1500
"""A judgement: about ten memories, less than one file of source."""
_MAX_TOKENS = 20_000
"""A judgement: more than a model reads with attention."""


class Recall(Input):
    """What to recall; without words, path or task, what is most useful for this session."""

    words: str | None = Field(default=None, max_length=2000, description="Words that the memories are about.")
    path: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="Only memories about this file or folder, what is in it, and the folders that it is in.",
    )
    task: str | None = Field(
        default=None, max_length=100, description="Memories for this task, by its words and its files."
    )
    retired: StrictBool = Field(default=False, description="Include retired memories.")
    max_tokens: Integer = count_field(_DEFAULT_TOKENS, _MAX_TOKENS, "About how long the answer may be.")
    skip: Integer = Field(default=0, ge=0, description="How many of the best memories to leave out.")


class Recalled(Output):
    """The memories, best first, and what was left out."""

    memories: list[MemoryFacts] = Field(description="The memories, best first.")
    total: int = Field(description="How many memories there are in all.")
    left_out: int = Field(description="How many come after these.")
    next_skip: int | None = optional("Pass it as `skip` to get those that come after these.")
    retired_left_out: int = Field(description="How many retired memories there are that were not looked at.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def _render(result: Recalled) -> str:
    head = f"{counted(result.total, 'memory', 'memories')}:" if result.total else "No memories."
    blocks = [head, *map(memory_text, result.memories)]
    if result.left_out:
        more = (
            "" if result.next_skip is None else f": skip={result.next_skip} or a larger max_tokens shows more"
        )
        blocks.append(f"{counted(result.left_out, 'memory', 'memories')} left out{more}.")
    if result.retired_left_out:
        retired = counted(result.retired_left_out, "retired memory", "retired memories")
        blocks.append(f"{retired} not looked at; `retired` includes them.")
    return "\n\n".join([*blocks, *damage_notices(result.damaged)])


def _fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
    return given | ({"path": resolve_typed(room, given["path"])} if "path" in given else {})


@comments.operation(
    "recall",
    title="Recall memories",
    effect=Effect.READ,
    command="recall",
    shortcut="recall",
    positional=("words",),
    example='holdfast recall "token refresh" --max-tokens 500',
    seconds=WORKSPACE_SECONDS,
    text=_render,
    fill_in=_fill_in,
    listed=False,
)
def recall(room: Comments, args: Recall) -> Recalled:
    """Recall what we know: memories by words, about a file or folder, for a task, or for this session.

    Each says whether its code is unchanged, moved, edited (with the changed lines) or gone since it was
    written or confirmed. Check an edited one before you rely on it, then confirm, correct or retire it.
    """

    def query(connection: sqlite3.Connection) -> tuple[int, int, list[IndexedMemory], int, list[str]]:
        total, hits = _find(connection, room, args)
        chosen = ranking.indexed_notes(connection, hits[args.skip : args.skip + most])
        retired = 0 if args.retired else ranking.count_retired(connection)
        return total, len(hits), chosen, retired, ranking.damaged(connection)

    most = 1 + args.max_tokens // _LEAST_TOKENS
    total, ranked, chosen, retired, damaged = room.search.read(query) or (0, 0, [], 0, [])
    shown: list[MemoryFacts] = []
    remaining = args.max_tokens * _BYTES_PER_TOKEN
    for indexed in chosen:
        found = recollect(room, indexed)
        if found is None:
            continue
        memory = MemoryFacts.of(found)
        remaining -= len(memory.__pydantic_serializer__.to_json(memory, by_alias=True, exclude_none=True))
        if remaining < 0 and shown:
            break
        shown.append(memory)
    seen = args.skip + len(shown)
    left_out = max(0, total - seen)
    return Recalled(
        memories=shown,
        total=total,
        left_out=left_out,
        next_skip=seen if left_out and seen < ranked else None,
        retired_left_out=retired,
        damaged=damaged,
    )


def _find(connection: sqlite3.Connection, room: Comments, args: Recall) -> tuple[int, list[Hit]]:
    words, retired = args.words or "", args.retired
    if args.path is not None:
        path = "" if args.path.strip("/") in ("", ".") else RepoPath.parse(args.path).text
        return ranking.find(connection, Question(words, (path,), only_paths=True, retired=retired))
    if args.task is not None:
        topic = room.surroundings.task(args.task)
        question = Question(f"{words} {topic.words}", topic.paths, retired=retired)
        return ranking.find(connection, question)
    if words.strip():
        return ranking.find(connection, Question(words, retired=retired))
    topics = [Question(topic.words, topic.paths) for topic in room.surroundings.held_tasks()]
    return ranking.session(connection, room.repository.root, topics, retired=retired)
