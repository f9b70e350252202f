"""How the matches of an expression lie across words and the white space between them.

`cache\\s+\\w+` matches at the end of one word, the whole gap after it, and the beginning of the next word.
Of an expression all of whose matches are such rows of pieces, it can be said where it matches without trying
it on a single comment: each piece is tried on every different word, or gap, once.

Contract: every match of the expression is a match of one of the branches, piece by piece, and the other way
round. None is empty. The first piece fits at the end of its word or gap, the last at the beginning, those in
between fit whole words and gaps; a branch of one piece is one of a word, and fits inside. What such a branch
matches in a word, counted without overlap, is what the expression matches there. Where that cannot be said,
there is no shape.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, groupby, product
from typing import TypeAlias

from holdfast.comments.search.syntax import WHITE, Assertion, Choice, Letters, Node, Repeat, Sequence

_MOST_BRANCHES = 24
_MOST_REPEATED = 4


class Kind(Enum):
    """Where a piece lies."""

    WORD = "word"
    GAP = "gap"


@dataclass(frozen=True)
class Piece:
    """What lies within one word, or within the white space between two."""

    kind: Kind
    source: str | None
    """What it matches; None: nothing but the edge."""
    is_optional: bool = False
    """Whether it can match nothing, which a gap cannot."""
    is_asserting: bool = False
    """Whether it says something even where it matches nothing."""
    edge: str | None = None
    """The assertion for the beginning or the end of the text, which this gap may be instead."""


Branch: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True)
class Shape:
    """What a query matches: one of some branches."""

    branches: tuple[Branch, ...]
    is_literal: bool = False
    """Whether the sources are texts in folded letters instead of expressions."""
    is_one_letter: bool = False
    """Whether every match is one letter long and depends on nothing else; there may be no branches then."""

    @property
    def is_within_words(self) -> bool:
        """Tell whether all matches lie within words."""
        return len(self.branches) == 1 and len(self.branches[0]) == 1


class _Unusual(Exception):
    """The expression has no shape."""


def shape_of(choice: Choice) -> Shape | None:
    """Return how the matches of an expression lie, if that can be said."""
    is_one_letter = _is_one_letter(choice)
    try:
        branches = _trimmed(choice) or _with_pieces(_choice(choice))
    except _Unusual:
        return Shape((), is_one_letter=True) if is_one_letter else None
    return Shape(branches, is_one_letter=is_one_letter)


def shape_of_text(text: str) -> Shape | None:
    """Return how the matches of a text, in folded letters, lie."""
    runs = groupby(text, key=WHITE.__contains__)
    branch = tuple(Piece(Kind.GAP if is_white else Kind.WORD, "".join(run)) for is_white, run in runs)
    if len(text) == 1:
        return Shape(() if text in WHITE else (branch,), is_literal=True, is_one_letter=True)
    if not any(piece.kind is Kind.WORD for piece in branch):
        return None
    return Shape((branch,), is_literal=True)


def _trimmed(choice: Choice) -> tuple[Branch, ...] | None:
    """Return the branches without white space at the ends that may be there or not, where it does not count.

    No match begins with a gap then, so that no other is hidden by what these take.
    """
    if len(choice.branches) > 1:
        return None
    nodes = choice.branches[0]
    first = bool(nodes) and _is_optional_gap(nodes[0])
    last = len(nodes) - (len(nodes) > 1 and _is_optional_gap(nodes[-1]))
    if nodes[first:last] == nodes:
        return None
    branches = _with_pieces(_sequence(nodes[first:last]))
    begin_with_words = all(branch[0].kind is Kind.WORD and not branch[0].is_optional for branch in branches)
    return branches if begin_with_words else None


def _is_optional_gap(node: Node) -> bool:
    if not isinstance(node, Repeat) or node.least > 0:
        return False
    return isinstance(node.node, Letters) and node.node.visible == ""


def _is_one_letter(node: Node) -> bool:
    if isinstance(node, Choice):
        return all(len(branch) == 1 and _is_one_letter(branch[0]) for branch in node.branches)
    return isinstance(node, Letters)


def _choice(choice: Choice) -> list[Branch]:
    return _merged(list(chain.from_iterable(map(_sequence, choice.branches))))


def _sequence(sequence: Sequence) -> list[Branch]:
    return _in_a_row([_node(node) for node in sequence])


def _node(node: Node) -> list[Branch]:
    if isinstance(node, Choice):
        return _choice(node)
    if isinstance(node, Repeat):
        return _repeat(node)
    if isinstance(node, Assertion):
        return [(_assertion(node.source),)]
    if node.visible is None:
        raise _Unusual
    found: list[Branch] = [(Piece(Kind.WORD, node.visible),)] if node.visible else []
    return [*found, (Piece(Kind.GAP, node.source),)] if node.white else found


def _assertion(source: str) -> Piece:
    if source in (r"\b", r"\B"):
        return Piece(Kind.WORD, source, is_optional=True, is_asserting=True)
    edge = {r"\A": "^", r"\z": "$"}.get(source, source)
    return Piece(Kind.GAP, None, edge=edge)


def _repeat(node: Repeat) -> list[Branch]:
    inner = _node(node.node)
    if len(inner) == 1 and len(inner[0]) == 1 and inner[0][0].edge is None:
        piece = replace(inner[0][0], source=f"(?:{inner[0][0].source}){node.source}")
        if node.least > 0:
            return [(piece,)]
        return [(replace(piece, is_optional=True),)] if piece.kind is Kind.WORD else [(piece,), ()]
    if node.most is None or node.most > _MOST_REPEATED:
        raise _Unusual
    times = range(node.least, node.most + 1)
    # Written so that what is preferred comes first.
    preferred = times if len(node.source) > 1 and node.source.endswith("?") else reversed(times)
    return _merged(list(chain.from_iterable(_in_a_row([inner] * number) for number in preferred)))


def _in_a_row(parts: list[list[Branch]]) -> list[Branch]:
    found: list[Branch] = [()]
    for branches in parts:
        found = _merged([_joined(first, second) for first, second in product(found, branches)])
    return found


def _joined(first: Branch, second: Branch) -> Branch:
    """Return one branch after the other, as one."""
    if not first or not second or first[-1].kind is not second[0].kind:
        return first + second
    left, right = first[-1], second[0]
    if left.edge is not None or right.edge is not None:
        raise _Unusual
    both = Piece(
        left.kind,
        f"{left.source}{right.source}",
        is_optional=left.is_optional and right.is_optional,
        is_asserting=left.is_asserting or right.is_asserting,
    )
    return (*first[:-1], both, *second[1:])


def _merged(branches: list[Branch]) -> list[Branch]:
    """Write as one branch all that are one piece in a word, and as one all that are one piece in a gap."""
    words = [branch for branch in branches if not branch or _is_one(branch, Kind.WORD)]
    gaps = [branch for branch in branches if _is_one(branch, Kind.GAP)]
    others = [branch for branch in branches if len(branch) > 1]
    if any(words):
        found = [
            _either([branch[0] if branch else Piece(Kind.WORD, "", is_optional=True) for branch in words])
        ]
    else:
        found = words[:1]
    if gaps:
        found.append(_either([branch[0] for branch in gaps]))
    found += dict.fromkeys(others)
    if len(found) > _MOST_BRANCHES:
        raise _Unusual
    return found


def _is_one(branch: Branch, kind: Kind) -> bool:
    return len(branch) == 1 and branch[0].kind is kind


def _either(pieces: list[Piece]) -> Branch:
    if len(pieces) == 1:
        return (pieces[0],)
    edges = {piece.edge for piece in pieces} - {None}
    if len(edges) > 1:
        raise _Unusual
    sources = [piece.source for piece in pieces if piece.source is not None]
    return (
        Piece(
            pieces[0].kind,
            f"(?:{'|'.join(sources)})" if sources else None,
            is_optional=any(piece.is_optional for piece in pieces),
            is_asserting=any(piece.is_asserting for piece in pieces),
            edge=next(iter(edges), None),
        ),
    )


def _with_pieces(branches: list[Branch]) -> tuple[Branch, ...]:
    """Settle what may be there or not, and check that every branch is a row of pieces."""
    is_alone = len(branches) == 1
    settled = list(chain.from_iterable(_settled(branch, is_alone=is_alone) for branch in branches))
    found = _merged(settled)
    if not all(map(_is_row, found)):
        raise _Unusual
    return tuple(found)


def _settled(branch: Branch, *, is_alone: bool) -> list[Branch]:
    """Return a branch with and without each word that may be nothing; at the ends that is left open."""
    if any(piece.is_optional and piece.is_asserting for piece in branch):
        raise _Unusual
    if is_alone and len(branch) > 1 and branch[0].is_optional and branch[1].edge is None:
        # It gives way to whatever precedes it, and hides no other match.
        branch = branch[1:]
    between = range(1, len(branch) - 1)
    choices: list[list[Branch]] = [
        [(replace(piece, is_optional=False),), ()] if piece.is_optional and place in between else [(piece,)]
        for place, piece in enumerate(branch)
    ]
    return _in_a_row(choices)


def _is_row(branch: Branch) -> bool:
    last = len(branch) - 1
    has_edges_right = all(
        piece.edge is None or (piece.edge, place) in (("^", 0), ("$", last))
        for place, piece in enumerate(branch)
    )
    return has_edges_right and any(piece.kind is Kind.WORD and not piece.is_optional for piece in branch)
