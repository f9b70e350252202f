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

from holdfast.syntax.calls import read_calls
from holdfast.syntax.definitions import read_definitions
from holdfast.syntax.languages.language import Language
from holdfast.syntax.parse import Parsed, captures
from holdfast.syntax.record import MODULE, ImportedName, Names
from holdfast.syntax.regions import Regions, Spans, sort_by_position
from holdfast.syntax.symbols import FUNCTIONS, VARIABLES, DeclaredSymbol, name_node
from holdfast.syntax.unused import find_unused
from holdfast.syntax.uses import read_uses

if TYPE_CHECKING:
    from tree_sitter import Node

Captured = Mapping[str, Sequence["Node"]]
"""The nodes that `name_patterns` captured, by the name of the capture, which is their role."""

_MAX_NAME_CHARACTERS = 100
"""The longest string without a space that is recorded as a name; identifiers are shorter."""

_BLANKED_ROLES = ("comment", "hidden", "parameter", "local", "bound", "import", "package")
_BLANKING_TABLE = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)+")
_EXAMPLE = re.compile(rb"^[ \t]*(?:>>>|\.\.\.)[ \t]([^\r\n]*)", re.MULTILINE)
"""Matches a line of code in a docstring, as doctest defines them."""
_IDENTIFIER_LIKE = re.compile(
    rb"""
    (?<=\w\.)[A-Za-z_]\w*  # after a dot
    | \b(?:[A-Za-z]+\d|[A-Za-z]*_\w|[A-Za-z]*[a-z][A-Z])\w*  # with a digit, an underscore or an inner capital
    """,
    re.VERBOSE,
)
"""Matches identifiers but not ordinary words, for strings of several words such as templates."""


@cache
def name_patterns(language: Language) -> str:
    """Return the query patterns whose captures `read_names` expects."""
    return language.naming.patterns


