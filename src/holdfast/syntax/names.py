"""What a file defines, brings in, uses and calls.

Declarations and everything that is told of them are nodes of the tree. Uses are not: comments, strings and
the names of declarations are blanked out of the source, and what still looks like a name is one. So a use
costs no node, and code within strings, `f"{total}"`, counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language
from holdfast.syntax.languages.naming import Standing
from holdfast.syntax.parse import Parsed, captures
from holdfast.syntax.record import MODULE, CallSite, Definition, Import, Names
from holdfast.syntax.regions import Regions, Spans
from holdfast.syntax.symbols import FUNCTIONS, VARIABLES, Declared, last_line, name_node
from holdfast.syntax.unused import unused
from holdfast.syntax.uses import read_uses

if TYPE_CHECKING:
    from tree_sitter import Node

Found = Mapping[str, Sequence["Node"]]

LONGEST_WORD = 100
"""A longer string without a space is no name."""

BLANKED = ("comment", "hidden", "parameter", "local", "bound", "import", "package")
BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
PRIVATE = frozenset({"private"})
_PLAIN = re.compile(r"\w[\w.]*", re.ASCII)
_TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>")
_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)+")
_LIKE_CODE = re.compile(rb"(?<=\w\.)[A-Za-z_]\w*|\b(?:[A-Za-z]+\d|[A-Za-z]*_\w|[A-Za-z]*[a-z][A-Z])\w*")
"""In a text of several words, as of a template, what is a name and no word of a sentence."""


@cache
def name_patterns(language: Language) -> str:
    """Return the patterns of which `names` is given what they capture."""
    return language.naming.patterns


class Reading:
    """A file while its names are read: what was captured, and to which definition it belongs."""

    def __init__(self, parsed: Parsed, declared: Sequence[Declared], found: Found) -> None:
        self.parsed = parsed
        self.source = parsed.source
        self.naming = parsed.language.naming
        self.declared = declared
        self.found: dict[str, Sequence[Node]] = dict(found)
        for trigger, patterns in self.naming.rare:
            if trigger in self.source:
                for role, nodes in captures(parsed, patterns).items():
                    self.found[role] = [*self.found.get(role, ()), *nodes]
        self.regions = Regions(declared)
        self.functions = frozenset(
            index for index, (_node, _outer, kind, _path) in enumerate(declared) if kind in FUNCTIONS
        )
        self.names = [name_node(each.node) for each in declared]
        self.bound: dict[int, set[str]] = defaultdict(set)
        self.locals: list[tuple[int, str, Node]] = []
        self.parameters: set[tuple[int, str]] = set()
        self.exits: list[Node] = []
        self.texts: list[tuple[int, bytes]] = []

    def nodes(self, role: str) -> Sequence[Node]:
        """Return what was captured in a role."""
        return self.found.get(role, ())

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the source."""
        return self.source.split(b"\n")

    def belonging(self, role: str, before_the_name: bool = False) -> Mapping[int, list[str]]:
        """Return the texts captured in a role, by the definition in which they stand."""
        found: dict[int, list[str]] = defaultdict(list)
        for node in _in_order(self.nodes(role)):
            owner = self.regions.owner(node.start_byte)
            if owner == MODULE:
                continue
            name = self.names[owner]
            named = name is not self.declared[owner].node
            if not (before_the_name and named and node.start_byte > name.start_byte):
                found[owner].append(self.text(node))
        return found

    def bind(self) -> None:
        """Note which names the functions declare for themselves."""
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
                    owner = self.regions.containers[owner]  # the name of a closure that is assigned
                # The default of `size=size` is read outside of the function.
                again = role == "parameter" and self.source.startswith(f"={name}".encode(), node.end_byte)
                if owner in self.functions and node.start_byte not in kept and not again:
                    self.bound[owner].add(name)
                    if role == "local":
                        self.locals.append((owner, name, node))
        for node in self.nodes("outer"):
            self.bound[self.regions.owner(node.start_byte)].discard(self.text(node))

    def blanked(self) -> bytes:
        """Return the source without what is no use of a name, in its place."""
        source, rest = self.source, bytearray(self.source)
        names = [node for node, each in zip(self.names, self.declared, strict=True) if node is not each.node]
        for nodes in (*map(self.nodes, BLANKED), [node for node in names if not node.child_count]):
            for node in nodes:
                start, end = node.start_byte, node.end_byte
                rest[start:end] = source[start:end].translate(BLANK)
        for node in self.nodes("text"):
            start, end = node.start_byte, node.end_byte
            piece = source[start:end]
            rest[start:end] = piece.translate(BLANK)
            self.texts.append((start, piece))
        if self.naming.interpolated is not None:
            for node in self.nodes("text"):
                start, end = node.start_byte, node.end_byte
                for name in re.compile(self.naming.interpolated).finditer(source, start, end):
                    rest[name.start(1) : name.end(1)] = name[1]
        text = bytes(rest)
        for arrow in self.naming.arrows:
            text = text.replace(arrow, b" " * (len(arrow) - 1) + b".")
        return text

    def definitions(self, exports: Iterable[str]) -> tuple[Definition, ...]:
        """Return what the file defines."""
        decorators = self.belonging("decorator", before_the_name=True)
        bases = self.belonging("base")
        exported = {*map(self.text, self.nodes("exported")), *exports}
        concealed = {self.text(node).lstrip(":") for node in self.nodes("concealed")}
        modifiers = self._modifiers()
        local = self._local()
        rows: list[Definition] = []
        for index, (node, outer, kind, path) in enumerate(self.declared):
            name = self.naming.definition_name(path[-1])
            container = self.regions.containers[index]
            around = rows[container] if container != MODULE else None
            words = modifiers.get(index, frozenset()) | (PRIVATE if name in concealed else frozenset())
            standing = Standing(name, kind, words, around)
            visible = (around is None and name in exported) or self.naming.exported(standing)
            rows.append(
                Definition(
                    name,
                    ".".join(path),
                    kind,
                    self.names[index].start_point[0] + 1,
                    outer.start_point[0] + 1,
                    last_line(node),
                    container,
                    visible and index not in local,
                    tuple(map(_without_arguments, decorators.get(index, ()))),
                    tuple(filter(None, map(_without_arguments, bases.get(index, ())))),
                )
            )
        return tuple(rows)

    def _modifiers(self) -> dict[int, frozenset[str]]:
        """Return the words before each declaration, and those of the section of a body that it stands in."""
        found = self.belonging("modifier", before_the_name=True)
        words = {owner: frozenset(" ".join(texts).split()) for owner, texts in found.items()}
        sections = self.nodes("section")
        if not sections:
            return words
        marks: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for node in _in_order(sections):
            marks[self.regions.owner(node.start_byte)].append((node.start_byte, self.text(node)))
        for index, each in enumerate(self.declared):
            before = [
                word
                for start, word in marks.get(self.regions.containers[index], ())
                if start < each.outer.start_byte
            ]
            words[index] = words.get(index, frozenset()) | frozenset(before[-1:])
        return words

    def _local(self) -> frozenset[int]:
        """Return the definitions that stand within a function."""
        local: set[int] = set()
        for index, container in enumerate(self.regions.containers):
            if container in self.functions or container in local:
                local.add(index)
        return frozenset(local)

    def imports(self) -> tuple[Import, ...]:
        """Return what the file brings in."""
        rows: list[Import] = []
        for node in _in_order((*self.nodes("import"), *self.nodes("required"))):
            owner = self.regions.owner(node.start_byte)
            while owner != MODULE and (
                self.declared[owner].kind in VARIABLES or self.declared[owner].node == node
            ):
                owner = self.regions.containers[owner]
            found = self.naming.imports(node)
            rows += found if owner == MODULE else [row._replace(definition=owner) for row in found]
        return tuple(sorted(rows, key=lambda row: row.line))

    def calls(self) -> tuple[CallSite, ...]:
        """Return the calls in the order of the text."""
        ends = [(node, node.end_byte) for node in self.nodes("callee")]
        for node in self.nodes("invocation"):
            last = node.child_by_field_name(self.naming.invoked)
            if last is not None:
                ends.append((node, last.end_byte))
        owner, exits = self.regions.owner, self.naming.exits
        rows = []
        for node, end in ends:
            start = node.start_byte
            callee = self.source[start:end].decode("utf-8", "replace")
            if not _PLAIN.fullmatch(callee):
                callee = _dotted(callee)
            if callee in exits:
                self.exits.append(node)
            if callee:
                rows.append((start, CallSite(owner(start), callee, node.start_point[0] + 1)))
        rows.sort()
        return tuple(row for _start, row in rows)

    def exports(self) -> tuple[str, ...]:
        """Return the names in lists of exports."""
        listed = (name for node in _in_order(self.nodes("export")) for name in self.naming.listed(node))
        return tuple(dict.fromkeys(listed))

    def words(self) -> tuple[str, ...]:
        """Return the names in strings."""
        prose = {node.start_byte for node in self.nodes("docstring")}
        brought = Spans((*self.nodes("import"), *self.nodes("required")))
        texts = {piece for start, piece in self.texts if start not in prose and start not in brought}
        return tuple(sorted(set(_words(texts))))


