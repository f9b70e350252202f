"""Folds operations into the state of an entity: an operation-based CRDT, independent of arrival order.

Contract:
- Operations apply in the order (Lamport time, id), each id once. Of two operations with the same id, the one
  whose content matches the hash in the id applies.
- A scalar is a multi-value register. An operation replaces the values its writer had seen; the last value
  that is not replaced wins, and the others that are not replaced stay visible as contested.
- A set is an add-wins set (OR-set). A removal removes only the additions its writer had seen.
- A comment is written once; its last edit wins; deleting it leaves a permanent tombstone.
- A claim replaces those its writer had seen. The first claim not replaced wins.
- An operation of an unknown type, field, value or version is counted and has no effect. Without a creation
  there is no state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import cast

from holdfast.kernel.clock import EPOCH, seconds_of
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import (
    KINDS,
    SETS,
    Candidate,
    Claim,
    Contested,
    Entity,
    EntityComment,
    Kind,
    Status,
)
from holdfast.milestones.log.entry import (
    VERSION,
    Entry,
    id_matches_content,
    is_comment_body,
    is_original_creation,
    is_scalar_value,
    is_set_member,
)


class Register:
    """A multi-value register: the values of a field, by the operation that wrote them."""

    __slots__ = ("_replaced", "_written")

    def __init__(self) -> None:
        self._written: dict[str, tuple[str | None, Entry]] = {}
        self._replaced: set[str] = set()

    def write(self, value: str | None, entry: Entry) -> None:
        """Apply a write, which replaces the values its writer had seen."""
        self._written[entry.id] = (value, entry)
        self._replaced.update(entry.over)

    def holders(self) -> tuple[str, ...]:
        """Return the operations that are not replaced, or all if they replace each other in a cycle."""
        live = tuple(name for name in self._written if name not in self._replaced)
        return live or tuple(self._written)

    def winner(self) -> str | None:
        """Return the last value that is not replaced."""
        if len(self._written) == 1:
            ((value, _),) = self._written.values()
            return value
        return self._written[self.holders()[-1]][0]

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the values that are not replaced, the winner last."""
        held = (self._written[name] for name in self.holders())
        return tuple(Candidate(value, entry.id, entry.actor, entry.time) for value, entry in held)

    def losers(self) -> tuple[Candidate, ...]:
        """Return the candidates that differ from the winner."""
        if len(self._written) == 1:
            return ()
        *others, winner = self.candidates()
        return tuple(other for other in others if other.value != winner.value)


Effect = Callable[["EntityState", Entry], bool]
"""Applies an operation to a state, unless it is invalid; returns whether it is valid."""


