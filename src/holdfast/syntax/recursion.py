"""Which functions of a file are recursive, directly or through other functions of the same file.

Contract: a call counts only if it must mean a function of the file: an unqualified name that is in scope and
not shadowed by a parameter or variable, or a member of the caller's own object or of a named type. Overloads,
that is functions with the same path, are ignored, because a call does not say which of them it means.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.parameters import parameters_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = frozenset(
    {
        *("call", "call_expression", "method_invocation", "invocation_expression", "command"),
        *("function_call_expression", "member_call_expression", "scoped_call_expression"),
    }
)
_BEFORE = 200
"""How many bytes before a call are searched for its object; a judgement."""
_OBJECTS = frozenset({b"self", b"cls", b"this", b"$this", b"Self", b"static"})
_WORDS = re.compile(rb"[\w$\x80-\xff]+|.", re.DOTALL)
_SET = re.compile(rb"(?<![\w$.])([\w$\x80-\xff]+)\s*:?=(?![=>])")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")


class Caller(NamedTuple):
    """A function that may call others, with the words of its own text."""

    node: Node
    path: tuple[str, ...]
    name: bytes
    is_method: bool
    words: set[bytes]


class Recursion:
    """The call graph of a file; `bare` says that methods may call each other without naming the object."""

    def __init__(self, source: bytes, callers: Iterable[Caller], bare: bool) -> None:
        self.source = source
        self.bare = bare
        self.callers = {".".join(caller.path): caller for caller in callers}
        self.bound: dict[str, set[bytes]] = {}

    def recursive(self) -> set[str]:
        """Return the dotted paths of the functions in a call cycle."""
        named: dict[bytes, list[str]] = defaultdict(list)
        for key, caller in self.callers.items():
            named[_WORDS.findall(caller.name)[0]].append(key)
        names, goals, found = set(named), dict[str, list[str]](), set[str]()
        for key, caller in self.callers.items():
            maybe = [goal for word in names & caller.words for goal in named[word] if goal != key]
            goals[key] = [goal for goal in maybe if self._may(caller, goal)]
            if self.source.count(caller.name, *caller.node.byte_range) > 1 and self._calls(key, key):
                found.add(key)
        goals = {key: maybe for key, maybe in goals.items() if maybe}
        for ring in [set(part) for part in strong_components(goals) if len(part) > 1]:
            calls = {
                key: [each for each in goals[key] if each in ring and self._calls(key, each)] for key in ring
            }
            found.update(key for part in strong_components(calls) if len(part) > 1 for key in part)
        return found

    def _may(self, caller: Caller, goal: str) -> bool:
        """Return whether the caller can refer to this function: it is in scope, or its type is named."""
        around = self.callers[goal].path[:-1]
        return around == caller.path[: len(around)] or around[-1].encode() in caller.words

    def _calls(self, key: str, goal: str) -> bool:
        """Return whether a function calls another one, or itself."""
        caller, called = self.callers[key], self.callers[goal]
        around = called.path[:-1]
        in_scope = around == caller.path[: len(around)]
        objects = {around[-1].encode()} if around else set()
        own = not caller.is_method or around == caller.path[:-1]
        if key == goal or (in_scope and own and called.is_method):
            objects |= _OBJECTS | _receiver(caller.node)
        alone = in_scope and (self.bare or not called.is_method)
        alone = alone and (key == goal or self._means(caller, called))
        return _is_called_on(self.source, caller.node, called.name, objects, alone)

    def _means(self, caller: Caller, called: Caller) -> bool:
        """Return whether the unqualified name means this function and is not shadowed."""
        for end in range(len(called.path), len(caller.path) + 1):
            around = ".".join(caller.path[:end])
            nearer = self.callers.get(f"{around}.{called.path[-1]}")
            if nearer is not None and (self.bare or not nearer.is_method):
                return False
            if around in self.callers and called.name in self._bound(around):
                return False
        return True

    def _bound(self, key: str) -> set[bytes]:
        """Return the parameters and local variables of a function."""
        if key not in self.bound:
            node = self.callers[key].node
            parameters = parameters_of(node)
            text = self.source[node.start_byte : node.end_byte]
            words = _WORDS.findall(parameters.text or b"") if parameters is not None else ()
            self.bound[key] = {*words, *_SET.findall(text)}
        return self.bound[key]


def _is_called_on(source: bytes, node: Node, name: bytes, objects: set[bytes], alone: bool) -> bool:
    """Return whether the name is called on one of the objects or, if `alone`, without an object."""
    start, end = node.byte_range
    place = source.find(name, start, end)
    while place >= 0:
        after = place + len(name)
        if source[place - 1] not in _LETTERS and (after >= len(source) or source[after] not in _LETTERS):
            before = source[max(start, place - _BEFORE) : place].rstrip()
            mark = b"." if before.endswith(b".") else before[-2:] if before.endswith((b"->", b"::")) else b""
            fits = _last_word(before[: -len(mark)].rstrip(b" \n?")) in objects if mark else alone
            if fits and _is_called(node, place, after):
                return True
        place = source.find(name, after, end)
    return False


def _last_word(text: bytes) -> bytes:
    place = len(text)
    while place and text[place - 1] in _LETTERS:
        place -= 1
    return text[place:] if not text[:place].endswith((b".", b"->", b"::")) else b""


def _receiver(node: Node) -> set[bytes]:
    """Return the name of the receiver of a Go method."""
    receiver = node.child_by_field_name("receiver")
    text = receiver.text if receiver is not None else None
    return {text.strip(b"( )").split()[0]} if text and len(text.split()) > 1 else set()


def _is_called(function: Node, start: int, end: int) -> bool:
    node = function.descendant_for_byte_range(start, end)
    while node is not None and node.end_byte == end:
        if node.type in _CALLS:
            return True
        parent = node.parent
        if parent is not None and parent.type in _CALLS:
            first = (
                parent.child_by_field_name("name") or parent.child_by_field_name("method") or parent.child(0)
            )
            return first is not None and first.start_byte <= start and end <= first.end_byte
        node = parent
    return False


def strong_components(following: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the strongly connected components, successors first: Tarjan's algorithm, iterative."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    found: list[list[str]] = []
    for root in following:
        path: list[tuple[str, Iterator[str]]] = [] if root in order else [(root, iter(()))]
        while path:
            node, rest = path[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                stack.append(node)
                waiting.add(node)
                rest = iter(following.get(node, ()))
                path[-1] = (node, rest)
            inner = next(rest, None)
            if inner is not None:
                if inner not in order:
                    path.append((inner, iter(())))
                elif inner in waiting:
                    lowest[node] = min(lowest[node], order[inner])
                continue
            path.pop()
            if path:
                lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
            if lowest[node] == order[node]:
                at = stack.index(node) if stack[-1] != node else len(stack) - 1
                found.append(stack[at:])
                waiting.difference_update(stack[at:])
                del stack[at:]
    return found
