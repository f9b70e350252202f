"""The record of a source file: everything that one pass over its text extracts.

A record depends on the language and the bytes alone, and so can be cached by their hash. Its rows are named
tuples of numbers, strings and tuples; `core/sections.py` packs them. Lines and columns count from 1.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

MODULE = -1
"""The file itself, where the index of a definition is expected."""


class FunctionMetrics(NamedTuple):
    """The metrics of a function, method or named closure.

    `cyclomatic` is McCabe's complexity, counted on statements; `extended` adds one for every conditional
    expression, short-circuit operator, and loop or filter of a comprehension. `cognitive` follows
    SonarSource's white paper, with one more if `recursive`: the function calls itself, directly or through
    others in the file.

    In Python `cyclomatic` includes nested functions, as in ruff; `cognitive` includes them except in
    JavaScript and TypeScript. Anonymous functions count towards the enclosing one, but in JavaScript and
    TypeScript those with branches have their own rows. `docs/analysis.md` lists what counts in each language.
    """

    name: str
    """The qualified name, joined by dots."""
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
        """Halstead's volume: the size of the function in bits."""
        vocabulary = self.distinct_operators + self.distinct_operands
        return (self.operators + self.operands) * log2(vocabulary) if vocabulary else 0.0

    @property
    def difficulty(self) -> float:
        """Halstead's difficulty: distinct operators / 2, times how often each operand is used on average."""
        return self.distinct_operators / 2 * self.operands / (self.distinct_operands or 1)

    @property
    def effort(self) -> float:
        """Halstead's effort: difficulty times volume."""
        return self.difficulty * self.volume


class Comment(NamedTuple):
    """A comment as written, markers included; docstrings are not comments."""

    line: int
    column: int
    end_line: int
    text: str


class Definition(NamedTuple):
    """A symbol that a file defines, with its decorators and base types."""

    name: str
    path: str
    """The qualified name, joined by dots."""
    kind: str
    """The name of a SymbolKind, as in `symbols.Symbol`."""
    line: int
    """The line of its name."""
    start_line: int
    """Its first line, decorators included."""
    end_line: int
    container: int
    """The index of the enclosing definition, or MODULE."""
    exported: bool
    """Whether its language lets other files use it: public, exported, capitalised."""
    decorators: tuple[str, ...]
    """Decorators, annotations and attributes, as written, without their arguments."""
    bases: tuple[str, ...]
    """The types it extends or implements, as written, without type arguments."""


class Uses(NamedTuple):
    """The names used in one definition, without those in definitions nested in it.

    Names that are being declared, parameters, strings and comments are not uses.
    """

    definition: int
    names: tuple[str, ...]
    """Unqualified names, each once, sorted."""
    attributes: tuple[str, ...]
    """Names after a dot, an arrow or a double colon, each once, sorted."""
    bound: tuple[str, ...] = ()
    """The names of parameters and local variables, each once, sorted."""


class ImportedName(NamedTuple):
    """One name that an import binds; an import of several names yields several rows.

    Examples, as (module, name, alias):
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
    """As written, without the leading dots of a relative import in Python."""
    name: str
    """What is imported from the module: empty for the module itself, `*` for everything."""
    alias: str
    """The name it is bound to in this file, with or without `as`; empty if none."""
    line: int
    level: int
    """The number of leading dots of a relative import in Python."""
    definition: int
    """The index of the enclosing definition, or MODULE."""
    reexported: bool
    """Whether the file re-exports it: `export … from`, `pub use`, `import x as x`."""
    typing_only: bool
    """Whether only type annotations need it: under `TYPE_CHECKING`, `import type`."""


class CallSite(NamedTuple):
    """A call in the source."""

    definition: int
    """The index of the enclosing definition, or MODULE."""
    callee: str
    """The called expression, joined by dots in every language: `self.save`, `os.path.join`, `Vec.new`."""
    line: int


class Unused(NamedTuple):
    """An unused import, variable or parameter, or unreachable statements, found in one file alone."""

    kind: str
    """`import`, `variable`, `parameter` or `unreachable`."""
    name: str
    line: int
    end_line: int
    definition: int


class Names(NamedTuple):
    """What a file defines, imports, uses and calls."""

    definitions: tuple[Definition, ...]
    uses: tuple[Uses, ...]
    imports: tuple[ImportedName, ...]
    calls: tuple[CallSite, ...]
    exports: tuple[str, ...]
    """The names in export lists: `__all__`, `export { a }`, `module.exports = { a }`."""
    words: tuple[str, ...]
    """Identifiers in strings, each once, sorted: weak evidence that something is used."""
    unused: tuple[Unused, ...]
    is_entry: bool
    """Whether the file is a program's entry point: a main guard, a `main` function, a `#!` line."""
    package: str = ""
    """The package or namespace declared for the whole file: Go, Java, Kotlin, C#, PHP."""


class Record(NamedTuple):
    """Everything that one pass over a file extracts."""

    language: str
    lines: int
    code_lines: int
    """Lines with anything but comments and white space."""
    comment_lines: int
    functions: tuple[FunctionMetrics, ...]
    comments: tuple[Comment, ...]
    names: Names
    syntax_error: str | None
    """The first syntax error, if there is one; the rest of the text is still counted."""


NO_NAMES = Names((), (), (), (), (), (), (), False)


def read_record(path: str, source: bytes, *, with_names: bool = True) -> Record | None:
    """Return the record of a file, or None if its language is not supported; may raise `ParseTooLong`.

    Names take as long as everything else; pass `with_names=False` to leave them out.
    """
    # Records are also used where no file is parsed, and where the parser should not be loaded.
    from holdfast.syntax.reader import read

    return read(path, source, with_names)
