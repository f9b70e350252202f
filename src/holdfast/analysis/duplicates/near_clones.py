"""Gapped and semantic clones: functions and blocks that are similar without being equal.

MinHash sketches select likely pairs, each pair is aligned or compared by its structure, and a clique cover of
the similar pairs gives the groups. For example, a function and its copy with an additional log call are
gapped clones: their longest common subsequence covers nearly all of both.

Contract:
- Any two fragments of a gapped group were aligned: their longest common subsequence has at least
  `_MIN_COMMON_TOKENS` tokens, and at least the effective threshold as a share of the tokens of both. Two
  fragments are never called similar because both are similar to a third.
- The fragments of a semantic group have a similar structure, but no sufficient alignment. Such a group is a
  hint for a reviewer, not a duplicate.
- Pieces that are equal, or differ in a consistent renaming, are exact or renamed clones, and not reported
  here.
- The blocks inside similar functions are not reported again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from holdfast.analysis.duplicates.alignment import Aligner
from holdfast.analysis.duplicates.array_module import choose_array_module
from holdfast.analysis.duplicates.cliques import Pair, cliques
from holdfast.analysis.duplicates.clone import (
    DEFAULT_THRESHOLD,
    NEAR_SIMILARITY_DECIMALS,
    CloneKind,
    CloneQuery,
    Fragment,
    FragmentGroup,
    group_id,
)
from holdfast.analysis.duplicates.code_pieces import CodePieces
from holdfast.analysis.duplicates.gpu_use import GpuUse
from holdfast.analysis.duplicates.rarity import Rarity
from holdfast.analysis.duplicates.sketch import MIN_EQUAL_HASHES, LikelyPairs, Pieces, likely_pairs
from holdfast.analysis.duplicates.statements import Statements
from holdfast.analysis.duplicates.structure import Structures
from holdfast.kernel.call import current_call
from holdfast.syntax.record import Record

_MIN_RARE_SHARE = 0.5
"""The least share of rare tokens in common of gapped clones: a judgement, by reading pairs of lazygit, jinja
and vite. Functions that share only their project's idioms have less; see `rarity.py`."""
_PAIRS_BETWEEN_REPORTS = 1000
"""Pairs whose structures are compared between two reports: a judgement, a fraction of a second."""

_NOTHING_TO_SEARCH = (
    "Only the search for gapped and semantic clones uses a GPU, and there was nothing to search."
)

Similarities = dict[Pair, float]
"""The similarity of each similar pair of pieces, from 0 to 1; the lower number comes first in a pair."""


def near_clones(
    statements: Statements, records: Mapping[str, Record], query: CloneQuery
) -> tuple[list[FragmentGroup], GpuUse]:
    """Return gapped and semantic clones and the use of a GPU, given the indentation of each token's line."""
    code = CodePieces(statements, records, query)
    pieces = code.tokens()
    pairs, gpu = _find_likely_pairs(pieces, query)
    aligned, other_pairs = _align_pairs(code, pieces, pairs, query)
    rarity = Rarity(pieces)
    clones = {
        pair: similarity
        for pair, similarity in aligned.items()
        if similarity >= query.gapped_threshold
        and all(map(code.is_substantial, pair))
        and rarity.shared(*pair) >= _MIN_RARE_SHARE
    }
    groups: list[FragmentGroup] = []
    if "gapped" in query.kinds:
        groups += _fragment_groups(code, "gapped", clones, clones)
    if "semantic" in query.kinds:
        groups += _fragment_groups(code, "semantic", aligned, aligned.keys() - clones.keys())
        if other_pairs:
            similar = _compare_structures(Structures(pieces), other_pairs, query.threshold)
            groups += _fragment_groups(code, "semantic", similar, similar)
    return groups, gpu


def _find_likely_pairs(pieces: Pieces, query: CloneQuery) -> tuple[LikelyPairs, GpuUse]:
    """Return the pairs with similar sketches; if a GPU fails, the processor starts again."""
    arrays, gpu = choose_array_module(query.gpu)
    if len(pieces) < 2:
        nothing = np.zeros(0, np.int64)
        return LikelyPairs(nothing, nothing, nothing), gpu.unused(_NOTHING_TO_SEARCH) if gpu.used else gpu
    check_cancelled = current_call().check
    min_equal = min(MIN_EQUAL_HASHES, round(MIN_EQUAL_HASHES * query.threshold / DEFAULT_THRESHOLD))
    try:
        return likely_pairs(pieces, arrays, check_cancelled, min_equal), gpu
    except (RuntimeError, MemoryError) as problem:
        if not gpu.used:
            raise
        reason = f"The GPU failed, and the processor did all the work: {type(problem).__name__}."
        return likely_pairs(pieces, np, check_cancelled, min_equal), gpu.unused(reason)


