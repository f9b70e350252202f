"""Tells passages of prose, like those that the model was trained on, from other comments.

Other comments are licences, code that is commented out, directives to tools, bare issue numbers, and
documentation without a marker word.
"""

from __future__ import annotations

import re

from holdfast.analysis.debt.passage import Passage

_LICENCE = re.compile(
    r"(?i)\bcopyright\b|\(c\) ?\d{4}|\blicen[cs]ed (?:to|under)\b|\bSPDX-|\ball rights reserved\b"
)
_DIRECTIVE = re.compile(
    r"(?i)\s*(?:"
    # Linters, formatters, type checkers and compilers: Python, JavaScript, other languages.
    r"noqa|type: ?ignore|pylint|pragma|mypy|pyright|ruff|fmt|isort|flake8|nosec|yapf|black|bandit"
    r"|eslint|prettier|jshint|jslint|global |globals |tslint|@ts-|istanbul|c8 |biome|webpack"
    r"|nolint|go:|\+build|nosonar|noinspection|checkstyle|rubocop|frozen_string_literal|shellcheck"
    r"|clang-format|swiftlint|phpcs|phpstan"
    # Editors and version control: folding, modes, encodings, keywords such as `$Id$`.
    r"|region\b|endregion\b|-\*-|vim?:|coding[:=]|\$\w+\$"
    # A reference instead of a sentence: a link or an issue.
    r"|https?://\S+\s*$|(?:bug|issue|ticket) #?\d"
    # Translation, and pointers to the documentation of a base class.
    r"|i18n\[|\$?non-nls|\(?(?:non-)?javadoc\b)"
)
"""The start of a comment that addresses a program, or that only refers to something."""
_CODE_LINE = re.compile(
    r"(?:[\w.$\[\]'\"]+ ?(?:[-+*/|&:]?=|<-) ?\S"  # an assignment
    r"|@?[\w.$]+\(.*\)?,?$"  # a call or a decorator
    # A statement that starts with a keyword; a sentence would end in a full stop.
    r"|(?:import|from|return|def|class|func|fn|var|let|const|public|private|static|elif|else|#include|except"
    r"|raise|print) ?.*[\w)\]:'\"]$"
    r"|[)\]}]|>>> |\$ |</?\w+)"  # a closing bracket, a prompt or a tag
)
_MARKER_WORD = re.compile(r"(?i)\b(?:todo|fixme|xxx|hack)\b")
_THREE_WORDS = re.compile(r"\b[A-Za-z']{2,30} [A-Za-z']{2,30} [A-Za-z']{2,}")


def is_prose(passage: Passage) -> bool:
    """Return whether at most half of a passage is code, and it is none of the other kinds of comment."""
    lines = [line.text for line in passage.lines if line.text]
    if not lines or _DIRECTIVE.match(lines[0]):
        return False
    if passage.is_documentation and not any(map(_MARKER_WORD.search, lines)):
        return False
    return sum(map(_is_code, lines)) * 2 <= len(lines) and _LICENCE.search(passage.text) is None


def _is_code(line: str) -> bool:
    looks_like_code = line[-1] in ";{}" or _CODE_LINE.match(line) is not None
    return looks_like_code and _THREE_WORDS.search(line) is None
