"""What is known of a text, computed once for each content.

Contract: an answer depends on the language and the text alone, so it is kept by their hash. Trees are not
kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

from holdfast.syntax.languages import Language, language_of
from holdfast.syntax.parse import ParseTooLong, SyntaxProblem, parse
from holdfast.syntax.statements import statement_starts
from holdfast.syntax.symbols import Symbol
from holdfast.syntax.symbols import symbols as symbols_of

KEPT = 512


@dataclass(frozen=True)
class Facts:
    """What a file declares, what is wrong with it, and why it could not be read where it could not.

    `statements` has for each line the line at which its statement begins.
    """

    language: Language | None
    symbols: tuple[Symbol, ...] = ()
    problems: tuple[SyntaxProblem, ...] = ()
    statements: tuple[int, ...] = ()
    skipped: str | None = None

    def broken(self, path: str) -> SyntaxProblem | None:
        """Return the first problem that shows the text to be wrong, not the grammar to be behind."""
        if not self.problems or self.language is None:
            return None
        if self.language.exact or not (self.symbols or path.endswith(self.language.relatives)):
            return self.problems[0]
        return None


_kept: OrderedDict[tuple[str, bytes], Facts] = OrderedDict()
_lock = Lock()


def facts(path: str, text: str) -> Facts:
    """Return the facts of a file; a text in no known language, or one too long to parse, has none."""
    language = language_of(path, text)
    if language is None:
        return Facts(None)
    key = (language.name, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = _read(language, text)
    with _lock:
        _kept[key] = found
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def _read(language: Language, text: str) -> Facts:
    try:
        parsed = parse(language, text)
        return Facts(language, symbols_of(parsed), parsed.problems, statement_starts(parsed))
    except ParseTooLong as refusal:
        return Facts(language, skipped=refusal.message)


def innermost(found: Sequence[Symbol], line: int) -> Symbol | None:
    """Return the innermost symbol that holds a line."""
    last = bisect_right(found, line, key=lambda symbol: symbol.start_line)
    holding = (symbol for symbol in reversed(found[:last]) if symbol.end_line >= line)
    return next(holding, None)