def names(parsed: Parsed, declared: Sequence[Declared], found: Found) -> Names:
    """Return the names of a file."""
    reading = Reading(parsed, declared, found)
    reading.bind()
    uses, calls = read_uses(reading)
    exports = reading.exports()
    imports = reading.imports()
    calls = calls or reading.calls()
    definitions = reading.definitions(exports)
    partial = Names(definitions, uses, imports, calls, exports, reading.words(), (), False)
    return partial._replace(
        unused=unused(reading, partial),
        is_entry=_is_entry(reading),
        package="".join(reading.text(node) for node in _in_order(reading.nodes("package"))[:1]),
    )


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes in the order of the text; a search gives them in any."""
    return sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))


def _is_entry(reading: Reading) -> bool:
    if reading.source.startswith(b"#!"):
        return True
    mark, pattern = reading.naming.entry
    return mark in reading.source and re.search(pattern, reading.source) is not None


def _words(texts: Iterable[bytes]) -> Iterator[str]:
    for raw in texts:
        if raw.split(None, 1) != [raw]:
            yield from (word.decode() for word in _LIKE_CODE.findall(raw))
        elif len(raw) <= LONGEST_WORD:
            text = raw.decode("utf-8", "replace")
            yield from _WORD.findall(text)
            if _DOTTED.fullmatch(text):
                yield text


def _dotted(callee: str) -> str:
    """Join what is called by dots, without type arguments; where it is called on no plain name, that goes."""
    callee = callee.replace("::<", "<")
    for mark in ("?.", "!.", "&.", "->", "::", "\\"):
        callee = callee.replace(mark, ".")
    shorter = _TYPE_ARGUMENTS.sub("", callee)
    while shorter != callee:
        callee, shorter = shorter, _TYPE_ARGUMENTS.sub("", shorter)
    parts = [part.strip() for part in callee.split(".")]
    parts = ["this" if part == "$this" else part for part in parts if part] or [""]
    last = parts[-1].strip("$&*")
    word = last.rstrip("!?").lstrip("#").replace("$", "_").replace("-", "_")
    if last.startswith("-") or not word.isidentifier():
        return ""
    plain = not callee.startswith(".") and all(
        part.replace("$", "_").lstrip("#@").isidentifier() for part in parts[:-1]
    )
    return ".".join([*parts[:-1], last]) if plain else f".{last}"


def _without_arguments(text: str) -> str:
    return re.split(r"[\s(\[<]", text.strip("@#[] \t\r\n"), maxsplit=1)[0]
