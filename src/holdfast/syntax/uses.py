"""Reads the names that each definition uses, and calls, from the blanked text (see `names`).

Operators become spaces; the text is then split at white space. A token is a chain of names such as
`os.path.join`, together with the parenthesis or equals sign directly after it. Only the first name of a chain
is unqualified. Line feeds become tokens, so that lines can be counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain as chain_iterables
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language
from holdfast.syntax.languages.naming import RESERVED
from holdfast.syntax.parse import load_grammar
from holdfast.syntax.record import CallSite, Uses

if TYPE_CHECKING:
    from holdfast.syntax.names import NameReader


REPLACEMENTS = ((b"...", b"   "), (b"..", b"  "), (b"==", b"  "), (b" (", b"( "))
LINE_TOKEN = b"\x01"
"""Replaces a line feed; a control character that is not in the text."""

SPACED_LINE_TOKEN = b" \x01 "
PART_SEPARATOR = b"\x02"
"""Separates the parts of the text that belong to different definitions."""
CLOSING = b")"
OPENING, DOT, NO_CALL = ord("("), ord("."), -1
MAX_CACHED_TOKENS = 50_000
"""How many tokens of a language are cached before all caches are cleared: a few megabytes."""

_ANNOTATED_DEFAULT = re.compile(rb":(\s*[\w.]+)=(?!=)")
"""An annotated parameter with a default, `: int =`, which is not a keyword argument."""


@cache
def keywords(language: Language) -> frozenset[str]:
    """Return the reserved words of a language: those of `RESERVED` in its grammar, and those in its table."""
    grammar = load_grammar(language)
    in_grammar = (word for word in RESERVED if grammar.id_for_node_kind(word, False))
    return frozenset(in_grammar) | language.naming.reserved


@cache
def _separator_table(language: Language) -> bytes:
    """Return the table for `bytes.translate` that replaces everything outside tokens with spaces."""
    kept = (b"._()=\n" if language.naming.calls_in_text else b"._(=\n") + language.naming.name_characters
    return bytes(byte if byte >= 0x80 or chr(byte).isalnum() or byte in kept else 0x20 for byte in range(256))


def _separate_tokens(language: Language, text: bytes) -> bytes:
    """Return the text with tokens separated by spaces; offsets stay the same."""
    for old, new in (*language.naming.replacements, *REPLACEMENTS):
        text = text.replace(old, new)
    if language.naming.calls_in_text:
        text = _ANNOTATED_DEFAULT.sub(rb":\1 ", text)
    if b".\n" in text:
        text = re.sub(rb"\.(\s+)(?=\w)", rb"\1.", text)
    return text.translate(_separator_table(language))


class _NameChains:
    """The names and callee in each token of a language, memoized."""

    def __init__(self, language: Language) -> None:
        self.keywords = keywords(language)
        self.calls_in_text = language.naming.calls_in_text
        self.sigil = "$" if language.naming.name_characters == b"$" else ""
        self.names: dict[bytes, str] = {}
        self.members: dict[bytes, tuple[str, ...]] = {}
        self.callees: dict[bytes, str | None] = {}
        """The callee of each token that ends with an opening parenthesis; None if it is not a call."""

    def learn(self, tokens: set[bytes]) -> None:
        """Analyse new tokens: the unqualified name, if any, the members after it, and the callee."""
        for token in tokens.difference(self.names):
            name, self.members[token] = self._split(token)
            if token[-1] == OPENING:
                is_call = name or token.startswith(b".")
                self.callees[token] = ".".join((name, *self.members[token])) if is_call else None
            self.names[token] = name  # last, because other threads then take the token as known
        if len(self.names) > MAX_CACHED_TOKENS:
            _name_chains.cache_clear()

    def _split(self, token: bytes) -> tuple[str, tuple[str, ...]]:
        chain = token.strip(b"()=-\"'").lstrip(b"!?").decode("utf-8", "replace")
        if token[-1] in b"\"'\x01" or chain.startswith("@"):
            return "", ()  # the start of a string, or an instance variable in Ruby
        first, *members = chain.split(".")
        is_assigned = self.calls_in_text and not members and token.endswith(b"=")
        if is_assigned or first[:1].isdigit() or first in self.keywords:
            first = ""  # a reserved word, a keyword argument or an assigned name
        named = [member.lstrip(self.sigil) for member in members if member and not member[0].isdigit()]
        return first, tuple(named)


_name_chains = cache(_NameChains)


def _calls(parts: Iterable[tuple[int, list[bytes]]], callees: Mapping[bytes, str | None]) -> list[CallSite]:
    """Return the calls in a text; in `a().b()`, `b` comes before `a`."""
    calls: list[CallSite] = []
    line = 1
    for owner, tokens in parts:
        open_: list[int] = []  # for each open parenthesis, the index of its call
        closed = NO_CALL  # the index of the call whose parenthesis was closed just before
        for token in tokens:
            if token == LINE_TOKEN:
                line += 1
            elif token in callees:
                callee = callees[token]
                is_chained = closed != NO_CALL and token[0] == DOT
                index = closed if is_chained else len(calls)
                open_.append(NO_CALL if callee is None else index)
                if callee is not None:
                    calls.insert(index, CallSite(owner, callee, line))
                closed = NO_CALL
            else:
                closed = open_.pop() if token == CLOSING and open_ else NO_CALL
    return calls


def read_uses(reader: NameReader) -> tuple[tuple[Uses, ...], tuple[CallSite, ...]]:
    """Return the names that each definition uses and, in languages with `calls_in_text`, the calls."""
    chains = _name_chains(reader.parsed.language)
    text = _separate_tokens(reader.parsed.language, reader.blanked_source())
    regions = reader.regions.split(text)
    text = PART_SEPARATOR.join([piece for _owner, piece in regions]).replace(b"(", b"( ").replace(b"=", b"= ")
    if chains.calls_in_text:
        text = text.replace(b")", b" ) ").replace(b"\n", SPACED_LINE_TOKEN)
    pieces = text.split(PART_SEPARATOR)
    parts = [(owner, piece.split()) for (owner, _), piece in zip(regions, pieces, strict=False)]
    tokens: dict[int, set[bytes]] = defaultdict(set)
    for owner, part_tokens in parts:
        tokens[owner].update(part_tokens)
    chains.learn(set().union(*tokens.values()))
    rows = []
    for owner, used in sorted(tokens.items()):
        names = set(map(chains.names.__getitem__, used))
        names.discard("")
        members = set(chain_iterables.from_iterable(map(chains.members.__getitem__, used)))
        bound = reader.bound.get(owner, ())
        if names or members or bound:
            rows.append(Uses(owner, tuple(sorted(names)), tuple(sorted(members)), tuple(sorted(bound))))
    return tuple(rows), tuple(_calls(parts, chains.callees)) if chains.calls_in_text else ()
