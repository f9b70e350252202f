"""The done gate: the conditions for a task to be done, for tools, imports and synchronisation alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.tasks.errors import DoneGate
from holdfast.tasks.store.records import task_id, task_number

if TYPE_CHECKING:
    from holdfast.storage.git.repository import Repository

_TRAILER = re.compile(r"^task:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_PROOF_KINDS = frozenset({"commit", "test", "gate"})


GateCode = Literal["unchecked_criterion", "open_subtasks", "no_evidence", "no_proof", "not_approved"]


class MissingCondition(NamedTuple):
    """A condition of the gate that a task does not meet: a code for programs, and a text for people."""

    code: GateCode
    text: str


class GateInput(NamedTuple):
    """The parts of a task that the gate examines; `criteria` and `evidence` are as in `Task`."""

    task_id: str
    criteria: Sequence[Mapping[str, Any]]
    evidence: Sequence[Mapping[str, Any]] = ()
    open_subtasks: Sequence[str] = ()
    """The ids of the unfinished subtasks."""
    approved: bool = False
    """Whether a person approved the task as done."""


def missing_for_done(gate: str, task: GateInput) -> list[MissingCondition]:
    """Return the conditions of the done gate that a task does not meet."""
    if gate == "none":
        return []
    missing = [
        MissingCondition("unchecked_criterion", f"criterion {number} is not checked")
        for number, item in enumerate(task.criteria, 1)
        if not item["checked"]
    ]
    if task.open_subtasks:
        listed = ", ".join(task.open_subtasks)
        missing.append(MissingCondition("open_subtasks", f"subtasks are open: {listed}"))
    if gate == "evidence" and not task.evidence:
        missing.append(MissingCondition("no_evidence", "there is no evidence"))
    elif gate == "evidence" and not any(is_proof(item) for item in task.evidence):
        missing.append(MissingCondition("no_proof", "none of the evidence proves it"))
    if gate == "human" and not task.approved:
        missing.append(MissingCondition("not_approved", "no person has approved it"))
    return missing


def check_done(gate: str, task: GateInput) -> None:
    """Raise `DoneGate`, which names all missing conditions, unless a task meets the done gate."""
    if missing := missing_for_done(gate, task):
        texts = [item.text for item in missing]
        raise DoneGate(
            f"{task.task_id} is not done: {'; '.join(texts)}.",
            hint=_next_step(gate, {item.code for item in missing}),
            missing=texts,
        )


def is_proof(item: Mapping[str, Any]) -> bool:
    """Return whether a piece of evidence is proof: a commit, or a command that succeeded."""
    return item["kind"] in _PROOF_KINDS and (item["kind"] == "commit" or item.get("exit_status") == 0)


def acceptable_evidence(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a piece of evidence without nulls; raise if the exit status of a command is missing."""
    if item["kind"] in ("test", "gate") and item.get("exit_status") is None:
        raise InvalidArguments(
            f'Evidence of the kind "{item["kind"]}" needs the exit status of the command.',
            hint="Give `exit_status`; 0 means that it succeeded.",
        )
    return {name: value for name, value in item.items() if value is not None}


def _next_step(gate: str, missing: Set[GateCode]) -> str:
    if "unchecked_criterion" in missing:
        return "Check each criterion that is met with `check`, or set the status to `review`."
    if "open_subtasks" in missing:
        return "Finish or drop the subtasks first."
    if gate == "evidence":
        return (
            "Give evidence: a commit that names the task, or a test or gate that ended with exit status 0;"
            " notes and failed commands do not count."
        )
    return "Set the status to `review`; a person approves it with `holdfast tasks approve`."


def verify_commit(repository: Repository, revision: str, number: int) -> str:
    """Return the full hash of a commit; raise unless it exists and its `Task:` trailer names the task."""
    if repository.git_dir is None:
        raise InvalidArguments("There are no commits outside git.", hint="Give a test with its exit status.")
    from holdfast.storage.git.command import Git  # loads subprocess, which few calls need

    try:
        with Git(repository) as git:
            commit = git.resolve(revision)
            message = git.run("cat-file", "commit", commit).decode("utf-8", "replace")
    except HoldfastError:
        raise InvalidArguments(
            f'There is no commit "{revision[:60]}" here.', hint="Name a commit of this repository."
        ) from None
    named = [_task_number_or_none(text) for text in _TRAILER.findall(message.partition("\n\n")[2])]
    if number not in named:
        raise InvalidArguments(
            f"That commit does not name {task_id(number)}.",
            hint=f"End its message with the line `Task: {task_id(number)}`, or give other evidence.",
        )
    return commit


def _task_number_or_none(text: str) -> int | None:
    try:
        return task_number(text)
    except InvalidArguments:
        return None
