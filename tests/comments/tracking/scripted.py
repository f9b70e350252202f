"""Edits whose outcome is known line by line, because we make them.

An edit takes lines and a source of chance and returns the new text as a list of pieces: a line, and the old
line that it was, if any. Read forwards that is an edit; read backwards it is the edit undone.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from keyword import kwlist
from random import Random

from holdfast.syntax.facts import facts
from holdfast.syntax.symbols import Symbol

Piece = tuple[str, int | None]
Edit = Callable[[str, list[str], Random], list[Piece]]

WORD = re.compile(r"\b[a-z_]{4,}\b")
KEYWORDS = frozenset({*kwlist, "self"})


@dataclass(frozen=True)
class Known:
    """Two texts, and for lines of each the line in the other; none where there is none."""

    old: str
    new: str
    truth: dict[int, int | None]
    back: dict[int, int | None]

    def undone(self) -> Known:
        """Return the same, backwards."""
        return Known(self.new, self.old, self.back, self.truth)


def _known(old: str, new: str, pairs: list[tuple[int, int]]) -> Known:
    """Make the maps of pairs of lines; a line that became several is the first of them."""
    truth: dict[int, int | None] = {}
    back: dict[int, int | None] = {}
    for line, place in pairs:
        truth.setdefault(line, place)
        back.setdefault(place, line)
    return Known(old, new, truth, back)


def applied(edit: Edit, path: str, text: str, chance: Random) -> Known:
    """Return what an edit makes of a text; lines that it does not pair are new or gone."""
    pieces = edit(path, text.split("\n"), chance)
    new = "\n".join(line for line, _ in pieces)
    known = _known(
        text, new, [(line, place) for place, (_, line) in enumerate(pieces, 1) if line is not None]
    )
    for line in range(1, text.count("\n") + 2):
        known.truth.setdefault(line, None)
    for place in range(1, len(pieces) + 1):
        known.back.setdefault(place, None)
    return known


def _kept(lines: list[str]) -> list[Piece]:
    return [(line, number) for number, line in enumerate(lines, 1)]


def _functions(path: str, lines: list[str]) -> list[Symbol]:
    """Return the outermost functions and classes, which can change places."""
    found = facts(path, "\n".join(lines)).symbols
    outer = [one for one in found if len(one.path) == 1 and one.kind in ("Function", "Class")]
    return [one for one in outer if one.end_line - one.start_line >= 2]


def insert(path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Put new functions between old ones."""
    pieces = _kept(lines)
    for function in reversed(_functions(path, lines)):
        if chance.random() < 0.5:
            name = f"added_{chance.randrange(1000)}"
            added = [f"def {name}(value):", f"    return value + {chance.randrange(99)}", "", ""]
            pieces[function.start_line - 1 : function.start_line - 1] = [(line, None) for line in added]
    return pieces


def _with_functions(path: str, pieces: list[Piece], chance: Random) -> list[Piece]:
    """Put new functions between those of a text that was edited already."""
    inserted = insert(path, [line for line, _ in pieces], chance)
    return [(line, pieces[number - 1][1] if number is not None else None) for line, number in inserted]


def insert_lines(_path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Put new statements between old lines."""
    pieces: list[Piece] = []
    for number, line in enumerate(lines, 1):
        pieces.append((line, number))
        if line.endswith(":") and chance.random() < 0.3:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            pieces.append((f"{indent}checked_{number} = {chance.randrange(99)}", None))
    return pieces


def rename(path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Give functions and classes other names, wherever they are used."""
    text = "\n".join(lines)
    for function in _functions(path, lines):
        if chance.random() < 0.6:
            text = re.sub(
                rf"\b{re.escape(function.name)}\b", f"{function.name}_{chance.randrange(100)}", text
            )
    return _with_functions(path, _kept(text.split("\n")), chance)


def reword(path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Change a word in every sixth line."""
    pieces: list[Piece] = []
    for number, line in enumerate(lines, 1):
        words = [word for word in WORD.findall(line) if word not in KEYWORDS]
        reworded = line
        if len(words) > 1 and chance.random() < 1 / 6:
            word = chance.choice(words)
            reworded = re.sub(rf"\b{word}\b", f"{word}_{chance.randrange(10)}", line, count=1)
        pieces.append((reworded, number))
    return _with_functions(path, pieces, chance)


def swap(path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Let neighbouring functions change places."""
    pieces = _kept(lines)
    functions = _functions(path, lines)
    for first, second in reversed(list(zip(functions[::2], functions[1::2], strict=False))):
        if chance.random() < 0.7:
            one, other = (
                slice(first.start_line - 1, first.end_line),
                slice(second.start_line - 1, second.end_line),
            )
            between = pieces[first.end_line : second.start_line - 1]
            pieces[one.start : other.stop] = pieces[other] + between + pieces[one]
    return pieces


def move(path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Put a function at the end of the file."""
    pieces = _kept(lines)
    functions = _functions(path, lines)[:-1]
    if not functions:
        return pieces
    chosen = chance.choice(functions)
    taken = pieces[chosen.start_line - 1 : chosen.end_line]
    del pieces[chosen.start_line - 1 : chosen.end_line]
    return [*pieces, ("", None), *taken, ("", None)]


def indent(path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Put the body of functions below a condition."""
    pieces = _kept(lines)
    for function in reversed(_functions(path, lines)):
        first = function.body_start
        if function.kind != "Function" or first <= function.name_line or chance.random() < 0.4:
            continue
        for at in range(first - 1, function.end_line):
            line, number = pieces[at]
            pieces[at] = (f"    {line}" if line.strip() else line, number)
        pieces.insert(first - 1, ("    if enabled:", None))
    return pieces


def split(_path: str, lines: list[str], chance: Random) -> list[Piece]:
    """Break long calls after their first parenthesis."""
    pieces: list[Piece] = []
    for number, line in enumerate(lines, 1):
        at = line.find("(") + 1
        breaks = at and len(line) > 50 and line.endswith(")") and line.count("(") == line.count(")")
        if breaks and "#" not in line and chance.random() < 0.7:
            space = " " * (len(line) - len(line.lstrip()))
            pieces += [(line[:at], number), (f"{space}    {line[at:-1]}", number), (f"{space})", number)]
        else:
            pieces.append((line, number))
    return pieces


EDITS: dict[str, Edit] = {
    edit.__name__: edit for edit in (insert, insert_lines, rename, reword, swap, move, indent, split)
}


def formatted(text: str, width: int) -> Known | None:
    """Return a text as the formatter breaks it at another width; nothing where the tokens do not align."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(width), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8")
    before, after = _tokens(text), _tokens(done.stdout)
    if [word for word, _ in before] != [word for word, _ in after]:
        return None
    pairs = [(line, place) for (_, line), (_, place) in zip(before, after, strict=True)]
    return _known(text, done.stdout, pairs)


def _tokens(text: str) -> list[tuple[str, int]]:
    """Return the words of a text with their lines, without what a formatter puts in and takes out."""
    read = tokenize.generate_tokens(io.StringIO(text).readline)
    return [
        (token.string, token.start[0]) for token in read if token.string.strip() and token.string not in "(),"
    ]
