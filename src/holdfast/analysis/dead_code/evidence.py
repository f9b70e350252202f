"""What speaks for the life of definitions that nothing reaches: the reasons not to be sure, weakest last."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.analysis.dead_code.interfaces import OFFERED, OPEN, Interfaces
from holdfast.analysis.dead_code.liveness import Liveness
from holdfast.analysis.dead_code.namespace import BY_IMPORT, CLASSES, Namespace
from holdfast.analysis.dead_code.roots import conventions, last_word
from holdfast.syntax.record import Record
from holdfast.syntax.symbols import FUNCTIONS

_KEPT = re.compile(
    r"\b(nolint|no-unused|ts-prune-ignore|(vulture|skylos|knip|unused)\s*:\s*(ignore|keep))\b"
    r"|noqa(?!:)|noqa:.*F(401|811|841)",
    re.IGNORECASE,
)
KEPT = "its name or a comment beside it says that it is kept on purpose"
_SHORTEST_PREFIX = 3
_ACCESSOR = re.compile(r"(get|set|is)[A-Z]")
_LOOKING_UP = frozenset({"globals", "getattr", "vars", "locals"})


class Doubt(NamedTuple):
    """A reason not to be sure, and how sure one may be in spite of it."""

    confidence: float
    words: str


class Occurrence(NamedTuple):
    """A place that uses a name without being known to mean the definition."""

    number: int
    definition: int
    """The number of the definition in whose text it stands, or MODULE."""
    attribute: bool


class Evidence:
    """Everything that names the definitions left over."""

    def __init__(self, live: Liveness, interfaces: Interfaces, mentioned: dict[str, str]) -> None:
        self.space: Namespace = live.space
        self.live = live
        self.interfaces = interfaces
        self.mentioned = mentioned
        self.words: dict[str, str] = {}
        self.prefixes: dict[str, str] = {}
        self.occurrences: dict[str, list[Occurrence]] = {}

    def gather(self, wanted: set[str]) -> None:
        """Look for names in all files."""
        space = self.space
        for number, (path, record) in enumerate(zip(space.paths, space.records, strict=True)):
            for word in wanted.intersection(record.names.words):
                self.words.setdefault(word, path)
            for word in record.names.words:
                if word[-1] == "_" and len(word) >= _SHORTEST_PREFIX:
                    self.prefixes.setdefault(word, path)
            start = space.starts[number]
            for row in record.names.uses:
                one = row.definition if row.definition < 0 else start + row.definition
                for name in wanted.intersection(row.names).difference(row.bound):
                    self.occurrences.setdefault(name, []).append(Occurrence(number, one, False))
                for name in wanted.intersection(row.attributes):
                    self.occurrences.setdefault(name, []).append(Occurrence(number, one, True))

    def low(self, one: int) -> Doubt | None:
        """Return a reason for which a definition may well be alive."""
        row, number = self.space.definitions[one], self.space.homes[one]
        if self.interfaces.kind(one) == OFFERED:
            return Doubt(0.3, "it belongs to what the project offers others")
        rules = conventions(self.space.records[number].language)
        unknown = [text for text in row.decorators if last_word(text) not in rules.silent_decorators]
        if unknown:
            return Doubt(0.4, f"`{unknown[0]}` may register it")
        if is_kept(self.space.records[number], row.start_line - 1, row.line):
            return Doubt(0.3, KEPT)
        for base in self._outside_bases(one):
            if last_word(base) not in rules.bases | rules.known_bases:
                own = row.name.startswith("_")
                return Doubt(0.55 if own else 0.4, f"`{base}` from outside of the project may call it")
        if self._is_loose(one):
            return Doubt(0.5, "it may be handed out in an object, or be asked for by an interface elsewhere")
        if self.space.containers[one] < 0 and self._is_dynamic(number):
            return Doubt(0.5, "`__getattr__` of its module may look it up")
        return self._mentioned(one) or self._asked_of_unknown(one)

    def _mentioned(self, one: int) -> Doubt | None:
        """Return the doubt that a text leaves in which the name stands."""
        row, path = self.space.definitions[one], self.space.paths[self.space.homes[one]]
        word = self.words.get(row.name)
        if word is not None and (word != path or row.kind not in ("Variable", "Constant")):
            return Doubt(0.45, f"its name is in a string in {word}")
        if row.name in self.mentioned:
            return Doubt(0.45, f"its name is in {self.mentioned[row.name]}")
        for end in range(_SHORTEST_PREFIX, len(row.name)):
            if row.name[end - 1] == "_" and row.name[:end] in self.prefixes:
                return Doubt(0.5, f"a string in {self.prefixes[row.name[:end]]} begins like its name")
        return None

    def _is_loose(self, one: int) -> bool:
        """Return whether the language lets others get at a definition without its name being written."""
        space, row, around = self.space, self.space.definitions[one], self.space.containers[one]
        number = space.homes[one]
        if space.families[number] == "go":
            return bool(space.is_member[one]) and row.exported
        if space.families[number] != "script" or around < 0 or space.is_member[one]:
            return False
        used = space.uses(number, around - space.starts[number])
        return used is None or row.name not in used.bound  # no variable, so perhaps a part of an object

    def _is_dynamic(self, number: int) -> bool:
        """Return whether a module of Python looks names up in itself that it is asked for."""
        space = self.space
        for one in space.local[number].get("__getattr__", ()):
            used = space.uses(number, one - space.starts[number])
            if used is not None and _LOOKING_UP.intersection(used.names):
                return True
        return False

    def _asked_of_unknown(self, one: int) -> Doubt | None:
        """Return the doubt that an attribute of unknown objects leaves, where no class has such a member."""
        row = self.space.definitions[one]
        for place in self.occurrences.get(row.name, ()):
            if place.attribute and row.name not in self.space.members and self._is_reached(place, one):
                return Doubt(0.5, f"{self.space.paths[place.number]} asks an unknown object for its name")
        return None

    def medium(self, one: int) -> Doubt | None:
        """Return a reason for which a definition is not surely dead."""
        row, number = self.space.definitions[one], self.space.homes[one]
        if self.interfaces.kind(one) == OPEN:
            return Doubt(0.8, "other projects could use it")
        for base in self._outside_bases(one):
            return Doubt(0.75, f"its class extends `{base}`, of which not every hook is known")
        if self.space.families[number] == "jvm" and _ACCESSOR.match(row.name):
            return Doubt(0.7, "accessors are often called by reflection")
        if row.name in self.words:
            return Doubt(0.65, f"its name is in a string in {self.words[row.name]}")
        for place in self.occurrences.get(row.name, ()):
            if self._is_reached(place, one):
                words = f"{self.space.paths[place.number]} uses the name, for something else as it seems"
                return Doubt(0.75, words)
        if self.space.records[number].broken:
            return Doubt(0.7, "a part of its file could not be read")
        return None

    def in_dead_code(self, one: int) -> int | None:
        """Return a definition that is as dead and uses the name of this one."""
        inside = {one, *self.space.children.get(one, ())}
        name, path = self.space.definitions[one].name, self.space.definitions[one].path
        for place in self.occurrences.get(name, ()):
            around = self.space.around(place.definition)
            same = place.definition >= 0 and self.space.definitions[place.definition].path == path
            if place.definition not in inside and one not in around and not same:
                return place.definition
        return None

    def _is_reached(self, place: Occurrence, one: int) -> bool:
        return place.definition < 0 or bool(place.definition != one and self.live.round[place.definition])

    def _outside_bases(self, one: int) -> Iterator[str]:
        """Yield the types outside of the project that the class of a member extends, however far up."""
        row, around = self.space.definitions[one], self.space.containers[one]
        private = not row.exported and self.space.families[self.space.homes[one]] not in BY_IMPORT
        if around < 0 or not self.space.is_member[one] or row.kind not in FUNCTIONS or private:
            return
        seen, classes = set[int](), [around]
        while classes:
            row = self.space.definitions[current := classes.pop()]
            rules = conventions(self.space.records[self.space.homes[current]].language)
            seen.add(current)
            for base in row.bases:
                found = [other for other in self._classes(last_word(base)) if other != current]
                own = (
                    last_word(base) == row.name
                )  # a class named after the one from elsewhere that it extends
                if (own or not found) and last_word(base) not in rules.silent_bases:
                    yield base
                classes += [other for other in found if other not in seen]

    def _classes(self, name: str) -> list[int]:
        places = (*self.space.top.get(name, ()), *self.space.members.get(name, ()))
        return [one for one in places if self.space.definitions[one].kind in CLASSES]


def is_kept(record: Record, first: int, last: int) -> bool:
    """Return whether a comment in a range of lines says that something there is kept on purpose."""
    return any(first <= comment.line <= last and _KEPT.search(comment.text) for comment in record.comments)
