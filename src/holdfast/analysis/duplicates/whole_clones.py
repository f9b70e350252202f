"""Whole functions and files that are equal, or equal but for a consistent renaming and other values.

Windows find the longest stretches that all fragments of a group share. Where each window of a function stands
elsewhere too, but always in other company, its own copies are no such group: here they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

import numpy as np

from holdfast.analysis.duplicates.clone import CloneClass, CloneKind, CloneQuery, Fragment
from holdfast.analysis.duplicates.code_pieces import Lines, Place, renaming
from holdfast.analysis.duplicates.windows import Corpus
from holdfast.syntax.lexer import TokenKind
from holdfast.syntax.record import Record

_LEAST_TOKENS = 6
"""For each line that was asked for, as lists of plain assignments have them among renamed clones."""
_DECIMALS = 3


def with_wholes(
    known: list[CloneClass], corpus: Corpus, records: Mapping[str, Record], wanted: CloneQuery
) -> list[CloneClass]:
    """Return exact and renamed clones, and those of whole functions and files that are no part of them."""
    groups = list(_alike(corpus, records, wanted.min_lines))
    files = {place.file for places in groups for place in places}
    spans: dict[tuple[CloneKind, str], list[tuple[int, int, int]]] = {}
    result: list[CloneClass] = []

    def keep(one: CloneClass) -> None:
        for each in one.fragments:
            if each.file in files:
                rows = each.start_line, each.end_line, len(result)
                spans.setdefault((one.kind, each.file), []).append(rows)
        result.append(one)

    for one in known:
        keep(one)
    for one in sorted(_classes(corpus, groups), key=lambda one: one.order):
        around = [
            {number for start, end, number in spans.get((one.kind, each.file), ())
             if start <= each.start_line and end >= each.end_line}
            for each in one.fragments
        ]  # fmt: skip
        if one.kind in wanted.kinds and not set.intersection(*around):
            keep(one)
    return result


def _alike(corpus: Corpus, records: Mapping[str, Record], min_lines: int) -> Iterator[list[Place]]:
    """Yield the functions and files that are equal in all but names and values, in whatever way renamed."""
    exact, kind = corpus.tokens.exact, corpus.tokens.kind
    blind = np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32))
    by_length: dict[tuple[int, int], list[Place]] = {}
    for number, (path, family) in enumerate(zip(corpus.table.paths, corpus.families.tolist(), strict=True)):
        lines = Lines(corpus, number)
        functions = records[path].functions if path in records else ()
        rows = {(0, len(lines)), *(lines.between(each.line, each.end_line) for each in functions)}
        for first, last in sorted(rows):
            length = lines.tokens(first, last)
            if last - first >= min_lines and length >= _LEAST_TOKENS * min_lines:
                by_length.setdefault((family, length), []).append(lines.place(path, first, last))
    for alike in by_length.values():
        groups: dict[bytes, list[Place]] = {}
        for place in alike if len(alike) > 1 else ():
            groups.setdefault(blind[place.start : place.end].tobytes(), []).append(place)
        yield from (places for places in groups.values() if len(places) > 1)


def _classes(corpus: Corpus, groups: Iterable[list[Place]]) -> Iterator[CloneClass]:
    for places in groups:
        by_text: dict[tuple[CloneKind, bytes], list[Place]] = {}
        for place in places:
            text = corpus.tokens.exact[place.start : place.end].tobytes()
            by_text.setdefault(("exact", text), []).append(place)
            by_text.setdefault(("renamed", renaming(corpus.tokens, place).tobytes()), []).append(place)
        family = corpus.family_names[int(corpus.families[corpus.table.paths.index(places[0].file)])]
        for (kind, text), alike in by_text.items():
            fragments = tuple(_fragments(corpus, sorted(alike)))
            mean = sum(each.similarity for each in fragments[1:]) / max(len(fragments) - 1, 1)
            if len(fragments) > 1 and (kind == "exact" or mean < 1):
                name = blake2b(f"{kind} {family} ".encode() + text, digest_size=8).hexdigest()
                yield CloneClass(name, kind, round(mean, _DECIMALS), fragments)


def _fragments(corpus: Corpus, places: list[Place]) -> Iterator[Fragment]:
    first, *_ = texts = [corpus.tokens.exact[place.start : place.end] for place in places]
    for place, text in zip(places, texts, strict=True):
        share = round(float((text == first).mean()), _DECIMALS)
        yield Fragment(place.file, place.start_line, place.end_line, len(text), share)
