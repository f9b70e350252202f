"""The record of a source file: everything that one pass over its text tells.

A record depends on the language and the bytes alone, so it is cached by their hash. Rows are named tuples of
numbers, words and tuples. Lines and columns begin with 1.

Contract: `from_sections(*sections(record)) == record`. Each section is JSON and readable alone.
"""

from __future__ import annotations

import json
from math import log2
from typing import NamedTuple

MODULE = -1
"""The index that means the file itself, where a definition is asked for."""


class FunctionMetrics(NamedTuple):
    """A function, method or named closure, and what was counted in it.

    `cyclomatic` is McCabe's on statements; `extended` adds one for every conditional expression, short-cut
    operator, and loop or filter of a comprehension. `cognitive` follows SonarSource's white paper, with one
    for recursion, direct or through others of the file, where `recursive` is set. In Python `cyclomatic`
    counts inner functions too, as ruff does; `cognitive` does so everywhere but in JavaScript and TypeScript.
    Functions without a name count towards the one around them; in JavaScript and TypeScript those that decide
    something have rows of their own. `docs/analysis.md` says what counts in each language.
    """

    name: str
    """From the outermost name to this one, joined by dots."""
    line: int
    end_line: int
    parameters: int
    lines_of_code: int
    cyclomatic: int
    extended: int
    cognitive: int
    recursive: bool
    nesting: int
    distinct_operators: int
    distinct_operands: int
    operators: int
    operands: int

    @property
    def volume(self) -> float:
        """Halstead's volume: the bits that its words would take."""
        words = self.distinct_operators + self.distinct_operands
        return (self.operators + self.operands) * log2(words) if words else 0.0

    @property
    def difficulty(self) -> float:
        """Halstead's difficulty: how many operators there are, and how often operands come back."""
        return self.distinct_operators / 2 * self.operands / (self.distinct_operands or 1)

    @property
    def effort(self) -> float:
        """Halstead's effort: difficulty times volume."""
        return self.difficulty * self.volume


class Comment(NamedTuple):
    """A comment as it stands in the text, markers included; never a string literal."""

    line: int
    column: int
    end_line: int
    text: str


class Definition(NamedTuple):
    """A named thing that a file defines, and the names that stand in its own text."""

    name: str
    path: str
    """From the outermost name to this one, joined by dots."""
    kind: str
    """The name of a SymbolKind, as in `symbols.Symbol`."""
    line: int
    """Where its name stands."""
    start_line: int
    """Where it begins, decorators included."""
    end_line: int
    container: int
    """The index of the definition around it, or MODULE."""
    exported: bool
    """Whether other files may use it by the rules of its language: public, exported, capitalised."""
    decorators: tuple[str, ...]
    """Decorators, annotations and attributes, as written, without their arguments."""
    bases: tuple[str, ...]
    """Types it extends or implements, as written, without type arguments."""


class Uses(NamedTuple):
    """The names that the text of one definition uses outside of the definitions in it.

    Neither names of declarations nor of parameters count as uses, nor anything in strings or comments.
    """

    definition: int
    names: tuple[str, ...]
    """Plain names, each once, sorted."""
    attributes: tuple[str, ...]
    """Names after a dot, an arrow or a double colon, each once, sorted."""
    bound: tuple[str, ...] = ()
    """Parameters and local variables, each once, sorted: in here these names mean nothing outside of it."""


class Import(NamedTuple):
    """One name that an import brings in; an import of several names is several of these.

    Here as (module, name, alias):
    - Python: `import a.b` is (a.b, , a), `from .m import x as y` is (m, x, y) at level 1.
    - JavaScript: `import d, {x} from "./m"` is (./m, default, d) and (./m, x, x),
      `import * as n` is (./m, *, n), `const r = require("./m")` is (./m, , r).
    - Go: `import x "a/b"` is (a/b, , x). C#: `using A.B` is (A.B, *, ). PHP: `use A\\B as C` is (A, B, C).
    - Rust: `use a::b::{C as D, self}` is (a::b, C, D) and (a::b, , b), `mod x;` is (self::x, , x).
    - Java, Kotlin: `import a.b.C` is (a.b, C, C), `import static a.b.C.m` is (a.b.C, m, m),
      `import a.b.*` is (a.b, *, ).
    - C: `#include "a.h"` is ("a.h", *, ) with its quotes or angle brackets.
    - Ruby: `require "a"` is (a, *, ), `require_relative` has level 1. Bash: `. ./a.sh` is (./a.sh, *, ).
    """

    module: str
    """As written, without the leading dots of a relative import of Python."""
    name: str
    """What is taken from the module; empty where it is the module itself, `*` where it is everything."""
    alias: str
    """The name that it has in this file, with or without `as`; empty where it gets none."""
    line: int
    level: int
    """How many dots a relative import of Python has."""
    definition: int
    """The definition in which it stands, or MODULE."""
    reexported: bool
    """Whether the file offers it to others: `export … from`, `pub use`, `import x as x`."""
    typing_only: bool
    """Whether it is there for types alone: below `TYPE_CHECKING`, `import type`."""


