"""Reads the names that a file defines, imports, uses and calls.

Declarations and imports are read from nodes of the syntax tree. Uses are read from the text, which is faster:
comments, strings and declared names are blanked out, and every identifier that is left is a use. So code
inside strings, as in `f"{total}"`, counts as well.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language
from holdfast.syntax.languages.naming import DeclarationContext
from holdfast.syntax.parse import Parsed, captures
from holdfast.syntax.record import MODULE, CallSite, Definition, ImportedName, Names
from holdfast.syntax.regions import Regions, Spans
from holdfast.syntax.symbols import FUNCTIONS, VARIABLES, DeclaredSymbol, last_line, name_node
from holdfast.syntax.unused import find_unused
from holdfast.syntax.uses import read_uses

if TYPE_CHECKING:
    from tree_sitter import Node

Found = Mapping[str, Sequence["Node"]]

MAX_NAME_CHARACTERS = 100
"""The longest string without a space that is recorded as a name; identifiers are shorter."""

BLANKED_ROLES = ("comment", "hidden", "parameter", "local", "bound", "import", "package")
BLANKING_TABLE = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
PRIVATE = frozenset({"private"})
_PLAIN_CALLEE = re.compile(r"\w[\w.]*", re.ASCII)
_TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>")
_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)+")
_IDENTIFIER_LIKE = re.compile(rb"(?<=\w\.)[A-Za-z_]\w*|\b(?:[A-Za-z]+\d|[A-Za-z]*_\w|[A-Za-z]*[a-z][A-Z])\w*")
"""Matches identifiers but not ordinary words, for strings of several words such as templates."""


@cache
def name_patterns(language: Language) -> str:
    """Return the query patterns whose captures `read_names` expects."""
    return language.naming.patterns


class NameReader:
    """Reads the names of one file from the captured nodes and its blanked text."""

    def __init__(self, parsed: Parsed, declared: Sequence[DeclaredSymbol], found: Found) -> None:
        self.parsed = parsed
        self.source = parsed.source
        self.naming = parsed.language.naming
        self.declared = declared
        self.found: dict[str, Sequence[Node]] = dict(found)
        for trigger, patterns in self.naming.conditional_patterns:
            if trigger in self.source:
                for role, nodes in captures(parsed, patterns).items():
                    self.found[role] = [*self.found.get(role, ()), *nodes]
        self.regions = Regions(declared)
        self.functions = frozenset(index for index, symbol in enumerate(declared) if symbol.kind in FUNCTIONS)
        self.names = [name_node(symbol.node) for symbol in declared]
        self.bound: dict[int, set[str]] = defaultdict(set)
        self.locals: list[tuple[int, str, Node]] = []
        self.parameters: set[tuple[int, str]] = set()
        self.exits: list[Node] = []
        self.texts: list[tuple[int, bytes]] = []

    def nodes(self, role: str) -> Sequence[Node]:
        return self.found.get(role, ())

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[bytes]:
        return self.source.split(b"\n")

    def texts_by_owner(self, role: str, before_the_name: bool = False) -> Mapping[int, list[str]]:
        """Return the texts captured under a role, or only those before the name, by enclosing definition."""
        texts: dict[int, list[str]] = defaultdict(list)
        for node in _sort_by_position(self.nodes(role)):
            owner = self.regions.owner(node.start_byte)
            if owner == MODULE:
                continue
            name = self.names[owner]
            has_name = name is not self.declared[owner].node
            if not (before_the_name and has_name and node.start_byte > name.start_byte):
                texts[owner].append(self.text(node))
        return texts

    def collect_bound_names(self) -> None:
        """Collect the parameters and local variables of each function."""
        kept = {node.start_byte for node in self.nodes("kept")}
        for role in ("parameter", "bound", "local"):
            for node in self.nodes(role):
                owner = self.regions.owner(node.start_byte)
                if owner not in self.functions:
                    continue
                name = self.text(node)
                if role == "parameter":
                    self.parameters.add((owner, name))
                elif name == self.declared[owner].path[-1]:
                    owner = self.regions.containers[owner]  # a variable to which a closure is assigned
                # In `size=size` the default is a name outside the function.
                has_own_default = role == "parameter" and self.source.startswith(
                    f"={name}".encode(), node.end_byte
                )
                if owner in self.functions and node.start_byte not in kept and not has_own_default:
                    self.bound[owner].add(name)
                    if role == "local":
                        self.locals.append((owner, name, node))
        for node in self.nodes("outer"):
            self.bound[self.regions.owner(node.start_byte)].discard(self.text(node))

    def blanked_source(self) -> bytes:
        """Return the source with everything blanked that is not a use of a name; offsets stay the same."""
        source, rest = self.source, bytearray(self.source)
        declared_names = [
            name
            for name, symbol in zip(self.names, self.declared, strict=True)
            if name is not symbol.node and not name.child_count
        ]
        for nodes in (*map(self.nodes, BLANKED_ROLES), declared_names):
            for node in nodes:
                start, end = node.start_byte, node.end_byte
                rest[start:end] = source[start:end].translate(BLANKING_TABLE)
        for node in self.nodes("text"):
            start, end = node.start_byte, node.end_byte
            piece = source[start:end]
            rest[start:end] = piece.translate(BLANKING_TABLE)
            self.texts.append((start, piece))
        if self.naming.interpolated_name is not None:
            for node in self.nodes("text"):
                start, end = node.start_byte, node.end_byte
                for name in re.compile(self.naming.interpolated_name).finditer(source, start, end):
                    rest[name.start(1) : name.end(1)] = name[1]
        text = bytes(rest)
        for operator in self.naming.member_operators:
            text = text.replace(operator, b" " * (len(operator) - 1) + b".")
        return text

    def definitions(self, exports: Iterable[str]) -> tuple[Definition, ...]:
        """Return the definitions of the file, in source order; `exports` are the names in export lists."""
        decorators = self.texts_by_owner("decorator", before_the_name=True)
        bases = self.texts_by_owner("base")
        exported = {*map(self.text, self.nodes("exported")), *exports}
        concealed = {self.text(node).lstrip(":") for node in self.nodes("concealed")}
        modifiers_by_owner = self._modifiers()
        local = self._nested_in_functions()
        rows: list[Definition] = []
        for index, (node, outer, kind, path) in enumerate(self.declared):
            name = self.naming.definition_name(path[-1])
            container = self.regions.containers[index]
            enclosing = rows[container] if container != MODULE else None
            modifiers = modifiers_by_owner.get(index, frozenset())
            if name in concealed:
                modifiers |= PRIVATE
            context = DeclarationContext(name, kind, modifiers, enclosing)
            is_visible = (enclosing is None and name in exported) or self.naming.is_exported(context)
            rows.append(
                Definition(
                    name,
                    ".".join(path),
                    kind,
                    self.names[index].start_point[0] + 1,
                    outer.start_point[0] + 1,
                    last_line(node),
                    container,
                    is_visible and index not in local,
                    tuple(map(_without_arguments, decorators.get(index, ()))),
                    tuple(filter(None, map(_without_arguments, bases.get(index, ())))),
                )
            )
        return tuple(rows)

    def _modifiers(self) -> dict[int, frozenset[str]]:
        """Return the modifiers of each declaration, and that of its section, such as `private:` in C++."""
        texts_by_owner = self.texts_by_owner("modifier", before_the_name=True)
        modifiers = {owner: frozenset(" ".join(texts).split()) for owner, texts in texts_by_owner.items()}
        sections = self.nodes("section")
        if not sections:
            return modifiers
        sections_by_owner: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for node in _sort_by_position(sections):
            sections_by_owner[self.regions.owner(node.start_byte)].append((node.start_byte, self.text(node)))
        for index, symbol in enumerate(self.declared):
            preceding = [
                modifier
                for start, modifier in sections_by_owner.get(self.regions.containers[index], ())
                if start < symbol.outer.start_byte
            ]
            modifiers[index] = modifiers.get(index, frozenset()) | frozenset(preceding[-1:])
        return modifiers

    def _nested_in_functions(self) -> frozenset[int]:
        local: set[int] = set()
        for index, container in enumerate(self.regions.containers):
            if container in self.functions or container in local:
                local.add(index)
        return frozenset(local)

    def imports(self) -> tuple[ImportedName, ...]:
        """Return the names that the file imports, by line."""
        rows: list[ImportedName] = []
        for node in _sort_by_position((*self.nodes("import"), *self.nodes("required"))):
            owner = self.regions.owner(node.start_byte)
            while owner != MODULE and (
                self.declared[owner].kind in VARIABLES or self.declared[owner].node == node
            ):
                owner = self.regions.containers[owner]
            rows += [row._replace(definition=owner) for row in self.naming.read_imports(node)]
        return tuple(sorted(rows, key=lambda row: row.line))

    def calls(self) -> tuple[CallSite, ...]:
        ends = [(node, node.end_byte) for node in self.nodes("callee")]
        for node in self.nodes("invocation"):
            last = node.child_by_field_name(self.naming.callee_field)
            if last is not None:
                ends.append((node, last.end_byte))
        owner, exits = self.regions.owner, self.naming.exits
        rows = []
        for node, end in ends:
            start = node.start_byte
            callee = self.source[start:end].decode("utf-8", "replace")
            if not _PLAIN_CALLEE.fullmatch(callee):
                callee = _normalise_callee(callee)
            if callee in exits:
                self.exits.append(node)
            if callee:
                rows.append((start, CallSite(owner(start), callee, node.start_point[0] + 1)))
        rows.sort()
        return tuple(row for _start, row in rows)

    def exports(self) -> tuple[str, ...]:
        names: list[str] = []
        for node in _sort_by_position(self.nodes("export")):
            names += self.naming.read_exports(node)
        return tuple(dict.fromkeys(names))

    def words(self) -> tuple[str, ...]:
        """Return the identifiers in strings, without those in docstrings and imports, sorted."""
        prose = {node.start_byte for node in self.nodes("docstring")}
        imports = Spans((*self.nodes("import"), *self.nodes("required")))
        texts = {piece for start, piece in self.texts if start not in prose and start not in imports}
        return tuple(sorted(set(_identifiers_in_strings(texts))))


def read_names(parsed: Parsed, declared: Sequence[DeclaredSymbol], found: Found) -> Names:
    """Return the names of a file, from its declarations and the nodes that `name_patterns` captured."""
    reader = NameReader(parsed, declared, found)
    reader.collect_bound_names()
    uses, calls = read_uses(reader)
    exports = reader.exports()
    imports = reader.imports()
    calls = calls or reader.calls()
    definitions = reader.definitions(exports)
    partial = Names(definitions, uses, imports, calls, exports, reader.words(), (), False)
    return partial._replace(
        unused=find_unused(reader, partial),
        is_entry=_is_entry(reader),
        package="".join(reader.text(node) for node in _sort_by_position(reader.nodes("package"))[:1]),
    )


def _sort_by_position(nodes: Iterable[Node]) -> list[Node]:
    """Sort nodes by position; queries return them in any order."""
    return sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))


def _is_entry(reader: NameReader) -> bool:
    if reader.source.startswith(b"#!"):
        return True
    trigger, pattern = reader.naming.entry_point
    return trigger in reader.source and re.search(pattern, reader.source) is not None


def _identifiers_in_strings(texts: Iterable[bytes]) -> Iterator[str]:
    for raw in texts:
        has_space = raw.split(None, 1) != [raw]
        if has_space:
            yield from (word.decode() for word in _IDENTIFIER_LIKE.findall(raw))
        elif len(raw) <= MAX_NAME_CHARACTERS:
            text = raw.decode("utf-8", "replace")
            yield from _WORD.findall(text)
            if _DOTTED.fullmatch(text):
                yield text


def _normalise_callee(callee: str) -> str:
    """Normalise a callee: dots between parts, no type arguments, and an object only if it is a plain name."""
    callee = callee.replace("::<", "<")
    for operator in ("?.", "!.", "&.", "->", "::", "\\"):
        callee = callee.replace(operator, ".")
    shorter = _TYPE_ARGUMENTS.sub("", callee)
    while shorter != callee:
        callee, shorter = shorter, _TYPE_ARGUMENTS.sub("", shorter)
    parts = [part.strip() for part in callee.split(".")]
    parts = ["this" if part == "$this" else part for part in parts if part] or [""]
    last = parts[-1].strip("$&*")
    word = last.rstrip("!?").lstrip("#").replace("$", "_").replace("-", "_")
    if last.startswith("-") or not word.isidentifier():
        return ""
    *objects, _ = parts
    has_plain_objects = all(part.replace("$", "_").lstrip("#@").isidentifier() for part in objects)
    if callee.startswith(".") or not has_plain_objects:
        return f".{last}"
    return ".".join([*objects, last])


def _without_arguments(text: str) -> str:
    return re.split(r"[\s(\[<]", text.strip("@#[] \t\r\n"), maxsplit=1)[0]