class EntityState:
    """The state of an entity while it is folded: each field's value and the operations behind it."""

    def __init__(self, creation: Entry) -> None:
        self.id = creation.entity
        self.kind = cast("Kind", creation.kind)
        self.author = creation.actor
        self.first = self.last = creation
        self.waiting = 0
        self.scalars: dict[str, Register] = {}
        self.added: dict[str, dict[str, list[str]]] = {}
        self.removed: set[tuple[str, str, str]] = set()
        self.comments: dict[str, Entry] = {}
        self.bodies: dict[str, Register] = {}
        self.deleted: set[str] = set()
        self.claimed: dict[str, Claim] = {}
        self.released: set[str] = set()

    def apply(self, entry: Entry) -> None:
        """Apply one operation; count it as waiting if this version does not know it."""
        effect = _EFFECTS.get(entry.type) if entry.version == VERSION and entry.kind == self.kind else None
        if effect is not None and effect(self, entry):
            self.last = entry
        else:
            self.waiting += 1

    def write(self, field: str, value: str | None, entry: Entry) -> None:
        self.scalars.setdefault(field, Register()).write(value, entry)

    def add(self, field: str, member: str, entry: Entry) -> None:
        self.added.setdefault(field, {}).setdefault(member, []).append(entry.id)

    def value(self, field: str) -> str | None:
        register = self.scalars.get(field)
        return None if register is None else register.winner()

    def holders(self, field: str) -> tuple[str, ...]:
        """Return the operations whose values a scalar holds, whether they win or not."""
        register = self.scalars.get(field)
        return () if register is None else register.holders()

    def members(self, field: str) -> tuple[str, ...]:
        """Return the members of a set, sorted."""
        added = self.added.get(field, {})
        return tuple(sorted(member for member in added if self.additions(field, member)))

    def additions(self, field: str, member: str) -> tuple[str, ...]:
        """Return the operations that added a member and that no removal has undone."""
        operations = self.added.get(field, {}).get(member, ())
        return tuple(name for name in operations if (field, member, name) not in self.removed)

    def claims(self) -> tuple[Claim, ...]:
        """Return the claims that are not replaced, the winner first."""
        return tuple(claim for name, claim in self.claimed.items() if name not in self.released)

    def entity(self) -> Entity:
        return Entity(
            id=self.id,
            kind=self.kind,
            title=self.value("title") or "",
            status=cast("Status", self.value("status") or "open"),
            author=self.author,
            created=_valid_time(self.first),
            updated=_valid_time(self.last),
            description=self.value("description") or "",
            labels=self.members("labels"),
            assignee=self.value("assignee"),
            due=self.value("due"),
            milestone=self.value("milestone"),
            dependencies=self.members("dependencies"),
            links=self.members("links"),
            comments=tuple(map(self._comment, self.comments.values())),
            contested=tuple(self._contested()),
            claims=self.claims(),
            waiting=self.waiting,
        )

    def visible_bodies(self) -> list[str]:
        """Return the bodies of the comments that are not deleted, in order."""
        shown = (name for name in self.comments if name not in self.deleted)
        return [self.bodies[name].winner() or "" for name in shown]

    def is_contested(self) -> bool:
        return any(register.losers() for register in self.scalars.values())

    def _contested(self) -> Iterable[Contested]:
        for field, register in self.scalars.items():
            if losers := register.losers():
                yield Contested(field, register.candidates()[-1], losers)

    def _comment(self, entry: Entry) -> EntityComment:
        register = self.bodies[entry.id]
        deleted = entry.id in self.deleted
        candidates = register.candidates()
        latest = candidates[-1]
        return EntityComment(
            entry.id,
            entry.actor,
            "" if deleted else latest.value or "",
            _valid_time(entry),
            edited=None if latest.operation == entry.id else latest.time,
            deleted=deleted,
            reply_to=entry.target,
            contested=() if deleted else register.losers(),
        )


def fold(entries: Iterable[Entry]) -> EntityState | None:
    """Return the state after the operations of one entity, or None without a creation."""
    ordered = _sort_and_deduplicate(entries)
    creations = [entry for entry in ordered if is_creation(entry)]
    if not creations:
        return None
    creation = creations[0]
    if len(creations) > 1:
        # The entity's id was derived from one of them, which need not be the first in the order.
        creation = next(filter(is_original_creation, creations), creation)
    state = EntityState(creation)
    for entry in ordered:
        state.apply(entry)
    return state


def _sort_and_deduplicate(entries: Iterable[Entry]) -> list[Entry]:
    """Return the operations in order, each id once; `preferred_entry` chooses between duplicates."""
    ordered = list(entries)
    if len(ordered) == 1:
        return ordered
    ordered.sort(key=lambda entry: entry.place)
    by_id: dict[str, Entry] = {}
    for entry in ordered:
        held = by_id.setdefault(entry.id, entry)
        if held is not entry and preferred_entry(held, entry) is entry:
            by_id[entry.id] = entry
    return sorted(by_id.values(), key=lambda entry: entry.place)


