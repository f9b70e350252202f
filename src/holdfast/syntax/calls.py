"""Reads calls from nodes of the syntax tree, in languages where `uses` does not read them from the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.record import CallSite

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.syntax.names import NameReader

_PLAIN_CALLEE = re.compile(r"\w[\w.]*", re.ASCII)
_TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>")


class Calls(NamedTuple):
    """The calls of a file."""

    sites: tuple[CallSite, ...]
    """In source order."""
    exits: list[Node]
    """The calls of functions that never return."""


def read_calls(reader: NameReader) -> Calls:
    """Read the calls of a file; a callee that is no name, as in `(a or b)()`, is left out."""
    ends = [(node, node.end_byte) for node in reader.nodes("callee")]
    for node in reader.nodes("invocation"):
        callee_end = node.child_by_field_name(reader.naming.callee_field)
        if callee_end is not None:
            ends.append((node, callee_end.end_byte))
    exits = []
    sites = []
    for node, end in ends:
        start = node.start_byte
        callee = reader.source[start:end].decode("utf-8", "replace")
        if not _PLAIN_CALLEE.fullmatch(callee):
            callee = _normalise_callee(callee)
        if callee in reader.naming.exits:
            exits.append(node)
        if callee:
            sites.append((start, CallSite(reader.regions.owner(start), callee, node.start_point[0] + 1)))
    return Calls(tuple(site for _start, site in sorted(sites)), exits)


def _normalise_callee(callee: str) -> str:
    """Normalise a callee: dots between parts, no type arguments, and an object only if it is a plain name."""
    callee = callee.replace("::<", "<")
    for operator in ("?.", "!.", "&.", "->", "::", "\\"):
        callee = callee.replace(operator, ".")
    shorter = _TYPE_ARGUMENTS.sub("", callee)
    while shorter != callee:
        callee, shorter = shorter, _TYPE_ARGUMENTS.sub("", shorter)
    parts = [part.strip() for part in callee.split(".")]
    parts = ["this" if part == "$this" else part for part in parts if part] or [""]
    last = parts[-1].strip("$&*")
    word = last.rstrip("!?").lstrip("#").replace("$", "_").replace("-", "_")
    if last.startswith("-") or not word.isidentifier():
        return ""
    *objects, _ = parts
    has_plain_objects = all(part.replace("$", "_").lstrip("#@").isidentifier() for part in objects)
    if callee.startswith(".") or not has_plain_objects:
        return f".{last}"
    return ".".join([*objects, last])
