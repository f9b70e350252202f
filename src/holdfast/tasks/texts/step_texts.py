"""The texts of workflow steps: those that a workspace has overridden, and how variables are filled in.

Contract:
- A workspace's own text replaces the shipped one wherever the step is used: as a prompt, in
  `taskpilot_generate_prompt`, as a resource. Removing it restores the shipped text.
- Every text is recorded in the history. The version of a step counts its changes; 0 means as shipped.
- Only the `{names}` that the shipped text of a step contains are replaced by values; there is no other
  templating.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from holdfast.kernel.errors import InvalidArguments, OutOfDate, did_you_mean
from holdfast.tasks.store.history import record
from holdfast.tasks.store.statements import insert, on_conflict_update
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

MAX_STEP_CHARACTERS = 4000
"""A judgement: over three times the longest shipped text, and well below a prompt's limit for data."""
_VARIABLE = re.compile(r"\{(\w+)\}")
_OTHER_TEMPLATING = re.compile(r"\{\{.*?\}\}|\$\{.*?\}")
_COLUMNS = "name, body, version, active, updated_at, updated_by"


@dataclass(frozen=True, slots=True)
class OwnStep:
    """A workspace's own text of a step, as its row stores it."""

    name: str
    body: str
    version: int
    """The number of changes of the text."""
    active: int
    """1 while it overrides the shipped text, 0 once that was restored."""
    updated_at: float
    updated_by: str


def parse_step(name: str) -> str:
    """Return the canonical name of a step, given in any case, with hyphens or underscores."""
    plain = name.strip().lower().replace("-", "_")
    if plain not in SHIPPED_STEPS:
        raise InvalidArguments(f"There is no step {name[:60]!a}.", hint=did_you_mean(plain, SHIPPED_STEPS))
    return plain


def variables_of(name: str) -> list[str]:
    """Return the variables that the text of a step may contain."""
    return sorted(set(_VARIABLE.findall(SHIPPED_STEPS[name])))


def own_steps(transaction: TaskTransaction) -> dict[str, OwnStep]:
    """Return every step that the workspace has ever overridden, including those it has restored since."""
    rows = transaction.run_in_workspace(
        f"SELECT {_COLUMNS} FROM template WHERE workspace = :workspace ORDER BY name"
    )
    steps = [OwnStep(*row) for row in rows]
    return {step.name: step for step in steps if step.name in SHIPPED_STEPS}


def own_text(room: Tasks, name: str) -> str | None:
    """Return the workspace's own text of a step, or None if the shipped text applies."""
    if not room.exists:
        return None
    with room.reading() as transaction:
        own = own_steps(transaction).get(name) if transaction.has_workspace else None
    return own.body if own is not None and own.active else None


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its `{variables}` replaced by values; unknown variables stay."""
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), text)


def write_step(
    transaction: TaskTransaction, name: str, body: str | None, *, reason: str | None, if_version: int | None
) -> tuple[OwnStep | None, bool]:
    """Set the workspace's own text of a step, or restore the shipped one if `body` is None.

    Return the stored step, which is None if there never was one, and whether it changed.
    """
    if body is not None:
        _check_text(name, body)
    before = own_steps(transaction).get(name)
    version = before.version if before is not None else 0
    if if_version is not None and if_version != version:
        raise OutOfDate.found(f"The step {name}", if_version, version)
    current = before.body if before is not None and before.active else None
    if current == body:
        return before, False
    stored = OwnStep(
        name,
        body=(current or "") if body is None else body,
        version=version + 1,
        active=int(body is not None),
        updated_at=transaction.now,
        updated_by=transaction.who.actor,
    )
    row = asdict(stored)
    transaction.run_in_workspace(
        insert("template", ("workspace", *row), on_conflict_update("workspace, name", row)), **row
    )
    after = {"step": name, "version": stored.version, "content": body}
    record(transaction, None, "step-written", before={"content": current}, after=after, reason=reason)
    return stored, True


def _check_text(name: str, body: str) -> None:
    """Raise if a text is empty, has unknown variables, or uses the syntax of another template language."""
    if not body.strip():
        raise InvalidArguments("The text of a step is empty.", hint="Write it, or use `restore`.")
    allowed = [f"{{{variable}}}" for variable in variables_of(name)]
    refused = [match[0] for match in _OTHER_TEMPLATING.finditer(body)]
    refused += [match[0] for match in _VARIABLE.finditer(body) if match[0] not in allowed]
    if refused:
        raise InvalidArguments(
            f"The step {name} has no variable {refused[0][:60]!a}.",
            hint=f"Its variables: {', '.join(allowed) or 'none'}.",
        )
