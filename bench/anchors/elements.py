"""The blocks and local variables inside functions, and which is which in another version of the file.

Two versions are compared by structure alone: by the names of functions and variables, by what a block begins
with, and, where all others of a kind have found theirs, by what is left. Lines and their likeness, which
trackers go by, have no say; what stays doubtful is no label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.syntax.facts import innermost
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import Parsed, ParseTooLong, parse
from holdfast.syntax.symbols import Symbol, symbols

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = (
    "if_statement for_statement enhanced_for_statement foreach_statement for_in_statement while_statement "
    "do_statement try_statement try_with_resources_statement switch_statement switch_expression "
    "synchronized_statement catch_clause finally_clause with_statement using_statement lock_statement "
    "match_statement expression_switch_statement select_statement"
)
_VARIABLES = (
    "local_variable_declaration local_declaration_statement lexical_declaration short_var_declaration"
)
BLOCKS, VARIABLES = frozenset(_BLOCKS.split()), frozenset(_VARIABLES.split())
VARIABLE, FUNCTION = "variable", "function"
_MAX_ALIKE = 3
"""Elements that begin alike up to which their order tells which is which; generated code has many more."""

_SAME_FUNCTION = 0.6
"""The share of beginnings that a function and one of another name must have in common to be the same."""

Function = tuple[Hashable, ...]


@dataclass(frozen=True)
class Element:
    """A block or a variable: its line, what tells it from others of its kind, and all of its text."""

    function: Function
    kind: str
    nesting: tuple[str, ...]
    said: str
    head: str
    text: str
    line: int
    end: int
    """The line on which a block or function ends; of a variable, its own."""


def elements(path: str, text: str, *, with_functions: bool = False) -> list[Element]:
    """Return the elements of a source in their order, functions first; none where it cannot be read."""
    language = language_of(path, text.split("\n", 1)[0])
    if language is None:
        return []
    try:
        parsed = parse(language, text)
    except ParseTooLong:
        return []
    functions = [symbol for symbol in symbols(parsed) if symbol.is_function]
    names = _names(functions)
    found = [_function(parsed, symbol, name) for symbol, name in names.items() if with_functions]
    for node, nesting in _nodes(parsed.tree.root_node, ()):
        around = innermost(functions, node.start_point[0] + 1)
        if around is not None and names.get(around) and around.body_start <= node.start_point[0] + 1:
            found.append(_element(parsed, node, nesting, names[around]))
    return [one for one in found if one.said]


def _function(parsed: Parsed, symbol: Symbol, name: Function) -> Element:
    text = _squeezed(parsed, *symbol.span)
    return Element(name, FUNCTION, (), symbol.name, symbol.signature, text, symbol.name_line, symbol.end_line)


def _names(functions: Sequence[Symbol]) -> dict[Symbol, Function]:
    """Return what to call each function: by its path, or with its signature where a path is used twice."""
    paths = Counter(symbol.path for symbol in functions)
    full = Counter((symbol.path, symbol.signature) for symbol in functions)
    return {
        symbol: symbol.path if paths[symbol.path] == 1 else (symbol.path, symbol.signature)
        for symbol in functions
        if full[symbol.path, symbol.signature] == 1
    }


def _nodes(node: Node, nesting: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    waiting = [(node, nesting)]
    while waiting:
        current, around = waiting.pop()
        if current.type in BLOCKS or current.type in VARIABLES:
            yield current, around
        inside = (*around, current.type) if current.type in BLOCKS else around
        waiting += [(child, inside) for child in reversed(current.named_children)]


def _element(parsed: Parsed, node: Node, nesting: tuple[str, ...], function: Function) -> Element:
    text = _squeezed(parsed, node.start_byte, node.end_byte)
    line = node.start_point[0] + 1
    if node.type in VARIABLES:
        name, line = _variable(parsed, node)
        return Element(function, VARIABLE, (), name, text.split("=")[0], text, line, line)
    body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
    body = body or next((child for child in node.named_children if child.type.endswith("block")), None)
    head = _squeezed(parsed, node.start_byte, body.start_byte if body else node.end_byte)
    end = (body or node).end_point[0] + 1
    return Element(function, node.type, nesting, head, head, text, line, end)


def _variable(parsed: Parsed, node: Node) -> tuple[str, int]:
    """Return the name of the one variable that a declaration declares, and the line it stands on."""
    names = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.type == "variable_declarator":
            names.append(current.child_by_field_name("name") or current.named_children[0])
        elif current is node or current.type == "variable_declaration":
            waiting += current.named_children
    if node.type == "short_var_declaration":
        names = [child for child in [node.child_by_field_name("left")] if child is not None]
    if len(names) != 1:
        return "", 0
    return _squeezed(parsed, names[0].start_byte, names[0].end_byte), names[0].start_point[0] + 1


def _squeezed(parsed: Parsed, start: int, end: int) -> str:
    return "".join(parsed.source[start:end].decode("utf-8", "replace").split())


def same(before: Sequence[Element], after: Sequence[Element]) -> dict[int, int]:
    """Return which element is which, by their places in the two lists; what is in doubt is left out."""
    pairs: dict[int, int] = {}
    renamed = _renamed(before, after)
    before = [replace(one, function=renamed.get(one.function, one.function)) for one in before]
    _pair(before, after, pairs, lambda one: (one.function, one.kind, one.nesting, one.said))
    _pair(before, after, pairs, lambda one: (one.function, one.kind, one.said))
    _pair_left_over(before, after, pairs)
    return pairs


def _renamed(before: Sequence[Element], after: Sequence[Element]) -> dict[Function, Function]:
    """Return the functions that have another name now, told by what the elements in them begin with."""
    old, new = _heads(before), _heads(after)
    gone, come = old.keys() - new.keys(), new.keys() - old.keys()
    scores = {(one, other): _shared(old[one], new[other]) for one in gone for other in come}
    found = {}
    for (one, other), score in scores.items():
        rivals = [value for pair, value in scores.items() if pair != (one, other) and {*pair} & {one, other}]
        if score >= _SAME_FUNCTION and score > max(rivals, default=0.0):
            found[one] = other
    return found


def _heads(found: Sequence[Element]) -> dict[Function, Counter[str]]:
    heads: dict[Function, Counter[str]] = defaultdict(Counter)
    for one in found:
        if one.kind != FUNCTION:
            heads[one.function][one.head] += 1
    return heads


def _shared(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / (one.total() + other.total())


def _pair(
    before: Sequence[Element],
    after: Sequence[Element],
    pairs: dict[int, int],
    key: Callable[[Element], Hashable],
) -> None:
    """Pair what has a key that occurs as often on each side, in order."""
    taken = set(pairs.values())
    left, right = _grouped(before, key), _grouped(after, key)
    for shared, sources in left.items():
        old = [place for place in sources if place not in pairs]
        new = [place for place in right.get(shared, []) if place not in taken]
        if len(old) == len(new) <= _MAX_ALIKE:
            pairs.update(zip(old, new, strict=True))


def _grouped(found: Sequence[Element], key: Callable[[Element], Hashable]) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place, one in enumerate(found):
        groups[key(one)].append(place)
    return groups


def _pair_left_over(before: Sequence[Element], after: Sequence[Element], pairs: dict[int, int]) -> None:
    """Pair the one of a kind that is left on each side, if it has the same rank among as many."""
    taken = set(pairs.values())
    left, right = (
        _grouped(found, lambda one: (one.function, one.kind, one.nesting)) for found in (before, after)
    )
    for shared, sources in left.items():
        targets = right.get(shared, [])
        old = [place for place in sources if place not in pairs]
        new = [place for place in targets if place not in taken]
        if len(sources) != len(targets) or len(old) != 1 or len(new) != 1:
            continue
        ranked = sources.index(old[0]) == targets.index(new[0])
        if ranked and _may_be(before[old[0]], after[new[0]]):
            pairs[old[0]] = new[0]


def _may_be(one: Element, other: Element) -> bool:
    """Tell whether what is left may be the same: of a variable the type or the value must be."""
    if one.kind != VARIABLE:
        return True
    if one.text.partition("=")[2] == other.text.partition("=")[2] != "":
        return True
    return one.head.removesuffix(one.said) == other.head.removesuffix(other.said)
