"""What a memory is about, from what a caller names: a symbol, a path, a path with lines, or nothing.

A name is a path if something in the work tree has it, `PATH:LINES` if what precedes the last colon is a file
and the rest are one or two line numbers, `PATH:SYMBOL` if the rest is anything else, and otherwise a symbol.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.comments.memory.record import Scope
from holdfast.comments.memory.surroundings import SymbolPlace
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.kernel.errors import Conflict, HoldfastError, NotFound
from holdfast.kernel.text import one_line, shorten
from holdfast.storage.files.repo_path import RepoPath, is_folder, typed_path

_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MAX_PLACES_NAMED = 5
"""Definitions that an error about an ambiguous symbol names. A judgement: enough to see the pattern."""


class Subject(NamedTuple):
    """What a memory is about."""

    scope: Scope
    path: RepoPath | None = None
    """The source file; None for a folder and for the whole repository."""
    line: int = 1
    end_line: int | None = None
    symbol: str | None = None
    folder: str = ""


def find_subject(room: Comments, about: str | None) -> Subject:
    """Return what a text names, or raise `NotFound` or `Conflict` with what it may mean."""
    name = "" if about is None else about.strip()
    if name in ("", ".", "./"):
        return Subject("repository")
    if _is_folder(room, name):
        return Subject("folder", folder=RepoPath.parse(name).text)
    if _is_file(room, name):
        return Subject("file", source_path(name))
    before, colon, rest = name.rpartition(":")
    if colon and _is_file(room, before):
        path, lines = source_path(before), _LINES.fullmatch(rest)
        if lines is not None:
            first, last = int(lines[1]), int(lines[2] or lines[1])
            return Subject("lines", path, max(first, 1), last if last > first else None)
        return _subject_of(rest, _definitions_in(room, path, rest))
    return _subject_of(name, list(room.surroundings.definitions(name)))


def resolve_typed(room: Comments, about: object) -> object:
    """Return what a person typed in a shell, with its path relative to the root."""
    if not isinstance(about, str) or not about:
        return about
    before, colon, rest = about.rpartition(":")
    for path, end in ((about, ""), (before, colon + rest)):
        resolved = typed_path(room.repository.root, path) if path else ""
        if resolved and (resolved == "." or _is_file(room, resolved) or _is_folder(room, resolved)):
            return resolved + end
    return about


def _is_folder(room: Comments, name: str) -> bool:
    try:
        return is_folder(room.repository.root, RepoPath.parse(name).text)
    except HoldfastError:
        return False


def _is_file(room: Comments, name: str) -> bool:
    try:
        return room.tree.signature(RepoPath.parse(name)) is not None
    except HoldfastError:
        return False


def _definitions_in(room: Comments, path: RepoPath, name: str) -> list[SymbolPlace]:
    from holdfast.syntax.facts import facts

    symbols = facts(path.text, room.text_of(path.text)).symbols
    places = [
        SymbolPlace(path.text, ".".join(symbol.path), symbol.name_line, symbol.end_line) for symbol in symbols
    ]
    return [place for place in places if f".{place.name}".endswith(f".{name}")]


def _subject_of(name: str, places: list[SymbolPlace]) -> Subject:
    shown = one_line(shorten(name, 100))
    if not places:
        raise NotFound(
            f"Neither a file, a folder nor a symbol is called '{shown}'.",
            hint="Name a path, PATH:LINES or PATH:SYMBOL, or leave it out for the whole repository.",
        )
    if len(places) > 1:
        known = ", ".join(f"{place.path}:{place.name}" for place in places[:_MAX_PLACES_NAMED])
        raise Conflict(
            f"{len(places)} symbols are called '{shown}'.",
            hint=f"Name one of them, such as: {one_line(known)}.",
        )
    [place] = places
    end = place.end_line if place.end_line > place.line else None
    return Subject("symbol", source_path(place.path), place.line, end, place.name)