class NameReader:
    """Reads the names of one file from the captured nodes and its blanked text."""

    def __init__(self, parsed: Parsed, declared: Sequence[DeclaredSymbol], captured: Captured) -> None:
        self.parsed = parsed
        self.source = parsed.source
        self.naming = parsed.language.naming
        self.declared = declared
        self._captured: dict[str, Sequence[Node]] = dict(captured)
        for trigger, patterns in self.naming.conditional_patterns:
            if trigger in self.source:
                for role, nodes in captures(parsed, patterns).items():
                    self._captured[role] = [*self._captured.get(role, ()), *nodes]
        self.regions = Regions(declared)
        self.functions = frozenset(index for index, symbol in enumerate(declared) if symbol.kind in FUNCTIONS)
        """The indexes of functions in `declared`; other members refer to a definition by this index too."""
        self.name_nodes = [name_node(symbol.node) for symbol in declared]
        """The node of each definition's name; the whole definition if it has none."""
        self.bound: dict[int, set[str]] = defaultdict(set)
        """The parameters and local variables of each function."""
        self.local_assignments: list[tuple[int, str, Node]] = []
        """The function, name and node of each assignment of a local variable."""
        self.parameters: set[tuple[int, str]] = set()
        """Each parameter with its function."""
        blocks = Spans(self.nodes("ambient"))
        self.ambient_names = [name for name in self.name_nodes if name.start_byte in blocks]
        """The names in `declare global { … }`, which augment what other files declare."""
        self.examples = list(self._find_examples())
        """The offset and text of each line of code in docstrings, as doctest runs it."""
        self.regions.reassign(self._code_from_elsewhere())
        self._collect_bound_names()

    def _find_examples(self) -> Iterator[tuple[int, bytes]]:
        for node in self.nodes("docstring") if b">>> " in self.source else ():
            for line in _EXAMPLE.finditer(self.source, node.start_byte, node.end_byte):
                yield line.start(1), line[1]

    def _code_from_elsewhere(self) -> Iterator[tuple[int, int, int]]:
        """Yield the ranges of code that does not run as part of the definition whose text has it.

        The arguments of decorators and default values belong to the code around the definition.
        """
        for node in (*self.nodes("outside"), *self.ambient_names):
            owner = self.regions.owner(node.start_byte)
            is_list = node.type in ("argument_list", "arguments")  # its parentheses are those of the call
            start, end = node.start_byte + is_list, node.end_byte - is_list
            if owner != MODULE and start < end:
                yield start, end, self.regions.containers[owner]
        for start, line in self.examples:
            yield start, start + len(line), MODULE

    def nodes(self, role: str) -> Sequence[Node]:
        return self._captured.get(role, ())

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[bytes]:
        return self.source.split(b"\n")

    @cached_property
    def strings(self) -> list[tuple[int, bytes]]:
        """The offset and text of each string literal, in any order."""
        return [
            (node.start_byte, self.source[node.start_byte : node.end_byte]) for node in self.nodes("text")
        ]

    def texts_by_owner(self, role: str, before_the_name: bool = False) -> Mapping[int, list[str]]:
        """Return the texts captured under a role, or only those before the name, by enclosing definition."""
        texts: dict[int, list[str]] = defaultdict(list)
        for node in sort_by_position(self.nodes(role)):
            for owner in self.regions.owners_of_modifier(node.start_byte):
                if owner == MODULE:
                    continue
                name = self.name_nodes[owner]
                has_name = name is not self.declared[owner].node
                if not (before_the_name and has_name and node.start_byte > name.start_byte):
                    texts[owner].append(self.text(node))
        return texts

    def _collect_bound_names(self) -> None:
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
                        self.local_assignments.append((owner, name, node))
        for node in self.nodes("outer"):
            self.bound[self.regions.owner(node.start_byte)].discard(self.text(node))

    def blanked_source(self) -> bytes:
        """Return the source with everything blanked that is not a use of a name; offsets stay the same."""
        source, rest = self.source, bytearray(self.source)
        declared_names = [
            name
            for name, symbol in zip(self.name_nodes, self.declared, strict=True)
            if not name.child_count and (name is not symbol.node or symbol.declaration is not None)
        ]
        for nodes in (*map(self.nodes, _BLANKED_ROLES), declared_names):
            for node in nodes:
                start, end = node.start_byte, node.end_byte
                rest[start:end] = source[start:end].translate(_BLANKING_TABLE)
        for node in self.ambient_names:
            rest[node.start_byte : node.end_byte] = source[node.start_byte : node.end_byte]
        for start, string in self.strings:
            rest[start : start + len(string)] = string.translate(_BLANKING_TABLE)
        for start, example in self.examples:
            rest[start : start + len(example)] = example
        if self.naming.interpolated_name is not None:
            for node in self.nodes("text"):
                start, end = node.start_byte, node.end_byte
                for name in re.compile(self.naming.interpolated_name).finditer(source, start, end):
                    rest[name.start(1) : name.end(1)] = name[1]
        text = bytes(rest)
        for operator in self.naming.member_operators:
            text = text.replace(operator, b" " * (len(operator) - 1) + b".")
        return text

    def imports(self) -> tuple[ImportedName, ...]:
        """Return the names that the file imports, by line."""
        rows: list[ImportedName] = []
        for node in sort_by_position((*self.nodes("import"), *self.nodes("required"))):
            owner = self.regions.owner(node.start_byte)
            while owner != MODULE and (
                self.declared[owner].kind in VARIABLES or self.declared[owner].node == node
            ):
                owner = self.regions.containers[owner]
            rows += [row._replace(definition=owner) for row in self.naming.read_imports(node)]
        return tuple(sorted(rows, key=lambda row: row.line))

    def exports(self) -> tuple[str, ...]:
        names: list[str] = []
        for node in sort_by_position(self.nodes("export")):
            names += self.naming.read_exports(node)
        return tuple(dict.fromkeys(names))

    def words(self) -> tuple[str, ...]:
        """Return the identifiers in strings, without those in docstrings and imports, sorted."""
        prose = {node.start_byte for node in self.nodes("docstring")}
        imports = Spans((*self.nodes("import"), *self.nodes("required")))
        texts = {piece for start, piece in self.strings if start not in prose and start not in imports}
        return tuple(sorted(set(_identifiers_in_strings(texts))))


def read_names(parsed: Parsed, declared: Sequence[DeclaredSymbol], captured: Captured) -> Names:
    """Return the names of a file, from its declarations and the nodes that `name_patterns` captured."""
    reader = NameReader(parsed, declared, captured)
    uses, calls = read_uses(reader)
    exits: Sequence[Node] = ()
    if not calls:  # the language's calls are nodes
        calls, exits = read_calls(reader)
    exports = reader.exports()
    imports = reader.imports()
    definitions = read_definitions(reader, exports)
    partial = Names(definitions, uses, imports, calls, exports, reader.words(), unused=(), is_entry=False)
    return partial._replace(
        unused=find_unused(reader, partial, exits),
        is_entry=_is_entry(reader),
        package="".join(reader.text(node) for node in sort_by_position(reader.nodes("package"))[:1]),
    )


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
        elif len(raw) <= _MAX_NAME_CHARACTERS:
            text = raw.decode("utf-8", "replace")
            yield from _WORD.findall(text)
            if _DOTTED.fullmatch(text):
                yield text
