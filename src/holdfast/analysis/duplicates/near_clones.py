"""Gapped and semantic clones: functions and blocks that are similar without being equal.

MinHash sketches select likely pairs, each pair is aligned or compared by its structure, and a clique cover of
the similar pairs gives the classes. For example, a function and its copy with a log call added are gapped
clones: their longest common subsequence covers nearly all of both.

Contract:
- Any two fragments of a gapped class were aligned: their longest common subsequence has `MIN_TOKENS` and
  covers at least the effective threshold of the tokens of both. Similarity is never inferred from a chain.
- A semantic class has a similar structure, but no alignment that suffices. It is a lead, not a duplicate.
- Pieces that are equal, or differ in a consistent renaming, are neither: they are exact or renamed clones.
- The blocks inside similar functions are not reported again.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.alignment import Aligner
from holdfast.analysis.duplicates.array_module import array_module, failed, idle
from holdfast.analysis.duplicates.cliques import Pair, cliques
from holdfast.analysis.duplicates.clone import CloneClass, CloneKind, CloneQuery, Fragment, GpuUse
from holdfast.analysis.duplicates.code_pieces import MIN_TOKENS, CodePieces
from holdfast.analysis.duplicates.sketch import LikelyPairs, Pieces, likely_pairs
from holdfast.analysis.duplicates.structure import Structures
from holdfast.analysis.duplicates.windows import CloneCorpus
from holdfast.kernel.call import current_call
from holdfast.syntax.record import Record

_DECIMALS = 4

Similarities = dict[Pair, float]


def near_clones(
    corpus: CloneCorpus, indents: NDArray[np.uint8], records: Mapping[str, Record], wanted: CloneQuery
) -> tuple[list[CloneClass], GpuUse]:
    """Return gapped and semantic clones, given the indent of each token's line, and the use of a GPU."""
    code = CodePieces(corpus, indents, records, wanted.min_lines)
    pieces = code.tokens()
    pairs, gpu = _likely_pairs(pieces, wanted.gpu)
    gapped, rest = _aligned(code, pairs, pieces, wanted.gapped_threshold)
    found: dict[CloneKind, Similarities] = {"gapped": gapped}
    if "semantic" in wanted.kinds and rest:
        found["semantic"] = _similar_structures(Structures(pieces), rest, wanted.threshold)
    classes = []
    for kind, similar in found.items():
        if kind in wanted.kinds:
            changed = [pair for pair in similar if not code.is_renamed(*pair)]
            classes += [_clone_class(code, kind, group, similar) for group in cliques(similar, changed)]
    return classes, gpu


def _likely_pairs(pieces: Pieces, gpu: bool) -> tuple[LikelyPairs, GpuUse]:
    arrays, use = array_module(gpu)
    if len(pieces) < 2:
        nothing = np.zeros(0, np.int64)
        return LikelyPairs(nothing, nothing, nothing), idle(use)
    try:
        return likely_pairs(pieces, arrays, current_call().check), use
    except (RuntimeError, MemoryError) as problem:
        if not use.used:
            raise
        return likely_pairs(pieces, np, current_call().check), failed(use, problem)


def _aligned(
    code: CodePieces, pairs: LikelyPairs, pieces: Pieces, threshold: float
) -> tuple[Similarities, list[Pair]]:
    """Return the pairs whose alignment reaches the threshold, and the other likely pairs of functions."""
    whole = pieces.lengths[pairs.first] + pieces.lengths[pairs.second]
    least = np.maximum(threshold * whole / 2, MIN_TOKENS)
    depths = np.array([piece.depth for piece in code.pieces], np.int64)
    depth = depths[pairs.first] + depths[pairs.second]
    # Enclosing pieces come first: pairs inside a similar pair are then skipped.
    order = np.lexsort((pairs.second, pairs.first, depth))
    columns = (
        column[order].tolist()
        for column in (pairs.first, pairs.second, pairs.shared >= least, least, whole, depth)
    )
    similar: Similarities = {}
    rest: list[Pair] = []
    families = [piece.family for piece in code.pieces]
    enclosing = [frozenset[int]().union(*piece.enclosing) for piece in code.pieces]
    call, last, aligner = current_call(), -1, Aligner(())
    for done, (one, other, is_promising, enough, both, deep) in enumerate(zip(*columns, strict=True)):
        nested = other in enclosing[one] or one in enclosing[other]
        if nested or families[one] != families[other] or (deep and _is_inside(code, (one, other), similar)):
            continue
        if is_promising and one != last:
            call.progress(done, len(order), "pairs of functions and blocks aligned")
            last, aligner = one, Aligner(code.tokens_of(one))
        common = aligner.common(code.tokens_of(other)) if is_promising else 0
        if common >= enough:
            similar[one, other] = round(2 * common / both, _DECIMALS)
        elif not deep:
            rest.append((one, other))
    return similar, rest


def _similar_structures(structures: Structures, pairs: list[Pair], threshold: float) -> Similarities:
    call, similar = current_call(), {}
    for done, pair in enumerate(pairs):
        if done % 1000 == 0:
            call.progress(done, len(pairs), "structures compared")
        if (similarity := structures.similarity(*pair)) >= threshold:
            similar[pair] = similarity
    return similar


def _is_inside(code: CodePieces, pair: Pair, known: Similarities) -> bool:
    """Return whether every span of the two pieces is enclosed by pieces of one similar pair."""
    wider = [frozenset.intersection(*code.pieces[number].enclosing) | {number} for number in pair]
    enclosing = ((min(one, other), max(one, other)) for one in wider[0] for other in wider[1])
    return any(other != pair and other in known for other in enclosing)


def _clone_class(code: CodePieces, kind: CloneKind, group: list[int], similar: Similarities) -> CloneClass:
    spans = sorted((span, number) for number in group for span in code.pieces[number].spans)
    first = spans[0][1]
    fragments = tuple(
        Fragment(
            span.file,
            span.start_line,
            span.end_line,
            span.end - span.start,
            1.0 if number == first else similar[min(first, number), max(first, number)],
        )
        for span, number in spans
    )
    content = blake2b(f"{kind} {code.pieces[first].family}".encode(), digest_size=8)
    for number in sorted(group, key=code.tokens_of):
        content.update(repr(code.tokens_of(number)).encode())
    mean = sum(fragment.similarity for fragment in fragments[1:]) / (len(fragments) - 1)
    return CloneClass(content.hexdigest(), kind, round(mean, _DECIMALS), fragments)
