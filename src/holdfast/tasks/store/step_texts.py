"""The steps of the workflow: what each prompt asks for, as it is shipped or as the workspace wrote it.

Contract:
- A workspace's own text of a step stands in place of the shipped one wherever that step is asked for: as a
  prompt, from `taskpilot_generate_prompt`, by address. Taking it back brings the shipped one again.
- Every text is kept in the history, and a step's version rises with each change; 0 is as shipped.
- A text is filled by putting values in place of `{names}` that the step knows, and in no other way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kernel.errors import InvalidArguments, OutOfDate, did_you_mean
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.instructions import ALL
from holdfast.tasks.store.records import Who
from holdfast.tasks.store.tasks import Tasks

STEP_CHARACTERS = 4000
_VARIABLE = re.compile(r"\{(\w+)\}")
_FOREIGN = re.compile(r"\{\{.*?\}\}|\$\{.*?\}")
_COLUMNS = "name, body, version, active, updated_at, updated_by"


@dataclass(frozen=True, slots=True)
class OwnStep:
    """What a workspace made of a step."""

    name: str
    body: str
    version: int
    active: int
    updated_at: float
    updated_by: str


def step_named(name: str) -> str:
    """Return the name of a step as this room writes it."""
    plain = name.strip().lower().replace("-", "_")
    if plain not in ALL:
        hint = did_you_mean(plain, list(ALL)) or f"Steps: {', '.join(ALL)}."
        raise InvalidArguments(f"There is no step {name[:60]!a}.", hint=hint)
    return plain


def variables_of(name: str) -> list[str]:
    """Return the names that the text of a step may have filled in."""
    return sorted(set(_VARIABLE.findall(ALL[name])))


def own_steps(connection: Connection, workspace: str) -> dict[str, OwnStep]:
    """Return every step that the workspace ever wrote, also those it took back."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM template WHERE workspace = :workspace ORDER BY name",  # noqa: S608
        {"workspace": workspace},
    )
    return {row[0]: OwnStep(*row) for row in found if row[0] in ALL}


def own_text(room: Tasks, name: str) -> str | None:
    """Return the workspace's own text of a step, or None where the shipped one holds."""
    if not room.exists:
        return None
    with room.reading() as connection:
        workspace = room.find_workspace(connection)
        own = own_steps(connection, workspace.id).get(name) if workspace is not None else None
    return own.body if own is not None and own.active else None


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in place of the names it has for them."""
    return _VARIABLE.sub(lambda found: values.get(found.group(1), found.group(0)), text)


def write(
    room: Tasks, name: str, body: str | None, who: Who, *, reason: str | None, if_version: int | None
) -> tuple[OwnStep | None, bool]:
    """Make a text the workspace's own, or with None take it back; return it and whether anything changed."""
    if body is not None:
        _check(name, body)
    with room.store.write() as connection:
        workspace = room.workspace_in(connection).id
        before = own_steps(connection, workspace).get(name)
        version = before.version if before is not None else 0
        if if_version is not None and if_version != version:
            raise OutOfDate.found(f"The step {name}", if_version, version)
        current = before.body if before is not None and before.active else None
        if current == body:
            return before, False
        text = body if body is not None else current or ""
        now = OwnStep(name, text, version + 1, int(body is not None), room.now(), who.actor)
        connection.execute(
            "INSERT INTO template (workspace, name, body, version, active, updated_at, updated_by)"
            " VALUES (:workspace, :name, :body, :version, :active, :at, :by)"
            " ON CONFLICT (workspace, name) DO UPDATE SET body = :body, version = :version, active = :active,"
            " updated_at = :at, updated_by = :by",
            {
                "workspace": workspace,
                "name": name,
                "body": now.body,
                "version": now.version,
                "active": now.active,
                "at": now.updated_at,
                "by": now.updated_by,
            },
        )
        after = {"step": name, "version": now.version, "content": body}
        room.note_in(connection, "step-written", who, after, reason, before={"content": current})
    return now, True


def _check(name: str, body: str) -> None:
    if not body.strip():
        raise InvalidArguments("A step needs words.", hint="Write what it asks for, or use `restore`.")
    known = variables_of(name)
    listed = ", ".join(f"{{{item}}}" for item in known) or "none"
    foreign = _FOREIGN.search(body)
    unknown = [item for item in _VARIABLE.findall(body) if item not in known]
    if foreign is not None or unknown:
        odd = foreign.group(0) if foreign is not None else f"{{{unknown[0]}}}"
        raise InvalidArguments(
            f"Nothing fills {odd[:60]!a} in the step {name}.", hint=f"What is filled there: {listed}."
        )
