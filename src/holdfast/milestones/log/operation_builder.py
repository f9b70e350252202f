"""Builds the operations of one request: their ids, Lamport times, timestamps and authors."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypedDict, Unpack

from holdfast.kernel.clock import rfc3339
from holdfast.milestones.entity import SCALARS, SETS, EntityDraft, ImportedComment, Kind
from holdfast.milestones.log.entry import (
    MAX_LAMPORT,
    Entry,
    validate_body,
    validate_members,
    validate_scalar,
    with_derived_operation_id,
    with_entity_id,
    with_operation_id,
)
from holdfast.milestones.log.fold import EntityState


class OperationFields(TypedDict, total=False):
    """The fields of an operation that depend on its type, and overrides for imports."""

    field: str
    value: object
    over: tuple[str, ...]
    target: str | None
    id: str
    actor: str
    time: str


class OperationBuilder:
    """Collects the operations of one request, with Lamport times later than any that this clone knows."""

    def __init__(
        self,
        lamport: int,
        now: datetime,
        actor: str,
        replica: str,
        request: str | None = None,
        digest: str | None = None,
    ) -> None:
        self.now = now
        self.actor = actor
        self.entries: list[Entry] = []
        self._lamport = lamport
        self._replica = replica
        self._request = request
        self._digest = digest

    @property
    def timestamp(self) -> str:
        return rfc3339(self.now)

    def create(self, draft: EntityDraft) -> str:
        """Create an entity from a draft, and return its id."""
        author, time = draft.author or self.actor, draft.time or self.timestamp
        fields: OperationFields = {"value": _created_fields(draft), "actor": author, "time": time}
        entity = self._write(draft.id or "", draft.kind, "create", **fields)
        for comment in draft.comments:
            written = ImportedComment(author, time, comment) if isinstance(comment, str) else comment
            body = validate_body(written.body)
            fields = {"value": body, "actor": written.author, "time": written.time, "id": written.id or ""}
            self._write(entity, draft.kind, "comment", **fields)
        return entity

    def set_request(self, start: int, request: str) -> None:
        """Record that the operations from position `start` on were made by a request."""
        self.entries[start:] = [entry._replace(request=request, digest="") for entry in self.entries[start:]]

    def set(self, state: EntityState, field: str, value: str | None) -> None:
        """Set a field, unless it has that value and is not contested."""
        value = validate_scalar(field, value)
        holders = state.holders(field)
        if (state.value(field) or None) == (value or None) and len(holders) <= 1:
            return
        self._write(state.id, state.kind, "set", field=field, value=value, over=holders)

    def add(self, state: EntityState, field: str, values: Iterable[str]) -> None:
        """Add the members that a set does not have yet."""
        for value in validate_members(field, list(values)):
            if not state.additions(field, value):
                self._write(state.id, state.kind, "add", field=field, value=value)

    def remove(self, state: EntityState, field: str, values: Iterable[str]) -> None:
        """Remove the given members that a set has."""
        for value in validate_members(field, list(values)):
            if seen := state.additions(field, value):
                self._write(state.id, state.kind, "remove", field=field, value=value, over=seen)

    def comment(self, state: EntityState, body: str, reply_to: str | None = None) -> None:
        self._write(state.id, state.kind, "comment", value=validate_body(body), target=reply_to)

    def edit(self, state: EntityState, comment: str, body: str | None) -> None:
        """Replace the body of a comment, or delete the comment if the body is None."""
        if body is None:
            self._write(state.id, state.kind, "edit", target=comment)
            return
        over = state.bodies[comment].holders()
        self._write(state.id, state.kind, "edit", target=comment, value=validate_body(body), over=over)

    def claim(self, state: EntityState, lease: timedelta) -> None:
        """Add a claim that replaces all existing ones."""
        terms = {"until": rfc3339(self.now + lease), "r": self._replica}
        over = tuple(claim.operation for claim in state.claims())
        self._write(state.id, state.kind, "claim", value=terms, over=over)

    def release(self, state: EntityState, claims: Iterable[str]) -> None:
        self._write(state.id, state.kind, "claim", over=tuple(claims))

    def _write(
        self,
        entity: str,
        kind: Kind,
        type: str,  # noqa: A002 - the name in the format
        **fields: Unpack[OperationFields],
    ) -> str:
        """Add one operation, and return its entity."""
        self._lamport = min(self._lamport + 1, MAX_LAMPORT)
        entry = Entry("", entity, kind, self._lamport, self.timestamp, self.actor, type)
        entry = entry._replace(request=self._request, digest=self._digest, **fields)
        if type == "create":
            entry = with_derived_operation_id(entry) if entity else with_entity_id(entry)
        self.entries.append(entry if entry.id else with_operation_id(entry, int(self.now.timestamp() * 1000)))
        return entry.entity


def _created_fields(draft: EntityDraft) -> dict[str, object]:
    """Return the fields that a draft sets, validated."""
    contents: dict[str, object] = {
        field: value for field in SCALARS if (value := validate_scalar(field, getattr(draft, field)))
    }
    for group in SETS:
        if members := getattr(draft, group):
            contents[group] = validate_members(group, list(members))
    return contents
