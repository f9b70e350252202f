"""Finds the functions of a file that are recursive, directly or through other functions of the same file.

Contract: a call counts only if it must mean a function of the file: an unqualified name that is in scope and
not shadowed by a parameter or variable, or a member of the caller's own object or of a named type. Overloads,
which are functions with the same path, are ignored, because a call does not show which of them it means.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.components import strong_components
from holdfast.syntax.parameters import parameter_list
from holdfast.syntax.parse import MAX_PARSE_SECONDS, ParseTooLong

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = frozenset(
    {
        *("call", "call_expression", "method_invocation", "invocation_expression", "command"),
        *("function_call_expression", "member_call_expression", "scoped_call_expression"),
    }
)
_MAX_OBJECT_BYTES = 200
"""How much of the text before a name is searched for the object: two lines of code."""
_SELF_NAMES = frozenset({b"self", b"cls", b"this", b"$this", b"Self", b"static"})
_MEMBER_OPERATORS = (b".", b"->", b"::")
_WORDS = re.compile(rb"[\w$\x80-\xff]+|.", re.DOTALL)
_ASSIGNED_NAME = re.compile(rb"(?<![\w$.])([\w$\x80-\xff]+)\s*:?=(?![=>])")
_NAME_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")


class Caller(NamedTuple):
    """A function that may call others, with the distinct tokens of its own text."""

    node: Node
    path: tuple[str, ...]
    name: bytes
    is_method: bool
    words: set[bytes]


class Recursion:
    """The call graph of a file, as far as it is needed to find recursion.

    With `has_implicit_receiver`, methods may call each other without naming the object.
    """

    def __init__(self, source: bytes, callers: Iterable[Caller], has_implicit_receiver: bool) -> None:
        self.source = source
        self._deadline = monotonic() + MAX_PARSE_SECONDS
        self.has_implicit_receiver = has_implicit_receiver
        self.callers = {".".join(caller.path): caller for caller in callers}
        self.local_names: dict[str, set[bytes]] = {}

    def recursive_functions(self) -> set[str]:
        """Return the dotted paths of the functions in a call cycle, which may be a single function."""
        by_name: dict[bytes, list[str]] = defaultdict(list)
        for key, caller in self.callers.items():
            by_name[_WORDS.findall(caller.name)[0]].append(key)
        names = set(by_name)
        recursive: set[str] = set()
        possible_callees: dict[str, list[str]] = {}
        for key, caller in self.callers.items():
            mentioned = [callee for word in names & caller.words for callee in by_name[word] if callee != key]
            self._check_time()
            callees = [callee for callee in mentioned if self._can_refer_to(caller, callee)]
            if callees:
                possible_callees[key] = callees
            if self.source.count(caller.name, *caller.node.byte_range) > 1 and self._calls(key, key):
                recursive.add(key)
        # Checking a call is slow: it is only done for functions that may be in a cycle.
        for component in strong_components(possible_callees):
            if len(component) > 1:
                recursive.update(self._cycle_members(component, possible_callees))
        return recursive

    def _cycle_members(
        self, component: Sequence[str], possible_callees: Mapping[str, list[str]]
    ) -> Iterator[str]:
        """Yield the functions that are in a cycle of calls, among those that may be."""
        members = set(component)
        calls = {
            key: [
                callee for callee in possible_callees[key] if callee in members and self._calls(key, callee)
            ]
            for key in members
        }
        for cycle in strong_components(calls):
            if len(cycle) > 1:
                yield from cycle

    def _check_time(self) -> None:
        if monotonic() > self._deadline:  # of functions that are nested deeply or repeat the same few names
            raise ParseTooLong(
                f"The calls between the functions could not be resolved within {MAX_PARSE_SECONDS:g} s",
                hint="Divide the file, or exclude it.",
            )

    def _can_refer_to(self, caller: Caller, callee: str) -> bool:
        """Return whether the caller can refer to a function: it is in scope, or its type is named."""
        owner = self.callers[callee].path[:-1]
        return owner == caller.path[: len(owner)] or owner[-1].encode() in caller.words

    def _calls(self, key: str, callee: str) -> bool:
        """Return whether a function calls another one, or itself."""
        caller, called = self.callers[key], self.callers[callee]
        owner = called.path[:-1]
        is_in_scope = owner == caller.path[: len(owner)]
        has_same_owner = not caller.is_method or owner == caller.path[:-1]
        objects = {owner[-1].encode()} if owner else set()
        if key == callee or (is_in_scope and has_same_owner and called.is_method):
            objects |= _SELF_NAMES | _receiver_names(caller.node)
        can_be_unqualified = (
            is_in_scope
            and (self.has_implicit_receiver or not called.is_method)
            and (key == callee or self._resolves_to(caller, called))
        )
        return self._is_called_on(caller.node, called.name, objects, can_be_unqualified)

    def _is_called_on(self, node: Node, name: bytes, objects: set[bytes], can_be_unqualified: bool) -> bool:
        """Return whether the name is called on one of the objects, or without an object where it can be."""
        source = self.source
        start, end = node.byte_range
        position = source.find(name, start, end)
        while position >= 0:
            self._check_time()
            name_end = position + len(name)
            follows_name = source[position - 1] in _NAME_BYTES
            precedes_name = name_end < len(source) and source[name_end] in _NAME_BYTES
            if not follows_name and not precedes_name:
                preceding = source[max(start, position - _MAX_OBJECT_BYTES) : position].rstrip()
                operator = next((mark for mark in _MEMBER_OPERATORS if preceding.endswith(mark)), b"")
                if operator:
                    is_match = _last_name(preceding.removesuffix(operator).rstrip(b" \n?")) in objects
                else:
                    is_match = can_be_unqualified
                if is_match and _is_called(node, position, name_end):
                    return True
            position = source.find(name, name_end, end)
        return False

    def _resolves_to(self, caller: Caller, called: Caller) -> bool:
        """Return whether the unqualified name refers to this function, and is not shadowed."""
        for end in range(len(called.path), len(caller.path) + 1):
            scope = ".".join(caller.path[:end])
            nearer = self.callers.get(f"{scope}.{called.path[-1]}")
            if nearer is not None and (self.has_implicit_receiver or not nearer.is_method):
                return False
            if scope in self.callers and called.name in self._local_names(scope):
                return False
        return True

    def _local_names(self, key: str) -> set[bytes]:
        """Return the parameters and local variables of a function."""
        if key not in self.local_names:
            node = self.callers[key].node
            parameters = parameter_list(node)
            text = self.source[node.start_byte : node.end_byte]
            words = _WORDS.findall(parameters.text or b"") if parameters is not None else ()
            self.local_names[key] = {*words, *_ASSIGNED_NAME.findall(text)}
        return self.local_names[key]


def _last_name(text: bytes) -> bytes:
    """Return the name at the end of a text, or an empty one if that is a member of another object."""
    start = len(text)
    while start and text[start - 1] in _NAME_BYTES:
        start -= 1
    return b"" if text[:start].endswith(_MEMBER_OPERATORS) else text[start:]


def _receiver_names(node: Node) -> set[bytes]:
    """Return the name of the receiver of a Go method, if it has one."""
    receiver = node.child_by_field_name("receiver")
    text = receiver.text if receiver is not None else None
    if not text or len(text.split()) < 2:  # a receiver without a name has only a type
        return set()
    return {text.strip(b"( )").split()[0]}


def _is_called(function: Node, start: int, end: int) -> bool:
    """Return whether the name at these offsets is the called expression of a call, or ends it."""
    node = function.descendant_for_byte_range(start, end)
    while node is not None and node.end_byte == end:
        if node.type in _CALLS:
            return True
        parent = node.parent
        if parent is not None and parent.type in _CALLS:
            name_field = parent.child_by_field_name("name") or parent.child_by_field_name("method")
            callee = name_field or parent.child(0)
            return callee is not None and callee.start_byte <= start and end <= callee.end_byte
        node = parent
    return False
