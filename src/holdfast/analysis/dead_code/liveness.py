"""What is reached from where execution begins, in rounds: each starts from weaker evidence than the last.

Contract: a definition is reached when something reached refers to it and what it stands in is reached. A
member is reached when its class is and something reached asks any object for a member of that name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from holdfast.analysis.dead_code.namespace import BY_IMPORT, CLASSES, Namespace
from holdfast.syntax.record import MODULE, Uses

UNREACHED = 0
ALIVE = 1

_WORD = re.compile(r"\w+")


class Liveness:
    """Which definitions were reached, in which round and through what."""

    def __init__(self, space: Namespace) -> None:
        self.space = space
        self.round = bytearray(len(space.definitions))
        self.through: dict[int, int] = {}
        """From which definition each one was first reached, in all rounds but the first."""
        self._now = UNREACHED
        self._stack: list[int] = []
        self._waiting: dict[int, list[int]] = {}
        self._asked: set[str] = set()
        # What is left to be reached, by name: the more is reached, the fewer names have to be looked at.
        self._members = set(space.members)
        self._unreached = Counter({name: len(found) for name, found in space.named.items()})
        self._names = set(space.named)
        self._names_or_renamed = self._names | space.renamed
        self._names_done: list[set[str]] = [set() for _ in space.paths]
        self._attributes_done: list[set[str]] = [set() for _ in space.paths]

    def begin(self, roots: Iterable[int]) -> None:
        """Run the first round: what files do when they are loaded, and what is called from outside."""
        self.go_on(roots)
        for number in range(len(self.space.paths)):
            row = self.space.used.get(~number)
            if row is not None:
                self._follow(number, MODULE, row)
            self._drain()

    def go_on(self, roots: Iterable[int]) -> None:
        """Run another round from definitions that may be alive."""
        self._now += 1
        for one in roots:
            self._mark(one, one)
        self._drain()

    def _mark(self, one: int, by: int) -> None:
        if self.round[one]:
            return
        around = self.space.containers[one]
        is_enumerator = around != MODULE and self.space.definitions[one].kind == "EnumMember"
        if is_enumerator and self.space.families[self.space.homes[one]] == "c":
            self._mark(around, by)  # which C names without its enum
        if around != MODULE and not self.round[around]:
            self._waiting.setdefault(around, []).append(one)
            return
        self.round[one] = self._now
        if self._now > ALIVE and by != one:
            self.through[one] = by
        if not self.space.is_member[one]:
            name = self.space.definitions[one].name
            self._unreached[name] -= 1
            if not self._unreached[name]:
                self._names.discard(name)
                if name not in self.space.renamed:
                    self._names_or_renamed.discard(name)
        self._stack.append(one)

    def _mark_all(self, by: int, found: Iterable[int]) -> None:
        for one in found:
            if not self.round[one]:
                self._mark(one, by)

    def _drain(self) -> None:
        while self._stack:
            self._visit(self._stack.pop())

    def _visit(self, one: int) -> None:
        space = self.space
        if one in self._waiting:
            self._mark_all(one, self._waiting.pop(one))
        if one in space.children:
            self._mark_all(one, filter(self._comes_along, space.children[one]))
        number, row = space.homes[one], space.definitions[one]
        if one in space.used:
            self._follow(number, one, space.used[one])
        if row.bases or row.decorators:
            for text in (*row.bases, *row.decorators):
                first, *rest = _WORD.findall(text) or [""]
                self._follow(number, one, Uses(MODULE, (first,), tuple(rest)))

    def _comes_along(self, child: int) -> bool:
        """Return whether a definition is alive as soon as what it stands in is."""
        row = self.space.definitions[child]
        asked = bool(self.space.is_member[child]) and row.name in self._asked
        return asked or row.kind in ("Constructor", "EnumMember")

    def _follow(self, number: int, one: int, row: Uses) -> None:
        space = self.space
        if names := self._names_or_renamed.intersection(row.names):
            bound = self._bound(one, row)
            for name in names:
                self._name(number, one, name, bound)
        if one in space.children and space.definitions[one].kind in CLASSES:
            used = set(row.names)  # the body of a class sees its members
            inner = space.children[one]
            self._mark_all(one, [child for child in inner if space.definitions[child].name in used])
        for name in self._members.intersection(row.attributes):
            self._ask(one, name)
        for name in self._names.intersection(row.attributes).difference(self._attributes_done[number]):
            self._attribute(number, one, name)
        if space.families[number] not in BY_IMPORT:
            for name in space.renamed.intersection(row.attributes):
                self._attribute(number, one, name)
            for name in self._members.intersection(row.names):
                if name not in row.bound or self._is_called(number, name):
                    self._ask(one, name)

    def _is_called(self, number: int, name: str) -> bool:
        """Return whether a file calls a name: `size = size(x)` means a function besides the variable."""
        own = self.space.families[number] not in BY_IMPORT
        return own and any(call.callee == name for call in self.space.records[number].names.calls)

    def _bound(self, one: int, row: Uses) -> set[str]:
        # What stands in a decorator counts as the function's own, but is read outside of it.
        own = one != MODULE and not self.space.definitions[one].decorators
        bound = set(row.bound) if own else set[str]()
        while one != MODULE and (one := self.space.containers[one]) != MODULE:
            if one in self.space.used and self.space.definitions[one].kind not in CLASSES:
                bound.update(self.space.used[one].bound)
        return bound

    def _name(self, number: int, one: int, name: str, bound: Collection[str] = ()) -> None:
        space = self.space
        brought = space.imports(number)[0].get(name, ()) if name in bound else ()
        hidden = name in bound and not self._is_called(number, name)
        if hidden and all(row.definition == MODULE for row in brought):
            # A local variable or parameter; only a function of the same function may be meant besides.
            local = space.local[number].get(name, ())
            self._mark_all(one, [inner for inner in local if space.containers[inner] != MODULE])
            if space.families[number] not in BY_IMPORT:  # what is a type elsewhere in the function
                types = [
                    each for each in space.related(number, name) if space.definitions[each].kind in CLASSES
                ]
                self._mark_all(one, types)
        elif name not in self._names_done[number]:
            self._names_done[number].add(name)
            self._mark_all(one, space.local[number].get(name, ()))
            if space.families[number] in BY_IMPORT:
                self._mark_all(one, space.offered(number, name))
            else:
                self._mark_all(one, space.related(number, name))

    def _attribute(self, number: int, one: int, name: str) -> None:
        """Follow the name after a dot to what a module or a namespace may hold."""
        done, space = self._attributes_done[number], self.space
        if name in done:
            return
        done.add(name)
        if space.families[number] not in BY_IMPORT:
            self._mark_all(one, space.related(number, name))
        elif places := space.top.get(name):
            for found in places:
                other = space.homes[found]
                if not self.round[found] and (other == number or space.has_as_module(number, other)):
                    self._mark(found, one)
            for file in space.modules(number)[0]:
                self._mark_all(one, space.offered(file, name))

    def _ask(self, one: int, name: str) -> None:
        """Mark all members of a name."""
        if name not in self._asked:
            self._asked.add(name)
            self._members.discard(name)
            self._mark_all(one, self.space.members.get(name, ()))
