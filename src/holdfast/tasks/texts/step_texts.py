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
    """A workspace's own text of a step; inactive once the shipped text was restored."""

    name: str
    body: str
    version: int
    active: int
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
    found = transaction.run_in_workspace(
        f"SELECT {_COLUMNS} FROM template WHERE workspace = :workspace ORDER BY name"
    )
    return {row[0]: OwnStep(*row) for row in found if row[0] in SHIPPED_STEPS}


def own_text(room: Tasks, name: str) -> str | None:
    """Return the workspace's own text of a step, or None if the shipped text applies."""
    if not room.exists:
        return None
    with room.reading() as transaction:
        own = own_steps(transaction).get(name) if transaction.has_workspace else None
    return own.body if own is not None and own.active else None


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its `{variables}` replaced by values; unknown variables stay."""
    return _VARIABLE.sub(lambda found: values.get(found.group(1), found.group(0)), text)


def write_step(
    transaction: TaskTransaction, name: str, body: str | None, *, reason: str | None, if_version: int | None
) -> tuple[OwnStep | None, bool]:
    """Set the own text of a step, or restore the shipped one (None); return it, and whether it changed."""
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
    known = variables_of(name)
    listed = ", ".join(f"{{{item}}}" for item in known) or "none"
    foreign = _OTHER_TEMPLATING.search(body)
    unknown = [item for item in _VARIABLE.findall(body) if item not in known]
    if foreign is not None or unknown:
        refused = foreign.group(0) if foreign is not None else f"{{{unknown[0]}}}"
        raise InvalidArguments(
            f"The step {name} has no variable {refused[:60]!a}.", hint=f"Its variables: {listed}."
        )