def preferred_entry(held: Entry, other: Entry) -> Entry:
    """Return which of two operations with the same id applies.

    The operation whose content matches the hash in the id applies. If both match or neither does, it is the
    earlier one in the order if their content is the same, and `held` if it differs.
    """
    held_matches = id_matches_content(held)
    if held_matches != id_matches_content(other):
        return held if held_matches else other
    if held.content() != other.content():
        return held
    return min(held, other, key=lambda entry: (entry.place, entry.line()))


def is_creation(entry: Entry) -> bool:
    """Return whether an operation is a valid creation."""
    return (
        entry.type == "create"
        and entry.version == VERSION
        and entry.kind in KINDS
        and _created_fields(entry) is not None
    )


def is_usable(entry: Entry) -> bool:
    """Return whether this version can apply an operation to an entity of its kind."""
    effect = _EFFECTS.get(entry.type) if entry.version == VERSION and entry.kind in KINDS else None
    if effect is _apply_edit:
        return entry.value is None or is_comment_body(entry.value)
    return effect is not None and effect(EntityState(entry), entry)


def _created_fields(entry: Entry) -> dict[str, object] | None:
    """Return the fields that a creation sets, or None if it is invalid."""
    if not isinstance(entry.value, dict) or not entry.value.get("title"):
        return None
    sizes = (len(value) for value in entry.value.values() if isinstance(value, list))
    if max(sizes, default=0) > LIMITS.entity_set_members:
        return None
    return entry.value if is_scalar_value("title", entry.value["title"]) else None


def _valid_time(entry: Entry) -> str:
    """Return the time of an operation, or the epoch if another clone wrote an invalid one."""
    return entry.time if seconds_of(entry.time) is not None else EPOCH


def _apply_create(state: EntityState, entry: Entry) -> bool:
    fields = _created_fields(entry)
    if fields is None:
        return False
    for field, value in fields.items():
        if field in SETS and isinstance(value, list):
            for member in filter(is_set_member, value):
                state.add(field, member, entry)
        elif is_scalar_value(field, value):
            state.write(field, cast("str | None", value), entry)
    return True


def _apply_set(state: EntityState, entry: Entry) -> bool:
    if entry.field is None or not is_scalar_value(entry.field, entry.value):
        return False
    state.write(entry.field, cast("str | None", entry.value), entry)
    return True


def _apply_add(state: EntityState, entry: Entry) -> bool:
    if entry.field not in SETS or not is_set_member(entry.value):
        return False
    state.add(entry.field, cast("str", entry.value), entry)
    return True


def _apply_remove(state: EntityState, entry: Entry) -> bool:
    if entry.field not in SETS or not is_set_member(entry.value):
        return False
    state.removed.update((entry.field, cast("str", entry.value), name) for name in entry.over)
    return True


def _apply_comment(state: EntityState, entry: Entry) -> bool:
    if not is_comment_body(entry.value):
        return False
    state.comments[entry.id] = entry
    state.bodies.setdefault(entry.id, Register()).write(cast("str", entry.value), entry)
    return True


def _apply_edit(state: EntityState, entry: Entry) -> bool:
    if entry.target not in state.comments:
        return False
    if entry.value is None:
        state.deleted.add(entry.target)
        return True
    if not is_comment_body(entry.value):
        return False
    state.bodies[entry.target].write(cast("str", entry.value), entry)
    return True


def _apply_claim(state: EntityState, entry: Entry) -> bool:
    if entry.value is not None:
        terms = entry.value if isinstance(entry.value, dict) else {}
        until, replica = terms.get("until"), terms.get("r")
        if not isinstance(until, str) or seconds_of(until) is None or not isinstance(replica, str):
            return False
        state.claimed[entry.id] = Claim(entry.actor, until, entry.id, replica, _valid_time(entry))
    state.released.update(entry.over)
    return True


_EFFECTS: Mapping[str, Effect] = MappingProxyType(
    {
        "create": _apply_create,
        "set": _apply_set,
        "add": _apply_add,
        "remove": _apply_remove,
        "comment": _apply_comment,
        "edit": _apply_edit,
        "claim": _apply_claim,
    }
)
