"""The names that each definition uses, read off the text from which all else was blanked.

A token is what stands between spaces once operators are spaces too: a chain of names, `os.path.join`, with
the parenthesis or the equals sign that follows it at once. Only what stands first in a chain is a plain name.
Line feeds become tokens, to count lines by.
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
    from holdfast.syntax.names import Reading


SPACED = ((b"...", b"   "), (b"..", b"  "), (b"==", b"  "), (b" (", b"( "))
NEW_LINE = b"\x01"
"""A token that nothing else is, in place of a line feed."""

LINE = b" \x01 "
OPENS, DOT, NONE = ord("("), ord("."), -1

_TYPED = re.compile(rb":(\s*[\w.]+)=(?!=)")
"""A type before a default, which is no keyword argument."""


@cache
def keywords(language: Language) -> frozenset[str]:
    """Return the words that are no names: those of the grammar that no language has for names."""
    grammar = grammar_of(language)
    of_grammar = (word for word in RESERVED if grammar.id_for_node_kind(word, False))
    return frozenset(of_grammar) | language.naming.reserved


@cache
def _table(language: Language) -> bytes:
    """Return the table that turns into spaces what is no part of a token."""
    kept = (b"._()=\n" if language.naming.calls_in_text else b"._(=\n") + language.naming.characters
    return bytes(byte if byte >= 0x80 or chr(byte).isalnum() or byte in kept else 0x20 for byte in range(256))


def _prepared(language: Language, text: bytearray) -> bytes:
    """Return the text with spaces between tokens, everything in its place."""
    for old, new in (*language.naming.spaced, *SPACED):
        text = text.replace(old, new)
    if language.naming.calls_in_text:
        text = bytearray(_TYPED.sub(rb":\1 ", text))
    if b".\n" in text:
        text = bytearray(re.sub(rb"\.(\s+)(?=\w)", rb"\1.", text))
    return bytes(text.translate(_table(language)))


class _Chains:
    """What the tokens of a file mean; each is looked at once."""

    def __init__(self, language: Language) -> None:
        self.keywords = keywords(language)
        self.calls_in_text = language.naming.calls_in_text
        self.sigil = "$" if language.naming.characters == b"$" else "#"
        self.names: dict[bytes, str] = {}
        self.members: dict[bytes, tuple[str, ...]] = {}
        self.callees: dict[bytes, str] = {}

    def learn(self, tokens: Iterable[bytes]) -> None:
        """Take tokens in: the plain name of each or nothing, the members after it, what it calls."""
        for token in tokens:
            self.names[token], self.members[token] = name, members = self._split(token)
            if token[-1] == OPENS and (name or token.startswith(b".")):
                self.callees[token] = ".".join((name, *members))

    def _split(self, token: bytes) -> tuple[str, tuple[str, ...]]:
        chain = token.strip(b"()=-\"'").lstrip(b"!?").decode("utf-8", "replace")
        if token[-1] in b"\"'\x01" or chain.startswith("@"):
            return "", ()  # the beginning of a string, a variable of an object
        first, *members = chain.split(".")
        assigned = self.calls_in_text and not members and token.endswith(b"=")
        if assigned or first[:1].isdigit() or first in self.keywords:
            first = ""  # a word of the language, a keyword argument or what is assigned to
        return first, tuple(
            [member.lstrip(self.sigil) for member in members if member and not member[0].isdigit()]
        )


class _Calls:
    """The calls of a text: a call on what another one returns comes before that one."""

    def __init__(self, callees: Mapping[bytes, str]) -> None:
        self.callees = callees
        self.found: list[CallSite] = []
        self.line = 1

    def read(self, owner: int, tokens: Iterable[bytes]) -> None:
        """Read a stretch of the text that belongs to one definition."""
        callees, found, line = self.callees, self.found, self.line
        open_: list[int] = []
        closed = NONE
        for token in tokens:
            if token == NEW_LINE:
                line += 1
            elif token == b")":
                closed = open_.pop() if open_ else NONE
            elif token[-1] == OPENS:
                callee = callees.get(token)
                at = closed if closed != NONE and token[0] == DOT else len(found)
                open_.append(NONE if callee is None else at)
                if callee is not None:
                    found.insert(at, CallSite(owner, callee, line))
                closed = NONE
            else:
                closed = NONE
        self.line = line


def read_uses(reading: Reading) -> tuple[tuple[Uses, ...], tuple[CallSite, ...]]:
    """Return the names that each definition uses, and the calls where the text alone shows them."""
    text = _prepared(reading.parsed.language, reading.blanked())
    chains = _Chains(reading.parsed.language)
    calls = _Calls(chains.callees)
    tokens: dict[int, set[bytes]] = defaultdict(set)
    for owner, start, end in reading.regions.parts(len(text)):
        part = text[start:end].replace(b"(", b"( ").replace(b"=", b"= ")
        if chains.calls_in_text:
            part = part.replace(b")", b" ) ").replace(b"\n", LINE)
        found = part.split()
        unique = set(found)
        tokens[owner] |= unique
        chains.learn(unique.difference(chains.names))
        if chains.calls_in_text:
            calls.read(owner, found)
    rows = []
    for owner in sorted(tokens):
        names = set(map(chains.names.__getitem__, tokens[owner]))
        names.discard("")
        members = set(chain_of.from_iterable(map(chains.members.__getitem__, tokens[owner])))
        bound = reading.bound.get(owner, ())
        if names or members or bound:
            rows.append(Uses(owner, tuple(sorted(names)), tuple(sorted(members)), tuple(sorted(bound))))
    return tuple(rows), tuple(calls.found)