class _PairToAlign(NamedTuple):
    """A likely pair of pieces, and what is known before it is aligned."""

    first: int
    second: int
    depth: int
    """The number of pieces that enclose either; 0 for two outermost functions."""
    token_count: int
    """The sum of the numbers of their tokens."""
    min_common: float
    """The length of the longest common subsequence that makes them similar."""
    is_promising: bool
    """Whether they share enough tokens, regardless of the order."""


def _outermost_first(
    code: CodePieces, pieces: Pieces, pairs: LikelyPairs, query: CloneQuery
) -> list[_PairToAlign]:
    """Return the likely pairs, with those of enclosing pieces before those inside."""
    token_counts = pieces.lengths[pairs.first] + pieces.lengths[pairs.second]
    min_common = np.maximum(query.aligned_threshold * token_counts / 2, query.min_common_tokens)
    piece_depths = np.array([piece.depth for piece in code.pieces], np.int64)
    depths = piece_depths[pairs.first] + piece_depths[pairs.second]
    is_promising = pairs.max_shared >= min_common
    order = np.lexsort((pairs.second, pairs.first, depths))
    columns = (pairs.first, pairs.second, depths, token_counts, min_common, is_promising)
    return list(map(_PairToAlign, *(column[order].tolist() for column in columns)))


def _align_pairs(
    code: CodePieces, pieces: Pieces, likely: LikelyPairs, query: CloneQuery
) -> tuple[Similarities, list[Pair]]:
    """Return the pairs whose alignment reaches the threshold, and the other likely pairs of functions."""
    similar: Similarities = {}
    other_pairs: list[Pair] = []
    pairs = _outermost_first(code, pieces, likely, query)
    call, aligned_piece, aligner = current_call(), -1, Aligner(())  # -1: none yet
    for done, pair in enumerate(pairs):
        numbers = pair.first, pair.second
        if not code.are_comparable(*numbers):
            continue
        similarity_around = _similarity_around(code, numbers, similar) if pair.depth else 0.0
        if similarity_around >= query.gapped_threshold:
            continue
        common = 0
        if pair.is_promising:
            if pair.first != aligned_piece:
                call.progress(done, len(pairs), "pairs of functions and blocks aligned")
                aligned_piece, aligner = pair.first, Aligner(code.tokens_of(pair.first))
            common = aligner.common_length(code.tokens_of(pair.second), pair.min_common)
        if common >= pair.min_common:
            similarity = round(2 * common / pair.token_count, NEAR_SIMILARITY_DECIMALS)
            if similarity >= query.gapped_threshold or not similarity_around:
                similar[numbers] = similarity
        elif not pair.depth:
            other_pairs.append(numbers)
    return similar, other_pairs


def _similarity_around(code: CodePieces, pair: Pair, similar: Similarities) -> float:
    """Return how similar two pieces are that enclose every span of the given two; 0 if there are none."""
    first, second = pair
    around_first = frozenset.intersection(*code.pieces[first].enclosing) | {first}
    around_second = frozenset.intersection(*code.pieces[second].enclosing) | {second}
    enclosing_pairs = {(min(pieces), max(pieces)) for pieces in product(around_first, around_second)}
    return max((similar.get(each, 0.0) for each in enclosing_pairs - {pair}), default=0.0)


def _compare_structures(structures: Structures, pairs: list[Pair], threshold: float) -> Similarities:
    call, similar = current_call(), {}
    for done, pair in enumerate(pairs):
        if done % _PAIRS_BETWEEN_REPORTS == 0:
            call.progress(done, len(pairs), "structures compared")
        similarity = structures.similarity(*pair)
        if similarity >= threshold:
            similar[pair] = similarity
    return similar


def _fragment_groups(
    code: CodePieces, kind: CloneKind, similar: Similarities, requested: Iterable[Pair]
) -> Iterator[FragmentGroup]:
    """Yield groups of similar pieces that cover some pairs, without those that differ in a renaming alone."""
    changed = [pair for pair in requested if not code.is_renamed(*pair)]
    for clique in cliques(similar, changed):
        yield _fragment_group(code, kind, clique, similar)


def _fragment_group(
    code: CodePieces, kind: CloneKind, clique: list[int], similar: Similarities
) -> FragmentGroup:
    """Return pieces, any two of which are similar, as a clone group."""
    spans = sorted((span, number) for number in clique for span in code.pieces[number].spans)
    first = spans[0][1]
    fragments = []
    for span, number in spans:
        similarity = 1.0 if number == first else similar[min(first, number), max(first, number)]
        length = span.end - span.start
        fragments.append(Fragment(span.file, span.start_line, span.end_line, length, similarity))
    content = f"{kind} {code.pieces[first].family}".encode()
    content += b"".join(repr(tokens).encode() for tokens in sorted(map(code.tokens_of, clique)))
    mean = sum(fragment.similarity for fragment in fragments[1:]) / (len(fragments) - 1)
    return FragmentGroup(group_id(content), kind, round(mean, NEAR_SIMILARITY_DECIMALS), tuple(fragments))
