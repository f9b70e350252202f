"""Reads the definitions of a file: names, lines, decorators, bases, and whether they are exported."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdfast.syntax.languages.naming import DeclarationContext
from holdfast.syntax.record import MODULE, Definition
from holdfast.syntax.regions import sort_by_position
from holdfast.syntax.symbols import last_line

if TYPE_CHECKING:
    from holdfast.syntax.names import NameReader


def read_definitions(reader: NameReader, exports: Iterable[str]) -> tuple[Definition, ...]:
    """Return the definitions of the file, in source order; `exports` are the names in export lists."""
    decorators = reader.texts_by_owner("decorator", before_the_name=True)
    observers = reader.texts_by_owner("observer")
    bases = reader.texts_by_owner("base")
    exported = {*map(reader.text, reader.nodes("exported")), *exports}
    concealed = {reader.text(node).lstrip(":") for node in reader.nodes("concealed")}
    modifiers_by_owner = _modifiers(reader)
    local = _nested_in_functions(reader)
    rows: list[Definition] = []
    for index, (node, outer, kind, path, _whole) in enumerate(reader.declared):
        name = reader.naming.definition_name(path[-1])
        container = reader.regions.containers[index]
        enclosing = rows[container] if container != MODULE else None
        modifiers = modifiers_by_owner.get(index, frozenset())
        if name in concealed:
            modifiers |= {"private"}
        context = DeclarationContext(name, kind, modifiers, enclosing)
        is_visible = (enclosing is None and name in exported) or reader.naming.is_exported(context)
        rows.append(
            Definition(
                name,
                ".".join(path),
                kind,
                reader.name_nodes[index].start_point[0] + 1,
                outer.start_point[0] + 1,
                last_line(node),
                container,
                is_visible and index not in local,
                tuple(map(_without_arguments, (*decorators.get(index, ()), *observers.get(index, ())))),
                tuple(filter(None, map(_without_arguments, bases.get(index, ())))),
            )
        )
    return tuple(rows)


def _modifiers(reader: NameReader) -> dict[int, frozenset[str]]:
    """Return the modifiers of each declaration, and that of its section, such as `private:` in C++."""
    texts_by_owner = reader.texts_by_owner("modifier", before_the_name=True)
    modifiers = {owner: frozenset(" ".join(texts).split()) for owner, texts in texts_by_owner.items()}
    sections = reader.nodes("section")
    if not sections:
        return modifiers
    sections_by_owner: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for node in sort_by_position(sections):
        sections_by_owner[reader.regions.owner(node.start_byte)].append((node.start_byte, reader.text(node)))
    for index, symbol in enumerate(reader.declared):
        preceding = [
            modifier
            for start, modifier in sections_by_owner.get(reader.regions.containers[index], ())
            if start < symbol.outer.start_byte
        ]
        modifiers[index] = modifiers.get(index, frozenset()) | frozenset(preceding[-1:])
    return modifiers


def _nested_in_functions(reader: NameReader) -> frozenset[int]:
    local: set[int] = set()
    for index, container in enumerate(reader.regions.containers):
        if container in reader.functions or container in local:
            local.add(index)
    return frozenset(local)


def _without_arguments(text: str) -> str:
    return re.split(r"[\s(\[<]", text.strip("@#[] \t\r\n"), maxsplit=1)[0]
