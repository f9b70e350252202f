"""What a file defines, brings in, uses and calls.

Declarations and everything that is told of them are nodes of the tree. Uses are not: comments, strings and
the names of declarations are blanked out of the source, and what still looks like a name is one. So a use
costs no node, and code within strings, `f"{total}"`, counts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language
from holdfast.syntax.parse import Parsed, captures, grammar_of
from holdfast.syntax.record import MODULE, CallSite, Definition, Import, Names, Uses
from holdfast.syntax.symbols import FUNCTIONS, Declared, last_line, name_node
from holdfast.syntax.unused import unused

if TYPE_CHECKING:
    from tree_sitter import Node

Found = Mapping[str, Sequence["Node"]]

LONGEST_WORD = 100
"""A longer string is no name."""

BLANKED = ("comment", "text", "hidden", "parameter", "local", "bound", "import", "package")
_PLAIN = re.compile(r"[\w.]+", re.ASCII)
_TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>")
_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)+")


@cache
def name_patterns(language: Language) -> str:
    """Return the patterns of which `names` is given what they capture."""
    return language.naming.patterns


@cache
def keywords(language: Language) -> frozenset[str]:
    """Return the words that are no names: those of the grammar, but for the ones that are names elsewhere."""
    grammar = grammar_of(language)
    kinds = (
        grammar.node_kind_for_id(kind)
        for kind in range(grammar.node_kind_count)
        if not grammar.node_kind_is_named(kind)
    )
    return frozenset(kind for kind in kinds if kind and kind.isidentifier()) - language.naming.soft


@cache
def _token(language: Language) -> re.Pattern[str]:
    naming = language.naming
    before = rf"(?:(?<!\.)\.\s*+#?|(?<![{naming.word}]))"
    return re.compile(rf"{before}{naming.identifier}(?![\"'])")


class Regions:
    """Which definition a byte of the source belongs to: the innermost around it."""

    def __init__(self, declared: Sequence[Declared]) -> None:
        self.starts = [0]
        self.owners = [MODULE]
        self.containers: list[int] = []
        open_: list[tuple[int, int]] = []
        for index, (node, outer, _kind, _path) in enumerate(declared):
            start = outer.start_byte
            self._close(open_, start)
            self.containers.append(open_[-1][1] if open_ else MODULE)
            self._begin(start, index)
            open_.append((node.end_byte, index))
        self._close(open_, None)

    def _close(self, open_: list[tuple[int, int]], until: int | None) -> None:
        while open_ and (until is None or open_[-1][0] <= until):
            end, _index = open_.pop()
            self._begin(end, open_[-1][1] if open_ else MODULE)

    def _begin(self, start: int, owner: int) -> None:
        if start <= self.starts[-1]:
            self.owners[-1] = owner
        else:
            self.starts.append(start)
            self.owners.append(owner)

    def owner(self, byte: int) -> int:
        """Return the definition around a byte, or MODULE."""
        return self.owners[bisect_right(self.starts, byte) - 1]

    def parts(self, length: int) -> Iterator[tuple[int, int, int]]:
        """Yield the definition, the start and the end of each stretch of the source."""
        for owner, start, end in zip(self.owners, self.starts, [*self.starts[1:], length], strict=True):
            if start < end:
                yield owner, start, end


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
                self.found.update(captures(parsed, patterns))
        self.regions = Regions(declared)
        self.functions = frozenset(
            index for index, (_node, _outer, kind, _path) in enumerate(declared) if kind in FUNCTIONS
        )
        self.names = [name_node(each.node) for each in declared]
        self.bound: dict[int, set[str]] = defaultdict(set)
        self.locals: list[tuple[int, str, Node]] = []
        self._lines: list[bytes] = []

    def nodes(self, role: str) -> Sequence[Node]:
        """Return what was captured in a role."""
        return self.found.get(role, ())

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def line(self, number: int) -> bytes:
        """Return a line of the source."""
        if not self._lines:
            self._lines = self.source.split(b"\n")
        return self._lines[number - 1]

    def belonging(self, role: str, before_the_name: bool = False) -> Mapping[int, list[str]]:
        """Return the texts captured in a role, by the definition in which they stand."""
        found: dict[int, list[str]] = defaultdict(list)
        for node in sorted(self.nodes(role), key=lambda node: node.start_byte):
            owner = self.regions.owner(node.start_byte)
            if owner != MODULE and not (
                before_the_name and node.start_byte > self.names[owner].start_byte > self._start(owner)
            ):
                found[owner].append(self.text(node))
        return found

    def _start(self, owner: int) -> int:
        return self.declared[owner].node.start_byte

    def bind(self) -> None:
        """Note which names the functions declare for themselves."""
        for role in ("parameter", "bound", "local"):
            for node in self.nodes(role):
                owner = self.regions.owner(node.start_byte)
                if owner in self.functions:
                    name = self.text(node)
                    self.bound[owner].add(name)
                    if role == "local":
                        self.locals.append((owner, name, node))
        for node in self.nodes("outer"):
            self.bound[self.regions.owner(node.start_byte)].discard(self.text(node))

    def uses(self) -> tuple[Uses, ...]:
        """Return the names that each definition uses."""
        tokens: dict[int, set[str]] = defaultdict(set)
        text = self._blanked()
        find = _token(self.parsed.language).findall
        for owner, start, end in self.regions.parts(len(text)):
            tokens[owner].update(find(text, start, end))
        known = keywords(self.parsed.language)
        ascii_only = self.source.isascii()
        rows = []
        for owner in sorted(tokens):
            found = tokens[owner] if ascii_only else set(map(_from_bytes, tokens[owner]))
            attributes = {token.lstrip(".# \t\r\n$") for token in found if token[0] == "."}
            names = {token for token in found if token[0] != "."} - known
            bound = self.bound.get(owner, ())
            if names or attributes or bound:
                rows.append(
                    Uses(owner, tuple(sorted(names)), tuple(sorted(attributes)), tuple(sorted(bound)))
                )
        return tuple(rows)

    def _blanked(self) -> str:
        """Return the source, a character for each byte, without what is no use of a name."""
        rest = bytearray(self.source)
        spaces = b" " * 64
        names = [node for node, each in zip(self.names, self.declared, strict=True) if node is not each.node]
        for nodes in (*map(self.nodes, BLANKED), [node for node in names if not node.child_count]):
            for node in nodes:
                start, end = node.start_byte, node.end_byte
                length = end - start
                rest[start:end] = spaces[:length] if length <= 64 else b" " * length
        for arrow in self.naming.arrows:
            rest = rest.replace(arrow, b" " * (len(arrow) - 1) + b".")
        return rest.decode("latin-1")

    def definitions(self, exports: Iterable[str]) -> tuple[Definition, ...]:
        """Return what the file defines."""
        decorators = self.belonging("decorator", before_the_name=True)
        bases = self.belonging("base")
        exported = {*map(self.text, self.nodes("exported")), *exports}
        modifiers = self._modifiers()
        local = self._local()
        rows = []
        for index, (node, outer, kind, path) in enumerate(self.declared):
            name = self.naming.definition_name(path[-1])
            container = self.regions.containers[index]
            words = modifiers.get(index, frozenset())
            visible = self.naming.exported(name, words, container != MODULE) or (
                container == MODULE and name in exported
            )
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
                    tuple(map(_without_arguments, bases.get(index, ()))),
                )
            )
        return tuple(rows)

    def _modifiers(self) -> dict[int, frozenset[str]]:
        """Return the words before each declaration, and those of the section of a body that it stands in."""
        words = {
            owner: frozenset(found)
            for owner, found in self.belonging("modifier", before_the_name=True).items()
        }
        sections = self.nodes("section")
        if not sections:
            return words
        marks: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for node in sorted(sections, key=lambda node: node.start_byte):
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
        rows = []
        for node in self.nodes("import"):
            owner = self.regions.owner(node.start_byte)
            rows += [row._replace(definition=owner) for row in self.naming.imports(node)]
        return tuple(sorted(rows, key=lambda row: row.line))

    def calls(self) -> tuple[CallSite, ...]:
        """Return the calls in the order of the text."""
        owner = self.regions.owner
        source = self.source
        rows = []
        for node in self.nodes("callee"):
            start = node.start_byte
            callee = source[start : node.end_byte].decode("utf-8", "replace")
            if not _PLAIN.fullmatch(callee):
                callee = _dotted(callee)
            if callee:
                rows.append((start, CallSite(owner(start), callee, node.start_point[0] + 1)))
        rows.sort()
        return tuple(row for _start, row in rows)

    def exports(self) -> tuple[str, ...]:
        """Return the names in lists of exports."""
        listed = (name for node in self.nodes("export") for name in self.naming.listed(node))
        return tuple(dict.fromkeys(listed))

    def words(self) -> tuple[str, ...]:
        """Return the names in short strings."""
        prose = {(node.start_byte, node.end_byte) for node in self.nodes("docstring")}
        texts = {
            self.source[node.start_byte : node.end_byte]
            for node in self.nodes("text")
            if node.end_byte - node.start_byte <= LONGEST_WORD and not (prose and _inside(node, prose))
        }
        return tuple(sorted(set(_words(texts))))


def names(parsed: Parsed, declared: Sequence[Declared], found: Found) -> Names:
    """Return the names of a file."""
    reading = Reading(parsed, declared, found)
    reading.bind()
    uses = reading.uses()
    exports = reading.exports()
    imports = reading.imports()
    calls = reading.calls()
    definitions = reading.definitions(exports)
    partial = Names(definitions, uses, imports, calls, exports, reading.words(), (), False)
    return partial._replace(
        unused=unused(reading, partial),
        is_entry=_is_entry(reading),
        package="".join(reading.text(node) for node in reading.nodes("package")[:1]),
    )


def _is_entry(reading: Reading) -> bool:
    if reading.source.startswith(b"#!"):
        return True
    entry = reading.naming.entry
    return entry is not None and re.search(entry.encode(), reading.source) is not None


def _from_bytes(token: str) -> str:
    return token if token.isascii() else token.encode("latin-1").decode("utf-8", "replace")


def _inside(node: Node, spans: set[tuple[int, int]]) -> bool:
    parent = node.parent
    return parent is not None and (parent.start_byte, parent.end_byte) in spans


def _words(texts: Iterable[bytes]) -> Iterator[str]:
    for raw in texts:
        text = raw.decode("utf-8", "replace")
        if text and not any(map(str.isspace, text)):
            yield from _WORD.findall(text)
            if _DOTTED.fullmatch(text):
                yield text


def _dotted(callee: str) -> str:
    """Join what is called by dots, without type arguments; where it is called on no plain name, that goes."""
    for mark in ("?.", "!.", "->", "::"):
        callee = callee.replace(mark, ".")
    shorter = _TYPE_ARGUMENTS.sub("", callee)
    while shorter != callee:
        callee, shorter = shorter, _TYPE_ARGUMENTS.sub("", shorter)
    parts = [part.strip() for part in callee.split(".")]
    last = parts[-1].strip("!?$#&*")
    if not last.replace("$", "_").isidentifier():
        return ""
    plain = all(part.replace("$", "_").lstrip("#@").isidentifier() for part in parts[:-1])
    return ".".join([*parts[:-1], last]) if plain else f".{last}"


def _without_arguments(text: str) -> str:
    return re.split(r"[\s(\[<]", text.strip("@#[] \t\r\n"), maxsplit=1)[0]
