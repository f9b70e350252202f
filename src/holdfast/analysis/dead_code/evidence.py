"""What speaks for the life of definitions that nothing reaches: the reasons not to be sure, weakest last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.analysis.dead_code.convention import conventions
from holdfast.analysis.dead_code.interfaces import IN_TESTS, OFFERED, OPEN, Interfaces
from holdfast.analysis.dead_code.liveness import Liveness
from holdfast.analysis.dead_code.namespace import BY_IMPORT, CLASSES, Namespace
from holdfast.analysis.dead_code.roots import last_word
from holdfast.syntax.record import MODULE, Record
from holdfast.syntax.symbols import FUNCTIONS

_KEPT = re.compile(
    r"\b(nolint|no-?unused\w*|ts-prune-ignore|(vulture|skylos|knip|unused)\s*:\s*(ignore|keep))\b"
    r"|noqa(?!:)|noqa:.*F(401|811|841)",
    re.IGNORECASE,
)
_STAND_IN = re.compile(r"Dummy|Fake|Mock|Noop|Null|Stub")
_OF_TESTS = re.compile(r"^test|(Tests?|TestCase|IT|Spec)$")
KEPT = "its name or a comment beside it says that it is kept on purpose"
_SHORTEST_PREFIX = 3
_ACCESSOR = re.compile(r"(get|set|is)[A-Z]")
_LOOKING_UP = frozenset({"globals", "getattr", "vars", "locals"})


class Doubt(NamedTuple):
    """A reason not to be sure, and how sure one may be in spite of it."""

    confidence: float
    words: str


TEST_DATA = Doubt(0.7, "nothing imports its file, which stands among tests and may be what they read")


class Occurrence(NamedTuple):
    """A place that uses a name without being known to mean the definition."""

    number: int
    definition: int
    """The number of the definition in whose text it stands, or MODULE."""
    attribute: bool


class Evidence:
    """Everything that names the definitions left over."""

    def __init__(self, live: Liveness, interfaces: Interfaces, mentioned: Mapping[str, str]) -> None:
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
            for imported in record.names.imports:  # perhaps to pass it on
                if imported.name in wanted:
                    self.occurrences.setdefault(imported.name, []).append(Occurrence(number, MODULE, False))
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
        used = space.used.get(around)
        return used is None or row.name not in used.bound  # no variable, so perhaps a part of an object

    def _is_dynamic(self, number: int) -> bool:
        """Return whether a module of Python looks names up in itself that it is asked for."""
        space = self.space
        for one in space.local[number].get("__getattr__", ()):
            used = space.used.get(one)
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
        if self._is_asked_for(one):
            return Doubt(0.75, "an interface of the project asks for it, though nothing calls it")
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
        return self._used_unnamed(one)

    def _is_asked_for(self, one: int) -> bool:
        """Return whether an interface has a member of that name, without which its types would not fit."""
        space = self.space
        around = [space.containers[other] for other in space.members.get(space.definitions[one].name, ())]
        return any(space.definitions[owner].kind == "Interface" for owner in around if owner >= 0)

    def _used_unnamed(self, one: int) -> Doubt | None:
        """Return the doubt that remains where no name has to be written for something to be used."""
        row, number = self.space.definitions[one], self.space.homes[one]
        if self.interfaces.is_test_data(number):
            return TEST_DATA
        if self.space.families[number] == "go" and row.kind == "Constant":
            return Doubt(0.75, "its place in a list of constants may count")
        if self._is_loaded_otherwise(one):
            return Doubt(0.75, "nothing imports its file, so that something else may load it")
        if self._stands_in(one):
            return Doubt(0.75, "it may stand in for something else, or be there to be looked at by a test")
        return None

    def _is_loaded_otherwise(self, one: int) -> bool:
        """Return whether no import may bring it in: a page has its scripts, a program its plugins."""
        row, number = self.space.definitions[one], self.space.homes[one]
        if not self.interfaces.is_unimported(number):
            return False
        names = self.space.records[number].names
        if self.space.families[number] == "script":
            return not (names.imports or names.exports or any(each.exported for each in names.definitions))
        return row.kind in CLASSES and any(
            not self._is_silent(one, base) and not self._classes(one, base) for base in row.bases
        )

    def _stands_in(self, one: int) -> bool:
        """Return whether it is a class within a test, or belongs to a class that only looks like another."""
        row, around = self.space.definitions[one], self.space.containers[one]
        if around < 0:
            return False
        outer, number = self.space.definitions[around], self.space.homes[one]
        if _STAND_IN.search(outer.name) or (outer.kind in CLASSES and outer.decorators):
            return True
        if not IN_TESTS.search(self.space.paths[number]) or outer.kind not in (*CLASSES, *FUNCTIONS):
            return False
        if row.kind in CLASSES or outer.kind in FUNCTIONS:
            return row.kind in CLASSES and outer.kind in FUNCTIONS
        names = [self.space.definitions[each].name for each in (around, *self.space.children[around])]
        return self.space.families[number] == "script" or not any(map(_OF_TESTS.search, names))

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
            seen.add(current)
            for base in row.bases:
                found = [other for other in self._classes(current, base) if other != current]
                own = last_word(base) == row.name  # named after the one from elsewhere that it extends
                if (own or not found) and not self._is_silent(current, base):
                    yield base
                classes += [other for other in found if other not in seen]

    def _is_silent(self, one: int, base: str) -> bool:
        """Return whether a base calls none of the members that a class adds: there are other `Protocol`s."""
        number = self.space.homes[one]
        brought = self.space.imports(number)[0].get(base, ())
        known = last_word(base) in conventions(self.space.records[number].language).silent_bases
        return known and (base != "Protocol" or any("typing" in row.module for row in brought))

    def _classes(self, one: int, base: str) -> list[int]:
        """Return the classes of the project that a class may mean by the name of a base."""
        space, number = self.space, self.space.homes[one]
        brought = space.imports(number)[0].get(base.partition(".")[0], ())
        outside = not any(space.files_of(number, row) for row in brought)
        if brought and outside and space.families[number] in BY_IMPORT:
            return []  # others have a class of that name, too
        places = (*space.top.get(last_word(base), ()), *space.members.get(last_word(base), ()))
        return [other for other in places if space.definitions[other].kind in CLASSES]


def is_kept(record: Record, first: int, last: int) -> bool:
    """Return whether a comment in a range of lines says that something there is kept on purpose."""
    return any(first <= comment.line <= last and _KEPT.search(comment.text) for comment in record.comments)
