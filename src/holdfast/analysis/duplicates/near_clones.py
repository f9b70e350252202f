"""Gapped and semantic clones: functions and blocks that are alike without being equal.

Contract:
- Every two fragments of a gapped class were aligned: their longest common subsequence has `LEAST_TOKENS` and
  covers at least the effective threshold of the tokens of both. Nothing follows from a chain of likenesses.
- A semantic class holds what no alignment shows but whose structure is alike. It is a lead, and no duplicate.
- What is equal, or equal but for a consistent renaming, is neither: exact and renamed clones say it.
- Where functions are alike, the blocks inside of them are not reported again.
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
from holdfast.analysis.duplicates.code_pieces import LEAST_TOKENS, CodePieces
from holdfast.analysis.duplicates.sketch import LikelyPairs, Pieces, likely_pairs
from holdfast.analysis.duplicates.structure import Structures
from holdfast.analysis.duplicates.windows import Corpus
from holdfast.kernel.call import current_call
from holdfast.syntax.record import Record

_DECIMALS = 4

Similarities = dict[Pair, float]


def near_clones(
    corpus: Corpus, deep: NDArray[np.uint8], records: Mapping[str, Record], wanted: CloneQuery
) -> tuple[list[CloneClass], GpuUse]:
    """Return the gapped and semantic clones, given how deep each token's line is, and whether a GPU ran."""
    code = CodePieces(corpus, deep, records, wanted.min_lines)
    pieces = code.tokens()
    pairs, gpu = _likely(pieces, wanted.gpu)
    gapped, rest = _aligned(code, pairs, pieces, wanted.gapped_threshold)
    found: dict[CloneKind, Similarities] = {"gapped": gapped}
    if "semantic" in wanted.kinds and rest:
        found["semantic"] = _alike(Structures(pieces), rest, wanted.threshold)
    classes = []
    for kind, similar in found.items():
        if kind in wanted.kinds:
            news = [pair for pair in similar if not code.renamed(*pair)]
            classes += [_clone_class(code, kind, group, similar) for group in cliques(similar, news)]
    return classes, gpu


def _likely(pieces: Pieces, gpu: bool) -> tuple[LikelyPairs, GpuUse]:
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
    least = np.maximum(threshold * whole / 2, LEAST_TOKENS)
    depths = np.array([piece.depth for piece in code.pieces], np.int64)
    depth = depths[pairs.first] + depths[pairs.second]
    # What is outside comes first: then what is inside of a pair needs no look.
    order = np.lexsort((pairs.second, pairs.first, depth))
    columns = (
        column[order].tolist()
        for column in (pairs.first, pairs.second, pairs.shared >= least, least, whole, depth)
    )
    similar: Similarities = {}
    rest: list[Pair] = []
    families = [piece.family for piece in code.pieces]
    around = [frozenset[int]().union(*piece.around) for piece in code.pieces]
    call, last, aligner = current_call(), -1, Aligner(())
    for done, (one, other, is_promising, enough, both, deep) in enumerate(zip(*columns, strict=True)):
        nested = other in around[one] or one in around[other]
        if nested or families[one] != families[other] or (deep and _is_inside(code, (one, other), similar)):
            continue
        if is_promising and one != last:
            call.progress(done, len(order), "pairs of functions and blocks aligned")
            last, aligner = one, Aligner(code.text(one))
        common = aligner.common(code.text(other)) if is_promising else 0
        if common >= enough:
            similar[one, other] = round(2 * common / both, _DECIMALS)
        elif not deep:
            rest.append((one, other))
    return similar, rest


def _alike(structures: Structures, pairs: list[Pair], threshold: float) -> Similarities:
    call, similar = current_call(), {}
    for done, pair in enumerate(pairs):
        if done % 1000 == 0:
            call.progress(done, len(pairs), "structures compared")
        if (similarity := structures.similarity(*pair)) >= threshold:
            similar[pair] = similarity
    return similar


def _is_inside(code: CodePieces, pair: Pair, known: Similarities) -> bool:
    """Whether wherever the two pieces stand, they are inside of two others that are a pair."""
    wider = [frozenset.intersection(*code.pieces[number].around) | {number} for number in pair]
    around = ((min(one, other), max(one, other)) for one in wider[0] for other in wider[1])
    return any(other != pair and other in known for other in around)


def _clone_class(code: CodePieces, kind: CloneKind, group: list[int], similar: Similarities) -> CloneClass:
    placed = sorted((place, number) for number in group for place in code.pieces[number].places)
    first = placed[0][1]
    fragments = tuple(
        Fragment(
            place.file,
            place.start_line,
            place.end_line,
            place.end - place.start,
            1.0 if number == first else similar[min(first, number), max(first, number)],
        )
        for place, number in placed
    )
    content = blake2b(f"{kind} {code.pieces[first].family}".encode(), digest_size=8)
    for number in sorted(group, key=code.text):
        content.update(repr(code.text(number)).encode())
    mean = sum(fragment.similarity for fragment in fragments[1:]) / (len(fragments) - 1)
    return CloneClass(content.hexdigest(), kind, round(mean, _DECIMALS), fragments)
