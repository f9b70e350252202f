"""The marks of the first round, kept from one scan to the next: an edit changes few of them.

Each marked definition has a supporter: the code whose reference led to its mark first. Supporters form a
tree, so a mark is as good as the marks above it. After an edit, marks are lost below code that was removed or
lost a reference; the mark phase goes on from the others, with the names that may lead to something else now.

Contract: the marks that result are those of a mark phase from the beginning. `SymbolChanges.between` returns
None after an edit that it cannot judge: one that may hide what a name of an unchanged file refers to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from holdfast.analysis.dead_code.symbol_table import BY_IMPORT, SymbolTable
from holdfast.syntax.record import MODULE, Record, Uses

_MAX_EDITED_FILES = 20
"""The most files that may have changed for marks to be kept: a judgement, more than an edit changes."""


def module_user(file: int) -> int:
    """Return the number that stands for the module-level code of a file among supporters."""
    return -2 - file


class Waiting(NamedTuple):
    """A definition to mark as soon as its container is marked."""

    symbol: int
    supporter: int


@dataclass(frozen=True)
class KeptMarks:
    """The state of the mark phase after its first round."""

    symbols: SymbolTable
    initial_values: Collection[int]
    """The variables whose initial values run with the code around them."""
    rounds: bytes
    supporters: list[int]
    """The supporter of each marked definition; a root is its own."""
    accessors: Mapping[str, int]
    """The code that first accessed a member of each name."""
    waiting: Mapping[int, list[Waiting]]
    """By container."""
    followed_names: list[set[str]]
    followed_attributes: list[set[str]]

    def renumbered(self, changes: SymbolChanges, symbols: SymbolTable, roots: Collection[int]) -> KeptMarks:
        """Return what stays valid in a later table, given its roots; add to the names of the changes."""
        numbers, names = changes.numbers, changes.names
        lost = self._lost(changes, roots)
        lost_users = changes.lost_users | lost
        names.update(name for symbol in lost for name in names_of(self.symbols, symbol))
        rounds, supporters = bytearray(len(symbols.definitions)), [MODULE] * len(symbols.definitions)
        for symbol, supporter in enumerate(self.supporters):
            if self.rounds[symbol] and symbol not in lost:
                rounds[numbers[symbol]] = self.rounds[symbol]
                supporters[numbers[symbol]] = changes.number_of(supporter)
        accessors = {
            name: changes.number_of(user)
            for name, user in self.accessors.items()
            if user not in lost_users and name in symbols.members
        }
        names.update(self.accessors.keys() - accessors.keys())
        waiting: defaultdict[int, list[Waiting]] = defaultdict(list)
        for container, items in self.waiting.items():
            for symbol, supporter in items:
                if supporter in lost_users or MODULE in (numbers[container], numbers[symbol]):
                    names.update(names_of(self.symbols, symbol))
                else:
                    kept = Waiting(numbers[symbol], changes.number_of(supporter))
                    waiting[numbers[container]].append(kept)
        names.update(symbols.with_aliases(names))
        followed, followed_attributes = (
            [set() if file in changes.files else each - names for file, each in enumerate(by_file)]
            for by_file in (self.followed_names, self.followed_attributes)
        )
        return replace(
            self, symbols=symbols, rounds=bytes(rounds), supporters=supporters, accessors=accessors,
            waiting=dict(waiting), followed_names=followed, followed_attributes=followed_attributes,
        )  # fmt: skip

    def _lost(self, changes: SymbolChanges, roots: Collection[int]) -> set[int]:
        """Return the marks that the changes leave without a supporter."""
        marked = [
            (symbol, supporter, self.symbols.containers[symbol])
            for symbol, supporter in enumerate(self.supporters)
            if self.rounds[symbol]
        ]
        lost = {
            symbol
            for symbol, supporter, _ in marked
            if supporter in changes.lost_users
            or changes.numbers[symbol] == MODULE
            or (supporter == symbol and changes.numbers[symbol] not in roots)
        }
        newly_lost = lost
        while newly_lost:
            newly_lost = {
                symbol
                for symbol, supporter, container in marked
                if (supporter in newly_lost or container in newly_lost) and symbol not in lost
            }
            lost |= newly_lost
        return lost


@dataclass(frozen=True)
class SymbolChanges:
    """What differs between two symbol tables of the same files."""

    files: list[int]
    """The edited files."""
    numbers: list[int]
    """The new number of each former definition; MODULE if it has none."""
    lost_users: set[int]
    """Former code that may not refer to all that it referred to."""
    names: set[str]
    """The names that may lead to more than before."""

    @classmethod
    def between(
        cls, former: KeptMarks, symbols: SymbolTable, initial_values: Collection[int]
    ) -> SymbolChanges | None:
        """Compare with the former table; None if marks cannot be kept."""
        old = former.symbols
        pairs = zip(old.records, symbols.records, strict=True)
        files = [file for file, (before, after) in enumerate(pairs) if before is not after]
        if len(files) > _MAX_EDITED_FILES or not old.renaming_aliases <= symbols.renaming_aliases:
            return None
        changes, start = cls(files, [], set(), symbols.renaming_aliases - old.renaming_aliases), 0
        for file in files:
            first, end = _span(old, file)
            changes._shift(start, first, symbols.starts[file] - first)
            changes.numbers.extend(_matching(old, symbols, file))
            start = end
            if not changes._add_names(old, symbols, file):
                return None
            changes.lost_users.update(_lost_users(former, symbols, file, changes.numbers, initial_values))
        changes._shift(start, len(old.definitions), len(symbols.definitions) - len(old.definitions))
        return changes

    def number_of(self, user: int) -> int:
        """Return the new number of former code."""
        return self.numbers[user] if user >= 0 else user

    def _shift(self, start: int, end: int, by: int) -> None:
        self.numbers.extend(range(start + by, end + by))

    def _add_names(self, old: SymbolTable, new: SymbolTable, file: int) -> bool:
        """Add the names that an edited file changes; return whether they only lead to more than before."""
        matched = set(self.numbers[slice(*_span(old, file))])
        changed = {
            name
            for table, symbol in (
                *((old, symbol) for symbol in range(*_span(old, file)) if self.numbers[symbol] == MODULE),
                *((new, symbol) for symbol in range(*_span(new, file)) if symbol not in matched),
            )
            for name in names_of(table, symbol)
        }
        before, after = (_imports(table.records[file]) for table in (old, new))
        added = after - before
        self.names.update(changed, *((module.name, module.alias) for module in added))
        exports = old.records[file].names.exports
        has_stars = any(table.facts[file].imports.stars for table in (old, new))
        return not (
            old.families[file] != new.families[file]
            or before - after
            or exports != new.records[file].names.exports
            or not changed.isdisjoint(exports)
            or ((changed or added) and (has_stars or old.families[file] == "script"))
        )


class _Import(NamedTuple):
    """An import without its place."""

    module: str
    name: str
    alias: str
    level: int
    is_at_top: bool
    reexported: bool


def _imports(record: Record) -> Counter[_Import]:
    return Counter(
        _Import(row.module, row.name, row.alias, row.level, row.definition == MODULE, row.reexported)
        for row in record.names.imports
    )


def names_of(symbols: SymbolTable, symbol: int) -> tuple[str, str]:
    """Return the name of a definition, and that by which it is found."""
    name = symbols.definitions[symbol].name
    return name, name.rpartition(" for ")[2]


def _span(symbols: SymbolTable, file: int) -> tuple[int, int]:
    """Return the number of the first definition of a file, and the number after that of the last."""
    start = symbols.starts[file]
    return start, start + len(symbols.records[file].names.definitions)


def _matching(old: SymbolTable, new: SymbolTable, file: int) -> list[int]:
    """Return, for each former definition of a file, the one that is equal but for its lines, or MODULE."""
    befores, afters = (_by_identity(table, file) for table in (old, new))
    matched: dict[int, int] = {MODULE: MODULE}
    for identity, symbols in befores.items():
        if len(symbols) == len(afters.get(identity, ())):
            matched.update(zip(symbols, afters[identity], strict=True))
    while wrong := [
        symbol
        for symbol, number in matched.items()
        if symbol != MODULE and matched.get(old.containers[symbol]) != new.containers[number]
    ]:
        for symbol in wrong:
            del matched[symbol]
    return [matched.get(symbol, MODULE) for symbol in range(*_span(old, file))]


def _by_identity(symbols: SymbolTable, file: int) -> dict[object, list[int]]:
    by_identity: defaultdict[object, list[int]] = defaultdict(list)
    for symbol in range(*_span(symbols, file)):
        item = symbols.definitions[symbol]
        identity = item.path, item.kind, item.exported, item.decorators, item.bases, symbols.is_member[symbol]
        by_identity[identity].append(symbol)
    return by_identity


def _lost_users(
    former: KeptMarks, new: SymbolTable, file: int, numbers: list[int], initial_values: Collection[int]
) -> Iterator[int]:
    """Yield the code of an edited file that may not refer to all that it referred to."""
    old = former.symbols
    everything = range(*_span(old, file))
    if old.families[file] not in BY_IMPORT and not _called(old.records[file]) <= _called(new.records[file]):
        yield from (module_user(file), *everything)
        return
    rebound: dict[int, set[str]] = {}
    for symbol in everything:
        before, after = old.used.get(symbol), new.used.get(numbers[symbol])
        if changed := set(before.bound if before else ()) ^ set(after.bound if after else ()):
            rebound[symbol] = changed
    if not _covers(new.module_uses.get(file), old.module_uses.get(file)):
        yield module_user(file)
    for symbol in everything:
        before, number = old.used.get(symbol), numbers[symbol]
        is_initial = symbol in former.initial_values
        if (
            number == MODULE
            or not _covers(new.used.get(number), before)
            or (is_initial and number not in initial_values)
            or _is_rebound(old, symbol, rebound)
        ):
            yield symbol
            for outer in (symbol, *old.enclosing(symbol)):  # an initial value runs with the code around it
                if outer in former.initial_values:
                    container = old.containers[outer]
                    yield module_user(file) if container == MODULE else container


def _called(record: Record) -> set[str]:
    return {call.callee for call in record.names.calls}


def _covers(after: Uses | None, before: Uses | None) -> bool:
    """Return whether code uses all that it used before."""
    if before is None:
        return True
    names, attributes = (after.names, after.attributes) if after else ((), ())
    return set(before.names) <= set(names) and set(before.attributes) <= set(attributes)


def _is_rebound(symbols: SymbolTable, symbol: int, rebound: Mapping[int, set[str]]) -> bool:
    """Return whether a name that a definition uses has become a local variable, or was one."""
    if not rebound:
        return False
    changed = set[str]().union(*(rebound.get(outer, ()) for outer in (symbol, *symbols.enclosing(symbol))))
    definition, uses = symbols.definitions[symbol], symbols.used.get(symbol)
    has_words = bool(definition.bases or definition.decorators)
    return bool(changed) and (has_words or (uses is not None and not changed.isdisjoint(uses.names)))
