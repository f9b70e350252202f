"""Evidence that is looked at before it is kept: a commit has to exist and to name the task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.storage.git.command import Git
from holdfast.tasks.inputs import EvidenceIn
from holdfast.tasks.store.identity import task_number
from holdfast.tasks.store.tasks import Tasks

_TRAILER = re.compile(r"^task:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)


def checked_evidence(room: Tasks, task: str, given: Sequence[EvidenceIn]) -> list[dict[str, Any]]:
    """Return evidence as it is kept, or raise when a commit does not show what it should."""
    kept = [item.model_dump() for item in given]
    commits = [item for item in kept if item["kind"] == "commit"]
    if commits:
        number = room.get(task).n
        for item in commits:
            item["ref"] = _commit(room, item["ref"], number)
    return kept


def _commit(room: Tasks, revision: str, number: int) -> str:
    if room.repository.git_dir is None:
        raise InvalidArguments("There are no commits outside git.", hint="Give a test with its exit status.")
    try:
        with Git(room.repository) as git:
            name = git.resolve(revision)
            message = git.run("cat-file", "commit", name).decode("utf-8", "replace")
    except HoldfastError:
        raise InvalidArguments(
            f'There is no commit "{revision[:60]}" here.', hint="Name a commit of this repository."
        ) from None
    named = [_number(text) for text in _TRAILER.findall(message.partition("\n\n")[2])]
    if number not in named:
        raise InvalidArguments(
            f"That commit does not name TP-{number}.",
            hint=f"End its message with the line `Task: TP-{number}`, or give other evidence.",
        )
    return name


def _number(text: str) -> int | None:
    try:
        return task_number(text)
    except InvalidArguments:
        return None
