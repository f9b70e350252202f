"""The names that each definition uses, extracted from the blanked text (see `names`).

Operators are replaced by spaces; the text is then split at white space. A token is a chain of names,
`os.path.join`, with the parenthesis or equals sign directly after it. Only the first name of a chain is
unqualified. Line feeds become tokens, to count lines.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain as chain_of
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language
from holdfast.syntax.languages.naming import RESERVED
from holdfast.syntax.parse import grammar_of
from holdfast.syntax.record import CallSite, Uses

if TYPE_CHECKING:
    from holdfast.syntax.names import NameReader


SPACED = ((b"...", b"   "), (b"..", b"  "), (b"==", b"  "), (b" (", b"( "))
NEW_LINE = b"\x01"
"""Replaces a line feed; occurs nowhere else."""

LINE = b" \x01 "
PART = b"\x02"
"""Separates parts of the text that belong to different definitions."""
CLOSES = b")"
OPENS, DOT, NONE = ord("("), ord("."), -1
MAX_KNOWN = 50_000
"""How many tokens are cached per language before the cache is cleared; a judgement, a few MB."""

_TYPED = re.compile(rb":(\s*[\w.]+)=(?!=)")
"""An annotated parameter with a default, `: int =`, which is not a keyword argument."""


@cache
def keywords(language: Language) -> frozenset[str]:
    """Return the reserved words of a language: the common ones in its grammar, and its own."""
    grammar = grammar_of(language)
    of_grammar = (word for word in RESERVED if grammar.id_for_node_kind(word, False))
    return frozenset(of_grammar) | language.naming.reserved


@cache
def _table(language: Language) -> bytes:
    """Return the table for `bytes.translate` that replaces everything outside tokens by spaces."""
    kept = (b"._()=\n" if language.naming.calls_in_text else b"._(=\n") + language.naming.characters
    return bytes(byte if byte >= 0x80 or chr(byte).isalnum() or byte in kept else 0x20 for byte in range(256))


def _prepare(language: Language, text: bytes) -> bytes:
    """Return the text with tokens separated by spaces; offsets stay the same."""
    for old, new in (*language.naming.spaced, *SPACED):
        text = text.replace(old, new)
    if language.naming.calls_in_text:
        text = _TYPED.sub(rb":\1 ", text)
    if b".\n" in text:
        text = re.sub(rb"\.(\s+)(?=\w)", rb"\1.", text)
    return text.translate(_table(language))


class _Chains:
    """Memoizes what each token of a language names and calls."""

    def __init__(self, language: Language) -> None:
        self.keywords = keywords(language)
        self.calls_in_text = language.naming.calls_in_text
        self.sigil = "$" if language.naming.characters == b"$" else ""
        self.names: dict[bytes, str] = {}
        self.members: dict[bytes, tuple[str, ...]] = {}
        self.callees: dict[bytes, str | None] = {}
        """The callee of each token that ends with an opening parenthesis; None if it is not a call."""

    def learn(self, tokens: set[bytes]) -> None:
        """Analyse new tokens: the unqualified name, if any, the members after it, and the callee."""
        for token in tokens.difference(self.names):
            name, self.members[token] = self._split(token)
            if token[-1] == OPENS:
                is_call = name or token.startswith(b".")
                self.callees[token] = ".".join((name, *self.members[token])) if is_call else None
            self.names[token] = name  # last: it marks the token as known to other threads
        if len(self.names) > MAX_KNOWN:
            _chains.cache_clear()

    def _split(self, token: bytes) -> tuple[str, tuple[str, ...]]:
        chain = token.strip(b"()=-\"'").lstrip(b"!?").decode("utf-8", "replace")
        if token[-1] in b"\"'\x01" or chain.startswith("@"):
            return "", ()  # the beginning of a string, or an instance variable in Ruby
        first, *members = chain.split(".")
        assigned = self.calls_in_text and not members and token.endswith(b"=")
        if assigned or first[:1].isdigit() or first in self.keywords:
            first = ""  # a reserved word, a keyword argument or an assigned name
        return first, tuple(
            [member.lstrip(self.sigil) for member in members if member and not member[0].isdigit()]
        )


_chains = cache(_Chains)


def _calls(parts: Iterable[tuple[int, list[bytes]]], callees: Mapping[bytes, str | None]) -> list[CallSite]:
    """Return the calls of a text; in `a().b()`, `b` comes before `a`."""
    found: list[CallSite] = []
    line = 1
    for owner, tokens in parts:
        open_: list[int] = []
        closed = NONE
        for token in tokens:
            if token == NEW_LINE:
                line += 1
            elif token in callees:
                callee = callees[token]
                at = closed if closed != NONE and token[0] == DOT else len(found)
                open_.append(NONE if callee is None else at)
                if callee is not None:
                    found.insert(at, CallSite(owner, callee, line))
                closed = NONE
            else:
                closed = open_.pop() if token == CLOSES and open_ else NONE
    return found


def read_uses(reader: NameReader) -> tuple[tuple[Uses, ...], tuple[CallSite, ...]]:
    """Return the names each definition uses, and the calls of languages with `calls_in_text`."""
    chains = _chains(reader.parsed.language)
    text = _prepare(reader.parsed.language, reader.blanked())
    cut = reader.regions.cut(text)
    text = PART.join([piece for _owner, piece in cut]).replace(b"(", b"( ").replace(b"=", b"= ")
    if chains.calls_in_text:
        text = text.replace(b")", b" ) ").replace(b"\n", LINE)
    parts = [(owner, piece.split()) for (owner, _), piece in zip(cut, text.split(PART), strict=False)]
    tokens: dict[int, set[bytes]] = defaultdict(set)
    for owner, found in parts:
        tokens[owner].update(found)
    chains.learn(set().union(*tokens.values()))
    rows = []
    for owner, used in sorted(tokens.items()):
        names = set(map(chains.names.__getitem__, used))
        names.discard("")
        members = set(chain_of.from_iterable(map(chains.members.__getitem__, used)))
        bound = reader.bound.get(owner, ())
        if names or members or bound:
            rows.append(Uses(owner, tuple(sorted(names)), tuple(sorted(members)), tuple(sorted(bound))))
    return tuple(rows), tuple(_calls(parts, chains.callees)) if chains.calls_in_text else ()