class CallSite(NamedTuple):
    """A call as it is written."""

    definition: int
    """The definition in which it stands, or MODULE."""
    callee: str
    """What is called, joined by dots whatever the language: `self.save`, `os.path.join`, `Vec.new`."""
    line: int


class Unused(NamedTuple):
    """Something that the file itself shows to be without use: an import, a variable, a statement."""

    kind: str
    """`import`, `variable`, `parameter` or `unreachable`."""
    name: str
    line: int
    end_line: int
    definition: int


class Names(NamedTuple):
    """What a file defines, brings in, uses and calls."""

    definitions: tuple[Definition, ...]
    uses: tuple[Uses, ...]
    imports: tuple[Import, ...]
    calls: tuple[CallSite, ...]
    exports: tuple[str, ...]
    """Names that a list of exports names: `__all__`, `export { a }`, `module.exports = { a }`."""
    words: tuple[str, ...]
    """Names in short strings, each once, sorted: weak evidence that something is used."""
    unused: tuple[Unused, ...]
    is_entry: bool
    """Whether the file is made to be run: a main guard, a `main` function, a first line with `#!`."""
    package: str = ""
    """The package or namespace that the file says all of it belongs to: Go, Java, Kotlin, C#, PHP."""


class Record(NamedTuple):
    """Everything that one pass over a file tells."""

    language: str
    lines: int
    code_lines: int
    """Lines with something else than comments and white space on them."""
    comment_lines: int
    functions: tuple[FunctionMetrics, ...]
    comments: tuple[Comment, ...]
    names: Names
    broken: str | None
    """What is wrong with the text where the parser had to skip a part of it; counted all the same."""


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
NO_NAMES = Names((), (), (), (), (), (), (), False)


def read_record(path: str, source: bytes, *, names: bool = True) -> Record | None:
    """Read a file; nothing where its language is none of ours, `ParseTooLong` where the parser refuses it.

    Without `names`, which take as long as all the rest, there are none in it.
    """
    from holdfast.syntax.reader import read  # the parser is loaded where a file is read, not where rows are

    return read(path, source, with_names=names)


def sections(record: Record) -> tuple[bytes, bytes, bytes]:
    """Return a record as three texts: its numbers with the functions, its comments, its names."""
    numbers = (*record[:4], record.broken, record.functions)
    return _json(numbers), _json(record.comments), _json(record.names)


def _json(value: object) -> bytes:
    return _encode(value).encode()


def from_sections(metrics: bytes, comments: bytes = b"", names: bytes = b"") -> Record:
    """Return the record of its sections; what is left out is empty in it."""
    language, lines, code_lines, comment_lines, broken, functions = json.loads(metrics)
    return Record(
        language,
        lines,
        code_lines,
        comment_lines,
        tuple(map(FunctionMetrics._make, functions)),
        tuple(map(Comment._make, json.loads(comments))) if comments else (),
        _names(names) if names else NO_NAMES,
        broken,
    )


def _names(section: bytes) -> Names:
    definitions, uses, imports, calls, exports, words, unused, is_entry, package = json.loads(section)
    return Names(
        tuple(Definition._make((*row[:-2], tuple(row[-2]), tuple(row[-1]))) for row in definitions),
        tuple(Uses(row[0], *map(tuple, row[1:])) for row in uses),
        tuple(map(Import._make, imports)),
        tuple(map(CallSite._make, calls)),
        tuple(exports),
        tuple(words),
        tuple(map(Unused._make, unused)),
        is_entry,
        package,
    )
