"""Doubts that code is dead: how likely it is in spite of them.

The confidences are judgements. Those under 0.6 give the level low, those from there to 0.9 medium; within a
level, they rank the evidence. bench/dead_code.py measures precision and recall by level (docs/accuracy.md).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.syntax.record import MODULE, Definition, Record

_INTENTIONAL_MARKER = re.compile(
    r"\b(nolint|lint:ignore\s+U1000|pylint\s*:\s*disable=[\w,-]*(unused|W061[1-3])[\w-]*|no-?unused\w*|ts-prune-ignore|(vulture|skylos|knip|unused)\s*:\s*(ignore|keep))\b"
    r"|^//(export |go:(linkname|wasmexport) )|noqa(?!:)|noqa:.*F(401|811|841)",
    re.IGNORECASE,
)
"""Comments that tell linters and other searches for dead code to keep something."""
_FOR_NEXT_LINE = re.compile(r"\b(next-line|biome-ignore|noinspection)\b")
"""Comments that are about the line after them."""
_FOR_WHOLE_FILE = re.compile(r"^(/[/*]\s*eslint-disable\s|#\s*(ruff|flake8)\s*:\s*noqa\b)")
"""Comments that are about their whole file."""

_IN_EXAMPLES = re.compile(r"(^|/)([\w-]+[-_])?(examples?|samples?|demos?|docs?)/")

MEANT_TO_STAY = 0.3
"""The author says that it stays, used or not."""
CALLED_FROM_OUTSIDE = 0.4
"""A framework or an external base class is known to the code, and most likely calls it."""
NAMED_IN_TEXT = 0.45
"""Its whole name is where code may look it up, though it may be an ordinary word there."""
UNRESOLVED_USE = 0.5
"""Its object, an attribute or a part of its name is used in a way that this analysis cannot resolve."""
PRIVATE_CALLED_FROM_OUTSIDE = 0.55
"""As `CALLED_FROM_OUTSIDE`, but external classes rarely call members with private names."""
NAMED_IN_OWN_FILE = 0.65
"""A string of its own file contains the name of a variable, often only as its value."""
UNSEEN_USE = 0.7
"""Its uses may be where this analysis does not see them."""
RARE_USE = 0.75
"""Such code is used without a reference now and then."""
USABLE_FROM_OUTSIDE = 0.8
"""Other projects could use it, though nothing declares that they may."""


class Doubt(NamedTuple):
    """A reason why a definition may be alive, and the confidence that it is dead in spite of it."""

    confidence: float
    reason: str


INTENTIONAL = Doubt(MEANT_TO_STAY, "its name or a comment next to it says that it is intentional")
TEST_INPUT = Doubt(MEANT_TO_STAY, "its file is the input of tests")
BUILT = Doubt(MEANT_TO_STAY, "its file was built from others")
TYPE_TEST = Doubt(RARE_USE, "its file tests types, so that a compiler may be all that reads it")
UNIMPORTED_TEST_FILE = Doubt(
    UNSEEN_USE, "nothing imports its file, which lies among tests and may be their input"
)


def read_elsewhere(path: str, record: Record, definition: Definition) -> Doubt | None:
    """Return the doubt about a definition that a compiler or another definition may need, unnamed."""
    if definition.kind == "Constant" and record.language == "go":
        return Doubt(RARE_USE, "its position in a list of constants may matter")
    is_macro = definition.kind == "Constant" and record.language in ("c", "cpp")
    if is_macro and any(included.line > definition.line for included in record.names.imports):
        return Doubt(RARE_USE, "a header included after it may depend on it, as on `_GNU_SOURCE`")
    if definition.container == MODULE and definition.exported and _IN_EXAMPLES.search(path):
        return Doubt(RARE_USE, "it is in an example, which its readers run")
    return TYPE_TEST if is_type_test(path, record) else None


def seen_by_readers(path: str, record: Record) -> Doubt | None:
    """Return the doubt about a local variable which somebody may look at, though no code reads it."""
    if record.language == "python" and IN_TESTS.search(path):
        return Doubt(RARE_USE, "a report on a test that fails may show it")
    if _IN_EXAMPLES.search(path):
        return Doubt(RARE_USE, "it is in an example, which others read")
    return TYPE_TEST if is_type_test(path, record) else None


def is_type_test(path: str, record: Record) -> bool:
    """Return whether a file is a test that a compiler has to reject in places."""
    return IN_TESTS.search(path) is not None and any("@ts-expect-error" in it.text for it in record.comments)


def is_marked_intentional(record: Record, first: int, last: int) -> bool:
    """Return whether a comment marks what a range of lines contains as intentionally unused."""
    return any(
        (
            first <= comment.line <= last
            or (comment.end_line == first - 1 and _FOR_NEXT_LINE.search(comment.text))
            or _FOR_WHOLE_FILE.search(comment.text)
        )
        and _INTENTIONAL_MARKER.search(comment.text)
        for comment in record.comments
    )
