"""Whole functions and files that are equal, or differ in a consistent renaming and in literals alone.

Maximal matches miss some of them. If function f has one copy, and its first half also occurs in a third place
and its second half in a fourth, each half is a match of three fragments, and no match is the whole of f.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

import numpy as np

from holdfast.analysis.duplicates.clone import CloneClass, CloneKind, CloneQuery, Fragment
from holdfast.analysis.duplicates.code_pieces import PieceSpan, TokenLines, canonical
from holdfast.analysis.duplicates.windows import CloneCorpus
from holdfast.syntax.lexer import TokenKind
from holdfast.syntax.record import Record

_MIN_TOKENS = 6
"""The least tokens per requested line, as of renamed clones without keywords (`token_clones.py`)."""
_DECIMALS = 3


def with_whole_clones(
    known: list[CloneClass], corpus: CloneCorpus, records: Mapping[str, Record], wanted: CloneQuery
) -> list[CloneClass]:
    """Add the clones of whole functions and files that no known class contains."""
    groups = list(_equal_spans(corpus, records, wanted.min_lines))
    files = {span.file for group in groups for span in group}
    lines_of: dict[tuple[CloneKind, str], list[tuple[int, int, int]]] = {}
    result: list[CloneClass] = []

    def add(one: CloneClass) -> None:
        for each in one.fragments:
            if each.file in files:
                rows = each.start_line, each.end_line, len(result)
                lines_of.setdefault((one.kind, each.file), []).append(rows)
        result.append(one)

    for one in known:
        add(one)
    for one in sorted(_classes(corpus, groups), key=lambda one: one.order):
        containing = [
            {number for start, end, number in lines_of.get((one.kind, each.file), ())
             if start <= each.start_line and end >= each.end_line}
            for each in one.fragments
        ]  # fmt: skip
        if one.kind in wanted.kinds and not set.intersection(*containing):
            add(one)
    return result


def _equal_spans(
    corpus: CloneCorpus, records: Mapping[str, Record], min_lines: int
) -> Iterator[list[PieceSpan]]:
    """Yield groups of functions and files that are equal with names and literals blinded."""
    exact, kind = corpus.tokens.exact, corpus.tokens.kind
    blind = np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32))
    by_length: dict[tuple[int, int], list[PieceSpan]] = {}
    for number, (path, family) in enumerate(zip(corpus.table.paths, corpus.families.tolist(), strict=True)):
        lines = TokenLines(corpus, number)
        functions = records[path].functions if path in records else ()
        rows = {(0, len(lines)), *(lines.between(each.line, each.end_line) for each in functions)}
        for first, last in sorted(rows):
            length = lines.tokens(first, last)
            if last - first >= min_lines and length >= _MIN_TOKENS * min_lines:
                by_length.setdefault((family, length), []).append(lines.span(path, first, last))
    for spans in by_length.values():
        groups: dict[bytes, list[PieceSpan]] = {}
        for span in spans if len(spans) > 1 else ():
            groups.setdefault(blind[span.start : span.end].tobytes(), []).append(span)
        yield from (group for group in groups.values() if len(group) > 1)


def _classes(corpus: CloneCorpus, groups: Iterable[list[PieceSpan]]) -> Iterator[CloneClass]:
    for group in groups:
        by_text: dict[tuple[CloneKind, bytes], list[PieceSpan]] = {}
        for span in group:
            text = corpus.tokens.exact[span.start : span.end].tobytes()
            by_text.setdefault(("exact", text), []).append(span)
            by_text.setdefault(("renamed", canonical(corpus.tokens, span).tobytes()), []).append(span)
        family = corpus.family_names[int(corpus.families[corpus.table.paths.index(group[0].file)])]
        for (kind, text), spans in by_text.items():
            fragments = tuple(_fragments(corpus, sorted(spans)))
            mean = sum(each.similarity for each in fragments[1:]) / max(len(fragments) - 1, 1)
            if len(fragments) > 1 and (kind == "exact" or mean < 1):
                digest = blake2b(f"{kind} {family} ".encode() + text, digest_size=8).hexdigest()
                yield CloneClass(digest, kind, round(mean, _DECIMALS), fragments)


def _fragments(corpus: CloneCorpus, spans: list[PieceSpan]) -> Iterator[Fragment]:
    first, *_ = texts = [corpus.tokens.exact[span.start : span.end] for span in spans]
    for span, text in zip(spans, texts, strict=True):
        share = round(float((text == first).mean()), _DECIMALS)
        yield Fragment(span.file, span.start_line, span.end_line, len(text), share)
