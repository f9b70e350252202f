"""Detects the language of a file.

Contract: `language_of` decides by the name, and by the text only where the name is ambiguous: by the `#!`
line of a file without an extension, and by the content of a `.h` header, which may be C or C++.
"""

from __future__ import annotations

import re
from functools import cache
from posixpath import basename, splitext

from holdfast.syntax.languages.bash import BASH
from holdfast.syntax.languages.c import CPP, C
from holdfast.syntax.languages.csharp import CSHARP
from holdfast.syntax.languages.go import GO
from holdfast.syntax.languages.java import JAVA
from holdfast.syntax.languages.javascript import JAVASCRIPT, TSX, TYPESCRIPT
from holdfast.syntax.languages.kotlin import KOTLIN
from holdfast.syntax.languages.language import Declaration, Language
from holdfast.syntax.languages.php import PHP
from holdfast.syntax.languages.python import PYTHON
from holdfast.syntax.languages.ruby import RUBY
from holdfast.syntax.languages.rust import RUST
from holdfast.syntax.languages.swift import SWIFT

__all__ = ["LANGUAGES", "Declaration", "Language", "language_of"]

LANGUAGES = (
    PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, JAVA, GO, RUST, C, CPP, CSHARP, RUBY, PHP, KOTLIN, SWIFT, BASH,
)  # fmt: skip


@cache
def _by_extension() -> dict[str, Language]:
    return {extension: language for language in LANGUAGES for extension in language.extensions}


@cache
def _by_filename() -> dict[str, Language]:
    return {name: language for language in LANGUAGES for name in language.filenames}


_HEADER = ".h"
_LONGEST_HEADER = 200_000
"""Characters of a header that are searched for C++; a judgement: its marks come early."""
_OF_CPP = re.compile(
    r"^[ \t]*(?:(?:inline[ \t]+)?namespace\b[ \t\w:]*\{|template[ \t]*<|(?:public|private|protected)[ \t]*:"
    r"|class[ \t]+[\w \t]+(?:[:{;]|$)|using[ \t]+(?:namespace[ \t]+)?[\w:]+[ \t]*[;=])|\bstd::\w",
    re.MULTILINE,
)
_OF_OBJECTIVE_C = re.compile(
    r"^(?:@(?:interface|protocol|class|import)\b|[ \t]*#import[ \t]*[<\"])", re.MULTILINE
)


def language_of(path: str, text: str = "") -> Language | None:
    """Return the language of a file, or None if it is not supported."""
    name = basename(path)
    extension = splitext(name)[1]
    if extension == _HEADER:
        return _of_header(text[:_LONGEST_HEADER])
    return (
        _by_filename().get(name)
        or _by_extension().get(extension)
        or _by_extension().get(extension.lower())
        or (None if extension else _by_interpreter(text[:200].split("\n", 1)[0]))
    )


def _of_header(text: str) -> Language | None:
    if _OF_OBJECTIVE_C.search(text):
        return None
    return CPP if _OF_CPP.search(text) else C


def _by_interpreter(first_line: str) -> Language | None:
    if not first_line.startswith("#!"):
        return None
    words = [word.rsplit("/", 1)[-1] for word in first_line[2:].split()]
    programs = [word for word in words if word != "env" and not word.startswith("-")]
    if not programs:
        return None
    program = programs[0].rstrip("0123456789.")
    return next((language for language in LANGUAGES if program in language.interpreters), None)
